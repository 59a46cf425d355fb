"""The random player: any legal move."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ai.game import Game, Position, require_open
from ai.players.base import Limit, MoveChoice
from base.schema import OptionValue


class RandomPlayer:
    """Plays every legal move with equal probability."""

    name = "random"

    def choose(self, board: Position, limit: Limit, rng: np.random.Generator) -> MoveChoice:
        """Draw a legal move; see `Player.choose`."""
        require_open(board)
        moves = list(board.legal_moves)
        return MoveChoice(moves[int(rng.integers(len(moves)))])

    def close(self) -> None:
        """Do nothing: no resources are held."""


def create(rules: Game, settings: Mapping[str, OptionValue]) -> RandomPlayer:
    """Create the player; called by the registry."""
    return RandomPlayer()
