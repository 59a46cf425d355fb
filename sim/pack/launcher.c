/* The program that a player starts, and the Python inside a packed game: one file, two names.
 *
 *     game/NAME, NAME.exe                starts game/python's Python with game/goishi/main.py
 *     game/python/bin/python3, python/python.exe    is that Python
 *
 * Built by `python -m sim.pack.build` for Linux (x86-64) and Windows (x86-64). It needs no header of
 * Python: what it calls is looked up by name in the library that lies beside it.
 */

#define MOST 4096
#define MOST_WORDS 256

#ifdef _WIN32

#define WIN32_LEAN_AND_MEAN
#include <stdlib.h>
#include <wchar.h>
#include <windows.h>

typedef int (*Main)(int count, wchar_t **words);

static void tell(const wchar_t *text) {
    HANDLE out = GetStdHandle(STD_ERROR_HANDLE);
    DWORD done;
    if (out != NULL && out != INVALID_HANDLE_VALUE) {
        char narrow[2 * MOST];
        int size = WideCharToMultiByte(CP_UTF8, 0, text, -1, narrow, sizeof narrow - 1, NULL, NULL);
        if (size > 0) {
            narrow[size - 1] = '\n';
            if (WriteFile(out, narrow, (DWORD)size, &done, NULL)) return;
        }
    }
    MessageBoxW(NULL, text, L"This game cannot start", MB_OK | MB_ICONERROR);
}

/* Put a path's folder into `folder`; return the file's name. */
static const wchar_t *split(const wchar_t *path, wchar_t *folder) {
    const wchar_t *slash = wcsrchr(path, L'\\');
    size_t length = slash == NULL ? 0 : (size_t)(slash - path);
    wcsncpy(folder, path, length);
    folder[length] = 0;
    return slash == NULL ? path : slash + 1;
}

static int be_python(const wchar_t *folder, int count, wchar_t **words) {
    wchar_t path[MOST];
    WIN32_FIND_DATAW found;
    _snwprintf(path, MOST, L"%ls\\python3??.dll", folder);
    HANDLE search = FindFirstFileW(path, &found);
    if (search == INVALID_HANDLE_VALUE) {
        tell(L"goishi: expected python3NN.dll in the folder python, found none; unpack the game again");
        return 1;
    }
    FindClose(search);
    _snwprintf(path, MOST, L"%ls\\%ls", folder, found.cFileName);
    HMODULE library = LoadLibraryExW(path, NULL, LOAD_WITH_ALTERED_SEARCH_PATH);
    Main start = library == NULL ? NULL : (Main)(void *)GetProcAddress(library, "Py_Main");
    if (start == NULL) {
        tell(L"goishi: the Python of this game cannot be loaded; unpack the game again");
        return 1;
    }
    return start(count, words);
}

/* Append a word to a command line, quoted as Windows' own parser reads it. */
static wchar_t *quoted(wchar_t *end, const wchar_t *word) {
    size_t slashes = 0;
    *end++ = L' ';
    *end++ = L'"';
    for (; *word; word++) {
        if (*word == L'\\') {
            slashes++;
        } else {
            if (*word == L'"')
                for (slashes++; slashes; slashes--) *end++ = L'\\';
            slashes = 0;
        }
        *end++ = *word;
    }
    for (; slashes; slashes--) *end++ = L'\\';
    *end++ = L'"';
    *end = 0;
    return end;
}

static int start_game(const wchar_t *folder, int count, wchar_t **words) {
    wchar_t python[MOST], script[MOST];
    size_t size = 4 * MOST;
    for (int i = 1; i < count; i++) size += 2 * wcslen(words[i]) + 4;
    wchar_t *line = calloc(size, sizeof *line);
    STARTUPINFOW start = {.cb = sizeof start};
    PROCESS_INFORMATION made;
    DWORD code = 1;
    if (line == NULL) return 1;
    _snwprintf(python, MOST, L"%ls\\python\\python.exe", folder);
    _snwprintf(script, MOST, L"%ls\\goishi\\main.py", folder);
    wchar_t *end = quoted(quoted(line, python), script);
    for (int i = 1; i < count; i++) end = quoted(end, words[i]);
    SetEnvironmentVariableW(L"PYTHONHOME", NULL);
    SetEnvironmentVariableW(L"PYTHONPATH", NULL);
    SetEnvironmentVariableW(L"PYTHONSTARTUP", NULL);
    SetEnvironmentVariableW(L"PYTHONNOUSERSITE", L"1");
    SetEnvironmentVariableW(L"PYTHONDONTWRITEBYTECODE", L"1");
    SetEnvironmentVariableW(L"PYTHONUTF8", L"1");
    GetStartupInfoW(&start);
    if (!CreateProcessW(python, line + 1, NULL, NULL, TRUE, 0, NULL, NULL, &start, &made)) {
        tell(L"goishi: expected python\\python.exe beside this file, found none; unpack the whole game");
        return 1;
    }
    WaitForSingleObject(made.hProcess, INFINITE);
    GetExitCodeProcess(made.hProcess, &code);
    return (int)code;
}

