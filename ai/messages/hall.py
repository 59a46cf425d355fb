"""Messages about the training hall: several boards on which learners play at the same time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ai.game import GameRecord, Move
    from base.values import JsonObject


@dataclass(frozen=True, slots=True)
class OpenBoard:
    """Open a board of the hall and play on it; if open already, change its settings."""

    session: int
    configuration: JsonObject
    """Values of `ai.experiments.configuration.CellConfiguration`, checked by the worker."""
    folder: str
    """Folder of an experiment; if it holds one of the same configuration, that is resumed."""
    known: int = 0
    """Number of games that the application has already; the worker sends only later ones."""
    fresh: bool = False
    """Whether to delete the folder's content first."""


@dataclass(frozen=True, slots=True)
class BoardOpened:
    """A board is open; the games that the application does not have yet follow."""

    session: int
    games: int
    """Number of games played on this board so far."""
    statistics: JsonObject
    compiled: bool
    """Whether compiled kernels are used; False for their slower Python version."""


@dataclass(frozen=True, slots=True)
class BoardStopped:
    """A board has failed and stopped; the other boards continue."""

    session: int
    reason: str


@dataclass(frozen=True, slots=True)
class PlayUntil:
    """Play on a board until the game with number `game` is learnt; None: without end."""

    session: int
    game: int | None


@dataclass(frozen=True, slots=True)
class FollowBoard:
    """From now on, send the stones of one board only.

    The board is that of `session`. None: send the stones of no board.
    """

    session: int | None


@dataclass(frozen=True, slots=True)
class PauseHall:
    """Pause after the present stone or training if `is_paused` is True, else resume."""

    is_paused: bool


@dataclass(frozen=True, slots=True)
class FinishHall:
    """Finish due trainings, write checkpoints and summaries; answered with `HallFinished`."""


@dataclass(frozen=True, slots=True)
class HallFinished:
    """All games are learnt and written; the answer to `FinishHall`."""

    errors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SaveBoard:
    """Write what a board has learnt into one file; answered with `LearntSaved`."""

    session: int
    path: str
    """Path of the file; one that is there is replaced."""


@dataclass(frozen=True, slots=True)
class LoadBoard:
    """Restore what a file holds on a board, which plays with it from its next game on.

    What it had learnt before is kept as a named checkpoint in the board's folder. It is answered
    with `BoardLoaded`. A file that does not fit is an error, and changes nothing.
    """

    session: int
    path: str
    """Path of the file."""


@dataclass(frozen=True, slots=True)
class BoardLoaded:
    """Answer to `LoadBoard`: the board has what the file holds."""

    words: str
    """What the file holds, in words."""
    statistics: JsonObject


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
