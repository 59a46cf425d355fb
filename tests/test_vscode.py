"""What VS Code gets with a new project: it runs, stops at breakpoints, and finds Goishi."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from base import program
from base.files import SHIPPED_ROOT
from benchmarks.debug_client import PATIENCE, Debugger, free_port
from sim.commands.cli.application import run_application
from sim.core.editing import new_files
from sim.core.editing.new_files import make_project
from sim.core.files.scene_checker import FORMAT
from sim.core.project.run_options import RunOptions

LINE = "self.landed.emit(self.landings + 1)"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp('my "own" ö') / "garden"
    assert make_project(folder) == ""
    return folder


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


@pytest.mark.slow
def test_f5_runs_the_scene_and_stops_at_a_breakpoint(project: Path) -> None:
    place, names = stops_in_a_script(project, dict(os.environ))
    assert place.startswith("hello.py:")
    assert {"self", "dt", "before", "transform"} <= set(names)


def test_attaching_takes_the_port_that_the_tasks_open(project: Path) -> None:
    attach = configurations(project)["Attach to Goishi"]
    assert attach["request"] == "attach"
    assert attach["connect"] == {"host": "127.0.0.1", "port": RunOptions().debug_port}
    tasks = {item["label"]: item for item in read(project, "tasks.json")["tasks"]}
    words = [item["args"][1:] for item in tasks.values()]
    assert ["run", "scenes/main.scene.json", "--debug"] in words
    assert ["run", "scenes/main.scene.json", "--debug-wait"] in words
    for task in tasks.values():
        assert (task["command"], task["args"][0]) == (sys.executable, str(SHIPPED_ROOT / "main.py"))


def test_each_task_names_a_command_with_its_flags(project: Path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(project)
    for task in read(project, "tasks.json")["tasks"]:
        assert run_application([*task["args"][1:], "--help"]) in (0, None)
    capsys.readouterr()
    assert run_application(["check", "scenes/main.scene.json"]) in (0, None)


def test_the_editor_finds_goishi_its_tests_and_the_form_of_scenes(project: Path) -> None:
    settings = read(project, "settings.json")
    assert settings["python.defaultInterpreterPath"] == sys.executable
    [folder] = settings["python.analysis.extraPaths"]
    assert (Path(folder) / "sim" / "__init__.py").is_file()
    [schema] = settings["json.schemas"]
    known = (
        json.loads(Path.from_uri(schema["url"]).read_text("utf-8"))
        if hasattr(Path, "from_uri")
        else json.loads((SHIPPED_ROOT / "sim/core/files/scene.schema.json").read_text("utf-8"))
    )
    assert FORMAT in json.dumps(known)
    file = filled(project, settings["python.envFile"])
    assert Path(file).read_text("utf-8") == f"PYTHONPATH={SHIPPED_ROOT}\n"
    assert "ms-python.debugpy" in read(project, "extensions.json")["recommendations"]


def test_no_word_of_the_templates_is_left_and_git_leaves_the_paths_out(project: Path) -> None:
    for path in (project / ".vscode").iterdir():
        assert "GOISHI_" not in path.read_text("utf-8")
        assert '"PYTHON"' not in path.read_text("utf-8")
    assert "/.vscode/" in (project / ".gitignore").read_text("utf-8").splitlines()


def test_an_installed_goishi_is_called_by_its_command(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(new_files, "IS_INSTALLED", True)
    monkeypatch.setattr(new_files, "PROGRAM", "goishi")
    make_project(tmp_path / "garden")
    for name in ("README.md", "goishi.toml", "tests/test_main.py"):
        text = (tmp_path / "garden" / name).read_text("utf-8")
        assert "main.py" not in text, name
        assert "GOISHI" not in text, name
    assert "goishi run scenes/main.scene.json" in (tmp_path / "garden" / "README.md").read_text()
    assert program.PROGRAM == "python main.py"
