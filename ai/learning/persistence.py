"""A learner on disk: its network, its memory and its counters, as one checkpoint.

Learners that do not fit each other's files (another board, network or kernel) keep
theirs in folders of their own below the same directory, so that changing a setting
loses nothing.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from ai.memory.situation_memory import MemoryFileError
from ai.nets.initial import WeightsError
from ai.nets.weights_file import CHECKPOINT_WEIGHTS, read_weights, write_weights
from ai.store.checkpoints import Checkpoint, CheckpointError, CheckpointStore

if TYPE_CHECKING:
    from ai.learning.self_teaching import SelfTeachingLearner

MEMORY: Final = "memory.npz"


def store_of(learner: SelfTeachingLearner, directory: Path) -> CheckpointStore:
    """Return the checkpoints below `directory` that fit this learner."""
    rules, architecture = learner.rules, learner.architecture
    identity = [
        learner.name,
        [rules.size, rules.win_length, rules.exact],
        [architecture.layout, architecture.hidden, architecture.branch, architecture.output],
        [learner.encoder.encoding, learner.kernel],
    ]
    digest = hashlib.sha256(json.dumps(identity).encode()).hexdigest()[:8]
    return CheckpointStore(directory / f"{learner.name}-{rules.size}x{rules.size}-{digest}")


def save_learner(learner: SelfTeachingLearner, directory: Path) -> Checkpoint:
    """Write a checkpoint.

    Raises:
        CheckpointError: it cannot be written; the last good one is kept.
    """
    trained = learner.weights()
    arrays = learner.memory.arrays()
    state = {
        "seed": learner.seed,
        "games_learnt": learner.games_learnt,
        "relearn_records": learner.relearn_records,
        "retrains": learner.retrains,
        "network_id": learner.network_id,
        "loss": trained.loss,
        "accuracy": trained.accuracy,
        "seconds": trained.seconds,
    }
    files: dict[str, Callable[[Path], None]] = {
        CHECKPOINT_WEIGHTS: lambda path: write_weights(path, learner.architecture, trained.arrays),
        MEMORY: lambda path: _write_arrays(path, arrays),
    }
    return store_of(learner, directory).save(state, files)


def load_learner(learner: SelfTeachingLearner, directory: Path) -> str | None:
    """Take up the newest checkpoint that is sound and fits; without one nothing changes.

    Returns:
        What was wrong with those passed over, or None.
    """
    _, messages = store_of(learner, directory).load(lambda found: _restore(learner, found))
    return "; ".join(messages) or None


def _restore(learner: SelfTeachingLearner, checkpoint: Checkpoint) -> None:
    """Read a checkpoint into the learner, whole or not at all."""
    try:
        weights = read_weights(checkpoint.file(CHECKPOINT_WEIGHTS), learner.architecture)
        with np.load(checkpoint.file(MEMORY), allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
        learner.restore(weights, arrays, checkpoint.state)
    except (
        OSError,
        EOFError,
        KeyError,
        TypeError,
        ValueError,
        WeightsError,
        MemoryFileError,
        zipfile.BadZipFile,
    ) as error:
        raise CheckpointError(
            f"{checkpoint.directory}: expected a learner's files, found {error!r}"
        ) from error


def _write_arrays(path: Path, arrays: dict[str, NDArray[Any]]) -> None:
    """Write arrays without pickling anything."""
    with path.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)
