"""Statistics of runs: confidence intervals, counts, and curves of wins and Elo."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

GROUP = 5
"""Number of games of a group, as in the paper's figures of win rates (section 4.3)."""

Z95: Final = 1.959964
"""Number of standard errors from the middle to the end of a 95 % interval."""
_T95_TO_10 = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228)
T95 = (*_T95_TO_10, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086)
"""Two-sided 95 % quantiles of Student's t distribution for 1, 2, … degrees of freedom."""


def wilson(wins: float, games: int) -> tuple[float, float]:
    """Return the lower and upper end of the 95 % Wilson score interval of a share of wins.

    Args:
        wins: number of games won.
        games: number of games.

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
    """Return the mean and half the width of its 95 % interval by Student's t distribution.

    For one value the width is 0; without values the mean is NaN.
    """
    if len(values) < 2:
        return float(np.mean(values)) if values else math.nan, 0.0
    deviation = float(np.std(values, ddof=1))
    return float(np.mean(values)), student(len(values) - 1) * deviation / math.sqrt(len(values))


def student(freedom: int) -> float:
    """Return the two-sided 95 % quantile of Student's t distribution, to within 0.001.

    Above 20 degrees of freedom it is computed by the first terms of its expansion in 1 / `freedom`
    (Abramowitz and Stegun 1964, 26.7.5).

    Args:
        freedom: degrees of freedom, at least 1.

    >>> student(4), round(student(30), 3), round(student(1_000_000), 3)
    (2.776, 2.042, 1.96)
    """
    if freedom <= len(T95):
        return T95[freedom - 1]
    first = (Z95**3 + Z95) / 4
    second = (5 * Z95**5 + 16 * Z95**3 + 3 * Z95) / 96
    return Z95 + first / freedom + second / freedom**2


def wins_per_group(wins: Sequence[bool], group: int = GROUP) -> list[int]:
    """Return the number of wins in each group of games; an incomplete last group is dropped.

    >>> wins_per_group([True, False, True, True, True, True])
    [4]
    """
    full = len(wins) // group
    return [sum(wins[index * group : (index + 1) * group]) for index in range(full)]


def all_wins_from(wins: Sequence[bool]) -> int | None:
    """Return the game (from 1) from which on all games are won; None if the last one is lost.

    >>> all_wins_from([False, True, True])
    2
    """
    if not wins or not wins[-1]:
        return None
    index = len(wins)
    while index > 0 and wins[index - 1]:
        index -= 1
    return index + 1


ELO_GAMES: Final = 50
"""Number of latest games from which an Elo difference is computed."""
LEAST_ELO_GAMES: Final = 10
"""Minimum number of games for an Elo difference."""
ELO_CAP: Final = 800.0
"""Greatest Elo difference that is reported; it would be infinite if all games were won."""
MOST_POINTS: Final = 600
"""Maximum number of points of a drawn curve; a chart shows no more."""

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Curve:
    """A curve with the bounds of its 95 % interval; all arrays are `[N]`."""

    x: FloatArray
    y: FloatArray
    low: FloatArray
    high: FloatArray

    def __len__(self) -> int:
        return len(self.x)

    def decimated(self, most: int = MOST_POINTS) -> Curve:
        """Return the curve with at most `most` points, keeping its minima and maxima."""
        rows = kept_rows(self.y, most)
        return Curve(self.x[rows], self.y[rows], self.low[rows], self.high[rows])


def group_wins(games: FloatArray, won: FloatArray) -> Curve:
    """Return a curve of the wins in each full group of five games.

    Args:
        games: `[N]` numbers of the games.
        won: `[N]` 1 where the game was won, else 0.

    Returns:
        The wins (0 to 5) over the number of the group's last game.
    """
    full = len(won) // GROUP
    wins = won[: full * GROUP].reshape(full, GROUP).sum(axis=1)
    across = games[: full * GROUP].reshape(full, GROUP)[:, -1]
    bounds = np.array([wilson(count, GROUP) for count in range(GROUP + 1)]) * GROUP
    low, high = bounds[wins.astype(np.intp)].T
    return Curve(across, wins, low, high)


def rolling_elo(
    games: FloatArray, won: FloatArray, without: Sequence[float] | FloatArray = ()
) -> Curve:
    """Return a curve of the Elo difference to the opponent over the last 50 games, from game 10.

    The Elo difference is 400 log10(p / (1 - p)) for the share p of games won. Its interval is
    converted from Wilson's interval of p. All are limited to plus and minus 800. A draw counts as
    not won.

    Args:
        games: `[N]` numbers of the games.
        won: `[N]` 1 where the game was won, else 0.
        without: numbers of games to leave out, such as those with a person.
    """
    is_counted = ~np.isin(games, np.asarray(without, dtype=np.float64))
    games, won = games[is_counted], won[is_counted]
    total = np.concatenate([[0.0], np.cumsum(won)])
    ends = np.arange(LEAST_ELO_GAMES, len(won) + 1)
    begins = np.maximum(ends - ELO_GAMES, 0)
    wins = np.rint(total[ends] - total[begins]).astype(np.intp)
    middle, low, high = _elo_table()[:, wins, ends - begins]
    x = games[LEAST_ELO_GAMES - 1 :] if len(ends) else games[:0]
    return Curve(x, middle, low, high)


@cache
def _elo_table() -> FloatArray:
    """Return Elo differences with their intervals for every number of games and wins.

    Returns:
        `[3, wins, games]`: the difference, its lower and its upper bound, up to 50 games.
    """
    table = np.zeros((3, ELO_GAMES + 1, ELO_GAMES + 1))
    for games in range(1, ELO_GAMES + 1):
        for wins in range(games + 1):
            table[:, wins, games] = (wins / games, *wilson(wins, games))
    return elo(table)


def elo(share: FloatArray) -> FloatArray:
    """Convert a share of wins to an Elo difference, limited to plus and minus 800.

    >>> elo(np.array([0.0, 0.5, 0.75, 1.0])).round().tolist()
    [-800.0, 0.0, 191.0, 800.0]
    """
    with np.errstate(divide="ignore"):
        value = 400.0 * (np.log10(share) - np.log10(1.0 - np.minimum(share, 1.0)))
    result: FloatArray = np.clip(value, -ELO_CAP, ELO_CAP)
    return result


def kept_rows(values: FloatArray, most: int = MOST_POINTS) -> NDArray[np.intp]:
    """Return which points of a curve to draw, as indices in order.

    The curve is cut into parts, and the minimum and the maximum of each are kept. So are the first
    and the last point.

    Args:
        values: `[N]` values, finite.
        most: greatest number of points, at least 4.
    """
    count = len(values)
    if count <= most:
        return np.arange(count)
    parts = (most - 2) // 2
    edges = np.linspace(0, count, parts + 1).astype(np.intp)
    width = int(np.diff(edges).max())
    rows = np.minimum(edges[:-1, None] + np.arange(width), edges[1:, None] - 1)  # [parts, width]
    inside = values[rows]
    first = np.arange(parts)
    least, greatest = rows[first, inside.argmin(axis=1)], rows[first, inside.argmax(axis=1)]
    return np.unique(np.concatenate([[0], least, greatest, [count - 1]]))


def decimate(
    x: FloatArray, y: FloatArray, most: int = MOST_POINTS
) -> tuple[FloatArray, FloatArray]:
    """Reduce a curve to at most `most` points, keeping its minima and maxima.

    Args:
        x: `[N]` positions.
        y: `[N]` values.
        most: maximum number of points, at least 4.

    >>> x, y = decimate(np.arange(10_000.0), np.sin(np.arange(10_000.0)))
    >>> len(x) <= 600, float(y.max()) == float(np.sin(np.arange(10_000.0)).max())
    (True, True)
    """
    rows = kept_rows(y, most)
    return x[rows], y[rows]
