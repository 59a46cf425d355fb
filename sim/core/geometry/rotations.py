"""Converts rotations in degrees to matrices and back; conventions as in `transform`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
FEW = 24
"""Largest number of matrices for which plain Python is faster than NumPy."""


def local_matrices(positions: FloatArray, rotations: FloatArray, scales: FloatArray) -> FloatArray:
    """Return the matrices `[n, 4, 4]` from n objects to their parents.

    Args:
        positions: `[n, 3]` metres.
        rotations: `[n, 3]` heading, pitch and roll in degrees.
        scales: `[n, 3]` factors.
    """
    angles = np.radians(rotations)
    sines, cosines = np.sin(angles), np.cos(angles)
    if len(positions) <= FEW:
        return _matrices_of_few(sines, cosines, positions, scales)
    (sh, sp, sr), (ch, cp, cr) = sines.T, cosines.T
    result = np.zeros((len(positions), 4, 4))
    result[:, 0, 0] = cr * ch - sr * sp * sh
    result[:, 0, 1] = cr * sh + sr * sp * ch
    result[:, 0, 2] = -sr * cp
    result[:, 1, 0] = -cp * sh
    result[:, 1, 1] = cp * ch
    result[:, 1, 2] = sp
    result[:, 2, 0] = sr * ch + cr * sp * sh
    result[:, 2, 1] = sr * sh - cr * sp * ch
    result[:, 2, 2] = cr * cp
    result[:, :3, :3] *= scales[:, :, None]
    result[:, 3, :3] = positions
    result[:, 3, 3] = 1.0
    return result


def _matrices_of_few(
    sines: FloatArray, cosines: FloatArray, positions: FloatArray, scales: FloatArray
) -> FloatArray:
    """Return local matrices in plain Python, which is faster for few objects.

    The result equals that of `local_matrices` exactly.

    Args:
        sines: `[n, 3]` sines of heading, pitch and roll.
        cosines: `[n, 3]` cosines of heading, pitch and roll.
        positions: `[n, 3]` metres.
        scales: `[n, 3]` factors.
    """
    numbers: list[float] = []
    rows = zip(sines.tolist(), cosines.tolist(), positions.tolist(), scales.tolist(), strict=True)
    for (sh, sp, sr), (ch, cp, cr), (x, y, z), (a, b, c) in rows:
        numbers += (
            (cr * ch - sr * sp * sh) * a, (cr * sh + sr * sp * ch) * a, -sr * cp * a, 0.0,
            -cp * sh * b, cp * ch * b, sp * b, 0.0,
            (sr * ch + cr * sp * sh) * c, (sr * sh - cr * sp * ch) * c, cr * cp * c, 0.0,
            x, y, z, 1.0,
        )  # fmt: skip
    return np.array(numbers).reshape(-1, 4, 4)


def turns(rotation: Sequence[float] | FloatArray) -> FloatArray:
    """Return the rotation matrix `[3, 3]` of heading, pitch and roll in degrees."""
    one = np.asarray(rotation, dtype=np.float64)[None]
    return np.asarray(local_matrices(np.zeros((1, 3)), one, np.ones((1, 3)))[0, :3, :3])


def rotation_of(matrix: FloatArray) -> FloatArray:
    """Return heading, pitch and roll in degrees of a matrix, `[3, 3]` or `[4, 4]`.

    The matrix may contain a scale, which is ignored.
    """
    lengths = np.linalg.norm(matrix[:3, :3], axis=1, keepdims=True)
    return np.asarray(rotations_of((matrix[:3, :3] / np.maximum(lengths, 1e-12))[None])[0])


def rotations_of(turned: FloatArray) -> FloatArray:
    """Return heading, pitch and roll in degrees, `[n, 3]`, of rotation matrices `[n, 3, 3]`."""
    pitch = np.arcsin(np.clip(turned[:, 1, 2], -1.0, 1.0))
    is_steep = np.abs(turned[:, 1, 2]) > 1.0 - 1e-12
    heading = np.where(
        is_steep,
        np.arctan2(turned[:, 0, 1], turned[:, 0, 0]),
        np.arctan2(-turned[:, 1, 0], turned[:, 1, 1]),
    )
    roll = np.where(is_steep, 0.0, np.arctan2(-turned[:, 0, 2], turned[:, 2, 2]))
    return np.asarray(np.degrees(np.stack([heading, pitch, roll], axis=1)))


def checked_vector(value: Sequence[float] | FloatArray, name: str) -> FloatArray:
    """Check that a value is three finite numbers; return it as an array `[3]`.

    Args:
        value: the numbers.
        name: name of the value, for the error message.

    Raises:
        ValueError: it is not three finite numbers.
    """
    try:
        numbers = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        numbers = np.empty(0)
    if numbers.shape != (3,) or not np.isfinite(numbers).all():
        raise ValueError(f"{name}: expected three finite numbers, got {value!r:.200}")
    return numbers
