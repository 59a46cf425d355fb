"""`import goishi` from a program of its own: nothing of Goishi becomes a module of the program."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from base.files import SHIPPED_ROOT

PROGRAM = (
    f"OTHELLO = {str(SHIPPED_ROOT / 'docs/projects/othello')!r}"
    + """
import json, pickle, sys, threading
import sim, scripts
import goishi
import gymnasium
assert goishi.make.__module__ == "goishi.make_env"
env = gymnasium.make("goishi/CartPole-v0").unwrapped
first = env.reset(seed=4)[0]
twin = pickle.loads(pickle.dumps(env))
assert (twin.reset(seed=4)[0] == first).all()
assert sim.MINE == scripts.MINE == 1
game = goishi.make_game("tic-tac-toe")
game.reset(); game.step(4)
try:
    env.step(float("nan"))
except ValueError as error:
    said = str(error)
for name in ("ai", "base", "benchmarks", "main"):
    try:
        __import__(name)
    except ModuleNotFoundError:
        continue
    raise AssertionError(f"{name} has become a module of the program")
othello = goishi.make_game("othello", project=OTHELLO)
othello.reset()
assert othello.observe("black")["action_mask"].sum() == 4
tops = {name.partition(".")[0] for name in sys.modules}
print(json.dumps({
    "own": sorted(tops & {"base", "ai", "tests", "benchmarks", "tensorflow", "cv2", "imgui_bundle"}),
    "files": [sim.__file__, scripts.__file__], "path": sys.path, "said": said,
    "finders": [type(item).__name__ for item in sys.meta_path],
    "threads": threading.active_count(), "class": type(env).__module__,
}))
"""
)


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """What a program says that has modules `sim` and `scripts` of its own."""
    folder = tmp_path_factory.mktemp("program")
    (folder / "goishi").symlink_to(SHIPPED_ROOT / "goishi")
    for name in ("sim", "scripts"):
        (folder / f"{name}.py").write_text("MINE = 1\n", encoding="utf-8")
    (folder / "program.py").write_text(PROGRAM, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "program.py"], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return {**json.loads(done.stdout), "folder": str(folder)}


def test_a_program_keeps_its_own_sim_and_scripts(told) -> None:
    assert told["files"] == [f"{told['folder']}/{name}.py" for name in ("sim", "scripts")]
    assert told["own"] == []


def test_nothing_of_the_program_is_changed_but_one_finder(told) -> None:
    assert str(SHIPPED_ROOT) not in told["path"]
    assert "_WorkerOnly" not in told["finders"]
    assert told["finders"].count("_Finder") == 1
    assert told["threads"] == 1


def test_errors_and_classes_work_from_inside(told) -> None:
    assert told["said"] == "CartPole.act: expected a whole number from 0 to 1, found nan"
    assert told["class"] == "goishi.environment"


def test_the_wheel_needs_what_the_requirements_say() -> None:
    asked = tomllib.loads((SHIPPED_ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    blocks = (SHIPPED_ROOT / "requirements.txt").read_text("utf-8").split("# --- ")[1:]
    known = {
        block.partition(" ")[0].rstrip(":"): [
            line.split()[0] for line in block.splitlines()[1:] if line and line[0] != "#"
        ]
        for block in blocks
    }
    assert asked["dependencies"] == known["running"]
    extras = asked["optional-dependencies"]
    assert extras["ray"] == known["a"]
    assert extras["robots"] == known["robots"]
    assert extras["export"] == known["export"]
    assert extras["rllib"][0] == extras["ray"][0].replace("ray", "ray[rllib]")


@pytest.mark.nightly
def test_an_editable_install_shows_goishi_alone(tmp_path: Path) -> None:
    """In an environment of its own, which sees the packages of this one."""
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "v")], check=True)
    python = tmp_path / "v" / "bin" / "python"
    site = next((tmp_path / "v" / "lib").iterdir()) / "site-packages"
    here = next(path for path in sys.path if path.endswith("site-packages"))
    (site / "here.pth").write_text(f"{here}\n", encoding="utf-8")
    words = [
        str(python),
        "-m",
        "pip",
        "install",
        "-q",
        "--no-deps",
        "editables",
        "-e",
        f"{SHIPPED_ROOT}",
    ]
    subprocess.run(words, check=True)
    text = (
        "import importlib.util as u, gymnasium\n"
        "print([n for n in ('goishi', 'sim', 'ai', 'base', 'scripts', 'main', 'tests')"
        " if u.find_spec(n)])\n"
        "print(gymnasium.make('goishi:goishi/CartPole-v0').reset(seed=1)[0].shape)\n"
    )
    done = subprocess.run(
        [str(python), "-c", text], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    shutil.rmtree(SHIPPED_ROOT / "goishi.egg-info", ignore_errors=True)
    assert done.stdout.split("\n")[:2] == ["['goishi']", "(4,)"]


def test_the_command_line_loads_no_environment() -> None:
    text = (
        "import sys\nfrom sim.commands import main\n"
        "import sim.commands.cli.application, sim.app.app\n"
        "print(sorted({'gymnasium', 'pettingzoo', 'goishi'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", text], cwd=SHIPPED_ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
