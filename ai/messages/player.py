"""Messages between the application and a player in a worker: settings, moves, weights."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from ai.game import Color, Game, Move, OpeningPhase, Said
    from ai.memory import MemoryNodes
    from ai.players.base import Limit, MoveChoice
    from base.schema import Option


@dataclass(frozen=True, slots=True)
class Configure:
    """Create this player; answered with `Ready`."""

    player: str
    rules: Game
    settings: Mapping[str, object] = field(default_factory=dict)
    color: Color = 0
    """Color that the player plays; 0 for both."""


@dataclass(frozen=True, slots=True)
class Ready:
    """The worker is ready to play."""

    compiled: bool
    """Whether compiled kernels are used; False for their slower Python version."""
    seconds: float
    is_first_choice: bool = False
    """Whether some kernels are not compiled, and the worker chose its own for this player.

    Then another player needs a new process.
    """


@dataclass(frozen=True, slots=True)
class DescribePlayer:
    """List a player's settings; answered with `PlayerDescribed`.

    It may be sent before `Configure`.
    """

    player: str


@dataclass(frozen=True, slots=True)
class PlayerDescribed:
    """A player's settings, which are declared in its module; only a worker imports that module."""

    player: str
    settings: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class PlayRequest:
    """Choose a move; answered with `MoveChosen`."""

    session: int
    """Number of the match; the application drops answers that belong to an older match."""
    game: int
    ply: int
    moves: tuple[Move, ...]
    """All moves of the game so far."""
    limit: Limit
    seed: int
    """Random seed of this move."""


@dataclass(frozen=True, slots=True)
class MoveChosen:
    """The chosen move; the answer to `PlayRequest`."""

    session: int
    game: int
    ply: int
    choice: MoveChoice
    seconds: float


@dataclass(frozen=True, slots=True)
class OpeningRequest:
    """Make a choice or place stones in an opening; answered with `OpeningAnswered`."""

    session: int
    """Number of the match; the application drops answers that belong to an older match."""
    game: int
    phase: OpeningPhase
    limit: Limit
    seed: int
    """Random seed of this answer."""


@dataclass(frozen=True, slots=True)
class OpeningAnswered:
    """A choice, or all stones to place; the answer to `OpeningRequest`."""

    session: int
    game: int
    steps: int
    """Number of steps (stones and choices) that the opening had before this answer."""
    said: tuple[Said, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class EvaluatePosition:
    """Evaluate a position; answered with `ai.PositionValue`.

    It may be sent before `Configure`.
    """

    rules: Game
    moves: tuple[Move, ...]
    """All moves from the empty board."""
    nodes: int | None = None
    """Positions that may be searched; None for the usual number."""


@dataclass(frozen=True, slots=True)
class LoadWeights:
    """Use these weights from now on; answered with `WeightsLoaded`."""

    network_id: int
    weights: Mapping[str, NDArray[np.float32]]
    memory: MemoryNodes | None = None
    """Remembered positions, for players that use them."""


@dataclass(frozen=True, slots=True)
class LoadCheckpoint:
    """Use the weights of a checkpoint; answered with `WeightsLoaded`."""

    network_id: int
    directory: str
    """Folder of the checkpoint."""


@dataclass(frozen=True, slots=True)
class WeightsLoaded:
    """The player uses the weights of this network."""

    network_id: int