int WINAPI wWinMain(HINSTANCE own, HINSTANCE before, LPWSTR text, int shown) {
    wchar_t path[MOST], folder[MOST];
    (void)own, (void)before, (void)text, (void)shown;
    GetModuleFileNameW(NULL, path, MOST);
    const wchar_t *name = split(path, folder);
    if (_wcsicmp(name, L"python.exe") == 0) return be_python(folder, __argc, __wargv);
    return start_game(folder, __argc, __wargv);
}

#else

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int (*Main)(int count, char **words);

static int tell(const char *what, const char *found) {
    fprintf(stderr, "goishi: expected %s, found %s; unpack the whole game again\n", what, found);
    return 1;
}

/* Cut a path's last part off; return it. */
static char *cut(char *path) {
    char *slash = strrchr(path, '/');
    if (slash == NULL) return path;
    *slash = 0;
    return slash + 1;
}

/* Load one library: "?NAME" is the system's where it has one, else that of the folder. */
static void *load(const char *folder, const char *line) {
    char path[2 * MOST];
    if (*line == '?') {
        void *found = dlopen(++line, RTLD_NOW | RTLD_GLOBAL);
        if (found != NULL) return found;
    }
    snprintf(path, sizeof path, "%s/%s", folder, line);
    return dlopen(path, RTLD_NOW | RTLD_GLOBAL);
}

/* `folder` is python/bin; python/lib/libraries.txt names what is loaded first, Python itself last. */
static int be_python(char *folder, int count, char **words) {
    char list[MOST], library[MOST], line[MOST];
    void *last = NULL;
    cut(folder);
    snprintf(library, MOST, "%.4000s/lib", folder);
    snprintf(list, MOST, "%.4000s/libraries.txt", library);
    FILE *file = fopen(list, "r");
    if (file == NULL) return tell("python/lib/libraries.txt", "none");
    while (fgets(line, MOST, file) != NULL) {
        line[strcspn(line, "\r\n")] = 0;
        if (*line) last = load(library, line);
        if (*line && last == NULL) return tell("a library that loads", dlerror());
    }
    fclose(file);
    Main start = last == NULL ? NULL : (Main)dlsym(last, "Py_BytesMain");
    if (start == NULL) return tell("the library of Python", "none");
    return start(count, words);
}

static int start_game(char *folder, int count, char **words) {
    char python[MOST], script[MOST], *all[MOST_WORDS];
    int used = 0;
    snprintf(python, MOST, "%.4000s/python/bin/python3", folder);
    snprintf(script, MOST, "%.4000s/goishi/main.py", folder);
    all[used++] = python;
    all[used++] = script;
    for (int i = 1; i < count && used < MOST_WORDS - 1; i++) all[used++] = words[i];
    all[used] = NULL;
    unsetenv("PYTHONHOME");
    unsetenv("PYTHONPATH");
    unsetenv("PYTHONSTARTUP");
    setenv("PYTHONNOUSERSITE", "1", 1);
    setenv("PYTHONDONTWRITEBYTECODE", "1", 1);
    setenv("PYTHONUTF8", "1", 1);
    execv(python, all);
    return tell("python/bin/python3 beside this file", "none that starts");
}

int main(int count, char **words) {
    static char path[MOST], own[MOST];
    ssize_t size = readlink("/proc/self/exe", path, MOST - 1);
    if (size <= 0 && (count < 1 || realpath(words[0], path) == NULL))
        return tell("a path of this program", "none");
    strcpy(own, path);
    char *name = cut(path);
    if (strncmp(name, "python", 6) != 0 || count < 1) return start_game(path, count, words);
    words[0] = own; /* Python finds its folder by it */
    return be_python(path, count, words);
}

#endif
