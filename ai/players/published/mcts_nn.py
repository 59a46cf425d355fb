"""The guided Monte Carlo player: the move network chooses what is searched, and plays it out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, cast

import numpy as np

from ai.evaluators.uniform import UniformEvaluator
from ai.game import GameOverError, Position, Rules, as_board
from ai.kernels.jit import is_jit_enabled
from ai.players.base import Limit, MoveChoice
from ai.players.published.mcts import visits_of
from ai.players.published.move_net import NETWORK, network_of
from ai.search.guided import MEMORY, THRESHOLD, GuidedUct
from ai.search.uct import CP
from base.schema import Option, OptionValue

SETTINGS: Final = (
    Option(
        "iterations",
        500,
        1,
        help="iterations of a move where neither its seconds nor its nodes are limited",
    ),
    Option("cp", CP, 0.0, 10.0, help="exploration: Cp of V = mean + 2 Cp sqrt(2 ln N / n)"),
    Option(
        "threshold", THRESHOLD, 0.0, 1.0,
        help="share of the network above which a move is searched; the document's is 0.013",
    ),
    Option("keep_tree", True, help="whether a move goes on with the tree of the one before"),
    Option("memory", MEMORY, 1, 16_384, help="bound of the tree, MiB"),
    NETWORK,
)  # fmt: skip
UNCOMPILED: Final = 1
"""Iterations at most while the kernels are not compiled: they cost a thousand times as much."""


class MctsNnPlayer:
    """Plays the most visited move of a guided tree; explained by `TreeVisits`."""

    name = "mcts-nn"

    def __init__(self, rules: Rules, settings: Mapping[str, OptionValue]) -> None:
        self._iterations = cast("int", settings["iterations"])
        self._evaluator = UniformEvaluator()
        self._search = GuidedUct(
            rules,
            network_of(settings),
            cp=cast("float", settings["cp"]),
            threshold=cast("float", settings["threshold"]),
            keeps_tree=cast("bool", settings["keep_tree"]),
            memory=cast("int", settings["memory"]),
        )

    def choose(self, board: Position, limit: Limit, rng: np.random.Generator) -> MoveChoice:
        """Search and play the most visited move; the same position gets the same one."""
        board = as_board(board)
        if board.outcome() is not None:
            raise GameOverError(f"expected a game that goes on, found {board.outcome()}")
        if limit.seconds is None and limit.nodes is None:
            most = self._iterations if is_jit_enabled() else UNCOMPILED
            limit = Limit(nodes=min(self._iterations, most))
        found = self._search.search(board, self._evaluator, limit, rng)
        return MoveChoice(
            found.move, value=found.value, policy=found.policy, explanation=visits_of(found)
        )

    def close(self) -> None:
        """Do nothing: no resources are held."""


def create(rules: Rules, settings: Mapping[str, OptionValue]) -> MctsNnPlayer:
    """Create the player; called by the registry.

    Raises:
        OptionError: the network's file cannot be used.
    """
    return MctsNnPlayer(rules, settings)
