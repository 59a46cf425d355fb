"""The workers of an app: their messages are dispatched once a frame on the main thread."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from queue import Empty
from typing import TYPE_CHECKING, Final

from base.values import JsonObject
from sim.core.workers.link import Mailbox, WorkerLink

if TYPE_CHECKING:
    from sim.core.reporting.console import Console

SETTLE_SECONDS: Final = 0.05


class Links:
    """All workers of the app."""

    def __init__(self, console: Console) -> None:
        self.mailbox = Mailbox(console)
        self.is_eager = False
        self.on_message: Callable[[], object] | None = None
        self._is_wanted: Callable[[], bool] | None = None
        self._links: list[WorkerLink] = []
        self._ended: list[WorkerLink] = []  # whose threads may not have ended yet

    def listen(
        self,
        on_message: Callable[[], object],
        is_wanted: Callable[[], bool] | None = None,
        uncounted: Callable[[], AbstractContextManager[None]] = nullcontext,
        on_answer: Callable[[str, int, float], object] | None = None,
    ) -> None:
        """Call a function whenever messages were dispatched.

        Args:
            on_message: the function.
            is_wanted: tells whether anybody waits for an answer.
            uncounted: context for waits for a worker's end, whose time no script is charged for.
            on_answer: called with the worker's name, its process and when it was asked
                (`time.perf_counter`), before an answer is given out.
        """
        self.on_message = on_message
        self.mailbox.uncounted = uncounted
        self.mailbox.on_answer = on_answer
        self._is_wanted = is_wanted

    @property
    def restarts(self) -> int:
        """Workers replaced so far."""
        return self.mailbox.restarts

    @property
    def is_busy(self) -> bool:
        """Whether a request is unanswered."""
        return any(link.is_busy for link in self._links)

    @property
    def is_awaited(self) -> bool:
        """Whether an answer is outstanding that somebody waits for."""
        return self.is_busy and (self._is_wanted is None or self._is_wanted())

    def open(
        self,
        name: str,
        target: str,
        settings: JsonObject | None = None,
        *,
        on_restart: Callable[[WorkerLink], object] | None = None,
        owner: object = None,
        revives: bool = True,
        keeps_nothing: bool = False,
    ) -> WorkerLink:
        """Start a worker.

        Args:
            name: its name in the console.
            target: `module:function`, called in the process as `function(pipe, settings)`.
            settings: plain values; `environment` is set before anything is imported.
            on_restart: called after the process was replaced, before requests are sent again.
            owner: the component's slot; the worker ends with it.
            revives: restart it, and repeat its requests, when it dies.
            keeps_nothing: it has no state, so it may be killed at any time; closing does not wait
            for it.
        """
        link = WorkerLink(
            self.mailbox,
            name,
            target,
            dict(settings or {}),
            on_restart,
            owner,
            revives=revives,
            keeps_nothing=keeps_nothing,
        )
        self._links.append(link)
        return link

    def arrivals(self, budget: float = 0.0) -> Iterator[None]:
        """Dispatch the messages that have arrived; wait for more up to `budget` seconds.

        Yields:
            Nothing, after each message, where there is a budget: what awaited it may go on. It
            ends when nothing is left to be answered.
        """
        deadline = time.perf_counter() + budget
        while self._deliver_next(deadline):
            if budget > 0:
                yield
                if not self.is_busy:
                    return

    def _deliver_next(self, deadline: float) -> bool:
        """Dispatch the next message that comes before `deadline`; return whether one came."""
        left = deadline - time.perf_counter()
        arrived = self.mailbox.arrived
        if left <= 0 and arrived.empty():  # in nearly every frame
            return False
        try:
            message = self.mailbox.arrived.get(left > 0, max(left, 0.0))
        except Empty:
            return False
        link, generation, request_id, is_final, payload = message
        link.deliver(generation, request_id, is_final, payload)
        return True

    def pump(self, budget: float = 0.0) -> None:
        """Dispatch messages as `arrivals` does, and continue the tasks that awaited them."""
        for _ in self.arrivals(budget):
            if self.on_message is not None:
                self.on_message()

    @property
    def opened(self) -> tuple[WorkerLink, ...]:
        """All open workers."""
        return tuple(self._links)

    def settle(self, longest: float) -> None:
        """Dispatch messages until no request is unanswered, at most `longest` seconds."""
        deadline = time.perf_counter() + longest
        self.pump()
        while self.is_busy and time.perf_counter() < deadline:
            self.pump(SETTLE_SECONDS)
        if self.on_message is not None:
            self.on_message()

    def end(self, link: WorkerLink) -> None:
        """Terminate a worker at once."""
        if link in self._links:
            self._links.remove(link)
        link.end()
        self._ended = [*(item for item in self._ended if item.is_running), link]

    def close_owned(self, owner: object) -> None:
        """End the workers of one component."""
        for link in [link for link in self._links if link.owner is owner]:
            self._links.remove(link)
            link.close()

    def close(self) -> None:
        """End all workers."""
        for link in self._links:
            link.say_goodbye()
        for link in self._links:
            link.close()
        for link in self._ended:
            link.join()
        self._links.clear()
        self._ended.clear()
