"""The `Learner` protocol."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ai.game import GameRecord
from ai.learning.measures import NOT_MEASURED, Measures
from ai.memory import MemoryNodes
from ai.players.base import LoadsMemory, LoadsWeights
from ai.store.checkpoints import CheckpointForm, LearnerState
from base.values import JsonObject

Progress: TypeAlias = Callable[[int, int, float, float], None]
"""Called with (step, steps, loss, accuracy); may raise to stop the training."""


class LearnerError(RuntimeError):
    """A learner refuses a request."""


@dataclass(frozen=True, slots=True)
class TrainedWeights:
    """Weights of a trained network, with its measures and the memory."""

    network_id: int
    """0 for the initial network, increased by one with each training."""
    arrays: Mapping[str, NDArray[np.float32]]
    loss: float | None = None
    accuracy: float | None = None
    """Share of the samples answered correctly at the end of the training."""
    seconds: float = 0.0
    """Wall seconds of the training."""
    steps: int | None = None
    """Number of steps taken."""
    measures: Measures = NOT_MEASURED
    """Measures of the training, such as `held`: the share of the memory that the network holds."""
    memory: MemoryNodes | None = None
    """The learner's memory besides the network; None if it has none."""

    def load_into(self, player: LoadsWeights) -> None:
        """Load the weights into a player, and the memory if the player uses it."""
        player.load_weights(self.network_id, self.arrays)
        if self.memory is not None and isinstance(player, LoadsMemory):
            player.load_memory(self.memory)


class Learner(Protocol):
    """Turns finished games into networks."""

    @property
    def network_id(self) -> int:
        """Id of the newest network; after a roll back the current one's is lower."""

    @property
    def games_learnt(self) -> int:
        """Number of the last game observed; 0 before the first."""

    def observe(self, record: GameRecord) -> bool:
        """Take in a finished game; return True if a training is due.

        A game whose number is not above `games_learnt` is known already and ignored.
        """

    def train(self, progress: Progress | None = None) -> TrainedWeights:
        """Train and return the new network."""

    def weights(self) -> TrainedWeights:
        """Return the current network."""

    def statistics(self) -> JsonObject:
        """Return plain numbers for charts, by name."""

    def change_settings(self, settings: Mapping[str, object]) -> None:
        """Change the settings, keeping the learnt state.

        Raises:
            LearnerError: the learnt state does not fit them; nothing is changed.
        """

    def skip(self, game: int) -> None:
        """Mark the games up to `game` as known, without learning from them."""

    def prepare(self) -> None:
        """Load and compile the training code, so that the first training starts at once."""

    def reset(self) -> None:
        """Reset to the initial state."""

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
