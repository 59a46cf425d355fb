"""Meshes of the built-in models as arrays, used for drawing, ray casts and physics."""

from __future__ import annotations

import itertools
import math
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from base.values import JsonObject

FloatArray = NDArray[np.float32]
TABLE_SIZE = (60.0, 60.0)
MOST_LETTERS = 400
LONGEST = 1e6
"""Greatest length of a built-in model, metres."""
LINE = 1.55  # line height, in heights of a capital letter
WIDE = 1.8  # widths of a Latin letter that a Chinese one takes
WIDTH = 0.78  # approximate width of a letter, in that height
UNKNOWN_SIZE = (0.6, 0.6, 0.6)  # side of the box that replaces an unknown model
VASE = ((0.0, 0.0), (0.3, 0.0), (0.45, 0.35), (0.22, 0.8), (0.3, 1.0), (0.0, 0.98))
"""The default `profile` of the model `lathe`: pairs of radius and height in metres."""


class Mesh:
    """A mesh made of triangles; each vertex has a position, a normal and texture coordinates."""

    def __init__(self) -> None:
        self.rows: list[FloatArray] = []
        self.triangles: list[NDArray[np.uint32]] = []
        self.count = 0

    def add(
        self, points: ArrayLike, normals: ArrayLike, uvs: ArrayLike, triangles: ArrayLike
    ) -> None:
        """Add vertices and triangles.

        Args:
            points: `[n, 3]` positions, metres.
            normals: `[n, 3]` unit vectors.
            uvs: `[n, 2]` texture coordinates.
            triangles: `[m, 3]` indices of the corners in `points`, counterclockwise seen from
                outside.
        """
        rows = np.concatenate([points, normals, uvs], axis=1).astype(np.float32)
        self.rows.append(rows)
        self.triangles.append(np.asarray(triangles, dtype=np.uint32) + np.uint32(self.count))
        self.count += len(rows)

    def add_quads(
        self, points: ArrayLike, normals: ArrayLike, uvs: ArrayLike, quads: NDArray[np.int64]
    ) -> None:
        """Add vertices and four-sided faces, each as two triangles.

        Args:
            points: `[n, 3]` positions, metres.
            normals: `[n, 3]` unit vectors.
            uvs: `[n, 2]` texture coordinates.
            quads: `[m, 4]` indices of the corners in `points`.
        """
        self.add(points, normals, uvs, np.concatenate([quads[:, :3], quads[:, [0, 2, 3]]]))

    def join(
        self, part: Mesh, *, turn: ArrayLike | None = None, move: ArrayLike = (0.0, 0.0, 0.0)
    ) -> None:
        """Append another mesh, first rotated and then moved.

        Args:
            part: the other mesh.
            turn: rotation matrix `[3, 3]`, whose rows are the mesh's new axes; None for no
                rotation.
            move: offset `[3]`, metres.
        """
        axes = np.eye(3) if turn is None else np.asarray(turn)
        rows = np.concatenate(part.rows)
        points, normals = rows[:, :3] @ axes + np.asarray(move), rows[:, 3:6] @ axes
        self.add(points, normals, rows[:, 6:8], np.concatenate(part.triangles))

    @property
    def points(self) -> FloatArray:
        """Positions of all vertices, `[n, 3]` metres."""
        return np.concatenate(self.rows)[:, :3]

    @property
    def indices(self) -> NDArray[np.uint32]:
        """Indices of each triangle's three vertices, `[m, 3]`."""
        return np.concatenate(self.triangles)

    @staticmethod
    def lathe(profile: ArrayLike, sides: int = 48, *, smooth: bool = False) -> Mesh:
        """Return a solid of revolution: a profile turned around the z axis.

        Args:
            profile: `[n, 2]` pairs of radius and height, metres, from the bottom up.
            sides: number of faces around the axis.
            smooth: whether to round the corners of the profile.
        """
        profile = smooth_profile(profile) if smooth else np.asarray(profile)
        angles = np.linspace(0.0, 2 * math.pi, sides + 1)
        slopes = np.gradient(profile, axis=0)
        normals = np.stack([slopes[:, 1], -slopes[:, 0]], axis=1)
        normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-9)
        c, s = np.cos(angles), np.sin(angles)
        n = len(profile)

        def around(pairs: NDArray[np.floating]) -> FloatArray:
            """Return copies of pairs (outward, up), rotated about the z axis to each side's angle.

            Args:
                pairs: `[n, 2]` distances from the axis and heights, or parts of normals.

            Returns:
                `[(sides + 1) n, 3]`, angle by angle.
            """
            out, up = pairs[:, 0], np.tile(pairs[:, 1], (sides + 1, 1))
            return np.stack([np.outer(c, out), np.outer(s, out), up], axis=-1).reshape(-1, 3)

        points, outward = around(profile), around(normals)
        first = (np.arange(sides)[:, None] * n + np.arange(n - 1)[None, :]).ravel()
        quads = np.stack([first, first + n, first + n + 1, first + 1], axis=1)
        mesh = Mesh()
        mesh.add_quads(points, outward, np.zeros((len(points), 2)), quads)
        return mesh

    @staticmethod
    def box(
        width: float, depth: float, height: float, *, top: float = 0.0, strip: float = 0.02
    ) -> Mesh:
        """Return a box whose middle line is the z axis.

        The texture covers the upper face. Each side face shows only the lowest strip of the
        texture.

        Args:
            width: size along x, metres.
            depth: size along y, metres.
            height: size along z, metres.
            top: z of the upper face, metres.
            strip: height of the strip as a fraction of the texture's height.
        """
        x, y, low = width / 2, depth / 2, top - height
        mesh = Mesh()
        square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], dtype=np.float32)
        side = square * (1, strip)
        faces = [
            ([[-x, -y, top], [x, -y, top], [x, y, top], [-x, y, top]], (0, 0, 1), square),
            ([[-x, y, low], [x, y, low], [x, -y, low], [-x, -y, low]], (0, 0, -1), square),
            ([[-x, -y, low], [x, -y, low], [x, -y, top], [-x, -y, top]], (0, -1, 0), side),
            ([[x, y, low], [-x, y, low], [-x, y, top], [x, y, top]], (0, 1, 0), side),
            ([[x, -y, low], [x, y, low], [x, y, top], [x, -y, top]], (1, 0, 0), side),
            ([[-x, y, low], [-x, -y, low], [-x, -y, top], [-x, y, top]], (-1, 0, 0), side),
        ]
        for corners, facing, uvs in faces:
            normals = np.tile(np.array(facing, dtype=np.float32), (4, 1))
            mesh.add(np.array(corners), normals, uvs, [[0, 1, 2], [0, 2, 3]])
        return mesh

    @staticmethod
    def ring(radius: float, width: float) -> Mesh:
        """Return a flat ring on the plane z = 0, visible from above.

        Args:
            radius: radius of the middle of the ring, metres.
            width: width of the ring, metres.
        """
        angles = np.linspace(0.0, 2 * math.pi, 49)
        inner, outer = max(0.0, radius - width / 2), radius + width / 2
        around = np.stack([np.cos(angles), np.sin(angles), np.zeros_like(angles)], axis=1)
        points = np.concatenate([inner * around, outer * around])
        first = np.arange(48)
        quads = np.stack([first, first + 49, first + 50, first + 1], axis=1)
        mesh = Mesh()
        up = np.tile(np.array([0.0, 0.0, 1.0]), (98, 1))
        mesh.add_quads(points, up, np.zeros((98, 2)), quads)
        return mesh


