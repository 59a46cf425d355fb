"""Frames a second of the default scene while one stone moves, the picture read back each time.

    python -m benchmarks.frames [FRAMES]

Prints the machine, milliseconds a frame, the ratio to drawing everything anew each frame (measured
in the same process, in turn), and what is drawn while nothing moves.
"""

from __future__ import annotations

import time
from typing import Any

import cv2
import numpy as np

from benchmarks.console import at_least_one, machine, parser_of
from benchmarks.timing import WALL, FloatArray, circle, circling_stone, drawn_frames
from sim.testing import Pilot

STONES = 24
MOST_SECONDS = 90.0  # until there are so many stones


def main() -> None:
    """Run the benchmark."""
    parser = parser_of(__doc__)
    parser.add_argument("frames", nargs="?", type=at_least_one, default=60)
    frames = parser.parse_args().frames
    with Pilot(speed=8.0, player_white="random") as pilot:
        app: Any = pilot.app
        print(machine(app.display.renderer))
        app.shell.open("Console")  # the view is as large as it was with all panels
        deadline = time.perf_counter() + MOST_SECONDS
        while _stones(app) < STONES and time.perf_counter() < deadline:
            app.frame()
        app.clock.speed = 1.0
        app.clock.pause()
        _rest(pilot)
        mover = circling_stone(app)
        moving = _measure(app, mover, frames, is_whole=False)
        whole = _measure(app, mover, max(5, frames // 6), is_whole=True)
        _, _, width, height = app.view.viewport_size
        print(
            f"quality {app.view.quality}; 3D view {width}x{height} in {app.display.size}; "
            f"{_stones(app)} stones at rest, 1 moving"
        )
        _print("only what moves", moving)
        _print("everything anew", whole)
        print(f"ratio of the medians: {np.median(whole) / np.median(moving):.1f}")
        mover.destroy()
        _rest(pilot)
        before = app.frame_stats.drawn
        pilot.step(100)
        print(f"at rest: {app.frame_stats.drawn - before} of 100 frames drawn")
        resting = app.display.image()
        app.view.set_quality("high")
        pilot.step(3)
        alike = ssim(resting, app.display.image())
        print(f"SSIM of the resting picture to the high preset's: {alike:.3f}")


def _stones(app: Any) -> int:
    return sum(obj.name.startswith("Stone_") for obj in app.scene.objects.values())


def _rest(pilot: Pilot) -> None:
    """Let everything come to rest."""
    for _ in range(90):
        pilot.step()
        time.sleep(0.005)


def _measure(app: Any, mover: Any, frames: int, *, is_whole: bool) -> FloatArray:
    """Return the milliseconds of frames; the first three are left out."""

    def move(number: int) -> None:
        circle(mover, number)
        if is_whole:
            app.view.force_redraw()

    return drawn_frames(app, frames, before=move)[3:, WALL]


def _print(name: str, times: FloatArray) -> None:
    p50, p95 = np.percentile(times, [50, 95])
    print(f"{name:>16}: p50 {p50:6.1f} ms, p95 {p95:6.1f} ms, {1000.0 / p50:5.1f} frames a second")


def ssim(first: np.ndarray, second: np.ndarray) -> float:
    """Return the structural similarity of two pictures (Wang et al. 2004), grey, 11x11 Gauss."""
    a, b = (cv2.cvtColor(item, cv2.COLOR_BGR2GRAY).astype(np.float64) for item in (first, second))

    def mean(values: np.ndarray) -> np.ndarray:
        return np.asarray(cv2.GaussianBlur(values, (11, 11), 1.5))

    ma, mb = mean(a), mean(b)
    va, vb, covariance = mean(a * a) - ma**2, mean(b * b) - mb**2, mean(a * b) - ma * mb
    c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    top = (2 * ma * mb + c1) * (2 * covariance + c2)
    return float(np.mean(top / ((ma**2 + mb**2 + c1) * (va + vb + c2))))


if __name__ == "__main__":
    main()
