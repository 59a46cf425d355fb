"""Server of remote control: threads read requests, and answer those that only read.

What is read is a snapshot of the end of the latest frame (`publisher.py`), so no program waits for
the frame that runs. The main thread answers all other requests between two frames. Single values
that a program reads again and again are mirrored in shared memory (`mirror.py`).

Only programs on this machine can connect (loopback interface), and only with the token that the app
prints. Requests are plain data (`base/wire.py`), none of which is executed.
"""

from __future__ import annotations

import contextlib
import hmac
import math
import queue
import secrets
import socket
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from base import wire
from base.errors import UsageError
from base.worker.calls import GREETING_SECONDS, answer_of
from sim.core.reporting.console import Console
from sim.core.reporting.debugging import HOST
from sim.core.script.panels import StatusBoard
from sim.core.tasks.clock import Clock
from sim.remote.calls import MOST_STEPS, Calls, checked_number
from sim.remote.mirror import Mirror
from sim.remote.publisher import READS, PublishedError, Publisher, mirrored_key
from sim.remote.snapshot import NotPublishedError

STATUS: Final = "remote"
GREETING: Final = 4096
"""Greatest size in bytes of a program's first message, which must hold the token."""
MOST_GREETINGS: Final = 32
"""Greatest number of connections that have not sent the token yet; the oldest are closed."""
PAUSE_SECONDS: Final = 0.2
"""Seconds until the next connection is accepted after the system has refused one."""
LONGEST_ERROR: Final = 2000
"""Greatest number of characters of an error that is sent to a program."""
MEMORY: Final = "memory"
"""Call that asks where the values are that can be read without a message."""
LOOK_SECONDS: Final = 0.5
"""Interval in seconds of checks whether a program still waits for its answer."""
MOST_PROGRAMS: Final = 16
MOMENT: Final = 0.25
"""Seconds after a step during which the app expects another one and draws few pictures."""
SILENT: Final = "expected the token from each connection, found some that did not send it"
WRONG: Final = "expected its token, found a connection with another one"
BUSY_SECONDS: Final = 0.008
"""Seconds for answering requests in a frame that does not sleep."""


@dataclass
class _Request:
    """A call of a remote program that waits for its answer."""

    name: str
    arguments: Mapping[str, object]
    is_kept: bool = False
    """Whether the program wants to read the value in shared memory from now on."""
    answer: queue.SimpleQueue[bytes] = field(default_factory=queue.SimpleQueue)
    is_left: bool = False
    """Whether the program has ended, so that nobody waits for the answer."""


