"""Checkpoints of learners: folders that are either complete or do not exist.

    DIRECTORY/
      00000041/  manifest.json (format, sha256 of each file, state)  network.weights.h5  memory.npz
      00000042/  the same, newer

A checkpoint is written under a temporary name, its manifest last. Then it is renamed in one step.
The previous one stays until the next is complete. So a kill at any moment loses at most the
unfinished checkpoint. Checkpoints are verified when they are loaded: a damaged one is renamed and
the previous one is used.

`LearnerCheckpoints` stores the result of a learner's `state()` and passes it to `restore()`.
Incompatible learners (another board, network or kernel) have separate folders below the same
directory, so that changing a setting loses nothing. Besides the newest two, some checkpoints are
kept: in `named/` those that a user asked for, in `kept/` the last automatic ones.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Protocol, TypeAlias

from numpy.typing import NDArray

from ai.store.learnt_file import LearntFile, LearntFileError, read_learnt, write_learnt
from base.errors import GoishiError
from base.files import is_running, read_regular, rename, write_synced
from base.storage.card_file import CardFileError, packed, read_arrays, reading
from base.values import JsonObject

log = logging.getLogger(__name__)

FORMAT: Final = "goishi.checkpoint/1"
MANIFEST: Final = "manifest.json"

_DIGITS: Final = 8
_UNFINISHED: Final = ".unfinished-"
_REMOVED: Final = ".removed-"
_DAMAGED: Final = "damaged-"


class CheckpointError(GoishiError, RuntimeError):
    """A checkpoint cannot be written or read; the message names the file and the reason."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A complete and verified checkpoint."""

    number: int
    directory: Path
    state: JsonObject
    """The plain values that were saved along with the files."""

    def file(self, name: str) -> Path:
        """Return the path of one of the checkpoint's files."""
        return self.directory / name


