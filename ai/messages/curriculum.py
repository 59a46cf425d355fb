"""Messages between the application and a watched curriculum, and searches with its networks."""

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
    """Train AlphaGomoku in this folder without end; first answered with `TrainingOpened`."""

    rules: Rules
    seed: int
    settings: Mapping[str, object]
    """Values of `ai.curriculum.settings.OPTIONS`, checked by the worker; fixed for a folder."""
    folder: str
    """A new folder, or one of the same training, which is resumed."""
    live: Mapping[str, object] = field(default_factory=dict)
    """Settings that may change between generations; see `ChangeTraining`."""


@dataclass(frozen=True, slots=True)
class ChangeTraining:
    """Train with these settings from the next generation on; answered with `TrainingChanged`."""

    live: Mapping[str, object]
    """Some of `ai.curriculum.live.LIVE`."""


@dataclass(frozen=True, slots=True)
class TrainingChanged:
    """The settings are valid, and apply from the next generation on."""

    settings: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class PauseTraining:
    """Pause after the current batch of games, or resume."""

    is_paused: bool


@dataclass(frozen=True, slots=True)
class TrainingOpened:
    """The training is restored; the games of its last generation follow."""

    generation: int
    """Number of finished generations."""
    metrics: tuple[JsonObject, ...]
    """Lines of all generations, as `metrics.jsonl` has them."""
    changes: tuple[JsonObject, ...]
    """Lines of `changes.jsonl`: from which generation on, which settings."""
    pair: str
    """File of the best pair of networks."""
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
    """All settings changed so far, as `changes.jsonl` has them."""


@dataclass(frozen=True, slots=True)
class TrainingGame:
    """A training game, with the results of search and networks."""

    phase: str
    generation: int
    number: int
    """Number of the game in its generation, from 1."""
    moves: tuple[Move, ...]
    winner: Color
    policies: NDArray[np.float16]
    """`[T, A]` shares of the visits of the last T positions with a move to play."""
    priors: NDArray[np.float16]
    """`[T, A]` the network's own shares of these positions."""
    values: NDArray[np.float32]
    """`[T]` the network's value of these positions, for Black."""


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
    """Search a position with a pair; answered with `SearchGrown` as the visits grow."""

    rules: Rules
    moves: tuple[Move, ...]
    pair: str
    """File of the pair; it is read again if it has changed."""
    simulations: int
    step: int
    """Simulations between two answers."""
    decay: float
    temperature: float


@dataclass(frozen=True, slots=True)
class SearchGrown:
    """The search so far."""

    moves: tuple[Move, ...]
    """The position."""
    simulations: int
    visits: NDArray[np.int64]
    """`[A]`."""
    prior: NDArray[np.float32]
    """`[A]` the network's shares before the search."""
    policy: NDArray[np.float32]
    """`[A]` the shares after it."""
    value: float
    """Of the most visited move, for the side to move."""
    line: tuple[Move, ...]
    """The principal variation."""
    network_value: float = 0.0
    """The network's, before the search, for the side to move."""
