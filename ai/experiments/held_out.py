"""Held-out games: the trained player against opponents and openings that it has not met.

Seeds, openings and the opponent's randomness differ from every training game. Three control
players, called guards, play too: they show that the strength comes from the trained network. They
are the same player before its first training, the player with its trained weights shuffled inside
each layer, and a player that looks one ply ahead with fixed patterns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final, cast

import numpy as np
from numpy.typing import NDArray

from ai.experiments.configuration import CellConfiguration, create_member
from ai.game import WHITE
from ai.learning.learner import TrainedWeights
from ai.nets.architecture import initial_weights
from ai.nets.features import build_architecture, build_encoder, has_network
from ai.players.base import LoadsWeights, Player
from ai.registry.players import create_player
from ai.runs.statistics import wilson
from ai.session.game import GameSession
from ai.session.league import MEMBERS
from base.values import JsonObject

STRENGTHS: Final = ("10x10", "50x30")
SEED_OFFSET: Final = 1_000_003
"""Distance from a cell's seed to the seed of its held-out games.

It is large, so that no training run has the same seed. Do not give a run a seed this large.
"""

TRAINED: Final = "trained"
MOST_GUARD_GAMES: Final = 200
"""Maximum number of games of each guard (control player).

A few games are enough to show how a guard differs from the trained player.
"""

Weights = Mapping[str, NDArray[np.float32]]


def held_out(
    configuration: CellConfiguration,
    trained: TrainedWeights,
    *,
    games: int,
    report: Callable[[], None] = lambda: None,
) -> JsonObject:
    """Play held-out games of the trained player and of three control players, the guards.

    Each plays each opponent. The opponents are the league's members, or else the genetic algorithm
    at each strength. The guards are described at the top of this module.

    Args:
        configuration: configuration of the cell.
        trained: weights of the trained player.
        games: games of the trained player against each opponent.
        report: called after each game.

    Returns:
        By opponent: `wins`, `games`, `low` and `high` (the 95 % Wilson interval of the win rate),
        and `guards`, which holds the same four values for each guard by its name.
    """
    rules = configuration.rules
    shuffled = shuffle_trained(trained, np.random.default_rng([configuration.seed, 77]))
    first = TrainedWeights(1, first_weights(configuration))
    players: dict[str, Player] = {
        TRAINED: _frozen(configuration, trained),
        "before training": _frozen(configuration, first),
        "shuffled weights": _frozen(configuration, shuffled),
        "pattern": create_player("pattern", rules, {}),
    }
    result: JsonObject = {}
    fresh = replace(configuration, randomness="fresh")
    for text in MEMBERS if configuration.is_league else STRENGTHS:
        opponent = create_member(fresh, text)
        counts: dict[str, JsonObject] = {}
        for name, player in players.items():
            count = games if name == TRAINED else min(games, MOST_GUARD_GAMES)
            counts[name] = _count(configuration, opponent, player, games=count, report=report)
        result[text] = {**counts.pop(TRAINED), "guards": counts}
    return result


def load_playing(trained: TrainedWeights, player: Player) -> None:
    """Load trained weights into a player: the network, or the memory if there is no network.

    If there is a network, the memory is not loaded. It would change no move, but only explain
    moves.

    Args:
        trained: trained weights and memory.
        player: a player that can load them.
    """
    whole = replace(trained, memory=None) if trained.arrays else trained
    whole.load_into(cast("LoadsWeights", player))


def shuffle_trained(trained: TrainedWeights, rng: np.random.Generator) -> TrainedWeights:
    """Return a copy with the network's weights shuffled, as a control that has learnt nothing.

    Without a network the labels of the memory are permuted among its positions.
    """
    memory = trained.memory
    if trained.arrays or memory is None or memory.labels is None:
        return replace(trained, arrays=shuffle(trained.arrays, rng))
    return replace(trained, memory=replace(memory, labels=rng.permutation(memory.labels)))


def shuffle(weights: Weights, rng: np.random.Generator) -> dict[str, NDArray[np.float32]]:
    """Return the weights with the numbers of each array permuted."""
    return {
        name: rng.permutation(array.ravel()).reshape(array.shape)
        for name, array in sorted(weights.items())
    }


def first_weights(configuration: CellConfiguration) -> Weights:
    """Return the network's initial weights; empty for a player without a network."""
    settings = configuration.resolved
    if not has_network(settings):
        return {}
    encoder = build_encoder(configuration.rules, settings)
    architecture = build_architecture(configuration.rules, settings, channels=encoder.channels)
    return initial_weights(architecture, configuration.seed, 0)


def _frozen(configuration: CellConfiguration, trained: TrainedWeights) -> Player:
    player = create_player(configuration.player, configuration.rules, configuration.settings)
    load_playing(trained, player)
    return player


def _count(
    configuration: CellConfiguration,
    opponent: Player,
    player: Player,
    *,
    games: int,
    report: Callable[[], None],
) -> JsonObject:
    wins = 0
    seed = configuration.seed + SEED_OFFSET
    for game in range(1, games + 1):
        session = GameSession(configuration.rules, game, seed=seed)
        wins += session.play_out(opponent, player).winner == WHITE
        report()
    low, high = wilson(wins, games)
    return {"wins": int(wins), "games": games, "low": round(low, 4), "high": round(high, 4)}
