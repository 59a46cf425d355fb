"""What every learner is: the `Learner` protocol, its results, and shared training loops."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ai.game import GameRecord
from ai.learning.measures import NOT_MEASURED, Measures
from ai.memory import MemoryNodes
from ai.nets.architecture import Architecture
from ai.players.base import LoadsMemory, LoadsWeights
from ai.store.checkpoints import CheckpointForm, LearnerState
from base.values import JsonObject

if TYPE_CHECKING:
    from ai.nets.trainer import CompiledTrainer


Progress: TypeAlias = Callable[[int, int, float, float], None]
"""Called with (step, steps, loss, accuracy); may raise to stop the training."""


class LearnerError(RuntimeError):
    """A learner cannot carry out a request, for example a training without games."""


@dataclass(frozen=True, slots=True)
class TrainedWeights:
    """Result of a training: the network's weights, its measures, and the learner's memory."""

    network_id: int
    """0 for the initial network, increased by one with each training."""
    arrays: Mapping[str, NDArray[np.float32]]
    loss: float | None = None
    accuracy: float | None = None
    """Share of the samples answered correctly at the end of the training."""
    seconds: float = 0.0
    """Duration of the training in seconds."""
    steps: int | None = None
    """Number of training steps; None if not counted."""
    measures: Measures = NOT_MEASURED
    """Measures of the training, such as `held`; see `ai.learning.measures`."""
    memory: MemoryNodes | None = None
    """The learner's memory besides the network; None if it has none."""

    def load_into(self, player: LoadsWeights) -> None:
        """Load the weights into a player, and the memory if the player uses it."""
        player.load_weights(self.network_id, self.arrays)
        if self.memory is not None and isinstance(player, LoadsMemory):
            player.load_memory(self.memory)


class Learner(Protocol):
    """Protocol of a learner: an object that trains networks from finished games."""

    @property
    def network_id(self) -> int:
        """Id of the newest network.

        After a return to an old checkpoint the current network has a lower id.
        """

    @property
    def games_learnt(self) -> int:
        """Number of the last game passed to `observe` or `skip`; 0 before the first."""

    def observe(self, record: GameRecord) -> bool:
        """Store what is to be learnt from a finished game; return whether a training is due.

        A game is ignored if its number is not above `games_learnt`, since it is known already.
        """

    def train(self, progress: Progress | None = None) -> TrainedWeights:
        """Train on the stored games and return the new network.

        Args:
            progress: called with (step, steps, loss, accuracy) during the training; None for no
                calls.
        """

    def weights(self) -> TrainedWeights:
        """Return the current network."""

    def statistics(self) -> JsonObject:
        """Return plain numbers for charts, by name."""

    def change_settings(self, settings: Mapping[str, object]) -> None:
        """Change the settings, keeping the learnt state.

        Raises:
            LearnerError: the learnt state does not fit the new settings; nothing is changed.
        """

    def skip(self, game: int) -> None:
        """Mark the games up to `game` as known, without learning from them."""

    def prepare(self) -> None:
        """Load and compile the training code, so that the first training starts at once."""

    def reset(self) -> None:
        """Forget everything learnt and return to the initial state."""

    @property
    def checkpoint_form(self) -> CheckpointForm:
        """Storage format of its checkpoints."""

    def state(self) -> LearnerState:
        """Return the complete state; see `ai.store.checkpoints`."""

    def restore(self, state: LearnerState) -> None:
        """Restore the state of a checkpoint.

        Raises:
            KeyError: a value is missing; nothing is changed.
            ValueError: an array does not fit; nothing is changed.
        """


class Trainers:
    """Keeps one compiled training loop for each network architecture; builds it at first use.

    Not thread-safe.
    """

    def __init__(self, *, threads: int = 1) -> None:
        """Start without loops; each training may use `threads` processor threads."""
        self._threads = threads
        self._trainers: dict[Architecture, CompiledTrainer] = {}

    def __len__(self) -> int:
        return len(self._trainers)

    def of(self, architecture: Architecture, batch: int) -> CompiledTrainer:
        """Return the training loop for an architecture, building it at first use; loads TensorFlow.

        Args:
            architecture: architecture of the network.
            batch: batch size for which a new loop is compiled at once.
        """
        trainer = self._trainers.get(architecture)
        if trainer is None:
            from ai.nets.trainer import CompiledTrainer

            trainer = CompiledTrainer(architecture, threads=self._threads)
            trainer.warm_up(batch)
            self._trainers[architecture] = trainer
        return trainer
