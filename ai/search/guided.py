"""Monte Carlo tree search guided by the move network: `mcts-nn`.

After M. Muzika (CTU Prague 2017), section 5.3.1: a node's children are the empty points to which
the network gives more than a threshold, and a simulation plays its likeliest point for both sides
to the end. Selection, backup and the move that is played are those of `ai.search.uct`.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from ai.game import Board, Rules
from ai.kernels.guided.network import new_net, put_stones
from ai.kernels.jit import Record, fields_of
from ai.kernels.tree.layout import cell_of, open_everywhere
from ai.kernels.tree.stones import put_stone
from ai.nets.move_net import MoveNetwork
from ai.search.uct import CP, Uct

THRESHOLD: Final = 0.013
"""Share above which a move is searched: the document's text; its figure 5.4 says 0.015."""
MEMORY: Final = 64
"""Default bound of the tree, MiB."""


class GuidedUct(Uct):
    """A guided search tree for one game after the other; see `Uct`.

    A node of a limit is an iteration. A simulation that the clock ends counts for nothing.

    Args:
        rules: a square board without gravity.
        network: the move network.
        cp: Cp of V = mean + 2 Cp sqrt(2 ln N / n), at least 0.
        threshold: share above which a move is searched, 0 to 1; the likeliest always is.
        keeps_tree: whether the tree is kept between moves.
        memory: bound of the tree, MiB.

    Raises:
        RulesError: the rules are not supported.
        ValueError: a setting is out of bounds.
    """

    def __init__(
        self,
        rules: Rules,
        network: MoveNetwork,
        *,
        cp: float = CP,
        threshold: float = THRESHOLD,
        keeps_tree: bool = True,
        memory: int = MEMORY,
    ) -> None:
        super().__init__(rules, cp=cp, keeps_tree=keeps_tree, memory=memory)
        if not 0.0 <= threshold <= 1.0:
            raise ValueError(f"threshold: expected 0 to 1, found {threshold!r}")
        self._keeps_first = True
        self._net = new_net(rules, network.weights)
        fields_of(self._net).threshold = threshold

    def _begin(self, record: Record, board: Board) -> None:
        """Lay the position on both boards; the whole of it is the region."""
        fields_of(record).is_guided = 1
        open_everywhere(record, self.rules)
        for move in board.moves:
            put_stone(record, cell_of(move, board.size))
        put_stones(self._net, np.array(board.stones, np.int8), board.size)


__all__ = ["MEMORY", "THRESHOLD", "GuidedUct"]
