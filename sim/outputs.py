"""The files of a run: their folders are made before anything else, the statistics at the end."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path

import numpy as np

from sim.core.errors import GoishiError, UsageError
from sim.core.run_options import RunOptions


def make_folders(options: RunOptions) -> None:
    """Make the folders of the outputs before anything else, so that a fault shows at once.

    Raises:
        UsageError: a folder cannot be made or written, or holds another run.
    """
    files = {"--video": options.video, "--screenshot": options.screenshot, "--stats": options.stats}
    for flag, path in files.items():
        if path is not None:
            _make_folder(flag, path.absolute().parent)
    if options.out is not None:
        _make_folder("--out", options.out.absolute())
        if (options.out / "games.jsonl").exists():
            raise UsageError(f"--out: expected an empty folder, found another run in {options.out}")


def _make_folder(flag: str, folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK):
            raise PermissionError("not writable")
    except OSError as error:
        raise UsageError(f"{flag}: expected a folder that can be written, found {folder}: "
                         f"{error.strerror or error}") from error  # fmt: skip


def write_json(path: Path, data: dict[str, object]) -> None:
    """Write the statistics, replacing the file in one step.

    Raises:
        GoishiError: the file cannot be written; or a value cannot, which a script put there: the
            text names its key, and all others are written.
    """
    sound, faults = {}, []
    for key, value in data.items():
        try:
            sound[key] = _plain(key, value)
        except (TypeError, ValueError, RecursionError) as error:
            faults.append(f"{key!r:.80}: expected numbers, texts, lists and maps, found: {error}")
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_text(json.dumps(sound, indent=2) + "\n", encoding="utf-8")
        os.replace(temporary, path)
    except OSError as error:
        raise GoishiError(f"--stats: expected to write {path}, found: {error.strerror}") from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
    if faults:
        raise GoishiError(f"--stats: {'; '.join(faults)}")


def _plain(key: object, value: object) -> object:
    """Return a value of the statistics as JSON takes it."""
    if not isinstance(key, str):
        raise TypeError("the key is no text")
    return json.loads(json.dumps(value, default=_of_numpy, allow_nan=False))


def _of_numpy(value: object) -> object:
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    raise TypeError(f"{value!r:.80}")
