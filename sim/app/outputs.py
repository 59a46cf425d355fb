"""Output files of a run: creates their folders at the start, writes statistics at the end.

The statistics include the durations of drawn frames, in two groups: those drawn while a worker was
training, and the others.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from base.errors import GoishiError, UsageError
from base.files import atomic_write
from base.storage.run_folder import RUN_FILE, claim
from sim.core.project.run_options import RunOptions

PERCENTILES = {"p50": 50.0, "p95": 95.0, "p99": 99.0}


@contextlib.contextmanager
def output_folders(options: RunOptions) -> Iterator[None]:
    """Create the output folders at the start, so that errors appear before the run.

    During the block, the folder of `--out` is reserved for this process.

    Args:
        options: options of the run.

    Raises:
        UsageError: a folder cannot be created or written, holds another run, or another process
            writes to it.
    """
    with contextlib.ExitStack() as stack:
        if options.out is not None:
            stack.enter_context(claim(options.out.absolute(), _keeps_trainings))
        for flag, path in (
            ("--video", options.video),
            ("--screenshot", options.screenshot),
            ("--stats", options.stats),
            ("--profile", options.profile),
        ):
            if path is not None:
                _make_folder(flag, path.absolute().parent)
        yield


def _keeps_trainings(folder: Path) -> bool:
    """Return whether a folder may be used again for `--out`, since trainings can be continued.

    This is so if the folder itself holds no run and no games, but has training runs in subfolders.

    Args:
        folder: the folder.
    """
    return not any((folder / name).exists() for name in (RUN_FILE, "games.jsonl")) and any(
        folder.glob(f"*/{RUN_FILE}")
    )


def _make_folder(flag: str, folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK):
            raise PermissionError("not writable")
    except OSError as error:
        raise UsageError(
            f"{flag}: expected a folder that can be written, found {folder}: "
            f"{error.strerror or error}"
        ) from error


def write_json(path: Path, data: dict[str, object]) -> None:
    """Write the statistics as JSON, atomically.

    Raises:
        GoishiError: the file cannot be written, or a script's value is not JSON: the text names its
            key, and all others are written.
    """
    sound, faults = {}, []
    for key, value in data.items():
        try:
            sound[key] = _plain(key, value)
        except (TypeError, ValueError, RecursionError) as error:
            faults.append(f"{key!r:.80}: expected numbers, texts, lists and maps, found: {error}")
    try:
        atomic_write(path, json.dumps(sound, indent=2) + "\n")
    except OSError as error:
        raise GoishiError(f"--stats: expected to write {path}, found: {error.strerror}") from error
    if faults:
        raise GoishiError(f"--stats: {'; '.join(faults)}")


def _plain(key: object, value: object) -> object:
    """Return a value of the statistics as plain JSON data.

    Raises:
        TypeError: the key is no text, or the value cannot be stored as JSON.
        ValueError: a number is not finite, or the value contains itself.
    """
    if not isinstance(key, str):
        raise TypeError("the key is no text")
    return json.loads(json.dumps(value, default=_as_json, allow_nan=False))


def _as_json(value: object) -> object:
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray | memoryview):
        return list(value)
    raise TypeError(f"{value!r:.80}")


class FrameStats:
    """Milliseconds of every drawn frame, in two groups: idle, or while a worker trained."""

    def __init__(self) -> None:
        self._idle = array("d")
        self._training = array("d")

    @property
    def drawn(self) -> int:
        """Frames drawn so far."""
        return len(self._idle) + len(self._training)

    def add(self, seconds: float, *, training: bool) -> None:
        """Count one drawn frame that took `seconds` from its input to its picture."""
        (self._training if training else self._idle).append(seconds * 1000.0)

    def summary(self) -> dict[str, object]:
        """Return the part of the statistics file about frames.

        Returns:
            `frames`: number of drawn frames. `frame_ms` and `frame_ms_training`: percentiles of
                both groups, in milliseconds.
        """
        return {
            "frames": self.drawn,
            "frame_ms": percentiles(self._idle),
            "frame_ms_training": percentiles(self._training),
        }


def percentiles(milliseconds: array[float]) -> dict[str, float | None]:
    """Return p50, p95, p99 and max of `milliseconds`; None for each when there are none.

    >>> percentiles(array("d", [1.0, 2.0, 3.0]))["max"]
    3.0
    >>> percentiles(array("d"))["p50"] is None
    True
    """
    if not milliseconds:
        return {**dict.fromkeys(PERCENTILES), "max": None}
    values = np.frombuffer(milliseconds, dtype=np.float64)
    figures: dict[str, float | None] = {
        name: round(float(np.percentile(values, share)), 3) for name, share in PERCENTILES.items()
    }
    figures["max"] = round(float(np.max(values)), 3)
    return {name: value if math.isfinite(value or 0.0) else None for name, value in figures.items()}
