"""The one-ply player: a rule and dice. The opponent of the learner in other games than Gomoku."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, cast

import numpy as np

from ai.game import Board, GameOverError, Move
from ai.game.rules import Rules
from ai.players.base import Limit, MoveChoice
from ai.players.settings import Setting, SettingValue

SETTINGS: Final = (
    Setting(
        "attention",
        1.0,
        0.0,
        1.0,
        help="probability with which it looks at the board at all before a move; 0: random",
    ),
)


class OnePlyPlayer:
    """Completes a row of its own, else one of the opponent's, else plays any legal point.

    The explanation holds `reason`: "win", "stop" or "any", and `points`: those it drew from.
    """

    name = "one-ply"

    def __init__(self, settings: Mapping[str, SettingValue]) -> None:
        self._attention = cast("float", settings["attention"])

    def choose(self, board: Board, limit: Limit, rng: np.random.Generator) -> MoveChoice:
        """Choose by the rule, draw among equals; see `Player.choose`."""
        if board.outcome() is not None:
            raise GameOverError(f"expected a game that goes on, found {board.outcome()}")
        reason, points = "any", list(board.legal_moves)
        if rng.random() < self._attention:
            own, others = completing_moves(board)
            if own or others:
                reason, points = ("win", own) if own else ("stop", others)
        move = points[int(rng.integers(len(points)))]
        return MoveChoice(move, explanation={"reason": reason, "points": points})

    def close(self) -> None:
        """Nothing is held."""


def completing_moves(board: Board) -> tuple[list[Move], list[Move]]:
    """Return the legal moves that complete a row of the side to move, and of the other side."""
    own, others = [], []
    for move in board.legal_moves:
        if board.completes_row(move, board.to_move):
            own.append(move)
        if board.completes_row(move, -board.to_move):
            others.append(move)
    return own, others


def create(rules: Rules, settings: Mapping[str, SettingValue]) -> OnePlyPlayer:
    """Build the player: the registry's factory."""
    return OnePlyPlayer(settings)
