"""The one-ply player: wins or stops a win if it can, else plays at random.

It is the learner's opponent in games other than Gomoku.
"""

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
    """Completes its own winning row, or blocks the opponent's, or plays at random."""

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
