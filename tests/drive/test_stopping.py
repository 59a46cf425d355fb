"""The app as a process of its own: stopped in every way, and started again."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from tests.drive.own_scene import quick_scene
from tests.drive.x_window import close_windows

ROOT = Path(__file__).resolve().parents[2]
LONGEST = 180.0


Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def start(tmp_path_factory) -> Iterator[Start]:
    """Return what starts the app on a data directory; none outlives a test that fails."""
    started: list[subprocess.Popen[str]] = []
    scene = str(quick_scene(tmp_path_factory.mktemp("project")))

    def start_app(data: Path, *words: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "main.py", "run", scene, "--data-dir", str(data), *words],
            cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        started.append(process)
        return process

    yield start_app
    for process in started:
        process.kill()
        process.communicate()


def games_kept(data: Path) -> int:
    files = list(data.glob("scn_*/runs.sqlite3"))
    if not files:
        return 0
    try:
        with sqlite3.connect(f"file:{files[0]}?mode=ro", uri=True, timeout=1.0) as database:
            return int(database.execute("SELECT COUNT(*) FROM games").fetchone()[0])
    except sqlite3.OperationalError:
        return 0


def wait_for_games(process: subprocess.Popen[str], data: Path, count: int) -> None:
    deadline = time.monotonic() + LONGEST
    while games_kept(data) < count:
        assert process.poll() is None, process.stderr.read()
        assert time.monotonic() < deadline, "no games were played"
        time.sleep(0.05)  # the app has the core


def children_of(process: subprocess.Popen[str]) -> list[psutil.Process]:
    return psutil.Process(process.pid).children(recursive=True)


def assert_all_gone(children: list[psutil.Process]) -> None:
    _, alive = psutil.wait_procs(children, timeout=LONGEST)
    assert alive == []


def starts_again(start: Start, data: Path, *words: str) -> None:
    kept = games_kept(data)
    process = start(data, "--headless", "--no-graphics", "--games", "1", "--seed", "1", *words)
    _, errors = process.communicate(timeout=LONGEST)
    assert process.returncode == 0, errors
    assert f"resumed at game {kept + 1}" in errors
    assert games_kept(data) == kept + 1


NETWORK: tuple[str, ...] = ()
MEMORY = ("--player-white", "ann")
"""A White that learns without a network, so that no process loads TensorFlow."""


@pytest.mark.parametrize(
    ("how", "white"),
    [
        (signal.SIGINT, MEMORY),
        pytest.param(signal.SIGKILL, MEMORY, marks=pytest.mark.nightly),
        pytest.param(signal.SIGINT, NETWORK, marks=pytest.mark.nightly),
        pytest.param(signal.SIGKILL, NETWORK, marks=pytest.mark.nightly),
        pytest.param(signal.SIGTERM, NETWORK, marks=pytest.mark.nightly),
    ],
)
def test_a_stopped_run_goes_on_with_what_was_learnt(start, tmp_path, how, white):
    process = start(tmp_path, "--headless", "--no-graphics", "--for", "600", "--seed", "1", *white)
    wait_for_games(process, tmp_path, 3)
    children = children_of(process)
    assert children
    process.send_signal(how)
    _, errors = process.communicate(timeout=LONGEST)
    assert "Traceback" not in errors
    if how != signal.SIGKILL:
        assert process.returncode == 130
    assert_all_gone(children)
    starts_again(start, tmp_path, *white)


def test_a_second_instance_on_one_data_directory_is_refused(start, tmp_path):
    words = ("--headless", "--no-graphics", "--for", "600", "--seed", "1", *MEMORY)
    first = start(tmp_path, *words)
    wait_for_games(first, tmp_path, 1)
    second = start(tmp_path, "--headless", "--no-graphics", "--games", "1")
    _, errors = second.communicate(timeout=LONGEST)
    assert second.returncode == 2
    assert errors.count("\n") == 1
    assert f"in use by process {first.pid}" in errors


@pytest.mark.window
def test_closing_the_window_keeps_what_was_learnt(start, tmp_path):
    words = ("--speed", "max", "--quality", "low", "--window", "640x400", *MEMORY)
    process = start(tmp_path, *words)
    wait_for_games(process, tmp_path, 2)
    children = children_of(process)
    assert close_windows("Goishi") == 1
    _, errors = process.communicate(timeout=LONGEST)
    assert "Traceback" not in errors
    assert_all_gone(children)
    starts_again(start, tmp_path, *MEMORY)


@pytest.mark.window
def test_a_real_window_opens_and_ends_by_itself(tmp_path):
    # --for counts from the start of the process: on a machine that is busy with other things the
    # imports alone take two seconds. That no layer is drawn twice is tests/sim/render/window/test_window.py.
    stats = tmp_path / "stats.json"
    process = subprocess.Popen(
        [sys.executable, "main.py", "run", "scenes/hello.scene.json", "--for", "6",
         "--window", "640x400", "--stats", str(stats), "--data-dir", str(tmp_path / "data")],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONFAULTHANDLER": "1"},
    )  # fmt: skip
    _, errors = process.communicate(timeout=LONGEST)
    assert process.returncode == 0, errors
    assert "ERROR" not in errors
    values = json.loads(stats.read_text(encoding="utf-8"))
    assert values["frames"] > 5
    assert values["script_errors"] == 0
