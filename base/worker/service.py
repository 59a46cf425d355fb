"""The loop in which a worker answers requests until its pipe ends."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable
from typing import TypeAlias, TypeVar

from base.worker.failure import failure_of
from base.worker.process import Pipe

log = logging.getLogger(__name__)

Report: TypeAlias = Callable[[object], None]
"""Sends a payload that is not the last one of its request."""


R = TypeVar("R")


class WorkerRequestError(RuntimeError):
    """A worker was asked for something it does not do, or not yet."""


def serve(connection: Pipe, handle: Callable[[R, Report], object]) -> None:
    """Answer requests until the other end closes.

    Each message is `(request_id, final, payload)`. A request that fails is answered with a
    `Failure`; the loop goes on. Request id 0 wants no answer, but failures are reported all the
    same.

    Args:
        connection: the pipe to the parent.
        handle: called with the payload and a way to report progress; returns the answer.
    """
    with contextlib.suppress(EOFError, ConnectionError):
        while True:
            answer_next(connection, handle)


def answer_next(connection: Pipe, handle: Callable[[R, Report], object]) -> None:
    """Wait for one request and answer it, as `serve` does.

    Raises:
        EOFError: the other end closed.
        ConnectionError: the other end is gone.
    """
    request_id = 0

    def report(payload: object) -> None:
        if request_id:
            connection.send((request_id, False, payload))

    try:
        request_id, _, payload = connection.recv()
        answer = handle(payload, report)
        if request_id:
            connection.send((request_id, True, answer))
    except (EOFError, ConnectionError):
        raise
    except BaseException as error:  # also where a script's function wants to end the process
        log.debug("request %s failed", request_id, exc_info=True)
        connection.send((request_id, True, failure_of(error)))
