"""Size limit of picture files: a few bytes can claim pixels for all of the memory."""

from __future__ import annotations

import os
from typing import Final

MOST_PIXELS: Final = 2**26
"""8192 x 8192: more than graphics cards of ten years ago take."""


def limit_pictures() -> None:
    """Make OpenCV refuse larger pictures with `cv2.error`. Call it before importing cv2."""
    os.environ.setdefault("OPENCV_IO_MAX_IMAGE_PIXELS", str(MOST_PIXELS))
