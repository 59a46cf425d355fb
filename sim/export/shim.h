/* What the two halves of Goishi's shim share: shim_start.c and shim_call.c. */
#ifndef GOISHI_SHIM_H
#define GOISHI_SHIM_H

#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>
#include <wchar.h>

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

static inline const char *text_of(const Library *library, uint32_t offset) {
    return (const char *)library + offset;
}
static inline const Function *function_of(const Library *library, uint32_t index) {
    return (const Function *)(const void *)((const char *)library + library->functions) + index;
}
static inline const Value *values_of(const Library *library, const Function *function) {
    return (const Value *)(const void *)((const char *)library + function->values);
}

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
typedef struct { EACH_FUNCTION(AS_MEMBER) } Python;

/* -- state of the process and of each thread --------------------------------------------------- */

extern Python python;                                  /* filled in by the first init */
extern PyObject *entries;                              /* tuple: a callable for each function */
extern _Atomic(const Library *) open_library;          /* the one whose functions may be called */
extern atomic_int calls_running;                       /* in all threads */
extern _Thread_local int depth;                        /* calls of this thread under way */
extern _Thread_local char last_error[4096];            /* UTF-8, empty when all went well */

/* Put a text into last_error and return the code. */
int32_t fail(int32_t code, const char *format, ...);
/* Put Python's pending exception into last_error, in the bridge's words if it has any. */
int32_t fail_with_exception(int32_t code, const char *where);

#endif
