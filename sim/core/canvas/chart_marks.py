"""The numbers behind charts: limits, round ticks, points of lines and areas of bars."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from sim.core.canvas.checks import checked_number

FloatArray = npt.NDArray[np.float64]
LARGEST, LEAST_SPAN = 1e300, 1e-280  # beyond these, differences are no numbers any more
POINTS_A_PIXEL = 2  # of a line; more are drawn as the least and the greatest of each pixel


def limits(
    where: str, values: FloatArray, low: float | None, high: float | None
) -> tuple[float, float]:
    """Return the limits of a chart's axis, never equal.

    Raises:
        ValueError: `low` is above `high`, or one is not finite or too large to draw.
    """
    first = float(values.min()) if low is None else checked_number(where, "low", low)
    last = float(values.max()) if high is None else checked_number(where, "high", high)
    if low is not None and high is not None and first > last:
        raise ValueError(f"{where}: expected low below high, found {first:g} and {last:g}")
    if max(abs(first), abs(last)) > LARGEST:
        raise ValueError(
            f"{where}: expected numbers up to {LARGEST:g}, found {first:g} to {last:g}"
        )
    if last - first > LEAST_SPAN:
        return first, last
    room = max(abs(first), abs(last), 1.0) * 0.5  # all values are equal, or beyond a given limit
    if low is not None:
        return first, first + room
    return (first - room, last + room) if high is None else (last - room, last)


def line_points(values: FloatArray, area: FloatArray, low: float, high: float) -> FloatArray:
    """Return the pixels `[m, 2]` of a line through values `[n]`, clipped to the area."""
    left, top, width, height = area
    if len(values) == 1:
        values = np.repeat(values, 2)
    across = np.linspace(left, left + width, len(values))
    if len(values) > 2 * POINTS_A_PIXEL * max(2.0, width):
        across, values = _thinned(across, values, max(2, int(width)))
    shares = np.clip((values - low) / (high - low), 0.0, 1.0)
    return np.column_stack([across, top + height * (1.0 - shares)])


def _thinned(across: FloatArray, values: FloatArray, groups: int) -> tuple[FloatArray, FloatArray]:
    """Return the least and the greatest value of each group, in their order."""
    bounds = np.linspace(0, len(values), groups + 1).astype(int)[:-1]
    ends = np.column_stack(
        [np.minimum.reduceat(values, bounds), np.maximum.reduceat(values, bounds)]
    )
    falls = values[bounds] > ends.mean(axis=1)
    ends[falls] = ends[falls][:, ::-1]
    return np.repeat(across[bounds], 2), ends.ravel()


def bar_areas(
    values: FloatArray, area: FloatArray, low: float, high: float, gap: float
) -> list[tuple[float, float, float, float]]:
    """Return left, top, width and height in pixels of each bar that is not empty."""
    left, top, width, height = area
    step = width / len(values)
    shares = np.clip((values - low) / (high - low), 0.0, 1.0)
    zero = min(1.0, max(0.0, -low / (high - low)))
    found: list[tuple[float, float, float, float]] = []
    for index, share in enumerate(shares):
        over, under = max(float(share), zero), min(float(share), zero)
        if over > under:
            bar = (left + (index + gap / 2) * step, top + height * (1.0 - over))
            found.append((*bar, step * (1.0 - gap), height * (over - under)))
    return found


def round_ticks(low: float, high: float, most: int) -> list[tuple[float, str]]:
    """Return at most about `most` round numbers from `low` to `high`, each with its label."""
    rough = (high - low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1.0, 2.0, 2.5, 5.0, 10.0) if factor * power >= rough)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    if step / 10.0**-digits % 1.0 > 1e-9:  # a step such as 2.5
        digits += 1
    if not 1e-4 <= abs(step) < 1e7:
        return [(index * step, f"{index * step:.3g}") for index in range(first, last + 1)]
    return [(index * step, f"{index * step:.{digits}f}") for index in range(first, last + 1)]
