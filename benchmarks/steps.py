"""Fixed steps a second at maximum speed, beside the same frame loop without any wait.

    python -m benchmarks.steps [--seconds N] [--rounds N]

Measures an empty scene, and a match that workers play live. Each runs without a picture in the
loop of `App.run`. The loop of frames alone, in which nothing waits or rests, runs in turn with it,
in the same process. The exit code is 1 if a scene makes less than 0.9 of the steps of that loop.

If the machine has too much to do, frames at maximum speed wait for an answer that the scene awaits,
so that the workers get a processor (`sim/app/pacing.py`). That is on purpose. So some rounds are
judged by a third loop, that of `App.run` as on a machine with time: those in which the loop that
never waits had no processor for more than a tenth of its time. What was made with those waits is
printed beside it.
"""

from __future__ import annotations

import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from base.files import SHIPPED_ROOT
from benchmarks.console import machine, parser_of, verdict
from benchmarks.programs import write_project
from sim.app.app import App
from sim.app.pacing import WAITED_SHARE, quick_turns
from sim.core.hangs.watchdog import waited_of
from sim.testing import run_options

GOAL = 0.9
LIVE = SHIPPED_ROOT / "scenes" / "self_teaching.scene.json"
PATIENCE = 300.0  # seconds until the match's first move, at most
AS_IT_IS, WITH_TIME, FREE = "as it is", "as on a machine with time", "free"


class Measurement(NamedTuple):
    """Fixed steps a second of one scene, one of each loop a round."""

    name: str
    as_it_is: tuple[float, ...]
    without_waits: tuple[float, ...]
    crowded: tuple[float, ...] = ()
    """Those of the loop as it is in rounds in which the machine had too much to do."""

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
    crowd = ""
    if found.crowded:
        crowd = (
            f"; the machine was too busy in {len(found.crowded)} of {len(found.as_it_is)} rounds: "
            f"{np.median(found.crowded):.0f} with the waits of those"
        )
    return (
        f"{found.name:>12}: {np.median(found.as_it_is):7.0f} fixed steps a second, without any "
        f"wait {np.median(found.without_waits):7.0f}: ratio {found.ratio:.3f} "
        f"(goal >= {GOAL:g}: {verdict(found.is_reached)}){crowd}"
    )


class Half(NamedTuple):
    """What one loop made in one round."""

    rate: float
    """Fixed steps a second."""
    starved: float
    """Share of the time in which the thread was ready to run and had no processor."""


class WithTime:
    """Takes the place of `Contention` where the machine is to have time."""

    def is_felt(self, now: float) -> bool:
        """Return whether the machine has too much to do."""
        return False


def run_half(app: App, seconds: float, loop: str) -> Half:
    """Run frames of a loop for some wall seconds."""
    pacing, arrivals = app._pacing, app.world.links.arrivals
    contention = pacing._contention
    if loop != AS_IT_IS:
        pacing._contention = WithTime()  # type: ignore[assignment]
    if loop == FREE:
        app.world.links.arrivals = lambda budget=0.0: arrivals()  # type: ignore[method-assign]
    thread = threading.get_native_id()
    begun, before, starved = time.perf_counter(), app.clock.time, waited_of(thread)
    try:
        while (passed := time.perf_counter() - begun) < seconds:
            frame = time.perf_counter()
            app.frame()
            if loop != FREE:
                pacing.rest(frame)
    finally:
        pacing._contention = contention
        vars(app.world.links).pop("arrivals", None)
    steps = (app.clock.time - before) / app.clock.fixed_dt
    return Half(steps / passed, (waited_of(thread) - starved) / passed)


def measure(name: str, app: App, seconds: float, rounds: int) -> Measurement:
    """Measure a scene: all loops in each round, the one that begins in turn."""
    halves = []
    for number in range(rounds):
        order = (AS_IT_IS, WITH_TIME, FREE) if number % 2 else (FREE, WITH_TIME, AS_IT_IS)
        halves.append({loop: run_half(app, seconds, loop) for loop in order})
    return judged(name, halves)


def judged(name: str, rounds: Sequence[Mapping[str, Half]]) -> Measurement:
    """Return what rounds come to, each of them all loops."""
    rates, crowded = [], []
    for found in rounds:
        is_crowded = found[FREE].starved > WAITED_SHARE
        rates.append(found[WITH_TIME if is_crowded else AS_IT_IS].rate)
        crowded += [found[AS_IT_IS].rate] * is_crowded
    free = tuple(found[FREE].rate for found in rounds)
    return Measurement(name, tuple(rates), free, tuple(crowded))


def main() -> int:
    """Read the command line, measure, print; 1 where a goal is missed."""
    parser = parser_of(__doc__, seconds=(2.0, "of one loop in one round"), rounds=6)
    options = parser.parse_args()
    print(machine())
    found = []
    with tempfile.TemporaryDirectory() as folder, quick_turns():
        for name, scene in (("empty scene", write_project(Path(folder))), ("live match", LIVE)):
            app = App(run_options(scene=scene, headless=True, graphics=False, seed=1, seconds=1e6))
            try:
                if scene == LIVE:
                    play_until_moves(app)
                found.append(measure(name, app, options.seconds, options.rounds))
                print(report(found[-1]), flush=True)
            finally:
                app.close()
    return 0 if all(item.is_reached for item in found) else 1


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
