"""Monte Carlo tree search with UCT: rollouts limited to the region around the stones.

Each iteration adds one node. A path is selected by UCB1 or Exp3 (`ai.kernels.tree.selection`), its
last position gets children, and a rollout plays random moves in the region. The result is 1 won, 0
drawn, -1 lost. The most visited move is played. There are no rules about patterns: only the tree
finds wins and forced moves.

`GuidedUct` is the search of `mcts-nn`, after M. Muzika (CTU Prague 2017), section 5.3.1. A node's
children are the empty points whose probability by the move network exceeds a threshold. A
simulation plays the network's likeliest move for both sides to the end.
"""

from __future__ import annotations

from typing import Final, Literal

import numpy as np

from ai.evaluators.base import Evaluator
from ai.game import Board, Rules, RulesError
from ai.kernels.guided.layout import NET, new_net, put_stones
from ai.kernels.jit import Record, fields_of, new_record
from ai.kernels.randomness import new_random, seed_random
from ai.kernels.tree.growth import grow, plant
from ai.kernels.tree.layout import EXP3, UCB, new_tree_board, open_centre, open_everywhere
from ai.kernels.tree.nodes import NODE
from ai.nets.move_net import MoveNetwork
from ai.search.base import Limit, SearchClock
from ai.search.game_tree import LINES, GameTree, TreeResult, put_moves

Selection = Literal["ucb", "exp3"]

CP: Final = 0.2
"""Default exploration constant Cp, which the documents do not give.

Among 0.05, 0.15, 0.3 and 0.7, the values 0.15 and 0.3 won most games.
"""
GAMMA: Final = 0.1
"""Default gamma of Exp3: the share of draws that ignore the results so far.

In these draws all children are equally likely.
"""
REGION: Final = 1
"""Default number of rows and columns between a stone and the region's edge.

With 1 the region has the eight neighbours of each stone. The documents show this only in a figure.
"""
MEMORY: Final = 512
"""Default upper limit of the tree's memory in MiB."""


