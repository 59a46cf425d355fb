"""The pattern player, a baseline: scores every point by patterns of stones, without a search."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from ai.evaluators.pattern import PatternEvaluator
from ai.game import Position, Rules, open_board, random_centre_point
from ai.players.base import Limit, MoveChoice
from ai.players.explanation import Opening, PatternScores
from base.schema import OptionValue

_SHOWN_POINTS: Final = 5


class PatternPlayer:
    """Plays the point with the best patterns of stones of both sides.

    A pattern of its own counts twice, one of the opponent's once. So it prefers making a five to
    stopping one. It prefers stopping a five to making an open four, and so on. Among equal points
    it chooses at random.
    """

    name = "pattern"

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self._evaluator = PatternEvaluator(rules)

    def choose(self, board: Position, limit: Limit, rng: np.random.Generator) -> MoveChoice:
        """Choose the point with the highest score, whatever the limit; see `Player.choose`."""
        board = open_board(board)
        if board.stone_count == 0:
            return MoveChoice(random_centre_point(self.rules, rng), explanation=Opening())
        scores = self._evaluator.point_scores(board)
        best = np.flatnonzero(scores == scores.max())
        ranked = np.argsort(-scores, kind="stable")[:_SHOWN_POINTS]
        shown = tuple((int(move), int(scores[move])) for move in ranked if scores[move] >= 0)
        return MoveChoice(int(rng.choice(best)), explanation=PatternScores(best=shown))

    def close(self) -> None:
        """Do nothing: no resources are held."""


def create(rules: Rules, settings: Mapping[str, OptionValue]) -> PatternPlayer:
    """Create the player; called by the registry."""
    return PatternPlayer(rules)
