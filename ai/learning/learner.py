"""What a learner is."""

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
from ai.store.learner_checkpoints import CheckpointForm, LearnerState
from base.values import JsonObject

Progress: TypeAlias = Callable[[int, int, float, float], None]
"""Called with (step, steps, loss, accuracy); may raise to stop the training."""


class LearnerError(RuntimeError):
    """A learner cannot do what was asked of it."""


@dataclass(frozen=True, slots=True)
class TrainedWeights:
    """A network as the player takes it."""

    network_id: int
    """0 for the initial network, one more with each training."""
    arrays: Mapping[str, NDArray[np.float32]]
    loss: float | None = None
    accuracy: float | None = None
    """Share of the samples answered right, at the end of the training."""
    seconds: float = 0.0
    """Wall seconds of the training."""
    steps: int | None = None
    """That it took."""
    measures: Measures = NOT_MEASURED
    """What the training came to: how much of the memory the network holds, …"""
    memory: MemoryNodes | None = None
    """What the learner remembers beside the network; None where it has no such memory."""

    def load_into(self, player: LoadsWeights) -> None:
        """Let a player play with them, and look into the memory where it does that."""
        player.load_weights(self.network_id, self.arrays)
        if self.memory is not None and isinstance(player, LoadsMemory):
            player.load_memory(self.memory)


class Learner(Protocol):
    """Turns finished games into networks."""

    @property
    def network_id(self) -> int:
        """Number of the newest network; after a roll back the current one's is lower."""

    @property
    def games_learnt(self) -> int:
        """Number of the last game observed; 0 before the first."""

    def observe(self, record: GameRecord) -> bool:
        """Take in a finished game; True where the network is to be trained now.

        A game whose number is not above `games_learnt` is known already and ignored.
        """

    def train(self, progress: Progress | None = None) -> TrainedWeights:
        """Train and return the new network."""

    def weights(self) -> TrainedWeights:
        """Return the current network."""

    def statistics(self) -> JsonObject:
        """Return plain numbers for charts."""

    def change_settings(self, settings: Mapping[str, object]) -> None:
        """Go on learning by other settings, keeping what was learnt.

        Raises:
            LearnerError: what was learnt does not fit them; nothing is changed.
        """

    def skip(self, game: int) -> None:
        """Count the games up to `game` as known without learning from them."""

    def prepare(self) -> None:
        """Load and compile what training needs, so that the first one starts at once."""

    def reset(self) -> None:
        """Forget everything."""

    @property
    def checkpoint_form(self) -> CheckpointForm:
        """How its state is written down."""

    def state(self) -> LearnerState:
        """Return everything that it knows; see `ai.store.learner_checkpoints`."""

    def restore(self, state: LearnerState) -> None:
        """Become what `state` says.

        Raises:
            KeyError: a value is missing; nothing is changed.
            ValueError: an array does not fit; nothing is changed.
        """
