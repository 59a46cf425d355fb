"""Checkpoints: folders that are complete or do not exist.

    DIRECTORY/
      00000041/  manifest.json (format, sha256 of each file, state)  network.weights.h5  memory.npz
      00000042/  the same, newer

A checkpoint is written under a name of its own, its manifest last, and then renamed
into place in one step; the one before stays until the next is written. A kill at any
moment therefore loses at most the checkpoint in the making. What is read is
checked first: a damaged checkpoint is renamed and the one before is taken.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from base.errors import GoishiError
from base.files import is_running, write_synced
from base.values import JsonObject

log = logging.getLogger(__name__)

FORMAT: Final = "goishi.checkpoint/1"
MANIFEST: Final = "manifest.json"

_DIGITS: Final = 8
_UNFINISHED: Final = ".unfinished-"
_REMOVED: Final = ".removed-"
_DAMAGED: Final = "damaged-"


class CheckpointError(GoishiError, RuntimeError):
    """A checkpoint cannot be written or read; says which file and why."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A complete and verified checkpoint."""

    number: int
    directory: Path
    state: JsonObject
    """The plain values that were saved with it."""

    def file(self, name: str) -> Path:
        """Return the path of one of its files."""
        return self.directory / name


class CheckpointStore:
    """The checkpoints of one directory."""

    def __init__(self, directory: Path, *, keep: int = 2) -> None:
        """Open a directory, which need not exist yet.

        Args:
            directory: directory of checkpoints only.
            keep: number of newest checkpoints to keep, at least 1.
        """
        self.directory = directory
        self.keep = max(keep, 1)

    def save(self, state: Mapping[str, object], files: Mapping[str, bytes]) -> Checkpoint:
        """Write a checkpoint; older ones stay untouched until it is complete.

        Args:
            state: plain values for the manifest.
            files: the content of each file by its name.

        Raises:
            CheckpointError: it cannot be written (disk full, no permission); the last
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
            unfinished.replace(final)
        except OSError as error:
            raise CheckpointError(
                f"{final}: expected to write a checkpoint, found {error}; the last good one is kept"
            ) from error
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
        self._prune()
        return Checkpoint(number, final, manifest["state"])

    def load(self, take: Callable[[Checkpoint], None]) -> tuple[Checkpoint | None, list[str]]:
        """Pass the newest valid checkpoint to `take`; damaged ones are renamed.

        What killed writers have left is deleted.

        Args:
            take: reads the checkpoint; if it raises CheckpointError it is called with the one
                before.

        Returns:
            The checkpoint used, or None, and a line for each one skipped.
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
        """Return a checkpoint after verifying every file.

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
        """Return the plain values of a checkpoint without verifying its files.

        Raises:
            CheckpointError: there is none of this number, or its manifest is damaged.
        """
        manifest = _read_manifest(self.directory / f"{number:0{_DIGITS}d}" / MANIFEST)
        state: JsonObject = manifest["state"]
        return state

    def clear(self) -> None:
        """Delete every checkpoint."""
        for number in self.numbers():
            self._remove(number)

    def numbers(self) -> list[int]:
        """Return the numbers of the complete checkpoints, verified or not."""
        try:
            names = [entry.name for entry in self.directory.iterdir() if entry.is_dir()]
        except OSError:
            return []
        return sorted(int(name) for name in names if name.isdecimal() and len(name) == _DIGITS)

    def listed(self) -> list[Checkpoint]:
        """Return the checkpoints with readable manifests, newest first.

        The other files are not verified, see `check`.
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
        """Rename a damaged checkpoint, so that it never counts again but can be looked at."""
        directory = self.directory / f"{number:0{_DIGITS}d}"
        target = directory.with_name(f"{_DAMAGED}{directory.name}")
        shutil.rmtree(target, ignore_errors=True)
        try:
            directory.replace(target)
        except OSError as error:
            log.warning("%s: cannot be set aside: %s", directory, error)

    def _prune(self) -> None:
        """Delete checkpoints that are no longer needed, and leftovers of killed writers."""
        for number in self.numbers()[: -self.keep]:
            self._remove(number)
        for kind in (_UNFINISHED, _REMOVED):
            for entry in self.directory.glob(f"{kind}*"):
                shutil.rmtree(entry, ignore_errors=True)

    def _remove(self, number: int) -> None:
        """Delete a checkpoint: in one step it is none any more, then its files go."""
        directory = self.directory / f"{number:0{_DIGITS}d}"
        removed = directory.with_name(f"{_REMOVED}{directory.name}")
        shutil.rmtree(removed, ignore_errors=True)
        with contextlib.suppress(OSError):
            directory = directory.replace(removed)
        shutil.rmtree(directory, ignore_errors=True)

    def _remove_leftovers(self) -> None:
        """Delete what writers that are gone have left."""
        for entry in (
            *self.directory.glob(f"{_UNFINISHED}*"),
            *self.directory.glob(f"{_REMOVED}*"),
        ):
            pid = entry.name.rpartition("-")[2]
            is_open = entry.name.startswith(_UNFINISHED) and pid.isdecimal()
            if not (is_open and is_running(int(pid))):
                shutil.rmtree(entry, ignore_errors=True)


def _read_manifest(path: Path) -> JsonObject:
    """Read and check a manifest."""
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
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
