"""A worker in a process of its own, as the app starts it, and the questions it is asked."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from base.worker.process import run_worker
from base.worker.sender import encode

ANSWER_SECONDS = 120


@contextmanager
def running(main: Callable[..., None], *, is_killed: bool = False, **settings: Any) -> Iterator:
    """Start a worker's main function; gives the pipe to it and the process.

    Args:
        is_killed: the test ends the process by force, so its exit code says nothing.
    """
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    target = f"{main.__module__}:{main.__name__}"
    process = context.Process(target=run_worker, args=(theirs, target, settings), daemon=True)
    process.start()
    theirs.close()
    ours.send = lambda message: ours.send_bytes(encode(message))
    try:
        yield ours, process
    finally:
        ours.close()
        process.join(ANSWER_SECONDS)
    if not is_killed:
        assert process.exitcode == 0, "the worker must leave when the pipe ends"


def ask(connection: Any, payload: object, request_id: int = 1) -> list[Any]:
    """Send a request; return its reports and, last, its answer."""
    connection.send((request_id, True, payload))
    answers = []
    while True:
        assert connection.poll(ANSWER_SECONDS), f"no answer to {payload!r}"
        answered, is_final, answer = connection.recv()
        assert answered == request_id
        answers.append(answer)
        if is_final:
            return answers
