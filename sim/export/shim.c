/* Goishi's shim: starts Python inside any process and calls the functions of an exported script.
 *
 * It is compiled once for each platform (see build.py) and serves every export: what differs
 * stands in the small library that `export` writes, whose description (descriptor.py) it reads.
 * It needs no header of Python and is linked to none: the Python that lies beside the library is
 * loaded at start with its symbols made visible to all, which extension modules such as NumPy
 * need and which a host that loads us privately (Unity, P/Invoke, dlopen) would not give them.
 * Python's configuration is the isolated one: no environment, no user folder, no signal handlers.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#if defined(__x86_64__) && defined(__GLIBC__) /* one binary for every glibc from 2.14 on */
__asm__(".symver dlopen, dlopen@GLIBC_2.2.5");
__asm__(".symver dlsym, dlsym@GLIBC_2.2.5");
__asm__(".symver dlerror, dlerror@GLIBC_2.2.5");
__asm__(".symver dladdr, dladdr@GLIBC_2.2.5");
#endif

#define PUBLIC __attribute__((visibility("default")))
#define MOST_SLOTS 64
#define MOST_DIMENSIONS 8

/* The same numbers stand in header.py, which writes them for C, and in bridge.py. */
enum {
    OK = 0, NOT_STARTED = -1, NO_PYTHON = -2, NO_SCRIPT = -3, NULL_POINTER = -4, WRONG_SHAPE = -5,
    WRONG_TEXT = -6, SCRIPT_FAILED = -7, WRONG_RESULT = -8, BUFFER_TOO_SMALL = -9, BUSY = -10,
    OTHER_PYTHON = -11
};

/* -- what the exported library says about itself; numbers are offsets from its start ----------- */

typedef struct {
    char magic[8];
    uint32_t name, variable, python, standard, preload, module, signatures, count, functions, pad;
} Library;
typedef struct { uint32_t name, values, count, has_result; } Function;
typedef struct {
    uint32_t name;
    uint8_t kind, item_size;
    uint16_t dimensions;
    int64_t sizes[MOST_DIMENSIONS]; /* -1: any */
} Value;
/* What a stub saved: the registers that carry arguments, and where the others lie. */
typedef struct { uint64_t integers[6]; uint64_t reals[8]; const uint64_t *stack; } Frame;

static const char *text_of(const Library *library, uint32_t offset) {
    return (const char *)library + offset;
}
static const Function *function_of(const Library *library, uint32_t index) {
    return (const Function *)(const void *)((const char *)library + library->functions) + index;
}
static const Value *values_of(const Library *library, const Function *function) {
    return (const Value *)(const void *)((const char *)library + function->values);
}

/* -- the last error of each thread ------------------------------------------------------------- */

static _Thread_local char last_error[4096];

static int32_t fail(int32_t code, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(last_error, sizeof last_error, format, arguments);
    va_end(arguments);
    size_t end = strlen(last_error);
    if (end == sizeof last_error - 1) { /* cut: leave no half character */
        while (end > 0 && ((unsigned char)last_error[end - 1] & 0xC0) == 0x80) end--;
        if (end > 0 && ((unsigned char)last_error[end - 1] & 0x80)) last_error[end - 1] = 0;
    }
    return code;
}

PUBLIC const char *goishi_shim_last_error(void) { return last_error; }

/* -- Python, by name --------------------------------------------------------------------------- */

typedef struct PyObject PyObject;
typedef struct { int kind; const char *function, *message; int exit_code; } PyStatus;
typedef struct { /* PyPreConfig of Python 3.8 to 3.13 */
    int config_init, parse_argv, isolated, use_environment, configure_locale, coerce_c_locale,
        coerce_c_locale_warn, utf8_mode, dev_mode, allocator;
} PyPreConfig;
typedef struct { long long room[1024]; } PyConfig; /* taken as Python fills it in, never looked into */

