"""A learner on disk: its network, its memory and its counters, as one checkpoint.

Learners that do not fit each other's files (another board, network or kernel) keep
theirs in folders of their own below the same directory, so that changing a setting
loses nothing. Beside the newest two, some checkpoints are kept: `named/` holds those that
somebody asked for, `kept/` the last ones that were kept by themselves.
"""

from __future__ import annotations

import hashlib
import json
import re
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from ai.learning.learner import KeptCheckpoint
from ai.memory.situation_memory import MemoryFileError
from ai.nets.initial import WeightsError
from ai.nets.weights_file import CHECKPOINT_WEIGHTS, read_weights, write_weights
from ai.store.checkpoints import Checkpoint, CheckpointError, CheckpointStore

if TYPE_CHECKING:
    from ai.learning.self_teaching import SelfTeachingLearner

MEMORY: Final = "memory.npz"
NAMED: Final = "named"
KEPT: Final = "kept"
MOST_NAMED: Final = 1_000
MOST_KEPT: Final = 20

_PLACE: Final = re.compile(rf"({NAMED}|{KEPT})/(\d{{1,8}})")


def store_of(learner: SelfTeachingLearner, directory: Path) -> CheckpointStore:
    """Return the checkpoints below `directory` that fit this learner."""
    rules, architecture = learner.rules, learner.architecture
    played: list[object] = [rules.size, rules.win_length, rules.exact]
    if not rules.is_plain:
        played += [rules.rows, rules.gravity]
    shape = [architecture.layout, architecture.hidden, architecture.branch, architecture.output]
    if architecture.kernel_sizes != (3, 3, 3):
        shape.append(architecture.kernel_sizes)
    identity = [
        learner.name,
        played,
        shape,
        [learner.encoder.encoding, learner.kernel],
    ]
    digest = hashlib.sha256(json.dumps(identity).encode()).hexdigest()[:8]
    return CheckpointStore(directory / f"{learner.name}-{rules.size}x{rules.rows}-{digest}")


def save_learner(learner: SelfTeachingLearner, directory: Path) -> Checkpoint:
    """Write a checkpoint.

    Raises:
        CheckpointError: it cannot be written; the last good one is kept.
    """
    return _save(learner, store_of(learner, directory), {})


def keep_learner(
    learner: SelfTeachingLearner, directory: Path, name: str, note: str, *, is_automatic: bool
) -> Checkpoint:
    """Write a checkpoint to roll back to, with a name and a note.

    Raises:
        CheckpointError: it cannot be written.
    """
    store = _kept_store(learner, directory, KEPT if is_automatic else NAMED)
    return _save(learner, store, {"name": name, "note": note})


def kept_checkpoints(learner: SelfTeachingLearner, directory: Path) -> tuple[KeptCheckpoint, ...]:
    """Return the kept checkpoints that fit this learner, by game; damaged ones are left out."""
    found = []
    for kind in (KEPT, NAMED):
        store = _kept_store(learner, directory, kind)
        for number in store.numbers():
            try:
                state = store.state(number)
                found.append(_describe(kind, number, state))
            except (CheckpointError, KeyError, TypeError, ValueError):
                continue
    return tuple(sorted(found, key=lambda item: (item.game, item.place)))


def roll_back_learner(learner: SelfTeachingLearner, directory: Path, place: str) -> None:
    """Become what a kept checkpoint holds: weights, memory and statistics.

    The games go on counting, and so do the numbers of the networks to come.

    Raises:
        CheckpointError: there is no such checkpoint, or it is damaged; nothing is changed.
    """
    match = _PLACE.fullmatch(place)
    if match is None:
        raise CheckpointError(f"expected the place of a kept checkpoint, found {place!r}")
    games, newest = learner.games_learnt, learner.network_id
    _restore(learner, _kept_store(learner, directory, match[1]).check(int(match[2])))
    learner.games_learnt = max(games, learner.games_learnt)
    learner.network_id = max(newest, learner.network_id)


def _kept_store(learner: SelfTeachingLearner, directory: Path, kind: str) -> CheckpointStore:
    most = MOST_NAMED if kind == NAMED else MOST_KEPT
    return CheckpointStore(store_of(learner, directory).directory / kind, keep=most)


def _describe(kind: str, number: int, state: Mapping[str, Any]) -> KeptCheckpoint:
    return KeptCheckpoint(
        place=f"{kind}/{number:08d}",
        name=str(state["name"]),
        note=str(state["note"]),
        game=int(state["games_learnt"]),
        network_id=int(state["network_id"]),
        nodes=int(state.get("nodes", 0)),
        is_automatic=kind == KEPT,
    )


def _save(
    learner: SelfTeachingLearner, store: CheckpointStore, more: Mapping[str, str]
) -> Checkpoint:
    trained = learner.weights()
    arrays = learner.memory_arrays()
    state = {
        **more,
        "seed": learner.seed,
        "games_learnt": learner.games_learnt,
        "relearn_records": learner.relearn_records,
        "retrains": learner.retrains,
        "network_id": trained.network_id,
        "newest_network_id": learner.network_id,
        "nodes": len(learner.memory),
        "loss": trained.loss,
        "accuracy": trained.accuracy,
        "seconds": trained.seconds,
        "steps": trained.steps,
        **asdict(trained.measures),
        "failed": learner.failed,
    }
    files: dict[str, Callable[[Path], None]] = {
        CHECKPOINT_WEIGHTS: lambda path: write_weights(path, learner.architecture, trained.arrays),
        MEMORY: lambda path: _write_arrays(path, arrays),
    }
    return store.save(state, files)


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
