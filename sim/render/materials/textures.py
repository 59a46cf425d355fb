"""Textures: reading picture files, caching generated ones, and filling Panda3D textures.

Pictures are converted to four bytes a pixel, which drivers accept without another conversion.
OpenCV computes the mipmaps instead of the driver. Together this halves the cost of a picture that
changes in every frame (`benchmarks/texture.py`).
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
from panda3d.core import PTA_uchar, SamplerState, Texture

from base.files import atomic_write, read_regular, resolve_in_project
from sim.core.canvas.canvas import Canvas
from sim.core.canvas.painter import Picture
from sim.core.canvas.picture_limit import OversizedPictureError
from sim.core.project.data_dir import user_cache_dir
from sim.render.materials.picture_decoding import UnreadablePictureError, decode_picture

Stamp = tuple[int, int]
"""When a file was saved, nanoseconds, and its size, bytes."""
MOST_KEPT = 256 * 2**20  # bytes of pictures from files
MOST_PAINTED = 32 * 2**20  # bytes of painted pictures
VERSION = 3  # of the painting: a new number makes new files


def cached(name: str, paint: Callable[[], Picture]) -> Picture:
    """Return a generated picture from the cache; paint and store it if it is missing.

    The picture also stays in memory while its file in the cache does not change.

    Args:
        name: name of the picture in the cache.
        paint: returns the picture; called if it is not cached.
    """
    path = user_cache_dir() / "textures" / f"{name}-v{VERSION}.png"
    known = _painted.get(path)
    if known is not None and _is_still(path, known[0]):
        return known[1].copy()
    picture = _read(path)
    if picture is None:
        picture = paint()
        _store(path, picture)
    _remember(path, picture)
    return picture


_painted: dict[Path, tuple[Stamp, Picture]] = {}
"""Generated pictures in memory, by the path of their cache file; the latest is last."""


def _remember(path: Path, picture: Picture) -> None:
    _painted.pop(path, None)
    with contextlib.suppress(OSError):
        _painted[path] = (_stamp_of(path), picture.copy())
    while sum(kept.nbytes for _, kept in _painted.values()) > MOST_PAINTED:
        del _painted[next(iter(_painted))]


def _is_still(path: Path, stamp: Stamp) -> bool:
    try:
        return _stamp_of(path) == stamp
    except OSError:
        return False


def picture_of(texture: object, project: Path) -> Picture | None:
    """Return the pixels of an object's texture; None for None.

    Args:
        texture: path of a picture in the project, an array `[h, w, 3|4]` of uint8, or a `Canvas`.
        project: the project's folder.

    Raises:
        OSError: the file cannot be read.
        ValueError: the file is no picture, or the texture is of no known kind.
    """
    if texture is None:
        return None
    if isinstance(texture, Canvas):
        return straight(texture)
    if isinstance(texture, str):
        return read_picture(resolve_in_project(project, texture), texture)
    array = np.asarray(texture)
    if array.dtype != np.uint8 or array.ndim != 3 or array.shape[2] not in (3, 4) or not array.size:
        raise ValueError(
            "texture: expected a path or an array [h, w, 3 or 4] of uint8, "
            f"found {array.shape} of {array.dtype}"
        )
    return array


def read_picture(file: Path, name: str) -> Picture:
    """Read a picture file as BGR.

    Args:
        file: the file.
        name: what error messages call it.

    Raises:
        OSError: the file cannot be read.
        ValueError: the file is no picture.
    """
    found = decoded(read_regular(file, None), "texture", name, is_plain=True)
    return np.asarray(found, dtype=np.uint8)


def decoded(content: bytes, key: str, name: str, *, is_plain: bool = False) -> npt.NDArray[Any]:
    """Decode the bytes of a picture file.

    Args:
        content: content of the file.
        key: what the picture is for, such as "texture"; the error's message begins with it.
        name: name of the file, for the error's message.
        is_plain: whether to return `[h, w, 3]` uint8 BGR whatever the file holds.

    Raises:
        ValueError: the content is no picture, or the picture is too large.
    """
    try:
        return decode_picture(content, is_plain=is_plain)
    except OversizedPictureError as error:
        expected, found = f"a picture of at most {error.limit}", f"{name} of {error}"
    except UnreadablePictureError as error:
        expected, found = "a picture", f"{name}, which is {error}" if str(error) else name
    raise ValueError(f"{key}: expected {expected}, found {found}")


@dataclass
class KeptPicture:
    """A cached picture file.

    Attributes:
        stamp: version of the file that was read.
        picture: its pixels.
        fault: later version of the file that could not be read; (0, 0) for a missing file, None for
            no fault.
    """

    stamp: Stamp
    picture: Picture
    fault: Stamp | None = None


class PictureFiles:
    """Cache of the picture files that objects show; a file saved again is reloaded.

    Args:
        complain: called with a message when a file became unreadable; its last picture is kept.
        note: called with a message when a file was reloaded.
        most: size limit, bytes; the least recently used pictures are dropped beyond it.
    """

    def __init__(
        self, complain: Callable[[str], None], note: Callable[[str], None], most: int = MOST_KEPT
    ) -> None:
        self._complain = complain
        self._note = note
        self._most = most
        self._kept: dict[Path, KeptPicture] = {}

    def of(self, texture: object, project: Path) -> Picture | None:
        """Return the pixels of an object's texture; None if it has no texture.

        Files are read through the cache. If a file is now missing or damaged, its last good pixels
        are returned.

        Args:
            texture: as for `picture_of`.
            project: the project's folder.

        Raises:
            OSError: the file is missing, and the cache has no earlier version of it.
            ValueError: the file is no picture, and the cache has no earlier version of it.
        """
        if not isinstance(texture, str):
            return picture_of(texture, project)
        file = resolve_in_project(project, texture)
        known = self._kept.pop(file, None)
        try:
            stamp = _stamp_of(file)
            if known is None or known.stamp != stamp:
                known = self._read(file, texture, stamp, known)
        except OSError as error:
            if known is None:
                raise
            self._keep(known, None, f"{texture}: {error.strerror}")
        self._kept[file] = known
        self._make_room()
        return known.picture

    def _read(self, file: Path, name: str, stamp: Stamp, known: KeptPicture | None) -> KeptPicture:
        try:
            picture = read_picture(file, name)
        except ValueError as error:
            if known is None:
                raise
            self._keep(known, stamp, str(error))
            return known
        if known is not None:
            self._note(f"reloaded {name}")
        return KeptPicture(stamp, picture)

    def _keep(self, known: KeptPicture, stamp: Stamp | None, fault: str) -> None:
        """Keep a picture whose file became unreadable, and report that once.

        Args:
            known: the cached picture.
            stamp: version of the unreadable file; None if it is missing.
            fault: the message.
        """
        fault_stamp = stamp or (0, 0)
        if known.fault != fault_stamp:
            known.fault = fault_stamp
            self._complain(f"{fault}; the one before is kept")

    def _make_room(self) -> None:
        total = sum(kept.picture.nbytes for kept in self._kept.values())
        while total > self._most and len(self._kept) > 1:
            oldest = next(iter(self._kept))
            total -= self._kept.pop(oldest).picture.nbytes


def _stamp_of(file: Path) -> Stamp:
    status = file.stat()
    return (status.st_mtime_ns, status.st_size)


def straight(canvas: Canvas) -> Picture:
    """Return a canvas's picture with straight instead of premultiplied alpha."""
    if canvas.is_opaque:
        return canvas.picture
    swapped = cv2.cvtColor(canvas.picture, cv2.COLOR_mRGBA2RGBA)  # the order of colours is alike
    return np.asarray(swapped, dtype=np.uint8)


