"""Line situations: what the lines through a point look like to the opponent.

A row is made along a line. So a player that asks which point to take from the opponent needs, for
each free point, its lines: four on a board. A game says which they are (`Game.lines`). Of a line,
only the stretch around the point matters on which the opponent could still make a row. It ends at
the learner's nearest stone, or at the edge. What lies beyond is closed.

A line situation is that stretch: for each cell up to the reach to both sides, whether it is empty,
holds an opponent's stone, or is closed. It is the same read from either end. So what is learnt of
it holds for all directions and all symmetries of the board, and for boards of any size.
"""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ai.game import Game

MOST_REACH: Final = 5
"""Maximum number of cells that are read to each side of a point."""
TAKEN: Final = 1
EMPTY_CELL: Final = 0
CLOSED: Final = -1
"""Values of a cell: an opponent's stone (TAKEN), empty (EMPTY_CELL), or out of the stretch."""
_OUTSIDE: Final = -1
_SYMBOLS: Final = {TAKEN: "x", EMPTY_CELL: "·", CLOSED: "|"}


class NoLinesError(ValueError):
    """A game is not won by rows, so it has no lines."""


class LineReader:
    """Reads the line situations of positions on one board.

    Attributes:
        reach: number of cells read to each side of a point, R.
        points: number of points of the board, A.
        lines: largest number of lines through a point, D; four on a board.
        places: `[A, D, 2, R]` the points along the D lines through each point, from the point
            outwards on both sides; A stands for a place outside the board.
    """

    def __init__(self, lines: NDArray[np.intp]) -> None:
        """Prepare the numbers of line situations.

        Args:
            lines: the lines of a game, see `Game.lines`; at most `MOST_REACH` cells are read.
        """
        self.places = lines[..., :MOST_REACH]
        self.points, self.lines, _, self.reach = map(int, self.places.shape)
        self._powers = 3 ** np.arange(self.reach)
        self._numbers, self._decoded = _code_tables(self.reach)

    @classmethod
    def of(cls, rules: Game) -> LineReader:
        """Create a reader for a game.

        Raises:
            NoLinesError: the game has no lines.
        """
        lines = rules.lines()
        if lines is None:
            raise NoLinesError(f"expected a game that names its lines, found {rules!r}")
        return cls(lines)

    def __len__(self) -> int:
        """Return the number of different line situations, K."""
        return len(self._decoded)

    def cells(self, stones: NDArray[np.int8]) -> NDArray[np.int8]:
        """Return the cells of all lines through all points.

        Args:
            stones: `[B, A]` positions from the learner's perspective: opponent 1, own -1.

        Returns:
            `[B, A, D, 2, R]` TAKEN, EMPTY_CELL or CLOSED, from the point outwards on both sides.
        """
        outside = np.full((len(stones), 1), _OUTSIDE, np.int8)
        seen = np.concatenate([stones, outside], axis=1)[:, self.places]
        is_open = np.logical_and.accumulate(seen >= 0, axis=-1)
        return np.where(is_open, seen, np.int8(CLOSED))

    def codes(self, stones: NDArray[np.int8]) -> NDArray[np.intp]:
        """Return `[B, A, D]` the number of each line situation, from 0 to K - 1.

        Equal situations have equal numbers, read from either end.

        Args:
            stones: `[B, A]` positions from the learner's perspective.
        """
        sides = (self.cells(stones) + 1) @ self._powers  # [B, A, D, 2]
        codes: NDArray[np.intp] = self._numbers[sides.min(axis=-1), sides.max(axis=-1)]
        return codes

    def numbers_of_sides(self) -> NDArray[np.intp]:
        """Return `[S, S]` the number of the line situation that has two sides, in either order.

        A side's number has a digit for each cell from the point outwards, the lowest first: 0
        closed, 1 empty, 2 an opponent's stone. Pairs that no line has hold 0.
        """
        low, high = np.triu_indices(len(self._numbers))
        found = self._numbers.copy()
        found[high, low] = self._numbers[low, high]
        return found

    def decode(self, codes: NDArray[np.intp]) -> NDArray[np.int8]:
        """Return `[N, 2, R]` the cells of line situations, given by their numbers `[N]`."""
        return self._decoded[codes]


