"""A debugger attaches to a run and stops in a script of the scene."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from queue import Empty, Queue
from types import SimpleNamespace
from typing import Any

import pytest

from sim.core.errors import ScriptTimeout
from sim.core.watchdog import Watchdog

ROOT = Path(__file__).resolve().parents[1]
PATIENCE = 120.0  # seconds for each step, on a busy machine
SCRIPT = """from sim import Script


class Ticker(Script):
    def start(self):
        self.ticks = 0

    def update(self, dt):
        self.ticks += 1
        self.last = self.ticks
"""
STOP_LINE = 10


class Debugger:
    """The little of the Debug Adapter Protocol that a test needs."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        self.reader = self.socket.makefile("rb")
        self.seen: list[dict[str, Any]] = []
        self.sent = 0

    def send(self, command: str, **arguments: Any) -> int:
        self.sent += 1
        body = {"seq": self.sent, "type": "request", "command": command, "arguments": arguments}
        text = json.dumps(body).encode()
        self.socket.sendall(b"Content-Length: %d\r\n\r\n%s" % (len(text), text))
        return self.sent

    def read(self) -> dict[str, Any]:
        length = 0
        while (line := self.reader.readline()) not in (b"\r\n", b""):
            if line.lower().startswith(b"content-length:"):
                length = int(line.partition(b":")[2])
        if not length:
            raise EOFError("the debugger's connection ended")
        return dict(json.loads(self.reader.read(length)))

    def wait(self, wanted) -> dict[str, Any]:
        """Return the first message that fits, seen before or still to come."""
        for place, message in enumerate(self.seen):
            if wanted(message):
                return self.seen.pop(place)
        while not wanted(message := self.read()):
            self.seen.append(message)
        return message

    def event(self, name: str) -> dict[str, Any]:
        return self.wait(lambda message: message.get("event") == name)

    def ask(self, command: str, **arguments: Any) -> dict[str, Any]:
        number = self.send(command, **arguments)
        answer = self.wait(lambda message: message.get("request_seq") == number)
        assert answer["success"], answer
        return dict(answer.get("body") or {})

    def attach(self, path: Path, line: int) -> None:
        self.ask("initialize", clientID="test", adapterID="debugpy", pathFormat="path")
        attached = self.send("attach", justMyCode=False)
        self.event("initialized")
        answer = self.ask(
            "setBreakpoints", source={"path": str(path)}, breakpoints=[{"line": line}]
        )
        assert answer["breakpoints"][0]["line"] == line
        self.ask("configurationDone")
        self.wait(lambda message: message.get("request_seq") == attached)

    def close(self) -> None:
        self.reader.close()
        self.socket.close()


class Run:
    """A run of the command line, its lines read as they come."""

    def __init__(self, *words: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "main.py", "run", *words],
            cwd=ROOT, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
        )  # fmt: skip
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
        self._thread.join(PATIENCE)
        while not self._queue.empty():
            self.lines.append(self._queue.get())
        return self.lines

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(PATIENCE)
        self._thread.join(PATIENCE)
        self.process.stderr.close()


@pytest.fixture
def scene(tmp_path):
    for name in ("scenes", "scripts"):
        (tmp_path / name).mkdir()
    (tmp_path / "scripts" / "ticker.py").write_text(SCRIPT, encoding="utf-8")
    path = tmp_path / "scenes" / "a.scene.json"
    component = {"type": "scripts.ticker:Ticker", "fields": {}}
    data = {
        "format": "goishi.scene/1",
        "id": "scn_debug",
        "settings": {"script_timeout": 0.4},
        "objects": {"obj_one": {"name": "A", "components": {"cmp_one": component}}},
    }
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


