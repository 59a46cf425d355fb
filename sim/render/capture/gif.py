"""Animated GIF 89a files, encoded by Pillow and written while the pictures arrive.

Each frame stores only the rectangle that changed, so an unchanged picture costs nothing. Each frame
has its own palette.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Final

import numpy as np
from PIL import GifImagePlugin, Image

from sim.core.canvas.painter import Picture

COLORS: Final = 112
"""Number of colours in a frame's palette. 256 makes files a quarter larger for little gain."""
STAYS: Final = 1
"""GIF disposal method: the next frame is drawn over this one."""


class GifFile:
    """Writes an endlessly repeating GIF frame by frame, from BGR pictures of the same size.

    Raises:
        OSError: the file cannot be written.
    """

    def __init__(self, path: Path, size: tuple[int, int], frames_per_second: float) -> None:
        self.rate = frames_per_second
        self.frames = 0
        self._last: Picture | None = None
        self._pending: tuple[Image.Image, tuple[int, int], int] | None = None
        """Frame not written yet, as (image, left and top, begin).

        `begin` is its start time in hundredths of a second. Its duration is known only when the
        next frame arrives.
        """
        self._file = path.open("wb")
        header = b"GIF89a" + struct.pack("<HHBBB", *size, 0x70, 0, 0)
        self._file.write(header + b"\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00")

    def write(self, picture: Picture) -> None:
        """Append a frame; a picture that equals the last one prolongs the last frame."""
        begin = round(self.frames * 100.0 / self.rate)
        self.frames += 1
        box = _changed_box(self._last, picture)
        if box is None:
            return
        self._flush(begin)
        left, top, right, bottom = box
        part = np.ascontiguousarray(picture[top:bottom, left:right, ::-1])
        self._pending = Image.fromarray(part).quantize(COLORS), (left, top), begin
        self._last = picture.copy()

    def close(self) -> None:
        """Finish and close the file."""
        try:
            self._flush(round(self.frames * 100.0 / self.rate))
            self._file.write(b"\x3b")
        finally:
            self._file.close()

    def _flush(self, end: int) -> None:
        """Write the pending frame, if any.

        Args:
            end: when the frame stops being shown, hundredths of a second since the start.
        """
        if self._pending is None:
            return
        image, place, begin = self._pending
        self._pending = None
        milliseconds = 10 * min(65535, max(2, end - begin))
        options = {"duration": milliseconds, "disposal": STAYS, "include_color_table": True}
        self._file.writelines(GifImagePlugin.getdata(image, place, **options))


def _changed_box(last: Picture | None, picture: Picture) -> tuple[int, int, int, int] | None:
    """Return left, top, right and bottom of the changed pixels; None if nothing changed.

    Args:
        last: the picture before; None for the first frame, which changes everything.
        picture: the new picture, of the same size.
    """
    height, width = picture.shape[:2]
    if last is None:
        return 0, 0, width, height
    differs = (last != picture).any(axis=2)
    rows, columns = np.flatnonzero(differs.any(axis=1)), np.flatnonzero(differs.any(axis=0))
    if not len(rows):
        return None
    return int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1
