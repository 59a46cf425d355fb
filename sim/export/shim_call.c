/* The calling half of Goishi's shim: checks arguments, hands them to Python, brings results back. */
#include <string.h>

#include "shim.h"

/* How many arguments of C a value takes. */
static int slots_of(const Value *value, int is_result) {
    if (value->kind == 'a') return 1 + is_result + value->dimensions;
    return value->kind == 's' && is_result ? 3 : 1;
}

/* Count an array's items; -1 where a size is wrong, which is then named in last_error. */
static int64_t count_items(const char *name, const char *parameter, const Value *value,
                           const uint64_t *sizes) {
    int64_t count = 1;
    for (int i = 0; i < value->dimensions; i++) {
        int64_t size = (int64_t)sizes[i], expected = value->sizes[i];
        if (expected >= 0 && size != expected) {
            fail(WRONG_SHAPE, "%s: %s: expected size %lld in dimension %d, found %lld", name,
                 parameter, (long long)expected, i, (long long)size);
            return -1;
        }
        if (size < 0 || (size > 0 && count > INT64_MAX / 8 / size)) {
            fail(WRONG_SHAPE, "%s: %s: expected a size of 0 or more in dimension %d, found %lld",
                 name, parameter, i, (long long)size);
            return -1;
        }
        count *= size;
    }
    return count;
}

/* Check pointers and sizes, before Python is asked. */
static int32_t check(const Library *library, const Function *function, const uint64_t *slots) {
    const char *name = text_of(library, function->name);
    const Value *values = values_of(library, function);
    uint32_t total = function->count + function->has_result;
    for (uint32_t i = 0; i < total; i++) {
        const Value *value = &values[i];
        const char *parameter = text_of(library, value->name);
        int is_result = i >= function->count, is_pointer = is_result || value->kind == 's';
        int64_t count = 1;
        if (!is_result && value->kind == 'a') {
            count = count_items(name, parameter, value, slots + 1);
            if (count < 0) return WRONG_SHAPE;
            is_pointer = count > 0;
        } else if (is_result && (value->kind == 'a' || value->kind == 's')) {
            if ((int64_t)slots[1] < 0)
                return fail(BUFFER_TOO_SMALL, "%s: %s_capacity: expected 0 or more, found %lld",
                            name, parameter, (long long)slots[1]);
            is_pointer = slots[1] > 0;
        }
        if (is_pointer && !slots[0])
            return fail(NULL_POINTER, "%s: %s: expected a pointer, found NULL", name, parameter);
        slots += slots_of(value, is_result);
    }
    return OK;
}

static PyObject *array_argument(const Value *value, const uint64_t *slots) {
    int64_t count = 1;
    PyObject *sizes = python.PyTuple_New(value->dimensions);
    for (int i = 0; sizes && i < value->dimensions; i++) {
        python.PyTuple_SetItem(sizes, i, python.PyLong_FromLongLong((long long)slots[1 + i]));
        count *= (int64_t)slots[1 + i];
    }
    const char *items = (const char *)(uintptr_t)slots[0];
    PyObject *copy = python.PyByteArray_FromStringAndSize(items, (ssize_t)(count * value->item_size));
    PyObject *pair = sizes && copy ? python.PyTuple_New(2) : NULL;
    if (!pair) { /* no memory */
        python.Py_DecRef(sizes);
        python.Py_DecRef(copy);
        return NULL;
    }
    python.PyTuple_SetItem(pair, 0, copy);
    python.PyTuple_SetItem(pair, 1, sizes);
    return pair;
}

static PyObject *argument(const Value *value, const uint64_t *slots) {
    double real;
    const char *text = (const char *)(uintptr_t)slots[0];
    switch (value->kind) {
    case 'i': return python.PyLong_FromLongLong((long long)slots[0]);
    case 'b': return python.PyBool_FromLong((int32_t)slots[0] != 0);
    case 'd': memcpy(&real, slots, sizeof real); return python.PyFloat_FromDouble(real);
    case 's': return python.PyUnicode_DecodeUTF8(text, (ssize_t)strlen(text), NULL);
    default: return array_argument(value, slots);
    }
}

/* Copy text or items into the caller's buffer; sizes are told even where it is too small. */
static int32_t give_bytes(const char *name, const Value *value, PyObject *payload,
                          const uint64_t *slots) {
    char *source = NULL;
    ssize_t size = 0;
    int is_array = value->kind == 'a';
    PyObject *bytes = is_array ? python.PyTuple_GetItem(payload, 0) : payload;
    if (!bytes || python.PyBytes_AsStringAndSize(bytes, &source, &size) != 0)
        return fail_with_exception(WRONG_RESULT, name);
    for (int i = 0; i < (is_array ? value->dimensions : 1); i++) {
        int64_t *told = (int64_t *)(uintptr_t)slots[2 + i];
        if (told)
            *told = is_array ? python.PyLong_AsLongLong(python.PyTuple_GetItem(payload, 1 + i)) : size;
    }
    int64_t needed = is_array ? size / value->item_size : size + 1, found = (int64_t)slots[1];
    if (found < needed)
        return fail(BUFFER_TOO_SMALL, "%s: result_capacity: expected %lld or more, found %lld", name,
                    (long long)needed, (long long)found);
    char *target = (char *)(uintptr_t)slots[0];
    if (size) memcpy(target, source, (size_t)size);
    if (!is_array) target[size] = 0;
    return OK;
}

