"""The documentation's pictures of the window: the live match, the studio, and why a move was made.

    python -m benchmarks.studio_pictures [--games 100] [--data-dir DIR] [--out docs/images]

Plays the games first (games in the data folder count). Then it goes on until a game ends with a row
and until White played its first choice, and draws the pictures on the way. Says how long that took.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

import cv2

from benchmarks.console import machine, parser_of
from benchmarks.panel_pictures import bring
from sim.testing import Pilot

SIZE = (1280, 720)
WATCHED = 8.0  # the speed at which no moment is missed
LEAST_PLIES = 20
LANDING = 20  # frames until the last stone lies, and its row is marked
MIDDLE = range(6, 19)  # plies of a picture in which stones and free points are seen
LINES = ('component("Match").white.player', 'find("Figure").transform.position')


def save(picture: Any, path: Path) -> None:
    """Write a picture as small as PNG makes it."""
    cv2.imwrite(str(path), picture, [cv2.IMWRITE_PNG_COMPRESSION, 9])


def wait_for_a_row(pilot: Pilot, least_plies: int = LEAST_PLIES) -> None:
    """Go on until a game of some length ends with a row; from then on time runs as it is."""
    match = pilot.component("Match")
    pilot.app.clock.speed = WATCHED
    pilot.wait_until(
        lambda: (
            match.current is not None
            and match.current.ply >= least_plies
            and match.current.winning_line()
        ),
        frames=1_000_000,
    )
    pilot.app.clock.speed = 1.0
    pilot.step(LANDING)


def settle(pilot: Pilot) -> Any:
    """Let panels and camera come to rest; return the picture, without this machine's speed."""
    for _ in range(6):
        pilot.draw_panels()
        pilot.app.view.follow(1.0)  # type: ignore[union-attr]
    gauge = pilot.app.gauge
    pilot.app.clock.speed = pilot.app.clock.speed  # measured anew, as the gauge is
    gauge.restart()
    gauge.frame_seconds, gauge.revision = None, gauge.revision + 1
    return pilot.picture()


def draw_insight(pilot: Pilot, out: Path) -> None:
    """Draw why White took its first choice, in the middle of a game."""
    shell: Any = pilot.app.shell
    match = pilot.component("Match")

    def is_wanted() -> bool:
        board = match.current
        is_middle = board is not None and board.ply in MIDDLE and board.ply % 2 == 0
        return is_middle and match.session.ranks[-1:] == [1]

    pilot.app.clock.speed = WATCHED
    pilot.wait_until(is_wanted, frames=1_000_000)
    pilot.app.clock.speed = 1.0
    settle(pilot)
    bring("Insight")(pilot)
    shell.do("command.overlay_heat_map")
    save(settle(pilot), out / "insight.png")
    shell.do("command.overlay_heat_map")
    bring("Training")(pilot)
    pilot.app.console.clear()


def draw_all(pilot: Pilot, out: Path) -> None:
    """Draw the live match and the studio at this moment."""
    shell: Any = pilot.app.shell
    shell.interpreter.run(LINES[0])
    save(settle(pilot), out / "live_match.png")
    shell.preferences.arrange("studio")
    shell.interpreter.run(LINES[1])
    settle(pilot)
    shell.studio.selection.choose(pilot.app.scene.find("Figure"))
    shell.do("studio.tool_move")
    bring("Inspector", "Console")(pilot)
    save(settle(pilot), out / "studio.png")


def leave_studio(pilot: Pilot) -> None:
    """Go back to watching: nothing is selected, and the hand is taken."""
    shell: Any = pilot.app.shell
    shell.studio.selection.choose(None)
    shell.do("studio.tool_play")
    shell.preferences.arrange("watch")


def main() -> None:
    """Play, draw, and say what was written."""
    options = parser_of(__doc__, games=100, data_dir=Path, out=Path("docs/images")).parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    print(machine())
    with tempfile.TemporaryDirectory() as folder:
        data = options.data_dir or Path(folder)
        with Pilot(seed=1, data_dir=data, window=SIZE, quality="medium") as pilot:
            match = pilot.component("Match")
            pilot.wait_until(lambda: match.game > options.games, frames=1_000_000)
            begun = time.perf_counter()
            wait_for_a_row(pilot)
            draw_all(pilot, options.out)
            leave_studio(pilot)
            draw_insight(pilot, options.out)
            print(f"three pictures in {time.perf_counter() - begun:.0f} s")


if __name__ == "__main__":
    main()
