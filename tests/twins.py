"""Calls that Windows lacks or does otherwise, and have no twin for Windows in the same place.

`python -m tests.twins` prints them. A twin is in the same place where the function, its class, or
the branch of the module around it asks for the system: `sys.platform`, `os.name`, `hasattr(os, …)`.
A folder such as `/proc` may be read where an OSError is caught, since it is not there on Windows.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.architecture import CHECKED, nodes_of

ROOT: Final = Path(__file__).resolve().parents[1]


def names(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


MODULES: Final = names(
    "fcntl resource pwd grp pty termios tty syslog curses readline crypt spwd posix"
)
OS: Final = names(
    "chown chroot ctermid fchmod fchown fork forkpty getegid geteuid getgid getgroups getloadavg "
    "getpgid getpgrp getsid getuid killpg lchown memfd_create mkfifo mknod nice openpty pipe2 "
    "posix_fallocate posix_spawn pread pwrite readv register_at_fork sched_getaffinity "
    "sched_setaffinity sched_setscheduler sched_yield sendfile set_blocking setpgid setsid setuid "
    "statvfs sysconf tcgetpgrp ttyname uname wait wait3 wait4 waitid waitpid "
    "O_CLOEXEC O_DIRECTORY O_NOFOLLOW O_NONBLOCK O_NOCTTY POSIX_SPAWN_DUP2 POSIX_SPAWN_OPEN "
    "SCHED_IDLE SCHED_BATCH WNOHANG"
)
"""What `os` does not have on Windows."""
OTHERWISE: Final = {
    "kill": "ends the process whatever the signal, and 0 is Ctrl+C",
    "rename": "fails where the new name is taken: base.files.rename",
    "replace": "fails while a program has the file open: base.files.rename",
    "execv": "gives the terminal back at once",
    "execve": "gives the terminal back at once",
    "execvp": "gives the terminal back at once",
    "link": "is not for every file system",
    "symlink": "needs a right that users lack",
}
"""What `os` does otherwise on Windows."""
SIGNALS: Final = names(
    "SIGALRM SIGCHLD SIGCONT SIGHUP SIGKILL SIGPIPE SIGQUIT SIGSTOP SIGTSTP SIGTTIN SIGTTOU SIGURG "
    "SIGUSR1 SIGUSR2 SIGVTALRM SIGWINCH ITIMER_REAL alarm pause pthread_kill pthread_sigmask "
    "setitimer sigwait"
)
OTHERS: Final = {
    "os": OS,
    "signal": SIGNALS,
    "select": frozenset({"poll", "epoll", "kqueue"}),
    "socket": frozenset({"AF_UNIX"}),
    "time": frozenset({"clock_gettime", "tzset"}),
}
SHELL: Final = frozenset({"quote", "join", "split"})
KEYWORDS: Final = frozenset({"preexec_fn", "pass_fds", "start_new_session"})
FOLDERS: Final = re.compile(r"/(tmp|proc|dev|etc|usr|var|bin|home|opt|run|sys)(/|$)")
ASKS: Final = re.compile(
    r"sys\.platform|os\.name\b|platform\.system\(|(has|get)attr\((os|signal|select|time|socket), "
    r"|AttributeError|if SIGNAL\b"
)
"""How code asks which system it runs on."""
MISSES: Final = re.compile(r"\b(OSError|FileNotFoundError)\b|\.is_dir\(\)|\.exists\(\)")
STRFTIME: Final = re.compile(r"%-[A-Za-z]")
HOMES: Final = {
    "base/files.py": "the one place that renames",
    "base/command_line.py": "the one place that splits and joins command lines",
}
NOT_RUN: Final = {
    "ai/protocol/hosting/guard.py": "process.py starts it on POSIX alone, and ends families itself",
    "sim/core/hangs/hang_monitor.py": "hang_client.py starts it where there is SIGUSR2",
    "sim/render/window/file_drop.py": "X11's; it does nothing elsewhere",
}
"""Modules that do not run on Windows, and why."""
ALLOWED: Final = {
    "sim/core/editing/external_editor.py start_new_session": "no signal of a terminal comes there",
    "base/shared_memory.py /dev/shm": "is_dir() is asked where it is used",
    "sim/core/hangs/watchdog.py /proc/self/task/": "who reads it takes that it is not there",
    "sim/core/host/display_guard.py /tmp/.X11-unix/X": "X11's, of a function for Linux",
    "sim/core/host/display_guard.py AF_UNIX": "X11's, of a function for Linux",
    "ai/arena/game.py SIGALRM": "its caller asks for setitimer, and has a thread in its place",
    "ai/arena/game.py setitimer": "its caller asks for it",
    "ai/arena/game.py ITIMER_REAL": "its caller asks for setitimer",
}
"""Uses whose twin is elsewhere, and where."""


@dataclass(frozen=True)
class Finding:
    """A call without its twin."""

    path: str
    line: int
    what: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.what}"


def findings(root: Path) -> list[Finding]:
    """Return what has no twin below a folder with Goishi's packages."""
    found: list[Finding] = []
    for name in CHECKED:
        paths = [root / f"{name}.py"] if name == "main" else sorted((root / name).rglob("*.py"))
        for path in paths:
            if path.is_file():
                place = path.relative_to(root).as_posix()
                if any(any(uses(node, place)) for node in nodes_of(path)):  # seldom: then at length
                    found += of_source(path.read_text(encoding="utf-8"), place)
    return found


