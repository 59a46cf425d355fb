"""Materials of files: the factors and textures that each format says, in one record."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
import pytest

from sim.core.assets.animation.poses import FloatArray
from sim.render.importing.model_data import (
    MeshData,
    metallic_roughness_of,
    normals_of,
)
from sim.render.materials.surface import Surface
from tests.sim.render.importing.gltf_files import Buffer, glb_of
from tests.sim.render.importing.model_files import Model, imported

CORNERS = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0)], float)
PICTURES = ("color", "normal", "metal", "glow", "shade")
FULL: dict[str, Any] = {
    "pbrMetallicRoughness": {
        "baseColorFactor": [0.5, 0.25, 0.125, 0.75],
        "baseColorTexture": {"index": 0},
        "metallicFactor": 0.9,
        "roughnessFactor": 0.2,
        "metallicRoughnessTexture": {"index": 2},
    },
    "normalTexture": {"index": 1, "scale": 0.5},
    "occlusionTexture": {"index": 4, "strength": 0.25},
    "emissiveTexture": {"index": 3},
    "emissiveFactor": [1.0, 0.5, 0.0],
    "extensions": {"KHR_materials_emissive_strength": {"emissiveStrength": 4.0}},
    "alphaMode": "MASK",
    "alphaCutoff": 0.3,
    "doubleSided": True,
}
MTL = """newmtl m
Kd 0.5 0.4 0.3
Ke 0.1 0.2 0.9
Pr 0.3
Pm 0.8
norm normal.png
"""
PICTURED_MTL = """newmtl m
Kd 0.5 0.4 0.3
map_Ke glow.png
map_Pr shade.png
map_Pm metal.png
bump -bm 0.5 heights.png
"""
CUBE = np.array([[number >> axis & 1 for axis in range(3)] for number in range(8)], float)
SIDES = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]


def glb(material: dict[str, Any] | None) -> bytes:
    """Return a triangle with a material and five pictures beside it."""
    buffer = Buffer()
    attributes = {
        "POSITION": buffer.add(CORNERS, "VEC3"),
        "TEXCOORD_0": buffer.add(CORNERS[:, :2], "VEC2"),
    }
    part = {"attributes": attributes} | ({} if material is None else {"material": 0})
    data = {
        "asset": {"version": "2.0"},
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [part]}],
        "materials": [material or {}],
        "images": [{"uri": f"{name}.png"} for name in PICTURES],
        "textures": [{"source": number} for number in range(len(PICTURES))],
    }
    return glb_of(data, buffer)


def obj(name: str) -> bytes:
    """Return a square in the format OBJ, of two triangles."""
    corners = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n"
    return f"mtllib {name}\n{corners}usemtl m\nf 1/1 2/2 3/3 4/4\n".encode()


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[dict[str, Any], Model]]:
    """Import the files of this test in one child; return each one's report and model."""
    project = tmp_path_factory.mktemp("project")
    for number, name in enumerate((*PICTURES, "heights")):
        shape = (4, 4 + number, 3)
        ramp = np.tile(np.linspace(0, 255, shape[1], dtype=np.uint8)[None, :, None], (4, 1, 3))
        flat = np.full(shape, 40 * number + 20, dtype=np.uint8)
        flat[..., 0] = 250  # no grey
        cv2.imwrite(str(project / f"{name}.png"), ramp if name == "heights" else flat)
    cutout = np.full((4, 4, 4), 200, dtype=np.uint8)
    cv2.imwrite(str(project / "color.png"), cutout)
    contents = {
        "full.glb": glb(FULL),
        "bare.glb": glb(None),
        "defaults.glb": glb({}),
        "unlit.glb": glb({"extensions": {"KHR_materials_unlit": {}}}),
        "words.mtl": MTL.encode(),
        "pictured.mtl": PICTURED_MTL.encode(),
        "words.obj": obj("words.mtl"),
        "pictured.obj": obj("pictured.mtl"),
    }
    for name, content in contents.items():
        (project / name).write_bytes(content)
    files = [project / name for name in contents if not name.endswith(".mtl")]
    found = imported(files, tmp_path_factory.mktemp("cache"), project)
    return {
        file.name: (report, Model(folder))
        for file, (report, folder) in zip(files, found, strict=True)
    }


