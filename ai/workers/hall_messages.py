"""Messages of the training hall's workers: frozen, plain, picklable.

A board is known by its session. What the worker tells comes unasked, with request id 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from base.values import JsonObject

if TYPE_CHECKING:
    from ai.game import GameRecord, Move


@dataclass(frozen=True, slots=True)
class OpenBoard:
    """Serve this board from its next game on; sent again, it changes what is played there."""

    session: int
    configuration: JsonObject
    """Values of `ai.experiments.configuration.CellConfiguration`, checked by the worker."""
    folder: str
    """An experiment's folder: new, or one of the same configuration, which is taken up."""
    known: int = 0
    """Games that the asker has been told of; those after them are told (again)."""
    fresh: bool = False
    """Whether to forget what the folder holds."""


@dataclass(frozen=True, slots=True)
class BoardOpened:
    """A board is taken up and can go on; the games that the asker missed follow."""

    session: int
    games: int
    """Games played there so far."""
    statistics: JsonObject
    compiled: bool
    """False where the players run on the slow twin of the kernels."""


@dataclass(frozen=True, slots=True)
class BoardStopped:
    """A board cannot go on; the others do."""

    session: int
    reason: str


@dataclass(frozen=True, slots=True)
class PlayUntil:
    """Play on this board until its game of this number is learnt; None: for ever."""

    session: int
    game: int | None


@dataclass(frozen=True, slots=True)
class FollowBoard:
    """Tell every stone of this board, and of no other; None: of none."""

    session: int | None


@dataclass(frozen=True, slots=True)
class PauseHall:
    """Stop after the stone, or the training, that is under way; or go on."""

    is_paused: bool


@dataclass(frozen=True, slots=True)
class FinishHall:
    """Learn what is due, write checkpoints and summaries; answered with `HallFinished`."""


@dataclass(frozen=True, slots=True)
class HallFinished:
    """Everything that was played is learnt and on disk."""

    errors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StonePlaced:
    """A stone was placed on the followed board."""

    session: int
    game: int
    moves: tuple[Move, ...]
    """The game so far."""


@dataclass(frozen=True, slots=True)
class GameFinished:
    """A game is over and written down; nothing is learnt from it yet."""

    session: int
    record: GameRecord
    ranks: tuple[int, ...]
    statistics: JsonObject


@dataclass(frozen=True, slots=True)
class GameLearnt:
    """What a finished game had to teach is learnt; the next one can be played."""

    session: int
    game: int
    retrain_seconds: float | None
    """None where nothing had to be trained."""
    statistics: JsonObject
