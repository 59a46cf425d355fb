"""Updates a second of 50,000 stars: machine code, NumPy and plain Python; and frames a second.

    python -m benchmarks.particles [STARS]

The three do the same step, in turn in one process, and are compared. Then the shipped scene runs as
it is, drawn at 1280x720 in the quality that `auto` chooses, and every picture is read back. Prints
how often a second all stars were moved (goal: at least 30), and how many different pictures came of
it, with the compiled function and with NumPy. Then frames are measured while the function is
compiled anew, to see what compiling costs. CPU times do not depend on what else runs here.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.console import at_least_one, machine, parser_of
from benchmarks.timing import PROCESSOR, WALL, FloatArray, drawn_frames, quickest
from sim.testing import Pilot

SCENE = "scenes/particles.scene.json"
WINDOW = (1280, 720)
GOAL_UPDATES = 30.0
RUN_SECONDS = 6.0
SOFT, REACH, SETTLING = 0.35, 2.6, 0.25
FRAMES = 60


def main() -> None:
    """Run the benchmark."""
    parser = parser_of(__doc__)
    parser.add_argument("stars", nargs="?", type=at_least_one, default=50_000)
    stars = parser.parse_args().stars
    with Pilot(scene=SCENE, panels=False, window=WINDOW, speed=1.0) as pilot:
        app: Any = pilot.app
        print(machine(app.display.renderer))
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
        _print_frames("running", drawn_frames(app, FRAMES)[2:])
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
        best, _ = quickest(partial(code, *mine, SETTLING, 1 / 60), repeats)
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
    drawn_frames(pilot.app, 5)
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


def _while_compiling(cache: Path, stars: int) -> None:
    """Measure frames with a cold cache while the worker compiles, then those after."""
    with Pilot(scene=SCENE, panels=False, window=WINDOW, speed=1.0) as pilot:
        compiling = pilot.app.world.compiling
        compiling.settle(120.0)
        script = pilot.component("Particles")
        pilot.app.host.set_field(script.slot, "stars", stars)
        calm = drawn_frames(pilot.app, 20 + FRAMES)[20:]
        compiling.cache = cache
        move = sys.modules[type(script).__module__].move
        move.machine.clear()
        move.wanted.clear()
        busy = drawn_frames(pilot.app, 2000, until=lambda: bool(move.is_compiled))[2:]
        _print_frames("calm", calm)
        _print_frames("while compiling", busy)


def _print_frames(name: str, times: FloatArray) -> None:
    p50, p99, most = np.percentile(times[:, WALL], [50, 99, 100])
    print(
        f"{name:>16}: p50 {p50:6.1f} ms, p99 {p99:6.1f} ms, max {most:6.1f} ms, "
        f"{1000.0 / p50:5.1f} frames a second; CPU {np.median(times[:, PROCESSOR]):5.1f} ms a "
        f"frame; {len(times)} frames"
    )


if __name__ == "__main__":
    main()