class RemoteControl:
    """Lets programs on this machine control the scene that is open.

    It stays open when another scene follows: `attach` gives it each scene.

    Args:
        port: port of the loopback interface; 0 to use any free port.

    Attributes:
        port: the port that programs connect to.
        token: secret text that a program must send first.

    Raises:
        UsageError: the port is taken.
    """

    def __init__(self, port: int = 0) -> None:
        self.token = secrets.token_urlsafe(18)
        self._scene: _OpenScene | None = None
        self._mirror = Mirror()
        self._refusals: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._requests: queue.SimpleQueue[_Request] = queue.SimpleQueue()
        self._steps_left = 0
        self._stepping: _Request | None = None
        self._opening: _Request | None = None
        self._ends: set[socket.socket] = set()
        self._greetings: dict[socket.socket, None] = {}  # the oldest first
        self._lock = threading.Lock()
        self._stepped = -math.inf  # when, by time.perf_counter
        self._is_closed = False
        self._told = 0
        try:
            self._listener = socket.create_server((HOST, port))
        except OSError as error:
            raise UsageError(f"--remote: expected a free port, found {port}: {error}") from None
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, name="remote control", daemon=True).start()

    def attach(
        self,
        calls: Calls,
        publisher: Publisher,
        clock: Clock,
        status: StatusBoard,
        console: Console,
    ) -> None:
        """Let programs control a scene that has been opened.

        Args:
            calls: the calls that a program may make.
            publisher: makes the snapshots of the scene.
            clock: the scene's clock, which makes the steps that a program asks for.
            status: status bar that shows how many programs are connected.
            console: where connections that were refused are reported.
        """
        self._scene = _OpenScene(calls, publisher, clock, status, console)
        self._told = 0

    def detach(self) -> None:
        """Let go of the scene, which ends; requests wait for the next one."""
        scene, self._scene = self._scene, None
        if scene is not None:
            scene.publisher.forget()
        self._mirror.clear()
        if self._stepping is not None:
            error = UsageError("step: expected a scene that goes on, found that it has ended")
            self._stepping.answer.put(_error(error))
            self._stepping = None

    @property
    def address(self) -> str:
        """Address for `goishi.connect`: host and port."""
        return f"{HOST}:{self.port}"

    @property
    def is_stepping(self) -> bool:
        """Whether a program waits until its fixed steps have run."""
        return self._stepping is not None

    @property
    def has_stepped(self) -> bool:
        """Whether a program waits for fixed steps or did less than `MOMENT` seconds ago."""
        return self.is_stepping or time.perf_counter() - self._stepped < MOMENT

    # -- the main thread ----------------------------------------------------------------------

    def begin_frame(self) -> None:
        """Answer the waiting requests and run one of the fixed steps that a program asked for."""
        scene = self._attached
        self._notify_programs(scene)
        if self._opening is not None:  # this is the scene that a program has opened
            self._opening.answer.put(_ok("open", None, scene.publisher.frame))
            self._opening = None
        self._answer_steps(scene)
        self.serve(0.0, most=BUSY_SECONDS)
        if self._stepping is not None and self._steps_left:
            self._steps_left -= 1
            scene.clock.step()

    def end_frame(self) -> None:
        """Publish a snapshot of the scene, if a program is connected."""
        publisher = self._attached.publisher
        if self._ends:
            publisher.publish()
            is_read_next = self.is_stepping and not self._steps_left
            self._mirror.publish(publisher.frame, publisher.value, at_any_cost=is_read_next)
        else:
            publisher.forget()
            self._mirror.clear()

    def serve(self, seconds: float, *, most: float | None = None) -> None:
        """Answer requests for some time, during which the frame would otherwise sleep.

        It ends at once when a program asks for fixed steps.

        Args:
            seconds: how long to wait for requests.
            most: time limit in seconds for answering requests that wait already; None for
                `seconds`. Requests that are left wait for the next frame.
        """
        scene = self._attached
        begun = time.perf_counter()
        latest = begun + (seconds if most is None else most)
        while self._stepping is None and self._opening is None:
            pause = math.inf
            if self._requests.empty():
                pause = self._mirror.catch_up(scene.publisher.frame, scene.publisher.value)
            left = begun + seconds - time.perf_counter()
            wait = max(0.0, min(left, pause))
            try:
                request = self._requests.get(wait > 0, wait)
            except queue.Empty:
                if pause < left:
                    continue
                break
            self._handle(scene, request)
            if time.perf_counter() >= latest:
                break
        if self._stepping is None and self._ends and scene.publisher.snapshot is None:
            scene.publisher.publish()

    def close(self) -> None:
        """Close the server and all connections; does nothing if it is already closed."""
        with self._lock:
            self._is_closed = True
            ends = [self._listener, *self._ends, *self._greetings]
        for end in ends:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()
        self._mirror.close()

    @property
    def _attached(self) -> _OpenScene:
        if self._scene is None:
            raise LookupError("remote control: expected an open scene, found none")
        return self._scene

    @property
    def _calls(self) -> Calls:
        return self._attached.calls

    def _handle(self, scene: _OpenScene, request: _Request) -> None:
        name, arguments, publisher = request.name, request.arguments, scene.publisher
        if name not in READS:
            publisher.forget()
            self._mirror.withdraw()
        try:
            if name == "step":
                self._begin_steps(scene, request)
                return
            found = scene.calls.table.call(name, named=arguments)
            if name == "open":
                self._opening = request
                return
            if name in READS:
                publisher.want(name, arguments)
            reply = _ok(name, found, publisher.frame, self._row_of(request, found))
        except Exception as error:  # whatever was sent, the app goes on
            reply = _error(error, publisher.frame)
        request.answer.put(reply)

    def _begin_steps(self, scene: _OpenScene, request: _Request) -> None:
        count = checked_number("step", request.arguments.get("count"), MOST_STEPS)
        if scene.clock.is_stopped:
            raise UsageError("step: expected a scene that plays, found it stopped in the studio")
        scene.clock.pause()
        self._stepping, self._steps_left = request, count

    def _answer_steps(self, scene: _OpenScene) -> None:
        """Answer the program that waits for fixed steps, if these have run or cannot continue."""
        request, clock, publisher = self._stepping, scene.clock, scene.publisher
        if request is not None and request.is_left:
            self._steps_left = 0
        if request is None or (self._steps_left and clock.paused and not clock.is_stopped):
            return
        self._stepping = None
        self._stepped = time.perf_counter()
        if publisher.snapshot is not None and publisher.snapshot.frame != publisher.frame:
            publisher.forget()  # the program reads what its steps did
        if self._steps_left:
            found = "stopped" if clock.is_stopped else "resumed"
            error = UsageError(f"step: expected a paused scene, found it {found} from elsewhere")
            request.answer.put(_error(error, publisher.frame))
        else:
            request.answer.put(_ok("step", clock.time, publisher.frame))

    def _notify_programs(self, scene: _OpenScene) -> None:
        for text in {self._refusals.get_nowait() for _ in range(self._refusals.qsize())}:
            scene.console.write("warning", f"remote control: {text}")
        count = len(self._ends)
        if count == self._told:
            return
        self._told = count
        if count:
            programs = "1 program" if count == 1 else f"{count} programs"
            scene.status.set(STATUS, f"Remote control: {programs} connected")
        else:
            scene.status.clear(STATUS)

    # -- threads ------------------------------------------------------------------------------

    def _accept(self) -> None:
        while not self._is_closed:
            try:
                end, _ = self._listener.accept()
                self._greet(end)
            except (OSError, RuntimeError) as error:  # such as too many open files, or threads
                if not self._is_closed:
                    self._refusals.put(f"expected to accept a connection, found {error}")
                    self._close_greetings(0)
                    time.sleep(PAUSE_SECONDS)

    def _greet(self, end: socket.socket) -> None:
        """Start a thread that waits for the token of a new connection.

        Raises:
            RuntimeError: the system starts no more threads.
        """
        with self._lock:
            self._greetings[end] = None
        self._close_greetings(MOST_GREETINGS)
        try:
            threading.Thread(target=self._talk, args=(end,), name="remote", daemon=True).start()
        except RuntimeError:
            with self._lock:
                self._greetings.pop(end, None)
            end.close()
            raise

    def _close_greetings(self, most: int) -> None:
        """Close the oldest connections that have not sent the token, until `most` are left."""
        with self._lock:
            count = max(0, len(self._greetings) - most)
            closed = list(self._greetings)[:count]
            for end in closed:
                del self._greetings[end]
        for end in closed:
            self._refusals.put(SILENT)
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)  # its thread closes it

    def _talk(self, end: socket.socket) -> None:
        """Serve one program: pass its requests to the main thread and send back the answers.

        Args:
            end: the connection to the program.
        """
        try:
            with end, end.makefile("rb") as stream:
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                error = self._refusal_of(end)
                end.settimeout(None)
                if error is not None:
                    end.sendall(_error(error))
                    return
                end.sendall(wire.encode({"ok": None}))
                while True:
                    end.sendall(self._asked(wire.read(stream), end))
        except (OSError, EOFError, ValueError):
            pass  # the program has ended, or speaks another language
        finally:
            with self._lock:
                self._ends.discard(end)
                self._greetings.pop(end, None)

    def _refusal_of(self, end: socket.socket) -> UsageError | None:
        """Read a program's greeting; return None if it may connect, else what it is told.

        Args:
            end: the connection; among those of connected programs if it may connect.

        Raises:
            OSError: there was no greeting within `GREETING_SECONDS`.
            ValueError: the greeting is no message, or too large.
            EOFError: the program has ended.
        """
        greeting = wire.read(_WithDeadline(end, GREETING_SECONDS), GREETING, largest_arrays=0)
        if not self._is_known(greeting):
            self._refusals.put(WRONG)
            return UsageError("connect: expected the token that it prints")
        with self._lock:
            if len(self._ends) < MOST_PROGRAMS:
                self._ends.add(end)
                self._greetings.pop(end, None)
                return None
        text = f"expected at most {MOST_PROGRAMS} programs at a time, found as many connected"
        self._refusals.put(text)
        return UsageError(f"connect: {text}")

    def _is_known(self, greeting: object) -> bool:
        token = greeting.get("token") if isinstance(greeting, dict) else None
        return isinstance(token, str) and hmac.compare_digest(token.encode(), self.token.encode())

    def _asked(self, message: Any, end: socket.socket) -> bytes:
        """Pass a request to the main thread and return the answer as bytes.

        Args:
            message: the decoded request, `{"call": name, "arguments": {…}}`.
            end: connection to the program.

        Raises:
            EOFError: the program has ended, or the server is closed.
        """
        try:
            is_kept = message.get("kept") is True
            request = _Request(str(message["call"]), dict(message["arguments"]), is_kept)
        except (AttributeError, TypeError, KeyError, ValueError):
            return _error(UsageError("expected a call with arguments, found something else"))
        if request.name == MEMORY:
            return wire.encode({"ok": self._mirror.offer()})
        published = self._published(request)
        if published is not None:
            return published
        self._requests.put(request)
        while True:
            with contextlib.suppress(queue.Empty):
                return request.answer.get(timeout=LOOK_SECONDS)
            request.is_left = wire.has_ended(end)
            if self._is_closed or request.is_left:
                raise EOFError

    def _row_of(self, request: _Request, value: object) -> tuple[int, int] | None:
        """Return where the value of a call will stand in shared memory; None for nowhere."""
        key = mirrored_key(request.name, request.arguments) if request.is_kept else None
        return None if key is None else self._mirror.row_of(key, value)

    def _published(self, request: _Request) -> bytes | None:
        """Answer a request from the latest snapshot; None if the main thread has to answer it."""
        scene, name, arguments = self._scene, request.name, request.arguments
        if scene is None or name not in READS or scene.publisher.snapshot is None:
            return None
        try:
            scene.calls.table.check(name, named=arguments)
            found, frame = scene.publisher.read(name, arguments)
            scene.publisher.want(name, arguments)
            return _ok(name, found, frame, self._row_of(request, found))
        except NotPublishedError:
            return None
        except PublishedError as error:
            return _error(error.error, error.frame)
        except Exception as error:  # whatever was sent, the app goes on
            return _error(error)


