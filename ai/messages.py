"""Messages between the application and its workers: frozen, plain, picklable.

On the pipe they travel as `(request_id, final, payload)` in both directions. A
request is answered with any number of payloads that are not final and one that
is; a request that failed is answered with a `base.worker.failure.Failure` and the worker
lives on. Request id 0 asks for no answer, or was asked for by nobody.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from base.values import JsonObject

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ai.game import Color, GameRecord, Move, Rules
    from ai.memory import MemoryNodes
    from ai.players.base import Limit, MoveChoice
    from ai.runs.export import RunSeries
    from ai.store.learner_checkpoints import KeptCheckpoint


@dataclass(frozen=True, slots=True)
class Configure:
    """Become this player; answered with `Ready`."""

    player: str
    rules: Rules
    settings: Mapping[str, object] = field(default_factory=dict)
    color: Color = 0
    """The seat's color; 0 where the player sits on both sides."""


@dataclass(frozen=True, slots=True)
class Ready:
    """The worker can play."""

    compiled: bool
    """Whether the kernels run compiled; False: the slower twin plays."""
    seconds: float


@dataclass(frozen=True, slots=True)
class PlayRequest:
    """Choose a move; answered with `MoveChosen`."""

    session: int
    """Which match; answers to an older one are dropped."""
    game: int
    ply: int
    moves: tuple[Move, ...]
    """The game so far."""
    limit: Limit
    seed: int
    """Seeds everything random in this move."""


@dataclass(frozen=True, slots=True)
class MoveChosen:
    """A move was chosen."""

    session: int
    game: int
    ply: int
    choice: MoveChoice
    seconds: float


@dataclass(frozen=True, slots=True)
class LoadWeights:
    """Play with these weights from now on; answered with `WeightsLoaded`."""

    network_id: int
    weights: Mapping[str, NDArray[np.float32]]
    memory: MemoryNodes | None = None
    """For players that look into it, or play by it."""


@dataclass(frozen=True, slots=True)
class LoadCheckpoint:
    """Play with the weights of a checkpoint; answered with `WeightsLoaded`."""

    network_id: int
    directory: str
    """Of the checkpoint."""


@dataclass(frozen=True, slots=True)
class WeightsLoaded:
    """The player plays with the weights of this network."""

    network_id: int


@dataclass(frozen=True, slots=True)
class CompileKernels:
    """Compile the kernels into the cache; answered with `CompileProgress` …, `CompileDone`."""


@dataclass(frozen=True, slots=True)
class CompileProgress:
    """One more group of kernels is compiled."""

    step: int
    steps: int
    name: str
    seconds: float


@dataclass(frozen=True, slots=True)
class CompileDone:
    """All kernels are in the cache: a player started from now on runs compiled."""

    compiled: bool
    """False where this machine cannot compile; the twin goes on playing."""
    seconds: float
    reason: str = ""
    """Why not, where it could not."""


@dataclass(frozen=True, slots=True)
class OpenLearner:
    """Become this learner; answered with `LearnerOpened`."""

    player: str
    rules: Rules
    settings: Mapping[str, object]
    seed: int
    directory: str | None
    """Where its checkpoints live; None: nowhere."""
    fresh: bool
    """Whether to start anew, whatever the directory holds."""


@dataclass(frozen=True, slots=True)
class LearnerOpened:
    """The learner is ready, with what it knows."""

    network_id: int
    weights: Mapping[str, NDArray[np.float32]]
    games_learnt: int
    """Number of the last game learnt."""
    statistics: JsonObject
    memory: MemoryNodes | None = None
    """What is remembered beside the network."""


@dataclass(frozen=True, slots=True)
class TrainRequest:
    """Learn from a game; answered with `TrainProgress` …, `TrainDone`."""

    session: int
    game: int
    record: GameRecord


@dataclass(frozen=True, slots=True)
class TrainProgress:
    """The training goes on."""

    session: int
    game: int
    step: int
    steps: int
    loss: float
    accuracy: float
    seconds: float


@dataclass(frozen=True, slots=True)
class TrainDone:
    """The game is learnt."""

    session: int
    game: int
    retrained: bool
    network_id: int
    weights: Mapping[str, NDArray[np.float32]] | None
    """The new weights, or None where nothing was trained."""
    statistics: JsonObject
    memory: MemoryNodes | None = None
    """What is remembered beside the new weights."""


@dataclass(frozen=True, slots=True)
class SaveLearner:
    """Write a checkpoint now; answered with `LearnerSaved`.

    With a name it is one to roll back to, which later ones do not replace.
    """

    name: str = ""
    note: str = ""
    is_automatic: bool = False
    """Kept by itself: gives way to newer ones of its kind, named ones do not."""


@dataclass(frozen=True, slots=True)
class LearnerSaved:
    """The answer to `SaveLearner`."""

    games_learnt: int
    error: str | None
    """Why there is no new checkpoint, or None; the last good one is kept."""


@dataclass(frozen=True, slots=True)
class ListCheckpoints:
    """Tell what there is to roll back to; answered with `CheckpointsListed`."""


@dataclass(frozen=True, slots=True)
class CheckpointsListed:
    """The checkpoints to roll back to, the oldest first."""

    checkpoints: tuple[KeptCheckpoint, ...]


@dataclass(frozen=True, slots=True)
class RollBack:
    """Become what a kept checkpoint holds; answered with `LearnerOpened`."""

    place: str
    """`KeptCheckpoint.place`."""


@dataclass(frozen=True, slots=True)
class ChangeSettings:
    """Go on learning by these settings, keeping what was learnt; answered with `LearnerOpened`.

    Settings of another network open the learner anew, with what is kept for that network.
    """

    settings: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class SkipGame:
    """Count this game as known without learning from it; answered with `LearnerSaved`."""

    game: int


@dataclass(frozen=True, slots=True)
class Retrain:
    """Train now on all that is remembered; answered with `TrainProgress` …, `TrainDone`."""

    session: int
    game: int


@dataclass(frozen=True, slots=True)
class ExportRun:
    """Write a run's charts and numbers into a folder; answered with `RunExported`."""

    folder: str
    run: RunSeries


@dataclass(frozen=True, slots=True)
class RunExported:
    """The files were written."""

    files: tuple[str, ...]
    """Names below the folder."""
    error: str | None
    """Why files are missing, or None."""


@dataclass(frozen=True, slots=True)
class ResetLearner:
    """Forget everything; answered with `LearnerOpened`."""


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
