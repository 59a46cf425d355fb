"""Wins by continuous threats, threes and fours ("VCT"), on square boards of any size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ai.game import BLACK, WHITE, Board, Move, Rules
from ai.kernels.jit import Record, fields_of, is_jit_enabled, new_record
from ai.kernels.layout import OPEN_THREE
from ai.kernels.position import KernelPosition
from ai.kernels.threats.layout import ENTRIES, INFINITE, NUMBER_BITS, THREES
from ai.kernels.threats.threes import key_after, known, prove
from ai.search.base import Clock, Limit
from ai.search.fours import FourSearch

LIKELY: Final = 8
"""Least proof number of a position that is given up. It bounds how many answers are still to be
refuted, at least: it hardly ever comes so far before a win is found, and soon where there is none.
"""
FOURS_EACH: Final = 64
"""Fours that are played, at most, to see whether a stone threatens to win by them."""
_EMPTY: Final = np.zeros(ENTRIES, np.int64)


@dataclass(frozen=True, slots=True)
class ThreesResult:
    """Result of a search for continuous threats."""

    line: tuple[Move, ...]
    """The win against the answers that hold out longest, as far as it is remembered; empty if none
    was found. Its first move is the attack that is proven."""
    plies: int
    """From the position to the five at the latest, 0 if no win was found."""
    nodes: int
    """Positions looked at and fours played."""
    is_cut: bool
    """Whether a limit ended the search."""


class ThreeSearch:
    """Searches positions of some rules for continuous threats. Not thread-safe.

    A win is proven: it holds against every legal answer. No win is no proof of the contrary: quiet
    attacks are stones that make an open three or more, the first `WIDTH` of them, fours are looked
    ahead within limits, and what looks unlikely is given up.
    """

    def __init__(
        self,
        rules: Rules,
        position: KernelPosition | None = None,
        fours: FourSearch | None = None,
        *,
        weakest: int = OPEN_THREE,
        fours_each: int = FOURS_EACH,
        likely: int = LIKELY,
    ) -> None:
        """Create the search.

        Args:
            rules: a square board; in renju and caro five in a row.
            position: shared core; one of its own if None.
            fours: shared search for fours of the same core; one of its own if None.
            weakest: class of a line that a quiet attack makes, at least.
            fours_each: fours that are looked at to see what a stone threatens, at most.
            likely: least proof number of a position that is given up.

        Raises:
            RulesError: the rules are not supported.
        """
        self._position = KernelPosition(rules, knows_fouls=True) if position is None else position
        self._fours = FourSearch(rules, self._position) if fours is None else fours
        self._record: Record = new_record(THREES)
        self._fields: Any = fields_of(self._record)
        self._likely = likely
        self._fields.weakest = weakest
        self._fields.four_limit = fours_each

    def forget(self) -> None:
        """Forget what was found: with a limit, it changes what is looked at."""
        self._fours.forget()
        self._fields.keys[:] = _EMPTY if is_jit_enabled() else [0] * ENTRIES

    def find(self, board: Board, limit: Limit) -> ThreesResult:
        """Search an unfinished game for a win of the side to move.

        Args:
            board: position; unchanged.
            limit: nodes are positions looked at and fours played.
        """
        return self.find_within(board, Clock(limit))

    def find_within(self, board: Board, clock: Clock) -> ThreesResult:
        """Search as `find` does, within a running clock."""
        before = clock.nodes
        plies = self._plies(board, clock, int(board.to_move == WHITE))
        line = self._line(board, plies) if plies else ()
        return ThreesResult(line, plies, clock.nodes - before, bool(self._fields.is_cut))

    def is_lost(self, board: Board, limit: Limit) -> bool:
        """Return whether the other side is proven to win, whatever the side to move answers.

        That is where it threatens to win by fours. The board is unchanged.
        """
        return self._plies(board, Clock(limit), int(board.to_move == BLACK)) > 0

    def _plies(self, board: Board, clock: Clock, attacker: int) -> int:
        """Return the plies until the five of a side's win, 0 where none is proven."""
        position, fields = self._position, self._fields
        position.follow(board)
        fields.attacker, fields.is_cut = attacker, 0
        arguments = (position.record, position.table, self._record, self._fours.record)
        with clock.record() as spent:
            numbers = int(prove(*arguments, spent, 0, self._likely, INFINITE))
        return numbers if numbers < 1 << NUMBER_BITS else 0

    def _line(self, board: Board, plies: int) -> tuple[Move, ...]:
        """Return the line of a win that was found just now, of so many plies."""
        if not self._fields.counts[0]:
            return self._fours_from(board)
        position, follower = self._position, board.copy()
        wanted: Move | None = int(self._fields.moves[int(self._fields.chosen[0])])
        line: list[Move] = []
        while wanted is not None:
            line.append(wanted)
            follower.push(wanted)
            position.follow(follower)
            wanted = self._next(follower, plies - len(line))
        if len(line) % 2 == 0:
            line += self._fours_from(follower)
        position.follow(board)
        return tuple(line)

    def _next(self, board: Board, plies: int) -> Move | None:
        """Return a move after which the win takes a ply less; None where none is remembered."""
        if board.outcome() is not None:
            return None
        for move in board.legal_moves:
            key = key_after(self._position.record, self._record, move)
            if known(self._record, key, INFINITE << NUMBER_BITS) == plies - 1:
                return move
        return None

    def _fours_from(self, board: Board) -> tuple[Move, ...]:
        """Return the line of a win by fours, of as many as the search for threes looks at."""
        return self._fours.find(board, Limit(nodes=int(self._fields.four_limit))).line
