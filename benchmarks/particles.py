"""Updates a second of 50,000 stars: machine code, NumPy and plain Python; and frames a second.

    python -m benchmarks.particles [STARS]

The three do the same step, in turn in one process, and are compared. Then the shipped scene runs
as it is, drawn at 1280x720 in the quality that `auto` chooses, its picture read back each time: how
often a second all stars were moved (goal: at least 30), and how many different pictures came of it;
beside it the same scene whose function is NumPy. Then once more while its function is
compiled anew, to see what compiling costs the frames. CPU times are given too: they do not depend
on what else runs here.
"""

from __future__ import annotations

import platform
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from sim.testing import Pilot

SCENE = "scenes/particles.scene.json"
WINDOW = (1280, 720)
GOAL_UPDATES = 30.0
RUN_SECONDS = 6.0
SOFT, REACH, SETTLING = 0.35, 2.6, 0.25
FRAMES = 60


def main() -> None:
    """Run the benchmark."""
    stars = int(sys.argv[1]) if len(sys.argv) > 1 else 50_000
    with Pilot(scene=SCENE, panels=False, window=WINDOW, speed=1.0) as pilot:
        app = pilot.app
        if app.display is None or app.view is None:
            raise SystemExit("no display")
        print(f"machine: {platform.platform()}, {platform.machine()}; {app.display.renderer}")
        script = pilot.component("Particles")
        app.host.set_field(script.slot, "stars", stars)
        app.world.compiling.settle(120.0)
        move = sys.modules[type(script).__module__].move
        state = [script.places, script.speeds, script.colors, script.homes, script.cores]
        print(f"{stars} stars, a step:")
        codes: dict[str, tuple[Callable[..., Any], int]] = {
            "machine code": (move, 40),
            "NumPy": (numpy_step, 10),
            "plain Python": (move.function, 1),
        }
        _compare(codes, state)
        print(f"the scene, {app.view.viewport_size[2:]} pixels, quality {app.view.quality}:")
        _print_frames("running", _frames(pilot, FRAMES))
        found = {
            name: _updates(pilot, move, code)
            for name, code in (
                ("machine code", next(iter(move.machine.values()))),
                ("NumPy", numpy_step),
            )
        }
        ratio = found["machine code"] / found["NumPy"]
        print(
            f"updates a second with drawing: machine code / NumPy: {ratio:.1f}; "
            f"machine code: goal at least {GOAL_UPDATES:g}"
        )
    with tempfile.TemporaryDirectory() as folder:
        _while_compiling(Path(folder), stars)


def numpy_step(
    places: Any, speeds: Any, colors: Any, homes: Any, cores: Any, settling: float, dt: float
) -> None:
    """Do the script's step with whole arrays."""
    kick = np.zeros_like(places)
    for core in cores:
        away = core[:3].astype(np.float32) - places
        square = (away * away).sum(axis=1) + np.float32(SOFT * SOFT)
        kick += away * (np.float32(core[9] * dt) / square)[:, None]
    speeds += kick
    own = cores.astype(np.float32)[homes[:, 0].astype(np.int64)]
    away = places - own[:, :3]
    square, wide = (away * away).sum(axis=1), homes[:, 1] ** 2
    rate = wide * np.sqrt(own[:, 9] / (wide + np.float32(SOFT * SOFT)))
    rate /= square + np.float32(0.1) * wide
    target = own[:, 3:6] + np.cross(own[:, 6:9], away) * rate[:, None]
    hold = np.float32(settling * dt) / (1 + (square / np.float32(REACH * REACH)) ** 2)
    speeds += (target - speeds) * hold[:, None]
    places += speeds * np.float32(dt)
    light = 14.0 + 26.0 * np.sqrt((speeds * speeds).sum(axis=1))
    colors[:, 3] = np.minimum(160.0, light).astype(np.uint8)


