"""Worker processes of an app; their messages are dispatched once a frame on the main thread."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from queue import Empty
from typing import TYPE_CHECKING, Final

from base.closed import close
from base.values import JsonObject
from sim.core.workers.link import Mailbox, WorkerLink

if TYPE_CHECKING:
    from base.worker.loaded import LoadedWorkers
    from sim.core.reporting.console import Console

SETTLE_SECONDS: Final = 0.05
MEASURE_SECONDS: Final = 1.0
"""Interval in which the memory of the workers is measured, seconds."""


class Links:
    """All worker processes of the app."""

    mailbox: Mailbox
    is_eager: bool
    on_message: Callable[[], object] | None

    def __init__(self, console: Console) -> None:
        self.mailbox = Mailbox(console)
        self.is_eager = False
        self.on_message = None
        self._is_wanted: Callable[[], bool] | None = None
        self._measured = 0.0
        self._links: list[WorkerLink] = []
        self._ended: list[WorkerLink] = []  # whose threads may not have ended yet

    def listen(
        self,
        on_message: Callable[[], object],
        is_wanted: Callable[[], bool] | None = None,
        uncounted: Callable[[], AbstractContextManager[None]] = nullcontext,
        on_answer: Callable[[str, int, float], object] | None = None,
        on_given_up: Callable[[], bool] | None = None,
    ) -> None:
        """Set the callbacks for messages of workers.

        Args:
            on_message: called without arguments after messages were dispatched.
            is_wanted: returns whether anyone waits for an answer; None if it is not known.
            uncounted: returns a context for waiting until a worker ends; that time does not count
                towards the time limit of scripts.
            on_answer: called before an answer is dispatched, with the worker's name, its process id
                and the time of the request (`time.perf_counter`).
            on_given_up: called when a worker that the run needs cannot be started again; returns
                whether the run ends because of it. None if no run can end.
        """
        self.on_message = on_message
        self.mailbox.uncounted = uncounted
        self.mailbox.on_answer = on_answer
        self.mailbox.on_given_up = on_given_up
        self._is_wanted = is_wanted

    def begin_loaded(self, loaded: LoadedWorkers | None) -> None:
        """Let workers that it fits begin with their modules loaded; None for new interpreters."""
        self.mailbox.loaded = loaded

    @property
    def restarts(self) -> int:
        """Number of worker restarts so far."""
        return self.mailbox.restarts

    @property
    def is_busy(self) -> bool:
        """Whether a request is unanswered."""
        return any(link.is_busy for link in self._links)

    @property
    def is_awaited(self) -> bool:
        """Whether a request is unanswered and someone waits for its answer."""
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
        is_optional: bool = False,
    ) -> WorkerLink:
        """Start a worker process and return the link to it.

        Args:
            name: name of the worker in the console.
            target: `module:function`, called in the process as `function(pipe, settings)`.
            settings: plain values; `environment` holds environment variables that are set before
                anything is imported.
            on_restart: called with the link after a restart, before requests are sent again.
            owner: slot of the component that uses the worker; the worker ends with it.
            revives: whether to restart the worker and repeat its requests when it dies.
            keeps_nothing: whether it has no state, so that it can be killed at any time; closing
                does not wait for it.
            is_optional: whether the run goes on without it. When another worker has died too often,
                a headless run ends.
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
            is_optional=is_optional,
        )
        self._links.append(link)
        return link

    def arrivals(self, budget: float = 0.0) -> Iterator[None]:
        """Dispatch the messages that have arrived, and yield after each.

        Args:
            budget: seconds to wait for further messages, in total. If it is above 0, the iteration
                also ends when no request is unanswered.

        Yields:
            None, so that the caller can run what waited for the message.
        """
        begun = time.perf_counter()
        if begun - self._measured > MEASURE_SECONDS:
            self._measured = begun
            for link in self._links:
                link.measure()
        deadline = begun + budget
        while self._deliver_next(deadline):
            yield
            if budget > 0 and not self.is_busy:
                return

    def _deliver_next(self, deadline: float) -> bool:
        """Dispatch the next message that arrives before `deadline`; return whether there was one.

        Args:
            deadline: time of `time.perf_counter`; if it has passed, don't wait.
        """
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
            if budget > 0 and self.on_message is not None:
                self.on_message()

    @property
    def opened(self) -> tuple[WorkerLink, ...]:
        """Links of all open workers."""
        return tuple(self._links)

    def given_up(self, owner: object = None) -> list[WorkerLink]:
        """Return the workers that were given up because they died too often.

        Args:
            owner: slot of a component, to return only its workers; None for all.
        """
        found = [link for link in self._links if link.failure and link.revives]
        return [link for link in found if owner is None or link.owner is owner]

    def restart_given_up(self) -> None:
        """Start all workers again that were given up."""
        for link in self.given_up():
            link.restart()

    def settle(self, longest: float) -> None:
        """Dispatch messages until every request is answered, for at most `longest` seconds."""
        deadline = time.perf_counter() + longest
        self.pump()
        while self.is_busy and time.perf_counter() < deadline:
            self.pump(SETTLE_SECONDS)
        if self.on_message is not None:
            self.on_message()

    def end(self, link: WorkerLink) -> None:
        """Terminate a worker at once and forget it."""
        if link in self._links:
            self._links.remove(link)
        link.end()
        link.refuse()
        self._ended = [*(item for item in self._ended if item.is_running), link]

    def close_owned(self, owner: object) -> None:
        """Close the workers that belong to `owner`, a component's slot."""
        for link in [link for link in self._links if link.owner is owner]:
            self._links.remove(link)
            link.close()
            link.refuse()

    def close(self) -> None:
        """Close all workers and wait for their end."""
        for link in self._links:
            link.say_goodbye()
        for link in self._links:
            link.close()
        for link in self._ended:
            link.join()
        self._links.clear()
        self._ended.clear()


close(Links)
