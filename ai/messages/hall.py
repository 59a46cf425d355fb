"""Messages between the application and the training hall: its boards and their games."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ai.game import GameRecord, Move
    from base.values import JsonObject


@dataclass(frozen=True, slots=True)
class OpenBoard:
    """Open a board and serve it; sent again, it changes the board's settings."""

    session: int
    configuration: JsonObject
    """Values of `ai.experiments.configuration.CellConfiguration`, checked by the worker."""
    folder: str
    """Folder of an experiment: new, or one of the same configuration, which is resumed."""
    known: int = 0
    """Number of games that the receiver knows; later ones are sent (again)."""
    fresh: bool = False
    """Whether to delete the folder's content first."""


@dataclass(frozen=True, slots=True)
class BoardOpened:
    """A board is open; the games that the receiver missed follow."""

    session: int
    games: int
    """Number of games played there."""
    statistics: JsonObject
    compiled: bool
    """False if the players run on the slow Python twin of the kernels."""


@dataclass(frozen=True, slots=True)
class BoardStopped:
    """A board has failed; the others go on."""

    session: int
    reason: str


@dataclass(frozen=True, slots=True)
class PlayUntil:
    """Play on this board until the game of this number is learnt; None: without end."""

    session: int
    game: int | None


@dataclass(frozen=True, slots=True)
class FollowBoard:
    """Send every stone of this board, and of no other; None: of none."""

    session: int | None


@dataclass(frozen=True, slots=True)
class PauseHall:
    """Pause after the present stone or training, or resume."""

    is_paused: bool


@dataclass(frozen=True, slots=True)
class FinishHall:
    """Finish due trainings, write checkpoints and summaries; answered with `HallFinished`."""


@dataclass(frozen=True, slots=True)
class HallFinished:
    """All games are learnt and on disk."""

    errors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StonePlaced:
    """A stone was placed on the followed board."""

    session: int
    game: int
    moves: tuple[Move, ...]
    """All moves of the game so far."""


@dataclass(frozen=True, slots=True)
class GameFinished:
    """A game is over and stored, but not learnt yet."""

    session: int
    record: GameRecord
    ranks: tuple[int, ...]
    statistics: JsonObject


@dataclass(frozen=True, slots=True)
class GameLearnt:
    """A finished game is learnt; the next one can be played."""

    session: int
    game: int
    retrain_seconds: float | None
    """Duration of the training; None without one."""
    statistics: JsonObject
