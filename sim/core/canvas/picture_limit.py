"""How large a picture file may be: a few bytes can claim pixels for all of the memory."""

from __future__ import annotations

import os
from typing import Final

MOST_PIXELS: Final = 2**26
"""8192 x 8192: more than graphics cards of ten years ago take."""


def limit_pictures() -> None:
    """Let OpenCV refuse larger ones, with `cv2.error`. To be called before it is imported."""
    os.environ.setdefault("OPENCV_IO_MAX_IMAGE_PIXELS", str(MOST_PIXELS))
