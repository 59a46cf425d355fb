"""The random player: any legal move."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ai.game import Board, GameOverError, Rules
from ai.players.base import Limit, MoveChoice
from base.schema import OptionValue


class RandomPlayer:
    """Plays every legal move with equal probability."""

    name = "random"

    def choose(self, board: Board, limit: Limit, rng: np.random.Generator) -> MoveChoice:
        """Draw a legal move; see `Player.choose`."""
        if board.outcome() is not None:
            raise GameOverError(f"expected a game that goes on, found {board.outcome()}")
        moves = list(board.legal_moves)
        return MoveChoice(moves[int(rng.integers(len(moves)))])

    def close(self) -> None:
        """Do nothing: no resources are held."""


def create(rules: Rules, settings: Mapping[str, OptionValue]) -> RandomPlayer:
    """Create the player; called by the registry."""
    return RandomPlayer()
