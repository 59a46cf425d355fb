"""Pictures and videos of what is shown."""

from __future__ import annotations

import queue
import threading
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from sim.core.errors import GoishiError

Picture = npt.NDArray[np.uint8]
CODECS = {".mp4": "mp4v", ".avi": "MJPG", ".webm": "VP80", ".mkv": "FFV1"}
QUEUE_LENGTH = 8


def save_image(path: Path, picture: Picture) -> None:
    """Write a BGR picture `[h, w, 3]`.

    Raises:
        GoishiError: it cannot be written.
    """
    done, data = cv2.imencode(path.suffix.lower(), picture)
    try:
        if not done:
            raise OSError("no such picture format")
        path.write_bytes(data.tobytes())
    except OSError as error:
        raise GoishiError(f"{path}: expected to write a picture, found: {error}") from error


class VideoWriter:
    """Writes a video in a thread of its own; every picture added becomes one frame.

    Raises:
        GoishiError: the file cannot be opened for writing.
    """

    def __init__(self, path: Path, size: tuple[int, int], frames_per_second: int) -> None:
        self.path = path
        self.size = (size[0] // 2 * 2, size[1] // 2 * 2)  # codecs want even sizes
        code = cv2.VideoWriter.fourcc(*CODECS.get(path.suffix.lower(), "mp4v"))
        self._writer = cv2.VideoWriter(str(path), code, float(frames_per_second), self.size)
        if not self._writer.isOpened():
            raise GoishiError(f"{path}: expected a video file that can be written")
        self.frames = 0
        self._queue: queue.Queue[Picture | None] = queue.Queue(QUEUE_LENGTH)
        self._thread = threading.Thread(target=self._write, name="video", daemon=True)
        self._thread.start()

    def add(self, picture: Picture) -> None:
        """Add a BGR picture; one of another size is fitted."""
        width, height = self.size
        if picture.shape[:2] != (height, width):
            picture = np.asarray(cv2.resize(picture, self.size), dtype=np.uint8)
        self.frames += 1
        self._queue.put(picture)

    def close(self) -> None:
        """Write what is left and close the file."""
        if self._thread.is_alive():
            self._queue.put(None)
            self._thread.join()
            self._writer.release()

    def _write(self) -> None:
        while (picture := self._queue.get()) is not None:
            self._writer.write(picture)
