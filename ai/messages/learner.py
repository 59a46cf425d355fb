"""Messages between the application and a learner in a worker: games, networks, checkpoints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from ai.game import Game, GameRecord
    from ai.memory import MemoryNodes
    from ai.runs.export import RunSeries
    from ai.store.checkpoints import KeptCheckpoint
    from base.values import JsonObject


@dataclass(frozen=True, slots=True)
class OpenLearner:
    """Create this learner; answered with `LearnerOpened`."""

    player: str
    rules: Game
    settings: Mapping[str, object]
    seed: int
    directory: str | None
    """Directory of its checkpoints; None: none are written."""
    fresh: bool
    """Whether to start anew, ignoring the directory's checkpoints."""


@dataclass(frozen=True, slots=True)
class LearnerOpened:
    """The learner is ready; the state is new or restored from a checkpoint."""

    network_id: int
    weights: Mapping[str, NDArray[np.float32]]
    games_learnt: int
    """Number of the last game learnt."""
    statistics: JsonObject
    memory: MemoryNodes | None = None
    """The learner's memory of positions; None if it has no memory."""


@dataclass(frozen=True, slots=True)
class TrainRequest:
    """Learn from a game; answered with `TrainProgress` for each step and one `TrainDone`."""

    session: int
    game: int
    record: GameRecord


@dataclass(frozen=True, slots=True)
class TrainProgress:
    """Progress of a training."""

    session: int
    game: int
    step: int
    steps: int
    loss: float
    accuracy: float
    seconds: float


@dataclass(frozen=True, slots=True)
class TrainDone:
    """The learner has processed the game, with a training if one was due."""

    session: int
    game: int
    retrained: bool
    network_id: int
    weights: Mapping[str, NDArray[np.float32]] | None
    """The new weights, None if nothing was trained."""
    statistics: JsonObject
    memory: MemoryNodes | None = None
    """The learner's memory of positions, to use with the new weights.

    None if the learner has no memory, or if nothing was trained.
    """


@dataclass(frozen=True, slots=True)
class SaveLearner:
    """Write a checkpoint now; answered with `LearnerSaved`.

    A checkpoint with a name is kept, so that the learner can be rolled back to it. Later
    checkpoints do not replace it.
    """

    name: str = ""
    note: str = ""
    is_automatic: bool = False
    """Whether the named checkpoint is an automatic one, which newer automatic ones may replace."""


@dataclass(frozen=True, slots=True)
class LearnerSaved:
    """Answer to `SaveLearner`."""

    games_learnt: int
    error: str | None
    """Why the checkpoint could not be written; None if it was written.

    After a failure the last valid checkpoint is kept.
    """


@dataclass(frozen=True, slots=True)
class ListCheckpoints:
    """List the checkpoints to roll back to; answered with `CheckpointsListed`."""


@dataclass(frozen=True, slots=True)
class CheckpointsListed:
    """The checkpoints to roll back to, the oldest first."""

    checkpoints: tuple[KeptCheckpoint, ...]


@dataclass(frozen=True, slots=True)
class RollBack:
    """Restore a kept checkpoint; answered with `LearnerOpened`."""

    place: str
    """The `KeptCheckpoint.place` of the checkpoint to restore."""


@dataclass(frozen=True, slots=True)
class SaveLearnt:
    """Write what was learnt into one file; answered with `LearntSaved`."""

    path: str
    """Path of the file; one that is there is replaced."""


@dataclass(frozen=True, slots=True)
class LearntSaved:
    """Answer to `SaveLearnt`: the file was written."""

    words: str
    """What it holds, in words."""


@dataclass(frozen=True, slots=True)
class LoadLearnt:
    """Restore what a file holds, and keep what was learnt before as a named checkpoint.

    It is answered with `LearnerOpened`. A file that does not fit is an error, and changes nothing.
    """

    path: str
    """Path of the file."""


@dataclass(frozen=True, slots=True)
class ChangeSettings:
    """Change the settings and keep what was learnt; answered with `LearnerOpened`.

    Some settings need a network of another architecture. Then the learner is opened anew, from the
    checkpoints of that architecture.
    """

    settings: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class SkipGame:
    """Count a game as learnt without learning from it; answered with `LearnerSaved`."""

    game: int


@dataclass(frozen=True, slots=True)
class Retrain:
    """Train now on all remembered positions; answered with `TrainProgress`, then `TrainDone`."""

    session: int
    game: int


@dataclass(frozen=True, slots=True)
class ExportRun:
    """Write a run's charts and tables into a folder; answered with `RunExported`."""

    folder: str
    run: RunSeries


@dataclass(frozen=True, slots=True)
class RunExported:
    """The files were written."""

    files: tuple[str, ...]
    """File names below the folder."""
    error: str | None
    """Why some files are missing; None if none are."""


@dataclass(frozen=True, slots=True)
class ResetLearner:
    """Discard everything learnt; answered with `LearnerOpened`."""
