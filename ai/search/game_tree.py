"""The tree of a Monte Carlo search, kept from move to move of a game, and what is read from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ai.game import Move, Rules
from ai.kernels.jit import Record
from ai.kernels.tree.layout import cell_of, move_of
from ai.kernels.tree.nodes import Child, child_at, children_of, keep, new_nodes
from ai.search.base import SearchResult

LINES: Final = 3
"""Greatest number of principal variations in a result."""


class Visited(NamedTuple):
    """A visited move of the root, with its statistics."""

    move: Move
    visits: int
    value: float
    """Mean result of the move for the side to move, -1 to 1."""


@dataclass(frozen=True, slots=True)
class TreeResult(SearchResult):
    """Result of a search; `visits` includes those of the kept tree."""

    moves: tuple[Visited, ...]
    """The visited moves with their mean values, the most visited first."""
    lines: tuple[tuple[Move, ...], ...]
    """Principal variations of the most visited moves."""
    depth: int
    """Greatest depth of this search, plies."""
    kept: int
    """Visits kept from the search of an earlier position."""


class GameTree:
    """The nodes of a search tree, of which a move keeps its subtree for the next search.

    Attributes:
        nodes: memory of the kernels; None before the first search.
        root: node of the position.
        used: number of nodes, those without visits included.
        moves: the position that was searched last, as moves from the empty board; set by the
            search when it has ended. None: the next search begins a new tree.
    """

    def __init__(self, rules: Rules, layout: np.dtype[np.void], capacity: int) -> None:
        """Create an empty tree.

        Args:
            rules: rules of the game.
            layout: of a node.
            capacity: number of nodes, at most; a copy of as many is needed beside them.
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
        """Make the position after `moves` the root if it continues the last one.

        Its subtree is moved to the beginning of the memory where that is half used.

        Args:
            moves: moves from the empty board.
            clock: stops the moving; then the nodes stay where they are.

        Returns:
            Whether the tree has the position; if not, node 0 is to be the root of a new tree.
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
        """Return the node of a position that continues the last one; None if there is none."""
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
        """Return the moves of some children, with their statistics."""
        size = self._rules.size
        return tuple(
            Visited(move_of(child.cell, size), child.visits, float(child.mean))
            for child in children
        )

    def visits_of(self, children: Sequence[Child]) -> NDArray[np.int64]:
        """Return `[A]` the visits of some children by their moves."""
        visits = np.zeros(self._rules.points, np.int64)
        for child in children:
            visits[move_of(child.cell, self._rules.size)] = child.visits
        return visits

    def line_from(self, child: Child) -> tuple[Move, ...]:
        """Return the principal variation that begins with the move of `child`."""
        line = [move_of(child.cell, self._rules.size)]
        while after := children_of(self.nodes, child.node):
            child = after[0]
            line.append(move_of(child.cell, self._rules.size))
        return tuple(line)
