"""Storage of learners' checkpoints and of the games in a database."""

from __future__ import annotations

from ai.store.checkpoints import Checkpoint, CheckpointError, CheckpointStore
from ai.store.runs import GameSummary, RunStore, RunStoreError

__all__ = [
    "Checkpoint",
    "CheckpointError",
    "CheckpointStore",
    "GameSummary",
    "RunStore",
    "RunStoreError",
]
