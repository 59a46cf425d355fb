"""Does with a project's `.vscode` what VS Code does: fills in its words, launches, stops, looks."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.debug_client import PATIENCE, Debugger, free_port

LINE = "self.landed.emit(self.landings + 1)"


def read(project: Path, name: str) -> dict:
    return json.loads((project / ".vscode" / name).read_text("utf-8"))


def configurations(project: Path) -> dict[str, dict]:
    return {item["name"]: item for item in read(project, "launch.json")["configurations"]}


def filled(project: Path, value: object) -> object:
    """Fill in what VS Code fills in."""
    if isinstance(value, dict):
        return {key: filled(project, item) for key, item in value.items()}
    if isinstance(value, list):
        return [filled(project, item) for item in value]
    if isinstance(value, str):
        return value.replace("${workspaceFolder}", str(project))
    return value


def stops_in_a_script(project: Path, environment: dict[str, str]) -> tuple[str, list[str]]:
    """Launch the project's scene as VS Code does; return where it stopped, and what is seen there.

    Args:
        project: the project.
        environment: of the debugger and the program.
    """
    port = free_port()
    configuration = filled(project, configurations(project)["Run the scene"])
    configuration["args"] += ["--no-graphics", "--speed", "1", "--for", "600"]
    configuration["console"] = "internalConsole"  # there is no terminal
    adapter = subprocess.Popen(
        [sys.executable, "-m", "debugpy.adapter", "--port", str(port)], env=environment,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    script = project / "scripts" / "hello.py"
    texts = [line.strip() for line in script.read_text("utf-8").splitlines()]
    debugger = None
    try:
        end = time.monotonic() + PATIENCE
        while debugger is None and time.monotonic() < end:
            with contextlib.suppress(ConnectionRefusedError):
                debugger = Debugger(port)
        debugger.begin(configuration, script, texts.index(LINE) + 1)
        thread, frame = debugger.stop()
        scopes = debugger.ask("scopes", frameId=frame["id"])["scopes"]
        seen = debugger.ask("variables", variablesReference=scopes[0]["variablesReference"])
        names = [item["name"] for item in seen["variables"]]
        landings = debugger.value(frame["id"], "self.landings")
        debugger.send("continue", threadId=thread)
        _, again = debugger.stop()
        assert int(debugger.value(again["id"], "self.landings")) == int(landings) + 1
        debugger.ask("disconnect", terminateDebuggee=True)
        return f"{Path(frame['source']['path']).name}:{frame['line']}", names
    finally:
        if debugger is not None:
            debugger.close()
        adapter.kill()
        adapter.wait(PATIENCE)
