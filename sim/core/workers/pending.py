"""A request to a worker whose answer is still to come."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from base.errors import WorkerError
from base.worker.state import TaskState
from sim.core.tasks.waits import Answer

if TYPE_CHECKING:
    from sim.core.workers.link import WorkerLink

OnMessage = Callable[[Any], object]  # takes what worker and owner agree on


class Pending(Answer):
    """The answer to one request, still to come. Await it."""

    def __init__(self, link: WorkerLink, request_id: int, payload: object, *, retry: bool) -> None:
        super().__init__(TaskState.RUNNING)
        self.link = link
        self.request_id = request_id
        self.payload = payload
        self.retry = retry
        self.on_progress: OnMessage | None = None
        self.on_done: Callable[[], object] | None = None

    def finish(self, answer: object = None, error: WorkerError | None = None) -> None:
        """Take the answer, or why there is none."""
        super().finish(answer, error)
        if self.on_done is not None:
            self.on_done()

    def cancel(self) -> None:
        """Want the answer no more; it is dropped when it comes."""
        self.link.forget(self)
        if not self.done:
            self.state = TaskState.CANCELLED
            self.error = WorkerError(f"{self.link.name}: the request was cancelled")