class CheckpointStore:
    """Writes, verifies and deletes the checkpoints of one directory."""

    def __init__(self, directory: Path, *, keep: int = 2) -> None:
        """Open a directory of checkpoints; it need not exist yet.

        Args:
            directory: directory that contains nothing but checkpoints.
            keep: number of newest checkpoints to keep, at least 1.
        """
        self.directory = directory
        self.keep = max(keep, 1)

    def save(self, state: Mapping[str, object], files: Mapping[str, bytes]) -> Checkpoint:
        """Write a checkpoint; older ones are kept until it is complete.

        Args:
            state: plain values for the manifest.
            files: the content of each file by its name.

        Raises:
            CheckpointError: the checkpoint cannot be written (disk full, no permission); the last
                good one is still there.
        """
        number = max(self.numbers(), default=0) + 1
        unfinished = self.directory / f"{_UNFINISHED}{number:0{_DIGITS}d}-{os.getpid()}"
        final = self.directory / f"{number:0{_DIGITS}d}"
        try:
            shutil.rmtree(unfinished, ignore_errors=True)
            unfinished.mkdir(parents=True)
            for name, content in files.items():
                write_synced(unfinished / name, content)
            manifest: JsonObject = {
                "format": FORMAT,
                "number": number,
                "files": {
                    name: hashlib.sha256(content).hexdigest() for name, content in files.items()
                },
                "state": dict(state),
            }
            text = json.dumps(manifest, indent=1, sort_keys=True) + "\n"
            write_synced(unfinished / MANIFEST, text.encode())
            rename(unfinished, final)
        except OSError as error:
            raise CheckpointError(
                f"{final}: expected to write a checkpoint, found {error}; the last good one is kept"
            ) from error
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
        self._prune()
        return Checkpoint(number, final, manifest["state"])

    def load(self, take: Callable[[Checkpoint], None]) -> tuple[Checkpoint | None, list[str]]:
        """Pass the newest valid checkpoint to `take`; rename damaged ones.

        Unfinished checkpoints of killed processes are deleted.

        Args:
            take: reads the checkpoint; if it raises CheckpointError, it is called again with the
                previous checkpoint.

        Returns:
            The checkpoint that was read (None if there is none), and a list of messages. The list
            has one message for each checkpoint that was skipped.
        """
        messages: list[str] = []
        self._remove_leftovers()
        for number in reversed(self.numbers()):
            try:
                checkpoint = self.check(number)
                take(checkpoint)
            except CheckpointError as error:
                messages.append(f"{error}; the checkpoint before it is taken")
                log.warning("%s", messages[-1])
                self._set_aside(number)
                continue
            return checkpoint, messages
        return None, messages

    def check(self, number: int) -> Checkpoint:
        """Verify all files of a checkpoint and return it.

        Raises:
            CheckpointError: a file is missing, cut or changed.
        """
        directory = self.directory / f"{number:0{_DIGITS}d}"
        manifest = _read_manifest(directory / MANIFEST)
        for name, digest in manifest["files"].items():
            path = directory / name
            try:
                found = hashlib.sha256(path.read_bytes()).hexdigest()
            except OSError as error:
                raise CheckpointError(f"{path}: expected a readable file, found {error}") from error
            if found != digest:
                raise CheckpointError(
                    f"{path}: expected the checksum {digest[:12]}…, found {found[:12]}…"
                )
        return Checkpoint(number, directory, manifest["state"])

    def state(self, number: int) -> JsonObject:
        """Return the saved values of a checkpoint without verifying its files.

        Raises:
            CheckpointError: no checkpoint has this number, or its manifest is damaged.
        """
        manifest = _read_manifest(self.directory / f"{number:0{_DIGITS}d}" / MANIFEST)
        state: JsonObject = manifest["state"]
        return state

    def clear(self) -> None:
        """Delete every checkpoint."""
        for number in self.numbers():
            self._remove(number)

    def numbers(self) -> list[int]:
        """Return the numbers of the complete checkpoints, ascending; none is verified."""
        try:
            names = [entry.name for entry in self.directory.iterdir() if entry.is_dir()]
        except OSError:
            return []
        return sorted(int(name) for name in names if name.isdecimal() and len(name) == _DIGITS)

    def listed(self) -> list[Checkpoint]:
        """Return the checkpoints with readable manifests, newest first.

        Their other files are not verified; see `check`.
        """
        found = []
        for number in reversed(self.numbers()):
            directory = self.directory / f"{number:0{_DIGITS}d}"
            try:
                manifest = _read_manifest(directory / MANIFEST)
            except CheckpointError as error:
                log.warning("%s", error)
                continue
            found.append(Checkpoint(number, directory, manifest["state"]))
        return found

    def _set_aside(self, number: int) -> None:
        """Rename a damaged checkpoint, so that it is no longer found but can be inspected."""
        directory = self.directory / f"{number:0{_DIGITS}d}"
        target = directory.with_name(f"{_DAMAGED}{directory.name}")
        shutil.rmtree(target, ignore_errors=True)
        try:
            rename(directory, target)
        except OSError as error:
            log.warning("%s: cannot be set aside: %s", directory, error)

    def _prune(self) -> None:
        """Delete checkpoints beyond the newest `keep`, and leftovers of killed processes."""
        for number in self.numbers()[: -self.keep]:
            self._remove(number)
        for kind in (_UNFINISHED, _REMOVED):
            for entry in self.directory.glob(f"{kind}*"):
                shutil.rmtree(entry, ignore_errors=True)

    def _remove(self, number: int) -> None:
        """Delete a checkpoint; it is renamed first, so that it is never seen incomplete."""
        directory = self.directory / f"{number:0{_DIGITS}d}"
        removed = directory.with_name(f"{_REMOVED}{directory.name}")
        shutil.rmtree(removed, ignore_errors=True)
        with contextlib.suppress(OSError):
            rename(directory, removed)
            directory = removed
        shutil.rmtree(directory, ignore_errors=True)

    def _remove_leftovers(self) -> None:
        """Delete unfinished or half-deleted folders that ended processes have left."""
        for entry in (
            *self.directory.glob(f"{_UNFINISHED}*"),
            *self.directory.glob(f"{_REMOVED}*"),
        ):
            pid = entry.name.rpartition("-")[2]
            is_open = entry.name.startswith(_UNFINISHED) and pid.isdecimal()
            if not (is_open and is_running(int(pid))):
                shutil.rmtree(entry, ignore_errors=True)


@contextlib.contextmanager
def reading_checkpoint(path: Path, what: str) -> Iterator[None]:
    """Report an error inside the `with` block as a damaged checkpoint.

    Args:
        path: the file or folder that is read in the block.
        what: its content in words, for the error message.

    Raises:
        CheckpointError: the block raised an error of a damaged file.
    """
    try:
        with reading(path, what):
            yield
    except CardFileError as error:
        raise CheckpointError(str(error)) from error


