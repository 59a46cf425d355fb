"""Messages between the application and a trainer: games, networks, checkpoints."""

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
    """The learner is ready, with its restored state."""

    network_id: int
    weights: Mapping[str, NDArray[np.float32]]
    games_learnt: int
    """Number of the last game learnt."""
    statistics: JsonObject
    memory: MemoryNodes | None = None
    """Memory nodes besides the network."""


@dataclass(frozen=True, slots=True)
class TrainRequest:
    """Learn from a game; answered with `TrainProgress` …, `TrainDone`."""

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
    """The game is learnt, and a training, if due, is done."""

    session: int
    game: int
    retrained: bool
    network_id: int
    weights: Mapping[str, NDArray[np.float32]] | None
    """The new weights, None if nothing was trained."""
    statistics: JsonObject
    memory: MemoryNodes | None = None
    """Memory nodes besides the new weights."""


@dataclass(frozen=True, slots=True)
class SaveLearner:
    """Write a checkpoint now; answered with `LearnerSaved`.

    With a name it is kept to roll back to, and later ones do not replace it.
    """

    name: str = ""
    note: str = ""
    is_automatic: bool = False
    """Whether it is an automatic one, which newer automatic ones may replace."""


@dataclass(frozen=True, slots=True)
class LearnerSaved:
    """Answer to `SaveLearner`."""

    games_learnt: int
    error: str | None
    """Why the checkpoint could not be written, or None; the last valid one is kept."""


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
    """`KeptCheckpoint.place`."""


@dataclass(frozen=True, slots=True)
class ChangeSettings:
    """Change the settings, keeping the learnt state; answered with `LearnerOpened`.

    Settings of another network reopen the learner with that network's own checkpoints.
    """

    settings: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class SkipGame:
    """Mark this game as known without learning from it; answered with `LearnerSaved`."""

    game: int


@dataclass(frozen=True, slots=True)
class Retrain:
    """Train now on the whole memory; answered with `TrainProgress` …, `TrainDone`."""

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
    """Why files are missing, or None."""


@dataclass(frozen=True, slots=True)
class ResetLearner:
    """Reset the learner; answered with `LearnerOpened`."""
