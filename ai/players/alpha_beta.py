"""The alpha-beta player: minimax to a depth; exact for games as small as tic-tac-toe."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, cast

import numpy as np

from ai.evaluators.lines import LineEvaluator
from ai.game import Board, GameOverError, Rules
from ai.players.base import Limit, MoveChoice
from ai.players.explanation import SearchedMoves
from ai.search import alpha_beta
from ai.search.alpha_beta import LONGEST_GAME
from base.schema import Option, OptionValue

SETTINGS: Final = (
    Option(
        "depth",
        9,
        1,
        LONGEST_GAME,
        help="plies looked ahead at most; 9 and no bound on the nodes play tic-tac-toe perfectly",
    ),
    Option(
        "nodes",
        3000,
        1,
        help="positions that one move may cost; none: no bound",
        optional=True,
    ),
)


class AlphaBetaPlayer:
    """Draws one of the moves with the best score; explained by `SearchedMoves`."""

    name = "alpha-beta"

    def __init__(self, rules: Rules, settings: Mapping[str, OptionValue]) -> None:
        self._depth = cast("int", settings["depth"])
        self._nodes = cast("int | None", settings["nodes"])
        self._evaluator = LineEvaluator(rules)
        self._table: alpha_beta.Table = {}

    def choose(self, board: Board, limit: Limit, rng: np.random.Generator) -> MoveChoice:
        """Search and draw; see `Player.choose`. The tighter of both node limits applies."""
        if board.outcome() is not None:
            raise GameOverError(f"expected a game that goes on, found {board.outcome()}")
        bounds = [bound for bound in (self._nodes, limit.nodes) if bound is not None]
        bounded = Limit(limit.seconds, min(bounds, default=None))
        found = alpha_beta.search(
            board, self._evaluator, bounded, rng, depth=self._depth, table=self._table
        )
        ranked = sorted(found.scores.items(), key=lambda item: -item[1])
        explanation = SearchedMoves(
            scores=tuple(ranked),
            nodes=found.nodes,
            depth=found.depth,
            principal_variation=found.principal_variation,
        )
        return MoveChoice(found.move, value=found.value, explanation=explanation)

    def close(self) -> None:
        """Do nothing: no resources are held."""


def create(rules: Rules, settings: Mapping[str, OptionValue]) -> AlphaBetaPlayer:
    """Create the player; called by the registry."""
    return AlphaBetaPlayer(rules, settings)