def _read_manifest(path: Path) -> JsonObject:
    """Read and check the manifest of a checkpoint.

    Raises:
        CheckpointError: the file cannot be read or is no manifest.
    """
    try:
        manifest = json.loads(read_regular(path, None))
    except (OSError, ValueError, RecursionError) as error:
        raise CheckpointError(f"{path}: expected a manifest, found {error}") from error
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise CheckpointError(f"{path}: expected the format {FORMAT!r}, found something else")
    files, state = manifest.get("files"), manifest.get("state")
    names_are_plain = isinstance(files, dict) and all(
        isinstance(name, str) and Path(name).name == name and isinstance(digest, str)
        for name, digest in files.items()
    )
    if not names_are_plain or not isinstance(state, dict):
        raise CheckpointError(f"{path}: expected 'files' and 'state', found neither or malformed")
    return manifest


MEMORY: Final = "memory.npz"
ARRAYS: Final = "arrays.npz"
NAMED: Final = "named"
KEPT: Final = "kept"
MOST_NAMED: Final = 1_000
MOST_KEPT: Final = 20
GAMES_LEARNT: Final = "games_learnt"
COUNTED: Final = (GAMES_LEARNT, "newest_network_id")
"""Counters that never decrease."""
MOST_COUNTED: Final = 10**12
"""A number of a file from elsewhere is less."""
MOST_LETTERS: Final = 60
"""Of a checkpoint's name that is made from a file's name."""

_PLACE: Final = re.compile(rf"({NAMED}|{KEPT})/(\d{{1,8}})")

Arrays: TypeAlias = Mapping[str, NDArray[Any]]


@dataclass(frozen=True, slots=True)
class LearnerState:
    """The complete state of a learner, as it is stored in checkpoints."""

    values: JsonObject
    """Plain values for JSON: counters, seed and measures.

    Among them are `games_learnt` (number of the last game learnt), `network_id` and
    `newest_network_id`.
    """
    weights: Arrays
    """The network's arrays by name."""
    memory: Arrays = field(default_factory=dict)
    """Arrays of the learner's memory by name; empty if it has no memory."""


@dataclass(frozen=True, slots=True)
class KeptCheckpoint:
    """A checkpoint that is kept so that a user can return to it."""

    place: str
    """Its identification, the argument of `LearnerCheckpoints.roll_back`."""
    name: str
    note: str
    game: int
    """Number of the last game learnt."""
    network_id: int
    nodes: int
    """Number of remembered positions; 0 if unknown."""
    is_automatic: bool


class CheckpointForm(Protocol):
    """Storage format for the checkpoints of one kind of learner."""

    @property
    def folder(self) -> str:
        """Name of the folder that all compatible learners share."""

    def files(self, state: LearnerState) -> dict[str, bytes]:
        """Return the content of each file by its name."""

    def read(self, checkpoint: Checkpoint) -> LearnerState:
        """Read the learner's state from a checkpoint.

        Raises:
            OSError: a file cannot be opened.
            ValueError: a file is damaged or does not fit the learner.
        """


class Stateful(Protocol):
    """What checkpoints require of a learner: a format, its state, and restoring it."""

    @property
    def checkpoint_form(self) -> CheckpointForm:
        """Storage format of its checkpoints."""

    def state(self) -> LearnerState:
        """Return the complete state."""

    def restore(self, state: LearnerState) -> None:
        """Restore a state; if this fails, the learner is unchanged."""


@dataclass(frozen=True, slots=True)
class LearnerOrigin:
    """What a learner is made from. Checkpoints tell it, so that the same one can be made again."""

    player: str
    """Name of the player."""
    rules: JsonObject
    """Rules of its games, as plain values."""
    settings: JsonObject
    """Its settings by name."""


ORIGIN: Final = "origin"
"""Key in a checkpoint's state."""


@dataclass(frozen=True, slots=True)
class ArraysForm:
    """Storage format with all arrays in one file, for learners without a memory."""

    folder: str

    def files(self, state: LearnerState) -> dict[str, bytes]:
        """Return the content of the single file, by its name."""
        return {ARRAYS: packed(state.weights)}

    def read(self, checkpoint: Checkpoint) -> LearnerState:
        """Read a checkpoint; see `CheckpointForm.read`."""
        return LearnerState(checkpoint.state, read_arrays(checkpoint.file(ARRAYS)))


