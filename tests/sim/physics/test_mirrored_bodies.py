"""Bodies that are mirrored: their shapes are mirrored, and the objects keep their scale."""

from __future__ import annotations

import numpy as np
import pytest
from panda3d.bullet import BulletRigidBodyNode, BulletWorld
from panda3d.core import LPoint3

from sim.core.geometry.collision_shapes import solid_of_triangles
from sim.physics.body import shape_of
from tests.sim.core.stage import thing
from tests.sim.physics.bodies import FLOOR, ball

STATIC = {"cmp_word": ("sim:RigidBody", {"kind": "static"})}
WORD = {"builtin": "text", "text": "III", "size": 1.0, "depth": 1.0, "align": "left"}
WEDGE = np.array([(0, 0, 0), (2, 0, 0), (2, 1, 0), (2, 0, 1)], float)
SIDES = np.array([(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)])
DYNAMIC = {"cmp_one": ("sim:RigidBody", {"restitution": 0.0})}


def drop(x: float) -> dict:
    return {**ball(3.0, restitution=0.0), "position": [x, 0.5, 3.0], "scale": [0.3, 0.3, 0.3]}


@pytest.mark.parametrize("scale", [[1, 1, 1], [-1, 1, 1], [-1, -1, 1]])
def test_what_stands_on_one_side_stands_on_the_other_when_it_is_mirrored(stage, scale):
    y = 0.5 * scale[1]
    stage.open({
        "obj_word": thing("Word", STATIC, model=WORD, scale=scale),
        "obj_ball": {**drop(0.8 * scale[0]), "position": [0.8 * scale[0], y, 3.0]},
    })  # fmt: skip
    stage.frames(90)
    assert stage.errors() == 0
    height = float(stage.app.scene.find("Ball").transform.position[2])
    assert height == pytest.approx(1.15, abs=0.03)
    stage.app.scene.find("Ball").transform.position = (-0.8 * scale[0], y, 3.0)
    stage.frames(90)
    assert stage.app.scene.find("Ball").transform.position[2] < 0.0, "there is nothing"


@pytest.mark.parametrize("is_dynamic", [True, False])
@pytest.mark.parametrize("scale", [(-1.0, 1.0, 1.0), (1.0, -2.0, 1.0), (-1.0, -1.0, -1.0)])
def test_hulls_and_meshes_are_mirrored(scale, is_dynamic):
    solid = solid_of_triangles(WEDGE[SIDES])
    shape, _ = shape_of(solid, "model", np.array(scale), is_dynamic=is_dynamic)
    node, world = BulletRigidBodyNode("a"), BulletWorld()
    node.add_shape(shape)
    world.attach(node)
    for x, is_there in ((1.8, True), (0.2, False)):  # high at one end, low at the other
        spot = (np.array([x, 0.1, 0.5]) - solid.center) * scale
        before, behind = (LPoint3(*(spot + np.array([0.0, way, 0.0]))) for way in (-9.0, 9.0))
        assert world.ray_test_closest(before, behind).has_hit() is is_there, x


@pytest.mark.parametrize("scale", [[-1, 1, 1], [-1, -1, 1], [1, -1, 1], [-2, -1, -1]])
def test_a_body_that_falls_keeps_its_scale_and_its_rotation(stage, scale):
    stage.open({
        "obj_floor": FLOOR,
        "obj_one": thing("One", DYNAMIC, model={"builtin": "box", "size": [1, 2, 1]},
                         position=[0, 0, 1.0], rotation=[30, 0, 0], scale=scale),
        "obj_two": thing("Two", {"cmp_two": ("sim:RigidBody", {})},
                         model={"builtin": "box", "size": 1}, position=[5, 0, 0.6],
                         rotation=[20, 0, 0], parent="obj_top"),
        "obj_top": thing("Top", {}, scale=[-1, 1, 1], rotation=[40, 0, 0]),
    })  # fmt: skip
    before = np.array(stage.app.scene.find("Two").transform.world_matrix)
    stage.frames(120)
    assert stage.errors() == 0
    one, two = (stage.app.scene.find(name).transform for name in ("One", "Two"))
    assert one.scale.tolist() == scale
    assert np.allclose(one.rotation.tolist(), (30, 0, 0), atol=0.5)
    assert one.position[2] == pytest.approx(0.5, abs=0.03)
    assert np.allclose(np.array(two.world_matrix)[:3, :3], before[:3, :3], atol=0.02)
    assert two.world_position[2] == pytest.approx(0.5, abs=0.03)


def test_a_place_is_kept_below_a_mirrored_parent_and_refused_below_a_flat_one(stage):
    stage.open({
        "obj_one": thing("One", {}, position=[1, 2, 3], rotation=[30, 20, 10], scale=[-2, 1, 1]),
        "obj_top": thing("Top", {}, scale=[-2, 2, 2], rotation=[40, 50, 0], position=[3, 0, 0]),
        "obj_flat": thing("Flat", {}, scale=[1, 0, 1], rotation=[40, 50, 0]),
    })  # fmt: skip
    scene = stage.app.scene
    one, top, flat = (scene.find(name) for name in ("One", "Top", "Flat"))
    before = np.array(one.transform.world_matrix)
    for parent in (top, None):
        scene.set_parent(one, parent, keep_world=True)
        assert np.allclose(np.array(one.transform.world_matrix), before, atol=1e-9)
    message = r"parent: expected one whose scale is not 0, .*got Flat"
    with pytest.raises(ValueError, match=message):
        scene.set_parent(one, flat, keep_world=True)
    assert one.parent is None
    assert one in scene.roots
    scene.set_parent(one, flat)
    assert one.parent is flat


def test_a_mirrored_part_of_a_body_is_met_where_it_is_seen(stage):
    body = {"cmp_body": ("sim:RigidBody", {"kind": "static", "shape": "parts"})}
    stage.open({
        "obj_base": thing("Base", body, rotation=[0, 0, 0]),
        "obj_part": thing("Part", {"cmp_part": ("sim:Collider", {})}, model=WORD,
                          scale=[-1, 1, 1], parent="obj_base"),
        "obj_ball": drop(-0.8),
    })  # fmt: skip
    stage.frames(90)
    assert stage.errors() == 0
    height = float(stage.app.scene.find("Ball").transform.position[2])
    assert height == pytest.approx(1.15, abs=0.03)
