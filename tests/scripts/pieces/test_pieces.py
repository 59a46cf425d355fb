"""The pieces and the rack of the other games: closed, facing outward, with holes to look through."""

from __future__ import annotations

import numpy as np
import pytest

from scripts.pieces.discs import disc
from sim.core.geometry.meshes import torus
from tests.shipped import shipped_models

MODELS = shipped_models()


def made(name, **keys):
    return MODELS.kind(name).made(keys)


def parts(mesh):
    """Return `[n, 3]` points, `[n, 3]` normals and `[m, 3]` triangles."""
    rows = np.concatenate(mesh.rows)
    return rows[:, :3], rows[:, 3:6], np.concatenate(mesh.triangles)


def hits(mesh, origin, direction):
    """Count the triangles that a ray meets (Moeller, Trumbore)."""
    points, _, triangles = parts(mesh)
    a, b, c = (points[triangles[:, corner]].astype(float) for corner in range(3))
    across = np.cross(direction, c - a)
    size = np.einsum("ij,ij->i", b - a, across)
    safe = np.where(np.abs(size) < 1e-12, np.inf, size)
    first = np.einsum("ij,ij->i", origin - a, across) / safe
    other = np.cross(origin - a, b - a)
    second = other @ np.asarray(direction, float) / safe
    away = np.einsum("ij,ij->i", c - a, other) / safe
    inside = (first >= 0) & (second >= 0) & (first + second <= 1) & (away > 0)
    return int(np.count_nonzero(inside & np.isfinite(safe)))


@pytest.mark.parametrize(
    "mesh",
    [torus(0.3, 0.08), made("cross", radius=0.4, tube=0.08), made("counter", radius=0.45, height=0.2),
     made("rack", columns=7, rows=6)],
    ids=["torus", "cross", "counter", "rack"],
)  # fmt: skip
def test_triangles_face_where_their_normals_point(mesh):
    points, normals, triangles = parts(mesh)
    corners = points[triangles]
    facing = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    area = np.linalg.norm(facing, axis=1)
    agreement = np.einsum("ij,ij->i", facing, normals[triangles].mean(axis=1))
    assert triangles.max() < len(points)
    assert np.all(agreement[area > 1e-7] > 0)
    np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1.0, atol=1e-4)


def test_one_looks_through_the_holes_of_a_rack_and_not_between_them():
    mesh = made("rack", columns=7, rows=6)
    for column in range(7):
        for row in range(6):
            middle = (column - 3.0, row - 2.5)
            assert hits(mesh, np.array([middle[0], -9.0, middle[1]]), (0, 1, 0)) == 0
            edge = (middle[0] + 0.46, middle[1] + 0.46)
            assert hits(mesh, np.array([edge[0] + 0.003, -9.0, edge[1] + 0.001]), (0, 1, 0)) >= 2


def test_a_torus_is_open_in_the_middle_and_lies_on_the_ground():
    mesh = torus(0.3, 0.08)
    assert hits(mesh, np.array([0.01, 0.01, 5.0]), (0, 0, -1)) == 0
    assert hits(mesh, np.array([0.3, 0.011, 5.0]), (0, 0, -1)) == 2
    assert parts(mesh)[0][:, 2].min() == pytest.approx(0.0, abs=1e-3)


def test_a_cross_reaches_into_its_four_corners():
    points = parts(made("cross", radius=0.4, tube=0.08))[0]
    for x, y in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
        assert (points[:, 0] * x + points[:, 1] * y).max() / np.sqrt(2) == pytest.approx(0.4, 0.01)
    assert points[:, 2].min() == pytest.approx(0.0, abs=1e-6)


def test_a_flat_disc_is_full_and_as_wide_as_it_says():
    points, _, triangles = parts(disc(0.4))
    corners = points[triangles]
    facing = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])[:, 2] / 2.0
    assert np.hypot(*points[:, :2].T).max() == pytest.approx(0.4)
    assert facing.sum() == pytest.approx(np.pi * 0.4**2, rel=0.02)