#define EACH_FUNCTION(X)                                                                           \
    X(int, Py_IsInitialized, (void))                                                               \
    X(void, PyPreConfig_InitIsolatedConfig, (PyPreConfig *))                                       \
    X(PyStatus, Py_PreInitialize, (const PyPreConfig *))                                           \
    X(int, PyStatus_Exception, (PyStatus))                                                         \
    X(wchar_t *, Py_DecodeLocale, (const char *, size_t *))                                        \
    X(void, Py_SetPythonHome, (const wchar_t *))                                                   \
    X(void, Py_SetProgramName, (const wchar_t *))                                                  \
    X(void, PyConfig_InitIsolatedConfig, (PyConfig *))                                             \
    X(PyStatus, Py_InitializeFromConfig, (const PyConfig *))                                       \
    X(void, PyConfig_Clear, (PyConfig *))                                                          \
    X(void *, PyEval_SaveThread, (void))                                                           \
    X(int, PyGILState_Ensure, (void))                                                              \
    X(void, PyGILState_Release, (int))                                                             \
    X(PyObject *, PyImport_ImportModule, (const char *))                                           \
    X(PyObject *, PyObject_GetAttrString, (PyObject *, const char *))                              \
    X(PyObject *, PyObject_CallObject, (PyObject *, PyObject *))                                   \
    X(PyObject *, PyObject_Str, (PyObject *))                                                      \
    X(PyObject *, PyTuple_New, (ssize_t))                                                          \
    X(int, PyTuple_SetItem, (PyObject *, ssize_t, PyObject *))                                     \
    X(PyObject *, PyTuple_GetItem, (PyObject *, ssize_t))                                          \
    X(ssize_t, PyTuple_Size, (PyObject *))                                                         \
    X(PyObject *, PyLong_FromLongLong, (long long))                                                \
    X(long long, PyLong_AsLongLong, (PyObject *))                                                  \
    X(PyObject *, PyFloat_FromDouble, (double))                                                    \
    X(double, PyFloat_AsDouble, (PyObject *))                                                      \
    X(PyObject *, PyBool_FromLong, (long))                                                         \
    X(PyObject *, PyUnicode_DecodeUTF8, (const char *, ssize_t, const char *))                     \
    X(PyObject *, PyUnicode_AsEncodedString, (PyObject *, const char *, const char *))             \
    X(PyObject *, PyByteArray_FromStringAndSize, (const char *, ssize_t))                          \
    X(int, PyBytes_AsStringAndSize, (PyObject *, char **, ssize_t *))                              \
    X(PyObject *, PyErr_Occurred, (void))                                                          \
    X(void, PyErr_Clear, (void))                                                                   \
    X(void, PyErr_Fetch, (PyObject **, PyObject **, PyObject **))                                  \
    X(void, PyErr_NormalizeException, (PyObject **, PyObject **, PyObject **))                     \
    X(int, PyException_SetTraceback, (PyObject *, PyObject *))                                     \
    X(void, Py_DecRef, (PyObject *))

#define AS_MEMBER(result, name, parameters) result (*name) parameters;
static struct { EACH_FUNCTION(AS_MEMBER) } python;

/* -- one session: the library that is open, and its functions ---------------------------------- */

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER; /* around start and shutdown */
static char python_home[PATH_MAX];                       /* of the Python that runs, else empty */
static PyObject *bridge;                                 /* the module goishi_bridge */
static PyObject *entries;                                /* tuple: a callable for each function */
static _Atomic(const Library *) open_library;
static atomic_int calls_running;
static _Thread_local int depth; /* calls of this thread that have not returned */

/* Put the pending exception into last_error, in the bridge's words if it has any. */
static int32_t fail_with_exception(int32_t code, const char *where) {
    PyObject *kind = NULL, *error = NULL, *traceback = NULL, *text = NULL, *bytes = NULL;
    char *characters = NULL;
    ssize_t size = 0;
    python.PyErr_Fetch(&kind, &error, &traceback);
    python.PyErr_NormalizeException(&kind, &error, &traceback);
    if (error && traceback) python.PyException_SetTraceback(error, traceback);
    PyObject *describe = error && bridge ? python.PyObject_GetAttrString(bridge, "describe") : NULL;
    if (describe) {
        PyObject *arguments = python.PyTuple_New(1);
        if (arguments) python.PyTuple_SetItem(arguments, 0, error), error = NULL; /* handed over */
        text = arguments ? python.PyObject_CallObject(describe, arguments) : NULL;
        python.Py_DecRef(arguments);
    } else if (error) {
        text = python.PyObject_Str(error);
    }
    if (text) bytes = python.PyUnicode_AsEncodedString(text, "utf-8", "replace");
    if (!bytes || python.PyBytes_AsStringAndSize(bytes, &characters, &size) != 0)
        characters = "Python failed and could not say why";
    fail(code, "%s: %s", where, characters);
    python.PyErr_Clear();
    PyObject *held[] = {describe, text, bytes, kind, error, traceback};
    for (size_t i = 0; i < sizeof held / sizeof *held; i++) python.Py_DecRef(held[i]);
    return code;
}

