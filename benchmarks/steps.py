"""Fixed steps a second at maximum speed, beside the same frame loop without any wait.

    python -m benchmarks.steps [--seconds N] [--rounds N]

An empty scene, and a match that is played live by workers. Each runs without a picture in the
loop of `App.run`; in turn with it, in the same process and the same run, goes the loop of frames
alone, in which nothing waits or rests. Exit code 1 where a scene makes less than 0.9 of its steps.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from base.files import SHIPPED_ROOT
from benchmarks.arguments import at_least_one
from sim.app.app import App
from sim.app.pacing import quick_turns
from sim.testing import run_options

GOAL = 0.9
LIVE = SHIPPED_ROOT / "scenes" / "self_teaching.scene.json"
PATIENCE = 300.0  # seconds until the match's first move, at most


class Measurement(NamedTuple):
    """Fixed steps a second of one scene, one of each loop a round."""

    name: str
    as_it_is: tuple[float, ...]
    without_waits: tuple[float, ...]

    @property
    def ratio(self) -> float:
        """Median of the rounds' ratios, so that what slows a whole round slows both."""
        pairs = zip(self.as_it_is, self.without_waits, strict=True)
        return float(np.median([found / free for found, free in pairs]))

    @property
    def is_reached(self) -> bool:
        """Whether the ratio is good enough."""
        return self.ratio >= GOAL


def report(found: Measurement) -> str:
    """Return the line of one scene."""
    verdict = "met" if found.is_reached else "MISSED"
    return (
        f"{found.name:>12}: {np.median(found.as_it_is):7.0f} fixed steps a second, without any "
        f"wait {np.median(found.without_waits):7.0f}: ratio {found.ratio:.3f} "
        f"(goal >= {GOAL:g}: {verdict})"
    )


def steps_a_second(app: App, frame: Callable[[], object], seconds: float) -> float:
    """Run frames for some wall seconds; return their fixed steps a second."""
    begun, before = time.perf_counter(), app.clock.time
    while (passed := time.perf_counter() - begun) < seconds:
        frame()
    return (app.clock.time - before) / app.clock.fixed_dt / passed


def without_waits(app: App) -> Callable[[], object]:
    """Return what runs a frame in which no worker is waited for."""

    def frame() -> None:
        arrivals = app.links.arrivals
        app.links.arrivals = lambda budget=0.0: arrivals()  # type: ignore[method-assign]
        app.frame()
        del app.links.arrivals

    return frame


def measure(name: str, app: App, seconds: float, rounds: int) -> Measurement:
    """Measure a scene: both loops in each round, the one that begins in turn."""

    def as_it_is() -> None:
        begun = time.perf_counter()
        app.frame()
        app._pacing.rest(begun)

    loops = {"as it is": as_it_is, "free": without_waits(app)}
    found: dict[str, list[float]] = {key: [] for key in loops}
    for number in range(rounds):
        for key in sorted(loops, reverse=bool(number % 2)):
            found[key].append(steps_a_second(app, loops[key], seconds))
    return Measurement(name, tuple(found["as it is"]), tuple(found["free"]))


def main() -> int:
    """Read the command line, measure, print; 1 where a goal is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=2.0, help="of one loop in one round")
    parser.add_argument("--rounds", type=at_least_one, default=6)
    options = parser.parse_args()
    print(f"machine: {platform.platform()}, {platform.machine()}, {os.cpu_count()} processors; "
          f"Python {platform.python_version()}")  # fmt: skip
    found = []
    with tempfile.TemporaryDirectory() as folder, quick_turns():
        for name, scene in (("empty scene", empty_scene(Path(folder))), ("live match", LIVE)):
            app = App(run_options(scene=scene, headless=True, graphics=False, seed=1, seconds=1e6))
            try:
                if scene == LIVE:
                    play_until_moves(app)
                found.append(measure(name, app, options.seconds, options.rounds))
                print(report(found[-1]), flush=True)
            finally:
                app.close()
    return 0 if all(item.is_reached for item in found) else 1


def empty_scene(folder: Path) -> Path:
    """Write a scene without any object, in a project of its own; return its file."""
    scene = folder / "scenes" / "empty.scene.json"
    scene.parent.mkdir()
    scene.write_text(json.dumps({"format": "goishi.scene/1", "id": "scn_empty", "objects": {}}))
    return scene


def play_until_moves(app: App) -> None:
    """Run frames until the match's players have made some moves.

    Raises:
        TimeoutError: nobody moves.
    """
    app.frame()  # in which it awakes
    match: Any = next(slot.instance for slot in app.scene.components() if slot.is_called("Match"))
    deadline = time.perf_counter() + PATIENCE
    while match.current is None or match.current.ply < 4:
        if time.perf_counter() > deadline:
            raise TimeoutError(f"{LIVE.name}: expected a move within {PATIENCE:g} s, found none")
        app.frame()


if __name__ == "__main__":
    sys.exit(main())
