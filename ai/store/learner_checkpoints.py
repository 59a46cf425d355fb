"""A learner on disk: what `state()` gives, as one checkpoint that `restore()` takes back.

Learners that do not fit each other's files (another board, network or kernel) keep theirs in
folders of their own below the same directory, so that changing a setting loses nothing. Beside
the newest two, some checkpoints are kept: `named/` holds those that somebody asked for, `kept/`
the last ones that were kept by themselves.
"""

from __future__ import annotations

import hashlib
import json
import re
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ai.store.checkpoints import Checkpoint, CheckpointError, CheckpointStore
from base.values import JsonObject

MEMORY: Final = "memory.npz"
ARRAYS: Final = "arrays.npz"
NAMED: Final = "named"
KEPT: Final = "kept"
MOST_NAMED: Final = 1_000
MOST_KEPT: Final = 20

_PLACE: Final = re.compile(rf"({NAMED}|{KEPT})/(\d{{1,8}})")

Arrays: TypeAlias = Mapping[str, NDArray[Any]]


@dataclass(frozen=True, slots=True)
class LearnerState:
    """Everything that a learner knows."""

    values: JsonObject
    """Plain values for JSON: counters, seed and measures, among them `games_learnt` (number of
    the last game), `network_id` and `newest_network_id`."""
    weights: Arrays
    """The network's arrays by name."""
    memory: Arrays = field(default_factory=dict)
    """What is remembered beside the network, as arrays by name."""


@dataclass(frozen=True, slots=True)
class KeptCheckpoint:
    """A checkpoint to roll back to."""

    place: str
    """Names it to `LearnerCheckpoints.roll_back`."""
    name: str
    note: str
    game: int
    """Number of the last game learnt."""
    network_id: int
    nodes: int
    """Of the situation memory; 0 where the learner did not say."""
    is_automatic: bool


class CheckpointForm(Protocol):
    """How one kind of learner is written down."""

    @property
    def folder(self) -> str:
        """Name of the folder of all learners that fit each other's files."""

    def files(self, state: LearnerState) -> dict[str, Callable[[Path], None]]:
        """Return, by file name, a function that writes the file at the path it is given."""

    def read(self, checkpoint: Checkpoint) -> LearnerState:
        """Return what a checkpoint holds.

        Raises:
            OSError: a file cannot be opened.
            ValueError: a file is damaged or does not fit.
        """


class Stateful(Protocol):
    """A learner as its checkpoints see it."""

    @property
    def checkpoint_form(self) -> CheckpointForm:
        """How it is written down."""

    def state(self) -> LearnerState:
        """Return everything that it knows."""

    def restore(self, state: LearnerState) -> None:
        """Become what `state` says, whole or not at all."""


@dataclass(frozen=True, slots=True)
class ArraysForm:
    """All arrays in one file."""

    folder: str

    def files(self, state: LearnerState) -> dict[str, Callable[[Path], None]]:
        """Return what writes the arrays."""
        return {ARRAYS: lambda path: write_arrays(path, state.weights)}

    def read(self, checkpoint: Checkpoint) -> LearnerState:
        """Return what a checkpoint holds; see `CheckpointForm.read`."""
        return LearnerState(checkpoint.state, read_arrays(checkpoint.file(ARRAYS)))


