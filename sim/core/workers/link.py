"""Links: connections over which the app exchanges messages with its worker processes.

A thread receives the replies; they are dispatched once a frame on the main thread. Sending never
waits for a busy worker (`base/worker/sender.py`).

Wire format: tuples `(request id, is final, payload)` in both directions. `wire.py` writes those to
the worker; replies are plain pickles. Id 0 marks a message that answers no request. A `Failure` as
payload describes an error. The connection carries objects of Goishi's own processes only.
"""

from __future__ import annotations

import multiprocessing
import pickle
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from base.errors import WorkerError
from base.interruption import Interruption
from base.values import JsonObject
from base.worker.ending import DeathLimit, how_it_ended, memory_of
from base.worker.failure import NO_PROCESS, Failure, TaskState, clear_text
from base.worker.process import GOODBYE, run_worker
from base.worker.sender import LinkSender, encode
from base.worker.starting import safe_start
from sim.core.reporting.console import ConsoleRecord
from sim.core.tasks.waits import Wait

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

    from base.worker.loaded import LoadedWorkers
    from sim.core.reporting.console import Console


OnMessage = Callable[[Any], object]  # takes what worker and owner agree on


class Answer(Wait):
    """The answer to a request to a worker; await it."""

    def __init__(self, state: TaskState) -> None:
        self.state = state
        self.answer: Any = None
        self.error: WorkerError | None = None

    @property
    def done(self) -> bool:
        """Whether the answer has arrived or failed."""
        return self.state is TaskState.DONE or self.error is not None

    def ready(self, now: float, instant: bool) -> bool:
        """Return whether the answer has arrived or failed; both arguments are ignored."""
        return self.done

    def result(self) -> Any:
        """Return the answer.

        Raises:
            WorkerError: the request failed or was cancelled, or the worker ended too often.
        """
        if self.error is not None:
            raise self.error
        return self.answer

    def finish(self, answer: object = None, error: WorkerError | None = None) -> None:
        """Store the answer, or the error if there is one, and mark it as done."""
        self.answer, self.error = answer, error
        self.state = TaskState.DONE if error is None else TaskState.FAILED


class Pending(Answer):
    """Future answer to one request; `await` it."""

    def __init__(self, link: WorkerLink, request_id: int, payload: object, *, retry: bool) -> None:
        super().__init__(TaskState.RUNNING)
        self.link = link
        self.request_id = request_id
        self.payload = payload
        self.retry = retry
        self.asked = time.perf_counter()
        self.on_progress: OnMessage | None = None
        self.on_done: Callable[[], object] | None = None

    def finish(self, answer: object = None, error: WorkerError | None = None) -> None:
        """Store the answer, or the error if there is one, and call `on_done`."""
        super().finish(answer, error)
        if self.on_done is not None:
            self.on_done()

    def cancel(self) -> None:
        """Cancel the request: its answer is ignored when it arrives."""
        self.link.forget(self)
        if not self.done:
            self.state = TaskState.CANCELLED

    def ready(self, now: float, instant: bool) -> bool:
        """Return whether nobody need wait any longer; both arguments are ignored.

        The answer has arrived or failed, or the request was cancelled.
        """
        return self.done or self.state is TaskState.CANCELLED

    def result(self) -> Any:
        """Return the answer.

        Raises:
            WorkerError: the request failed or was cancelled, or the worker ended too often.
        """
        if self.state is TaskState.CANCELLED:
            raise WorkerError(f"worker {self.link.name}: the request was cancelled")
        return super().result()


REAP_SECONDS = 2.0
SHORTEST_WAIT = 0.1


Message = tuple["WorkerLink", int, int, bool, object]
"""A received message: link, generation, request id, whether it is the final answer, payload.

The generation is the number of the process among those that the link has started.
"""


class Mailbox:
    """State that all links of an app share: the inbox and the callbacks.

    Attributes:
        console: receives warnings and errors.
        arrived: received messages, to be dispatched on the main thread.
        restarts: number of worker restarts so far.
        uncounted: returns a context for waiting until a worker ends; that time does not count
            towards the time limit of scripts.
        on_answer: called before an answer is dispatched, with the worker's name, its process id and
            the time of the request (`time.perf_counter`).
        on_given_up: called without arguments when a worker that the run needs cannot be started
            again; returns whether the run ends because of it.
        loaded: starts workers that have loaded their modules already; None to start each as a new
            interpreter.
    """

    def __init__(self, console: Console) -> None:
        self.console = console
        self.arrived: SimpleQueue[Message] = SimpleQueue()
        self.restarts = 0
        self.uncounted: Callable[[], AbstractContextManager[None]] = nullcontext
        self.on_answer: Callable[[str, int, float], object] | None = None
        self.on_given_up: Callable[[], bool] | None = None
        self.loaded: LoadedWorkers | None = None


