"""Entry point of the command line: from `sys.argv` to an exit code."""

from __future__ import annotations

import atexit
import contextlib
import faulthandler
import io
import os
import signal
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Final

from base.interruption import be_plain_in_forks
from base.worker.chatter import hide_chatter
from sim.commands.preflight import PreflightError, require_packages

if TYPE_CHECKING:
    from sim.core.hangs.exit_watch import ExitWatch

DEFAULT_COMMAND: Final = "run"
FAILED: Final = 1
GRACE_SECONDS: Final = 0.5
INTERRUPTED: Final = 130
ONE_THREAD: Final = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_LISTING: Final = frozenset({"players", "games"})
"""Commands that only print a list; they run without the compiled kernels, to start faster."""
_COMPUTING: Final = frozenset({"experiment", "grid"})
_OF_THE_WHOLE: Final = frozenset({"--help", "-h", "--version", "--project"})


def main(arguments: Sequence[str]) -> int:
    """Run a command and return its exit code.

    The code is 0 for success, 1 for failure, 2 for wrong usage, 130 if interrupted. Installed
    packages are imported only after checking that all of them are present.

    Args:
        arguments: words of the command line, without the program's name.
    """
    started = process_start()
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)  # imports may swallow a KeyboardInterrupt
    open_streams()
    if not _has_folder():
        return FAILED
    try:
        require_packages()
    except PreflightError as error:
        sys.stderr.write(f"goishi: {error}\n")
        return FAILED
    if sys.stderr is sys.__stderr__ and sys.stderr is not None:
        faulthandler.enable()  # a crash in a library's machine code says where Python was
    hide_chatter()
    words = with_default_command(arguments)
    if words[0] in _COMPUTING:  # one core per cell; NumPy reads it when loaded
        os.environ.update(dict.fromkeys(ONE_THREAD, "1"))
    if words[0] in _LISTING:
        os.environ["NUMBA_DISABLE_JIT"] = "1"  # read when kernels are imported
    from sim.core.hangs.exit_watch import ExitWatch

    atexit.register(_print_last_errors)
    be_plain_in_forks()
    exit_watch = ExitWatch()
    try:
        code = _run(words, started, exit_watch)
        exit_watch.begin(code)
        end_threads(code)
        return code
    except KeyboardInterrupt:
        return INTERRUPTED


def _run(words: Sequence[str], started: float, exit_watch: ExitWatch) -> int:
    """Run a command and return its exit code; a plain `run` without parsing the words.

    Args:
        words: the words of the command line, the command first.
        started: `time.perf_counter()` at the start of the process.
        exit_watch: is told how long the process may take to end.
    """
    if words[0] == DEFAULT_COMMAND:
        from sim.commands.run import run_plainly

        code = run_plainly(words[1:], started=started, exit_watch=exit_watch)
        if code is not None:
            return code
    from sim.commands.cli.application import run_application

    return run_application(words, started=started, exit_watch=exit_watch)


def _print_last_errors() -> None:
    """Print errors in finalizers of scripts as one line each, since no console is left."""
    background = sys.modules.get("sim.core.reporting.background")
    if background is not None:
        sys.unraisablehook = background.print_in_one_line


def _leave(number: int, frame: FrameType | None) -> None:
    """Handle Ctrl+C before the command begins: end at once, since nothing has to be closed yet.

    Args:
        number: number of the signal.
        frame: stack frame that was interrupted.
    """
    os._exit(INTERRUPTED)


def open_streams() -> None:
    """Replace a closed stdout or stderr by one that discards its output.

    On Windows a pipe or a file gets text in the alphabet of the country. What that lacks becomes
    `?` here and in child processes; otherwise `print` in a script would raise an error.
    """
    if os.name == "nt" and isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
        os.environ.setdefault("PYTHONIOENCODING", ":replace")
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115


def _has_folder() -> bool:
    """Return whether the current folder exists; print one line if not."""
    try:
        os.getcwd()
    except OSError as error:
        sys.stderr.write(
            f"goishi: the current folder: expected one that exists, found: {error.strerror}; "
            "change to another\n"
        )
        return False
    return True


def end_threads(code: int) -> None:
    """End the process at once if threads of scripts still run after a short wait.

    Python would wait for such threads forever. Their names are printed as a warning.

    Args:
        code: exit code of the process.
    """
    left = [
        thread
        for thread in threading.enumerate()
        if thread is not threading.main_thread() and not thread.daemon and thread.is_alive()
    ]
    for thread in left:
        thread.join(timeout=GRACE_SECONDS / len(left))
    names = ", ".join(thread.name for thread in left if thread.is_alive())
    if names:
        with contextlib.suppress(OSError, ValueError, AttributeError):
            sys.stderr.write(f"WARNING threads that a script left running are ended: {names}\n")
            sys.stdout.flush()
            sys.stderr.flush()
        atexit._run_exitfuncs()
        os._exit(code)


def process_start() -> float:
    """Return when this process started, on the scale of `time.perf_counter()`.

    If the system does not provide it, return the present time.
    """
    now = time.perf_counter()
    try:
        fields = Path("/proc/self/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        age = time.clock_gettime(time.CLOCK_BOOTTIME) - int(fields[19]) / os.sysconf("SC_CLK_TCK")
    except (OSError, AttributeError, ValueError, IndexError):
        return now
    return now - max(age, 0.0)


def with_default_command(arguments: Sequence[str]) -> list[str]:
    """Put "run" before the arguments if they do not begin with a command or a global option.

    Args:
        arguments: words of the command line, without the program's name.

    >>> with_default_command(["--games", "3"])
    ['run', '--games', '3']
    >>> with_default_command(["players"])
    ['players']
    >>> with_default_command(["--project", "four", "tournament"])
    ['--project', 'four', 'tournament']
    """
    words = list(arguments)
    first = words[0].partition("=")[0] if words else ""
    if not words or (first.startswith("-") and first not in _OF_THE_WHOLE):
        return [DEFAULT_COMMAND, *words]
    return words
