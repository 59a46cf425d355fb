"""Checkpoints of a learner: the result of its `state()`, to be read back by `restore()`.

Incompatible learners (another board, network or kernel) have separate folders below the same
directory, so that changing a setting loses nothing. Besides the newest two, some checkpoints are
kept: `named/` holds those that a user asked for, `kept/` the last automatic ones.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Protocol, TypeAlias

from numpy.typing import NDArray

from ai.store.checkpoints import Checkpoint, CheckpointError, CheckpointStore
from base.storage.card_file import CardFileError, packed, read_arrays, reading
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
    """Complete state of a learner."""

    values: JsonObject
    """Plain values for JSON: counters, seed and measures, among them `games_learnt` (number of
    the last game), `network_id` and `newest_network_id`."""
    weights: Arrays
    """The network's arrays by name."""
    memory: Arrays = field(default_factory=dict)
    """The memory besides the network, as arrays by name."""


@dataclass(frozen=True, slots=True)
class KeptCheckpoint:
    """A checkpoint to roll back to."""

    place: str
    """Argument for `LearnerCheckpoints.roll_back`."""
    name: str
    note: str
    game: int
    """Number of the last game learnt."""
    network_id: int
    nodes: int
    """Number of situation nodes; 0 if unknown."""
    is_automatic: bool


class CheckpointForm(Protocol):
    """Storage format of one kind of learner."""

    @property
    def folder(self) -> str:
        """Name of the folder shared by all compatible learners."""

    def files(self, state: LearnerState) -> dict[str, bytes]:
        """Return the content of each file by its name."""

    def read(self, checkpoint: Checkpoint) -> LearnerState:
        """Read a checkpoint.

        Raises:
            OSError: a file cannot be opened.
            ValueError: a file is damaged or does not fit.
        """


class Stateful(Protocol):
    """A learner as its checkpoints use it."""

    @property
    def checkpoint_form(self) -> CheckpointForm:
        """Storage format of its checkpoints."""

    def state(self) -> LearnerState:
        """Return the complete state."""

    def restore(self, state: LearnerState) -> None:
        """Restore a state, completely or not at all."""


@dataclass(frozen=True, slots=True)
class ArraysForm:
    """Storage format with all arrays in one file."""

    folder: str

    def files(self, state: LearnerState) -> dict[str, bytes]:
        """Return the content of the one file by its name."""
        return {ARRAYS: packed(state.weights)}

    def read(self, checkpoint: Checkpoint) -> LearnerState:
        """Read a checkpoint; see `CheckpointForm.read`."""
        return LearnerState(checkpoint.state, read_arrays(checkpoint.file(ARRAYS)))


class LearnerCheckpoints:
    """Checkpoints of one learner in a directory that others may share."""

    def __init__(self, learner: Stateful, directory: Path) -> None:
        self._learner = learner
        self._directory = directory

    @property
    def store(self) -> CheckpointStore:
        """The checkpoints that fit the learner's present settings."""
        return CheckpointStore(self._directory / self._learner.checkpoint_form.folder)

    def save(self) -> None:
        """Write a checkpoint.

        Raises:
            CheckpointError: it cannot be written; the last good one is kept.
        """
        self._save(self.store, {})

    def load(self) -> str | None:
        """Restore the newest valid and compatible checkpoint, if there is one.

        Returns:
            Why newer ones were skipped, or None.
        """
        _, messages = self.store.load(self._restore)
        return "; ".join(messages) or None

    def keep(self, name: str, note: str, *, is_automatic: bool) -> None:
        """Write a checkpoint to roll back to; `save` does not replace it.

        Args:
            name: name for people.
            note: note for people.
            is_automatic: whether newer automatic ones may replace it.

        Raises:
            CheckpointError: it cannot be written.
        """
        kept = self._kept_store(KEPT if is_automatic else NAMED)
        self._save(kept, {"name": name, "note": note})

    def kept(self) -> tuple[KeptCheckpoint, ...]:
        """Return the kept compatible checkpoints, by game; damaged ones are skipped."""
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
        """Restore a kept checkpoint; numbers of games and networks go on.

        Args:
            place: `place` of a `KeptCheckpoint`.

        Raises:
            CheckpointError: it is missing or damaged; nothing is changed.
        """
        match = _PLACE.fullmatch(place)
        if match is None:
            raise CheckpointError(f"expected the place of a kept checkpoint, found {place!r}")
        now = self._learner.state().values
        counted = {key: int(now[key]) for key in ("games_learnt", "newest_network_id")}
        self._restore(self._kept_store(match[1]).check(int(match[2])), counted)

    def forget(self) -> None:
        """Delete the checkpoints except the kept ones."""
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
            with reading(checkpoint.directory, "a learner's files"):
                found = self._learner.checkpoint_form.read(checkpoint)
                higher = {
                    key: max(int(found.values.get(key, 0)), value)
                    for key, value in (least or {}).items()
                }
                self._learner.restore(replace(found, values={**found.values, **higher}))
        except CardFileError as error:
            raise CheckpointError(str(error)) from error


def folder_name(title: str, identity: object) -> str:
    """Return the name of the folder shared by learners of one identity.

    Args:
        title: prefix of the name.
        identity: plain values for JSON; learners that differ in them are incompatible.
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
