"""The engine's named errors: each says what was expected, what was found, and where."""

from __future__ import annotations

import errno
import os


class GoishiError(Exception):
    """Root of every error that the engine raises on purpose."""


class SceneFileError(GoishiError, ValueError):
    """A scene or prefab file is invalid.

    Args:
        file: the file, as the user named it.
        object_id: id of the object or component concerned; empty for the file itself.
        key: dotted key of the invalid value; empty for the whole object or file.
        expected: description of the valid values.
        found: the value in the file.
    """

    def __init__(
        self, file: str, object_id: str = "", key: str = "", *, expected: str, found: str
    ) -> None:
        self.file = file
        self.object_id = object_id
        self.key = key
        self.expected = expected
        self.found = found
        super().__init__(f"{file}:{object_id}:{key}: expected {expected}, found {found}")


class FieldError(GoishiError, ValueError):
    """A value does not fit a script's field or an agent's space."""

    def __init__(self, field: str, *, expected: str, found: str) -> None:
        self.field = field
        self.expected = expected
        self.found = found
        super().__init__(f"{field}: expected {expected}, found {found}")


class ScriptLoadError(GoishiError, ImportError):
    """A script's module or class cannot be imported; `file` and `line` say where, when known.

    It is an ImportError, so a script that can do without another script can catch it.
    """

    def __init__(self, message: str, *, file: str = "", line: int = 0) -> None:
        self.file = file
        self.line = line
        super().__init__(message)


class MakerError(GoishiError, ValueError):
    """A function of a project that makes a model or a sound failed, or returned something else.

    Args:
        text: what failed.
        file: file of the function, relative to the project; empty if unknown.
        line: line in the file; 0 if unknown.
        details: traceback through the project's code; empty for none.
    """

    def __init__(self, text: str, *, file: str = "", line: int = 0, details: str = "") -> None:
        self.text = text
        self.file = file
        self.line = line
        self.details = details
        super().__init__(f"{text} ({file}:{line})" if file else text)


class ScriptTimeout(BaseException):
    """Raised inside a script by the watchdog when a call took longer than allowed."""


class LimitError(GoishiError, ValueError):
    """Something is larger than a setting allows; the message names the setting."""


class SaveError(GoishiError):
    """A saved game cannot be written, read or deleted; see `sim.core.project.saves.Saves`."""


class EditError(GoishiError, ValueError):
    """An edit is impossible; nothing was changed."""


class WorkerError(GoishiError):
    """A worker could not answer: the request failed, or its process ended too often.

    `file` and `line` name the place in code that is not Goishi's own, if known. `worker_traceback`
    is the worker's traceback as text. `package` names a package that is not installed. `reason` is
    the message without the names of the worker and of the exception's class.
    """

    def __init__(
        self,
        message: str,
        *,
        file: str = "",
        line: int = 0,
        worker_traceback: str = "",
        package: str = "",
        reason: str = "",
    ) -> None:
        self.reason = reason or message
        self.file = file
        self.line = line
        self.worker_traceback = worker_traceback
        self.package = package
        super().__init__(message)


class GoneError(GoishiError, LookupError):
    """An object or component is not in the scene, or no longer."""


class WorldError(GoishiError):
    """A script failed in a scene that a program steps as an environment; reset it to continue.

    `place` is the script's file and line, if known. The script's exception is the cause.
    """

    def __init__(self, message: str, *, place: str = "") -> None:
        self.place = place
        super().__init__(message)


class ResetNeededError(GoishiError):
    """An environment was stepped while no episode is running; call `reset` first."""


class WorkerLostError(GoishiError):
    """A process that steps scenes has ended unexpectedly."""


class UsageError(GoishiError, ValueError):
    """A command line or a call has an invalid argument; the command line exits with code 2."""

    exit_code = 2


class TrustError(UsageError):
    """A project's code would have to run, but the user has not allowed it."""


def is_closed_pipe(error: Exception) -> bool:
    """Return whether an error says that the reader of an output is gone.

    Windows' C library calls that an invalid argument, too.
    """
    if isinstance(error, BrokenPipeError):
        return True
    if os.name != "nt" or not isinstance(error, OSError):
        return False
    return error.errno == errno.EINVAL and error.filename is None
