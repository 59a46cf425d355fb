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


@dataclass
class RecordingSettings:
    """How the next recording is made.

    Attributes:
        mode: "real-time" shows what a person saw; "exact" gives each frame its share of scene
            time, however long it took to draw.
        suffix: kind of file: .mp4, .webm, .avi, .mkv or .gif.
        width: the picture is not wider than this, pixels; 0 for as wide as the window.
        longest: seconds after which a recording ends by itself.
        has_panels: whether panels are in the picture.
    """

    mode: Mode = "real-time"
    suffix: str = ".mp4"
    width: int = 0
    longest: float = 600.0
    has_panels: bool = True


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


__all__ = ["FOLDER", "Mode", "NullRecorder", "RecorderDoor", "RecordingSettings", "recording_path"]
