"""Settings of recordings, and the protocol through which scripts record. Draws nothing."""

from __future__ import annotations

import contextlib
import datetime
import re
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

Mode = Literal["real-time", "exact"]
FOLDER = "recordings"
LONGEST_NAME = 60
SIDES = (16, 7680)  # pixels of a picture's side, least and most


@dataclass
class RecordingSettings:
    """Settings of a recording.

    Attributes:
        mode: "real-time" shows what a person saw; "exact" gives each frame its share of scene
            time, however long it took to draw.
        suffix: kind of file: .mp4, .webm, .avi, .mkv or .gif.
        width: maximum width in pixels; 0 for the window's.
        size: width and height in pixels, letterboxed; None to follow the window and `width`.
        longest: maximum length, seconds.
        has_panels: whether panels are recorded.
    """

    mode: Mode = "real-time"
    suffix: str = ".mp4"
    width: int = 0
    size: tuple[int, int] | None = None
    longest: float = 600.0
    has_panels: bool = True


def parse_size(text: str) -> tuple[int, int]:
    """Parse a size such as "1280x720" into width and height in pixels.

    Raises:
        ValueError: it is malformed, or no valid video size.
    """
    least, most = SIDES
    match = re.fullmatch(r"\s*(\d{1,5})\s*[x×*, ]\s*(\d{1,5})\s*", text)
    size = (int(match[1]), int(match[2])) if match else (0, 0)
    if not all(least <= side <= most and side % 2 == 0 for side in size):
        raise ValueError(
            f"size: expected WIDTHxHEIGHT, even numbers from {least} to {most}, found {text!r}"
        )
    return size


class RecorderDoor(Protocol):
    """The recorder as scripts see it: `self.run.recorder`."""

    @property
    def is_recording(self) -> bool:
        """Whether a recording is running."""
        ...

    def record_game(self, name: str) -> AbstractContextManager[Path | None]:
        """Record the block frame by frame; yields the file, None where recording is impossible."""
        ...


class NullRecorder:
    """The recorder of a run that draws nothing."""

    is_recording = False

    @contextlib.contextmanager
    def record_game(self, name: str) -> Iterator[Path | None]:
        """Record nothing; yields None."""
        yield None


def recording_path(folder: Path, name: str, suffix: str, now: datetime.datetime) -> Path:
    """Return a free path such as `recordings/game_12_2025-01-31_18-05-09.mp4`."""
    plain = re.sub(r"[^\w-]+", "_", name).strip("_")[:LONGEST_NAME] or "goishi"
    stem = f"{plain}_{now:%Y-%m-%d_%H-%M-%S}"
    path = folder / f"{stem}{suffix}"
    number = 1
    while path.exists():
        number += 1
        path = folder / f"{stem}_{number}{suffix}"
    return path