def line_text(cells: NDArray[np.int8]) -> str:
    """Return a line situation as text, with `?` at the point: "|·xx?x··".

    Closed cells at the ends are left out but for one on each side.

    >>> line_text(np.array([[1, 1, 0, -1], [1, 0, 0, 0]], np.int8))
    '|·xx?x···'

    Args:
        cells: `[2, R]` cells from the point outwards on both sides.
    """
    before, after = (_side_text(side) for side in cells)
    return f"{before[::-1]}?{after}"


def _side_text(side: NDArray[np.int8]) -> str:
    text = "".join(_SYMBOLS[int(cell)] for cell in side)
    end = _SYMBOLS[CLOSED]
    return text.rstrip(end) + end * (end in text)


@cache
def _code_tables(reach: int) -> tuple[NDArray[np.intp], NDArray[np.int8]]:
    """Return the tables that number line situations.

    Args:
        reach: number of cells on each side, R.

    Returns:
        `[S, S]` the number of each two sides, the lower side first; a side's number has a digit
        from 0 to 2 for each cell. And `[K, 2, R]` the cells by number.
    """
    digits = np.arange(3**reach)[:, None] // 3 ** np.arange(reach) % 3 - 1  # [S, R]
    is_closed = digits == CLOSED
    sides = np.flatnonzero((is_closed[:, :-1] <= is_closed[:, 1:]).all(axis=1))
    low, high = np.triu_indices(len(sides))
    numbers = np.zeros((len(digits), len(digits)), np.intp)
    numbers[sides[low], sides[high]] = np.arange(len(low))
    pairs = np.stack([sides[low], sides[high]], axis=1)
    return numbers, digits[pairs].astype(np.int8)


def line_distances(first: NDArray[np.int8], second: NDArray[np.int8]) -> NDArray[np.float64]:
    """Return `[K, N]` the distances between line situations.

    The distance is Euclidean over the cells, read from the ends that fit better. An empty cell
    differs by 1 from a taken or a closed one, and those by 2 from each other.

    Args:
        first: `[K, 2, R]` cells.
        second: `[N, 2, R]` cells.
    """
    mine = first.reshape(len(first), -1).astype(np.float64)
    theirs = second.reshape(len(second), -1).astype(np.float64)
    turned = second[:, ::-1].reshape(len(second), -1).astype(np.float64)
    squares = np.square(mine).sum(axis=1)[:, None] + np.square(theirs).sum(axis=1)
    products = np.maximum(mine @ theirs.T, mine @ turned.T)
    distances: NDArray[np.float64] = np.sqrt(np.maximum(squares - 2.0 * products, 0.0))
    return distances


def line_kernel(distances: NDArray[np.float64], width: float) -> NDArray[np.float64]:
    """Return how much lines at these distances count: exp(-d^2 / (2 w^2)), for width w above 0."""
    weights: NDArray[np.float64] = np.exp(-np.square(distances) / (2.0 * width**2))
    return weights


@cache
def line_responses(reach: int, width: float) -> NDArray[np.float32]:
    """Return `[K, K]` how much the filter of each line situation answers to each other one.

    Args:
        reach: number of cells on each side, R.
        width: kernel width; 0: a filter answers to its own situation alone.
    """
    cells = _code_tables(reach)[1]
    if width == 0.0:
        return np.eye(len(cells), dtype=np.float32)
    return line_kernel(line_distances(cells, cells), width).astype(np.float32)


def line_count(reach: int) -> int:
    """Return the number of different line situations, K: 496 for five in a row.

    Args:
        reach: number of cells on each side, R.
    """
    sides = 2 ** (reach + 1) - 1
    return int(sides * (sides + 1) // 2)