static int32_t give_result(const char *name, const Value *value, PyObject *payload,
                           const uint64_t *slots) {
    void *target = (void *)(uintptr_t)slots[0];
    if (value->kind == 's' || value->kind == 'a') return give_bytes(name, value, payload, slots);
    double real = value->kind == 'd' ? python.PyFloat_AsDouble(payload) : 0.0;
    long long whole = value->kind == 'd' ? 0 : python.PyLong_AsLongLong(payload);
    if (python.PyErr_Occurred()) return fail_with_exception(WRONG_RESULT, name);
    if (value->kind == 'd') *(double *)target = real;
    else if (value->kind == 'b') *(int32_t *)target = whole != 0;
    else *(int64_t *)target = (int64_t)whole;
    return OK;
}

/* Call a function with Python's lock held. The bridge answers (code, result or text). */
static int32_t call_locked(const Library *library, uint32_t index, const uint64_t *slots) {
    const Function *function = function_of(library, index);
    const Value *values = values_of(library, function);
    const char *name = text_of(library, function->name);
    PyObject *arguments = python.PyTuple_New((ssize_t)function->count);
    for (uint32_t i = 0; arguments && i < function->count; i++) {
        PyObject *one = argument(&values[i], slots);
        if (!one) {
            python.Py_DecRef(arguments);
            int32_t code = values[i].kind == 's' ? WRONG_TEXT : SCRIPT_FAILED;
            return fail_with_exception(code, text_of(library, values[i].name));
        }
        python.PyTuple_SetItem(arguments, (ssize_t)i, one);
        slots += slots_of(&values[i], 0);
    }
    PyObject *entry = python.PyTuple_GetItem(entries, (ssize_t)index);
    PyObject *answer = arguments && entry ? python.PyObject_CallObject(entry, arguments) : NULL;
    python.Py_DecRef(arguments);
    PyObject *first = answer ? python.PyTuple_GetItem(answer, 0) : NULL;
    PyObject *payload = first ? python.PyTuple_GetItem(answer, 1) : NULL;
    int32_t code;
    if (!payload) {
        code = fail_with_exception(SCRIPT_FAILED, name);
    } else if ((code = (int32_t)python.PyLong_AsLongLong(first)) != OK) {
        PyObject *bytes = python.PyUnicode_AsEncodedString(payload, "utf-8", "replace");
        char *text = NULL;
        ssize_t size = 0;
        if (bytes && python.PyBytes_AsStringAndSize(bytes, &text, &size) == 0)
            fail(code, "%s: %s", name, text);
        else
            code = fail_with_exception(code, name);
        python.Py_DecRef(bytes);
    } else if (function->has_result) {
        code = give_result(name, &values[function->count], payload, slots);
    }
    python.Py_DecRef(answer);
    return code;
}

/* Call a function with its arguments as they stand in C, eight bytes each. */
PUBLIC int32_t goishi_shim_call_slots(const Library *library, uint32_t index,
                                      const uint64_t *slots) {
    *last_error = 0;
    const char *name = text_of(library, function_of(library, index)->name);
    atomic_fetch_add(&calls_running, 1);
    int32_t code;
    if (atomic_load(&open_library) != library) {
        code = fail(NOT_STARTED, "%s: expected %s_init() to be called first", name,
                    text_of(library, library->name));
    } else if ((code = check(library, function_of(library, index), slots)) == OK) {
        depth++;
        int lock = python.PyGILState_Ensure();
        code = call_locked(library, index, slots);
        python.PyGILState_Release(lock);
        depth--;
        if (code == OK) *last_error = 0; /* a call from inside may have left its own */
    }
    atomic_fetch_sub(&calls_running, 1);
    return code;
}

#if defined(__x86_64__)
/* The same for a stub of the ELF writer: sort the saved registers into slots (System V ABI). */
PUBLIC int32_t goishi_shim_call(const Library *library, uint32_t index, const Frame *frame) {
    uint64_t slots[MOST_SLOTS];
    const Function *function = function_of(library, index);
    const Value *values = values_of(library, function);
    int integers = 0, reals = 0, stacked = 0, slot = 0;
    for (uint32_t i = 0; i < function->count + function->has_result; i++) {
        int is_result = i >= function->count;
        for (int j = slots_of(&values[i], is_result); j > 0 && slot < MOST_SLOTS; j--, slot++) {
            if (values[i].kind == 'd' && !is_result)
                slots[slot] = reals < 8 ? frame->reals[reals++] : frame->stack[stacked++];
            else
                slots[slot] = integers < 6 ? frame->integers[integers++] : frame->stack[stacked++];
        }
    }
    return goishi_shim_call_slots(library, index, slots);
}
#endif
