"""Fixed steps a second at maximum speed, beside the same frame loop without any wait.

    python -m benchmarks.steps [--seconds N] [--rounds N]

An empty scene, and a match that is played live by workers. Each runs without a picture in the
loop of `App.run`; in turn with it, in the same process and the same run, goes the loop of frames
alone, in which nothing waits or rests. Exit code 1 where a scene makes less than 0.9 of its steps.

Where the machine has too much to do, frames wait for an answer that the scene awaits, so that the
workers get a processor (`sim/app/pacing.py`). Those frames are left out, and their share of the
time is printed, where the loop that never waits, too, had no processor for more than a tenth of the
same round; in all other rounds they count like any.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from base.files import SHIPPED_ROOT
from benchmarks.arguments import at_least_one
from sim.app.app import App
from sim.app.pacing import WAITED_SHARE, quick_turns
from sim.core.tasks.starvation import waited_of
from sim.testing import run_options

GOAL = 0.9
LIVE = SHIPPED_ROOT / "scenes" / "self_teaching.scene.json"
PATIENCE = 300.0  # seconds until the match's first move, at most
LEAST_SHARE = 0.1  # of a loop's time in frames that do not wait: where it has less, it goes on
MOST_TIMES = 10  # as long as it should, at most


class Measurement(NamedTuple):
    """Fixed steps a second of one scene, one of each loop a round."""

    name: str
    as_it_is: tuple[float, ...]
    without_waits: tuple[float, ...]
    left_out: float = 0.0
    """Share of the time in frames that waited for an answer because the machine was too busy."""

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
        f"(goal >= {GOAL:g}: {verdict}); {found.left_out:.0%} of the time left out"
    )


@dataclass
class Half:
    """Frames of one loop: their steps and wall seconds, those that waited for an answer apart."""

    steps: float = 0.0
    seconds: float = 0.0
    waiting_steps: float = 0.0
    waiting_seconds: float = 0.0
    starved: float = 0.0
    """Share of the time in which the thread was ready to run and had no processor."""

    @property
    def passed(self) -> float:
        """Wall seconds of all frames."""
        return self.seconds + self.waiting_seconds

    def rate(self, *, is_excused: bool) -> float:
        """Return the steps a second, of the frames that did not wait where it is excused."""
        if is_excused and self.seconds > 0.0:
            return self.steps / self.seconds
        return (self.steps + self.waiting_steps) / self.passed


def run_half(app: App, seconds: float, *, may_wait: bool) -> Half:
    """Run frames for some wall seconds: those of `App.run`, or those that never wait."""
    arrivals, is_waiting, found = app.links.arrivals, False, Half()

    def watched(budget: float = 0.0) -> Iterator[None]:
        nonlocal is_waiting
        is_waiting = may_wait and budget > 0.0 and app.links.is_awaited
        return arrivals(budget if may_wait else 0.0)

    app.links.arrivals = watched  # type: ignore[method-assign]
    thread = threading.get_native_id()
    starved = waited_of(thread)
    try:
        while found.passed < seconds or (
            found.seconds < LEAST_SHARE * seconds and found.passed < MOST_TIMES * seconds
        ):
            begun, before, is_waiting = time.perf_counter(), app.clock.time, False
            app.frame()
            if may_wait:
                app._pacing.rest(begun)
            passed = time.perf_counter() - begun
            steps = (app.clock.time - before) / app.clock.fixed_dt
            if is_waiting:
                found.waiting_steps += steps
                found.waiting_seconds += passed
            else:
                found.steps += steps
                found.seconds += passed
    finally:
        del app.links.arrivals
    found.starved = (waited_of(thread) - starved) / found.passed
    return found


def measure(name: str, app: App, seconds: float, rounds: int) -> Measurement:
    """Measure a scene: both loops in each round, the one that begins in turn."""
    halves: list[tuple[Half, Half]] = []
    for number in range(rounds):
        order = (True, False) if number % 2 else (False, True)
        found = {may_wait: run_half(app, seconds, may_wait=may_wait) for may_wait in order}
        halves.append((found[True], found[False]))
    return judged(name, halves)


def judged(name: str, halves: Sequence[tuple[Half, Half]]) -> Measurement:
    """Return what rounds come to, each a loop as it is and one that never waits."""
    rates, left_out = [], 0.0
    for found, free in halves:
        is_excused = free.starved > WAITED_SHARE
        rates.append(found.rate(is_excused=is_excused))
        left_out += found.waiting_seconds * is_excused
    return Measurement(
        name, tuple(rates), tuple(free.rate(is_excused=False) for _, free in halves),
        left_out / sum(found.passed for found, _ in halves),
    )  # fmt: skip


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
