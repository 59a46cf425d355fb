"""The one-ply player: a simple rule and chance; the learner's opponent in games but Gomoku."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, cast

import numpy as np

from ai.evaluators.base import UniformEvaluator
from ai.game import Position, open_board
from ai.game.rules import Rules
from ai.players.base import Limit, MoveChoice
from ai.players.explanation import DrawnMove
from ai.search import one_ply
from base.schema import Option, OptionValue

SETTINGS: Final = (
    Option(
        "attention",
        1.0,
        0.0,
        1.0,
        help="probability with which it looks at the board at all before a move; 0: random",
    ),
)


class OnePlyPlayer:
    """Completes a row of its own, else one of the opponent's, else plays any legal point."""

    name = "one-ply"

    def __init__(self, settings: Mapping[str, OptionValue]) -> None:
        self._attention = cast("float", settings["attention"])
        self._evaluator = UniformEvaluator()

    def choose(self, board: Position, limit: Limit, rng: np.random.Generator) -> MoveChoice:
        """Choose by the rule and draw among equal moves; see `Player.choose`."""
        board = open_board(board)
        found = one_ply.search(board, self._evaluator, limit, rng, attention=self._attention)
        return MoveChoice(found.move, explanation=DrawnMove(found.reason, found.points))

    def close(self) -> None:
        """Do nothing: no resources are held."""


def create(rules: Rules, settings: Mapping[str, OptionValue]) -> OnePlyPlayer:
    """Create the player; called by the registry."""
    return OnePlyPlayer(settings)
