"""What a learner is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ai.game import GameRecord
from ai.learning.measures import NOT_MEASURED, Measures

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


@dataclass(frozen=True, slots=True)
class KeptCheckpoint:
    """A checkpoint to roll back to."""

    place: str
    """Names it to `Learner.roll_back`."""
    name: str
    note: str
    game: int
    """Number of the last game learnt."""
    network_id: int
    nodes: int
    """Of the situation memory; 0 where the learner did not say."""
    is_automatic: bool


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

    def statistics(self) -> dict[str, Any]:
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

    def save(self, directory: Path) -> None:
        """Write a checkpoint below `directory`."""

    def load(self, directory: Path) -> str | None:
        """Take up the last good checkpoint below `directory`, where there is one.

        Returns:
            What went wrong on the way, in words, or None.
        """

    def keep(self, directory: Path, name: str, note: str, *, is_automatic: bool) -> None:
        """Write a checkpoint below `directory` that later ones do not replace."""

    def kept(self, directory: Path) -> tuple[KeptCheckpoint, ...]:
        """Return the kept checkpoints below `directory`, the oldest first."""

    def roll_back(self, directory: Path, place: str) -> None:
        """Become what a kept checkpoint holds; the games go on counting."""

    def forget(self, directory: Path) -> None:
        """Delete this learner's checkpoints below `directory`, but for the kept ones."""
