"""Animated pictures: GIF 89a with a palette fitted to the pictures (OpenCV's is a fixed one).

A frame stores only the rectangle that changed, so a board at rest costs nothing. The palette is
made by median cut (Heckbert 1982) over a histogram of 15-bit colours, and made anew when a
picture no longer fits it.
"""

from __future__ import annotations

import heapq
import itertools
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

Picture = npt.NDArray[np.uint8]
Indices = npt.NDArray[np.uint8]
COLORS: Final = 256
CODE_LIMIT: Final = 4096
LEVELS: Final = 32768  # colours of 5 bits a channel
WORSE: Final = 1.5  # a palette is made anew when the error grows by this factor…
TOLERATED: Final = 4.0  # …and is above this mean difference a channel


class Palette:
    """Up to 256 colours fitted to a picture, with a nearest-colour lookup."""

    def __init__(self, picture: Picture) -> None:
        self.colors = _median_cut(picture)
        self._nearest = _nearest_of(self.colors)
        self.error = self.error_of(picture)

    def indices(self, picture: Picture) -> Indices:
        """Return the index of the nearest colour for each pixel, `[h, w]`."""
        return np.asarray(self._nearest[_keys(picture)], dtype=np.uint8)

    def error_of(self, picture: Picture) -> float:
        """Return the mean error per channel on a sample of the pixels."""
        sample = picture[::4, ::4]
        near = self.colors[self.indices(sample)].astype(np.int16)
        return float(np.abs(near - sample).mean())

    def fits(self, picture: Picture) -> bool:
        """Return whether the palette's error for a picture is close to that of its own."""
        return self.error_of(picture) <= max(TOLERATED, self.error * WORSE)


class GifFile:
    """Writes an endless GIF, frame by frame; BGR pictures of one size.

    Raises:
        OSError: the file cannot be written.
    """

    def __init__(self, path: Path, size: tuple[int, int], frames_per_second: float) -> None:
        self.path = path
        self.size = size
        self.rate = frames_per_second
        self.frames = 0
        self._last: Picture | None = None
        self._palette: Palette | None = None
        self._pending: tuple[bytes, int] | None = None  # a frame, and when it begins
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
        part = picture[top:bottom, left:right]
        if self._palette is None or not self._palette.fits(part):
            self._palette = Palette(picture)
        self._pending = (self._image(box, self._palette.indices(part)), begin)
        self._last = picture.copy()

    def close(self) -> None:
        """Finish and close the file."""
        try:
            self._flush(round(self.frames * 100.0 / self.rate))
            self._file.write(b"\x3b")
        finally:
            self._file.close()

    def _flush(self, end: int) -> None:
        if self._pending is None:
            return
        image, begin = self._pending
        self._pending = None
        delay = min(65535, max(2, end - begin))
        self._file.write(b"\x21\xf9\x04" + struct.pack("<BHB", 0x04, delay, 0) + b"\x00" + image)

    def _image(self, box: tuple[int, int, int, int], indices: Indices) -> bytes:
        left, top, right, bottom = box
        colors = np.zeros((COLORS, 3), dtype=np.uint8)
        if self._palette is not None:
            colors[: len(self._palette.colors)] = self._palette.colors[:, ::-1]
        place = struct.pack("<HHHHB", left, top, right - left, bottom - top, 0x87)
        data = pack(encode(indices.tobytes()))
        blocks = [bytes((len(part),)) + part for part in _chunks(data, 255)]
        return b"\x2c" + place + colors.tobytes() + b"\x08" + b"".join(blocks) + b"\x00"


def encode(data: bytes) -> list[tuple[int, int]]:
    """Compress bytes by LZW with 8-bit symbols, as GIF needs it; return (code, bits) pairs."""
    codes = [(COLORS, 9)]
    table: dict[int, int] = {}
    following, bits = COLORS + 2, 9
    prefix = -1
    for symbol in data:
        if prefix < 0:
            prefix = symbol
            continue
        key = prefix << 8 | symbol
        known = table.get(key)
        if known is not None:
            prefix = known
            continue
        codes.append((prefix, bits))
        prefix = symbol
        if following == CODE_LIMIT:
            codes.append((COLORS, bits))
            table.clear()
            following, bits = COLORS + 2, 9
            continue
        table[key] = following
        if following == 1 << bits and bits < 12:
            bits += 1
        following += 1
    if prefix >= 0:
        codes.append((prefix, bits))
    if following == 1 << bits and bits < 12:
        bits += 1
    codes.append((COLORS + 1, bits))
    return codes


