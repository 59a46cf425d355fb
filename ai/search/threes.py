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
from ai.search.base import Limit, SearchClock
from ai.search.fours import FourSearch

LIKELY: Final = 8
"""Proof number from which on a position is given up. It is a lower bound on the answers still to be
refuted: it seldom grows so large if there is a win, and soon does if there is none.
"""
FOURS_EACH: Final = 64
"""Most fours played to find out whether a stone threatens to win by fours."""
_EMPTY: Final = np.zeros(ENTRIES, np.int64)


@dataclass(frozen=True, slots=True)
class ThreesResult:
    """Result of a search for continuous threats."""

    line: tuple[Move, ...]
    """The win against the longest defence, as far as the table remembers it; empty if no win was
    found. Its first move is the proven attack."""
    plies: int
    """Most plies from the position to the five; 0 if no win was found."""
    nodes: int
    """Number of positions searched and fours played."""
    is_cut: bool
    """Whether a limit cut the search."""


class ThreeSearch:
    """Searches positions of some rules for continuous threats. Not thread-safe.

    A win that is found is proven: it holds against every legal answer. Not finding one proves
    nothing: quiet attacks are only the first `WIDTH` stones that make an open three or more, the
    search for fours is limited, and unlikely positions are given up.
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
            position: board core to share; None: create one.
            fours: search for fours of the same core to share; None: create one.
            weakest: weakest line class that a quiet attack must make.
            fours_each: most fours played to find out what a stone threatens.
            likely: proof number from which on a position is given up.

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
        """Clear the table; it affects a search that has a limit."""
        self._fours.forget()
        self._fields.keys[:] = _EMPTY if is_jit_enabled() else [0] * ENTRIES

    def find(self, board: Board, limit: Limit) -> ThreesResult:
        """Search an unfinished game for a win of the side to move.

        Args:
            board: position; unchanged.
            limit: nodes are positions searched and fours played.
        """
        return self.find_within(board, SearchClock(limit))

    def find_within(self, board: Board, clock: SearchClock) -> ThreesResult:
        """Search like `find`, within a running clock."""
        before = clock.nodes
        plies = self._plies(board, clock, int(board.to_move == WHITE))
        line = self._line(board, plies) if plies else ()
        return ThreesResult(line, plies, clock.nodes - before, bool(self._fields.is_cut))

    def is_lost(self, board: Board, limit: Limit) -> bool:
        """Return whether the other side is proven to win against every move of the side to move.

        Only threats to win by fours are considered. The board is unchanged.
        """
        return self._plies(board, SearchClock(limit), int(board.to_move == BLACK)) > 0

    def _plies(self, board: Board, clock: SearchClock, attacker: int) -> int:
        """Return the plies until the five of the attacker's win; 0 if none is proven."""
        position, fields = self._position, self._fields
        position.follow(board)
        fields.attacker, fields.is_cut = attacker, 0
        arguments = (position.record, position.table, self._record, self._fours.record)
        with clock.record() as spent:
            numbers = int(prove(*arguments, spent, 0, self._likely, INFINITE))
        return numbers if numbers < 1 << NUMBER_BITS else 0

    def _line(self, board: Board, plies: int) -> tuple[Move, ...]:
        """Return the line of the win of `plies` plies that the last search found."""
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
        """Return a move after which the win takes one ply less; None if the table has none."""
        if board.outcome() is not None:
            return None
        for move in board.legal_moves:
            key = key_after(self._position.record, self._record, move)
            if known(self._record, key, INFINITE << NUMBER_BITS) == plies - 1:
                return move
        return None

    def _fours_from(self, board: Board) -> tuple[Move, ...]:
        """Return the line of a win by fours within the limit of the search for threes."""
        return self._fours.find(board, Limit(nodes=int(self._fields.four_limit))).line
