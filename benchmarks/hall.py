"""Frames of the training hall with a moving camera, with and without training beside it.

    python -m benchmarks.hall [FRAMES] [NICE]

The shipped hall at 1280x720, panels included, quality auto, every picture read back. Arms of
frames with the training paused and under way in turn, in one run, the camera always moving.
Prints the machine, percentiles of both, their ratio, the games that were played meanwhile, and
what the workers hold in memory. NICE is the workers' priority (the scene's, 10, without): on a
machine that others use as well, 0 shows what training at full speed costs the picture, where 10
lets the others starve it. Goals: 10 frames a second or more while 16 boards train, p99 at
most twice that without training.
"""

from __future__ import annotations

import contextlib
import math
import os
import platform
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import psutil  # type: ignore[import-untyped]

from sim import CameraView
from sim.testing import Pilot

SCENE = Path(__file__).resolve().parents[1] / "scenes" / "training_hall.scene.json"
ARM_FRAMES = 50
WARM_GAMES = 3
GOAL_RATE = 10.0
GOAL_RATIO = 2.0


def main() -> None:
    """Run the benchmark."""
    frames = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    with Pilot(scene=SCENE, speed=1.0, seed=1) as pilot:
        app = pilot.app
        hall = pilot.component("Hall")
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        load = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "-"
        print(
            f"machine: {platform.platform()}, {cores} cores, load before {load}; "
            f"{app.display.renderer if app.display else '-'}"
        )
        nice = int(sys.argv[2]) if len(sys.argv) > 2 else hall.nice
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
        idle: list[tuple[float, float]] = []
        busy: list[tuple[float, float]] = []
        rested, worked = Work(), Work()
        while len(busy) < frames:
            hall.toggle_pause()  # rests
            _settle(pilot)
            with rested.counting(hall):
                idle += _arm(pilot, len(idle))
            hall.toggle_pause()  # goes on
            with worked.counting(hall):
                busy += _arm(pilot, len(busy))
        view = app.view
        size = view.viewport_size[2:] if view is not None else ()
        print(
            f"quality {view.quality if view is not None else '-'}, 3D view {size} in "
            f"{app.display.size if app.display else '-'}"
        )
        _report(np.array(idle), np.array(busy))
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


def _arm(pilot: Pilot, done: int) -> list[tuple[float, float]]:
    """Draw frames with the camera on its way around the hall.

    Returns:
        Milliseconds of each: wall, and processor time of this process, drawing included.
    """
    app = pilot.app
    home = app.scene.camera.home
    times: list[tuple[float, float]] = []
    for index in range(ARM_FRAMES):
        angle = (done + index) * 0.06
        view = CameraView(
            home.target,
            home.azimuth + 18.0 * math.sin(angle),
            home.elevation + 6.0 * math.sin(angle * 0.7),
            home.distance * (0.85 + 0.15 * math.cos(angle)),
            home.fov,
        )
        app.scene.camera.fly_to(view, seconds=0.0)
        begun, cpu = time.perf_counter(), time.process_time()
        app.frame()
        if app.display is not None:
            app.display.image()
        now = time.perf_counter()
        times.append(((now - begun) * 1e3, (time.process_time() - cpu) * 1e3))
    return times


def _report(idle: np.ndarray, busy: np.ndarray) -> None:
    for name, values in (("training paused", idle), ("training", busy)):
        wall = values[:, 0]
        p50, p95, p99 = np.percentile(wall, [50, 95, 99])
        cpu50, cpu99 = np.percentile(values[:, 1], [50, 99])
        print(
            f"{name:>16}: {len(wall)} frames, {1000.0 / wall.mean():.1f} a second, p50 {p50:.1f}, "
            f"p95 {p95:.1f}, p99 {p99:.1f}, max {wall.max():.1f} ms; processor time "
            f"p50 {cpu50:.1f}, p99 {cpu99:.1f} ms"
        )
    rate = 1000.0 / busy[:, 0].mean()
    ratio = np.percentile(busy[:, 0], 99) / np.percentile(idle[:, 0], 99)
    print(
        f"frames a second while training {rate:.1f} (goal >= {GOAL_RATE:.0f}: "
        f"{'met' if rate >= GOAL_RATE else 'missed'}); p99 ratio {ratio:.2f} (goal <= "
        f"{GOAL_RATIO:.0f}: {'met' if ratio <= GOAL_RATIO else 'missed'})"
    )


if __name__ == "__main__":
    main()
