"""Black's opponents: one in every game, or the members of a league in turn.

A league goes round by round: in each every member plays once, in an order drawn from the run's
seed and the round, so that the same seed meets the same opponents in the same games.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from ai.experiments.configuration import (
    MEMBERS,
    OPPONENT,
    STRENGTH,
    CellConfiguration,
    strength,
)
from ai.players.base import Player
from ai.registry.players import create_player

_STREAM: Final = 31


def member_of(seed: int, game: int) -> str:
    """Return the league member that plays a game.

    Args:
        seed: seed of the run.
        game: number of the game, from 1.
    """
    lap, place = divmod(game - 1, len(MEMBERS))
    order = np.random.default_rng([_STREAM, seed, lap]).permutation(len(MEMBERS))
    return MEMBERS[order[place]]


def create_member(configuration: CellConfiguration, member: str) -> Player:
    """Create a member of the league; the genetic algorithm by the run's other settings.

    Args:
        configuration: configuration of the run.
        member: one of `MEMBERS`.
    """
    if STRENGTH.fullmatch(member):
        settings = {**configuration.opponent_settings, **strength(member)}
        return create_player(OPPONENT, configuration.rules, settings)
    return create_player(member, configuration.rules, {})


class Opponents:
    """The opponents of a run, each created when it first plays."""

    def __init__(self, configuration: CellConfiguration) -> None:
        self._configuration = configuration
        self._players: dict[str, Player] = {}

    def name_of(self, game: int) -> str | None:
        """Return the league member that plays a game; None without a league."""
        if not self._configuration.is_league:
            return None
        return member_of(self._configuration.seed, game)

    def of(self, game: int) -> Player:
        """Return the player of a game."""
        name = self.name_of(game) or self._configuration.ga
        if name not in self._players:
            self._players[name] = create_member(self._configuration, name)
        return self._players[name]
