"""What a player has learnt, as one file that can be kept, or moved to another machine.

The file is a ZIP archive without pickled objects:

    manifest.json   format, versions, player, rules, settings, state, size and sha256 of each file
    files/NAME      the files of a checkpoint (`ai.store.checkpoints`)

It is not trusted: sizes are limited, names may not leave the archive, and everything is checked
before anything is used.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import re
import tomllib
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from base.errors import GoishiError
from base.files import SHIPPED_ROOT, atomic_write, read_regular
from base.values import JsonObject

FORMAT: Final = "goishi.learnt/1"
SUFFIX: Final = ".learnt"
MANIFEST: Final = "manifest.json"
FOLDER: Final = "files/"
MOST_FILES: Final = 16
MOST_MANIFEST: Final = 64_000_000
"""Maximum size of the manifest, bytes; some learners keep their games in it."""
MOST_BYTES: Final = 512_000_000
"""Maximum size of all files together, and of the archive, bytes."""
_NAME: Final = re.compile(r"[a-z0-9_][a-z0-9_.-]{0,63}")
_DATE: Final = (1980, 1, 1, 0, 0, 0)  # the same content is the same file
_METHODS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_FAULTS: Final = (
    zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError,
    KeyError, TypeError, OverflowError,
)  # fmt: skip
"""What a damaged archive makes the readers raise."""


class LearntFileError(GoishiError, RuntimeError):
    """A file of what was learnt cannot be written, read or used; the message says why."""


@dataclass(frozen=True)
class LearntFile:
    """What one player has learnt.

    Attributes:
        player: name of the player.
        learner: name that all compatible learners share; see `CheckpointForm.folder`.
        state: the learner's plain values, such as the number of games learnt.
        files: content of each file of its checkpoint, by name.
        rules: rules of the games, as `Game.as_dict` returns them; empty if unknown.
        settings: settings of the player by name.
        version: version of Goishi that wrote the file; empty if unknown. It is not written.
    """

    player: str
    learner: str
    state: JsonObject
    files: Mapping[str, bytes]
    rules: JsonObject = field(default_factory=dict)
    settings: JsonObject = field(default_factory=dict)
    version: str = ""

    @property
    def words(self) -> str:
        """What it holds, as in "cnn-ann: 57 games, 231 positions"."""
        games, nodes = self.state.get("games_learnt", 0), self.state.get("nodes")
        positions = "" if nodes is None else f", {nodes} positions"
        return f"{self.player}: {games} games{positions}"


def write_learnt(path: Path, learnt: LearntFile) -> None:
    """Write a file, replacing one that is there in one step.

    Args:
        path: path of the file.
        learnt: its content.

    Raises:
        LearntFileError: it cannot be written; a file that was there is unchanged.
    """
    manifest: JsonObject = {
        "format": FORMAT,
        "goishi": _version(),
        "player": learnt.player,
        "learner": learnt.learner,
        "rules": learnt.rules,
        "settings": learnt.settings,
        "state": learnt.state,
        "files": {
            name: {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
            for name, content in sorted(learnt.files.items())
        },
    }
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(_entry(MANIFEST), json.dumps(manifest, indent=1, sort_keys=True) + "\n")
        for name, content in sorted(learnt.files.items()):
            archive.writestr(_entry(FOLDER + name), content)
    try:
        atomic_write(path, memory.getvalue(), sync=True)
    except OSError as error:
        raise LearntFileError(f"{path}: not saved: {error.strerror or error}") from error


def _version() -> str:
    """Return Goishi's version; empty if it is unknown."""
    with contextlib.suppress(OSError, ValueError, KeyError):
        text = (SHIPPED_ROOT / "pyproject.toml").read_text(encoding="utf-8")
        return str(tomllib.loads(text)["project"]["version"])
    return ""


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, _DATE)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.create_system = 3  # also on Windows: the same content is the same file
    entry.external_attr = 0o600 << 16
    return entry


