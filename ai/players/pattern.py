"""The pattern player: one look at every point, no search. A yardstick for the others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from ai.game import Board, GameOverError, Rules, random_centre_point
from ai.kernels.greedy import SCORES, score_points
from ai.kernels.jit import fields_of, new_record
from ai.kernels.position import Position
from ai.kernels.values import PATTERN_VALUES
from ai.players.base import Limit, MoveChoice
from ai.players.settings import Setting, SettingValue

SETTINGS: Final[tuple[Setting, ...]] = ()

_SHOWN_POINTS: Final = 5


class PatternPlayer:
    """Plays the point with the best patterns, its own counted twice, the opponent's once.

    So a five comes before stopping a five, that before an open four, and so on.
    Equal points are drawn from the generator. The explanation holds `best`: the
    highest scores as [move, score] pairs.
    """

    name = "pattern"

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self._position = Position(rules)
        self._record = new_record(SCORES)
        self._fields = fields_of(self._record)
        for line_class, value in PATTERN_VALUES.items():
            self._fields.values[line_class] = value

    def choose(self, board: Board, limit: Limit, rng: np.random.Generator) -> MoveChoice:
        """Choose the point with the highest score; see `Player.choose`."""
        if board.outcome() is not None:
            raise GameOverError(f"expected a game that goes on, found {board.outcome()}")
        if board.ply == 0:
            return MoveChoice(random_centre_point(self.rules, rng), explanation={"opening": True})
        self._position.follow(board)
        score_points(self._position.record, self._record, board.ply % 2)
        scores = np.array(self._fields.scores[: self.rules.points], np.int64)
        best = np.flatnonzero(scores == scores.max())
        ranked = np.argsort(-scores, kind="stable")[:_SHOWN_POINTS]
        shown = [[int(move), int(scores[move])] for move in ranked if scores[move] >= 0]
        return MoveChoice(int(rng.choice(best)), explanation={"best": shown})

    def close(self) -> None:
        """Nothing is held."""


def create(rules: Rules, settings: Mapping[str, SettingValue]) -> PatternPlayer:
    """Build the player: the registry's factory."""
    return PatternPlayer(rules)
