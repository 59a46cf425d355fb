"""Size limit of picture files, because a small file can unpack to a picture that fills memory."""

from __future__ import annotations

import os
import struct
from typing import Final

MOST_PIXELS: Final = 2**26
"""Largest number of pixels of a picture: 8192 x 8192."""
LONGEST_SIDE: Final = 16_384
"""Largest width or height of a picture in pixels: what graphics cards support."""
JPEG_SIZES: Final = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})
"""JPEG markers (second byte) of the segments that contain the picture's size."""


class OversizedPictureError(ValueError):
    """A picture is too large; the message is its size, "width x height", or "more".

    Attributes:
        limit: the allowed size, as text.
    """

    def __init__(self, width: int = 0, height: int = 0) -> None:
        super().__init__(f"{width} x {height}" if width else "more")
        is_whole = not width or width * height > MOST_PIXELS
        self.limit = f"{MOST_PIXELS} pixels" if is_whole else f"{LONGEST_SIDE} pixels a side"


def check_header(content: bytes) -> None:
    """Check the size that a picture file declares in its header, before it is decoded.

    Args:
        content: bytes of the file, or its beginning; content that is no picture is accepted.

    Raises:
        OversizedPictureError: a side or the number of pixels is above the limit.
    """
    size = header_size(content)
    if size is not None:
        check_size(size)


def check_size(size: tuple[int, int]) -> None:
    """Check the size of a picture, in pixels across and down.

    Raises:
        OversizedPictureError: a side or the number of pixels is above the limit.
    """
    if max(size) > LONGEST_SIDE or size[0] * size[1] > MOST_PIXELS:
        raise OversizedPictureError(*size)


def header_size(content: bytes) -> tuple[int, int] | None:
    """Return the width and height that a picture file declares in its header.

    Args:
        content: bytes of the file, or its beginning.

    Returns:
        Pixels across and down; None if it is none of PNG, JPEG, BMP, GIF, WebP, DDS and PSD, or is
        truncated.
    """
    try:
        if content.startswith(b"\x89PNG\r\n\x1a\n"):
            width, height = struct.unpack_from(">II", content, 16)
        elif content.startswith((b"GIF87a", b"GIF89a")):
            width, height = struct.unpack_from("<HH", content, 6)
        elif content.startswith(b"BM"):
            width, height = struct.unpack_from("<ii", content, 18)
        elif content.startswith(b"DDS "):
            height, width = struct.unpack_from("<II", content, 12)
        elif content.startswith(b"8BPS"):
            height, width = struct.unpack_from(">II", content, 14)
        elif content.startswith(b"\xff\xd8"):
            return _jpeg_size(content)
        elif content.startswith(b"RIFF") and content[8:16] == b"WEBPVP8X":
            low, middle, high, *more = struct.unpack_from("<6B", content, 24)
            width = 1 + low + (middle << 8) + (high << 16)
            height = 1 + more[0] + (more[1] << 8) + (more[2] << 16)
        else:
            return None
    except struct.error:  # truncated: it cannot be decoded either
        return None
    return abs(width), abs(height)


def _jpeg_size(content: bytes) -> tuple[int, int] | None:
    at = 2
    while at + 9 <= len(content) and content[at] == 0xFF:
        if content[at + 1] in JPEG_SIZES:
            height, width = struct.unpack_from(">HH", content, at + 5)
            return width, height
        at += 2 + struct.unpack_from(">H", content, at + 2)[0]
    return None


def limit_pictures() -> None:
    """Make OpenCV refuse pictures above `MOST_PIXELS` (it raises `cv2.error`).

    Call this before importing cv2.
    """
    os.environ.setdefault("OPENCV_IO_MAX_IMAGE_PIXELS", str(MOST_PIXELS))
