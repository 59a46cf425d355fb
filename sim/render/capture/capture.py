"""Writing image files, videos and animated GIFs."""

from __future__ import annotations

import queue
import shutil
import threading
from pathlib import Path
from typing import Protocol

import cv2
import numpy as np

from base.errors import GoishiError
from base.files import atomic_write
from base.values import is_printable
from sim.core.canvas.painter import Picture

CODECS = {".mp4": "mp4v", ".avi": "MJPG", ".webm": "VP80", ".mkv": "FFV1"}
QUEUE_LENGTH = 8
GIF_RATE = 15.0
GIF_WIDTH = 640
LEAST_FREE = 32 * 1024 * 1024  # bytes of the disk that are never written on
CHECK_EVERY = 30  # frames between two looks at the disk


def save_image(path: Path, picture: Picture) -> None:
    """Write a picture to an image file; the file's suffix chooses the format.

    Args:
        path: the image file, for example `view.png`.
        picture: BGR picture `[h, w, 3]`.

    Raises:
        GoishiError: the file cannot be written.
    """
    done, data = cv2.imencode(path.suffix.lower(), picture)
    try:
        if not done:
            raise OSError("no such picture format")
        atomic_write(path, data.tobytes())
    except OSError as error:
        raise GoishiError(f"{path}: expected to write a picture, found: {error}") from error


class FrameFile(Protocol):
    """A video or animation file that frames are appended to."""

    def write(self, picture: Picture) -> None:
        """Append one frame."""
        ...

    def close(self) -> None:
        """Finish and close the file."""
        ...


class VideoFile:
    """A video file written by OpenCV.

    Raises:
        OSError: the file cannot be written.
    """

    def __init__(self, path: Path, size: tuple[int, int], frames_per_second: float) -> None:
        code = cv2.VideoWriter.fourcc(*CODECS.get(path.suffix.lower(), "mp4v"))
        self._path = path
        if not is_printable(str(path)):  # it would crash
            raise OSError("the path is no UTF-8, as OpenCV needs it")
        self._writer = cv2.VideoWriter(str(path), code, frames_per_second, size)
        self._count = 0
        if not self._writer.isOpened():
            raise OSError("the video file cannot be opened")

    def write(self, picture: Picture) -> None:
        """Append one frame; checks free disk space, since OpenCV does not report a full disk."""
        is_checked = self._count % CHECK_EVERY == 0
        if is_checked and shutil.disk_usage(self._path.parent).free < LEAST_FREE:
            raise OSError("the disk is full")
        self._count += 1
        self._writer.write(picture)

    def close(self) -> None:
        """Finish and close the file."""
        self._writer.release()


class EveryOther:
    """Passes on only a share of the frames, for a file with a lower frame rate.

    Args:
        file: the file that receives the remaining frames.
        share: fraction of the frames that is kept, 0 to 1.
    """

    def __init__(self, file: FrameFile, share: float) -> None:
        self._file = file
        self._share = share
        self._owed = 1.0

    def write(self, picture: Picture) -> None:
        """Append one frame, or drop it, so that on average `share` of the frames are kept."""
        if self._owed >= 1.0 - 1e-9:
            self._owed -= 1.0
            self._file.write(picture)
        self._owed += self._share

    def close(self) -> None:
        """Finish and close the file."""
        self._file.close()


def open_frames(path: Path, size: tuple[int, int], frames_per_second: float) -> FrameFile:
    """Open a video file, or an animated GIF for the suffix .gif.

    A GIF has at most 15 frames a second; frames beyond that rate are dropped.

    Args:
        path: the file.
        size: width and height, pixels.
        frames_per_second: rate at which frames will be written.

    Raises:
        OSError: the file cannot be written.
    """
    if path.suffix.lower() != ".gif":
        return VideoFile(path, size, frames_per_second)
    from sim.render.capture.gif import GifFile

    rate = min(GIF_RATE, frames_per_second)
    return EveryOther(GifFile(path, size, rate), rate / frames_per_second)