class Uct:
    """Monte Carlo tree search of positions of successive games.

    If a position continues the last search, the part of the tree below it is kept; any other
    position begins a new tree. So does the position after the first stone, since the empty board
    has another region. Not thread-safe.

    Args:
        rules: a square board without gravity.
        cp: Cp of V = mean + 2 Cp sqrt(2 ln N / n), at least 0; N and n are the visits of parent and
            child.
        region: rows and columns between a stone and the region's edge, 1 to 4.
        selection: how children are selected, "ucb" or "exp3".
        gamma: the gamma of Exp3, above 0, at most 1.
        keeps_tree: whether the tree is kept between moves.
        memory: upper limit of the tree's memory in MiB; when it is used up, leaves get no children
            any more.

    Raises:
        RulesError: the rules are not supported.
        ValueError: a setting is out of bounds.
    """

    def __init__(
        self,
        rules: Rules,
        *,
        cp: float = CP,
        region: int = REGION,
        selection: Selection = "ucb",
        gamma: float = GAMMA,
        keeps_tree: bool = True,
        memory: int = MEMORY,
    ) -> None:
        self.rules = rules
        self._region = region
        self._selection = {"ucb": UCB, "exp3": EXP3}.get(selection)
        if self._selection is None:
            raise ValueError(f"selection: expected 'ucb' or 'exp3', found {selection!r}")
        if cp < 0.0:
            raise ValueError(f"cp: expected at least 0, found {cp!r}")
        if not 0.0 < gamma <= 1.0:
            raise ValueError(f"gamma: expected above 0, at most 1, found {gamma!r}")
        if memory < 1:
            raise ValueError(f"memory: expected at least 1 MiB, found {memory!r}")
        self._exploration = 2.0 * cp if selection == "ucb" else gamma
        self._keeps_tree = keeps_tree
        self._keeps_first = False
        """Whether the tree of the empty board is kept after the first stone.

        Its nodes may lie outside of the region that then applies.
        """
        new_tree_board(rules, region)  # checks both
        self._tree = GameTree(rules, NODE, (memory << 20) // (2 * NODE.itemsize))
        self._random = new_random()
        self._net: Record = new_record(NET)

    @property
    def used(self) -> int:
        """Number of nodes of the tree, including untried children."""
        return self._tree.used

    def search(
        self, board: Board, evaluator: Evaluator | None, limit: Limit, rng: np.random.Generator
    ) -> TreeResult:
        """Search a position of an unfinished game with at least one iteration.

        Args:
            board: position of these rules; unchanged.
            evaluator: unused, since rollouts give the values of leaves; may be None.
            limit: budget; nodes are iterations, without those of the kept tree.
            rng: seeds the rollouts; its state changes.

        Raises:
            RulesError: the board follows other rules.
        """
        if board.rules != self.rules:
            raise RulesError(f"expected {self.rules!r}, found {board.rules!r}")
        clock = SearchClock(limit)
        seed_random(self._random, int(rng.integers(1 << 62)))
        record = self._position(board)
        tree = self._tree
        with clock.record() as spent:
            self._resume(board, record, spent)
            kept = sum(child.visits for child in tree.children())
            depth = int(grow(record, tree.nodes, self._random, self._net, spent))
        tree.used = int(fields_of(record).used)
        tree.moves = tuple(board.moves)
        return self._result(board, clock.nodes, depth, kept)

    def _position(self, board: Board) -> Record:
        """Return the kernel's record of a position, with the settings."""
        record = new_tree_board(self.rules, self._region)
        self._begin(record, board)
        fields = fields_of(record)
        fields.capacity = self._tree.capacity
        fields.selection, fields.exploration = self._selection, self._exploration
        return record

    def _begin(self, record: Record, board: Board) -> None:
        """Place the stones of a position on the tree's board.

        This opens the region around the stones. On an empty board the region is that of a stone in
        the centre.

        Args:
            record: kernel's record of the board.
            board: the position.
        """
        if board.stone_count == 0:
            open_centre(record, self.rules)
        put_moves(record, board.moves, board.size)

    def _resume(self, board: Board, record: Record, clock: Record) -> None:
        """Keep the part of the tree below the position, or begin a new tree.

        Args:
            board: the position.
            record: kernel's record of the board.
            clock: stops the copying of nodes.
        """
        tree, fields = self._tree, fields_of(record)
        if not self._keeps_tree or (tree.moves == () and not self._keeps_first):
            tree.moves = None
        if tree.resume(board.moves, clock):
            fields.path[0], fields.used = tree.root, tree.used
        else:
            plant(record, tree.nodes)

    def _result(self, board: Board, nodes: int, depth: int, kept: int) -> TreeResult:
        """Return the result of the search, read from the root's children.

        Args:
            board: the position.
            nodes: number of iterations of this search.
            depth: greatest depth in plies that was reached.
            kept: visits kept from an earlier search.
        """
        tree = self._tree
        children = tree.children()
        moves, visits = tree.moves_of(children), tree.visits_of(children)
        lines = tuple(tree.line_from(child) for child in children[:LINES])
        return TreeResult(
            move=moves[0].move,
            value=moves[0].value,
            policy=(visits / visits.sum()).astype(np.float32),
            visits=visits,
            principal_variation=lines[0],
            nodes=nodes,
            moves=moves,
            lines=lines,
            depth=depth,
            kept=kept,
        )


THRESHOLD: Final = 0.013
"""Probability above which a move is searched, by the document's text; its figure 5.4 says 0.015."""
GUIDED_MEMORY: Final = 64
"""Default upper limit of a guided tree's memory in MiB."""


class GuidedUct(Uct):
    """Monte Carlo tree search guided by the move network; see `Uct`.

    The nodes of a limit are iterations. A simulation during which the time runs out is discarded.

    Args:
        rules: a square board without gravity.
        network: the move network.
        cp: Cp of V = mean + 2 Cp sqrt(2 ln N / n), at least 0; N and n are the visits of parent and
            child.
        threshold: probability above which a move is searched, 0 to 1; the likeliest one always is.
        fives_first: whether a simulation makes a five, or stops one, before it asks the network.
        keeps_tree: whether the tree is kept between moves.
        memory: upper limit of the tree's memory in MiB.

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
        fives_first: bool = False,
        keeps_tree: bool = True,
        memory: int = GUIDED_MEMORY,
    ) -> None:
        super().__init__(rules, cp=cp, keeps_tree=keeps_tree, memory=memory)
        if not 0.0 <= threshold <= 1.0:
            raise ValueError(f"threshold: expected 0 to 1, found {threshold!r}")
        self._keeps_first = True
        self._net = new_net(rules, network.weights, views=network.views)
        fields_of(self._net).threshold = threshold
        fields_of(self._net).fives_first = int(fives_first)

    @property
    def simulated(self) -> int:
        """Number of plies of all simulations so far."""
        return int(fields_of(self._net).simulated)

    def _begin(self, record: Record, board: Board) -> None:
        """Place the stones of a position on the tree's board and the network's.

        The region is the whole board.

        Args:
            record: kernel's record of the board.
            board: the position.
        """
        fields_of(record).is_guided = 1
        open_everywhere(record, self.rules)
        put_moves(record, board.moves, board.size)
        put_stones(self._net, np.array(board.stones, np.int8), board.size)
