"""Models far from their origin keep their shape; blend shapes at rest count; marks are skipped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sim.core.assets.assets import MODEL_NAME
from sim.physics.asset_mesh import read_triangles
from tests.sim.render.importing.cases_gltf import CORNERS, LYING, node, triangle
from tests.sim.render.importing.gltf_files import Buffer, glb_of, small_glb
from tests.sim.render.importing.model_files import Model, imported
from tests.sim.render.importing.test_gltf_parts import joined, split
from tests.sim.render.importing.test_what_is_taken import OBJ, PLY

FAR = (400_000.0, 4_600_000.0, 120.0)
MARK = b"\xef\xbb\xbf"


def far_obj() -> bytes:
    lines = [f"v {x + FAR[0]} {z + FAR[1]} {-y + FAR[2]}" for x, y, z in LYING / 8]
    return "\n".join([*lines, "f 1 2 3"]).encode()


def walking_glb(place: tuple[float, float, float]) -> bytes:
    """Return a triangle of 1 m at a place, that a clip moves by 2 m along x."""
    buffer = Buffer()
    attributes = {"POSITION": buffer.add(CORNERS, "VEC3")}
    moved = [place, (place[0] + 2.0, place[1], place[2])]
    clip = {
        "name": "walk",
        "samplers": [{"input": buffer.add([0.0, 1.0], "SCALAR"),
                      "output": buffer.add(moved, "VEC3")}],
        "channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}}],
    }  # fmt: skip
    data = {
        "asset": {"version": "2.0"},
        "nodes": [{"mesh": 0, "translation": place}],
        "meshes": [{"primitives": [{"attributes": attributes}]}],
        "animations": [clip],
    }
    return glb_of(data, buffer)


def shaped_glb() -> bytes:
    """Return the strip of `gltf_files` with its blend shape on at rest."""
    data, rest = split(small_glb())
    data["meshes"][0]["weights"] = [2.0]
    del data["animations"]
    return joined(data, rest)


FILES = {
    "far.obj": far_obj(),
    "node.glb": triangle(node(translation=[4_600_000.0, 0.0, -400_000.0])),
    "walk.glb": walking_glb((4_600_000.0, 0.0, 0.0)),
    "near.glb": triangle(node(translation=[900.0, 0.0, 0.0])),
    "large.glb": triangle(node(translation=[90_000.0, 0.0, 0.0], scale=[500.0, 500.0, 500.0])),
    "shaped.glb": shaped_glb(),
    "marked.obj": MARK + OBJ.format("marked.mtl").encode(),
    "marked.ply": MARK + PLY.encode(),
}
Results = dict[str, tuple[dict[str, Any], Path]]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Each file's report and folder; all are read in one process."""
    folder = tmp_path_factory.mktemp("far")
    (folder / "marked.mtl").write_bytes(MARK + b"newmtl m\nKd 0.5 0.25 0.125\n")
    for name, content in FILES.items():
        (folder / name).write_bytes(content)
    found = imported([folder / name for name in FILES], folder / "made")
    assert [report for report, _ in found if "error" in report] == []
    return dict(zip(FILES, found, strict=True))


def shape_of(points: np.ndarray) -> np.ndarray:
    """Return points relative to the corner with the smallest coordinates, sorted."""
    return np.array(sorted(map(tuple, (points - points.min(axis=0)).round(4))))


@pytest.mark.parametrize(
    ("name", "size"), [("far.obj", 0.125), ("node.glb", 1.0), ("walk.glb", 1.0)]
)
def test_a_far_model_is_moved_to_its_origin_and_keeps_its_shape(
    results: Results, name: str, size: float
) -> None:
    report, folder = results[name]
    (warning,) = report["warnings"]
    assert "too far for its shape: moved there by (" in warning
    points = Model(folder).points()
    assert np.abs(points).max() < 2.0
    assert np.allclose(shape_of(points), shape_of(LYING * size), atol=1e-4)
    assert np.allclose(
        shape_of(read_triangles(folder / MODEL_NAME).reshape(-1, 3)), shape_of(points), atol=1e-4
    )


def test_a_far_model_still_walks(results: Results) -> None:
    model = Model(results["walk.glb"][1])
    gone = model.points("walk", 1.0) - model.points("walk", 0.0)
    assert np.allclose(gone, (2.0, 0.0, 0.0), atol=1e-3)


@pytest.mark.parametrize(("name", "x"), [("near.glb", 900.0), ("large.glb", 90_000.0)])
def test_a_model_that_is_not_so_far_stays(results: Results, name: str, x: float) -> None:
    report, folder = results[name]
    assert report["warnings"] == []
    assert Model(folder).points()[:, 0].min() == pytest.approx(x)


def test_blend_shapes_that_are_on_at_rest_count(results: Results) -> None:
    _, folder = results["shaped.glb"]
    model = Model(folder)
    sliders = model.rig.rest.sliders.tolist()
    assert sliders == [2.0]
    found = read_triangles(folder / MODEL_NAME, sliders).reshape(-1, 3)
    drawn = model.points()
    assert np.allclose(found.max(axis=0), drawn.max(axis=0), atol=1e-5)
    assert np.allclose(found.min(axis=0), drawn.min(axis=0), atol=1e-5)
    flat = read_triangles(folder / MODEL_NAME).reshape(-1, 3)
    assert np.ptp(flat[:, 1]) < np.ptp(found[:, 1])


def test_a_byte_order_mark_is_no_part_of_a_text(results: Results) -> None:
    report, folder = results["marked.obj"]
    assert report["warnings"] == []
    assert Model(folder).parts()[0]["color"] == pytest.approx([0.5, 0.25, 0.125])
    assert len(Model(results["marked.ply"][1]).points()) == 3