def plane(width: float, depth: float) -> Mesh:
    """Return a rectangle on the plane z = 0, centred at the origin and visible from above.

    Args:
        width: size along x, metres.
        depth: size along y, metres.
    """
    x, y = width / 2, depth / 2
    mesh = Mesh()
    corners = np.array([[-x, -y, 0], [x, -y, 0], [x, y, 0], [-x, y, 0]])
    up = np.tile(np.array([0.0, 0.0, 1.0]), (4, 1))
    mesh.add(corners, up, [[0, 0], [1, 0], [1, 1], [0, 1]], [[0, 1, 2], [0, 2, 3]])
    return mesh


def torus(radius: float, tube: float) -> Mesh:
    """Return a torus that lies on the plane z = 0.

    Args:
        radius: distance from the axis to the middle of the tube, metres.
        tube: radius of the tube, metres.
    """
    angle = np.linspace(-math.pi, math.pi, 25) - math.pi / 2
    profile = np.stack([radius + tube * np.cos(angle), tube + tube * np.sin(angle)], axis=1)
    return Mesh.lathe(profile.astype(np.float32), 64)


def smooth_profile(points: ArrayLike) -> FloatArray:
    """Return a profile `[n, 2]` with its corners rounded."""
    corners = np.array(points, dtype=np.float32)
    for _ in range(2):  # Chaikin's corner cutting
        cut = [corners[:1]]
        for a, b in itertools.pairwise(corners):
            cut.append(np.stack([a * 0.75 + b * 0.25, a * 0.25 + b * 0.75]))
        cut.append(corners[-1:])
        corners = np.concatenate(cut)
    return corners


def sphere(radius: float) -> Mesh:
    """Return a sphere around the origin."""
    angle = np.linspace(-math.pi / 2, math.pi / 2, 25)
    profile = np.stack([np.cos(angle), np.sin(angle)], axis=1) * radius
    return Mesh.lathe(profile.astype(np.float32))


def cylinder(radius: float, height: float) -> Mesh:
    """Return a cylinder around the z axis, from z = 0 to z = `height`.

    Args:
        radius: metres.
        height: metres.
    """
    out, up = radius, height
    profile = [(0.0, 0.0), (out, 0.0), (out, 1e-4), (out, up), (out, up), (0.0, up)]
    return Mesh.lathe(np.array(profile, dtype=np.float32))


