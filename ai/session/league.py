"""A league: several opponents that play Black in turn, in experiments and live matches.

In each round every member plays once, in an order drawn from the run's seed and the round. So the
same seed gives the same opponents in the same games. The opponent of a game depends only on the
seed and the game's number: a resumed run continues with the right one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

import numpy as np

from ai.game import Game
from ai.registry.players import get_player_info, refusal_of
from base.schema import OptionValue

GENETIC: Final = "genetic"
LEAGUE: Final = "league"
"""Value of the setting for the opponent with which the members of the league play in turn."""
OPPONENTS: Final = (GENETIC, LEAGUE)
"""The opponents that can be set to play Black: the genetic algorithm alone, or the league."""
MEMBERS: Final = ("10x10", "50x30", "pattern", "alpha-beta", "oracle")
"""The members of the league: strengths of the genetic algorithm, and names of players."""
STRENGTH: Final = re.compile(r"([1-9]\d{0,3})x([1-9]\d{0,3})")

_STREAM: Final = 31


class LeaguePlace(NamedTuple):
    """Position of a game within the rounds of a league."""

    round: int
    """Number of the round, from 1."""
    place: int
    """Number of the game in the round, from 1."""


def place_of(game: int) -> LeaguePlace:
    """Return the round of a game, and its place in the round.

    >>> place_of(7)
    LeaguePlace(round=2, place=2)

    Args:
        game: number of the game, from 1.
    """
    before, place = divmod(game - 1, len(MEMBERS))
    return LeaguePlace(before + 1, place + 1)


def member_of(seed: int, game: int) -> str:
    """Return the league member that plays Black in a game.

    Args:
        seed: seed of the run.
        game: number of the game, from 1.
    """
    played, place = place_of(game)
    order = np.random.default_rng([_STREAM, seed, played - 1]).permutation(len(MEMBERS))
    return MEMBERS[order[place - 1]]


def strength(text: str) -> dict[str, OptionValue]:
    """Return the genetic algorithm's settings for a strength such as "10x10".

    A strength is the population times the number of generations.

    Args:
        text: the strength.

    Raises:
        ValueError: the text is no such strength.

    >>> strength("50x30")
    {'population': 50, 'generations': 30}
    """
    match = STRENGTH.fullmatch(text)
    if match is None:
        raise ValueError(f"expected population x generations as in 10x10, found {text!r}")
    return {"population": int(match[1]), "generations": int(match[2])}


def player_of(
    member: str, genetic: Mapping[str, OptionValue]
) -> tuple[str, dict[str, OptionValue]]:
    """Return which player a league member is: its registered name and its settings.

    >>> player_of("50x30", {"population": 10, "elite": 0.1})
    ('genetic', {'population': 50, 'elite': 0.1, 'generations': 30})

    Args:
        member: one of `MEMBERS`, or another strength of the genetic algorithm such as "20x20".
        genetic: settings of the genetic algorithm; a member's strength overrides them.
    """
    if STRENGTH.fullmatch(member):
        return GENETIC, {**genetic, **strength(member)}
    return member, {}


def league_refusal(rules: Game) -> str:
    """Return why a member of the league cannot play a game.

    Args:
        rules: rules of the game.

    Returns:
        Text of the form "NAME: expected …, found …"; "" if all members can.
    """
    names = dict.fromkeys(player_of(member, {})[0] for member in MEMBERS)
    return next(filter(None, (refusal_of(get_player_info(name), rules) for name in names)), "")
