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
"""Proof number from which on the search gives up a position.

It is a lower bound on the answers still to be refuted. It seldom grows so large if there is a win,
and soon does if there is none.
"""
FOURS_EACH: Final = 64
"""Most fours played to find out whether a stone threatens to win by fours."""
_EMPTY: Final = np.zeros(ENTRIES, np.int64)


@dataclass(frozen=True, slots=True)
class ThreesResult:
    """Result of a search for continuous threats."""

    line: tuple[Move, ...]
    """The win against the longest defence, as far as the table holds it; empty if there is none.

    It begins with the attack that is proven to win.
    """
    plies: int
    """Plies from the position to the five against the longest defence; 0 if no win was found."""
    nodes: int
    """Number of positions searched and fours played."""
    is_cut: bool
    """Whether a limit ended the search early."""


class ThreeSearch:
    """Searches positions for wins by continuous threats. Not thread-safe.

    A win that is found is proven: it holds against every legal answer. If none is found, nothing is
    proven. Of the quiet attacks, only the first `WIDTH` stones that make an open three or more are
    tried. The search for fours is limited, and unlikely positions are given up.
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
        """Create a search for games by certain rules.

        Args:
            rules: rules with a square board; in renju and caro with five in a row.
            position: kernel position to share with others; None to create one.
            fours: search for fours with the same kernel position; None to create one.
            weakest: weakest pattern (line class) that a quiet attack must make.
            fours_each: most fours tried to find out whether a stone threatens to win by fours.
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
        """Clear the table of positions that were searched.

        Otherwise the result of a search with a limit depends on earlier searches.
        """
        self._fours.forget()
        self._fields.keys[:] = _EMPTY if is_jit_enabled() else [0] * ENTRIES

    def find(self, board: Board, limit: Limit) -> ThreesResult:
        """Search an unfinished game for a win of the side to move by continuous threats.

        Args:
            board: the position; unchanged.
            limit: budget; its nodes are the positions searched and the fours played.
        """
        return self.find_within(board, SearchClock(limit))

    def find_within(self, board: Board, clock: SearchClock) -> ThreesResult:
        """Search like `find`, but within the budget of a clock that already runs.

        Args:
            board: the position; unchanged.
            clock: clock of the move; its nodes are the positions searched and the fours played.
        """
        before = clock.nodes
        plies = self._plies(board, clock, int(board.to_move == WHITE))
        line = self._line(board, plies) if plies else ()
        return ThreesResult(line, plies, clock.nodes - before, bool(self._fields.is_cut))

    def is_lost(self, board: Board, limit: Limit) -> bool:
        """Return whether the other side is proven to win against every move of the side to move.

        Only wins by threats are looked for. If the other side does not threaten to win by fours,
        the answer is False.

        Args:
            board: the position; unchanged.
            limit: budget; its nodes are the positions searched and the fours played.
        """
        return self._plies(board, SearchClock(limit), int(board.to_move == BLACK)) > 0

    def _plies(self, board: Board, clock: SearchClock, attacker: int) -> int:
        """Return the plies of a proven win of the attacker; 0 if none is proven.

        Args:
            board: the position.
            clock: clock of the move.
            attacker: side that is to win, 0 for Black, 1 for White.
        """
        position, fields = self._position, self._fields
        position.follow(board)
        fields.attacker, fields.is_cut = attacker, 0
        arguments = (position.record, position.table, self._record, self._fours.record)
        with clock.record() as spent:
            numbers = int(prove(*arguments, spent, 0, self._likely, INFINITE))
        return numbers if numbers < 1 << NUMBER_BITS else 0

    def _line(self, board: Board, plies: int) -> tuple[Move, ...]:
        """Return the moves of the win that the last search found.

        Args:
            board: the position that was searched.
            plies: length of the win.
        """
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
        """Return a move after which the win is one ply shorter; None if the table has none.

        Args:
            board: the position.
            plies: length of the win before the move.
        """
        if board.outcome() is not None:
            return None
        for move in board.legal_moves:
            key = key_after(self._position.record, self._record, move)
            if known(self._record, key, INFINITE << NUMBER_BITS) == plies - 1:
                return move
        return None

    def _fours_from(self, board: Board) -> tuple[Move, ...]:
        """Return the moves of a win by continuous fours; empty if none is found.

        The search may play as many fours as the search for threes plays for one stone.

        Args:
            board: the position.
        """
        return self._fours.find(board, Limit(nodes=int(self._fields.four_limit))).line
