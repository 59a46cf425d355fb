"""3D text: outlines of a drawn picture, cut into trapezoids and extruded."""

from __future__ import annotations

import itertools
from functools import lru_cache

import cv2
import numpy as np

from sim.core.canvas.painter import Picture
from sim.core.geometry.builtin_models import Model
from sim.core.geometry.meshes import LINE, Mesh, check_text
from sim.core.geometry.rotations import FloatArray

PIXELS = 64  # of a letter's height in the picture that outlines are taken from
WEIGHT = 700
ROUGHNESS = 0.45  # pixels that an outline may be off
BORDER = 4
SHARE = {"left": 0.0, "center": 0.5, "right": 1.0}


def letters(model: Model) -> Mesh:
    """Return the mesh of a model `text`: it stands on z = 0 and is read looking along +y.

    Args:
        model: `text`, several lines allowed; `size`, the height of a capital letter, metres;
            `depth`, metres; `align`, where the origin is: center, left or right.

    Raises:
        ValueError: the text is empty or too long, a length is not positive, or the alignment is
            unknown.
    """
    lines, size, depth, align = check_text(model)
    mesh = Mesh()
    for number, line in enumerate(lines):
        if not line.strip():
            continue
        outlines, width = _outlines(line)
        place = np.array([-width * SHARE[align], (len(lines) - 1 - number) * LINE])
        scaled = [(outline + place) * size for outline in outlines]
        _add_faces(mesh, scaled, depth)
        _add_walls(mesh, scaled, depth)
    return mesh


@lru_cache(maxsize=64)
def _outlines(line: str) -> tuple[list[FloatArray], float]:
    """Return closed outlines `[n, 2]` of a line, its capitals one high, and its width."""
    font = cv2.FontFace("sans")
    capital = _picture("H", font)
    rows = np.flatnonzero((capital > 127).any(axis=1))
    base, height = float(rows[-1]), float(rows[-1] - rows[0])
    picture = _picture(line, font)
    found, _ = cv2.findContours(
        (picture > 127).astype(np.uint8), cv2.RETR_CCOMP, cv2.CHAIN_APPROX_NONE
    )
    columns = np.flatnonzero((picture > 127).any(axis=0))
    outlines = []
    for contour in found:
        points = cv2.approxPolyDP(contour, ROUGHNESS, True)[:, 0].astype(np.float64)
        if len(points) >= 3:
            outlines.append(
                np.stack([points[:, 0] - columns[0], base - points[:, 1]], axis=1) / height
            )
    width = float(columns[-1] - columns[0]) / height if len(columns) else 0.0
    return outlines, width


def _picture(line: str, font: cv2.FontFace) -> Picture:
    place = (BORDER, int(1.4 * PIXELS))
    width = PIXELS * (len(line) + 2)
    picture = np.zeros((2 * PIXELS, width), np.uint8)
    cv2.putText(picture, line, place, 255, font, PIXELS, WEIGHT)
    return picture


def _add_faces(mesh: Mesh, outlines: list[FloatArray], depth: float) -> None:
    """Add front and back: between two heights of corners, sides pair up to trapezoids."""
    sides = np.concatenate(
        [np.concatenate([line, np.roll(line, -1, axis=0)], axis=1) for line in outlines]
        or [np.empty((0, 4))]
    )
    sides = np.where((sides[:, 1] > sides[:, 3])[:, None], sides[:, [2, 3, 0, 1]], sides)
    quads: list[list[tuple[float, float]]] = []
    levels = np.unique(sides[:, 1::2])
    for low, high in itertools.pairwise(levels):
        crossing = sides[(sides[:, 1] <= low) & (sides[:, 3] >= high) & (sides[:, 1] < sides[:, 3])]
        slope = (crossing[:, 2] - crossing[:, 0]) / (crossing[:, 3] - crossing[:, 1])
        below = crossing[:, 0] + slope * (low - crossing[:, 1])
        above = crossing[:, 0] + slope * (high - crossing[:, 1])
        order = np.argsort(below + above, kind="stable")
        for left, right in zip(order[::2], order[1::2], strict=False):
            quads.append([
                (below[left], low), (below[right], low), (above[right], high), (above[left], high),
            ])  # fmt: skip
    if not quads:
        return
    flat = np.array(quads).reshape(-1, 2)
    first = 4 * np.arange(len(quads))[:, None]
    front = np.concatenate([first + np.array([0, 1, 2]), first + np.array([0, 2, 3])])
    for y, corners in ((0.0, front), (depth, front[:, ::-1])):
        points = np.stack([flat[:, 0], np.full(len(flat), y), flat[:, 1]], axis=1)
        facing = np.tile([0.0, -1.0 if y == 0.0 else 1.0, 0.0], (len(flat), 1))
        mesh.add(points, facing, np.zeros((len(flat), 2)), corners)


def _add_walls(mesh: Mesh, outlines: list[FloatArray], depth: float) -> None:
    for outline in outlines:
        following = np.roll(outline, -1, axis=0)
        along = following - outline
        length = np.maximum(np.linalg.norm(along, axis=1), 1e-12)
        normal = np.stack([-along[:, 1], np.zeros(len(along)), along[:, 0]], axis=1)
        normal /= length[:, None]
        ends = [(outline, 0.0), (following, 0.0), (following, depth), (outline, depth)]
        corners = [np.stack([at[:, 0], np.full(len(at), y), at[:, 1]], axis=1) for at, y in ends]
        points = np.stack(corners, axis=1).reshape(-1, 3)
        first = 4 * np.arange(len(outline))[:, None]
        sides = np.concatenate([first + np.array([0, 2, 1]), first + np.array([0, 3, 2])])
        mesh.add(points, np.repeat(normal, 4, axis=0), np.zeros((len(points), 2)), sides)
