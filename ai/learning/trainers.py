"""Compiled training loops, shared by the learners of one process.

Building and tracing a loop costs seconds, and no loop keeps anything from one training to the
next: learners whose networks are alike can take turns with one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ai.nets.architecture import Architecture

if TYPE_CHECKING:
    from ai.nets.trainer import CompiledTrainer


class Trainers:
    """One training loop for each network, built at first use; not thread-safe."""

    def __init__(self, *, threads: int = 1) -> None:
        """Start without loops; a training may use `threads` processor threads."""
        self._threads = threads
        self._trainers: dict[Architecture, CompiledTrainer] = {}

    def __len__(self) -> int:
        return len(self._trainers)

    def of(self, architecture: Architecture, batch: int) -> CompiledTrainer:
        """Return the loop for an architecture; loads TensorFlow.

        Args:
            architecture: the network.
            batch: batch size of the first trace.
        """
        trainer = self._trainers.get(architecture)
        if trainer is None:
            from ai.nets.trainer import CompiledTrainer

            trainer = CompiledTrainer(architecture, threads=self._threads)
            trainer.warm_up(batch)
            self._trainers[architecture] = trainer
        return trainer
