"""Frames a second of the default scene while one stone moves, the picture read back each time.

    python -m benchmarks.frames [FRAMES]

Prints the machine, milliseconds a frame, the ratio to drawing everything anew each frame (measured
in the same process, in turn), and what is drawn while nothing moves.
"""

from __future__ import annotations

import math
import platform
import sys
import time
from collections.abc import Callable

import cv2
import numpy as np

from sim.app.app import App
from sim.testing import run_options

STONES = 24


def main() -> None:
    """Run the benchmark."""
    frames = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    app = App(run_options(headless=True, seconds=3600.0, speed=1.0, player_white="random"))
    if app.display is None or app.view is None:
        raise SystemExit("no display")
    print(f"machine: {platform.platform()}, {platform.machine()}; {app.display.renderer}")
    if app.shell is not None:
        app.shell.open("Console")  # the view is as large as it was with all panels
    _play_until(app, lambda: len(_stones(app)) >= STONES)
    app.clock.pause()
    for _ in range(90):  # everything comes to rest
        app.frame()
        time.sleep(0.005)
    mover = app.scene.spawn(
        "Mover", model={"builtin": "stone", "color": "white"}, parent=app.scene.find("Board")
    )
    moving = _measure(app, mover, frames, is_whole=False)
    whole = _measure(app, mover, max(5, frames // 6), is_whole=True)
    _, _, width, height = app.view.viewport_size
    print(
        f"quality {app.view.quality}; 3D view {width}x{height} in {app.display.size}; "
        f"{len(_stones(app))} stones at rest, 1 moving"
    )
    _print("only what moves", moving)
    _print("everything anew", whole)
    print(f"ratio of the medians: {np.median(whole) / np.median(moving):.1f}")
    mover.destroy()
    for _ in range(60):
        app.frame()
        time.sleep(0.005)
    before = app.frame_stats.drawn
    for _ in range(100):
        app.frame()
    print(f"at rest: {app.frame_stats.drawn - before} of 100 frames drawn")
    print(f"SSIM of the resting picture to the high preset's: {_compare(app):.3f}")
    app.close()


def _stones(app: App) -> list[object]:
    return [obj for obj in app.scene.objects.values() if obj.name.startswith("Stone_")]


def _play_until(app: App, is_reached: Callable[[], bool]) -> None:
    app.clock.speed = 8.0
    begun = time.perf_counter()
    while not is_reached() and time.perf_counter() - begun < 90.0:
        app.frame()
    app.clock.speed = 1.0


def _measure(app: App, mover: object, frames: int, *, is_whole: bool) -> list[float]:
    times: list[float] = []
    for index in range(frames):
        angle = index * 0.15
        mover.transform.position = (  # type: ignore[attr-defined]
            2.0 * math.cos(angle),
            2.0 * math.sin(angle),
            0.8 + 0.5 * math.sin(angle * 3),
        )
        if is_whole and app.view is not None:
            app.view.force_redraw()
        begun = time.perf_counter()
        app.frame()
        if app.display is not None:
            app.display.image()
        times.append((time.perf_counter() - begun) * 1000.0)
    return times[3:]


def _print(name: str, times: list[float]) -> None:
    p50, p95 = np.percentile(times, [50, 95])
    print(f"{name:>16}: p50 {p50:6.1f} ms, p95 {p95:6.1f} ms, {1000.0 / p50:5.1f} frames a second")


def _compare(app: App) -> float:
    if app.view is None or app.display is None:
        return 0.0
    resting = app.display.image()
    app.view.set_quality("high")
    for _ in range(3):
        app.frame()
    return ssim(resting, app.display.image())


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
