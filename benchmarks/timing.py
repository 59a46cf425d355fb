"""How long something takes: by the wall clock, in processor time, frame by frame.

While frames are measured, a stone can circle over the board.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")
Clock = Callable[[], float]
FloatArray = NDArray[np.float64]

WALL, PROCESSOR, THREAD = range(3)
"""Columns of `drawn_frames`."""


def timed(work: Callable[[], T], clock: Clock = time.process_time) -> tuple[float, T]:
    """Return the seconds that a call takes, and its result."""
    begun = clock()
    result = work()
    return clock() - begun, result


def quickest(work: Callable[[], T], times: int) -> tuple[float, T]:
    """Return the least processor seconds of several calls, and the last result.

    What a busy machine adds is not the work's, so the quickest call says most.
    """
    found = [timed(work) for _ in range(times)]
    return min(seconds for seconds, _ in found), found[-1][1]


def milliseconds(step: Callable[[], object], count: int, *, unmeasured: int = 0) -> list[float]:
    """Return the thread's milliseconds of each of `count` steps, after some unmeasured ones."""
    for _ in range(unmeasured):
        step()
    return [timed(step, time.thread_time)[0] * 1000.0 for _ in range(count)]


def drawn_frames(
    app: Any,
    count: int,
    *,
    before: Callable[[int], object] = lambda number: None,
    pace: float = 0.0,
    until: Callable[[], bool] = lambda: False,
) -> FloatArray:
    """Run frames of an app and read the picture of each back, so that it is drawn to its end.

    Args:
        app: the `App`.
        count: number of frames.
        before: called with the number of each frame, from 0; its time does not count.
        pace: seconds from one frame to the next, at least.
        until: ends the frames early.

    Returns:
        `[N, 3]` milliseconds of each frame: by the wall clock, in processor time of this process,
        and of this thread.
    """
    times = []
    for number in range(count):
        before(number)
        begun = _clocks()
        app.frame()
        if app.display is not None:
            app.display.image()
        times.append(_clocks() - begun)
        time.sleep(max(0.0, pace - times[-1][WALL]))
        if until():
            break
    return np.array(times) * 1000.0


def _clocks() -> FloatArray:
    return np.array([time.perf_counter(), time.process_time(), time.thread_time()])


def percentiles(times: Sequence[float] | FloatArray) -> str:
    """Return the count and the percentiles of frames' milliseconds, as words."""
    p50, p95, p99, most = np.percentile(times, [50, 95, 99, 100])
    return f"{len(times)} frames, p50 {p50:.1f}, p95 {p95:.1f}, p99 {p99:.1f}, max {most:.1f} ms"


def circle(mover: Any, number: int) -> None:
    """Put an object at its place of a frame: it circles over the board."""
    angle = number * 0.15
    height = 0.8 + 0.5 * math.sin(angle * 3)
    mover.transform.position = (2.0 * math.cos(angle), 2.0 * math.sin(angle), height)


def circling_stone(app: Any) -> Any:
    """Return a new white stone over the board, to be moved by `circle`."""
    board = app.scene.find("Board")
    return app.scene.spawn("Mover", model={"builtin": "stone", "color": "white"}, parent=board)
