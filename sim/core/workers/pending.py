"""A request to a worker whose answer is pending."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from base.errors import WorkerError
from sim.core.tasks.waits import Wait

if TYPE_CHECKING:
    from sim.core.workers.link import WorkerLink

OnMessage = Callable[[Any], object]  # takes what worker and owner agree on


class Pending(Wait):
    """The pending answer to one request. Await it."""

    is_answer = True

    def __init__(self, link: WorkerLink, request_id: int, payload: object, *, retry: bool) -> None:
        self.link = link
        self.request_id = request_id
        self.payload = payload
        self.retry = retry
        self.done = False
        self.answer: Any = None
        self.error: WorkerError | None = None
        self.on_progress: OnMessage | None = None
        self.on_done: Callable[[], object] | None = None

    def ready(self, now: float, instant: bool) -> bool:
        """Return whether the answer has arrived."""
        return self.done

    def result(self) -> Any:
        """Return the answer.

        Raises:
            WorkerError: the worker failed on the request, or died too often.
        """
        if self.error is not None:
            raise self.error
        return self.answer

    def finish(self, answer: object = None, error: WorkerError | None = None) -> None:
        """Set the answer, or the error instead."""
        self.answer, self.error, self.done = answer, error, True
        if self.on_done is not None:
            self.on_done()

    def cancel(self) -> None:
        """Ignore the answer when it arrives."""
        self.link.forget(self)
