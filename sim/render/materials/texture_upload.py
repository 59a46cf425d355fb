"""Uploads a picture in memory to a texture with one conversion and without copies.

Drivers take four bytes a pixel without converting, and the mipmaps are computed here, by OpenCV,
instead of by the driver: together that halves the cost of a picture that changes every
frame (`benchmarks/texture.py`).
"""

from __future__ import annotations

import cv2
import numpy as np
from panda3d.core import PTA_uchar, SamplerState, Texture

from sim.core.canvas.painter import Picture


def make_texture(name: str, picture: Picture, *, is_distant: bool = True) -> Texture:
    """Create a texture from a BGR(A) picture `[h, w, 3|4]` uint8.

    Args:
        name: name of the texture.
        picture: its pixels, the top row first.
        is_distant: make mipmaps; else each pixel is one of the window.
    """
    texture = Texture(name)
    height, width = picture.shape[:2]
    texture.setup_2d_texture(width, height, Texture.T_unsigned_byte, Texture.F_rgba)
    small = SamplerState.FT_linear_mipmap_linear if is_distant else SamplerState.FT_linear
    texture.set_minfilter(small)
    texture.set_magfilter(SamplerState.FT_linear)
    wrap = SamplerState.WM_mirror if is_distant else SamplerState.WM_clamp
    texture.set_wrap_u(wrap)
    texture.set_wrap_v(wrap)
    fill_texture(texture, picture)
    return texture


def fill_texture(texture: Texture, picture: Picture) -> None:
    """Replace the pixels of a texture of `make_texture` by a picture of the same size."""
    height, width, channels = picture.shape
    pixels = _memory(texture.modify_ram_image(), height, width)
    source = picture if picture.flags.c_contiguous else np.ascontiguousarray(picture)
    if channels == 3:
        cv2.cvtColor(source, cv2.COLOR_BGR2BGRA, dst=pixels)
        source = pixels
    cv2.flip(source, 0, dst=pixels)  # OpenGL counts rows from below
    if not texture.uses_mipmaps():
        return
    level = 0
    while max(width, height) > 1:
        width, height, level = max(1, width // 2), max(1, height // 2), level + 1
        if not texture.has_ram_mipmap_image(level):
            texture.make_ram_mipmap_image(level)
        smaller = _memory(texture.modify_ram_mipmap_image(level), height, width)
        cv2.resize(pixels, (width, height), dst=smaller, interpolation=cv2.INTER_AREA)
        pixels = smaller


def _memory(array: PTA_uchar, height: int, width: int) -> Picture:
    """Return a texture's own memory as an array that can be written to."""
    return np.frombuffer(memoryview(array), dtype=np.uint8).reshape(height, width, 4)
