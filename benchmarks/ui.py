"""What the panels cost in Python, each frame, with everything open.

    python -m benchmarks.ui

Opens the live match offscreen with every panel open and measures `Shell.draw`: our code, ImGui's
layout and the hand-over to Panda3D, without the rasterising. Every frame gets a pointer event, so
that none is skipped. The baseline is the same shell with all panels closed.
"""

from __future__ import annotations

import argparse
import platform
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np

from sim.core.console import ConsoleRecord
from sim.core.input_actions import InputEvent
from sim.testing import Pilot

LINES = 10_000
GAMES = 5_000
GOALS = {"live match": 2.0, "10,000 lines, 5,000 games": 3.0}


def measure(pilot: Pilot, frames: int) -> list[float]:
    """Return milliseconds of each of so many drawings of the panels."""
    shell = pilot.app.shell
    if shell is None:
        raise RuntimeError("expected panels")
    found: list[float] = []
    for number in range(frames):
        shell.feed([InputEvent("pointer_move", x=600.0 + number % 7, y=300.0)])
        begun = time.perf_counter()
        shell.draw(1.0 / 60.0)
        found.append((time.perf_counter() - begun) * 1000.0)
        if number % 10 == 0:
            pilot.app.display.present()  # type: ignore[union-attr]
    return found


def fill(pilot: Pilot) -> None:
    """Fill the console and the metrics as a long evening does."""
    console = pilot.app.console
    for number in range(LINES):
        level = ("info", "warning", "error")[number % 3]
        console.add(
            ConsoleRecord(level, f"line {number}", source="Board", file="a.py", line=number)  # type: ignore[arg-type]
        )
    rng = np.random.default_rng(0)
    for game in range(1, GAMES + 1):
        pilot.app.metrics.log("white_won", float(rng.random() < 0.9), step=game)
        if rng.random() < 0.2:
            for name in ("nodes", "loss", "accuracy"):
                pilot.app.metrics.log(name, float(rng.random()), step=game)


def main() -> None:
    """Print the median and the 99th percentile of each case."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--frames", type=int, default=300)
    parser.add_argument("--games", type=int, default=10)
    options = parser.parse_args()
    print(f"machine: {platform.platform()}, {platform.machine()}")
    with tempfile.TemporaryDirectory() as folder, Pilot(seed=1, data_dir=Path(folder)) as pilot:
        match = pilot.component("Match")
        pilot.wait_until(lambda: match.played >= options.games, frames=100_000)
        pilot.app.clock.pause()
        shell = pilot.app.shell
        if shell is None:
            raise RuntimeError("expected panels")
        shell.arrange("studio")
        titles = [panel.title for panel in shell.panels]
        titles += [entry.title for entry in pilot.app.panels.panels]
        for title in titles:
            shell.open(title, is_open=False)
        pilot.picture()
        cases = {"all panels closed": measure(pilot, options.frames)}
        for title in titles:
            shell.open(title)
        shell.open_at("scripts/gomoku/match.py", 40)
        shell.studio.selection.choose(pilot.app.scene.find("Board"))
        pilot.picture()
        pilot.picture()
        cases["live match"] = measure(pilot, options.frames)
        pilot.app.console._stderr = False
        fill(pilot)
        pilot.picture()
        cases["10,000 lines, 5,000 games"] = measure(pilot, options.frames)
    base = statistics.median(cases["all panels closed"])
    for name, times in cases.items():
        middle = statistics.median(times)
        goal = f", goal {GOALS[name]:g}" if name in GOALS else ""
        print(
            f"{name}: {middle:.2f} ms median{goal}, p99 {np.percentile(times, 99):.2f}, "
            f"{middle / base:.1f} times closed panels"
        )


if __name__ == "__main__":
    main()
