"""Converts rotations in degrees to matrices and back; conventions as in `transform`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
FEW = 24
"""Largest number of matrices for which plain Python is faster than NumPy."""
FLAT = 1e-12
"""Share of a matrix's greatest factor at which its least one counts as 0."""


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

    The matrix may contain a scale, which is ignored. If it mirrors, its x axis counts as the one
    that is mirrored.
    """
    lengths = np.linalg.norm(matrix[:3, :3], axis=1, keepdims=True)
    turned = matrix[:3, :3] / np.maximum(lengths, 1e-12)
    if is_mirrored(turned):
        turned[0] = -turned[0]
    return np.asarray(rotations_of(turned[None])[0])


def signed_scale(matrix: FloatArray, like: FloatArray) -> FloatArray:
    """Return the scale `[3]` in a matrix that is a scale followed by a rotation.

    Its absolute values are the lengths of the matrix's rows. A matrix fits several combinations of
    signs; those of `like` are taken where they fit, else with the first one reversed.

    Args:
        matrix: `[3, 3]` or `[4, 4]`, for row vectors.
        like: factors `[3]`, such as the present scale.
    """
    scale = np.asarray(np.linalg.norm(matrix[:3, :3], axis=1))
    signs = np.where(np.asarray(like) < 0.0, -1.0, 1.0)
    if bool(signs.prod() < 0.0) != is_mirrored(matrix):
        signs[0] = -signs[0]
    return np.asarray(scale * signs)


def without_signs(matrix: FloatArray, scale: FloatArray) -> FloatArray:
    """Return the part `[3, 3]` of a matrix that does not mirror, with all its factors above 0.

    Args:
        matrix: `[3, 3]` or `[4, 4]`, for row vectors.
        scale: its scale, by `signed_scale`.
    """
    return np.asarray(matrix[:3, :3] * np.where(scale < 0.0, -1.0, 1.0)[:, None])


def are_mirrored(matrices: FloatArray) -> npt.NDArray[np.bool_]:
    """Return for each matrix `[..., 3, 3]` or `[..., 4, 4]` whether it mirrors."""
    x, y, z = (matrices[..., row, :3] for row in range(3))
    volume = x[..., 0] * (y[..., 1] * z[..., 2] - y[..., 2] * z[..., 1])
    volume += x[..., 1] * (y[..., 2] * z[..., 0] - y[..., 0] * z[..., 2])
    volume += x[..., 2] * (y[..., 0] * z[..., 1] - y[..., 1] * z[..., 0])
    return np.asarray(volume < 0.0)


def is_mirrored(matrix: FloatArray) -> bool:
    """Return whether a matrix, `[3, 3]` or `[4, 4]`, mirrors: left hands become right ones."""
    (a, b, c), (d, e, f), (g, h, i) = matrix[:3, :3].tolist()
    return bool(a * (e * i - f * h) + b * (f * g - d * i) + c * (d * h - e * g) < 0.0)


def is_flat(matrix: FloatArray) -> bool:
    """Return whether a matrix, `[3, 3]` or `[4, 4]`, scales some direction to nothing."""
    turned = matrix[:3, :3]
    if not np.isfinite(turned).all():  # overflow
        return False
    sizes = np.linalg.svd(turned, compute_uv=False)
    return not bool(sizes[2] > FLAT * sizes[0])


def inverse_of(matrix: FloatArray, name: str) -> FloatArray:
    """Return the inverse `[4, 4]` of the matrix of an object's place.

    Args:
        matrix: `[4, 4]`.
        name: what it is needed for, for the error message.

    Raises:
        ValueError: a scale in it is 0.
    """
    if is_flat(matrix):
        raise ValueError(
            f"{name}: expected no scale of 0 in the object or above it, found one that is"
        )
    return np.asarray(np.linalg.inv(matrix))


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
