"""Moves that a position needs: fives and open fours, to make or to stop.

The answer is exact. It comes from the pattern counters, without a search. A *winning four* is a
four after which five can be made at two points: an open four, or two fours at once.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from ai.game import BLACK, Board, Move, Rules
from ai.kernels.jit import fields_of
from ai.kernels.layout import EMPTY_CELL, FIVE, FOUR, OPEN_FOUR, STEPS
from ai.kernels.moves import place, take_back
from ai.kernels.position import KernelPosition
from ai.kernels.threats.points import pass_turn

SIGHT_OF_FIVES: Final = 2
"""Plies in which a five is made, or stopped."""
SIGHT_OF_OWN_FOURS: Final = 3
"""Plies in which the side to move makes a winning four, and then five."""
SIGHT_OF_FOURS: Final = 4
"""Plies in which the other side's winning four and five follow, unless they are stopped."""


class NeededMoves:
    """Finds the moves that positions of one game need. Not thread-safe."""

    def __init__(self, rules: Rules) -> None:
        """Start with the empty board.

        Args:
            rules: a square board without gravity, freestyle or standard.

        Raises:
            RulesError: the rules are not supported.
        """
        self._position = KernelPosition(rules)
        state = fields_of(self._position.record)
        self._board, self._line_classes = state.board, state.line_classes
        self._cells = np.array(state.cells[: rules.points], np.intp)

    def find(self, board: Board, sight: int) -> tuple[Move, ...]:
        """Return the moves of which one is needed; () if the position needs none.

        The first of these that there are:

        1. points where the side to move makes five
        2. points where it stops a five
        3. its winning fours
        4. moves after which the other side has no winning four; fours of its own are among them,
           unless their answer is one

        Args:
            board: position of an unfinished game; unchanged.
            sight: `SIGHT_OF_FIVES` for the first two only, `SIGHT_OF_OWN_FOURS` for the first
                three, `SIGHT_OF_FOURS` for all.
        """
        position = self._position
        position.follow(board)
        side = 0 if board.to_move == BLACK else 1
        found = self._fives(side) or self._fives(1 - side)
        if found or sight < SIGHT_OF_OWN_FOURS:
            return tuple(found)
        found = self._winning_fours(side)
        if found or sight < SIGHT_OF_FOURS:
            return tuple(found)
        pass_turn(position.record)
        threats = self._winning_fours(1 - side)
        pass_turn(position.record)
        if not threats:
            return ()
        fours = set(np.flatnonzero((self._classes(side) >= FOUR).any(axis=1)))
        near = [
            move
            for move in map(int, board.legal_moves)
            if move in fours or all(self._is_near(move, threat) for threat in threats)
        ]
        return tuple(move for move in near if self._stops(move, side))

    def _classes(self, side: int) -> NDArray[np.uint8]:
        """Return what a stone of a side would make on each point: line classes, `[points, 4]`.

        There is one for each direction of a line. Occupied points have none.

        Args:
            side: 0 for Black, 1 for White.
        """
        classes = np.asarray(self._line_classes, np.uint8).reshape(-1, len(STEPS))[self._cells]
        is_free = np.asarray(self._board, np.uint8)[self._cells] == EMPTY_CELL
        found: NDArray[np.uint8] = (classes >> np.uint8(4 * side)) & np.uint8(15)
        found *= is_free[:, None]
        return found

    def _fives(self, side: int) -> list[Move]:
        """Return the points where a side makes five."""
        is_five = (self._classes(side) == FIVE).any(axis=1)
        return [int(move) for move in np.flatnonzero(is_five)]

    def _winning_fours(self, side: int) -> list[Move]:
        """Return the winning fours of the side to move, if no five threatens.

        Args:
            side: the side to move, 0 for Black, 1 for White.
        """
        classes = self._classes(side)
        is_open = (classes == OPEN_FOUR).any(axis=1)
        fours = np.flatnonzero((classes >= FOUR).any(axis=1))
        return [
            int(move) for move in fours if is_open[move] or self._fives_after(int(move), side) > 1
        ]

    def _fives_after(self, move: int, side: int) -> int:
        """Return at how many points a side makes five after a move of its own."""
        position = self._position
        place(position.record, position.table, move)
        found = len(self._fives(side))
        take_back(position.record, position.table)
        return found

    def _stops(self, move: Move, side: int) -> bool:
        """Return whether the other side has no winning four after a move.

        If the move makes a four, the other side has one answer, which counts alone.

        Args:
            move: the move.
            side: the side that plays it.
        """
        position = self._position
        place(position.record, position.table, move)
        forced = self._fives(side)
        fours = self._winning_fours(1 - side)
        take_back(position.record, position.table)
        return forced[0] not in fours if forced else not fours

    def _is_near(self, move: Move, threat: Move) -> bool:
        """Return whether a stone could change a pattern of another one: on its line and near it.

        Args:
            move: point of the first stone.
            threat: point of the other one.
        """
        size, most = self._position.rules.size, self._position.rules.win_length
        rows, columns = (
            abs(a - b) for a, b in zip(divmod(move, size), divmod(threat, size), strict=True)
        )
        return max(rows, columns) <= most and (rows == 0 or columns == 0 or rows == columns)
