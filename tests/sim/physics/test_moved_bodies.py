"""Bodies below other bodies, switched off and on, woken, and lost to forces beyond measure."""

from __future__ import annotations

import numpy as np
import pytest

from tests.sim.physics.test_joints import body_of, box, opened


def world_of(stage, name):
    return stage.app.scene.find(name).transform.world_position.tolist()


def below(stage, *more, kid, **body):
    """Open a scene with a box `Parent` that moves along x, and `Kid` below it."""
    objects = {"obj_parent": box("Parent"), "obj_kid": box("Kid", position=kid, **body)}
    objects["obj_kid"]["parent"] = "obj_parent"
    stage.open(objects | {f"obj_{entry['name'].lower()}": entry for entry in more})
    stage.frames(1)
    body_of(stage, "Parent").velocity = (1.0, 0.0, 0.0)


def test_a_body_at_rest_below_one_that_moves_stays_where_it_is(stage):
    below(stage, box("Far", position=(9, 0, 3)), kid=(5, 0, 0))
    stage.frames(30)
    assert world_of(stage, "Parent")[0] == pytest.approx(0.5, abs=0.02)
    assert world_of(stage, "Kid") == pytest.approx([5, 0, 3], abs=1e-3)
    body_of(stage, "Kid").velocity = (0.0, 2.0, 0.0)
    stage.frames(30)
    assert world_of(stage, "Kid") == pytest.approx([5, 1, 3], abs=0.05)
    assert stage.app.scene.find("Kid").transform.position[0] == pytest.approx(4, abs=0.05)


@pytest.mark.parametrize("kind", ["kinematic", "static"])
def test_a_parent_that_moves_carries_the_body_that_physics_does_not_move(stage, kind):
    below(stage, box("Met", position=(1.3, 3, 3)), kid=(0, 3, 0), kind=kind)
    stage.frames(60)
    assert world_of(stage, "Kid")[0] == pytest.approx(1.0, abs=0.03)
    assert world_of(stage, "Met")[0] > 1.6, "it pushes what it meets"


@pytest.mark.parametrize("is_joined", [False, True])
def test_what_was_switched_off_with_its_object_takes_part_again(stage, is_joined):
    other = {"other": {"$ref": "obj_two"}} if is_joined else {}
    joint = opened(stage, "HingeJoint", box("Two", position=(0, 0, 4.2), kind="static"),
                   motor="velocity", **other)  # fmt: skip
    name = "Two" if is_joined else "One"
    stage.app.scene.find(name).enabled = False
    stage.frames(5)
    assert not joint.is_joined
    stage.app.scene.find(name).enabled = True
    stage.frames(3)
    assert joint.is_joined
    assert stage.errors() == 0


def test_what_hangs_on_a_body_that_a_script_moves_wakes_up(stage):
    opened(stage, "HingeJoint", box("Two", position=(0, 0, 4.2), kind="kinematic"),
           other={"$ref": "obj_two"}, anchor=(0, 0, 0.6), axis=(0, 1, 0),
           body={"gravity": 1.0})  # fmt: skip
    stage.frames(2)
    node = stage.app.scene.physics._bodies["cmp_one"].node
    node.set_active(False)
    stage.frames(2)
    assert not node.is_active()
    stage.app.scene.find("Two").transform.position = (0.5, 0, 4.2)
    stage.frames(20)
    assert np.linalg.norm(np.subtract(world_of(stage, "One"), (0.5, 0, 3.6))) < 0.65


def test_six_axes_read_where_a_script_has_put_the_body(stage):
    free = {"low_turn": (-180, -90, -180), "high_turn": (180, 90, 180)}
    joint = opened(stage, "SixAxisJoint", **free)
    stage.frames(2)
    turned = stage.app.scene.find("One").transform
    for rotation, read in (
        ((30, 0, 0), (0, 0, 30)),
        ((0, 40, 0), (40, 0, 0)),
        ((0, 0, 50), (0, 50, 0)),
    ):
        turned.rotation = rotation
        assert joint.read()[3:6] == pytest.approx(read, abs=0.01)


def test_a_force_beyond_measure_is_one_error_and_the_others_go_on(stage):
    falling = box("Free", position=(5, 0, 3), gravity=1.0)
    joint = opened(stage, "HingeJoint", falling, motor="torque", motor_torque=1e30)
    stage.frames(20)
    assert stage.errors() == 1
    assert "expected a motion of One in finite numbers" in stage.lines()[0]
    assert not joint.is_joined
    assert world_of(stage, "Free")[2] < 2.9