def pack(codes: list[tuple[int, int]]) -> bytes:
    """Pack (code, bits) pairs into bytes, the lowest bit first."""
    values = np.array([code for code, _ in codes], dtype=np.uint32)
    widths = np.array([bits for _, bits in codes], dtype=np.int64)
    ends = np.cumsum(widths)
    stream = np.zeros(int(ends[-1]), dtype=np.uint8)
    for bit in range(12):
        has_bit = widths > bit
        stream[(ends - widths + bit)[has_bit]] = (values[has_bit] >> bit) & 1
    return np.packbits(stream, bitorder="little").tobytes()


def _chunks(data: bytes, length: int) -> Iterator[bytes]:
    for start in range(0, len(data), length):
        yield data[start : start + length]


def _changed_box(last: Picture | None, picture: Picture) -> tuple[int, int, int, int] | None:
    """Return left, top, right and bottom of what differs, None where nothing does."""
    height, width = picture.shape[:2]
    if last is None:
        return 0, 0, width, height
    differs = (last != picture).any(axis=2)
    rows, columns = np.flatnonzero(differs.any(axis=1)), np.flatnonzero(differs.any(axis=0))
    if not len(rows):
        return None
    return int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1


def _keys(picture: Picture) -> npt.NDArray[np.int32]:
    high = (picture >> 3).astype(np.int32)
    return np.asarray(high[..., 0] << 10 | high[..., 1] << 5 | high[..., 2], dtype=np.int32)


def _median_cut(picture: Picture) -> Picture:
    """Return at most 256 colours that stand for those of the picture, `[n, 3]`."""
    keys = _keys(picture).ravel()
    counts = np.bincount(keys, minlength=LEVELS).astype(np.float64)
    sums = [np.bincount(keys, picture[..., c].ravel(), LEVELS) for c in range(3)]
    used = np.flatnonzero(counts)
    weights = counts[used]
    means = np.stack([total[used] for total in sums], axis=1) / weights[:, None]
    boxes: list[tuple[float, int, int, npt.NDArray[np.int64]]] = []
    numbers = itertools.count()  # so that equal spreads never compare arrays

    def add(members: npt.NDArray[np.int64]) -> None:
        share = weights[members][:, None]
        middle = (means[members] * share).sum(axis=0) / share.sum()
        spread = ((means[members] - middle) ** 2 * share).sum(axis=0)
        axis = int(spread.argmax())
        heapq.heappush(boxes, (-float(spread[axis]), next(numbers), axis, members))

    add(np.arange(len(used)))
    while len(boxes) < COLORS and boxes[0][0] < 0.0:
        _, _, axis, members = heapq.heappop(boxes)
        ordered = members[np.argsort(means[members, axis], kind="stable")]
        share = np.cumsum(weights[ordered])
        cut = int(np.clip(np.searchsorted(share, share[-1] / 2.0) + 1, 1, len(ordered) - 1))
        add(ordered[:cut])
        add(ordered[cut:])
    colors = [np.average(means[members], axis=0, weights=weights[members])
              for *_, members in boxes]  # fmt: skip
    return np.rint(np.array(colors)).astype(np.uint8)


def _nearest_of(colors: Picture) -> Indices:
    """Return the nearest palette colour of each 15-bit colour."""
    levels = np.arange(LEVELS)
    points = np.stack([levels >> 10, (levels >> 5) & 31, levels & 31], axis=1) * 8.0 + 3.5
    palette = colors.astype(np.float64)
    away = (palette**2).sum(axis=1) - 2.0 * points @ palette.T
    return np.asarray(away.argmin(axis=1), dtype=np.uint8)