/* -- starting ---------------------------------------------------------------------------------- */

static int is_there(const char *folder, const char *inside) {
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/%s", folder, inside);
    return length > 0 && (size_t)length < sizeof path && access(path, R_OK) == 0;
}

/* Find Python's folder: what the host says, the environment variable, beside the library. */
static int32_t find_home(const Library *library, const char *wanted, char *home) {
    char candidate[PATH_MAX] = "";
    const char *source = "the argument of init";
    const char *from_environment = getenv(text_of(library, library->variable));
    Dl_info place;
    if (wanted && *wanted) {
        snprintf(candidate, sizeof candidate, "%s", wanted);
    } else if (from_environment && *from_environment) {
        source = text_of(library, library->variable);
        snprintf(candidate, sizeof candidate, "%s", from_environment);
    } else if (dladdr(library, &place) && place.dli_fname) {
        source = "beside the library";
        const char *slash = strrchr(place.dli_fname, '/');
        int length = slash ? (int)(slash - place.dli_fname) : 1;
        snprintf(candidate, sizeof candidate, "%.*s/python", length, slash ? place.dli_fname : ".");
    }
    const char *parts[] = {text_of(library, library->python), text_of(library, library->standard)};
    if (!realpath(candidate, home))
        return fail(NO_PYTHON, "init: expected Python's folder (%s), found no folder %s", source,
                    candidate);
    for (int i = 0; i < 2; i++)
        if (!is_there(home, parts[i]))
            return fail(NO_PYTHON, "init: expected %s in Python's folder %s (%s), found none",
                        parts[i], home, source);
    return OK;
}

