"""Messages about a training of AlphaGomoku that a scene shows, and about searches.

The training, called a curriculum, goes through phases. It runs in a worker process. The searches
use the networks of the training.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from ai.game import Color, Move, Rules
    from base.values import JsonObject


@dataclass(frozen=True, slots=True)
class OpenTraining:
    """Start or resume a training of AlphaGomoku; the first answer is `TrainingOpened`.

    The training goes on, generation after generation, until it is stopped.
    """

    rules: Rules
    seed: int
    settings: Mapping[str, object]
    """Settings by key, see `ai.curriculum.settings.OPTIONS`; the worker checks them.

    They cannot change later for a training in the same folder.
    """
    folder: str
    """Folder of the training; if it holds a training with equal settings, that is resumed."""
    live: Mapping[str, object] = field(default_factory=dict)
    """Settings by key that may change between generations; see `ChangeTraining`."""


@dataclass(frozen=True, slots=True)
class ChangeTraining:
    """Train with these settings from the next generation on; answered with `TrainingChanged`."""

    live: Mapping[str, object]
    """New values by key; the keys are some of `ai.curriculum.live.LIVE`."""


@dataclass(frozen=True, slots=True)
class TrainingChanged:
    """The settings are valid, and apply from the next generation on."""

    settings: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class PauseTraining:
    """Pause after the current batch of games if `is_paused` is True, else resume."""

    is_paused: bool


@dataclass(frozen=True, slots=True)
class TrainingOpened:
    """The training is ready or restored; the games of its last generation follow."""

    generation: int
    """Number of finished generations."""
    metrics: tuple[JsonObject, ...]
    """The measures of each finished generation, as in the lines of `metrics.jsonl`."""
    changes: tuple[JsonObject, ...]
    """Lines of `changes.jsonl`: each holds changed settings and their first generation."""
    pair: str
    """Path of the file with the best pair of networks, one network for each color."""
    messages: tuple[str, ...] = ()
    """Messages about damaged files."""


@dataclass(frozen=True, slots=True)
class StageBegan:
    """A stage of a generation has begun."""

    phase: str
    generation: int
    stage: str
    """"games", "training" or "match"."""
    changes: tuple[JsonObject, ...] = ()
    """All changes of settings so far, as in `changes.jsonl`."""


@dataclass(frozen=True, slots=True)
class TrainingGame:
    """A training game, with what the search and the networks said about its positions."""

    phase: str
    generation: int
    number: int
    """Number of the game in its generation, from 1."""
    moves: tuple[Move, ...]
    winner: Color
    policies: NDArray[np.float16]
    """Share of the search's visits that each point got, in T positions: `[T, points]`.

    T is the number of positions that are sent. They are the last positions of the game in which a
    move was still to be played.
    """
    priors: NDArray[np.float16]
    """Probability of each point by the network alone: `[T, points]`.

    The positions are those of `policies`.
    """
    values: NDArray[np.float32]
    """The network's value for Black in each position: `[T]`.

    The positions are those of `policies`.
    """


@dataclass(frozen=True, slots=True)
class GenerationFinished:
    """A generation is finished and written to disk."""

    metrics: JsonObject
    pair: str


@dataclass(frozen=True, slots=True)
class TrainingStopped:
    """The training has stopped because of an error."""

    reason: str


@dataclass(frozen=True, slots=True)
class GrowSearch:
    """Search a position with a pair of networks; answered with several `SearchGrown`.

    Attributes:
        rules: rules of the game.
        moves: moves that lead to the position.
        simulations: number of simulations of the whole search.
        decay: share of a position's value that counts one ply before it.
        temperature: how even the policy is; a larger number gives more even shares.
    """

    rules: Rules
    moves: tuple[Move, ...]
    pair: str
    """Path of the file with the pair; it is loaded again if it has changed."""
    simulations: int
    step: int
    """Simulations between two answers."""
    decay: float
    temperature: float


@dataclass(frozen=True, slots=True)
class SearchGrown:
    """Intermediate or final result of a search."""

    moves: tuple[Move, ...]
    """Moves that lead to the position searched."""
    simulations: int
    visits: NDArray[np.int64]
    """Number of visits of each point: `[points]`."""
    prior: NDArray[np.float32]
    """Probability of each point by the network, before the search: `[points]`."""
    policy: NDArray[np.float32]
    """Probability of each point after the search: `[points]`."""
    value: float
    """Value of the most visited move for the side to move."""
    line: tuple[Move, ...]
    """The principal variation: the sequence of moves that the search considers best."""
    network_value: float = 0.0
    """The network's value of the position, before the search, for the side to move."""