class LearnerCheckpoints:
    """The checkpoints of one learner below a directory, which others may share."""

    def __init__(self, learner: Stateful, directory: Path) -> None:
        self._learner = learner
        self._directory = directory

    @property
    def store(self) -> CheckpointStore:
        """The checkpoints that fit the learner as it is now."""
        return CheckpointStore(self._directory / self._learner.checkpoint_form.folder)

    def save(self) -> None:
        """Write a checkpoint.

        Raises:
            CheckpointError: it cannot be written; the last good one is kept.
        """
        self._save(self.store, {})

    def load(self) -> str | None:
        """Restore the newest checkpoint that is sound and fits; without one nothing changes.

        Returns:
            What was wrong with those passed over, or None.
        """
        _, messages = self.store.load(self._restore)
        return "; ".join(messages) or None

    def keep(self, name: str, note: str, *, is_automatic: bool) -> None:
        """Write a checkpoint to roll back to, which those of `save` do not replace.

        Args:
            name: what people call it.
            note: what they say of it.
            is_automatic: whether it gives way to newer ones of its kind.

        Raises:
            CheckpointError: it cannot be written.
        """
        kept = self._kept_store(KEPT if is_automatic else NAMED)
        self._save(kept, {"name": name, "note": note})

    def kept(self) -> tuple[KeptCheckpoint, ...]:
        """Return the kept checkpoints that fit, by game; damaged ones are left out."""
        found = []
        for kind in (KEPT, NAMED):
            store = self._kept_store(kind)
            for number in store.numbers():
                try:
                    found.append(_describe(kind, number, store.state(number)))
                except (CheckpointError, KeyError, TypeError, ValueError):
                    continue
        return tuple(sorted(found, key=lambda item: (item.game, item.place)))

    def roll_back(self, place: str) -> None:
        """Restore a kept checkpoint; games and networks go on counting.

        Args:
            place: of a `KeptCheckpoint`.

        Raises:
            CheckpointError: there is none, or it is damaged; nothing is changed.
        """
        match = _PLACE.fullmatch(place)
        if match is None:
            raise CheckpointError(f"expected the place of a kept checkpoint, found {place!r}")
        now = self._learner.state().values
        counted = {key: int(now[key]) for key in ("games_learnt", "newest_network_id")}
        self._restore(self._kept_store(match[1]).check(int(match[2])), counted)

    def forget(self) -> None:
        """Delete the checkpoints, but for the kept ones."""
        self.store.clear()

    def _kept_store(self, kind: str) -> CheckpointStore:
        most = MOST_NAMED if kind == NAMED else MOST_KEPT
        return CheckpointStore(self.store.directory / kind, keep=most)

    def _save(self, store: CheckpointStore, more: Mapping[str, str]) -> None:
        state = self._learner.state()
        files = self._learner.checkpoint_form.files(state)
        store.save({**more, **state.values}, files)

    def _restore(self, checkpoint: Checkpoint, least: Mapping[str, int] | None = None) -> None:
        """Restore a checkpoint, with counters that are at least so high."""
        try:
            found = self._learner.checkpoint_form.read(checkpoint)
            higher = {key: max(int(found.values.get(key, 0)), value)
                      for key, value in (least or {}).items()}  # fmt: skip
            self._learner.restore(replace(found, values={**found.values, **higher}))
        except (
            OSError, EOFError, KeyError, TypeError, ValueError, RuntimeError, zipfile.BadZipFile,
        ) as error:  # fmt: skip
            raise CheckpointError(
                f"{checkpoint.directory}: expected a learner's files, found {error!r}"
            ) from error


def folder_name(title: str, identity: object) -> str:
    """Return the name of the folder that learners of one identity share.

    Args:
        title: what it begins with.
        identity: plain values for JSON; learners that differ in them do not fit each other.
    """
    text = json.dumps(identity, sort_keys=True)
    return f"{title}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def _describe(kind: str, number: int, state: JsonObject) -> KeptCheckpoint:
    return KeptCheckpoint(
        place=f"{kind}/{number:08d}",
        name=str(state["name"]),
        note=str(state["note"]),
        game=int(state["games_learnt"]),
        network_id=int(state["network_id"]),
        nodes=int(state.get("nodes", 0)),
        is_automatic=kind == KEPT,
    )


def write_arrays(path: Path, arrays: Arrays) -> None:
    """Write arrays without pickling anything."""
    with path.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)


def read_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """Read what `write_arrays` wrote."""
    with np.load(path, allow_pickle=False) as stored:
        return {name: stored[name] for name in stored.files}
