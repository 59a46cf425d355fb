"""The tree of a Monte Carlo search: what is kept of it after a move, and what is read from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ai.game import PASS, Move, Rules
from ai.kernels.jit import Record, fields_of
from ai.kernels.tree.layout import cell_of, move_of
from ai.kernels.tree.nodes import Child, child_at, children_of, keep, new_nodes
from ai.kernels.tree.stones import put_stone
from ai.search.base import SearchResult

LINES: Final = 3
"""Greatest number of expected continuations (principal variations) in a result."""


class Visited(NamedTuple):
    """A visited move of the root, with its statistics."""

    move: Move
    visits: int
    value: float
    """Mean result of the move for the side to move, -1 to 1."""


@dataclass(frozen=True, slots=True)
class TreeResult(SearchResult):
    """Result of a search; the `visits` of a part of the tree kept from before are included."""

    moves: tuple[Visited, ...]
    """The visited moves with their mean values, the most visited first."""
    lines: tuple[tuple[Move, ...], ...]
    """Principal variations of the most visited moves."""
    depth: int
    """Greatest depth in plies that this search reached."""
    kept: int
    """Number of visits of the root that were kept from the search of an earlier position."""


def put_moves(record: Record, moves: Sequence[Move], size: int) -> None:
    """Place the stones of a game on a kernel's board; a pass only changes the turn.

    Args:
        record: kernel's record of the board.
        moves: the moves.
        size: points along a side of the board.
    """
    board = fields_of(record)
    for move in moves:
        if move == PASS:
            board.side = 1 - board.side
        else:
            put_stone(record, cell_of(move, size))


class GameTree:
    """The nodes of a search tree; after a move, the part below it is kept for the next search.

    Attributes:
        nodes: memory of the kernels; None before the first search.
        root: index of the node of the position.
        used: number of nodes, those without visits included.
        moves: the position that was searched last, as moves from the empty board; set by the search
            when it has ended. None: the next search begins a new tree.
    """

    def __init__(self, rules: Rules, layout: np.dtype[np.void], capacity: int) -> None:
        """Create an empty tree.

        Args:
            rules: rules of the game.
            layout: layout of a node, `NODE` or `PUCT_NODE` of `ai.kernels.tree.nodes`.
            capacity: greatest number of nodes. The memory is twice that, since keeping a part of
                the tree needs a copy.
        """
        self.nodes: Any = None
        self.root = 0
        self.used = 0
        self.moves: tuple[Move, ...] | None = None
        self.capacity = capacity
        self._rules = rules
        self._layout = layout
        self._spare: Any = None

    def resume(self, moves: Sequence[Move], clock: Record) -> bool:
        """Make the position after `moves` the root, if the tree holds it.

        It can hold it only if these moves continue the position searched last. When half of the
        memory is used, the part of the tree below the new root is moved to its beginning.

        Args:
            moves: moves from the empty board.
            clock: stops the moving; then the nodes stay where they are.

        Returns:
            Whether the tree holds the position. If not, node 0 is to be the root of a new tree.
        """
        root, self.moves = self._follow(moves), None
        self.root = root or 0
        if root is None:
            if self.nodes is None:
                self.nodes = new_nodes(self._layout, self.capacity)
            return False
        if self.used > self.capacity // 2:
            if self._spare is None:
                self._spare = new_nodes(self._layout, self.capacity)
            used = keep(self.nodes, self._spare, root, clock)
            if used > 0:
                self.nodes, self._spare = self._spare, self.nodes
                self.root, self.used = 0, used
        return True

    def _follow(self, moves: Sequence[Move]) -> int | None:
        """Return the index of a position's node, if the position continues the one searched last.

        Args:
            moves: the position, as moves from the empty board.

        Returns:
            The index; None if the tree does not hold the position.
        """
        before = self.moves
        if before is None or len(moves) <= len(before) or tuple(moves[: len(before)]) != before:
            return None
        node = self.root
        for move in moves[len(before) :]:
            node = child_at(self.nodes, node, cell_of(move, self._rules.size))
            if node == 0:
                return None
        return node

    # -- what is read from it -----------------------------------------------------------------

    def children(self) -> list[Child]:
        """Return the visited children of the root, the most visited first."""
        return children_of(self.nodes, self.root)

    def moves_of(self, children: Sequence[Child]) -> tuple[Visited, ...]:
        """Return the moves that lead to some children of the root, with their statistics.

        Args:
            children: children of the root, in the order of the result.
        """
        size = self._rules.size
        return tuple(
            Visited(move_of(child.cell, size), child.visits, float(child.mean))
            for child in children
        )

    def visits_of(self, children: Sequence[Child]) -> NDArray[np.int64]:
        """Return the number of visits of each point as a move, `[A]` for A points.

        Args:
            children: children of the root; other points have 0.
        """
        visits = np.zeros(self._rules.points, np.int64)
        for child in children:
            visits[move_of(child.cell, self._rules.size)] = child.visits
        return visits

    def line_from(self, child: Child) -> tuple[Move, ...]:
        """Return the expected moves from here on, beginning with the move of a child.

        After it, the most visited move follows each time.

        Args:
            child: child of the root.
        """
        line = [move_of(child.cell, self._rules.size)]
        while after := children_of(self.nodes, child.node):
            child = after[0]
            line.append(move_of(child.cell, self._rules.size))
        return tuple(line)
