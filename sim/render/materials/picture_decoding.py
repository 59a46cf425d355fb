"""Decoding of picture files: by OpenCV, and by Pillow what OpenCV does not know.

Neither ends the process at a damaged file.
"""

from __future__ import annotations

import io
import struct
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from base.contents import content_kind
from sim.core.canvas.picture_limit import OversizedPictureError, check_header, check_size

BY_PILLOW: Final = ((b"DDS ", "DDS"), (b"8BPS", "PSD"), (b"\x01\xda", "SGI"), (b"\n", "PCX"))
"""First bytes of the formats that Pillow decodes, and Pillow's name for each."""
TGA_HEAD: Final = 18  # bytes
TGA_KINDS: Final = (1, 2, 3, 9, 10, 11)  # of its pictures: palette, colours, grey, plain or packed
PNG: Final = b"\x89PNG\r\n\x1a\n"
LONGEST_GAP: Final = 2**24  # bytes that may be missing at the end of a file that was cut


class UnreadablePictureError(ValueError):
    """The content of a file is no picture that can be read.

    Its message is what was found instead, such as "an empty file"; "" if it is not known.
    """


def decode_picture(content: bytes, *, is_plain: bool = False) -> npt.NDArray[Any]:
    """Decode the content of a picture file.

    Args:
        content: content of the file.
        is_plain: whether to return `[h, w, 3]` uint8 whatever the file holds. Else depth and
            channels are those of the file.

    Returns:
        `[h, w]` grey, or `[h, w, 3|4]` in OpenCV's order BGR(A).

    Raises:
        OversizedPictureError: it is too large; nothing was decoded.
        UnreadablePictureError: it is no picture that OpenCV or Pillow can read.
    """
    check_header(content)
    import cv2  # only where there are pictures: a server without libGL can read the rest

    found = None
    if content and not _is_endless_png(content):
        flags = cv2.IMREAD_COLOR if is_plain else cv2.IMREAD_UNCHANGED
        try:
            found = cv2.imdecode(np.frombuffer(content, dtype=np.uint8), flags)
        except cv2.error as error:
            if "CV_IO_MAX_IMAGE" in str(error):
                raise OversizedPictureError from None
    if found is None:
        found = _by_pillow(content)
        if found is not None and is_plain:
            found = np.ascontiguousarray(found[..., :3])
    if found is None:
        raise UnreadablePictureError(unreadable_kind(content))
    return np.asarray(found)


def unreadable_kind(content: bytes) -> str:
    """Return in words what a file is that could not be decoded; "" if it is not known."""
    kind = content_kind(content)
    is_damaged = kind.endswith((" picture", "(Photoshop)"))
    return f"{kind} that is damaged or of a rare kind" if is_damaged else kind


def _is_endless_png(content: bytes) -> bool:
    """Return whether a chunk of a PNG claims to be far longer than the file.

    OpenCV allocates the claimed memory before it reads. A few bytes could so cost gigabytes and
    many seconds.
    """
    at = len(PNG)
    if content[:at] != PNG:
        return False
    while at + 4 <= len(content):
        at += 12 + int.from_bytes(content[at : at + 4])
    return at > len(content) + LONGEST_GAP


def _by_pillow(content: bytes) -> npt.NDArray[np.uint8] | None:
    """Decode a DDS, PSD, SGI, PCX or TGA picture; None if it is none, or damaged.

    Raises:
        OversizedPictureError: it is too large.
    """
    name = next((name for mark, name in BY_PILLOW if content.startswith(mark)), "")
    if not name and _is_tga(content):
        name = "TGA"
    if not name:
        return None
    from PIL import Image  # loaded for rare pictures only

    try:
        with Image.open(io.BytesIO(content), formats=(name,)) as image:
            check_size(image.size)
            kind = "RGBA" if image.has_transparency_data else "RGB"
            pixels = np.asarray(image.convert(kind), dtype=np.uint8)
    except OversizedPictureError:
        raise
    except Exception:  # a broken file can break a reader anywhere
        return None
    order = [2, 1, 0, 3][: pixels.shape[2]]
    return np.ascontiguousarray(pixels[..., order])


def _is_tga(content: bytes) -> bool:
    """Return whether a content may be a TGA picture, which has no mark of its own.

    Raises:
        OversizedPictureError: it may be one, and is too large.
    """
    if len(content) < TGA_HEAD or content[1] > 1 or content[2] not in TGA_KINDS:
        return False
    if content[16] not in (8, 15, 16, 24, 32) or content_kind(content):
        return False
    width, height = struct.unpack_from("<HH", content, 12)
    if width and height:
        check_size((width, height))
    return bool(width and height)
