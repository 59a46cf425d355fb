"""Draw the small pictures of the shipped scenes that the welcome panel shows.

    python -m benchmarks.scene_pictures [NAME …]

Writes docs/images/scenes/NAME.png; without names, one for each scene.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import cv2

from base.files import SHIPPED_ROOT
from base.schema import OptionValue
from benchmarks.console import parser_of
from benchmarks.programs import run_main
from sim.core.host.scene_options import read_options
from sim.core.input.input_actions import InputEvent
from sim.testing import Pilot

SIZE = (456, 256)
FACTOR = 2  # drawn larger, for smooth edges
PLIES = {"gomoku_15": 15, "tic_tac_toe": 5, "connect_four": 17}
GAMES = {"tic_tac_toe": 60, "connect_four": 50}  # learnt from first: their charts show it
SHOWN_PLIES = 11
BOARDS = ("BoardView", "TicTacToeBoard", "ConnectFourBoard")
GAME_SPEED = 64.0
FRAMES = {
    "bouncing_balls": 660, "sandbox": 140, "solar_system": 40, "character": 700, "cart_pole": 3600,
    "cart_pole_ppo": 3000, "pendulum": 420, "car": 900, "reacher": 90, "walker": 130,
    "ball_game": 330, "ball_tracker": 150,
}  # fmt: skip
"""Frames until the picture of a scene in which nobody plays."""
SETTLE_FRAMES = 24
GALAXY_STEPS = 180
LESSONS = 4


def main() -> None:
    """Draw what was asked for."""
    parser = parser_of(__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    names = parser.parse_args().names
    folder = SHIPPED_ROOT / "docs" / "images" / "scenes"
    folder.mkdir(parents=True, exist_ok=True)
    for path in sorted((SHIPPED_ROOT / "scenes").glob("*.scene.json")):
        name = path.name.removesuffix(".scene.json")
        if names and name not in names:
            continue
        made = folder.parent / f"{name}.png"  # a page's own picture of the scene will do
        picture = cv2.imread(str(made)) if made.exists() else None
        small = picture_of(path, name) if picture is None else _small(picture)
        cv2.imwrite(str(folder / f"{name}.png"), small)
        print(folder / f"{name}.png")


def picture_of(path: Path, name: str) -> Any:
    """Return the picture of a scene, some moves into its game where there is one."""
    with tempfile.TemporaryDirectory() as temporary:
        values = _game_to_replay(Path(temporary)) if name == "replay" else {}
        if name not in GAMES and "player-white" in read_options(path):
            values["player-white"] = "genetic"
        window = (SIZE[0] * FACTOR, SIZE[1] * FACTOR)
        how: dict[str, Any] = {"panels": False, "window": window, "quality": "medium", "seed": 5}
        how |= {"speed": 1.0 if name in FRAMES else GAME_SPEED, "script_options": values}
        with Pilot(scene=path, **how) as pilot:
            for note in pilot.app.scene.find_all("Note"):
                note.enabled = False  # too small to read
            pilot.app.inject(InputEvent("minimize"))  # nothing is drawn while the game goes on
            wanted = PLIES.get(name, SHOWN_PLIES)
            slots = pilot.app.scene.components()
            boards: list[Any] = [slot.instance for slot in slots if slot.class_name in BOARDS]
            if name in GAMES:
                match = pilot.component("Match")
                pilot.wait_until(lambda: match.played >= GAMES[name], frames=40_000)
            if boards:
                run, board = pilot.app.run_context, boards[0]
                pilot.wait_until(
                    lambda: len(board.stones) >= wanted or run.stop_requested, frames=20_000
                )
            _let_run(pilot, name)
            pilot.app.clock.frame_step = 1 / 60
            pilot.app.clock.speed = 1.0
            pilot.app.world.assets.poll(10.0)
            pilot.step(FRAMES.get(name, SETTLE_FRAMES))
            picture = pilot.picture()
    return _small(picture)


def _let_run(pilot: Pilot, name: str) -> None:
    """Let a scene come to what it is about."""
    if name == "particles":
        pilot.app.world.compiling.settle(120.0)
        pilot.app.clock.frame_step = 1 / 30
        pilot.step(GALAXY_STEPS)
    elif name == "cart_pole_ppo":
        trainer = pilot.component("Trainer")
        pilot.wait_until(lambda: trainer.state == "done", frames=100_000)
        pilot.app.inject(InputEvent("restore"))
    elif name == "learning_eye":
        eye = pilot.component("LearningEye")
        pilot.app.inject(InputEvent("restore"))
        pilot.wait_until(lambda: eye.lessons >= LESSONS and eye.hits and eye.hits[-1] == 1.0)


def _small(picture: Any) -> Any:
    return cv2.resize(picture, SIZE, interpolation=cv2.INTER_AREA)


def _game_to_replay(folder: Path) -> dict[str, OptionValue]:
    out = folder / "run"
    words = ("--headless", "--no-graphics", "--games", "1", "--seed", "8", "--out", str(out))
    run_main("run", *words, "--player-white", "genetic")
    return {"replay": str(out), "replay-game": 1}


if __name__ == "__main__":
    main()