def _compare(codes: dict[str, tuple[Callable[..., Any], int]], state: list[Any]) -> None:
    first: list[Any] | None = None
    base = 0.0
    for name, (code, repeats) in codes.items():
        mine = [array.copy() for array in state]
        code(*mine, SETTLING, 1 / 60)
        if first is None:
            first = [array.copy() for array in mine]
        apart = float(np.abs(mine[0] - first[0]).max())
        times = []
        for _ in range(repeats):
            begun = time.process_time()
            code(*mine, SETTLING, 1 / 60)
            times.append(time.process_time() - begun)
        best = min(times)
        base = base or best
        print(
            f"{name:>14}: {1 / best:9.1f} updates a second, ratio {best / base:7.1f}, "
            f"places apart by {apart:.1e} m"
        )


def _updates(pilot: Pilot, move: Any, code: Callable[..., Any]) -> float:
    """Run the scene with some code for its function; return updates of all stars a second."""
    display: Any = pilot.app.display
    stars, moved, pictures = pilot.component("Particles").stars, 0, 0

    def counted(places: Any, *others: Any) -> None:
        nonlocal moved
        code(places, *others)
        moved += len(places) == stars

    kept = dict(move.machine)
    move.machine.update(dict.fromkeys(kept, counted))
    _frames(pilot, 5)
    moved, last = 0, display.image()
    begun, spent = time.perf_counter(), time.process_time()
    while time.perf_counter() - begun < RUN_SECONDS:
        pilot.step()
        picture = display.image()
        pictures += not np.array_equal(picture, last)
        last = picture
    wall, cpu = time.perf_counter() - begun, time.process_time() - spent
    move.machine.update(kept)
    shown = "NumPy" if code is numpy_step else "machine code"
    print(
        f"{shown:>16}: {moved / wall:5.1f} updates of {stars} stars a second, "
        f"{pictures / wall:5.1f} other pictures a second; "
        f"CPU {cpu / max(1, moved) * 1000.0:5.1f} ms an update"
    )
    return moved / wall


def _frames(
    pilot: Pilot, count: int, *, until: Callable[[], bool] | None = None
) -> list[tuple[float, float]]:
    """Return wall and CPU milliseconds of frames, the picture read back each time."""
    times = []
    for _ in range(count):
        begun, spent = time.perf_counter(), time.process_time()
        pilot.step()
        if pilot.app.display is not None:
            pilot.app.display.image()
        wall, cpu = time.perf_counter() - begun, time.process_time() - spent
        times.append((wall * 1000.0, cpu * 1000.0))
        if until is not None and until():
            break
    return times[2:]


def _while_compiling(cache: Path, stars: int) -> None:
    """Measure frames with a cold cache while the worker compiles, then those after."""
    with Pilot(scene=SCENE, panels=False, window=WINDOW, speed=1.0) as pilot:
        compiling = pilot.app.world.compiling
        compiling.settle(120.0)
        script = pilot.component("Particles")
        pilot.app.host.set_field(script.slot, "stars", stars)
        _frames(pilot, 20)
        calm = _frames(pilot, FRAMES)
        compiling.cache = cache
        move = sys.modules[type(script).__module__].move
        move.machine.clear()
        move.wanted.clear()
        busy = _frames(pilot, 2000, until=lambda: move.is_compiled)
        _print_frames("calm", calm)
        _print_frames("while compiling", busy)


def _print_frames(name: str, times: list[tuple[float, float]]) -> None:
    walls, cpus = zip(*times, strict=True)
    p50, p99 = np.percentile(walls, [50, 99])
    print(
        f"{name:>16}: p50 {p50:6.1f} ms, p99 {p99:6.1f} ms, max {max(walls):6.1f} ms, "
        f"{1000.0 / p50:5.1f} frames a second; CPU {np.median(cpus):5.1f} ms a frame; "
        f"{len(walls)} frames"
    )


if __name__ == "__main__":
    main()
