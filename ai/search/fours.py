"""Wins by continuous fours ("VCF") on square boards of any size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ai.game import Board, Color, Move, Rules
from ai.kernels.clock import UNLIMITED
from ai.kernels.jit import Record, Table, fields_of, is_jit_enabled, new_record
from ai.kernels.position import KernelPosition
from ai.kernels.threats.fours import find_fours
from ai.kernels.threats.layout import FAILED, FOURS
from ai.kernels.threats.points import pass_turn
from ai.search.base import Limit, SearchClock

_NOTHING: Final = np.zeros(FAILED, np.int64)


@dataclass(frozen=True, slots=True)
class FoursResult:
    """Result of a search for continuous fours."""

    line: tuple[Move, ...]
    """The win found: attacks and answers in turn; empty if none was found.

    The last move is an attack that makes five, or that can make five at two points next.
    """
    plies: int
    """Plies from the position to the five; 0 if no win was found."""
    nodes: int
    """Number of fours played."""
    is_complete: bool
    """Whether the search was exhaustive: if so, an empty `line` means that there is no win."""


class FourSearch:
    """Searches positions for wins by continuous fours. Not thread-safe."""

    def __init__(self, rules: Rules, position: KernelPosition | None = None) -> None:
        """Create a search for games by certain rules.

        Args:
            rules: rules with a square board; in renju and caro with five in a row.
            position: kernel position to share with others; None to create one.

        Raises:
            RulesError: the rules are not supported.
        """
        self._position = KernelPosition(rules, knows_fouls=True) if position is None else position
        self.record: Record = new_record(FOURS)
        """Record with the memory of the search, an argument of its kernels."""
        self._fields: Any = fields_of(self.record)

    @property
    def kernel_arguments(self) -> tuple[Record, Table, Record]:
        """The first arguments of the search's kernels.

        They are the record of the position, its lookup table of patterns, and the record of the
        search.
        """
        return self._position.record, self._position.table, self.record

    def forget(self) -> None:
        """Forget the positions that are known to have no win.

        A search with a limit sees more when it knows them. So its result depends on earlier
        searches unless they are forgotten.
        """
        self._fields.failed[:] = _NOTHING if is_jit_enabled() else [0] * FAILED

    def find(self, board: Board, limit: Limit, *, color: Color | None = None) -> FoursResult:
        """Search an unfinished game for a win by continuous fours.

        Args:
            board: the position; unchanged.
            limit: limit of the search; its nodes are the fours played.
            color: the attacking side; it is assumed to be its turn. None for the side to move.
        """
        return self.find_within(board, SearchClock(limit), limit.nodes, color=color)

    def find_within(
        self, board: Board, clock: SearchClock, nodes: int | None, *, color: Color | None = None
    ) -> FoursResult:
        """Search like `find`, but within the budget of a clock that already runs.

        Args:
            board: the position; unchanged.
            clock: clock of the move, which also counts the fours played.
            nodes: greatest number of fours; None for no limit.
            color: the attacking side; it is assumed to be its turn. None for the side to move.
        """
        position, fields, before = self._position, self._fields, clock.nodes
        position.follow(board)
        is_other = color is not None and color != board.to_move
        fields.nodes, fields.is_cut = 0, 0
        fields.node_limit = UNLIMITED if nodes is None else nodes
        if is_other:
            pass_turn(position.record)
        with clock.record() as spent:
            plies = find_fours(position.record, position.table, self.record, spent, 0)
        if is_other:
            pass_turn(position.record)
        written = plies - 2 if plies >= 3 else plies
        line = tuple(int(move) for move in fields.line[:written])
        return FoursResult(line, plies, clock.nodes - before, not fields.is_cut)
