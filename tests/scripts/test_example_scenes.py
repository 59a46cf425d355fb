"""The example scenes: short scripts, and words on the screen that say what one can do."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from base.files import SHIPPED_ROOT
from scripts.examples.chart_wall.wall import CONTROLS, ChartWall

EXAMPLES = (
    "hello", "sandbox", "solar_system", "character", "bouncing_balls", "particles", "first_person",
    "chart_wall", "learning_eye", "cart_pole", "cart_pole_ppo", "pendulum", "car", "reacher", "walker",
    "ball_game", "ball_tracker", "tic_tac_toe", "connect_four",
)  # fmt: skip
LARGEST = 150  # lines, in all files of a scene together
OWN = ("scripts.examples.", "scripts.common.")


def components(name: str) -> list[dict[str, Any]]:
    """Return the components of a shipped scene, as its file has them."""
    path = SHIPPED_ROOT / "scenes" / f"{name}.scene.json"
    objects = json.loads(path.read_text(encoding="utf-8"))["objects"].values()
    return [part for entry in objects for part in entry.get("components", {}).values()]


def module_file(module: str) -> Path | None:
    """Return the file of a module of the examples; None for the live match's and libraries."""
    file = SHIPPED_ROOT.joinpath(*module.split(".")).with_suffix(".py")
    return file if module.startswith(OWN) and file.is_file() else None


def imported(file: Path) -> set[str]:
    """Return the modules that a file imports, each with the names that it takes from them."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            found |= {node.module, *(f"{node.module}.{item.name}" for item in node.names)}
        elif isinstance(node, ast.Import):
            found |= {item.name for item in node.names}
    return found


def files_of(name: str) -> set[Path]:
    """Return the script files that a scene uses, and those that they import."""
    modules = {part["type"].removeprefix("goishi:").partition(":")[0] for part in components(name)}
    files: set[Path] = set()
    while modules:
        file = module_file(modules.pop())
        if file is not None and file not in files:
            files.add(file)
            modules |= imported(file)
    return files


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_needs_less_than_150_lines_in_all_its_files(name):
    files = files_of(name)
    assert files
    lines = {path.name: len(path.read_text(encoding="utf-8").splitlines()) for path in files}
    assert sum(lines.values()) < LARGEST, lines


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_says_on_the_screen_what_can_be_done_there(name):
    notes = [part["fields"]["text"] for part in components(name) if part["type"] == "sim:Note"]
    if any(part["type"].endswith(":Match") for part in components(name)):
        assert notes == [], "a match shows a card of its own: two would cover each other"
    else:
        assert len(notes) == 1
        assert len(notes[0].splitlines()) >= 2


def test_every_shipped_scene_that_is_no_match_is_counted():
    matches = {
        "alphagomoku", "gomoku_15", "puzzles", "replay", "self_teaching", "tournament",
        "training_hall",
    }  # fmt: skip
    names = {path.name.partition(".")[0] for path in (SHIPPED_ROOT / "scenes").glob("*.scene.json")}
    assert names == {*EXAMPLES} | matches


def test_the_chart_walls_controls_stand_on_the_whole_of_their_ground() -> None:
    drawn: list[tuple[float, ...]] = []
    canvas = SimpleNamespace(
        rectangle=lambda area, *_, **__: drawn.append(area),
        text=lambda *_, **__: None,
        button=lambda label, area, *_, **__: drawn.append(area),
    )
    wall: Any = SimpleNamespace(is_paused=False, toggle=None, begin=None)
    ChartWall.draw_controls(wall, cast("Any", canvas))
    ground, *buttons = drawn
    assert ground == (0, 0, *CONTROLS)
    for left, top, width, height in buttons:
        assert min(left, top) > 0
        assert left + width < CONTROLS[0]
        assert top + height < CONTROLS[1]
