"""Statistics for experiments: confidence intervals and counts."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

GROUP = 5
"""Games in a group of the paper's win-rate figures (section 4.3)."""

Z95 = 1.959964
T95 = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
    2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
)  # fmt: skip
"""Two-sided 95 % points of Student's t for 1, 2, … degrees of freedom."""


def wilson(wins: float, games: int) -> tuple[float, float]:
    """Return the 95 % Wilson score interval of a share of wins.

    >>> low, high = wilson(98, 100)
    >>> round(low, 3), round(high, 3)
    (0.93, 0.994)
    """
    if games == 0:
        return 0.0, 1.0
    share, square = wins / games, Z95 * Z95
    middle = (share + square / (2 * games)) / (1 + square / games)
    half = (
        Z95
        / (1 + square / games)
        * math.sqrt(share * (1 - share) / games + square / (4 * games * games))
    )
    return max(0.0, middle - half), min(1.0, middle + half)


def mean_interval(values: Sequence[float]) -> tuple[float, float]:
    """Return mean and half width of its 95 % interval by Student's t (0 for one value)."""
    if len(values) < 2:
        return float(np.mean(values)) if values else math.nan, 0.0
    deviation = float(np.std(values, ddof=1))
    return float(np.mean(values)), student(len(values) - 1) * deviation / math.sqrt(len(values))


def student(freedom: int) -> float:
    """Return the two-sided 95 % quantile of Student's t, to within 0.001.

    Beyond the table by the first terms of its expansion in 1 / `freedom` (Abramowitz and
    Stegun 1964, 26.7.5).

    >>> student(4), round(student(30), 3), round(student(1_000_000), 3)
    (2.776, 2.042, 1.96)
    """
    if freedom <= len(T95):
        return T95[freedom - 1]
    first = (Z95**3 + Z95) / 4
    second = (5 * Z95**5 + 16 * Z95**3 + 3 * Z95) / 96
    return Z95 + first / freedom + second / freedom**2


def wins_per_group(wins: Sequence[bool], group: int = GROUP) -> list[int]:
    """Return the wins of each full group of games; an incomplete last group is dropped.

    >>> wins_per_group([True, False, True, True, True, True])
    [4]
    """
    full = len(wins) // group
    return [sum(wins[index * group : (index + 1) * group]) for index in range(full)]


def all_wins_from(wins: Sequence[bool]) -> int | None:
    """Return the first game (from 1) from which on all are won; None if the last is lost.

    >>> all_wins_from([False, True, True])
    2
    """
    if not wins or not wins[-1]:
        return None
    index = len(wins)
    while index > 0 and wins[index - 1]:
        index -= 1
    return index + 1
