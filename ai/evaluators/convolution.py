"""The convolution evaluator: counts lines of stones by 2-dimensional convolutions.

As in P. Yan, "Convolution-Based Gomoku Game State Evaluation Algorithm". The board B holds 1 for
own stones, -1 for the opponent's and 0 elsewhere; B' = -B. To value a vacant point, a 1 is placed
there on both boards. Filter i is a square of zeros with a line of gamma ones. The filter matches
where its full convolution with the board equals gamma, and c_i counts the matches. A point's value
is `V = v + f`. Here `v = (sum w_i c_i(B) + sum w_i c_i(B')) / 2` with weights w_i, and f is
greatest in the middle of the board.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ai.evaluators.base import Evaluation, policy_of, stones_of
from ai.game import EMPTY, Board, Rules
from ai.kernels.cross.runs import LENGTHS, RUNS, count_runs
from ai.kernels.jit import fields_of, new_record
from ai.kernels.position import KernelPosition

BETA: Final = 10.0
"""Factor beta of the central bonus f, as in the paper's experiment; see `constraint`."""
FAST: Final = "fast"
TEXT_BOOK: Final = "text-book"
METHODS: Final = (FAST, TEXT_BOOK)
_LEAST_DISTANCE: Final = math.sqrt(0.5)
"""Smallest distance from the centre (7.5, 7.5), in points, that the formula of f uses.

It is that of the middle point of a board of 15x15.
"""


def lengths_of(win_length: int) -> tuple[int, ...]:
    """Return the lengths of the filters' lines, longest first: 5, 4, 3, 2 for five in a row.

    Args:
        win_length: stones in a row that win.
    """
    return tuple(length for length in range(win_length, win_length - LENGTHS, -1) if length >= 2)


@lru_cache(maxsize=8)
def filters_of(win_length: int) -> tuple[NDArray[np.float32], ...]:
    """Return the filters: for each length, a row, a column and both diagonals.

    The paper shows its 16 filters in a figure: four each of 5x5, 4x4, 3x3 and 2x2.

    Args:
        win_length: stones in a row that win.
    """
    found = []
    for length in lengths_of(win_length):
        line, middle = np.arange(length), (length - 1) // 2
        across = np.full(length, middle)
        for rows, cols in ((across, line), (line, across), (line, line), (line, line[::-1])):
            filled = np.zeros((length, length), np.float32)
            filled[rows, cols] = 1.0
            found.append(filled)
    return tuple(found)


