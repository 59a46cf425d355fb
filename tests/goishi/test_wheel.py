"""The wheel: holds everything, is small, and what it installs runs from any folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from base.files import SHIPPED_ROOT
from sim.commands.cli.application import version
from tests.vscode import stops_in_a_script

MOST_BYTES = 45_000_000
GIT = SHIPPED_ROOT / ".git"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built as `python -m build` builds it, but into a folder of the test's own."""
    folder = tmp_path_factory.mktemp("wheel")
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=SHIPPED_ROOT, capture_output=True, text=True, timeout=110, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which pip has installed the wheel, without the packages that it needs."""
    folder = tmp_path_factory.mktemp("site ö")
    words = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "-q",
        "--no-deps",
        "--no-index",
        "--no-compile",
    ]
    subprocess.run([*words, "--target", str(folder), str(wheel)], check=True, timeout=110)
    return folder


def run(installed: Path, folder: Path, *words: str) -> str:
    """Run a program of the installed Goishi from another folder and home; return what it wrote."""
    environment = {**os.environ, "PYTHONPATH": str(installed), "HOME": str(folder)}
    environment["NUMBA_DISABLE_JIT"] = "1"  # nothing here is worth compiling kernels for
    done = subprocess.run(
        words, cwd=folder, env=environment, capture_output=True, text=True, timeout=110, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def command(installed: Path) -> str:
    return str(installed / "bin" / "goishi")


def test_it_holds_everything_once_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    tops = {name.split("/")[0] for name in names}
    assert tops == {"goishi", "goishi_command.py", f"goishi-{version()}.dist-info"}
    assert wheel.stat().st_size < MOST_BYTES
    assert not [name for name in names if "__pycache__" in name or name.endswith(".bak")]
    for name in ("main.py", "scenes/car.scene.json", "assets/scene_keys.json", "docs/tutorial.md"):
        assert f"goishi/shipped/{name}" in names


@pytest.mark.skipif(not GIT.exists(), reason="no git checkout")
def test_it_holds_each_tracked_file_of_its_folders(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    folders = ("base", "sim", "ai", "scripts", "scenes", "assets", "docs")
    listed = subprocess.run(
        ["git", "ls-files", *folders], cwd=SHIPPED_ROOT, capture_output=True, text=True, check=True
    )
    tracked = [name for name in listed.stdout.splitlines() if (SHIPPED_ROOT / name).is_file()]
    assert not [
        name for name in tracked if f"goishi/shipped/{name}" not in names and name[0] != '"'
    ]


def test_the_command_and_the_module_run_from_any_folder(installed: Path, tmp_path: Path) -> None:
    assert run(installed, tmp_path, command(installed), "--version").startswith("goishi ")
    said = run(installed, tmp_path, sys.executable, "-m", "goishi", "new", "project", "world")
    assert "open it: goishi run world/scenes/main.scene.json" in said
    assert "python main.py" not in (tmp_path / "world" / "goishi.toml").read_text("utf-8")
    words = (
        command(installed),
        "run",
        "world/scenes/main.scene.json",
        "--headless",
        "--for",
        "0.2",
    )
    run(installed, tmp_path, *words)


def test_a_shipped_match_plays_and_its_own_modules_count(installed: Path, tmp_path: Path) -> None:
    """A folder with modules of the same names is current, and nothing is written to the package."""
    for name in ("sim", "base", "ai", "scripts", "main"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit(name)\n", encoding="utf-8")
    before = sorted(path for path in installed.rglob("*") if "__pycache__" not in path.parts)
    words = (command(installed), "--headless", "--no-graphics", "--games", "1", "--seed", "1")
    run(installed, tmp_path, *words, "--player-black", "random", "--stats", "stats.json")
    assert json.loads((tmp_path / "stats.json").read_text("utf-8"))["games"] == 1
    after = sorted(path for path in installed.rglob("*") if "__pycache__" not in path.parts)
    assert after == before


def test_what_ships_is_named_as_in_a_clone(installed: Path, tmp_path: Path) -> None:
    words = ("replay", "assets/recorded/alpha_beta.sgf", "--export", "game.txt")
    run(installed, tmp_path, command(installed), *words)
    assert (tmp_path / "game.txt").is_file()
    othello = run(installed, tmp_path, command(installed), "--project", "docs/projects/othello",
                  "games")  # fmt: skip
    assert "othello" in othello


def test_nothing_can_be_written_into_it(installed: Path, tmp_path: Path) -> None:
    shipped = installed / "goishi" / "shipped"
    text = (
        f"import sys; sys.path.insert(0, {str(shipped)!r}); from base.files import *;"
        "from sim.core.editing.new_files import write_new\n"
        "for name, write in (('scenes/car.scene.json', atomic_write), ('scripts/x.py', write_new)):\n"
        "    try: write(SHIPPED_ROOT / name, '')\n"
        "    except OSError as error: print(error.strerror)\n"
    )
    said = run(installed, tmp_path, sys.executable, "-c", text).splitlines()
    assert said == ["it belongs to Goishi, which stays as installed"] * 2
    assert json.loads((shipped / "scenes" / "car.scene.json").read_text("utf-8"))["id"]
    assert not (shipped / "scripts" / "x.py").exists()


@pytest.mark.nightly
def test_vs_code_debugs_a_project_of_it(installed: Path, tmp_path: Path) -> None:
    """In an environment where Goishi is found only as installed."""
    project = tmp_path / "garden"
    folders = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / "config")}
    environment = {**os.environ, "PYTHONPATH": str(installed), **folders}
    words = [command(installed), "new", "project", str(project)]
    subprocess.run(words, env=environment, check=True, timeout=110, cwd=tmp_path)
    launch = (project / ".vscode" / "launch.json").read_text("utf-8")
    assert str(installed / "goishi" / "shipped" / "main.py") in launch
    place, names = stops_in_a_script(project, environment)
    assert place.startswith("hello.py:")
    assert "self" in names


def test_an_environment_is_made_from_anywhere(installed: Path, tmp_path: Path) -> None:
    text = (
        "import goishi, json; env = goishi.make('goishi/CartPole-v0'); env.reset(seed=1);"
        "print(json.dumps([goishi.__file__, env.step(1)[1]]))"
    )
    place, reward = json.loads(run(installed, tmp_path, sys.executable, "-c", text))
    assert Path(place).is_relative_to(installed)
    assert reward == 1.0
