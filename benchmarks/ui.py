"""What the panels cost in Python, each frame, with everything open.

    python -m benchmarks.ui [--frames 300] [--games 10]

Opens the live match offscreen with every panel open and measures `Shell.draw`: our code, ImGui's
layout and the hand-over to Panda3D, without the rasterising. Every frame gets a pointer event, so
that none is skipped. The baseline is the same shell with all panels closed.

Panels share docks, and one that lies behind another is not drawn. So a second figure for each case
brings every panel to the front in turn and adds up what each costs over the closed ones, as if all
lay open side by side. Each is measured with the outline of the selected object, which counts once.
"""

from __future__ import annotations

import dataclasses
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.console import machine, parser_of
from sim.core.input.input_actions import InputEvent
from sim.core.reporting.console import ConsoleRecord
from sim.testing import Pilot

LINES = 10_000
GAMES = 5_000
FRAMES_OF_A_PANEL = 60
OUTLINE = "outline"  # of the selected object, over the view
GOALS = {"live match": 2.0, "10,000 lines, 5,000 games": 3.0}


def measure(pilot: Pilot, frames: int) -> list[float]:
    """Return milliseconds of each of so many drawings of the panels."""
    shell: Any = pilot.app.shell
    found: list[float] = []
    for number in range(frames):
        shell.feed([InputEvent("pointer_move", x=600.0 + number % 7, y=300.0)])
        begun = time.perf_counter()
        shell.draw(1.0 / 60.0)
        found.append((time.perf_counter() - begun) * 1000.0)
        if number % 10 == 0:
            pilot.app.display.present()  # type: ignore[union-attr]
    return found


def side_by_side(pilot: Pilot, titles: list[str], closed: float) -> dict[str, float]:
    """Return the median milliseconds that the outline and each panel cost, its tab in front.

    Args:
        pilot: of the match.
        titles: of the panels.
        closed: milliseconds without any panel and with nothing selected.
    """
    shell: Any = pilot.app.shell
    for title in titles:
        shell.open(title, is_open=False)
    pilot.picture()
    pilot.picture()
    outlined = statistics.median(measure(pilot, FRAMES_OF_A_PANEL))
    costs = {OUTLINE: max(0.0, outlined - closed)}
    for title in titles:
        shell.panel_windows.open_front(title)
        pilot.picture()
        pilot.picture()
        costs[title] = max(0.0, statistics.median(measure(pilot, FRAMES_OF_A_PANEL)) - outlined)
        shell.open(title, is_open=False)
    return costs


def open_all(pilot: Pilot, titles: list[str]) -> None:
    """Open every panel, as they share the docks."""
    for title in titles:
        pilot.app.shell.open(title)  # type: ignore[union-attr]
    pilot.picture()
    pilot.picture()


def fill(pilot: Pilot) -> None:
    """Fill the console, the metrics and the run database as a long evening does."""
    match = pilot.component("Match")
    kept = match.archive.earlier_games()
    for number in range(match.game + 1, GAMES + 1):
        known = kept[number % len(kept)]
        record = dataclasses.replace(known.record, game=number)
        match.archive.keep(record, network_id=known.network_id, details={})
    console = pilot.app.console
    for number in range(LINES):
        level: Any = ("info", "warning", "error")[number % 3]
        place: Any = {"source": "Board", "file": "a.py", "line": number}
        console.add(ConsoleRecord(level, f"line {number}", **place))
    rng = np.random.default_rng(0)
    for game in range(1, GAMES + 1):
        pilot.app.world.metrics.log("white_won", float(rng.random() < 0.9), step=game)
        if rng.random() < 0.2:
            for name in ("nodes", "loss", "accuracy"):
                pilot.app.world.metrics.log(name, float(rng.random()), step=game)


def main() -> None:
    """Print the median and the 99th percentile of each case."""
    options = parser_of(__doc__, frames=300, games=10).parse_args()
    print(machine())
    with tempfile.TemporaryDirectory() as folder, Pilot(seed=1, data_dir=Path(folder)) as pilot:
        match = pilot.component("Match")
        pilot.wait_until(lambda: match.played >= options.games, frames=100_000)
        pilot.app.clock.pause()
        shell: Any = pilot.app.shell
        shell.preferences.arrange("studio")
        titles = [panel.title for panel in shell.panels]
        titles += [entry.title for entry in pilot.app.host.panels.panels]
        for title in titles:
            shell.open(title, is_open=False)
        pilot.picture()
        cases = {"all panels closed": measure(pilot, options.frames)}
        base = statistics.median(cases["all panels closed"])
        shell.open_at("scripts/gomoku/game/match.py", 40)
        shell.studio.selection.choose(pilot.app.scene.find("Board"))
        one_by_one = {"live match": side_by_side(pilot, titles, base)}
        open_all(pilot, titles)
        cases["live match"] = measure(pilot, options.frames)
        pilot.app.console._stderr = False
        fill(pilot)
        full = "10,000 lines, 5,000 games"
        one_by_one[full] = side_by_side(pilot, titles, base)
        open_all(pilot, titles)
        cases[full] = measure(pilot, options.frames)
    for name, times in cases.items():
        middle = statistics.median(times)
        goal = f", goal {GOALS[name]:g}" if name in GOALS else ""
        print(
            f"{name}: {middle:.2f} ms median{goal}, p99 {np.percentile(times, 99):.2f}, "
            f"{middle / base:.1f} times closed panels"
        )
    for name, costs in one_by_one.items():
        total = base + sum(costs.values())
        dearest = sorted(costs, key=lambda title: -costs[title])[:5]
        listed = ", ".join(f"{title} {costs[title]:.2f}" for title in dearest)
        print(
            f"{name}, all {len(costs) - 1} panels side by side: {total:.2f} ms, "
            f"goal {GOALS[name]:g}; dearest: {listed}"
        )


if __name__ == "__main__":
    main()
