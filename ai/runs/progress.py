"""Progress of a run as curves: wins of each five games, Elo against the opponent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ai.runs.statistics import GROUP, wilson

ELO_GAMES: Final = 50
"""Games that an Elo is taken from."""
LEAST_ELO_GAMES: Final = 10
"""Games before the first Elo."""
ELO_CAP: Final = 800.0
"""Where an Elo is cut off: a player that won all of its last games has none."""
MOST_POINTS: Final = 600
"""Points of a curve that is drawn: a chart has no more pixels."""

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Curve:
    """A curve with its 95 % interval, all `[N]`."""

    x: FloatArray
    y: FloatArray
    low: FloatArray
    high: FloatArray

    def __len__(self) -> int:
        return len(self.x)

    def decimated(self, most: int = MOST_POINTS) -> Curve:
        """Return the curve with at most `most` points, its minima and maxima among them."""
        rows = kept_rows(self.y, most)
        return Curve(self.x[rows], self.y[rows], self.low[rows], self.high[rows])


def group_wins(games: FloatArray, won: FloatArray) -> Curve:
    """Return the wins of each full group of five games, by the number of its last game.

    Args:
        games: `[N]` numbers of the games.
        won: `[N]` 1 where the game was won, else 0.
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
    """Return the Elo difference to the opponent over the last 50 games, from game 10 on.

    400 log10(p / (1 - p)) of the share p of games won, the interval from Wilson's; all cut
    off at plus and minus 800. A draw counts as not won.

    Args:
        games: `[N]` numbers of the games.
        won: `[N]` 1 where the game was won, else 0.
        without: numbers of games that do not count, such as those with a person.
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
    """Return `[3, wins, games]`: the Elo and its interval for each score of up to 50 games."""
    table = np.zeros((3, ELO_GAMES + 1, ELO_GAMES + 1))
    for games in range(1, ELO_GAMES + 1):
        for wins in range(games + 1):
            table[:, wins, games] = (wins / games, *wilson(wins, games))
    return elo(table)


def elo(share: FloatArray) -> FloatArray:
    """Convert a share of wins to an Elo difference, cut off at both ends.

    >>> elo(np.array([0.0, 0.5, 0.75, 1.0])).round().tolist()
    [-800.0, 0.0, 191.0, 800.0]
    """
    with np.errstate(divide="ignore"):
        value = 400.0 * (np.log10(share) - np.log10(1.0 - np.minimum(share, 1.0)))
    result: FloatArray = np.clip(value, -ELO_CAP, ELO_CAP)
    return result


def kept_rows(values: FloatArray, most: int = MOST_POINTS) -> NDArray[np.intp]:
    """Return the rows to draw of a curve, in order: minimum and maximum of each part.

    The first and the last row are always among them, and so are the least and the
    greatest value of all.

    Args:
        values: `[N]`, finite.
        most: maximum number of rows, at least 4.
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
    """Reduce a curve `[n]`, `[n]` to at most `most` points, its minima and maxima among them.

    >>> x, y = decimate(np.arange(10_000.0), np.sin(np.arange(10_000.0)))
    >>> len(x) <= 600, float(y.max()) == float(np.sin(np.arange(10_000.0)).max())
    (True, True)
    """
    rows = kept_rows(y, most)
    return x[rows], y[rows]
