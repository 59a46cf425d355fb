"""Axes of charts: ticks at whole numbers, limits, and the values at a place."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

import numpy as np

from sim.core.script.ui import Numbers, Series

STEPS = (1, 2, 5)


def is_whole(values: Sequence[Numbers]) -> bool:
    """Return whether all numbers of some arrays are whole; False for none at all."""
    arrays = [np.asarray(item, dtype=np.float64) for item in values]
    filled = [item for item in arrays if item.size]
    return bool(filled) and all(bool((item == np.rint(item)).all()) for item in filled)


def whole_ticks(low: float, high: float, most: int) -> list[float]:
    """Return whole numbers from `low` to `high`: every one, or every 2nd, 5th, 10th, ….

    Args:
        low: lower limit of the axis.
        high: upper limit.
        most: maximum number of ticks, at least 1.
    """
    step = 1
    power = 0
    while math.floor(high / step) - math.ceil(low / step) + 1 > max(1, most):
        power += 1
        step = STEPS[power % 3] * 10 ** (power // 3)
    first = math.ceil(low / step)
    return [float(index * step) for index in range(first, math.floor(high / step) + 1)]


@functools.lru_cache(maxsize=256)
def named_ticks(low: float, high: float, most: int) -> tuple[list[float], list[str]]:
    """Return the whole ticks from `low` to `high` and their texts, which nobody may change."""
    ticks = whole_ticks(low, high, most)
    return ticks, [number(tick) for tick in ticks]


def limits_of(values: Sequence[Numbers]) -> tuple[float, float]:
    """Return the least and the greatest of all numbers."""
    filled = [np.asarray(item, dtype=np.float64) for item in values if len(item)]
    return min(float(item.min()) for item in filled), max(float(item.max()) for item in filled)


def values_at(series: Sequence[Series], place: float) -> tuple[float, list[tuple[str, str, float]]]:
    """Return the x value nearest to a place, and (label, colour, y) of each line that has it.

    Args:
        series: lines with at least one point each.
        place: on the horizontal axis.
    """
    nearest = [
        float(np.asarray(x)[np.abs(np.asarray(x, dtype=np.float64) - place).argmin()])
        for _, _, x, _ in series
    ]
    x_value = min(nearest, key=lambda value: abs(value - place))
    found = []
    for label, color, x, y in series:
        places = np.flatnonzero(np.asarray(x, dtype=np.float64) == x_value)
        if places.size:
            found.append((label.partition("##")[0], color, float(np.asarray(y)[places[-1]])))
    return x_value, found


def number(value: float) -> str:
    """Return a value in few characters; a whole one without a point."""
    if value == round(value) and abs(value) < 1e9:
        return f"{value:,.0f}"
    return f"{value:.3g}"
