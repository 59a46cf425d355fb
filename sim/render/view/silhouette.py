"""The outline of what is drawn, in pixels of the view: its triangles, projected and filled."""

from __future__ import annotations

import itertools

import cv2
import numpy as np
import numpy.typing as npt
from panda3d.core import Geom, GeomEnums, NodePath

from sim.core.geometry.rotations import FloatArray

MOST_TRIANGLES = 4000  # of an object; with more, the hull of its points is drawn
MARGIN = 2  # pixels between what is drawn and its outline
SMOOTH = 0.7  # pixels that the outline may leave its steps by
CORNERS = np.array([[number >> axis & 1 for axis in range(3)] for number in range(8)])
TRIPLES = np.array(list(itertools.combinations(range(8), 3)))
NEAR = 0.1  # metres before the eye
Outline = npt.NDArray[np.float64]


def triangles_of(node: NodePath) -> FloatArray:
    """Return the triangles `[m, 3, 3]` below a node, in its parent's space."""
    top = node.get_top()
    found = [np.empty((0, 3, 3))]
    for part in node.find_all_matches("**/+GeomNode"):
        place = np.array(part.get_mat(top), dtype=np.float64).reshape(4, 4)
        found += [_of_geom(geom, place) for geom in part.node().get_geoms()]
    return np.concatenate(found)


def _of_geom(geom: Geom, place: FloatArray) -> FloatArray:
    if geom.get_primitive_type() != GeomEnums.PT_polygons:
        return np.empty((0, 3, 3))
    data = geom.get_vertex_data().get_array(0)
    column = data.get_array_format().get_column(0)
    rows = np.frombuffer(bytes(data.get_handle().get_data()), dtype=np.uint8)
    table = rows.reshape(-1, data.get_array_format().get_stride())
    start = column.get_start()
    points = np.ascontiguousarray(table[:, start : start + 12]).view(np.float32).astype(np.float64)
    world = points @ place[:3, :3] + place[3, :3]
    order = [
        primitive.get_vertex(number)
        for primitive in geom.decompose().get_primitives()
        for number in range(primitive.get_num_vertices())
    ]
    return np.asarray(world[order[: len(order) // 3 * 3]].reshape(-1, 3, 3))


def box_of(node: NodePath) -> FloatArray | None:
    """Return the corners `[8, 3]` of the box around a node; None if nothing is below it."""
    bounds = node.get_tight_bounds()
    if not bounds:
        return None
    low, high = (np.array([float(item) for item in corner]) for corner in bounds)
    return np.asarray(np.where(CORNERS, high, low))


def box_triangles(node: NodePath) -> FloatArray:
    """Return triangles `[m, 3, 3]` that together cover the box around a node."""
    corners = box_of(node)
    return np.empty((0, 3, 3)) if corners is None else np.asarray(corners[TRIPLES])


def cut_before(triangles: FloatArray, eye: FloatArray, ahead: FloatArray) -> FloatArray:
    """Return what lies before an eye of triangles `[m, 3, 3]`, as triangles."""
    depths = (triangles - eye) @ ahead - NEAR
    is_before = depths > 0.0
    whole = triangles[is_before.all(axis=1)]
    is_cut = is_before.any(axis=1) & ~is_before.all(axis=1)
    parts: list[FloatArray] = []
    for corners, deep in zip(triangles[is_cut], depths[is_cut], strict=True):
        found: list[FloatArray] = []
        for number in range(3):
            one, other = corners[number - 1], corners[number]
            near, far = float(deep[number - 1]), float(deep[number])
            if (near > 0.0) is not (far > 0.0):
                found.append(one + (other - one) * (near / (near - far)))
            if far > 0.0:
                found.append(other)
        parts += [np.array([found[0], *found[at : at + 2]]) for at in range(1, len(found) - 1)]
    return np.concatenate([whole, np.array(parts)]) if parts else whole


def outlines_of(triangles: FloatArray, viewport: tuple[int, int, int, int]) -> list[Outline]:
    """Return the closed outlines `[n, 2]` around triangles `[m, 3, 2]`, pixels of the window."""
    left, top, width, height = viewport
    good = triangles[np.isfinite(triangles).all(axis=(1, 2))]
    low, high = good.min(axis=1, initial=np.inf), good.max(axis=1, initial=-np.inf)
    is_seen = (high >= (left, top)).all(axis=1) & (low <= (left + width, top + height)).all(axis=1)
    good = good[is_seen]
    if not len(good):
        return []
    start = np.maximum(np.floor(good.min(axis=(0, 1))), (left, top)) - 2 * MARGIN
    end = np.minimum(np.ceil(good.max(axis=(0, 1))), (left + width, top + height)) + 2 * MARGIN
    columns, rows = (end - start).astype(int) + 1
    mask = np.zeros((rows, columns), dtype=np.uint8)
    flat = np.clip(np.rint(good - start), -20_000, 20_000).astype(np.int32)
    for triangle in flat if len(flat) <= MOST_TRIANGLES else [cv2.convexHull(flat.reshape(-1, 2))]:
        cv2.fillConvexPoly(mask, triangle, 255)
    mask = cv2.dilate(mask, np.ones((2 * MARGIN + 1, 2 * MARGIN + 1), dtype=np.uint8))
    found, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    return [
        cv2.approxPolyDP(item, SMOOTH, closed=True).reshape(-1, 2).astype(np.float64) + start
        for item in found
    ]
