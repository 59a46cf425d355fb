"""Outlines of objects as they are seen, in pixels, found by filling their projected triangles."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt
from panda3d.core import Geom, GeomEnums, GeomPrimitive, NodePath

from sim.core.geometry.rotations import FloatArray

FEW = 600  # triangles that are filled one by one
MOST_TRIANGLES = 6000  # of an object; with more, the hull of its points is outlined
MARGIN = 2  # pixels between what is drawn and its outline
SMOOTH = 1.0  # pixels that the outline may leave its steps by; 0.7 keeps ten times the corners
CORNERS = np.array([[number >> axis & 1 for axis in range(3)] for number in range(8)])
TRIPLES = np.array(list(itertools.combinations(range(8), 3)))
NEAR = 0.1  # metres before the eye
INDEX_KINDS = {
    GeomEnums.NT_uint8: np.uint8,
    GeomEnums.NT_uint16: np.uint16,
    GeomEnums.NT_uint32: np.uint32,
}
IntArray = npt.NDArray[np.int64]
Outline = npt.NDArray[np.float64]


def triangles_of(node: NodePath) -> FloatArray:
    """Return the triangles `[m, 3, 3]` below a node, in its own space."""
    found = [np.empty((0, 3, 3))]
    for part in node.find_all_matches("**/+GeomNode"):
        place = np.array(part.get_mat(node), dtype=np.float64).reshape(4, 4)
        found += [_of_geom(geom, place) for geom in part.node().get_geoms()]
    return np.concatenate(found)


@dataclass(frozen=True)
class OutlineShape:
    """The triangles from which an object's outline is computed.

    Attributes:
        triangles: `[m, 3, 3]`, in the object's space.
        is_hull: whether the outline is that of their convex hull.
    """

    triangles: FloatArray
    is_hull: bool


def outline_shape_of(node: NodePath, *, is_boxed: bool = False) -> OutlineShape:
    """Return the triangles for outlining a node; those of its bounding box if it has no meshes.

    Args:
        node: the node.
        is_boxed: whether to outline the bounding box in any case.
    """
    found = np.empty((0, 3, 3)) if is_boxed else triangles_of(node)
    if len(found) > MOST_TRIANGLES:
        return OutlineShape(found[:: -(-len(found) // FEW)], is_hull=True)
    if len(found):
        return OutlineShape(found, is_hull=False)
    corners = box_of(node, node)
    return OutlineShape(found if corners is None else np.asarray(corners[TRIPLES]), is_hull=True)


def in_world(triangles: FloatArray, node: NodePath) -> FloatArray:
    """Transform triangles `[m, 3, 3]` from a node's space to world space."""
    place = np.array(node.get_mat(node.get_top()), dtype=np.float64).reshape(4, 4)
    return np.asarray(triangles @ place[:3, :3] + place[3, :3])


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
    parts = [_numbers_of(primitive) for primitive in geom.decompose().get_primitives()]
    order = np.concatenate([np.empty(0, dtype=np.int64), *parts])
    return np.asarray(world[order[: len(order) // 3 * 3]].reshape(-1, 3, 3))


def _numbers_of(primitive: GeomPrimitive) -> IntArray:
    """Return the vertex indices of a primitive, in order."""
    if not primitive.is_indexed():
        first = primitive.get_first_vertex()
        return np.arange(first, first + primitive.get_num_vertices())
    kind = INDEX_KINDS[primitive.get_index_type()]
    data = bytes(primitive.get_vertices().get_handle().get_data())
    return np.frombuffer(data, dtype=kind).astype(np.int64)


def box_of(node: NodePath, space: NodePath) -> FloatArray | None:
    """Return the corners `[8, 3]` of a node's bounding box; None if it is empty.

    Args:
        node: the node.
        space: node in whose coordinates the box is aligned and returned.
    """
    bounds = node.get_tight_bounds(space)
    if not bounds:
        return None
    low, high = (np.array([float(item) for item in corner]) for corner in bounds)
    return np.asarray(np.where(CORNERS, high, low))


def cut_before(triangles: FloatArray, eye: FloatArray, ahead: FloatArray) -> FloatArray:
    """Clip triangles to the part in front of the camera.

    Args:
        triangles: `[m, 3, 3]` in world space.
        eye: `[3]` position of the camera.
        ahead: `[3]` unit vector of its direction of view.
    """
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


def outlines_of(
    triangles: FloatArray, viewport: tuple[int, int, int, int], *, is_hull: bool = False
) -> list[Outline]:
    """Return the closed outlines `[n, 2]` around projected triangles, in pixels of the window.

    Args:
        triangles: `[m, 3, 2]` pixels of the window; those with NaN are ignored.
        viewport: left, top, width and height of the view, pixels.
        is_hull: whether to outline their convex hull.
    """
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
    _fill(mask, np.clip(np.rint(good - start), -20_000, 20_000).astype(np.int32), is_hull=is_hull)
    mask = cv2.dilate(mask, np.ones((2 * MARGIN + 1, 2 * MARGIN + 1), dtype=np.uint8))
    found, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    return [
        cv2.approxPolyDP(item, SMOOTH, closed=True).reshape(-1, 2).astype(np.float64) + start
        for item in found
    ]


def _fill(mask: npt.NDArray[np.uint8], flat: npt.NDArray[np.int32], *, is_hull: bool) -> None:
    """Draw triangles into a mask, in place.

    If there are many, only the edges of those that lie inside the mask are drawn, which is faster
    and has the same outline.

    Args:
        mask: `[h, w]` picture.
        flat: `[m, 3, 2]` corners in pixels of the mask.
        is_hull: whether to fill their convex hull instead.
    """
    if is_hull:
        cv2.fillConvexPoly(mask, cv2.convexHull(flat.reshape(-1, 2)), 255)
        return
    filled = flat
    if len(flat) > FEW:
        one, other = flat[:, 1] - flat[:, 0], flat[:, 2] - flat[:, 0]
        faces = one[:, 0] * other[:, 1] - one[:, 1] * other[:, 0]
        flat = flat[faces < 0] if (faces < 0).any() else flat  # what looks here, as y goes down
        edge = (mask.shape[1], mask.shape[0])
        is_cut = ((flat < 0) | (flat >= edge)).any(axis=(1, 2))
        filled = flat[is_cut]
        cv2.polylines(mask, list(flat[~is_cut]), isClosed=True, color=255)
    for triangle in filled:
        cv2.fillConvexPoly(mask, triangle, 255)
