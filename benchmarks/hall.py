"""Frames of the training hall with a moving camera, with and without training beside it.

    python -m benchmarks.hall [FRAMES] [NICE]

Draws the shipped hall at 1280x720, with panels and quality auto, and reads every picture back.
Frames with the training paused and under way are measured in turn, in one run, and the camera
always moves. Prints percentiles of both, their ratio, the games that were played meanwhile, and how
much memory the workers hold. NICE is the workers' priority (10, the scene's, without it). On a
machine that others use as well, other programs starve workers with 10; 0 shows what training at
full speed costs the picture. Goals: 10 frames a second or more while 16 boards train, and a p99 of
at most twice that without training.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import psutil  # type: ignore[import-untyped]

from base.files import SHIPPED_ROOT
from benchmarks.arguments import at_least_one, parser_of
from benchmarks.report import machine, verdict
from benchmarks.timing import PROCESSOR, WALL, FloatArray, drawn_frames, percentiles
from sim import CameraView
from sim.testing import Pilot

SCENE = SHIPPED_ROOT / "scenes" / "training_hall.scene.json"
ARM_FRAMES = 50
WARM_GAMES = 3
GOAL_RATE = 10.0
GOAL_RATIO = 2.0


def main() -> None:
    """Run the benchmark."""
    parser = parser_of(__doc__)
    parser.add_argument("frames", nargs="?", type=at_least_one, default=300)
    parser.add_argument("nice", nargs="?", type=int)
    given = parser.parse_args()
    with Pilot(scene=SCENE, speed=1.0, seed=1) as pilot:
        app: Any = pilot.app
        hall = pilot.component("Hall")
        print(machine(app.display.renderer))
        nice = hall.nice if given.nice is None else given.nice
        if nice != hall.nice:
            for link in hall.links:
                link.restart({"nice": nice})
        begun = time.perf_counter()
        while any(board.games < WARM_GAMES for board in hall.boards):
            app.frame()
            time.sleep(0.02)
        print(
            f"{len(hall.boards)} boards, {len(hall.links)} workers at nice {nice}; "
            f"game {WARM_GAMES} of each after {time.perf_counter() - begun:.1f} s"
        )
        idle, busy = [], []
        rested, worked = Work(), Work()
        for done in range(0, given.frames, ARM_FRAMES):
            hall.toggle_pause()  # rests
            _settle(pilot)
            with rested.counting(hall):
                idle.append(_arm(app, done))
            hall.toggle_pause()  # goes on
            with worked.counting(hall):
                busy.append(_arm(app, done))
        size = app.view.viewport_size[2:]
        print(f"quality {app.view.quality}, 3D view {size} in {app.display.size}")
        _report(np.concatenate(idle), np.concatenate(busy))
        print(f"while paused: {rested}")
        print(f"while training: {worked}")
        if worked.computed < 5 * rested.computed or not worked.trainings:
            print("NOT VALID: the workers hardly computed in the arm with training")
        held = [psutil.Process(link.process_id).memory_info().rss / 2**20 for link in hall.links]
        print(f"workers hold {', '.join(f'{size:.0f}' for size in held)} MiB")


class Work:
    """What the workers did during the arms of one kind."""

    def __init__(self) -> None:
        self.games = self.trainings = 0
        self.computed = self.seconds = 0.0

    def __str__(self) -> str:
        return (
            f"{self.games} games, {self.trainings} trainings in {self.seconds:.1f} s; the "
            f"workers computed {self.computed:.1f} s"
        )

    @contextlib.contextmanager
    def counting(self, hall: Any) -> Iterator[None]:
        """Add what is done inside."""
        before = self._read(hall)
        yield
        games, trainings, computed, now = (
            after - then for after, then in zip(self._read(hall), before, strict=True)
        )
        self.games += int(games)
        self.trainings += int(trainings)
        self.computed += computed
        self.seconds += now

    def _read(self, hall: Any) -> tuple[float, float, float, float]:
        times = [psutil.Process(link.process_id).cpu_times() for link in hall.links]
        return (
            sum(board.games for board in hall.boards),
            sum(board.retrains for board in hall.boards),
            sum(item.user + item.system for item in times),
            time.perf_counter(),
        )


def _settle(pilot: Pilot) -> None:
    """Wait until the workers have nothing under way any more."""
    quiet, before = 0, -1
    while quiet < 15:
        pilot.app.frame()
        time.sleep(0.05)
        now = sum(board.learnt for board in pilot.component("Hall").boards)
        quiet, before = (quiet + 1 if now == before else 0), now


def _arm(app: Any, done: int) -> FloatArray:
    """Draw frames with the camera on its way around the hall; see `drawn_frames`."""
    home = app.scene.camera.home

    def fly(number: int) -> None:
        angle = (done + number) * 0.06
        view = CameraView(
            home.target,
            home.azimuth + 18.0 * math.sin(angle),
            home.elevation + 6.0 * math.sin(angle * 0.7),
            home.distance * (0.85 + 0.15 * math.cos(angle)),
            home.fov,
        )
        app.scene.camera.fly_to(view, seconds=0.0)

    return drawn_frames(app, ARM_FRAMES, before=fly)


def _report(idle: FloatArray, busy: FloatArray) -> None:
    for name, times in (("training paused", idle), ("training", busy)):
        wall = times[:, WALL]
        cpu50, cpu99 = np.percentile(times[:, PROCESSOR], [50, 99])
        print(
            f"{name:>16}: {percentiles(wall)}, {1000.0 / wall.mean():.1f} a second; processor time "
            f"p50 {cpu50:.1f}, p99 {cpu99:.1f} ms"
        )
    rate = 1000.0 / busy[:, WALL].mean()
    ratio = np.percentile(busy[:, WALL], 99) / np.percentile(idle[:, WALL], 99)
    print(
        f"frames a second while training {rate:.1f} (goal >= {GOAL_RATE:.0f}: "
        f"{verdict(rate >= GOAL_RATE)}); p99 ratio {ratio:.2f} (goal <= {GOAL_RATIO:.0f}: "
        f"{verdict(ratio <= GOAL_RATIO)})"
    )


if __name__ == "__main__":
    main()
