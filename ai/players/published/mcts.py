"""The Monte Carlo player: a tree search with random games near the stones.

The search is UCT (upper confidence bounds applied to trees). The random games, called rollouts, use
only points in a region around the stones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, cast

import numpy as np

from ai.evaluators.base import UniformEvaluator
from ai.game import Board, Game, Move, Position, Rules, open_board
from ai.kernels.jit import is_jit_enabled
from ai.kernels.tree.layout import MAX_REACH
from ai.players.any_game import RolloutTree
from ai.players.base import Limit, MoveChoice
from ai.players.explanation import TreeVisits
from ai.players.level_player import Compare, Compared, LevelPlayer
from ai.players.levels import MCTS, Level, level_of
from ai.players.levels import OPTION as LEVEL
from ai.search.game_tree import TreeResult
from ai.search.puct import PuctResult
from ai.search.uct import CP, GAMMA, MEMORY, REGION, Selection, Uct
from base.schema import Option, OptionValue

ITERATIONS: Final = 20_000
"""Default iterations of a move without a limit; a level may have more."""
SETTINGS: Final = (
    Option(
        "iterations",
        ITERATIONS,
        1,
        help="iterations of a move where neither its seconds nor its nodes are limited",
    ),
    Option("cp", CP, 0.0, 10.0, help="exploration: Cp of V = mean + 2 Cp sqrt(2 ln N / n)"),
    Option(
        "region",
        REGION,
        1,
        MAX_REACH,
        help="rows and columns around the stones where the tree and its rollouts play",
    ),
    Option("selection", "ucb", choices=("ucb", "exp3"), help="how a child is selected"),
    Option("gamma", GAMMA, 0.001, 1.0, help="Exp3: share of draws that are even"),
    Option("keep_tree", True, help="whether a move goes on with the tree of the one before"),
    Option("memory", MEMORY, 1, 16_384, help="bound of the tree, MiB"),
    LEVEL,
)
UNCOMPILED: Final = 400
"""Maximum number of iterations per move while the kernels are not compiled.

Each iteration then takes 100 times as long.
"""
LEAST_SHARE: Final = 0.25
"""Share of the most visited move's visits from which on a level compares a move."""


class TreePlayer:
    """Plays the most visited move of a tree search; explained by `TreeVisits`.

    Args:
        name: name in the registry.
        search: function that searches a position; it holds the tree.
        iterations: iterations per move, if the limit has neither seconds nor nodes.
        uncompiled: maximum of these iterations while the kernels are not compiled.
    """

    def __init__(
        self,
        name: str,
        search: Callable[[Board, Limit, np.random.Generator], TreeResult],
        *,
        iterations: int,
        uncompiled: int,
    ) -> None:
        self.name = name
        self._search = search
        self._iterations = iterations
        self._uncompiled = uncompiled

    def choose(self, board: Position, limit: Limit, rng: np.random.Generator) -> MoveChoice:
        """Search and play the most visited move; see `Player.choose`."""
        board = open_board(board)
        if limit.seconds is None and limit.nodes is None:
            most = self._iterations if is_jit_enabled() else self._uncompiled
            limit = Limit(nodes=min(self._iterations, most))
        found = self._search(board, limit, rng)
        return MoveChoice(
            found.move, value=found.value, policy=found.policy, explanation=visits_of(found)
        )

    def close(self) -> None:
        """Do nothing: no resources are held."""


def searching(search: Uct) -> Callable[[Board, Limit, np.random.Generator], TreeResult]:
    """Return a function that runs a search by random games, without a network.

    Its arguments are a board, a limit and a random generator; its result is that of the search.

    Args:
        search: the search, which holds the tree.
    """
    evaluator = UniformEvaluator()
    return lambda board, limit, rng: search.search(board, evaluator, limit, rng)


def visits_of(found: TreeResult) -> TreeVisits:
    """Return the explanation of a move that a search has found.

    Args:
        found: result of the search.
    """
    prior = found.prior if isinstance(found, PuctResult) else None
    return TreeVisits(
        visits=tuple((item.move, item.visits) for item in found.moves),
        means=tuple(item.value for item in found.moves),
        priors=() if prior is None else tuple(float(prior[item.move]) for item in found.moves),
        lines=found.lines,
        iterations=found.nodes,
        kept=found.kept,
        depth=found.depth,
    )


def comparing(
    level: Level, search: Callable[[Board, Limit, np.random.Generator], TreeResult]
) -> Compare:
    """Return a function that compares moves by a tree search, for a level of strength.

    It compares the moves that were visited at least `LEAST_SHARE` as often as the most visited one.
    Without a margin only that one counts.

    Args:
        level: the level.
        search: function that searches a position.
    """
    least = LEAST_SHARE if level.margin else 1.0

    def compare(
        board: Board, limit: Limit, rng: np.random.Generator, needed: tuple[Move, ...]
    ) -> Compared:
        found = search(board, limit, rng)
        moves = [item for item in found.moves if not needed or item.move in needed]
        most = max((item.visits for item in moves), default=0)
        values = {item.move: item.value for item in moves if item.visits >= least * most}
        if not values:  # a win by fours, without a search, or needed moves without visits
            values = dict.fromkeys(needed or (found.move,), found.value)
        return Compared(values, visits_of(found), found.policy)

    return compare


def create(
    rules: Game, settings: Mapping[str, OptionValue]
) -> TreePlayer | LevelPlayer | RolloutTree:
    """Create the player, at the level of its settings; called by the registry."""
    if not isinstance(rules, Rules):
        return RolloutTree(settings)
    level = level_of(settings, MCTS)
    if level is not None:
        plain = searching(Uct(rules, keeps_tree=False))
        own = cast("int", settings["iterations"])
        asked = None if own == ITERATIONS else own
        return LevelPlayer(level, rules, comparing(level, plain), own=asked)
    search = Uct(
        rules,
        cp=cast("float", settings["cp"]),
        region=cast("int", settings["region"]),
        selection=cast("Selection", settings["selection"]),
        gamma=cast("float", settings["gamma"]),
        keeps_tree=cast("bool", settings["keep_tree"]),
        memory=cast("int", settings["memory"]),
    )
    iterations = cast("int", settings["iterations"])
    return TreePlayer("mcts", searching(search), iterations=iterations, uncompiled=UNCOMPILED)
