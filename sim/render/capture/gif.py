"""Animated pictures: GIF 89a, encoded by Pillow, written while the pictures come.

A frame stores only the rectangle that changed, so a board at rest costs nothing; each has the
palette that fits it best.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Final

import numpy as np
from PIL import GifImagePlugin, Image

from sim.core.canvas.painter import Picture

COLORS: Final = 112
"""Colours of a frame. With 256 a file is a quarter larger, and hardly looks better."""
STAYS: Final = 1
"""GIF disposal method: the next frame is drawn over this one."""


class GifFile:
    """Writes an endless GIF, frame by frame; BGR pictures of one size.

    Raises:
        OSError: the file cannot be written.
    """

    def __init__(self, path: Path, size: tuple[int, int], frames_per_second: float) -> None:
        self.rate = frames_per_second
        self.frames = 0
        self._last: Picture | None = None
        self._pending: tuple[Image.Image, tuple[int, int], int] | None = None
        """The newest frame, its place, and when it begins: it lasts until the next one."""
        self._file = path.open("wb")
        header = b"GIF89a" + struct.pack("<HHBBB", *size, 0x70, 0, 0)
        self._file.write(header + b"\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00")

    def write(self, picture: Picture) -> None:
        """Append a frame; an unchanged one extends the last frame's duration."""
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
        """Write the newest frame, which is shown until `end`, in hundredths of a second."""
        if self._pending is None:
            return
        image, place, begin = self._pending
        self._pending = None
        milliseconds = 10 * min(65535, max(2, end - begin))
        options = {"duration": milliseconds, "disposal": STAYS, "include_color_table": True}
        self._file.writelines(GifImagePlugin.getdata(image, place, **options))


def _changed_box(last: Picture | None, picture: Picture) -> tuple[int, int, int, int] | None:
    """Return left, top, right and bottom of the changed rectangle; None without a change."""
    height, width = picture.shape[:2]
    if last is None:
        return 0, 0, width, height
    differs = (last != picture).any(axis=2)
    rows, columns = np.flatnonzero(differs.any(axis=1)), np.flatnonzero(differs.any(axis=0))
    if not len(rows):
        return None
    return int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1
