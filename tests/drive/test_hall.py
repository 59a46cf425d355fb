"""The training hall, headless, as a person would use it. Small learners keep it short."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import psutil
import pytest

from ai import read_games
from base.files import SHIPPED_ROOT
from sim.app.app import run
from sim.commands.cli.application import run_application
from sim.testing import Pilot, run_options
from tests.drive.test_file_menu import Mouse, is_asking

SCENE = SHIPPED_ROOT / "scenes" / "training_hall.scene.json"
FAST = "steps=2 epochs=1 least_steps=2 hidden=4,4,4 branch=0 kernel_sizes=3,3,3 variations=1"
BOARDS = 16


def hall_scene(folder: Path, boards: int) -> Path:
    """Write the shipped hall with learners that train in no time, and do not wait for others."""
    data = json.loads(SCENE.read_text(encoding="utf-8"))
    for number in range(boards + 1, BOARDS + 1):
        del data["objects"][f"obj_hallbrd{number:02}"]
    for item in data["objects"].values():
        for component in item["components"].values():
            if component["type"].endswith(":HallBoard"):
                component["fields"]["further"] = FAST
            if component["type"].endswith(":Hall"):
                component["fields"]["nice"] = 0
            if component["type"].startswith("scripts."):
                component["type"] = f"goishi:{component['type']}"
    path = folder / "scenes" / "hall.scene.json"
    path.parent.mkdir()
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def scene(tmp_path_factory) -> Path:
    """Return the whole hall."""
    return hall_scene(tmp_path_factory.mktemp("project"), BOARDS)


@pytest.fixture(scope="module")
def small(tmp_path_factory) -> Path:
    """Return a hall of one row and a half."""
    return hall_scene(tmp_path_factory.mktemp("small"), 7)


@pytest.fixture(scope="module")
def corner(tmp_path_factory) -> Path:
    """Return a hall of two boards."""
    return hall_scene(tmp_path_factory.mktemp("corner"), 2)


@pytest.mark.parametrize(
    "boards", [2, *(pytest.param(count, marks=pytest.mark.nightly) for count in (7, BOARDS))]
)
def test_every_board_plays_its_games_and_writes_them(request, tmp_path, boards):
    scene = request.getfixturevalue({2: "corner", 7: "small", BOARDS: "scene"}[boards])
    out, stats = tmp_path / "out", tmp_path / "stats.json"
    pace = {"speed": 8.0} if boards == 2 else {}  # by day no core is busy with empty frames
    options = run_options(scene=scene, headless=True, graphics=False, games=2, seed=1, out=out,
                          stats=stats, **pace)  # fmt: skip
    assert run(options) == 0
    told = json.loads(stats.read_text(encoding="utf-8"))
    assert told["games"] == 2 * boards
    assert sum(told["results"].values()) == 2 * boards
    assert told["script_errors"] == told["worker_restarts"] == 0
    assert {"tensorflow", "keras"}.isdisjoint(sys.modules)
    every = [(records, alpha) for records in (1, 2, 3, 4) for alpha in (None, 5.0, 15.0, 25.0)]
    assert [(board["records"], board["alpha"]) for board in told["boards"]] == every[:boards]
    trained = [board for board in told["boards"] if board["retrains"]]
    assert trained
    assert all(0.0 <= board["held"] <= 1.0 for board in trained)
    for board in trained:  # also where workers start anew, once their kernels are compiled
        assert board["failed"] <= board["retrains"] <= board["games"], board
    for number, board in enumerate(told["boards"], start=1):
        folder = out / f"board_{number:02}"
        records = read_games(folder)
        assert [record.game for record in records] == [1, 2]
        names = {1: "black", -1: "white", 0: "draw"}
        assert [names[record.winner] for record in records] == board["winners"]
        assert json.loads((folder / "summary.json").read_text())["games"] == 2
    words = ["replay", str(out / "board_02"), "--game", "2", "--window", "320x200",
             "--screenshot", str(tmp_path / "shot.png")]  # fmt: skip
    assert run_application(words) == 0
    assert run(options) == 2, "the folder holds another run"


@pytest.mark.nightly
def test_a_visit_a_killed_worker_and_the_end(small, tmp_path):
    with Pilot(scene=small, speed=64.0, data_dir=tmp_path / "data", quality="low") as pilot:
        hall, front = pilot.component("Hall"), pilot.component("FrontBoard")
        camera = pilot.app.scene.camera
        blank = [board.plate.texture.copy() for board in hall.boards]
        pilot.wait_until(lambda: all(board.games >= 1 for board in hall.boards), frames=9000)
        pilot.wait_until(lambda: not any(board.needs_plate for board in hall.boards))
        assert all(
            not np.array_equal(before, board.plate.texture)
            for before, board in zip(blank, hall.boards, strict=True)
        )
        assert all(board.far.object.texture is not None for board in hall.boards)

        board = hall.boards[6]
        pilot.double_click(*pilot.pixel_of(board.object.transform.world_position))
        assert front.board is board
        assert not board.far.object.visible
        pilot.wait_until(lambda: abs(camera.view.distance - front.distance) < 0.01)
        assert camera.view.target[:2] == pytest.approx(
            (board.object.transform.position[0], board.object.transform.position[1] + 0.9),
            abs=0.05,
        )
        pilot.wait_until(lambda: len(front.view.stones) >= 3)

        victim = hall.links[0].process_id
        games = board.games
        os.kill(victim, getattr(signal, "SIGKILL", signal.SIGTERM))
        pilot.wait_until(lambda: all(item.games >= games + 1 for item in hall.boards), frames=9000)
        assert sum("restarted" in item.text for item in pilot.app.console.records) == 1

        pilot.press("escape")
        assert front.board is None
        assert board.far.object.visible
        pilot.wait_until(lambda: camera.view == camera.home)

        pilot.press("p")
        assert hall.is_paused
        workers = [link.process_id for link in hall.links]
        assert pilot.app.host.error_count == 0
    _, alive = psutil.wait_procs(
        [psutil.Process(pid) for pid in workers if psutil.pid_exists(pid)], timeout=30
    )
    assert alive == []

    with Pilot(scene=small, graphics=False, data_dir=tmp_path / "data") as pilot:
        hall = pilot.component("Hall")
        pilot.wait_until(lambda: all(board.base is not None for board in hall.boards), frames=9000)
        assert hall.boards[6].base >= games, "what was learnt is taken up again"


def test_changed_parameters_are_played_from_the_next_game_on(small, tmp_path):
    with Pilot(scene=small, graphics=False, data_dir=tmp_path) as pilot:
        hall = pilot.component("Hall")
        board, other = hall.boards[:2]
        pilot.wait_until(lambda: board.games >= 1 and other.games >= 1, frames=9000)
        pilot.app.host.set_field(board.slot, "records", 3)
        assert board.games == 0
        assert other.games >= 1
        pilot.wait_until(lambda: board.games >= 1, frames=9000)
        assert board.statistics["records"] >= 1
        pilot.app.host.set_field(board.slot, "further", "records=0")
        pilot.wait_until(lambda: board.stopped)
        assert "records" in board.stopped
        played = other.games
        pilot.wait_until(lambda: other.games > played, frames=9000)


def test_two_slow_clicks_or_clicks_on_two_boards_lead_nowhere(scene, monkeypatch):
    with Pilot(scene=scene, speed=1.0, window=(800, 500), quality="low") as pilot:
        hall, front = pilot.component("Hall"), pilot.component("FrontBoard")
        first, second = (board.object.transform.world_position for board in hall.boards[4:6])
        pilot.click_at(first)
        pilot.click_at(second)
        assert front.board is None
        front._clicked = (-100.0, hall.boards[5])
        pilot.click_at(second)
        assert front.board is None
        pilot.double_click(5.0, 100.0)  # beside every board
        assert front.board is None


def test_without_graphics_nothing_is_painted(scene):
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from sim.testing import Pilot\n"
        "if __name__ == '__main__':\n"
        f"    with Pilot(scene={str(scene)!r}, graphics=False) as pilot:\n"
        "        pilot.step(5)\n"
        "        assert len(pilot.component('Hall').boards) == 16\n"
        "        assert {'cv2', 'panda3d', 'numba'}.isdisjoint(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=SHIPPED_ROOT, timeout=120)


@pytest.mark.nightly
def test_what_a_board_has_learnt_is_saved_and_loaded_by_mouse(corner, tmp_path, monkeypatch):
    path = tmp_path / "mine.learnt"
    with Pilot(scene=corner, speed=64.0, data_dir=tmp_path / "data", quality="low") as pilot:
        hall, front = pilot.component("Hall"), pilot.component("FrontBoard")
        pilot.wait_until(lambda: all(board.retrains for board in hall.boards), frames=9000)
        hall.toggle_pause()
        mouse = Mouse(pilot, monkeypatch)
        for session, label, word in ((1, "Save to a file", "saved"), (2, "Load from a", "loaded")):
            front.visit_board(session)
            with monkeypatch.context() as patch:
                patch.setattr(type(pilot.app.shell.theme), "section", lambda *_, **__: True)
                mouse.click(label)
            assert is_asking(pilot)
            mouse.answer(str(path))
            pilot.wait_until(lambda word=word: word in hall.notice)
        assert f"{hall.boards[0].player}: " in hall.notice
        assert hall.boards[1].statistics["nodes"] == hall.boards[0].statistics["nodes"]
        said = [item.text for item in pilot.app.console.records if "_learnt(" in item.text]
        assert said == [
            '>>> component("Hall").ask_save_learnt(1)',
            f'>>> component("Hall").save_learnt(1, "{path}")',
            '>>> component("Hall").ask_load_learnt(2)',
            f'>>> component("Hall").load_learnt(2, "{path}")',
        ]
        errors = [str(item) for item in pilot.app.console.records if item.level == "error"]
        assert errors == []
