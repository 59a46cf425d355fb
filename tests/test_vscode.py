"""What VS Code gets with a new project: it runs, stops at breakpoints, and finds Goishi."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from base import program
from base.files import SHIPPED_ROOT
from sim.commands.cli.application import run_application
from sim.core.editing import new_files
from sim.core.editing.new_files import make_project
from sim.core.files.scene_checker import FORMAT
from sim.core.project.run_options import RunOptions
from tests.vscode import configurations, filled, read, stops_in_a_script


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp('my "own" ö') / "garden"
    assert make_project(folder) == ""
    return folder


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