def of_source(text: str, place: str) -> list[Finding]:
    """Return what has no twin in a module.

    Args:
        text: its source.
        place: its path, relative to the folder of the packages.
    """
    if place in NOT_RUN:
        return []
    tree, lines = ast.parse(text), text.splitlines()
    documents = {id(node) for node in docstrings(tree)}
    found = []
    for node, around in walk(tree, ()):
        if id(node) in documents:
            continue
        for name, what, twin in uses(node, place):
            if f"{place} {name}" not in ALLOWED and not any(
                twin.search(source(item, lines)) for item in around
            ):
                found.append(Finding(place, getattr(node, "lineno", 0), what))
    return found


def docstrings(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the constants that are no values, but texts for readers."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield node.value


def walk(
    node: ast.AST, around: tuple[ast.AST, ...]
) -> Iterator[tuple[ast.AST, tuple[ast.AST, ...]]]:
    """Yield each node with the functions, classes and branches around it."""
    for child in ast.iter_child_nodes(node):
        is_place = isinstance(child, ast.FunctionDef | ast.ClassDef | ast.If)
        inner = (*around, child) if is_place else around
        yield child, inner
        yield from walk(child, inner)


def source(node: ast.AST, lines: list[str]) -> str:
    """Return the text of a node without comments and docstrings at its lines' ends."""
    first, last = getattr(node, "lineno", 1), getattr(node, "end_lineno", 1)
    return "\n".join(line.partition("  #")[0] for line in lines[first - 1 : last])


def uses(node: ast.AST, place: str) -> Iterable[tuple[str, str, re.Pattern[str]]]:
    """Yield (name, what is wrong, what a twin looks like) of a node."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        whole = [item.name for item in node.names] if isinstance(node, ast.Import) else []
        for name in (*whole, getattr(node, "module", None) or ""):
            if name in MODULES:
                yield name, f"imports {name}, which Windows lacks", ASKS
    elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        owner, name = node.value.id, node.attr
        if name in OTHERS.get(owner, ()):
            yield name, f"{owner}.{name}, which Windows lacks", ASKS
        elif owner == "os" and name in OTHERWISE and place not in HOMES:
            yield name, f"os.{name}, which on Windows {OTHERWISE[name]}", ASKS
        elif owner == "shlex" and name in SHELL and place not in HOMES:
            yield name, f"shlex.{name}, for POSIX shells: base.command_line", ASKS
    elif isinstance(node, ast.Call):
        yield from of_call(node)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        if FOLDERS.match(node.value):
            yield node.value, f"{node.value!r}, a folder of POSIX", either(ASKS, MISSES)
    elif isinstance(node, ast.BinOp | ast.JoinedStr) and is_joined_by_slash(node):
        yield "/", "a path joined with '/' as text: Path, or as_posix()", ASKS


def either(*patterns: re.Pattern[str]) -> re.Pattern[str]:
    """Return a pattern that finds what any of the given ones finds."""
    return re.compile("|".join(pattern.pattern for pattern in patterns))


def of_call(node: ast.Call) -> Iterator[tuple[str, str, re.Pattern[str]]]:
    """Yield what is wrong with a call."""
    name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    given = {word.arg: word.value for word in node.keywords if word.arg}
    for word in KEYWORDS & given.keys():
        yield word, f"{word}=, which Windows lacks", ASKS
    is_text = isinstance(given.get("text"), ast.Constant) and ast.unparse(given["text"]) == "True"
    if is_text and not given.keys() & {"encoding", "errors"}:
        yield "text", "text=True in the encoding of the system: encoding=, or errors=", ASKS
    texts = [item.value for item in node.args if isinstance(item, ast.Constant)]
    if name == "strftime" and any(STRFTIME.search(str(text)) for text in texts):
        yield "strftime", "strftime with %-, which Windows lacks", ASKS
    if name in ("rename", "replace") and len(node.args) == 1 and not node.keywords:
        yield name, f"Path.{name}, which fails while a file is open: base.files.rename", ASKS
    if name == "select" and node.args and "fileno" in ast.dump(node.args[0]):
        yield name, "select of a file, which is for sockets alone on Windows", ASKS


def is_joined_by_slash(node: ast.BinOp | ast.JoinedStr) -> bool:
    """Whether text of a path is joined with `/`: `str(path) + "/"`, `f"{path.resolve()}/x"`."""
    parts: list[ast.AST] = []
    if isinstance(node, ast.BinOp):
        if isinstance(node.op, ast.Add):
            parts = [node.left, node.right]
    else:
        parts = [item.value if isinstance(item, ast.FormattedValue) else item
                 for item in node.values]  # fmt: skip
    has_slash = any(
        isinstance(part, ast.Constant) and re.match(r"/|.*/$", str(part.value)) for part in parts
    )
    return has_slash and any(is_native(part) for part in parts)


def is_native(node: ast.AST) -> bool:
    """Whether an expression is the path of a file as the system writes it."""
    if not isinstance(node, ast.Call):
        return isinstance(node, ast.Name) and node.id in ("path", "directory", "root")
    called = node.func
    if isinstance(called, ast.Attribute):
        return called.attr in ("resolve", "absolute", "fspath", "expanduser")
    return (
        isinstance(called, ast.Name) and called.id in ("str", "Path") and "path" in ast.dump(node)
    )


def main() -> int:
    """Print what has no twin; return whether there is anything."""
    found = findings(ROOT)
    for item in found:
        sys.stdout.write(f"{item}\n")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