@dataclass(frozen=True)
class _OpenScene:
    """The scene that programs control; see `RemoteControl.attach`."""

    calls: Calls
    publisher: Publisher
    clock: Clock
    status: StatusBoard
    console: Console


class _WithDeadline:
    """Reads from a connection until a time at which everything must have come.

    Args:
        end: the connection.
        seconds: seconds from now.
    """

    def __init__(self, end: socket.socket, seconds: float) -> None:
        self._end, self._latest = end, time.monotonic() + seconds

    def read(self, size: int, /) -> bytes:
        """Return 1 to `size` bytes; none at the end of the stream.

        Raises:
            TimeoutError: the time is over.
        """
        left = self._latest - time.monotonic()
        if left <= 0.0:
            raise TimeoutError
        self._end.settimeout(left)
        return self._end.recv(size)


def _ok(name: str, value: object, frame: int, row: tuple[int, int] | None = None) -> bytes:
    """Return the answer to a call as bytes.

    Args:
        name: name of the call, for the error message.
        value: its result.
        frame: number of the frame that the result is of.
        row: index and tag of the row of shared memory where it will stand; None for none.
    """
    message = {"ok": value, "frame": frame}
    if row is not None:
        message["row"] = row
    try:
        return wire.encode(message, name)
    except wire.WireError as error:
        return _error(error, frame)


def _error(error: Exception, frame: int | None = None) -> bytes:
    """Return an error as bytes.

    Args:
        error: the error.
        frame: number of the frame that it is of; None for none.
    """
    _, kind, values, text = answer_of(error)
    plain = {key: _line(value) for key, value in values.items()}
    numbers = {} if frame is None else {"frame": frame}
    return wire.encode({"error": [kind, plain, _line(text)], **numbers})


def _line(text: str) -> str:
    """Return a text as one line; the middle of a long one is left out."""
    line = " ".join(text.split())
    half = LONGEST_ERROR // 2
    return line if len(line) <= LONGEST_ERROR else f"{line[:half]} … {line[-half:]}"
