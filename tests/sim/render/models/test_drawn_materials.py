"""Materials of files as they are drawn: values where there are values, else pixels."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.material_samples import Shape, ball, glb, normal_map, sheet
from sim.core.geometry.camera_pose import CameraPose
from sim.render.view.scene_view import nearest
from sim.testing import Pilot

SIZE = (64, 64)
APART = 8.0  # metres from one sample to the next
MATT = {"metallicFactor": 0.0, "roughnessFactor": 1.0}
GREY = [0.2, 0.2, 0.2, 1.0]
SLOPE = 0.5
ZENITH, HORIZON = (0.20, 0.44, 0.84), (0.70, 0.82, 0.94)  # of a sky


def flat(*color: int, size: int = 16) -> np.ndarray:
    """Return a picture of one colour, BGR or BGRA."""
    return np.full((size, size, len(color)), color, dtype=np.uint8)


def halves(left: tuple[int, ...], right: tuple[int, ...]) -> np.ndarray:
    """Return a picture whose left half has another colour than its right half."""
    return np.concatenate([flat(*left), flat(*right)], axis=1)


def leaning(along_u: float, along_v: float, *, is_turned: bool = False) -> Shape:
    """Return a sheet whose vertices have the normals of a slope, u to the right and v up."""
    shape = sheet(2.0, 2.0)
    normal = np.array([-along_u, -along_v, 1.0])
    shape.normals = np.tile(normal / np.linalg.norm(normal), (len(shape.points), 1))
    if is_turned:
        shape.uvs = np.stack([1.0 - shape.uvs[:, 0], shape.uvs[:, 1]], axis=1)
    return shape


def slope_map(along_u: float, along_v: float) -> np.ndarray:
    """Return the normal map of a slope."""
    rows, columns = np.mgrid[0:16, 0:16]
    heights = along_u * columns - along_v * rows
    return np.tile(normal_map(heights, 1.0)[8:9, 8:9], (16, 16, 1))


def pbr(**keys: Any) -> dict[str, Any]:
    return {"pbrMetallicRoughness": {**MATT, "baseColorFactor": GREY, **keys}}


def picture(number: int = 0) -> dict[str, int]:
    return {"index": number}


SHINY = {"metallicFactor": 1.0, "roughnessFactor": 0.3, "baseColorFactor": [1, 0.8, 0.4, 1]}
ON_ALL = {"baseColorTexture": picture()}
MASK = {"alphaMode": "MASK", "alphaCutoff": 0.4}
HOLE = halves((60, 200, 60, 250), (60, 200, 60, 90))
SAMPLES: dict[str, tuple[Shape, dict[str, Any], list[np.ndarray]]] = {
    "red glow": (sheet(2, 2), {**pbr(baseColorFactor=[0, 0, 0, 1]), "emissiveFactor": [1, 0, 0]}, []),
    "blue glow": (sheet(2, 2), {**pbr(), "emissiveFactor": [0, 0, 0.6]}, []),
    "no glow": (sheet(2, 2), pbr(), []),
    "glow map": (
        sheet(2, 2), {**pbr(), "emissiveTexture": picture(), "emissiveFactor": [1, 1, 1]},
        [halves((0, 0, 0), (40, 240, 240))],
    ),
    "one side": (sheet(2, 2), {**pbr(), "doubleSided": False}, []),
    "both sides": (sheet(2, 2), {**pbr(), "doubleSided": True}, []),
    "mask": (sheet(2, 2), {**pbr(baseColorFactor=[1, 1, 1, 1], **ON_ALL), **MASK}, [HOLE]),
    "low mask": (
        sheet(2, 2),
        {**pbr(baseColorFactor=[1, 1, 1, 1], **ON_ALL), **MASK, "alphaCutoff": 0.3}, [HOLE],
    ),
    "opaque": (sheet(2, 2), pbr(baseColorFactor=[1, 1, 1, 0.1], **ON_ALL), [HOLE]),
    "unlit": (
        sheet(2, 2), {**pbr(baseColorFactor=[1, 1, 1, 1], **ON_ALL),
                      "extensions": {"KHR_materials_unlit": {}}}, [flat(50, 100, 150)],
    ),
    "lit": (sheet(2, 2), pbr(baseColorFactor=[1, 1, 1, 1], **ON_ALL), [flat(50, 100, 150)]),
    "mirror": (sheet(2, 2), pbr(metallicFactor=1, roughnessFactor=0, baseColorFactor=[1] * 4), []),
    "gold": (ball(1.0), pbr(**SHINY), []),
    "plastic": (ball(1.0), pbr(**{**SHINY, "metallicFactor": 0.0}), []),
    "rough gold": (ball(1.0), pbr(**{**SHINY, "roughnessFactor": 1.0}), []),
    "factors": (ball(1.0), pbr(**{**SHINY, "roughnessFactor": 0.5, "metallicFactor": 1.0}), []),
    "metal map": (
        ball(1.0), pbr(**{**SHINY, "roughnessFactor": 1.0, "metallicRoughnessTexture": picture()}),
        [flat(255, 128, 0)],
    ),
    "half metal": (
        sheet(2, 2), pbr(**{**SHINY, "metallicRoughnessTexture": picture()}),
        [halves((255, 60, 0), (0, 60, 0))],
    ),
    "shade": (
        sheet(2, 2), {**pbr(), "occlusionTexture": picture()}, [halves((0, 0, 0), (0, 0, 255))],
    ),
    "no slope": (sheet(2, 2), pbr(**SHINY), []),
    **{
        f"{word} {kind}": (
            leaning(u, v) if kind == "by vertices" else leaning(0, 0, is_turned="turned" in kind),
            {**pbr(**SHINY), **({} if kind == "by vertices" else {"normalTexture": picture()})},
            [] if kind == "by vertices" else [slope_map(-u if "turned" in kind else u, v)],
        )
        for word, u, v in (("right", SLOPE, 0.0), ("up", 0.0, SLOPE))
        for kind in ("by vertices", "by a map", "by a turned map")
    },
}  # fmt: skip
NUMBERS = {name: number for number, name in enumerate(SAMPLES)}
Stage = dict[str, Any]


def scene_of(folder: Path) -> Path:
    """Write a project with the samples beside each other, and a floor below one of them."""
    for name in ("assets", "scenes"):
        (folder / name).mkdir()
    (folder / "goishi.toml").write_text("", encoding="utf-8")
    objects: dict[str, Any] = {}
    for name, number in NUMBERS.items():
        shape, material, pictures = SAMPLES[name]
        file = f"assets/a{number}.glb"
        (folder / file).write_bytes(glb([shape], [material], pictures))
        objects[f"obj_a{number:09d}"] = {
            "name": name, "position": [APART * number, 0, 0], "model": {"asset": file},
        }  # fmt: skip
    lights = {
        "obj_sky0000001": {"name": "Sky", "components": {"cmp_sky": {"type": "sim:Sky"}}},
        "obj_sun0000001": {
            "name": "Sun", "position": [0, -0.2, 9],
            "components": {"cmp_sun": {"type": "sim:Light", "fields": {
                "kind": "sun", "shadows": "cast", "intensity": 2.0}}},
        },
        "obj_floor00001": {
            "name": "Floor", "position": [APART * NUMBERS["mask"], 0, -1],
            "model": {"builtin": "box", "size": [6, 6, 0.1]}, "material": {"color": [0.5, 0.5, 0.5]},
        },
    }  # fmt: skip
    document = {
        "format": "goishi.scene/1",
        "id": "scn_materials1",
        "objects": {**objects, **lights},
    }
    path = folder / "scenes" / "a.scene.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def pilot(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pilot]:
    scene = scene_of(tmp_path_factory.mktemp("project"))
    with Pilot(scene=scene, panels=False, window=(320, 200), quality="medium") as found:
        found.app.world.assets.poll(60.0)
        found.step(3)
        yield found


def seen(
    pilot: Pilot, name: str, eye: tuple[float, float, float] = (0.0, -4.0, 0.0), height: float = 1.0
) -> np.ndarray:
    """Return the picture `[64, 64, 3]` RGB of a sample, as whole numbers.

    Args:
        pilot: drives the app.
        name: the sample.
        eye: place of the camera, relative to what it looks at.
        height: of the point that it looks at, along the sample's z axis.
    """
    target = np.array(pilot.app.scene.find(name).transform.to_world((0.0, 0.0, height)))
    pose = CameraPose.looking_at(tuple(target + eye), tuple(target), 40.0)
    return np.asarray(pilot.app.view.image(pose, SIZE, overlays=False), dtype=int)


def middle(image: np.ndarray, column: int = 32, row: int = 32) -> np.ndarray:
    return image[row - 2 : row + 3, column - 2 : column + 3].mean(axis=(0, 1))


def test_emission_has_its_own_colour_and_picture(pilot) -> None:
    red, green, blue = middle(seen(pilot, "red glow"))
    assert red > 200
    assert max(green, blue) < 60, "the base is black"
    base, glowing = middle(seen(pilot, "no glow")), middle(seen(pilot, "blue glow"))
    assert np.abs(glowing - base)[:2].max() < 3, "red and green stay"
    assert glowing[2] > base[2] + 40
    image = seen(pilot, "glow map")
    assert middle(image, 20) == pytest.approx(base, abs=3), "its dark half gives no light"
    assert middle(image, 44)[:2].min() > 200
    assert middle(image, 44)[2] < 200


def test_backs_are_drawn_if_a_material_has_two_sides(pilot) -> None:
    behind = (0.0, 4.0, 0.0)
    back = seen(pilot, "both sides", behind)
    empty = seen(pilot, "one side", behind)
    assert np.abs(middle(back) - middle(empty)).max() > 20
    assert np.abs(middle(empty) - empty[32, 2]).max() < 8, "only the sky behind it"
    assert middle(seen(pilot, "both sides")) == pytest.approx(
        middle(seen(pilot, "one side")), abs=2
    )
    pilot.app.scene.find("both sides").transform.scale = (-1.0, 1.0, 1.0)
    pilot.step()
    assert middle(seen(pilot, "both sides", behind)) == pytest.approx(middle(back), abs=2)
    pilot.app.scene.find("both sides").transform.scale = (1.0, 1.0, 1.0)


def test_a_mask_has_holes_below_its_cutoff_and_is_solid_elsewhere(pilot) -> None:
    image, solid = seen(pilot, "mask"), seen(pilot, "opaque")
    assert np.abs(middle(image, 20) - middle(solid, 20)).max() < 3
    assert np.abs(middle(image, 44) - middle(solid, 44)).max() > 20, "a hole"
    assert np.abs(middle(seen(pilot, "low mask"), 44) - middle(solid, 44)).max() < 3
    assert not pilot.app.scene.find("mask").material


def test_the_shadow_of_a_mask_has_its_holes(pilot) -> None:
    leaf = pilot.app.scene.find("mask")
    leaf.transform.rotation = (0.0, -90.0, 0.0)  # it lies flat above the floor
    pilot.step(3)
    image = seen(pilot, "mask", (0.0, -1.5, 8.0), 0.0)
    leaf.visible = False
    pilot.step(3)
    bare = seen(pilot, "mask", (0.0, -1.5, 8.0), 0.0)
    leaf.visible, leaf.transform.rotation = True, (0.0, 0.0, 0.0)
    pilot.step(3)
    darker = (bare - image).sum(axis=2) > 30
    assert darker[:, 23:31].any(axis=0).all()
    assert not darker[:, 34:41].any(), "the right half lets the sun through"


def test_unlit_colours_are_those_of_the_picture(pilot) -> None:
    assert middle(seen(pilot, "unlit")) == pytest.approx((150, 100, 50), abs=2)
    lit = pilot.app.scene.find("lit")
    assert np.abs(middle(seen(pilot, "lit")) - (150, 100, 50)).max() > 8
    lit.material = {"unlit": True}
    pilot.step(2)
    assert middle(seen(pilot, "lit")) == pytest.approx((150, 100, 50), abs=2)
    lit.material = {}


def test_a_mirror_shows_the_sky_that_the_specification_implies(pilot) -> None:
    up = 1.0 / np.sqrt(5.0)  # the eye looks up by as much, and the mirror stands upright
    zenith, horizon = (np.array(tone) ** 2.2 for tone in (ZENITH, HORIZON))
    share = np.exp(-6.5 * up)
    sky = zenith * (1.0 - share) + horizon * share
    r = np.array([1.0, 0.0425, 1.04, -0.04])  # Karis's fit at roughness 0
    a = min(1.0, 2.0 ** (-9.28 * 2.0 * up)) * r[0] + r[1]
    light = sky * ((r[2] - 1.04 * a) + (r[3] + 1.04 * a)) * 0.92
    film = light * (2.51 * light + 0.03) / (light * (2.43 * light + 0.59) + 0.14)
    found = middle(seen(pilot, "mirror", (0.0, -4.0, -2.0)))
    assert found == pytest.approx(255.0 * film ** (1 / 2.2), abs=4)


def test_metal_has_more_contrast_than_plastic_and_tints_what_it_mirrors(pilot) -> None:
    gold, plastic, rough = (seen(pilot, name) for name in ("gold", "plastic", "rough gold"))
    inner = np.s_[18:46, 18:46]
    spread = {key: value[inner].sum(axis=2).std() for key, value in
              (("gold", gold), ("plastic", plastic), ("rough", rough))}  # fmt: skip
    assert spread["gold"] > 1.5 * spread["rough"]
    assert spread["gold"] > 1.5 * spread["plastic"]


def test_a_picture_tells_metal_and_roughness_point_by_point(pilot) -> None:
    assert np.abs(seen(pilot, "metal map") - seen(pilot, "factors")).max() <= 6
    image = seen(pilot, "half metal")
    assert np.abs(middle(image, 20) - middle(image, 44)).max() > 20


def test_occlusion_takes_light_from_all_around_only(pilot) -> None:
    image, plain = seen(pilot, "shade"), middle(seen(pilot, "no glow"))
    assert middle(image, 44) == pytest.approx(plain, abs=12)
    assert middle(image, 20).sum() < 0.6 * plain.sum()


@pytest.mark.parametrize("word", ["right", "up"])
def test_a_normal_map_leans_as_the_same_vertices_do(pilot, word: str) -> None:
    kinds = ("by vertices", "by a map", "by a turned map")
    names = ["no slope", *(f"{word} {kind}" for kind in kinds)]
    turn = 90.0 if word == "right" else 0.0  # so that it leans up, where the sky is another
    for name in names:
        pilot.app.scene.find(name).transform.rotation = (0.0, 0.0, turn)
    pilot.step(3)
    flat, leaning, *mapped = (middle(seen(pilot, name)) for name in names)
    pilot.app.scene.find("no slope").transform.rotation = (0.0, 0.0, 0.0)
    assert np.abs(leaning - flat).max() > 12
    for found in mapped:
        assert found == pytest.approx(leaning, abs=3)


def test_a_material_in_the_scene_makes_a_metal_of_any_model(pilot) -> None:
    sample = pilot.app.scene.find("plastic")
    plastic = seen(pilot, "plastic")
    sample.material = {"metallic": 1.0}
    pilot.step(2)
    assert np.abs(seen(pilot, "plastic") - seen(pilot, "gold")).max() <= 3
    sample.material = {}
    pilot.step(2)
    assert np.abs(seen(pilot, "plastic") - plastic).max() <= 1
    scene = pilot.app.scene
    box = scene.spawn("Box", model={"builtin": "box"}, material={"metallic": 1.0, "roughness": 0.1})
    box.transform.position = (APART * NUMBERS["gold"], -1.6, 0.0)
    pilot.step(2)
    metal = seen(pilot, "gold", (0.0, -4.0, 1.0), 0.0)
    box.material = {"roughness": 0.1}
    pilot.step(2)
    assert np.abs(metal - seen(pilot, "gold", (0.0, -4.0, 1.0), 0.0)).max() > 30
    box.destroy()


def test_low_quality_leaves_normal_maps_out(pilot) -> None:
    name = "up by a map"
    full, plain = middle(seen(pilot, name)), middle(seen(pilot, "no slope"))
    pilot.app.view.set_quality("low")
    pilot.step(2)
    low = middle(seen(pilot, name))
    pilot.app.view.set_quality("medium")
    pilot.step(2)
    assert low == pytest.approx(plain, abs=3)
    assert middle(seen(pilot, name)) == pytest.approx(full, abs=1)


def test_a_double_sided_and_cut_model_is_picked_from_both_sides(pilot) -> None:
    view, x = pilot.app.view, APART * NUMBERS["both sides"]
    nodes = {"leaf": view._views[pilot.app.scene.find("both sides").id].node}
    for y in (-3.0, 3.0):
        origin, direction = np.array([x + 0.1, y, 1.03]), np.array([0.0, -np.sign(y), 0.0])
        assert nearest(nodes, origin, direction) == "leaf"
