"""Storage format of a learner with a network: Keras' weights file, and the memory beside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ai.nets.architecture import Architecture
from ai.nets.weights_file import CHECKPOINT_WEIGHTS, read_weights, write_weights
from ai.store.checkpoints import Checkpoint
from ai.store.learner_checkpoints import MEMORY, LearnerState, read_arrays, write_arrays


@dataclass(frozen=True, slots=True)
class NetworkForm:
    """Checkpoint format for one architecture; see `CheckpointForm`."""

    folder: str
    architecture: Architecture

    def files(self, state: LearnerState) -> dict[str, Callable[[Path], None]]:
        """Return the functions that write weights and memory, by file name."""
        return {
            CHECKPOINT_WEIGHTS: lambda path: write_weights(path, self.architecture, state.weights),
            MEMORY: lambda path: write_arrays(path, state.memory),
        }

    def read(self, checkpoint: Checkpoint) -> LearnerState:
        """Read a checkpoint.

        Raises:
            OSError: a file cannot be opened.
            ValueError: a file is damaged or belongs to another network.
        """
        weights = read_weights(checkpoint.file(CHECKPOINT_WEIGHTS), self.architecture)
        return LearnerState(checkpoint.state, weights, read_arrays(checkpoint.file(MEMORY)))


__all__ = ["NetworkForm"]
