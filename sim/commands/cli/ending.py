"""How commands end: exit codes, one-line errors, and the example under each help text."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from typing import Final, ParamSpec

import typer

from base.errors import GoishiError, UsageError
from sim.commands.preflight import PreflightError

PROGRAM: Final = "python main.py"
SUCCESS: Final = 0
FAILED: Final = 1
WRONG_USAGE: Final = 2
INTERRUPTED: Final = 130

P = ParamSpec("P")


def ends_well(function: Callable[P, int | None]) -> Callable[P, None]:
    """Wrap a command: known errors become one line on stderr, every end an exit code.

    Args:
        function: the command; it returns its exit code, None for success.
    """

    @functools.wraps(function)
    def command(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            code = function(*args, **kwargs)
        except UsageError as error:
            code = complain(error, code=WRONG_USAGE)
        except BrokenPipeError:
            code = _leave_closed_pipe()
        except (GoishiError, PreflightError, OSError) as error:
            code = complain(error, code=FAILED)
        except KeyboardInterrupt:
            code = INTERRUPTED
        raise typer.Exit(code or SUCCESS)

    return command


def complain(error: Exception, *, code: int) -> int:
    """Write `error` as one line on stderr and return `code`."""
    text = " ".join(str(error).split()) or type(error).__name__
    sys.stderr.write(f"goishi: {text}\n")
    return code


def say(text: str) -> None:
    """Write one line of a command's answer on stdout."""
    sys.stdout.write(f"{text}\n")


def example(*commands: str) -> str:
    """Return the "Example" paragraph that closes a help text, one line a command."""
    return "\b\nExample:\n" + "\n".join(f"  {PROGRAM} {command}" for command in commands)


def _leave_closed_pipe() -> int:
    """Whoever read our output is gone (`| head`): keep Python from complaining at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return SUCCESS
