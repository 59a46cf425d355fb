"""Links: message pipes to worker processes.

Replies arrive in a thread, and are given out once a frame on the main thread.

Wire format: tuples `(request id, is final, payload)` both ways; id 0 is unsolicited. A payload
`("error", type, text, traceback)` is a failure. The pipe carries objects of our own processes only.
"""

from __future__ import annotations

import multiprocessing
import os
import queue
import re
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sim.core.errors import WorkerError
from sim.core.link_worker import GOODBYE, StartFailure, run_worker
from sim.core.pending import Pending
from sim.core.run_options import SHIPPED_ROOT

if TYPE_CHECKING:
    from sim.core.console import Console

MOST_RESTARTS = 5
FRAME = re.compile(r'File "([^"]+)", line (\d+)(?:, (in .+))?')
PLACE = re.compile(r" \(([^() ]+:\d+)\)$")
GOISHI = tuple(f"{SHIPPED_ROOT / name}{os.sep}" for name in ("sim", "ai"))  # not a user's
SETTLE_SECONDS = 0.05
DIED = object()


class WorkerLink:
    """One worker process and the requests it has not answered yet."""

    def __init__(
        self,
        links: Links,
        name: str,
        target: str,
        settings: dict[str, Any],
        on_restart: Callable[[WorkerLink], object] | None = None,
        owner: Any = None,
        *,
        revives: bool = True,
    ) -> None:
        self.name = name
        self.target = target
        self.settings = settings
        self.on_restart = on_restart
        self.owner = owner
        self.revives = revives
        self.on_message: Callable[[Any], object] | None = None
        self.restarts = 0
        self.is_closed = False
        self.failure = ""
        self._links = links
        self._pending: dict[int, Pending] = {}
        self._next_id = 1
        self._generation = 0
        self._connection: Any = None
        self._process: Any = None
        self._outbox: list[tuple[int, Any]] = []
        self._lock = threading.Lock()
        self._start()

    @property
    def process_id(self) -> int | None:
        """The worker's process id, None until it runs."""
        return self._process.pid if self._process is not None else None

    def request(self, payload: Any, *, retry: bool = True) -> Pending:
        """Ask the worker; the answer is awaited.

        Args:
            payload: a plain dataclass.
            retry: send it again when the worker dies before it answered.
        """
        pending = Pending(self, self._next_id, payload, retry=retry)
        self._next_id += 1
        if self.failure:
            pending.finish(error=WorkerError(self.failure))
            return pending
        self._pending[pending.request_id] = pending
        self._transmit(pending.request_id, payload)
        return pending

    def send(self, payload: Any) -> None:
        """Tell the worker something that needs no answer."""
        self._transmit(0, payload)

    def forget(self, pending: Pending) -> None:
        """Drop a request."""
        self._pending.pop(pending.request_id, None)

    @property
    def is_busy(self) -> bool:
        """Whether a request is unanswered."""
        return bool(self._pending)

    def restart(self, settings: dict[str, Any] | None = None) -> None:
        """Replace the process on purpose; unanswered requests are sent again."""
        if settings is not None:
            self.settings = settings
        self.failure = ""
        self._end_process()
        self._start()
        self._resend()

    def close(self, timeout: float = 2.0) -> None:
        """End the process; it is killed when it does not go by itself."""
        self.say_goodbye()
        process = self._process
        self._end_process(wait=timeout)
        if process is not None and process.is_alive():
            process.kill()

    def end(self) -> None:
        """End the process at once, whatever it does; returns at once."""
        self.is_closed = True
        self._end_process()

    def say_goodbye(self) -> None:
        """Ask the process to leave; returns at once."""
        if self.is_closed:
            return
        self.is_closed = True
        with self._lock:
            connection = self._connection
        if connection is not None:
            self._send_now(connection, 0, GOODBYE)

    # -- inside -------------------------------------------------------------------------------

    def _start(self) -> None:
        self._generation += 1
        threading.Thread(
            target=self._run, args=(self._generation,), name=f"link-{self.name}", daemon=True
        ).start()

    def _run(self, generation: int) -> None:
        """Start the process, then receive until it ends. In a thread of its own."""
        context = multiprocessing.get_context("spawn")
        here, there = context.Pipe()
        process = context.Process(
            target=run_worker, args=(there, self.target, self.settings), name=self.name, daemon=True
        )
        try:
            process.start()
        except Exception as error:  # whatever the system or the main module has against it
            text = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
            self._links.inbox.put((self, generation, 0, True, StartFailure(text)))
            return
        there.close()
        with self._lock:
            if self._generation != generation or self.is_closed:
                here.close()
                process.terminate()
                return
            self._process = process
            self._connection = here
            waiting, self._outbox = self._outbox, []
        for request_id, payload in waiting:
            self._send_now(here, request_id, payload)
        while True:
            try:
                request_id, is_final, payload = here.recv()
            except (EOFError, OSError, TypeError):  # TypeError: closed while it was read
                break
            self._links.inbox.put((self, generation, request_id, is_final, payload))
        self._links.inbox.put((self, generation, 0, True, DIED))

    def _transmit(self, request_id: int, payload: Any) -> None:
        with self._lock:
            connection = self._connection
            if connection is None:
                self._outbox.append((request_id, payload))
                return
        self._send_now(connection, request_id, payload)

    def _send_now(self, connection: Any, request_id: int, payload: Any) -> None:
        try:
            connection.send((request_id, True, payload))
        except (OSError, ValueError):
            pass  # the receiving thread reports a death
        except Exception as error:  # pickle raises what it likes
            text = f"the request cannot be sent: {type(error).__name__}: {error}"
            failure = ("error", "WorkerError", text, "")
            self._links.inbox.put((self, self._generation, request_id, True, failure))

    def _end_process(self, wait: float = 0.0) -> None:
        with self._lock:
            self._generation += 1
            connection, process = self._connection, self._process
            self._connection = self._process = None
        if connection is not None:
            connection.close()
        if process is not None:
            if wait:
                process.join(wait)
            elif process.is_alive():
                process.terminate()

    def deliver(self, generation: int, request_id: int, is_final: bool, payload: Any) -> None:
        """Take one message on the main thread."""
        if generation != self._generation or self.is_closed:
            return
        if payload is DIED:
            if not self.failure:
                self._died()
            return
        if isinstance(payload, StartFailure):
            self._give_up(f"worker {self.name} cannot be started: {payload}")
            return
        pending = self._pending.get(request_id)
        if pending is None:
            if request_id == 0 and self.on_message is not None:
                self.on_message(payload)
            return
        if not is_final:
            if pending.on_progress is not None:
                pending.on_progress(payload)
            return
        del self._pending[request_id]
        if isinstance(payload, tuple) and payload and payload[0] == "error":
            pending.finish(error=self._failure_of(payload))
        else:
            pending.finish(payload)

    def _failure_of(self, payload: tuple[str, str, str, str]) -> WorkerError:
        """Return a worker's error, with the innermost place that is somebody's own code."""
        _, kind, text, trace = payload
        places = [
            (file, int(line), function)
            for file, line, function in FRAME.findall(trace)
            if not file.startswith(("<", *GOISHI)) and "/lib/python" not in file
        ]
        if not places:
            return WorkerError(f"worker {self.name}: {kind}: {text}")
        details = [f"  {file}:{line} {function}".rstrip() for file, line, function in places]
        file, line, _ = places[-1]
        said = PLACE.search(text)
        if said is not None and f"{file}:{line}".endswith(said[1]):
            text = text[: said.start()]  # the console says it, as a place to click on
        return WorkerError(
            f"worker {self.name}: {kind}: {text}",
            file=file,
            line=line,
            worker_traceback="\n".join([f"in the worker {self.name}:", *details]),
        )

    def _died(self) -> None:
        process = self._process
        code = None
        if process is not None:
            process.join(1.0)
            code = process.exitcode
        with self._lock:
            self._connection = self._process = None
        if not self.revives:
            self._fail(f"{self.name}: its worker ended before it answered (exit code {code})")
            return
        self.restarts += 1
        self._links.restarts += 1
        if self.restarts > MOST_RESTARTS:
            self._give_up(
                f"worker {self.name} ended {self.restarts} times (exit code {code}): given up"
            )
            return
        self._links.console.warning(
            f"worker {self.name} ended (exit code {code}): restarted, its work is asked for again"
        )
        self._start()
        self._resend()

    def _give_up(self, text: str) -> None:
        """Say so once, and let every request fail, those to come included."""
        self._links.console.error(text)
        self._fail(text)

    def _fail(self, text: str) -> None:
        self.failure = text
        unanswered, self._pending = list(self._pending.values()), {}
        for pending in unanswered:
            pending.finish(error=WorkerError(text))

    def _resend(self) -> None:
        with self._lock:
            self._outbox.clear()
        if self.on_restart is not None:
            self.on_restart(self)
        for pending in list(self._pending.values()):
            if any(request_id == pending.request_id for request_id, _ in self._outbox):
                continue  # asked by on_restart itself
            if pending.retry:
                self._transmit(pending.request_id, pending.payload)
            else:
                self.forget(pending)
                text = f"worker {self.name}: ended before it answered"
                pending.finish(error=WorkerError(text))