def capsule(radius: float, height: float) -> Mesh:
    """Return a cylinder with round ends around the z axis, centred at the origin.

    Args:
        radius: metres.
        height: metres from end to end, the round ends included.

    Raises:
        ValueError: `height` is less than twice the radius.
    """
    straight = check_capsule(radius, height)
    angle = np.linspace(-math.pi / 2, math.pi / 2, 26)
    away = np.where(angle < 0.0, -straight, straight)
    profile = np.stack([np.cos(angle) * radius, np.sin(angle) * radius + away], axis=1)
    return Mesh.lathe(profile.astype(np.float32))


def check_capsule(radius: float, height: float) -> float:
    """Check the size of a capsule.

    Args:
        radius: metres, above 0.
        height: metres from end to end, the round ends included.

    Returns:
        Half the length of the straight part, metres.

    Raises:
        ValueError: `radius` is not positive, or `height` is less than twice the radius.
    """
    if radius <= 0.0 or height < 2.0 * radius:
        raise ValueError(
            f"capsule: expected a height of at least two radii, found {height:g} and {radius:g}"
        )
    return height / 2.0 - radius


def turned(profile: Iterable[Iterable[float]], *, sides: int = 48, smooth: bool = True) -> Mesh:
    """Return a solid of revolution: a profile turned around the z axis; its arguments are checked.

    Args:
        profile: at least two pairs of radius and height, metres, from the bottom up. The solid is
            closed at an end whose radius is 0.
        sides: number of faces around the axis, 3 to 256.
        smooth: whether to round the corners of the profile.

    Raises:
        ValueError: there are fewer than two pairs, a number is not finite, a radius is negative, or
            `sides` is out of range.
    """
    pairs = [tuple(map(float, pair)) for pair in profile]
    points = np.array(pairs, dtype=np.float32) if {len(pair) for pair in pairs} == {2} else None
    if points is None or len(points) < 2 or not np.isfinite(points).all() or points.min(0)[0] < 0:
        raise ValueError(f"profile: expected two or more (radius, height) pairs, found {profile!r}")
    if not 3 <= sides <= 256:
        raise ValueError(f"sides: expected 3 to 256, found {sides!r}")
    if smooth:
        return Mesh.lathe(points, sides, smooth=True)
    mesh = Mesh()
    for pair in itertools.pairwise(points):
        band = Mesh.lathe(np.array(pair, dtype=np.float32), sides)
        rows = band.rows[0]
        mesh.add(rows[:, :3], rows[:, 3:6], rows[:, 6:], band.triangles[0])
    return mesh


def check_text(model: Mapping[str, Any]) -> tuple[list[str], float, float, str]:
    """Check the parameters of a text model.

    Args:
        model: the model in the form of the scene file.

    Returns:
        Its lines, the height of a capital letter in metres, the depth in metres, and the alignment.

    Raises:
        ValueError: the text is empty or too long, a length is not positive or too large, or the
            alignment is unknown.
    """
    text, size = str(model.get("text", "Text")), float(model.get("size", 1.0))
    given, align = model.get("depth"), str(model.get("align", "center"))
    depth = 0.2 * size if given is None else float(given)
    if not 0 < len(text.strip()) <= MOST_LETTERS:
        raise ValueError(f"text: expected 1 to {MOST_LETTERS} letters, found {len(text.strip())}")
    has_lengths = 0.0 < size <= LONGEST and 0.0 < depth <= LONGEST
    if not has_lengths or align not in ("center", "left", "right"):
        raise ValueError(
            f"text: expected a size and a depth above 0, up to {LONGEST:g}, and align center, left "
            "or right, "
            f"found {size:g}, {depth:g}, {align!r}"
        )
    return text.split("\n"), size, depth, align


def letters_across(line: str) -> float:
    """Return about how many Latin letters are as wide as a line of any script.

    Args:
        line: one line of text.
    """
    if line.isascii():
        return float(len(line))
    kinds = map(unicodedata.category, line)
    count = sum(kind not in ("Mn", "Me", "Cf") for kind in kinds)
    is_wide = (unicodedata.east_asian_width(letter) in ("W", "F") for letter in line)
    return count + (WIDE - 1.0) * sum(is_wide)


def text_block(model: JsonObject) -> Mesh:
    """Return a box of about the size of a text model, for ray casts and physics."""
    lines, size, depth, align = check_text(model)
    width = size * WIDTH * max(map(letters_across, lines))
    middle = {"center": 0.0, "left": width / 2.0, "right": -width / 2.0}[align]
    height = size * (1.0 + LINE * (len(lines) - 1))
    mesh = Mesh()
    mesh.join(Mesh.box(width, depth, height, top=height), move=(middle, depth / 2.0, 0.0))
    return mesh