@pytest.fixture
def port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.mark.parametrize("is_attached", [True, False])
def test_the_watchdog_sleeps_while_a_debugger_is_attached(monkeypatch, is_attached):
    fake = SimpleNamespace(is_client_connected=lambda: is_attached)
    monkeypatch.setitem(sys.modules, "debugpy", fake)
    monkeypatch.setitem(sys.modules, "pydevd", SimpleNamespace())
    watchdog = Watchdog(0.05)
    broken = False
    try:
        with watchdog.watching():
            end = time.monotonic() + (0.4 if is_attached else PATIENCE)
            while time.monotonic() < end:
                pass
    except ScriptTimeout:
        broken = True
    finally:
        watchdog.close()
    assert broken is not is_attached


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals of other systems")
def test_a_wait_for_a_debugger_is_interrupted(scene, port):
    run = Run(
        str(scene), "--no-graphics", "--for", "600", "--debug-wait", "--debug-port", str(port)
    )
    try:
        run.line("debugger: ")
        run.process.send_signal(signal.SIGINT)
        assert run.process.wait(PATIENCE) == 130
    finally:
        run.close()


@pytest.mark.slow
@pytest.mark.parametrize("flag", ["--debug", "--debug-wait"])
def test_a_debugger_stops_in_a_script(scene, port, flag):
    words = (str(scene), "--no-graphics", "--speed", "1", "--for", "600", flag)
    run = Run(*words, "--debug-port", str(port))
    debugger = None
    try:
        assert run.line("debugger: ") == f"INFO debugger: 127.0.0.1:{port}, waiting"
        debugger = Debugger(port)
        path = scene.parents[1] / "scripts" / "ticker.py"
        debugger.attach(path, STOP_LINE)
        if flag == "--debug-wait":
            run.line("debugger: attached")
        stopped = debugger.event("stopped")["body"]
        assert stopped["reason"] == "breakpoint"
        frames = debugger.ask("stackTrace", threadId=stopped["threadId"], levels=1)
        frame = frames["stackFrames"][0]
        assert (frame["name"], frame["line"]) == ("update", STOP_LINE)
        assert Path(frame["source"]["path"]) == path
        ticks = int(_value(debugger, frame["id"], "self.ticks"))
        assert ticks >= 1
        _value(debugger, frame["id"], "__import__('time').sleep(1.2)")  # three times the limit
        debugger.send("continue", threadId=stopped["threadId"])
        again = debugger.event("stopped")["body"]
        frames = debugger.ask("stackTrace", threadId=again["threadId"], levels=1)
        frame = frames["stackFrames"][0]
        assert int(_value(debugger, frame["id"], "self.ticks")) == ticks + 1
        debugger.ask("setBreakpoints", source={"path": str(path)}, breakpoints=[])
        debugger.ask("disconnect", terminateDebuggee=False)
        run.process.send_signal(signal.SIGINT)
        assert run.process.wait(PATIENCE) == 130
        assert not [line for line in run.rest() if line.startswith("ERROR")]
    finally:
        if debugger is not None:
            debugger.close()
        run.close()


def _value(debugger: Debugger, frame: int, expression: str) -> str:
    return str(debugger.ask("evaluate", expression=expression, frameId=frame)["result"])


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="reads Linux's list of sockets")
def test_it_listens_on_this_machine_only(scene, port):
    run = Run(str(scene), "--no-graphics", "--for", "600", "--debug", "--debug-port", str(port))
    try:
        run.line("debugger: ")
        sockets = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
        listening = [words[1] for words in sockets if words[3] == "0A"]
        ours = [place for place in listening if place.endswith(f":{port:04X}")]
        assert ours == [f"0100007F:{port:04X}"]
    finally:
        run.close()


@pytest.mark.slow
def test_a_busy_port_is_one_line_and_exit_code_1(scene, port):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", port))
        taken.listen()
        run = Run(str(scene), "--no-graphics", "--for", "600", "--debug", "--debug-port", str(port))
        try:
            assert run.process.wait(PATIENCE) == 1
            lines = run.rest()
        finally:
            run.close()
    assert len(lines) == 1
    assert lines[0].startswith(f"goishi: --debug-port: expected a free port, found {port} taken")


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows cannot replace a process")
def test_python_starts_with_its_own_modules_unfrozen(scene, port):
    script = scene.parents[1] / "scripts" / "ticker.py"
    script.write_text(
        SCRIPT.replace("self.ticks = 0", "import sys; self.log.info(str(sys._xoptions))")
    )
    run = Run(str(scene), "--no-graphics", "--for", "600", "--debug", "--debug-port", str(port))
    try:
        assert "'frozen_modules': 'off'" in run.line("frozen_modules")
    finally:
        run.close()