def wood(width: int, height: int, seed: int, *, dark: bool = False) -> Picture:
    """Return a wood texture `[height, width, 3]` BGR, its grain along the height.

    Args:
        width: width, pixels.
        height: height, pixels.
        seed: random seed of the grain.
        dark: whether the wood is dark brown; else light.
    """
    rng = np.random.default_rng(seed)
    across = np.linspace(0.0, 1.0, width, dtype=np.float32)[None, :]
    along = np.linspace(0.0, 1.0, height, dtype=np.float32)[:, None]
    bend = _noise(rng, width, height, 3, 2) * 0.05 + along * 0.015
    rings = (across + bend) * (9.0 if dark else 13.0)
    grain = 0.5 + 0.5 * np.sin(rings * 2 * np.pi + _noise(rng, width, height, 6, 3) * 2.4)
    fibres = _noise(rng, width, height, width // 3, 5)
    pores = (_noise(rng, width, height, width // 2, 9) > 0.42).astype(np.float32)
    pores = cv2.GaussianBlur(pores, (0, 0), sigmaX=0.6, sigmaY=5.0)
    tone = 0.62 * grain**1.6 + 0.22 * fibres + 0.16 * _noise(rng, width, height, 2, 2)
    light, deep = np.array([(104, 172, 222), (62, 124, 186)])
    if dark:
        light, deep = np.array([(22, 34, 58), (12, 18, 32)])
    mix = np.clip(0.5 + tone * 0.42, 0.0, 1.0)[..., None]
    picture = deep + (light - deep) * (1.0 - mix * 0.75)
    picture = picture * (1.0 - 0.16 * pores[..., None])
    return np.asarray(np.clip(picture, 0, 255), dtype=np.uint8)


def _noise(
    rng: np.random.Generator, width: int, height: int, columns: int, rows: int
) -> npt.NDArray[np.float32]:
    coarse = rng.standard_normal((max(2, rows), max(2, columns))).astype(np.float32)
    smooth = cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC)
    return np.asarray(np.clip(smooth * 0.5, -1.0, 1.0), dtype=np.float32)


def _read(path: Path) -> Picture | None:
    try:
        content = path.read_bytes()
    except OSError:
        return None
    try:
        return np.asarray(decoded(content, "cache", path.name, is_plain=True), dtype=np.uint8)
    except ValueError:  # it was cut, and is painted anew
        return None


def _store(path: Path, picture: Picture) -> None:
    """Write a picture to the cache; errors are ignored, since it can be painted again."""
    done, data = cv2.imencode(".png", picture)
    if not done:
        return
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        atomic_write(path, data.tobytes())


def make_texture(name: str, picture: Picture, *, is_distant: bool = True) -> Texture:
    """Create a Panda3D texture.

    Args:
        name: name of the texture.
        picture: `[h, w, 3|4]` uint8 BGR(A), the top row first.
        is_distant: whether to make mipmaps and repeat the picture, for surfaces in the scene. False
            for a picture that is shown pixel by pixel.
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
    """Replace the pixels of a texture made by `make_texture`; the size must be the same."""
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
    """Return a writable array `[height, width, 4]` that shares a texture's memory."""
    return np.frombuffer(memoryview(array), dtype=np.uint8).reshape(height, width, 4)
