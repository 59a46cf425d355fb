"""The human: listed among the players, but the seat asks a person, not this program."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ai.game import Board, Rules
from ai.players.base import Limit, MoveChoice, PlayerError
from base.schema import OptionValue


class HumanPlayer:
    """Stands for a person; whoever seats it must take the moves from clicks."""

    name = "human"

    def choose(self, board: Board, limit: Limit, rng: np.random.Generator) -> MoveChoice:
        """Refuse: nobody but the person knows.

        Raises:
            PlayerError: always.
        """
        raise PlayerError("expected a player that computes, found a person: let the seat ask")

    def close(self) -> None:
        """Nothing is held."""


def create(rules: Rules, settings: Mapping[str, OptionValue]) -> HumanPlayer:
    """Build the player: the registry's factory."""
    return HumanPlayer()
