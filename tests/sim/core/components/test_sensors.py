"""Sensors: rays, contacts, and the picture that needs one."""

from __future__ import annotations

import numpy as np
import pytest

from sim import CameraSensor, ContactSensor, FieldError, JointSensor, RaySensor
from tests.sim.core.stage import thing


def test_rays_go_from_left_to_right_around_the_y_axis_and_see_what_is_near(stage) -> None:
    eye = thing("Eye", {"cmp_rays": ("sim:RaySensor", {"count": 3, "distance": 4.0})},
                position=[0, 0, 0.5])  # fmt: skip
    box = thing("Box", {}, model={"builtin": "box", "size": [1, 1, 1]}, position=[0, 2.5, 0.5])
    stage.open({"obj_eye": eye, "obj_box": box}, instant=True)
    stage.frames(2)
    sensor = stage.app.scene.find("Eye").get(RaySensor)
    assert sensor.directions().round(6).tolist() == [[-1, 0, 0], [0, 1, 0], [1, 0, 0]]
    assert sensor.read().tolist() == [1.0, 0.5, 1.0]
    stage.app.scene.find("Eye").transform.rotation = (90.0, 0.0, 0.0)  # to the left: -x
    assert sensor.read() == pytest.approx([1.0, 1.0, 0.5])
    assert sensor.read().dtype == np.float32
    assert stage.app.scene.find("Rays") is None, "nothing is drawn without a picture"


def test_what_is_drawn_of_a_sensor_is_met_by_nothing(stage) -> None:
    ball = thing("One", {}, model={"builtin": "sphere", "radius": 1.0})
    stage.open({"obj_one": ball}, instant=True)
    stage.frames(2)
    scene = stage.app.scene
    assert scene.ray_cast((0, -5, 0), (0, 1, 0)).object.name == "One"
    scene.find("One").is_mark = True
    assert scene.ray_cast((0, -5, 0), (0, 1, 0)) is None
    assert scene.overlap_sphere((0, 0, 0), 2.0) == []


def test_a_whole_turn_has_each_direction_once(stage) -> None:
    slot = stage.open_one("sim:RaySensor", instant=True, fields={"count": 4, "fan": 360.0})
    stage.frames(2)
    assert len({tuple(row) for row in slot.instance.directions().round(6).tolist()}) == 4
    slot.instance.count = 1
    assert slot.instance.directions().round(6).tolist() == [[0.0, 1.0, 0.0]]


def test_rays_meet_the_layers_that_are_asked_for(stage) -> None:
    fields = {"count": 1, "distance": 4.0, "layers": ["wall"]}
    wall = thing("Wall", {"cmp_layer": ("sim:Layer", {"name": "wall"})},
                 model={"builtin": "box", "size": [1, 1, 1]}, position=[0, 3.5, 0])  # fmt: skip
    other = thing("Other", {}, model={"builtin": "box", "size": [1, 1, 1]}, position=[0, 1.5, 0])
    stage.open({"obj_eye": thing("Eye", {"cmp_rays": ("sim:RaySensor", fields)}),
                "obj_wall": wall, "obj_other": other}, instant=True)  # fmt: skip
    stage.frames(2)
    assert stage.app.scene.find("Eye").get(RaySensor).read().tolist() == [0.75]


def test_a_contact_is_felt_while_it_lasts_and_its_impulse_once(stage) -> None:
    ball = thing("Ball", {"cmp_body": ("sim:RigidBody", {"restitution": 0.0}),
                          "cmp_felt": "sim:ContactSensor"},
                 model={"builtin": "sphere", "radius": 0.5}, position=[0, 0, 1.0])  # fmt: skip
    floor = thing("Floor", {"cmp_floor": ("sim:RigidBody", {"kind": "static"})},
                  model={"builtin": "box", "size": [9, 9, 1]}, position=[0, 0, -0.5])  # fmt: skip
    stage.open({"obj_ball": ball, "obj_floor": floor}, instant=True)
    stage.frames(2)
    felt = stage.app.scene.find("Ball").get(ContactSensor)
    assert felt.read().tolist() == [0.0, 0.0]
    stage.frames(40)
    touching, impulse = felt.read()
    assert touching == 1.0
    assert impulse > 1.0
    assert felt.read().tolist() == [1.0, 0.0]
    stage.app.scene.find("Ball").transform.position = (0, 0, 5.0)
    stage.frames(2)
    assert felt.read().tolist() == [0.0, 0.0]


def test_what_a_sensor_lacks_is_said(stage) -> None:
    stage.script(
        "a",
        """
        class Asks(Script):
            def start(self):
                self.object.get(self.slot.values["kind"]).read()
            kind: str = field("")
    """,
    )
    stage.open({
        "obj_one": thing("One", {"cmp_felt": "sim:ContactSensor",
                                 "cmp_asks": ("scripts.a:Asks", {"kind": "ContactSensor"})}),
        "obj_two": thing("Two", {"cmp_seen": "sim:CameraSensor", "cmp_eye": "sim:Camera",
                                 "cmp_asks2": ("scripts.a:Asks", {"kind": "CameraSensor"})}),
    }, instant=True)  # fmt: skip
    stage.frames(2)
    assert any("expected a RigidBody on its object, found none" in line for line in stage.lines())
    assert any("PictureError" in line for line in stage.lines())
    assert CameraSensor.__doc__


def test_joints_are_read_in_their_order_and_a_hinge_as_a_point_of_a_circle(stage) -> None:
    hinge = {"motor": "velocity", "motor_speed": 60.0}
    slider = {"motor": "velocity", "motor_speed": -1.0}
    still = {"gravity": 0.0}
    arm = thing("Arm", {"cmp_body": ("sim:RigidBody", still), "cmp_hinge": ("sim:HingeJoint", hinge),
                        "cmp_read": ("sim:JointSensor", {"below": True})},
                model={"builtin": "box"})  # fmt: skip
    cart = thing("Cart", {"cmp_cart": ("sim:RigidBody", still),
                          "cmp_slider": ("sim:SliderJoint", slider)},
                 model={"builtin": "box"}, position=[0, 9, 0], parent="obj_arm")  # fmt: skip
    stage.open({"obj_arm": arm, "obj_cart": cart})
    stage.frames(30)
    sensor = stage.app.scene.find("Arm").get(JointSensor)
    assert sensor.read() == pytest.approx([30.0, 60.0, -0.5, -1.0], abs=0.5)
    assert sensor.read().dtype == np.float32
    sensor.circle, sensor.below = True, False
    assert sensor.read() == pytest.approx([np.cos(np.pi / 6), 0.5, 60.0], abs=0.02)
    stage.app.scene.find("Arm").get("HingeJoint").slot.enabled = False
    assert sensor.read().tolist() == [1.0, 0.0, 0.0], "it is not joined"


def test_a_joint_sensor_without_a_joint_says_so(stage) -> None:
    slot = stage.open_one("sim:JointSensor", instant=True)
    stage.frames(2)
    with pytest.raises(FieldError, match="expected a joint on its object, found none"):
        slot.instance.read()
