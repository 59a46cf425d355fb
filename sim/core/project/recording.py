"""Recording: what is asked for, and the door through which scripts film. Draws nothing."""

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
    """How the next recording is made.

    Attributes:
        mode: "real-time" shows what a person saw; "exact" gives each frame its share of scene
            time, however long it took to draw.
        suffix: kind of file: .mp4, .webm, .avi, .mkv or .gif.
        width: the picture is not wider than this, pixels; 0 for as wide as the window.
        size: width and height of the picture, pixels, with black bars where it has another shape;
            None for that of the window, or as `width` says.
        longest: seconds after which a recording ends by itself.
        has_panels: whether panels are in the picture.
    """

    mode: Mode = "real-time"
    suffix: str = ".mp4"
    width: int = 0
    size: tuple[int, int] | None = None
    longest: float = 600.0
    has_panels: bool = True


def parse_size(text: str) -> tuple[int, int]:
    """Return the size that a text such as "1280x720" names, pixels.

    Raises:
        ValueError: it names none, or one that no video can have.
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
    """What scripts may do with the recorder: `self.run.recorder`."""

    @property
    def is_recording(self) -> bool:
        """Whether a recording is running."""
        ...

    def record_game(self, name: str) -> AbstractContextManager[Path | None]:
        """Film frame-exactly what happens in the block; None where nothing can be filmed."""
        ...


class NullRecorder:
    """The recorder of a run that draws nothing."""

    is_recording = False

    @contextlib.contextmanager
    def record_game(self, name: str) -> Iterator[Path | None]:
        """Film nothing."""
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