class Links:
    """All workers of the app."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.inbox: queue.SimpleQueue[tuple[WorkerLink, int, int, bool, Any]] = queue.SimpleQueue()
        self.restarts = 0
        self.is_eager = False
        self.on_message: Callable[[], object] | None = None
        self._links: list[WorkerLink] = []

    def open(
        self,
        name: str,
        target: str,
        settings: dict[str, Any] | None = None,
        *,
        on_restart: Callable[[WorkerLink], object] | None = None,
        owner: Any = None,
        revives: bool = True,
    ) -> WorkerLink:
        """Start a worker.

        Args:
            name: what the console calls it.
            target: `module:function`, called in the process as `function(pipe, settings)`.
            settings: plain values; `environment` is set before anything is imported.
            on_restart: called when the process was replaced, before requests are sent again.
            owner: the component's slot; the worker ends with it.
            revives: start it anew, and ask again, when it dies.
        """
        link = WorkerLink(
            self, name, target, dict(settings or {}), on_restart, owner, revives=revives
        )
        self._links.append(link)
        return link

    def pump(self, budget: float = 0.0) -> int:
        """Give out what has arrived; wait for more until `budget` seconds are over.

        While a script hurries (`is_eager`), coroutines that awaited an answer go on at once.

        Returns:
            How many messages were given out.
        """
        deadline = time.perf_counter() + budget
        count = 0
        while True:
            left = deadline - time.perf_counter()
            try:
                message = self.inbox.get(timeout=left) if left > 0 else self.inbox.get_nowait()
            except queue.Empty:
                break
            link, *rest = message
            link.deliver(*rest)
            count += 1
            if budget > 0 and self.on_message is not None:
                self.on_message()
                if not self.is_eager and not any(item.is_busy for item in self._links):
                    break
        return count

    @property
    def opened(self) -> tuple[WorkerLink, ...]:
        """All workers that are open."""
        return tuple(self._links)

    def settle(self, longest: float) -> None:
        """Give out messages until no request is unanswered, `longest` seconds at most."""
        deadline = time.perf_counter() + longest
        self.pump()
        while any(link.is_busy for link in self._links) and time.perf_counter() < deadline:
            self.pump(SETTLE_SECONDS)
        if self.on_message is not None:
            self.on_message()

    def end(self, link: WorkerLink) -> None:
        """End a worker at once."""
        if link in self._links:
            self._links.remove(link)
        link.end()

    def close_owned(self, owner: Any) -> None:
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
        self._links.clear()
