"""Frames of the cart-pole's scene while PPO learns.

    python -m benchmarks.live_ppo [--frames 500]

The scene `cart_pole_ppo` is drawn offscreen as in its window, 30 times a second or as often as the
processor can. The learning is paused and goes on in turn. What was learnt steers the cart in both.
Prints percentiles of a frame's time, the ratio of the 99th percentiles, and how many decisions were
learnt from meanwhile. The exit code is 1 if the goal is missed.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from base.files import SHIPPED_ROOT
from benchmarks.console import machine, parser_of, verdict
from benchmarks.timing import WALL, drawn_frames, percentiles
from sim.testing import Pilot

SCENE = SHIPPED_ROOT / "scenes" / "cart_pole_ppo.scene.json"
GOAL = 1.25
LEAST = 5_000
"""Decisions to be learnt from in 500 frames: a learner that stands still disturbs nobody."""
ARM = 125
"""Frames before the other arm's turn."""
FRAME_SECONDS = 1.0 / 30.0
STILL = 3.0
"""Seconds without news after which a paused learner is taken to rest."""


def main() -> int:
    """Measure, print, and return the exit code."""
    given = parser_of(__doc__, frames=(500, "of each kind")).parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        Pilot(scene=endless(Path(folder)), speed=1.0, seed=1) as pilot,
    ):
        app = pilot.app
        print(machine(app.display.renderer if app.display else "-"))
        trainer = pilot.component("Trainer")
        pilot.wait_until(partial(has_learnt, trainer, 0), frames=100_000)
        arm(pilot)  # the first pictures are copied in another way
        arms: dict[str, list[float]] = {"paused": [], "learning": []}
        learnt, is_next_paused = 0, True
        while min(map(len, arms.values())) < given.frames:
            for is_paused in (is_next_paused, not is_next_paused):  # A B B A
                if is_paused != trainer.is_paused:
                    switch(pilot, trainer)
                before = trainer.learnt
                arms["paused" if is_paused else "learning"] += arm(pilot)
                learnt += 0 if is_paused else trainer.learnt - before
            is_next_paused = not is_next_paused
    return report(arms, learnt)


def endless(folder: Path) -> str:
    """Write the scene with a training that does not end meanwhile, and return its file."""
    document = json.loads(SCENE.read_text("utf-8"))
    for item in document["objects"].values():
        for component in item.get("components", {}).values():
            if component["type"].startswith("scripts."):
                component["type"] = f"goishi:{component['type']}"  # it lies outside of Goishi
            if component["type"].endswith(":Trainer"):
                component["fields"]["steps"] = 10**8
    path = folder / SCENE.name
    path.write_text(json.dumps(document), "utf-8")
    return str(path)


def has_learnt(trainer: Any, before: int) -> bool:
    """Return whether it has learnt from more decisions than before."""
    return int(trainer.learnt) > before


def switch(pilot: Pilot, trainer: Any) -> None:
    """Pause the learning and wait until nothing more comes of it; or wait until it goes on."""
    trainer.toggle_pause()
    if not trainer.is_paused:
        pilot.wait_until(partial(has_learnt, trainer, trainer.learnt), frames=100_000)
        return
    learnt, since = trainer.learnt, time.monotonic()
    while time.monotonic() - since < STILL:
        pilot.app.frame()
        time.sleep(FRAME_SECONDS)
        if trainer.learnt != learnt:
            learnt, since = trainer.learnt, time.monotonic()


def arm(pilot: Pilot) -> list[float]:
    """Draw frames at a steady rate; return the milliseconds of each."""
    times = drawn_frames(pilot.app, ARM, pace=FRAME_SECONDS)
    return [float(wall) for wall in times[:, WALL]]


def report(arms: dict[str, list[float]], learnt: int) -> int:
    """Print what was measured, and return the exit code."""
    for name, times in arms.items():
        print(f"{name:>9}: {percentiles(times)}")
    ratio = np.percentile(arms["learning"], 99) / np.percentile(arms["paused"], 99)
    is_met = bool(ratio <= GOAL) and learnt >= LEAST * len(arms["learning"]) / 500
    print(
        f"learnt from {learnt:,} decisions meanwhile; p99 ratio {ratio:.2f} (goal {GOAL}, and "
        f"{LEAST:,} decisions in 500 frames): {verdict(is_met)}"
    )
    return 0 if is_met else 1


if __name__ == "__main__":
    sys.exit(main())