def read_learnt(path: Path) -> LearntFile:
    """Read a file and check all of it.

    Raises:
        LearntFileError: it cannot be read, is no such file, or is damaged.
    """
    try:
        content = read_regular(path, MOST_BYTES)
    except OSError as error:
        raise LearntFileError(f"{path}: not loaded: {error.strerror or error}") from error
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return _content_of(archive)
    except LearntFileError as error:
        raise LearntFileError(f"{path}: {error}") from error
    except _FAULTS as error:
        raise LearntFileError(
            f"{path}: expected a file of what was learnt, found a damaged or another one ({error})"
        ) from error


def _content_of(archive: zipfile.ZipFile) -> LearntFile:
    """Return the content of an open archive.

    Raises:
        LearntFileError: something in it is not as expected; the message does not name the file.
    """
    entries = _entries_of(archive)
    manifest = json.loads(_read(archive, entries.pop(MANIFEST), MOST_MANIFEST))
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        found = manifest.get("format") if isinstance(manifest, dict) else manifest
        raise LearntFileError(f"expected the format {FORMAT!r}, found {found!r:.60}")
    told = _checked(manifest)
    if {FOLDER + name for name in told} != set(entries):
        raise LearntFileError("expected the files that the manifest names, found others")
    files: dict[str, bytes] = {}
    room = MOST_BYTES
    for name, says in told.items():
        files[name] = _read(archive, entries[FOLDER + name], room)
        room -= len(files[name])
        if hashlib.sha256(files[name]).hexdigest() != says.get("sha256"):
            raise LearntFileError(f"expected another checksum of {name}: the file is damaged")
    return LearntFile(
        manifest["player"],
        manifest["learner"],
        manifest["state"],
        files,
        manifest["rules"],
        manifest["settings"],
        manifest["goishi"],
    )


def _entries_of(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """Return the entries of an archive by name, after a check of names, number and sizes."""
    infos = archive.infolist()
    entries = {info.filename: info for info in infos}
    if MANIFEST not in entries:
        raise LearntFileError(f"expected a file of what was learnt, found no {MANIFEST} in it")
    names = [name.removeprefix(FOLDER) for name in entries if name != MANIFEST]
    if len(infos) != len(entries) or len(infos) > MOST_FILES + 1:
        raise LearntFileError(f"expected at most {MOST_FILES} files, found {len(infos)}")
    if bad := [name for name in names if not _NAME.fullmatch(name)]:
        raise LearntFileError(f"expected plain names of files, found {bad[0]!r:.80}")
    if sum(info.file_size for info in infos) > MOST_BYTES:
        raise LearntFileError(f"expected at most {MOST_BYTES / 1e6:g} MB, found more")
    if any(info.compress_type not in _METHODS for info in infos):
        raise LearntFileError("expected files that are deflated or stored, found others")
    return entries


def _read(archive: zipfile.ZipFile, info: zipfile.ZipInfo, most: int) -> bytes:
    """Return the content of an entry, which must have the told size and fit.

    Args:
        archive: the archive.
        info: the entry.
        most: maximum number of bytes.
    """
    if info.file_size > most:
        raise LearntFileError(f"expected at most {most / 1e6:g} MB of {info.filename}, found more")
    with archive.open(info) as stream:
        content = stream.read(info.file_size + 1)
    if len(content) != info.file_size:
        raise LearntFileError(f"expected {info.file_size} bytes of {info.filename}, found others")
    return content


def _checked(manifest: JsonObject) -> dict[str, dict[str, Any]]:
    """Check the types in a manifest; return what it says of each file, by name."""
    kinds: dict[str, type] = {
        "goishi": str, "player": str, "learner": str, "rules": dict, "settings": dict,
        "state": dict, "files": dict,
    }  # fmt: skip
    for key, kind in kinds.items():
        if not isinstance(manifest.get(key), kind):
            raise LearntFileError(f"{key}: expected another value, found {manifest.get(key)!r:.60}")
    told = manifest["files"]
    if not all(isinstance(says, dict) for says in told.values()):
        raise LearntFileError("files: expected size and checksum of each")
    return dict(told)
