"""The documentation's pictures of the window: the live match, the studio, and why a move was made.

    python -m benchmarks.studio_pictures [--games 60] [--data-dir DIR] [--out docs/images]

Plays the games first (what is in the data folder is taken up), then on until White is being trained
on a game that it has just lost, and draws each picture there. Says how long each took.
"""

from __future__ import annotations

import argparse
import platform
import tempfile
import time
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from PIL import Image

from benchmarks.panel_pictures import bring
from sim.testing import Pilot

SIZE = (1280, 720)
COLORS = 256
LEAST_PLIES = 20
LINES = ('component("Match").white.player', 'find("Figure").transform.position')


def save(picture: Any, path: Path) -> None:
    """Write a picture in few colours: a third of the size, and no eye sees it."""
    image = Image.fromarray(np.ascontiguousarray(picture[..., ::-1]))
    image.quantize(COLORS, dither=Image.Dither.FLOYDSTEINBERG).save(path, optimize=True)


def wait_for_training(pilot: Pilot) -> None:
    """Go on until White has lost a game of some length, and learns."""
    match, coach = pilot.component("Match"), pilot.component("Coach")
    pilot.wait_until(
        lambda: (
            coach.is_training
            and match.current is not None
            and match.current.ply >= LEAST_PLIES
            and match.current.winning_line()
        ),
        frames=1_000_000,
    )


def settle(pilot: Pilot) -> Any:
    """Let panels and camera come to rest; return the picture."""
    for _ in range(6):
        pilot.draw_panels()
        pilot.app.view.follow(1.0)  # type: ignore[union-attr]
    return pilot.picture()


def draw_all(pilot: Pilot, out: Path) -> None:
    """Draw the three pictures at this moment."""
    shell: Any = pilot.app.shell
    for line in LINES:
        shell.interpreter.run(line)
    shell.arrange("watch")
    save(settle(pilot), out / "live_match.png")
    shell.arrange("studio")
    settle(pilot)
    shell.studio.selection.choose(pilot.app.scene.find("Figure"))
    shell.do("studio.move")
    bring("Inspector", "Console")(pilot)
    save(settle(pilot), out / "studio.png")
    shell.studio.selection.choose(None)
    shell.do("studio.hand")
    shell.arrange("watch")
    bring("Insight")(pilot)
    shell.do("command.heat_map")
    save(settle(pilot), out / "insight.png")


def main() -> None:
    """Play, draw, and say what was written."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=60)
    parser.add_argument("--data-dir", type=Path)
    parser.add_argument("--out", type=Path, default=Path("docs/images"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    print(f"machine: {platform.platform()}, {platform.machine()}")
    with tempfile.TemporaryDirectory() as folder:
        data = options.data_dir or Path(folder)
        with Pilot(seed=1, data_dir=data, window=SIZE, quality="medium") as pilot:
            match = pilot.component("Match")
            pilot.wait_until(lambda: match.game > options.games, frames=1_000_000)
            pilot.app.clock.speed = 8.0
            wait_for_training(pilot)
            begun = time.perf_counter()
            draw_all(pilot, options.out)
            print(f"three pictures, {(time.perf_counter() - begun) / 3:.1f} s each")


if __name__ == "__main__":
    main()