def full_convolution(
    board: NDArray[np.float32], pattern: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return the full 2-dimensional convolution with zero padding, computed by OpenCV.

    Args:
        board: `[n, n]` values of the points.
        pattern: `[a, a]` filter.

    Returns:
        `[n + a - 1, n + a - 1]` result.
    """
    import cv2  # loaded only for this method

    edge = len(pattern) - 1
    size = len(board) + edge
    padded = cv2.copyMakeBorder(board, edge, edge, edge, edge, cv2.BORDER_CONSTANT, value=0.0)
    flipped = np.ascontiguousarray(pattern[::-1, ::-1])
    found = cv2.filter2D(padded, -1, flipped, anchor=(0, 0), borderType=cv2.BORDER_CONSTANT)
    result: NDArray[np.float32] = found[:size, :size]
    return result


def text_book_counts(stones: NDArray[np.int8], win_length: int) -> NDArray[np.int64]:
    """Count for each point how often the filters match after a stone there, by the paper's method.

    All convolutions are computed for each of the board's A points, which is slow.

    Args:
        stones: `[n, n]` colors.
        win_length: stones in a row that win; determines the filters.

    Returns:
        `[A, lengths]` counts, one column for each length of filters.
    """
    size = len(stones)
    lengths = lengths_of(win_length)
    counts = np.zeros((size * size, len(lengths)), np.int64)
    for point in range(size * size):
        row, col = divmod(point, size)
        if stones[row, col] != EMPTY:
            continue
        for sign in (1, -1):
            board = (sign * stones).astype(np.float32)
            board[row, col] = 1.0
            for number, pattern in enumerate(filters_of(win_length)):
                found = full_convolution(board, pattern) == pattern.sum()
                counts[point, number // 4] += np.count_nonzero(found)
    return counts


@lru_cache(maxsize=16)
def constraint(size: int, beta: float = BETA) -> NDArray[np.float64]:
    """Return the central bonus f of each of the board's A points, `[A]`.

    The formula is f = beta / sqrt((x - n/2)^2 + (y - n/2)^2), with x and y from 0 to n - 1. On odd
    sizes, such as 15x15, no point is at n/2. On even sizes one is, where f would be infinite; there
    the distance of an odd board's middle point is used.

    Args:
        size: board size n.
        beta: factor of the bonus; 0 for no bonus.
    """
    offsets = (np.arange(size) - size / 2) ** 2
    distances = np.sqrt(offsets[:, None] + offsets[None, :])
    values: NDArray[np.float64] = (beta / np.maximum(distances, _LEAST_DISTANCE)).ravel()
    values.setflags(write=False)
    return values


class ConvolutionEvaluator:
    """Evaluator with the paper's value V for each vacant point; every position has the value 0.

    The policy follows from V, see `evaluate`. Not thread-safe.
    """

    def __init__(
        self,
        rules: Rules,
        weights: Sequence[float],
        *,
        beta: float = BETA,
        method: str = FAST,
    ) -> None:
        """Create the evaluator for boards of these rules.

        Args:
            rules: rules of the boards; a row longer than the win length counts as several.
            weights: weights of the filters by length, longest first; surplus ones are not used.
            beta: factor of the central bonus, see `constraint`; 0 for no bonus.
            method: one of `METHODS`; both give the same values.

        Raises:
            RulesError: the board is not square, or has gravity.
            ValueError: there are fewer weights than lengths, or the method is unknown.
        """
        lengths = lengths_of(rules.win_length)
        if len(weights) < len(lengths):
            raise ValueError(f"expected {len(lengths)} weights, found {len(weights)}")
        if method not in METHODS:
            raise ValueError(f"expected one of {', '.join(METHODS)}, found {method!r}")
        self.rules = rules
        self._position = KernelPosition(rules)
        self._weights = np.array(weights[: len(lengths)], np.float64)
        self._constraint = constraint(rules.size, beta)
        self._is_fast = method == FAST
        self._record = new_record(RUNS)
        self._fields = fields_of(self._record)
        self._fields.lengths[: len(lengths)] = list(lengths)

    def counts(self, board: Board) -> NDArray[np.int64]:
        """Count for each point how often the filters match after a stone there, for both colors.

        The counts of both colors are added. In the paper's symbols this is c(B) + c(B'), see the
        module.

        Args:
            board: the position.

        Returns:
            `[A, lengths]` counts for A points, one column for each length of filters; 0 on occupied
            points.
        """
        points, lengths = self.rules.points, len(self._weights)
        if not self._is_fast:
            size = self.rules.size
            stones = np.array(board.stones, np.int8).reshape(size, size)
            return text_book_counts(stones, self.rules.win_length)
        self._position.follow(board)
        count_runs(self._position.record, self._record)
        found = np.array(self._fields.counts[: points * LENGTHS], np.int64)
        return found.reshape(points, LENGTHS)[:, :lengths]

    def field(self, board: Board) -> NDArray[np.float64]:
        """Return the paper's value V of each of the board's A points, `[A]`; 0 on occupied points.

        V says how good a stone there is; the text of the module defines it.

        Args:
            board: the position.
        """
        counts = self.counts(board)
        values: NDArray[np.float64] = counts @ self._weights / 2.0 + self._constraint
        values[np.array(board.stones) != EMPTY] = 0.0
        return values

    def evaluate(self, boards: Sequence[Board]) -> Evaluation:
        """Evaluate positions.

        A point's policy is proportional to the difference between its V and the lowest V of a
        vacant point.
        """
        fields = np.array([self.field(board) for board in boards])  # [B, A]
        gains = above_least(fields, stones_of(boards) == EMPTY)
        return Evaluation(policy_of(gains, boards), np.zeros(len(boards), np.float32))


def above_least(fields: NDArray[np.float64], is_vacant: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return each vacant point's value minus the position's lowest one; 0 on occupied points.

    The arrays are for B positions with A points each.

    Args:
        fields: `[B, A]` values.
        is_vacant: `[B, A]` whether each point is vacant; at least one is in each position.
    """
    least = np.where(is_vacant, fields, np.inf).min(axis=1, keepdims=True)
    gains: NDArray[np.float64] = np.where(is_vacant, fields - least, 0.0)
    return gains