class WorkerLink:
    """Connection to one worker process, with its unanswered requests.

    Attributes:
        failure: why the worker was given up; empty while it works. `restart` starts it again.
        restarts: how often its process has died and was started again.
    """

    def __init__(
        self,
        mailbox: Mailbox,
        name: str,
        target: str,
        settings: JsonObject,
        on_restart: Callable[[WorkerLink], object] | None = None,
        owner: object = None,
        *,
        revives: bool = True,
        keeps_nothing: bool = False,
        is_optional: bool = False,
    ) -> None:
        self.name = name
        self.target = target
        self.settings = settings
        self.on_restart = on_restart
        self.owner = owner
        self.revives = revives
        self.keeps_nothing = keeps_nothing
        self.is_optional = is_optional
        self.on_message: OnMessage | None = None
        self.restarts = 0
        self.is_closed = False
        self.failure = ""
        self._mailbox = mailbox
        self._pending: dict[int, Pending] = {}
        self._next_id = 1
        self._generation = 0
        self._sender = LinkSender(name)
        self._process: BaseProcess | None = None
        self._deaths = DeathLimit()
        self._held = 0  # bytes of memory of the process when it was last measured
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._start()

    @property
    def process_id(self) -> int | None:
        """Id of the worker process; None until it runs."""
        return self._process.pid if self._process is not None else None

    def request(self, payload: object, *, retry: bool = True) -> Pending:
        """Send a request without blocking; await the returned `Pending` for the answer.

        Args:
            payload: a plain dataclass; serialised at once.
            retry: whether to send it again if the worker dies before it has answered.
        """
        pending = Pending(self, self._next_id, payload, retry=retry)
        self._next_id += 1
        if self.failure:
            pending.finish(error=WorkerError(self.failure))
            return pending
        self._pending[pending.request_id] = pending
        self._transmit(pending.request_id, payload)
        return pending

    def send(self, payload: object) -> None:
        """Send a message that has no answer."""
        self._transmit(0, payload)

    def forget(self, pending: Pending) -> None:
        """Drop a request; its answer will be ignored."""
        self._pending.pop(pending.request_id, None)

    @property
    def is_running(self) -> bool:
        """Whether the process or a thread of the link still exists."""
        return any(thread.is_alive() for thread in self._threads)

    @property
    def is_busy(self) -> bool:
        """Whether a request is unanswered."""
        return bool(self._pending)

    def restart(self, settings: JsonObject | None = None) -> None:
        """Restart the process and send unanswered requests again.

        Args:
            settings: new settings of the worker; None to keep them.
        """
        if settings is not None:
            self.settings = settings
        self.failure = ""
        self._deaths.clear()
        self._end_process()
        self._start()
        self._resend()

    def measure(self) -> None:
        """Measure the memory that the process holds, to tell it if the process is killed."""
        self._held = memory_of(self.process_id) or self._held

    def close(self, timeout: float = 2.0) -> None:
        """End the process after it has read its messages; kill it after `timeout` seconds.

        A worker that has no state (`keeps_nothing`) is ended at once.
        """
        with self._mailbox.uncounted():
            deadline = time.monotonic() + timeout
            self.say_goodbye()
            process = self._process
            if not self.keeps_nothing:
                self._sender.flush(timeout)
            self._end_process(at_once=self.keeps_nothing)
            self.join(max(SHORTEST_WAIT, deadline - time.monotonic()))
            if process is not None and self.is_running:
                process.kill()
                self.join(timeout)

    def refuse(self) -> None:
        """Fail all unanswered requests, since the worker has ended with its owner."""
        self._fail(f"{self._title}: it ended with the component that used it")

    def join(self, timeout: float = 2.0) -> None:
        """Wait until the link's threads have ended, at most `timeout` seconds."""
        deadline = time.monotonic() + timeout
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))

    def end(self) -> None:
        """Terminate the process without waiting for its end."""
        self.is_closed = True
        self._end_process()

    def say_goodbye(self) -> None:
        """Ask the process to exit, without waiting for it."""
        if self.is_closed:
            return
        self.is_closed = True
        self._transmit(0, GOODBYE)

    # -- inside -------------------------------------------------------------------------------

    @property
    def _title(self) -> str:
        """Name in messages: "worker NAME", or only the name if the worker is never restarted."""
        return f"worker {self.name}" if self.revives else self.name

    def _start(self) -> None:
        self._held = 0
        with self._lock:
            self._generation += 1
            self._sender = sender = LinkSender(f"link-{self.name}-out")
        thread = threading.Thread(
            target=self._run, args=(self._generation, sender), name=f"link-{self.name}", daemon=True
        )
        self._threads = [*(item for item in self._threads if item.is_alive()), thread]
        thread.start()

    def _run(self, generation: int, sender: LinkSender) -> None:
        """Start the process and receive its messages until it ends; runs in the link's thread.

        Args:
            generation: number of this process among those that the link has started. If a newer one
                was requested, this process is ended.
            sender: sends messages to the process.
        """
        try:
            here, there = multiprocessing.get_context("spawn").Pipe()
            process = self._start_process(there)
        except Exception as error:  # whatever the system or the main module has against it
            sender.close()
            failure = Failure(_in_one_line(error), stage="start")
            self._mailbox.arrived.put((self, generation, 0, True, failure))
            return
        there.close()
        with self._lock:
            is_wanted = self._generation == generation and not self.is_closed
            if is_wanted:
                self._process = process
        try:
            if is_wanted:
                sender.connect(here)
        except RuntimeError as error:  # the system starts no more threads
            process.kill()
            is_wanted = False
            failure = Failure(_in_one_line(error), stage="start")
            self._mailbox.arrived.put((self, generation, 0, True, failure))
        if is_wanted:
            self._receive(here, generation)
        else:
            process.terminate()
        sender.close()
        here.close()  # only where it is read: its number may be another file's at once
        code = _reap(process)
        exited = Failure("" if code is None else str(code), stage="exit")
        self._mailbox.arrived.put((self, generation, 0, True, exited))

    def _start_process(self, there: Connection) -> BaseProcess:
        """Start the worker's process, as a copy of a loaded one if that is possible.

        Args:
            there: the worker's end of the pipe.
        """
        loaded = self._mailbox.loaded
        process = loaded and loaded.process_of(there, self.target, self.settings, self.name)
        if process:
            return process
        arguments = (there, self.target, self.settings)
        name = str(self.name)  # a plain text: the new process reads it before it knows our modules
        new = multiprocessing.get_context("spawn").Process(
            target=run_worker, args=arguments, name=name, daemon=True
        )
        with safe_start():
            new.start()
        return new

    def _receive(self, here: Connection, generation: int) -> None:
        """Put received messages into the inbox until the connection ends.

        Args:
            here: the app's end of the connection.
            generation: number of the process among those that the link has started.
        """
        while True:
            try:
                content = here.recv_bytes()
            except (EOFError, OSError, TypeError):
                break
            try:
                request_id, is_final, payload = pickle.loads(content)
            except Exception as error:  # what it is made of may be unknown here
                request_id, is_final = 0, True
                payload = Failure(_in_one_line(error), stage="reading")
            self._mailbox.arrived.put((self, generation, request_id, is_final, payload))

    def _transmit(self, request_id: int, payload: object) -> None:
        try:
            content = encode((request_id, True, payload))
        except Exception as error:  # pickle raises what it likes
            text = f"the request cannot be sent: {type(error).__name__}: {error}"
            if request_id == 0:
                self._mailbox.console.error(f"{self._title}: {text}")
                return
            failure = Failure(text, "WorkerError")
            self._mailbox.arrived.put((self, self._generation, request_id, True, failure))
            return
        self._sender.send(content)

    def _end_process(self, *, at_once: bool = True) -> None:
        """End the process: close its connection and, if `at_once`, terminate it.

        The link's thread then waits for its end.
        """
        with self._lock:
            self._generation += 1
            sender, process = self._sender, self._process
            self._process = None
        sender.hang_up()
        if process is not None and at_once:
            process.terminate()

    def deliver(self, generation: int, request_id: int, is_final: bool, payload: object) -> None:
        """Handle one received message, on the main thread.

        Args:
            generation: number of the process that sent it; messages of former processes are
                ignored.
            request_id: id of the request that it answers; 0 for none.
            is_final: False for a progress report.
            payload: the content; a `Failure` if something went wrong.
        """
        if generation != self._generation or self.is_closed:
            return
        stage = payload.stage if isinstance(payload, Failure) else "request"
        if not isinstance(payload, Failure) or stage == "request":
            self._give_out(request_id, is_final, payload)
        elif stage == "start":
            self._give_up(f"{self._title} cannot be started: {payload.text}")
        elif stage == "reading":
            self._fail_oldest(f"its answer cannot be read: {payload.text}")
        elif not self.failure:
            self._died(int(payload.text) if payload.text else None)

    def _give_out(self, request_id: int, is_final: bool, payload: object) -> None:
        pending = self._pending.get(request_id)
        if pending is None:
            if request_id == 0 and self.on_message is not None:
                self._call_owner("on_message", self.on_message, payload)
            elif request_id == 0 and isinstance(payload, Failure):
                self._fail_oldest(f"it cannot read what it was sent: {payload.text}")
            return
        if not is_final:
            if pending.on_progress is not None:
                self._call_owner("on_progress", pending.on_progress, payload)
            return
        del self._pending[request_id]
        if self._mailbox.on_answer is not None:
            self._mailbox.on_answer(self.name, self.process_id or 0, pending.asked)
        if isinstance(payload, Failure):
            pending.finish(error=payload.as_error(self._title))
        else:
            pending.finish(payload)

    def _call_owner(self, name: str, callback: OnMessage, argument: object) -> None:
        """Call a callback of the link's owner.

        If the owner is a component, the time is limited and an error quarantines it.

        Args:
            name: name of the callback, for the error message.
            callback: what is called.
            argument: its only argument.
        """
        host = getattr(self.owner, "host", None)
        if host is None:
            callback(argument)
            return
        try:
            with host.watchdog.watching():
                callback(argument)
        except Interruption:
            raise
        except BaseException as error:
            host.fail(self.owner, name, error)

    def _fail_oldest(self, reason: str) -> None:
        """Fail the oldest unanswered request, since workers answer in order.

        If there is none, write an error to the console.

        Args:
            reason: what went wrong, for the error message.
        """
        text = f"{self._title}: {reason}"
        for request_id, pending in self._pending.items():
            del self._pending[request_id]
            pending.finish(error=WorkerError(text))
            return
        self._mailbox.console.error(text)

    def _died(self, code: int | None) -> None:
        """Start the process again after its death, unless it has died too often.

        Args:
            code: its exit code; the negative number of the signal that ended it; None if unknown.
        """
        self._process = None
        end = how_it_ended(code, self._held)
        if not self.revives:
            self._fail(f"{self.name}: its worker {end} before it answered")
            return
        self.restarts += 1
        self._mailbox.restarts += 1
        if self._deaths.is_exceeded(next(iter(self._pending), None)):
            self._give_up(f"{self._title} {end}, {self._deaths.count} times in a row: given up")
            return
        is_whole = all(pending.retry for pending in self._pending.values())
        kept = "nothing is lost" if is_whole else "what was asked of it failed"
        self._mailbox.console.warning(f"The {self.name} process {end}, and was restarted; {kept}")
        self._start()
        self._resend()

    def _give_up(self, text: str) -> None:
        """Write an error to the console and fail all unanswered and all later requests.

        Args:
            text: the error message.
        """
        ends_run = self._mailbox.on_given_up
        if not self.is_optional and ends_run is not None and ends_run():
            self._mailbox.console.error(f"{text}; the run ends")
        else:
            slot_id = getattr(self.owner, "id", "")
            self._mailbox.console.add(ConsoleRecord("error", text, slot_id=slot_id))
        self._fail(text)

    def _fail(self, text: str) -> None:
        self.failure = text
        unanswered, self._pending = list(self._pending.values()), {}
        for pending in unanswered:
            pending.finish(error=WorkerError(text))

    def _resend(self) -> None:
        known = set(self._pending)
        if self.on_restart is not None:
            self._call_owner("on_restart", self.on_restart, self)
        for pending in list(self._pending.values()):
            if pending.request_id not in known:
                continue  # asked by on_restart itself
            if pending.retry:
                self._transmit(pending.request_id, pending.payload)
            else:
                self.forget(pending)
                text = f"{self._title}: ended before it answered"
                pending.finish(error=WorkerError(text))


def _in_one_line(error: Exception) -> str:
    text = clear_text(" ".join(str(error).split()))
    if isinstance(error, BlockingIOError):
        text = NO_PROCESS
    return f"{type(error).__name__}: {text[:200]}"


def _reap(process: BaseProcess) -> int | None:
    """Wait until a process has ended, kill it if it does not end soon; return its exit code.

    Only the link's thread may call it, since a process can be waited for only once.
    """
    process.join(REAP_SECONDS)
    if process.exitcode is None:
        process.kill()
        process.join(REAP_SECONDS)
    return process.exitcode