class LearnerCheckpoints:
    """Checkpoints of one learner, in a directory that other learners may share."""

    def __init__(
        self, learner: Stateful, directory: Path, origin: LearnerOrigin | None = None
    ) -> None:
        """Open the checkpoints of a learner; nothing is read or written yet.

        Args:
            learner: the learner.
            directory: directory of the checkpoints of this learner and of others.
            origin: what the learner is made from; None if it is unknown.
        """
        self._learner = learner
        self._directory = directory
        self._origin = origin

    @property
    def store(self) -> CheckpointStore:
        """Store of the checkpoints that fit the learner's present settings."""
        return CheckpointStore(self._directory / self._learner.checkpoint_form.folder)

    def save(self) -> None:
        """Write a checkpoint of the learner's present state.

        Raises:
            CheckpointError: the checkpoint cannot be written; the last good one is kept.
        """
        self._save(self.store, {})

    def load(self) -> str | None:
        """Restore the newest valid and compatible checkpoint, if there is one.

        Returns:
            The reasons why newer ones were skipped; None if none was.
        """
        _, messages = self.store.load(self._restore)
        return "; ".join(messages) or None

    def keep(self, name: str, note: str, *, is_automatic: bool) -> None:
        """Write a checkpoint that `save` does not replace, for a later `roll_back`.

        Args:
            name: name shown to users.
            note: note shown to users.
            is_automatic: whether newer automatic ones may replace it.

        Raises:
            CheckpointError: the checkpoint cannot be written.
        """
        kept = self._kept_store(KEPT if is_automatic else NAMED)
        self._save(kept, {"name": name, "note": note})

    def kept(self) -> tuple[KeptCheckpoint, ...]:
        """Return the kept compatible checkpoints, sorted by game; damaged ones are skipped."""
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
        """Restore a kept checkpoint; the counters of games and networks never decrease.

        Args:
            place: `place` of a `KeptCheckpoint`.

        Raises:
            CheckpointError: the checkpoint is missing or damaged; nothing is changed.
        """
        match = _PLACE.fullmatch(place)
        if match is None:
            raise CheckpointError(f"expected the place of a kept checkpoint, found {place!r}")
        now = self._learner.state().values
        counted = {key: int(now[key]) for key in COUNTED}
        self._restore(self._kept_store(match[1]).check(int(match[2])), counted)

    def save_file(self, path: Path) -> LearntFile:
        """Write the learner's present state into one file, which another machine can load.

        Args:
            path: path of the file; one that is there is replaced.

        Returns:
            What was written.

        Raises:
            LearntFileError: it cannot be written; a file that was there is unchanged.
        """
        origin = self._origin or LearnerOrigin("", {}, {})
        state, form = self._learner.state(), self._learner.checkpoint_form
        learnt = LearntFile(
            player=origin.player,
            learner=form.folder,
            state=dict(state.values),
            files=form.files(state),
            rules=origin.rules,
            settings=origin.settings,
        )
        write_learnt(path, learnt)
        return learnt

    def load_file(self, path: Path, *, games: int | None = None) -> LearntFile:
        """Restore what a file holds, and keep what was learnt before as a named checkpoint.

        The counters of games and networks never decrease.

        Args:
            path: path of the file.
            games: number that the counter of games gets; None for the higher one.

        Returns:
            What was read.

        Raises:
            CheckpointError: what was learnt before cannot be kept; nothing is changed.
            LearntFileError: the file cannot be read, is damaged, or is another learner's; nothing
                is changed.
        """
        learnt, form = read_learnt(path), self._learner.checkpoint_form
        if learnt.learner != form.folder:
            raise LearntFileError(f"{path}: {self._other_learner(learnt)}")
        before = self._learner.state()
        fitting = learnt
        if games is not None:
            fitting = replace(learnt, state={**learnt.state, GAMES_LEARNT: games})
        self._restore_file(path, fitting, before.values)
        if any(int(before.values[key]) for key in COUNTED):
            note = f"what was learnt before {path.name} was loaded"
            name = f"before {path.stem}"[:MOST_LETTERS]
            try:
                self._save(self._kept_store(NAMED), {"name": name, "note": note}, before)
            except CheckpointError:
                self._learner.restore(before)
                raise
        return learnt

    def _restore_file(self, path: Path, learnt: LearntFile, now: JsonObject) -> None:
        """Restore what was read from a file; if it does not fit, the learner is unchanged.

        Args:
            path: path of the file.
            learnt: what was read from it.
            now: plain values of the learner's present state.
        """
        folder = Path(tempfile.mkdtemp(prefix="goishi-learnt-"))
        try:
            _check_values(learnt.state, now)
            for name, content in learnt.files.items():
                (folder / name).write_bytes(content)
            counted = {key: int(now[key]) for key in COUNTED}
            self._restore(Checkpoint(0, folder, learnt.state), counted)
        except (GoishiError, OSError, KeyError, TypeError, ValueError) as error:
            reason = str(error).replace(str(folder), path.name)
            raise LearntFileError(f"{path}: {reason}") from error
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _other_learner(self, learnt: LearntFile) -> str:
        """Return why a file does not fit: it is of another player, board, or network."""
        origin = self._origin or LearnerOrigin("this player", {}, {})
        expected = f"expected what {origin.player} has learnt"
        if learnt.player != origin.player:
            return f"{expected}, found what {learnt.player} has; choose that player first"
        if others := _differences(learnt.rules, origin.rules):
            return f"{expected} by these rules, found other rules: {others}"
        shared = learnt.settings.keys() & origin.settings.keys()  # others have their default
        others = _differences(
            {key: learnt.settings[key] for key in shared},
            {key: origin.settings[key] for key in shared},
        ) or _differences(learnt.settings, origin.settings)
        return f"{expected} with these settings, found another network: {others}"

    def forget(self) -> None:
        """Delete all checkpoints except the kept ones."""
        self.store.clear()

    def _kept_store(self, kind: str) -> CheckpointStore:
        most = MOST_NAMED if kind == NAMED else MOST_KEPT
        return CheckpointStore(self.store.directory / kind, keep=most)

    def _save(
        self, store: CheckpointStore, more: Mapping[str, str], state: LearnerState | None = None
    ) -> None:
        """Write a checkpoint.

        Args:
            store: where it is written.
            more: further plain values.
            state: what is written; None for the learner's present state.
        """
        state = state or self._learner.state()
        files = self._learner.checkpoint_form.files(state)
        origin = {} if self._origin is None else {ORIGIN: asdict(self._origin)}
        store.save({**more, **origin, **state.values}, files)

    def _restore(self, checkpoint: Checkpoint, least: Mapping[str, int] | None = None) -> None:
        """Restore a checkpoint.

        Args:
            checkpoint: a verified checkpoint.
            least: lowest values that the counters get, by the counter's name; None for no lower
                bounds.
        """
        with reading_checkpoint(checkpoint.directory, "a learner's files"):
            found = self._learner.checkpoint_form.read(checkpoint)
            higher = {
                key: max(int(found.values.get(key, 0)), value)
                for key, value in (least or {}).items()
            }
            self._learner.restore(replace(found, values={**found.values, **higher}))


def folder_name(title: str, identity: object) -> str:
    """Return the name of the folder that compatible learners share.

    Args:
        title: prefix of the name.
        identity: plain values for JSON; learners that differ in them are incompatible.
    """
    text = json.dumps(identity, sort_keys=True)
    return f"{title}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def _check_values(found: JsonObject, now: JsonObject) -> None:
    """Check the plain values of a file: numbers where the learner has numbers, and sound ones.

    Args:
        found: the values of the file.
        now: those of the learner.

    Raises:
        LearntFileError: one is not as expected.
    """
    for key, value in found.items():
        is_number = isinstance(now.get(key), int | float)
        is_sound = value is None or (isinstance(value, int | float) and abs(value) < MOST_COUNTED)
        if is_number and not is_sound:
            raise LearntFileError(f"{key}: expected a number, found {value!r:.60}")


def _differences(found: JsonObject, expected: JsonObject) -> str:
    """Return the values that differ, as text; empty if none does.

    Args:
        found: the values; these are told.
        expected: the values with which they are compared.
    """
    keys = sorted(found.keys() | expected.keys())
    differ = [key for key in keys if found.get(key) != expected.get(key)]
    return ", ".join(f"{key} {found.get(key)!s:.40}" for key in differ)


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