class VideoWriter:
    """Writes a video file in a thread of its own, from a queue of pictures.

    Each picture becomes one frame of the video, or several equal ones.

    Attributes:
        path: the file.
        size: width and height of the video, pixels.
        frames: frames added so far.
        error: why writing ended early; empty without an error.

    Raises:
        GoishiError: the file cannot be opened for writing.
    """

    def __init__(self, path: Path, size: tuple[int, int], frames_per_second: float) -> None:
        self.path = path
        self.size = fitted_size(size, GIF_WIDTH if path.suffix.lower() == ".gif" else 0)
        self.frames = 0
        self.error = ""
        try:
            self._file = open_frames(path, self.size, frames_per_second)
        except OSError as error:
            reason = error.strerror or str(error)
            raise GoishiError(
                f"{path}: expected a video file that can be written: {reason}"
            ) from error
        self._room = threading.Semaphore(QUEUE_LENGTH)
        self._queue: queue.SimpleQueue[tuple[Picture, int] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="video", daemon=True)
        self._thread.start()

    @property
    def is_done(self) -> bool:
        """Whether the file is closed."""
        return not self._thread.is_alive()

    def add(self, picture: Picture, *, times: int = 1, waits: bool = True) -> bool:
        """Append a picture to the queue of pictures to write.

        A picture of another size than the video is resized, with black bars if its aspect differs.

        Args:
            picture: BGR picture `[h, w, 3]`.
            times: number of frames that show it.
            waits: whether to wait while the queue is full.

        Returns:
            False if the picture was dropped: the queue is full and `waits` is False.
        """
        if not self._room.acquire(blocking=waits):
            return False
        self.frames += times
        self._queue.put((picture, times))
        return True

    def finish(self) -> None:
        """Accept no more frames; the file is closed when the queue is written."""
        self._queue.put(None)

    def close(self) -> None:
        """Write the queued frames and close the file."""
        if self._thread.is_alive():
            self.finish()
            self._thread.join()

    def _run(self) -> None:
        try:
            self._write_all()
        except Exception as error:  # whatever a codec or a disk raises ends the recording only
            self.error = self.error or _reason(error)
        finally:
            try:
                self._file.close()
            except Exception as error:
                self.error = self.error or _reason(error)

    def _write_all(self) -> None:
        while (item := self._queue.get()) is not None:
            picture, times = item
            try:
                if not self.error:
                    fitted = fit(picture, self.size)
                    for _ in range(times):
                        self._file.write(fitted)
            except Exception as error:  # what waits is thrown away, so that nobody waits for room
                self.error = _reason(error)
            finally:
                self._room.release()


def fitted_size(size: tuple[int, int], width: int) -> tuple[int, int]:
    """Return a size of the same aspect with even width and height, which codecs require.

    Args:
        size: width and height, pixels.
        width: largest width; 0 for no limit.
    """
    across, down = size
    if width and across > width:
        across, down = width, round(down * width / across)
    return max(2, across // 2 * 2), max(2, down // 2 * 2)  # codecs want even sizes


def fit(picture: Picture, size: tuple[int, int]) -> Picture:
    """Resize a picture to a size, keeping its aspect; the rest is filled with black bars.

    Args:
        picture: BGR picture `[h, w, 3]`.
        size: width and height of the result, pixels.
    """
    width, height = size
    down, across = picture.shape[:2]
    if (across, down) == size:
        return picture
    if across - width in (0, 1) and down - height in (0, 1):
        return np.ascontiguousarray(picture[:height, :width])
    scale = min(width / across, height / down)
    inner = (min(width, max(1, round(across * scale))), min(height, max(1, round(down * scale))))
    way = cv2.INTER_AREA if scale < 1.0 else cv2.INTER_LINEAR
    result = np.zeros((height, width, 3), dtype=np.uint8)
    left, top = (width - inner[0]) // 2, (height - inner[1]) // 2
    resized = cv2.resize(picture, inner, interpolation=way)
    result[top : top + inner[1], left : left + inner[0]] = resized
    return result


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
