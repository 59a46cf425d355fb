"""Black's opponents in an experiment: one in every game, or a league (`ai.session.league`)."""

from __future__ import annotations

from ai.experiments.configuration import CellConfiguration
from ai.players.base import Player
from ai.registry.players import create_player
from ai.session.league import member_of, player_of


def create_member(configuration: CellConfiguration, member: str) -> Player:
    """Create a member of the league; the genetic algorithm by the run's other settings.

    Args:
        configuration: configuration of the run.
        member: one of `MEMBERS`, or a strength of the genetic algorithm.
    """
    name, settings = player_of(member, configuration.opponent_settings)
    return create_player(name, configuration.rules, settings)


class Opponents:
    """The opponents of a run: without a league one player for all games.

    A league's member begins each game anew and so remembers nothing of earlier ones: a run that is
    resumed, or played live, meets the same moves.
    """

    def __init__(self, configuration: CellConfiguration) -> None:
        self._configuration = configuration
        self._seated: tuple[int, Player] | None = None

    def name_of(self, game: int) -> str | None:
        """Return the league member that plays a game; None without a league."""
        if not self._configuration.is_league:
            return None
        return member_of(self._configuration.seed, game)

    def of(self, game: int) -> Player:
        """Return the player of a game."""
        number = game if self._configuration.is_league else 0
        if self._seated is None or self._seated[0] != number:
            name = self.name_of(game) or self._configuration.ga
            self._seated = (number, create_member(self._configuration, name))
        return self._seated[1]
