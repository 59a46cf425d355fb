"""A run of the command line, and the little of a debugger that it takes to attach to it."""

from __future__ import annotations

import contextlib
import json
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from queue import Empty, Queue
from typing import Any

from benchmarks.programs import start_main

PATIENCE = 120.0  # seconds for each step, on a busy machine


def free_port() -> int:
    """Return a port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class DebugError(AssertionError):
    """The debugger answered something else than was expected."""


def _expect(holds: object, expected: str, found: object) -> None:
    if not holds:
        raise DebugError(f"expected {expected}, found {found}")


class Debugger:
    """The little of the Debug Adapter Protocol that it takes to stop at a line and look about."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        self.reader = self.socket.makefile("rb")
        self.seen: list[dict[str, Any]] = []
        self.sent = 0

    def send(self, command: str, **arguments: Any) -> int:
        """Send a request and return its number."""
        self.sent += 1
        body = {"seq": self.sent, "type": "request", "command": command, "arguments": arguments}
        text = json.dumps(body).encode()
        self.socket.sendall(b"Content-Length: %d\r\n\r\n%s" % (len(text), text))
        return self.sent

    def read(self) -> dict[str, Any]:
        """Return the next message.

        Raises:
            EOFError: the connection ended.
        """
        length = 0
        while (line := self.reader.readline()) not in (b"\r\n", b""):
            if line.lower().startswith(b"content-length:"):
                length = int(line.partition(b":")[2])
        if not length:
            raise EOFError("the debugger's connection ended")
        return dict(json.loads(self.reader.read(length)))

    def wait(self, wanted: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
        """Return the first message that fits, seen before or still to come."""
        for place, message in enumerate(self.seen):
            if wanted(message):
                return self.seen.pop(place)
        while not wanted(message := self.read()):
            self.seen.append(message)
        return message

    def event(self, name: str) -> dict[str, Any]:
        """Wait for an event and return its message."""
        return self.wait(lambda message: message.get("event") == name)

    def ask(self, command: str, **arguments: Any) -> dict[str, Any]:
        """Send a request, wait, and return the answer's body.

        Raises:
            DebugError: the answer is that it cannot be done.
        """
        number = self.send(command, **arguments)
        answer = self.wait(lambda message: message.get("request_seq") == number)
        _expect(answer["success"], f"{command} to be done", answer)
        return dict(answer.get("body") or {})

    def value(self, frame: int, expression: str) -> str:
        """Return what an expression is in a frame, as text."""
        return str(self.ask("evaluate", expression=expression, frameId=frame)["result"])

    def attach(self, path: Path, line: int, condition: str = "") -> None:
        """Attach, with a breakpoint."""
        self.begin({"request": "attach", "justMyCode": False}, path, line, condition)

    def begin(
        self, configuration: Mapping[str, Any], path: Path, line: int, condition: str = ""
    ) -> None:
        """Do as an editor does with a configuration of `launch.json`, with a breakpoint.

        Args:
            configuration: to attach, or to launch a program by the adapter at the other end.
            path: the script with the breakpoint.
            line: its line.
            condition: when it counts; empty for always.

        Raises:
            DebugError: something of it cannot be done.
        """
        self.ask("initialize", clientID="test", adapterID="debugpy", pathFormat="path")
        begun = self.send(configuration["request"], **configuration)
        self.event("initialized")
        answer = self.ask(
            "setBreakpoints",
            source={"path": str(path)},
            breakpoints=[{"line": line, "condition": condition} if condition else {"line": line}],
        )
        _expect(answer["breakpoints"][0]["line"] == line, f"a breakpoint at {line}", answer)
        self.ask("configurationDone")
        answer = self.wait(lambda message: message.get("request_seq") == begun)
        _expect(answer["success"], "the program to begin", answer)

    def stop(self) -> tuple[int, dict[str, Any]]:
        """Wait for the breakpoint; return the thread, and the frame that it is in."""
        stopped = self.event("stopped")["body"]
        _expect(stopped["reason"] == "breakpoint", "a breakpoint", stopped)
        thread = int(stopped["threadId"])
        frames = self.ask("stackTrace", threadId=thread, levels=1)
        return thread, frames["stackFrames"][0]

    def close(self) -> None:
        """Hang up."""
        self.reader.close()
        self.socket.close()


class Run:
    """A run of the command line, its lines read as they come."""

    def __init__(self, *words: str) -> None:
        self.process = start_main("run", *words, stderr=subprocess.PIPE, text=True)
        self.lines: list[str] = []
        self._queue: Queue[str] = Queue()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        for line in self.process.stderr:
            self._queue.put(line.rstrip())

    def line(self, text: str) -> str:
        """Return the next line that holds a text."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            with contextlib.suppress(Empty):
                self.lines.append(self._queue.get(timeout=0.2))
                if text in self.lines[-1]:
                    return self.lines[-1]
            if self.process.poll() is not None and self._queue.empty():
                break
        raise AssertionError(f"expected a line with {text!r}, found {self.lines}")

    def rest(self) -> list[str]:
        """Return all lines, after the run's end."""
        self._thread.join(PATIENCE)
        while not self._queue.empty():
            self.lines.append(self._queue.get())
        return self.lines

    def close(self) -> None:
        """End the run."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(PATIENCE)
        self._thread.join(PATIENCE)
        self.process.stderr.close()
