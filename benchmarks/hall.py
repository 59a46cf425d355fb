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

import math
import time
from typing import Any

import numpy as np
import psutil  # type: ignore[import-untyped]

from base.files import SHIPPED_ROOT
from benchmarks.console import at_least_one, machine, parser_of, verdict
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
        rested, worked = np.zeros(4), np.zeros(4)
        for done in range(0, given.frames, ARM_FRAMES):
            hall.toggle_pause()  # rests
            _settle(pilot)
            rested -= _work(hall)
            idle.append(_arm(app, done))
            rested += _work(hall)
            hall.toggle_pause()  # goes on
            worked -= _work(hall)
            busy.append(_arm(app, done))
            worked += _work(hall)
        size = app.view.viewport_size[2:]
        print(f"quality {app.view.quality}, 3D view {size} in {app.display.size}")
        _report(np.concatenate(idle), np.concatenate(busy))
        print(_told("paused", rested))
        print(_told("training", worked))
        _, trainings, computed, _ = worked
        if computed < 5 * rested[2] or not trainings:
            print("NOT VALID: the workers hardly computed in the arm with training")
        held = [psutil.Process(link.process_id).memory_info().rss / 2**20 for link in hall.links]
        print(f"workers hold {', '.join(f'{size:.0f}' for size in held)} MiB")


def _work(hall: Any) -> FloatArray:
    """Return what the workers have done: games, trainings, processor seconds; and the time."""
    times = [psutil.Process(link.process_id).cpu_times() for link in hall.links]
    games = sum(board.games for board in hall.boards)
    trainings = sum(board.retrains for board in hall.boards)
    computed = sum(item.user + item.system for item in times)
    return np.array([games, trainings, computed, time.perf_counter()])


def _told(name: str, work: FloatArray) -> str:
    games, trainings, computed, seconds = work
    return (
        f"while {name}: {games:.0f} games, {trainings:.0f} trainings in {seconds:.1f} s; the "
        f"workers computed {computed:.1f} s"
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
