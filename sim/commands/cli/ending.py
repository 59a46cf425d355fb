"""How commands end: exit codes, one-line errors, and the example under each help text."""

from __future__ import annotations

import contextlib
import functools
import os
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, ParamSpec

from base.errors import GoishiError, UsageError, is_closed_pipe
from base.interruption import interrupt, take_ending_signals
from base.program import PROGRAM
from base.worker.failure import NO_PROCESS, NO_THREAD, clear_text
from sim.commands.preflight import PreflightError
from sim.core.reporting.failure_text import shortened

SUCCESS: Final = 0
FAILED: Final = 1
WRONG_USAGE: Final = 2
INTERRUPTED: Final = 130
FOLDERS: Final = ("out", "data_dir", "project", "package")
"""Parameters of commands that name a file or folder for the whole time of the command."""

P = ParamSpec("P")


def report_errors(function: Callable[P, int | None]) -> Callable[P, None]:
    """Decorator of commands: prints known errors as one line on stderr and ends with an exit code.

    Args:
        function: the command; returns its exit code, None for success.
    """
    import typer  # a plain `run` does without it

    ended = ending_code(function)

    @functools.wraps(function)
    def command(*args: P.args, **kwargs: P.kwargs) -> None:
        raise typer.Exit(ended(*args, **kwargs))

    return command


def ending_code(function: Callable[P, int | None]) -> Callable[P, int]:
    """Return a command that prints known errors as one line on stderr, and returns its exit code.

    Args:
        function: the command; returns its exit code, None for success.
    """

    @functools.wraps(function)
    def command(*args: P.args, **kwargs: P.kwargs) -> int:
        before = _be_interruptible()
        try:
            for name in FOLDERS:
                if isinstance(path := kwargs.get(name), Path):
                    kwargs[name] = path.absolute()  # the code of a project may change the folder
            code = function(*args, **kwargs)
            if not sys.stdout.closed:  # as a script may have closed it
                sys.stdout.flush()
        except UsageError as error:
            code = print_error(error, code=WRONG_USAGE)
        except KeyboardInterrupt:
            code = INTERRUPTED
        except Exception as error:
            code = _leave_closed_pipe() if is_closed_pipe(error) else _failed(error)
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
        return code or SUCCESS

    return command


def _failed(error: Exception) -> int:
    """Print a known error as one line, and return the exit code; raise any other one."""
    if _was_interrupted(error):
        return INTERRUPTED
    code = print_error(_known(error), code=FAILED)
    _drop_unwritten()
    return code


def _was_interrupted(error: BaseException) -> bool:
    """Return whether an error came of a signal that asks for the end, amid a library's code.

    Compilers, for one, raise errors of their own when they are interrupted.
    """
    seen: BaseException | None = error
    while seen is not None and not isinstance(seen, KeyboardInterrupt):
        seen = seen.__context__
    return seen is not None


def _known(error: Exception) -> Exception:
    """Return an error that commands print as one line; raise it if it is none of these.

    Among the errors of the type RuntimeError only that of a thread which cannot be started is.
    """
    if isinstance(error, GoishiError | PreflightError | OSError):
        return error
    if isinstance(error, RuntimeError) and str(error) == NO_THREAD:
        return GoishiError(clear_text(NO_THREAD))
    raise error


def _be_interruptible() -> dict[int, Any]:
    """Make signals that ask for the end raise KeyboardInterrupt instead of ending it at once.

    So the command can close what it has opened, and remove its temporary folders.

    Returns:
        The handlers of the signals before, except that of Ctrl+C.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if is_main and signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, interrupt)
    before = take_ending_signals(interrupt)
    before.pop(signal.SIGINT, None)
    return before


def print_error(error: Exception, *, code: int) -> int:
    """Write an error as one line on stderr, shortened if it is long; return `code`.

    Args:
        error: the exception.
        code: exit code to return.
    """
    said = _system_words(error) if isinstance(error, OSError) else str(error)
    text = shortened(" ".join(said.split()) or type(error).__name__)
    sys.stderr.write(f"goishi: {text}\n")
    return code


def _system_words(error: OSError) -> str:
    """Return what the system refused, without its number, such as "[Errno 28]"."""
    if isinstance(error, GoishiError) or error.strerror is None:
        return str(error)
    if isinstance(error, BlockingIOError) and error.filename is None:
        return NO_PROCESS
    files = " to ".join(str(name) for name in (error.filename, error.filename2) if name is not None)
    where = f"{files}: " if files else ""
    return f"{where}expected the system to allow it, found: {error.strerror}"


def tell(text: str) -> None:
    """Write a line about the command on stderr, shortened if it is long."""
    sys.stderr.write(f"goishi: {shortened(' '.join(text.split()))}\n")


def echo(text: str) -> None:
    """Write one line of a command's answer on stdout; what it cannot show is replaced."""
    try:
        sys.stdout.write(f"{text}\n")
    except UnicodeEncodeError:  # such as of a path that is no UTF-8
        encoding = sys.stdout.encoding or "utf-8"
        plain = text.encode(encoding, "replace").decode(encoding, "replace")
        sys.stdout.write(f"{plain}\n")


def example(*commands: str) -> str:
    """Return the "Example" paragraph that closes a help text, one line a command."""
    return "\b\nExample:\n" + "\n".join(f"  {PROGRAM} {command}" for command in commands)


def _leave_closed_pipe() -> int:
    """Discard further output because its reader is gone (`| head`); return the exit code."""
    _drop_output()
    return SUCCESS


def _drop_unwritten() -> None:
    """Discard unwritten output if stdout cannot be written, such as on a full disk.

    Otherwise Python would print another error at exit.
    """
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        _drop_output()


def _drop_output() -> None:
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
