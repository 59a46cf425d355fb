"""Entry point of worker processes; it imports little, so that they start fast."""

from __future__ import annotations

import contextlib
import os
import pickle
import struct
import sys
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, Final, Protocol

from base.internal_modules import import_internal
from base.interruption import ignore_terminal
from base.values import JsonObject
from base.worker.chatter import hide_chatter
from base.worker.failure import Failure
from base.worker.starting import started_safely

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

GOODBYE = ("goodbye",)
NICEST: Final = 19
"""Niceness of the lowest priority on POSIX systems."""
COUNT: Final = struct.Struct("!I")
"""Format of the first field of a message: the number of the message's parts.

It is followed by the size of each part, then by the parts themselves.
"""


class Pipe(Protocol):
    """The worker's end of a connection."""

    def recv(self) -> tuple[int, bool, Any]:
        """Wait for the next message.

        Returns:
            (id of the request, whether this is the last message with that id, content).

        Raises:
            EOFError: the connection was closed.
        """

    def send(self, message: object, /) -> None:
        """Send a message."""


class WorkerPipe:
    """The worker's end of the pipe to its parent process.

    Reading raises EOFError after the parent has ended or has sent its last message, the goodbye.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def recv(self) -> Any:
        """Wait for the next message.

        Returns:
            (id of the request, whether this is the last message with that id, content).

        Raises:
            EOFError: the parent has sent its goodbye, or has ended, perhaps in the middle of a
                message.
        """
        try:
            content = self._connection.recv_bytes()
        except OSError:  # the parent has hung up amid a message, or has gone
            raise EOFError from None
        message = decode(content)
        if isinstance(message[2], tuple) and message[2] == GOODBYE:
            raise EOFError
        return message

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)


def decode(content: bytes) -> Any:
    """Return the message that `sender.encode` turned into bytes.

    Args:
        content: the bytes. Arrays of the message are copied, so they can be written to.
    """
    (count,) = COUNT.unpack_from(content)
    sizes = struct.unpack_from(f"!{count}Q", content, COUNT.size)
    ends = list(accumulate(sizes, initial=COUNT.size + 8 * count))
    view = memoryview(content)
    head, *buffers = (view[begin:end] for begin, end in pairwise(ends))
    return pickle.loads(head, buffers=[bytearray(buffer) for buffer in buffers])


def be_nice(level: int) -> None:
    """Lower the priority of this process, so that others run first.

    At level 19 on Linux, the process also gets the idle scheduling policy. Any other thread that
    wakes then gets the processor core at once. With niceness alone, this process would keep the
    core for some milliseconds. On Windows it gets the priority "below normal", or "idle".

    Args:
        level: niceness that the process gets at least, 0 to 19.
    """
    if sys.platform == "win32":
        from base import windows

        if level > 0:
            windows.lower_priority(is_idle=level >= NICEST)
        return
    if hasattr(os, "nice"):
        with contextlib.suppress(OSError):
            os.nice(max(0, level - os.nice(0)))
    if level >= NICEST and hasattr(os, "SCHED_IDLE"):
        with contextlib.suppress(OSError):  # the policy is per thread
            for thread in os.listdir("/proc/self/task"):
                os.sched_setscheduler(int(thread), os.SCHED_IDLE, os.sched_param(0))


def run_worker(connection: Connection, target: str, settings: JsonObject) -> None:
    """Run a worker: call its main function with the pipe and the settings.

    The worker ignores Ctrl+C and other signals of a terminal, which the parent handles. Environment
    variables are set before the function's module is imported.

    Args:
        connection: the pipe to the parent.
        target: the main function as `module:function`; its package may define `ENVIRONMENT`, a dict
            of variables.
        settings: passed to the function; "environment" holds variables with priority over the
            package's.
    """
    ignore_terminal()
    started_safely()
    environment = settings.get("environment", {})
    os.environ.update(environment)
    module_name, _, function_name = target.partition(":")
    try:
        package = import_internal(module_name.rpartition(".")[0] or module_name)
        os.environ.update({**getattr(package, "ENVIRONMENT", {}), **environment})
        hide_chatter()
        function = getattr(import_internal(module_name), function_name)
    except Exception as error:  # whatever the module's top does
        hint = ""
        if module_name.partition(".")[0] == "scripts" and isinstance(error, ModuleNotFoundError):
            hint = "; a project's scripts run in workers as @job functions"
        text = f"expected {target} to be importable, found {type(error).__name__}: {error}{hint}"
        connection.send((0, True, Failure(text, stage="start")))
        return
    try:
        function(WorkerPipe(connection), settings)
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return  # the parent has gone