def look(models: dict[str, tuple[dict[str, Any], Model]], name: str) -> dict[str, Any]:
    """Return the only material of a file; of each texture the width."""
    report, model = models[name]
    assert not report["warnings"], report
    (path,) = model.figure.node.find_all_matches("**/+GeomNode")
    (part,) = model.parts()
    stages = path.find_all_texture_stages()
    return part | {
        stages.get_texture_stage(number).get_name(): path.get_texture(
            stages.get_texture_stage(number)
        ).get_x_size()
        for number in range(stages.get_num_texture_stages())
    }


def test_a_gltf_material_brings_all_its_factors_and_textures(models) -> None:
    found = look(models, "full.glb")
    expected = {
        "color": [0.5, 0.25, 0.125], "opacity": 0.75, "metallic": 0.9, "roughness": 0.2,
        "normal_scale": 0.5, "occlusion_strength": 0.25, "emissive": [4.0, 2.0, 0.0],
        "alpha_cutoff": 0.3, "is_double_sided": True, "is_unlit": False, "is_cut": True,
        "picture": 4, "normal_picture": 5, "metallic_roughness_picture": 6,
        "emissive_picture": 7, "occlusion_picture": 8,
    }  # fmt: skip
    assert {key: found.get(key) for key in expected} == expected


def test_what_a_gltf_material_leaves_out_has_the_values_of_the_specification(models) -> None:
    found = look(models, "defaults.glb")
    assert (found["metallic"], found["roughness"], found["color"]) == (1.0, 1.0, [1.0, 1.0, 1.0])
    assert (found["is_double_sided"], found["alpha_cutoff"]) == (False, None)
    assert look(models, "unlit.glb")["is_unlit"]
    assert look(models, "bare.glb")["metallic"] == 0.0, "no material declares no metal"


def test_the_words_of_a_material_library(models) -> None:
    found = look(models, "words.obj")
    assert found["emissive"] == pytest.approx([0.1, 0.2, 0.9])
    assert (found["metallic"], found["roughness"]) == pytest.approx((0.8, 0.3))
    assert found["normal_picture"] == 5
    assert found["is_double_sided"], "a square is open"


def test_the_pictures_of_a_material_library(models) -> None:
    found = look(models, "pictured.obj")
    assert found["emissive"] == [1.0, 1.0, 1.0]
    assert (found["metallic"], found["roughness"]) == (1.0, 1.0), "the pictures tell"
    keys = ("emissive_picture", "metallic_roughness_picture", "normal_picture")
    assert [found[key] for key in keys] == [7, 8, 9]


def test_two_grey_pictures_become_one() -> None:
    metal, rough = (np.full((2, size, 3), size * 10, dtype=np.uint8) for size in (2, 4))
    joined = metallic_roughness_of(metal, rough)
    assert joined is not None
    assert joined.shape == (2, 4, 3)
    assert joined[0, 0].tolist() == [20, 40, 255], "blue is metal, green is roughness"
    alone = metallic_roughness_of(None, rough)
    assert alone is not None
    assert alone[0, 0].tolist() == [255, 40, 255]
    assert metallic_roughness_of(None, None) is None


def test_heights_become_slopes_and_normals_stay() -> None:
    ramp = np.tile(np.arange(0, 256, 16, dtype=np.uint8)[None, :, None], (8, 1, 3))
    right, up, out = (normals_of(ramp)[4, 8, ::-1].astype(float) / 127.5 - 1.0).tolist()
    slope = 8.0 * 16.0 / 255.0
    assert (right / out, up) == pytest.approx((-slope, 0.0), abs=0.02)
    down = normals_of(np.ascontiguousarray(ramp.transpose(1, 0, 2)))[8, 4, ::-1]
    assert down[1] > 160, "what falls upwards leans up"
    map_ = np.full((4, 4, 3), (255, 128, 128), dtype=np.uint8)
    assert normals_of(map_) is map_


@pytest.mark.parametrize(("sides", "is_open"), [(6, False), (5, True), (1, True)])
def test_a_mesh_is_open_where_a_side_is_missing(sides: int, is_open: bool) -> None:
    points: FloatArray = CUBE[np.array(SIDES[:sides]).ravel()]  # corners are not shared
    first = 4 * np.arange(sides)[:, None]
    triangles = np.concatenate([first + np.array([0, 1, 2]), first + np.array([0, 2, 3])])
    mesh = MeshData("m", 0, points, points, points[:, :2], triangles, 0)
    assert mesh.is_open() is is_open
    assert Surface().is_double_sided is None
