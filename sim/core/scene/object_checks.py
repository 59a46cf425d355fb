"""Checks of values assigned to an object: name, texture, point cloud."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from sim.core.canvas.canvas import Canvas, Picture

LONGEST_NAME = 200
ObjectTexture = str | Canvas | Picture | None  # a file, what is painted, `[h, w, 3 or 4]`


def checked_name(name: object) -> str:
    """Check an object's name and return it.

    Raises:
        ValueError: it is no text, is empty or too long, or cannot be written.
    """
    text = name if isinstance(name, str) else ""
    if not 0 < len(text) <= LONGEST_NAME or any("\ud800" <= item <= "\udfff" for item in text):
        raise ValueError(
            f"name: expected a text of 1 to {LONGEST_NAME} characters, found {name!r:.80}"
        )
    return str(text)


def checked_texture(path: str, value: object) -> ObjectTexture:
    """Check a texture of the object at `path` and return its stored form; the file need not exist.

    Raises:
        ValueError: it is neither a path, a canvas nor a picture's array `[h, w, 3 or 4]` uint8.
    """
    if isinstance(value, Mapping) and set(value) == {"asset"}:
        value = value["asset"]
    if value is None or isinstance(value, str | Canvas):
        return value
    array: Picture = value if isinstance(value, np.ndarray) else np.empty(0, np.uint8)
    is_picture = array.ndim == 3 and array.shape[2] in (3, 4) and array.size > 0
    if not is_picture or array.dtype != np.uint8:
        found = f"{list(array.shape)} of {array.dtype}" if array is value else repr(value)[:80]
        raise ValueError(
            f"{path}: texture: expected a path, a canvas or an array [h, w, 3 or 4] of uint8, "
            f"found {found}"
        )
    return array


def has_same_shape(first: object, second: object) -> bool:
    """Return whether both textures are arrays of one shape."""
    return (
        isinstance(first, np.ndarray)
        and isinstance(second, np.ndarray)
        and first.shape == second.shape
    )


def checked_points(path: str, value: npt.ArrayLike) -> npt.NDArray[np.float32]:
    """Check a point cloud of the object at `path` and return it as float32 `[n, 3]`.

    Raises:
        ValueError: they have another shape or are no numbers.
    """
    array = np.asarray(value)
    if array.ndim != 2 or array.shape[1] != 3 or array.dtype.kind not in "fiu":
        raise _wrong_array(path, "points", "numbers [n, 3]", array)
    return np.ascontiguousarray(array, dtype=np.float32)


def checked_point_colors(path: str, value: npt.ArrayLike) -> Picture:
    """Check colours of the points of the object at `path`: uint8 `[n, 3]` or `[n, 4]`.

    Raises:
        ValueError: they have another shape or type.
    """
    array = np.asarray(value)
    if array.ndim != 2 or array.shape[1] not in (3, 4) or array.dtype != np.uint8:
        raise _wrong_array(path, "point_colors", "uint8 [n, 3] or [n, 4]", array)
    return array


def _wrong_array(path: str, name: str, expected: str, found: npt.NDArray[np.generic]) -> ValueError:
    shape = ", ".join(map(str, found.shape))
    return ValueError(f"{path}: {name}: expected {expected}, found {found.dtype} [{shape}]")


__all__ = [
    "checked_name", "checked_point_colors", "checked_points", "checked_texture", "has_same_shape",
]  # fmt: skip
