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

from base.policies.policy import Policy
from base.schema import Option
from base.values import JsonObject

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ai.game import Color, Game, GameRecord, Move, OpeningPhase, Rules, Said
    from ai.memory import MemoryNodes
    from ai.players.base import Limit, MoveChoice
    from ai.runs.export import RunSeries
    from ai.store.learner_checkpoints import KeptCheckpoint


@dataclass(frozen=True, slots=True)
class Configure:
    """Create this player; answered with `Ready`."""

    player: str
    rules: Game
    settings: Mapping[str, object] = field(default_factory=dict)
    color: Color = 0
    """Color of the seat; 0 if the player plays both sides."""


@dataclass(frozen=True, slots=True)
class Ready:
    """The worker is ready to play."""

    compiled: bool
    """Whether the kernels run compiled; False: on the slower Python twin."""
    seconds: float


@dataclass(frozen=True, slots=True)
class DescribePlayer:
    """Say what can be set of a player; answered with `PlayerDescribed`. Needs no `Configure`."""

    player: str


@dataclass(frozen=True, slots=True)
class PlayerDescribed:
    """A player's settings, which its own module declares: a worker may import it."""

    player: str
    settings: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class PlayRequest:
    """Choose a move; answered with `MoveChosen`."""

    session: int
    """Number of the match; answers to an older one are dropped."""
    game: int
    ply: int
    moves: tuple[Move, ...]
    """All moves of the game so far."""
    limit: Limit
    seed: int
    """Random seed of this move."""


@dataclass(frozen=True, slots=True)
class MoveChosen:
    """Answer with the chosen move."""

    session: int
    game: int
    ply: int
    choice: MoveChoice
    seconds: float


@dataclass(frozen=True, slots=True)
class OpeningRequest:
    """Say what to do in an opening; answered with `OpeningAnswered`."""

    session: int
    """Number of the match; answers to an older one are dropped."""
    game: int
    phase: OpeningPhase
    limit: Limit
    seed: int
    """Random seed of this answer."""


@dataclass(frozen=True, slots=True)
class OpeningAnswered:
    """Answer with a choice, or with all the stones that are to be placed."""

    session: int
    game: int
    steps: int
    """Steps of the opening before it."""
    said: tuple[Said, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class EvaluatePosition:
    """Say what a position is worth; answered with `ai.PositionValue`. Needs no `Configure`."""

    rules: Game
    moves: tuple[Move, ...]
    """All moves from the empty board."""


@dataclass(frozen=True, slots=True)
class LoadWeights:
    """Use these weights from now on; answered with `WeightsLoaded`."""

    network_id: int
    weights: Mapping[str, NDArray[np.float32]]
    memory: MemoryNodes | None = None
    """Memory nodes, for players that use them."""


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


@dataclass(frozen=True, slots=True)
class CompileKernels:
    """Compile the kernels into the cache; answered with `CompileProgress` …, `CompileDone`."""


@dataclass(frozen=True, slots=True)
class CompileProgress:
    """One more group of kernels was compiled."""

    step: int
    steps: int
    name: str
    seconds: float


@dataclass(frozen=True, slots=True)
class CompileDone:
    """All kernels are compiled: players started from now on run compiled."""

    compiled: bool
    """False if this machine cannot compile; the twin is used on."""
    seconds: float
    reason: str = ""
    """Why compilation failed, else empty."""


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


@dataclass(frozen=True, slots=True)
class OpenTraining:
    """Train AlphaGomoku in this folder without end; its state comes first: `TrainingOpened`."""

    rules: Rules
    seed: int
    settings: Mapping[str, object]
    """Of `ai.curriculum.settings.OPTIONS`, checked by the worker; part of what the folder is."""
    folder: str
    """New, or one of the same training, which is resumed."""
    live: Mapping[str, object] = field(default_factory=dict)
    """Settings that may change between generations; see `ChangeTraining`."""


@dataclass(frozen=True, slots=True)
class ChangeTraining:
    """Train with these settings from the next generation on; answered with `TrainingChanged`."""

    live: Mapping[str, object]
    """Some of `ai.curriculum.live.LIVE`."""


@dataclass(frozen=True, slots=True)
class TrainingChanged:
    """The settings are sound, and are taken when the next generation begins."""

    settings: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class PauseTraining:
    """Pause after the present lot of games, or resume."""

    is_paused: bool


@dataclass(frozen=True, slots=True)
class TrainingOpened:
    """The training is taken up; the games of its last generation follow."""

    generation: int
    """Generations that are done."""
    metrics: tuple[JsonObject, ...]
    """Lines of all generations, as `metrics.jsonl` has them."""
    changes: tuple[JsonObject, ...]
    """Lines of `changes.jsonl`: from which generation on, which settings."""
    pair: str
    """File of the best pair of networks."""
    messages: tuple[str, ...] = ()
    """What was found damaged, a line each."""


@dataclass(frozen=True, slots=True)
class StageBegan:
    """A generation plays, trains or holds its match."""

    phase: str
    generation: int
    stage: str
    """"games", "training" or "match"."""
    changes: tuple[JsonObject, ...] = ()
    """All settings changed so far, as `changes.jsonl` has them."""


@dataclass(frozen=True, slots=True)
class TrainingGame:
    """A game that is learnt from, with what the search and the networks saw."""

    phase: str
    generation: int
    number: int
    """In its generation, from 1."""
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
    """A generation is done and on the disk."""

    metrics: JsonObject
    pair: str


@dataclass(frozen=True, slots=True)
class TrainingStopped:
    """The training cannot go on."""

    reason: str


@dataclass(frozen=True, slots=True)
class GrowSearch:
    """Search a position with a pair; answered with `SearchGrown`, more and more visits."""

    rules: Rules
    moves: tuple[Move, ...]
    pair: str
    """Its file; the newest one is read where it has changed."""
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


@dataclass(frozen=True, slots=True)
class OpenPpo:
    """Learn to steer the agent of a scene by PPO; go on with what the folder holds.

    Answered, unasked, with `PolicyLearnt` for each update, and `TrainingStopped` where it cannot.
    """

    scene: str
    environments: str
    """`module:function`, called as `function(scene, copies)`: returns the environments."""
    steps: int
    seed: int
    settings: Mapping[str, object]
    live: Mapping[str, float]
    """The settings that may change, as they are wanted now."""
    folder: str


@dataclass(frozen=True, slots=True)
class ChangePpo:
    """Change settings that may change, from the next update on."""

    live: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class PausePpo:
    """Pause or resume the learning."""

    is_paused: bool


@dataclass(frozen=True, slots=True)
class PolicyLearnt:
    """An update is done, or the training has begun or was taken up."""

    lines: tuple[JsonObject, ...]
    """The metrics of this update; of all so far, where it was taken up."""
    policy: Policy
    is_done: bool
    """Whether all updates are."""
