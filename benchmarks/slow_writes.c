/* Preloaded into a process: its n-th writing step below a folder is stopped halfway, for ever.

   SLOW_FOLDER  the folder; steps elsewhere are not counted
   SLOW_STEP    which step is stopped, from 1
   SLOW_WHO     "app" or "worker": which of Goishi's processes it is about
   SLOW_MARK    a file that is written when the step is reached: process, step and what it was;
                while it is there, no other process is stopped

   Steps are writes (half of the bytes are written), cuts, syncs, renames and removals, those of
   SQLite and HDF5 included. Whoever set this up sees the mark and kills the process. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static const char *folder, *mark;
static long chosen, steps;

static int is_worker(void)
{
    char words[4096];
    int file = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/cmdline", O_RDONLY);
    long size = file < 0 ? 0 : syscall(SYS_read, file, words, sizeof words - 1);
    if (file >= 0)
        syscall(SYS_close, file);
    for (long i = 0; i < size; i++)
        if (words[i] == 0)
            words[i] = ' ';
    words[size > 0 ? size : 0] = 0;
    return strstr(words, "spawn_main") != NULL;
}

__attribute__((constructor)) static void start(void)
{
    const char *who = getenv("SLOW_WHO"), *step = getenv("SLOW_STEP");
    folder = getenv("SLOW_FOLDER");
    mark = getenv("SLOW_MARK");
    if (folder && mark && who && step && is_worker() == (strcmp(who, "worker") == 0))
        chosen = atol(step);
}

void slow_arm(long step) /* of a process that is not Goishi's own: from now on */
{
    folder = getenv("SLOW_FOLDER");
    mark = getenv("SLOW_MARK");
    steps = 0;
    chosen = step;
}

static int is_below(const char *path)
{
    return path && strncmp(path, folder, strlen(folder)) == 0;
}

static int is_chosen(const char *path)
{
    if (!chosen || !is_below(path) || __atomic_add_fetch(&steps, 1, __ATOMIC_SEQ_CST) != chosen)
        return 0;
    return access(mark, F_OK) != 0;
}

static int is_chosen_file(int file)
{
    char link[64], path[PATH_MAX];
    long size;
    if (!chosen)
        return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    size = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
    if (size <= 0)
        return 0;
    path[size] = 0;
    return is_chosen(path);
}

static void stop(const char *what)
{
    char text[128], temporary[PATH_MAX];
    int size = snprintf(text, sizeof text, "%d %ld %s\n", (int)getpid(), chosen, what);
    snprintf(temporary, sizeof temporary, "%s.new", mark);
    int file = (int)syscall(SYS_openat, AT_FDCWD, temporary, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    syscall(SYS_write, file, text, size);
    syscall(SYS_close, file);
    syscall(SYS_renameat2, AT_FDCWD, temporary, AT_FDCWD, mark, 0);
    for (;;)
        pause();
}

ssize_t write(int file, const void *bytes, size_t count)
{
    if (is_chosen_file(file)) {
        syscall(SYS_write, file, bytes, count / 2);
        stop("write");
    }
    static ssize_t (*real)(int, const void *, size_t);
    if (!real)
        real = dlsym(RTLD_NEXT, "write");
    return real(file, bytes, count);
}

static ssize_t write_at(int file, const void *bytes, size_t count, off64_t at)
{
    if (is_chosen_file(file)) {
        syscall(SYS_pwrite64, file, bytes, count / 2, at);
        stop("pwrite");
    }
    static ssize_t (*real)(int, const void *, size_t, off64_t);
    if (!real)
        real = dlsym(RTLD_NEXT, "pwrite64");
    return real(file, bytes, count, at);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t at)
{
    return write_at(file, bytes, count, at);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t at)
{
    return write_at(file, bytes, count, at);
}

#define FILE_STEP(name, given, passed)                                                            \
    int name given                                                                                \
    {                                                                                             \
        static int(*real) given;                                                                  \
        if (is_chosen_file(file))                                                                 \
            stop(#name);                                                                          \
        if (!real)                                                                                \
            real = dlsym(RTLD_NEXT, #name);                                                       \
        return real passed;                                                                       \
    }

FILE_STEP(fsync, (int file), (file))
FILE_STEP(fdatasync, (int file), (file))
FILE_STEP(ftruncate, (int file, off_t size), (file, size))
FILE_STEP(ftruncate64, (int file, off64_t size), (file, size))

#define PATH_STEP(name, path, given, passed)                                                      \
    int name given                                                                                \
    {                                                                                             \
        static int(*real) given;                                                                  \
        if (is_chosen(path))                                                                      \
            stop(#name);                                                                          \
        if (!real)                                                                                \
            real = dlsym(RTLD_NEXT, #name);                                                       \
        return real passed;                                                                       \
    }

PATH_STEP(rename, old, (const char *old, const char *new), (old, new))
PATH_STEP(unlink, path, (const char *path), (path))
PATH_STEP(rmdir, path, (const char *path), (path))
PATH_STEP(mkdir, path, (const char *path, mode_t mode), (path, mode))

static int is_chosen_at(int directory, const char *path)
{
    if (!path || path[0] == '/')
        return is_chosen(path);
    return is_chosen_file(directory);
}

int unlinkat(int directory, const char *path, int flags)
{
    static int (*real)(int, const char *, int);
    if (is_chosen_at(directory, path))
        stop("unlinkat");
    if (!real)
        real = dlsym(RTLD_NEXT, "unlinkat");
    return real(directory, path, flags);
}
