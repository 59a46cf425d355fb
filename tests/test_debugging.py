"""A debugger attaches to a run and stops in a script of the scene."""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from base.errors import ScriptTimeout
from benchmarks.debug_client import PATIENCE, Debugger, Run, free_port
from sim.core.hangs.watchdog import Watchdog
from sim.core.project.trust import Trust, remember
from sim.core.reporting.debugging import listen_for_debugger

SCRIPT = """from sim import Script


class Ticker(Script):
    def start(self):
        self.ticks = 0

    def update(self, dt):
        self.ticks += 1
        self.last = self.ticks
"""
STOP_LINE = 10


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
    assert remember(tmp_path, Trust.TRUSTED) == ""
    return path


@pytest.fixture
def port():
    return free_port()


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


@pytest.mark.parametrize("waits", [False, True])
def test_it_says_waiting_only_when_it_waits(monkeypatch, waits):
    said, waited = [], []
    fake = SimpleNamespace(
        configure=lambda **options: None, listen=lambda place: None,
        wait_for_client=lambda: waited.append(said[-1]),
    )  # fmt: skip
    monkeypatch.setitem(sys.modules, "debugpy", fake)
    monkeypatch.setenv("PYDEVD_DISABLE_FILE_VALIDATION", "1")
    listen_for_debugger(5678, SimpleNamespace(info=said.append), wait=waits)
    assert ("waiting" in said[0]) is waits
    assert bool(waited) is waits


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
        ends = "waiting" if flag == "--debug-wait" else "attach at any time"
        assert run.line("debugger: ") == f"INFO debugger: 127.0.0.1:{port}, {ends}"
        debugger = Debugger(port)
        path = scene.parents[1] / "scripts" / "ticker.py"
        debugger.attach(path, STOP_LINE)
        if flag == "--debug-wait":
            run.line("debugger: attached")
        thread, frame = debugger.stop()
        assert (frame["name"], frame["line"]) == ("update", STOP_LINE)
        assert Path(frame["source"]["path"]) == path
        ticks = int(debugger.value(frame["id"], "self.ticks"))
        assert ticks >= 1
        debugger.value(frame["id"], "__import__('time').sleep(1.2)")  # three times the limit
        debugger.send("continue", threadId=thread)
        _, frame = debugger.stop()
        assert int(debugger.value(frame["id"], "self.ticks")) == ticks + 1
        debugger.ask("setBreakpoints", source={"path": str(path)}, breakpoints=[])
        debugger.ask("disconnect", terminateDebuggee=False)
        run.process.send_signal(signal.SIGINT)
        assert run.process.wait(PATIENCE) == 130
        assert not [line for line in run.rest() if line.startswith("ERROR")]
    finally:
        if debugger is not None:
            debugger.close()
        run.close()


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
