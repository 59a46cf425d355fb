/* Goishi's shim: starts Python inside any process and calls the functions of an exported script.
 *
 * It is compiled once for each platform (see build.py) and serves every export: what differs
 * stands in the small library that `export` writes, whose description (description.py) it reads.
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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__) && defined(__GLIBC__) /* one binary for every glibc from 2.14 on */
__asm__(".symver dlopen, dlopen@GLIBC_2.2.5");
__asm__(".symver dlsym, dlsym@GLIBC_2.2.5");
__asm__(".symver dlerror, dlerror@GLIBC_2.2.5");
__asm__(".symver dladdr, dladdr@GLIBC_2.2.5");
#endif

#include "shim.h"

Python python;
PyObject *entries;
_Atomic(const Library *) open_library;
atomic_int calls_running;
_Thread_local int depth;
_Thread_local char last_error[4096];

/* -- the last error of each thread ------------------------------------------------------------- */

int32_t fail(int32_t code, const char *format, ...) {
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

/* -- one session: the library that is open, and its functions ---------------------------------- */

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER; /* around start and shutdown */
static char python_home[PATH_MAX];                       /* of the Python that runs, else empty */
static PyObject *bridge;                                 /* the module goishi_bridge */

int32_t fail_with_exception(int32_t code, const char *where) {
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
