"""The human player: lets the registry list a person as a player; the moves come from clicks."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ai.game import Game, Position
from ai.players.base import Limit, MoveChoice, PlayerError
from base.schema import OptionValue


class HumanPlayer:
    """Stands for a person among the players; the person's clicks are handled elsewhere."""

    name = "human"

    def choose(self, board: Position, limit: Limit, rng: np.random.Generator) -> MoveChoice:
        """Refuse to choose: the moves come from a person.

        Raises:
            PlayerError: always.
        """
        raise PlayerError("expected a player that computes, found a person: let the seat ask")

    def close(self) -> None:
        """Do nothing: no resources are held."""


def create(rules: Game, settings: Mapping[str, OptionValue]) -> HumanPlayer:
    """Create the player; called by the registry."""
    return HumanPlayer()
