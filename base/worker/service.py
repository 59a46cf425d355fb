"""The loop in which a worker answers requests until its pipe is closed."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable
from typing import TypeAlias, TypeVar

from base.worker.failure import failure_of
from base.worker.process import Pipe

log = logging.getLogger(__name__)

Report: TypeAlias = Callable[[object], None]
"""Type of the function with which a worker reports progress before it answers a request."""


R = TypeVar("R")


class WorkerRequestError(RuntimeError):
    """A request is not one that the worker knows, or the worker cannot answer it now."""


def serve(connection: Pipe, handle: Callable[[R, Report], object]) -> None:
    """Answer requests until the parent closes the pipe.

    A message is (id of the request, whether it is the last with that id, content). If a request
    fails, the answer is a `Failure`, and the next request is served. A request with id 0 gets no
    answer unless it fails.

    Args:
        connection: the pipe to the parent.
        handle: called with the content of a request and a function that reports progress; returns
            the answer.
    """
    with contextlib.suppress(EOFError, ConnectionError):
        while True:
            answer_next(connection, handle)


def answer_next(connection: Pipe, handle: Callable[[R, Report], object]) -> None:
    """Wait for one request and answer it, as `serve` does.

    Args:
        connection: the pipe to the parent.
        handle: called with the content of the request and a function that reports progress; returns
            the answer.

    Raises:
        EOFError: the parent closed the pipe.
        ConnectionError: the parent has ended.
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
