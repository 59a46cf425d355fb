"""What every worker process does alike: settle in, answer requests, leave at the end.

Imports nothing heavy: the environment must be set before numpy is loaded.
"""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import threading
import traceback
from collections.abc import Callable, Mapping
from typing import Final, Protocol, TypeAlias, TypedDict

log = logging.getLogger(__name__)

SINGLE_THREAD: Final = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
}
"""Environment of a worker that computes on one core."""

DEFAULT_NICE: Final = 5

Report: TypeAlias = Callable[[object], None]
"""Sends a payload that is not the last one of its request."""


class WorkerRequestError(RuntimeError):
    """A worker was asked for something it does not do, or not yet."""


class WorkerSettings(TypedDict, total=False):
    """What a worker's process may be told at its start; each reads what concerns it."""

    environment: Mapping[str, str]
    """Added to one thread for everything."""
    nice: int
    """Added to the priority; 5 where the worker has no other default."""
    jit: bool | None
    """For players and the hall: True for compiled kernels, which are compiled first where the cache
    has none, False for the twin, None or absent for compiled ones where the cache has them."""
    threads: int
    """For the trainer and the hall: how many TensorFlow may use (1)."""
    share: float
    """For the trainer: part of the time in which it computes, above 0 to 1 (1.0)."""
    project: str | None
    """A project's folder, whose players may sit down and learn, too."""


class Pipe(Protocol):
    """The worker's end of a connection."""

    def recv(self) -> tuple[int, bool, object]:
        """Wait for the next `(request_id, final, payload)`; EOFError at the end."""

    def send(self, message: object, /) -> None:
        """Send a message."""


def settle(settings: WorkerSettings) -> None:
    """Set the environment and priority, and leave Ctrl+C to the parent."""
    os.environ.update({**SINGLE_THREAD, **settings.get("environment", {})})
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "nice"):
        with contextlib.suppress(OSError):
            os.nice(max(0, int(settings.get("nice", DEFAULT_NICE)) - os.nice(0)))


def serve(connection: Pipe, handle: Callable[[object, Report], object]) -> None:
    """Answer requests until the other end closes.

    Each message is `(request_id, final, payload)`. A request that fails is answered
    with `("error", type, text, traceback)`; the loop goes on. Request id 0
    wants no answer, but errors are reported all the same.

    Args:
        connection: the pipe to the parent.
        handle: called with the payload and a way to report progress; returns the answer.
    """
    with contextlib.suppress(EOFError, ConnectionError, BrokenPipeError):
        while True:
            answer_next(connection, handle)


def answer_next(connection: Pipe, handle: Callable[[object, Report], object]) -> None:
    """Wait for one request and answer it, as `serve` does.

    Raises:
        EOFError: the other end closed.
        ConnectionError: the other end is gone.
    """
    request_id = 0
    try:
        request_id, _, payload = connection.recv()
        answer = handle(payload, _reporter(connection, request_id))
        if request_id:
            connection.send((request_id, True, answer))
    except (EOFError, ConnectionError):
        raise
    except Exception as error:
        log.debug("request %s failed", request_id, exc_info=True)
        connection.send((request_id, True, describe_error(error)))


def describe_error(error: BaseException) -> tuple[str, str, str, str]:
    """Return an error as the payload that stands for it on the pipe.

    Its text ends with the line of the project's scripts that it came through, where it did.
    """
    from ai.registry.modules import place_of

    said, place = str(error), place_of(error)
    if place and place not in said:
        said = f"{said} ({place})"
    return ("error", type(error).__name__, said, "".join(traceback.format_exception(error)))


def _reporter(connection: Pipe, request_id: int) -> Report:
    """Return a function that sends progress of one request."""

    def report(payload: object) -> None:
        if request_id:
            connection.send((request_id, False, payload))

    return report


__all__ = [
    "DEFAULT_NICE",
    "SINGLE_THREAD",
    "Pipe",
    "Report",
    "WorkerRequestError",
    "WorkerSettings",
    "answer_next",
    "describe_error",
    "serve",
    "settle",
]