/* Load libraries that the target machine may lack, then Python itself. */
static int32_t load_python(const Library *library, const char *home) {
    char path[2 * PATH_MAX];
    int (*is_running)(void);
    *(void **)&is_running = dlsym(RTLD_DEFAULT, "Py_IsInitialized");
    if (is_running && is_running())
        return fail(OTHER_PYTHON, "init: expected a process without Python, found one that runs it");
    const char *line = text_of(library, library->preload);
    while (*line) {
        size_t length = strcspn(line, "\n");
        snprintf(path, sizeof path, "%s/%.*s", home, (int)length, line);
        if (!dlopen(path, RTLD_NOW | RTLD_LOCAL)) return fail(NO_PYTHON, "init: %s", dlerror());
        line += length + (line[length] == '\n');
    }
    snprintf(path, sizeof path, "%s/%s", home, text_of(library, library->python));
    void *loaded = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (!loaded) return fail(NO_PYTHON, "init: %s", dlerror());
#define LOOK_UP(result, name, parameters)                                                          \
    *(void **)&python.name = dlsym(loaded, #name);                                                 \
    if (!python.name) return fail(NO_PYTHON, "init: %s: expected " #name ", found none", path);
    EACH_FUNCTION(LOOK_UP)
    return OK;
}

/* Start Python isolated, in UTF-8, from its folder; leave it asleep (the lock is free). */
static int32_t start_python(const char *home) {
    static char program[PATH_MAX + 16];
    PyPreConfig before;
    PyConfig config;
    python.PyPreConfig_InitIsolatedConfig(&before);
    before.utf8_mode = 1;
    PyStatus status = python.Py_PreInitialize(&before);
    if (!python.PyStatus_Exception(status)) {
        snprintf(program, sizeof program, "%s/python", home); /* no such file; keeps PATH out */
        wchar_t *wide_home = python.Py_DecodeLocale(home, NULL);
        wchar_t *wide_program = python.Py_DecodeLocale(program, NULL);
        if (!wide_home || !wide_program) return fail(NO_PYTHON, "init: not a path: %s", home);
        python.Py_SetPythonHome(wide_home); /* copied at start, kept by us: never freed */
        python.Py_SetProgramName(wide_program);
        python.PyConfig_InitIsolatedConfig(&config);
        status = python.Py_InitializeFromConfig(&config);
        python.PyConfig_Clear(&config);
    }
    if (python.PyStatus_Exception(status))
        return fail(NO_PYTHON, "init: Python in %s did not start: %s", home,
                    status.message ? status.message : "no reason given");
    python.PyEval_SaveThread();
    snprintf(python_home, sizeof python_home, "%s", home);
    return OK;
}

static PyObject *as_text(const char *text) {
    return python.PyUnicode_DecodeUTF8(text, (ssize_t)strlen(text), "surrogateescape");
}

/* Import the script through the bridge, which answers with a callable for each function. */
static int32_t open_script(const Library *library) {
    int32_t code = OK;
    int lock = python.PyGILState_Ensure();
    if (!bridge) bridge = python.PyImport_ImportModule("goishi_bridge");
    PyObject *open = bridge ? python.PyObject_GetAttrString(bridge, "open_script") : NULL;
    PyObject *arguments = open ? python.PyTuple_New(3) : NULL;
    const char *texts[] = {python_home, text_of(library, library->module),
                           text_of(library, library->signatures)};
    for (ssize_t i = 0; arguments && i < 3; i++)
        python.PyTuple_SetItem(arguments, i, as_text(texts[i]));
    entries = arguments ? python.PyObject_CallObject(open, arguments) : NULL;
    if (!entries) code = fail_with_exception(NO_SCRIPT, "init");
    python.Py_DecRef(arguments);
    python.Py_DecRef(open);
    python.PyGILState_Release(lock);
    return code;
}

static int32_t start(const Library *library, const char *wanted) {
    char home[PATH_MAX];
    int32_t code = find_home(library, wanted, home);
    if (code != OK) return code;
    if (*python_home && strcmp(python_home, home) != 0)
        return fail(OTHER_PYTHON, "init: expected Python's folder %s, which runs in this process, "
                    "found %s", python_home, home);
    if (!*python_home) {
        code = load_python(library, home);
        if (code == OK) code = start_python(home);
    }
    return code == OK ? open_script(library) : code;
}

PUBLIC int32_t goishi_shim_init(const Library *library, const char *home) {
    int32_t code = OK;
    *last_error = 0;
    if (depth) return fail(BUSY, "init: expected no call under way in this thread");
    pthread_mutex_lock(&gate);
    const Library *running = atomic_load(&open_library);
    if (memcmp(library->magic, "goishi/1", 8) != 0)
        code = fail(NO_PYTHON, "init: the shim and the library are of different versions");
    else if (running && running != library)
        code = fail(OTHER_PYTHON, "init: expected no other exported script in this process, found "
                    "%s: shut it down first", text_of(running, running->name));
    else if (!running)
        code = start(library, home);
    if (code == OK) atomic_store(&open_library, library);
    pthread_mutex_unlock(&gate);
    return code;
}

/* Let go of the script; Python stays, asleep, because NumPy and its like start only once. */
PUBLIC int32_t goishi_shim_shutdown(const Library *library) {
    *last_error = 0;
    if (depth) return fail(BUSY, "shutdown: expected no call under way in this thread");
    pthread_mutex_lock(&gate);
    if (atomic_load(&open_library) != library) {
        pthread_mutex_unlock(&gate);
        return OK;
    }
    atomic_store(&open_library, NULL);
    while (atomic_load(&calls_running) > 0) usleep(500);
    int32_t code = OK;
    int lock = python.PyGILState_Ensure();
    python.Py_DecRef(entries);
    entries = NULL;
    PyObject *close = python.PyObject_GetAttrString(bridge, "close_script");
    PyObject *done = close ? python.PyObject_CallObject(close, NULL) : NULL;
    if (!done) code = fail_with_exception(SCRIPT_FAILED, "shutdown");
    python.Py_DecRef(done);
    python.Py_DecRef(close);
    python.PyGILState_Release(lock);
    pthread_mutex_unlock(&gate);
    return code;
}

/* -- calling ----------------------------------------------------------------------------------- */

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
