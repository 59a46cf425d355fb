"""Joints: what they hold and leave free, their motors, where they break, what is said of faults."""

from __future__ import annotations

import numpy as np
import pytest

from base.errors import FieldError
from sim.core.editing import Editor
from sim.core.editing.editor import PlaySession
from tests.sim.core.stage import thing
from tests.sim.physics.bodies import ball

FREE = {"damping": 0.0, "spin_damping": 0.0, "gravity": 0.0}
INERTIA = 1.0 / 6.0  # of a box of 1 kg and 1 m, kg m²


def box(name, joint=None, position=(0, 0, 3), joint_fields=None, **body):
    """A box of a metre with a body, and a joint if there is a type."""
    components = {f"cmp_{name.lower()}": ("sim:RigidBody", {**FREE, **body})}
    if joint is not None:
        components["cmp_joint"] = (f"sim:{joint}", joint_fields or {})
    return thing(name, components, model={"builtin": "box", "size": 1.0}, position=list(position))


def opened(stage, joint, *more, position=(0, 0, 3), body=None, **fields):
    """Open a scene with a box `One` that has a joint; return the joint."""
    objects = {"obj_one": box("One", joint, position, fields, **(body or {}))}
    objects |= {f"obj_{entry['name'].lower()}": entry for entry in more}
    stage.open(objects)
    stage.frames(1)
    return stage.slot("cmp_joint").instance


def body_of(stage, name="One"):
    return stage.app.scene.find(name).get("RigidBody")


def place_of(stage, name="One"):
    return stage.app.scene.find(name).transform.position.tolist()


# -- hinge -------------------------------------------------------------------------------------


@pytest.mark.parametrize("axis", [(0, 1, 0), (0, 0, -1), (-1, 0, 0)])
def test_a_hinge_motor_turns_counterclockwise_around_its_axis_up_to_its_limit(stage, axis):
    hinge = opened(stage, "HingeJoint", axis=axis, motor="velocity", motor_speed=90.0,
                   limited=True, low=-30.0, high=60.0)  # fmt: skip
    stage.frames(29)
    assert hinge.angle == pytest.approx(45.0, abs=1.0)
    assert hinge.speed == pytest.approx(90.0, abs=0.5)
    assert tuple(body_of(stage).spin) == pytest.approx([90.0 * part for part in axis], abs=0.5)
    stage.frames(30)
    assert hinge.angle == pytest.approx(60.0, abs=0.5)
    hinge.motor_speed = -90.0
    stage.frames(90)
    assert hinge.angle == pytest.approx(-30.0, abs=0.5)
    assert hinge.speed == pytest.approx(0.0, abs=0.5)
    assert place_of(stage) == pytest.approx([0, 0, 3], abs=2e-3)
    assert stage.errors() == 0


def test_a_pendulum_swings_as_long_as_its_length_says(stage):
    opened(stage, "HingeJoint", axis=(0, 1, 0), anchor=(0, 0, 2),
           body={"gravity": 1.0})  # fmt: skip
    hinge = stage.slot("cmp_joint").instance
    body_of(stage).velocity = (0.2, 0.0, 0.0)
    angles = []
    for _ in range(200):
        stage.frames()
        angles.append(hinge.angle)
    crossings = np.flatnonzero(np.diff(np.sign(angles)))
    period = 2 * float(np.diff(crossings)[0]) / 60.0
    whole = INERTIA + 4.0  # around the hinge
    assert period == pytest.approx(2 * np.pi * np.sqrt(whole / (9.81 * 2.0)), rel=0.03)
    x, _, z = place_of(stage)
    assert np.hypot(x, z - 5.0) == pytest.approx(2.0, abs=5e-3)


def test_a_hinge_motor_gives_no_more_than_its_torque(stage):
    hinge = opened(stage, "HingeJoint", motor="velocity", motor_speed=5000.0, motor_torque=0.05)
    before = hinge.speed
    stage.frames(60)
    assert hinge.speed - before == pytest.approx(np.degrees(0.05 / INERTIA), rel=0.01)
    hinge.motor, hinge.motor_torque = "torque", -0.05
    before = hinge.speed
    stage.frames(30)
    assert hinge.speed - before == pytest.approx(-0.5 * np.degrees(0.05 / INERTIA), rel=0.01)
    hinge.motor = "off"
    before = hinge.speed
    stage.frames(30)
    assert hinge.speed == pytest.approx(before, rel=1e-4)


def test_a_hinge_motor_goes_to_an_angle_the_short_way_and_stays_against_gravity(stage):
    hinge = opened(stage, "HingeJoint", axis=(0, 1, 0), anchor=(0, 0, 1), motor="position",
                   motor_angle=170.0, motor_speed=360.0, motor_torque=200.0,
                   body={"gravity": 1.0})  # fmt: skip
    stage.frames(90)
    assert hinge.angle == pytest.approx(170.0, abs=0.5)
    hinge.motor_angle = -170.0
    stage.frames(20)
    assert abs(hinge.angle) > 165.0, "over the top, not all the way round"
    stage.frames(60)
    assert hinge.angle == pytest.approx(-170.0, abs=0.5)


def test_two_bodies_on_a_hinge_turn_against_each_other(stage):
    hinge = opened(stage, "HingeJoint", box("Two", position=(1.2, 0, 3)), anchor=(0.6, 0, 0),
                   other={"$ref": "obj_two"}, motor="torque", motor_torque=0.1)  # fmt: skip
    stage.frames(30)
    one, two = body_of(stage), body_of(stage, "Two")
    assert one.spin[2] > 5.0
    assert one.spin[2] == pytest.approx(-two.spin[2], rel=1e-3)
    assert tuple(one.velocity + two.velocity) == pytest.approx([0, 0, 0], abs=1e-4)
    assert hinge.speed == pytest.approx(one.spin[2] - two.spin[2], rel=1e-3)


def test_the_motors_fields_are_set_at_each_step_without_making_the_joint_anew(stage):
    hinge = opened(stage, "HingeJoint", motor="velocity")
    made = stage.app.scene.physics._joints._links["cmp_joint"].constraint
    hinge.motor_speed, hinge.break_force = -20.0, 1e6
    stage.frames(2)
    assert stage.app.scene.physics._joints._links["cmp_joint"].constraint is made
    assert hinge.speed == pytest.approx(-20.0, abs=0.1)
    slot = hinge.slot  # as the studio does that opens the scene's values again
    slot.replace_values({**slot.values, "motor_speed": 35.0})
    stage.frames(2)
    assert hinge.speed == pytest.approx(35.0, abs=0.1)
    hinge.limited = True
    stage.frames(1)
    assert stage.app.scene.physics._joints._links["cmp_joint"].constraint is not made


# -- the others --------------------------------------------------------------------------------


def test_a_motor_whose_body_is_made_anew_is_told_again_what_it_drives(stage):
    hinge = opened(stage, "HingeJoint", motor="velocity", motor_speed=90.0)
    stage.frames(30)
    made = made_of(stage)
    body_of(stage).mass = 2.0
    stage.frames(2)
    assert made_of(stage) is not made
    body_of(stage).spin = (0.0, 0.0, 0.0)
    stage.frames(10)
    assert hinge.speed == pytest.approx(90.0, abs=0.5)


def test_a_hinge_turns_its_torque_with_the_composition_of_its_frames_to_the_bit(stage):
    opened(stage, "HingeJoint", axis=(0.3, 0.5, 1.0), motor="torque", motor_torque=0.4)
    link = stage.app.scene.physics._joints._links["cmp_joint"]
    body_of(stage).spin = (70.0, -30.0, 110.0)
    for _ in range(20):
        stage.frames()
        composed = link.frames[1].get_quat().xform(link.own_axis)
        assert tuple(link._axis()) == tuple(composed)


def made_of(stage):
    """Bullet's constraint of the joint."""
    return stage.app.scene.physics._joints._links["cmp_joint"].constraint


def test_a_slider_moves_along_its_axis_alone_and_up_to_its_limit(stage):
    slider = opened(stage, "SliderJoint", axis=(0, 1, 0), motor="velocity", motor_speed=2.0,
                    limited=True, low=-0.5, high=1.5, body={"gravity": 1.0})  # fmt: skip
    stage.frames(29)
    assert slider.place == pytest.approx(1.0, abs=0.03)
    assert slider.speed == pytest.approx(2.0, abs=0.01)
    body_of(stage).spin = (0, 0, 300)
    stage.frames(60)
    assert place_of(stage) == pytest.approx([0, 1.5, 3], abs=5e-3)
    assert stage.app.scene.find("One").transform.rotation.tolist() == pytest.approx([0] * 3, abs=1)
    slider.motor, slider.motor_place = "position", -0.25
    stage.frames(90)
    assert slider.place == pytest.approx(-0.25, abs=5e-3)


def test_a_sliders_motor_gives_its_force_and_pushes_back(stage):
    slider = opened(stage, "SliderJoint", box("Two", position=(3, 0, 3), mass=2.0),
                    other={"$ref": "obj_two"}, motor="force", motor_force=0.8)  # fmt: skip
    before = body_of(stage).velocity[0]
    stage.frames(60)
    assert body_of(stage).velocity[0] - before == pytest.approx(0.8, rel=0.01)
    assert body_of(stage, "Two").velocity[0] == pytest.approx(
        -body_of(stage).velocity[0] / 2, rel=1e-3
    )
    slider.motor, slider.motor_speed = "velocity", 50.0
    before = slider.speed
    stage.frames(30)
    assert slider.speed - before == pytest.approx(0.8 * (1 + 1 / 2) / 2, rel=0.02)


def test_a_fixed_joint_holds_two_bodies_as_one_piece(stage):
    opened(stage, "FixedJoint", box("Two", position=(1.5, 0, 3)), other={"$ref": "obj_two"})
    body_of(stage).apply_impulse((0, 1, 0))
    stage.frames(60)
    one, two = (stage.app.scene.find(name) for name in ("One", "Two"))
    assert np.linalg.norm(one.transform.position - two.transform.position) == pytest.approx(
        1.5, abs=0.01
    )
    assert one.transform.rotation.tolist() == pytest.approx(
        two.transform.rotation.tolist(), abs=1.5
    )
    assert abs(one.transform.rotation[0]) > 5.0, "they turn together"


def test_a_ball_joint_swings_within_its_cone_and_twists_as_far(stage):
    ball = opened(stage, "BallJoint", limited=True, swing=30.0, twist=20.0)
    ends = []
    for spin in ((60, 0, 0), (0, -60, 0), (0, 0, 60)):
        stage.app.scene.find("One").transform.rotation = (0, 0, 0)
        for _ in range(50):
            body_of(stage).spin = spin
            stage.frames()
        ends.append(ball.read()[:3])
    assert np.linalg.norm(ends[0]) == pytest.approx(30.0, abs=1.5)
    assert np.linalg.norm(ends[1]) == pytest.approx(30.0, abs=1.5)
    assert ends[2][0] == pytest.approx(20.0, abs=1.5)  # its own frame: x is the cone's axis


def test_a_ball_joint_without_limits_holds_its_anchor_alone(stage):
    opened(stage, "BallJoint", anchor=(0, 0, 2), body={"gravity": 1.0})
    body_of(stage).velocity = (1.0, 2.0, 0.0)
    for _ in range(4):
        stage.frames(15)
        assert np.linalg.norm(np.subtract(place_of(stage), (0, 0, 5))) == pytest.approx(2, abs=0.02)
    assert abs(place_of(stage)[1]) > 0.3


def test_six_axes_have_limits_each_and_motors_with_a_most(stage):
    joint = opened(stage, "SixAxisJoint", low=(-1, 0, 0), high=(2, 0, 0), low_turn=(0, 0, -20),
                   high_turn=(0, 0, 50), motor="velocity", motor_speed=(1, 1, 0),
                   motor_turn=(0, 0, 30), motor_force=50.0, motor_torque=50.0)  # fmt: skip
    stage.frames(29)
    found = joint.read()
    assert found[:3] == pytest.approx([0.5, 0, 0], abs=0.03)
    assert found[3:6] == pytest.approx([0, 0, 15], abs=0.6)
    assert found[6:9] == pytest.approx([1, 0, 0], abs=0.01)
    assert found[9:] == pytest.approx([0, 0, 30], abs=0.3)
    stage.frames(150)
    assert joint.read()[:6] == pytest.approx([2, 0, 0, 0, 0, 50], abs=0.5)
    joint.motor_speed, joint.motor_turn = (-2, 0, 0), (0, 0, -60)
    stage.frames(150)
    assert joint.read()[:6] == pytest.approx([-1, 0, 0, 0, 0, -20], abs=0.5)


def test_the_motors_of_six_axes_give_no_more_than_they_may(stage):
    joint = opened(stage, "SixAxisJoint", low=(-50, 0, 0), high=(50, 0, 0),
                   low_turn=(0, 0, -180), high_turn=(0, 0, 180), motor="velocity",
                   motor_speed=(100, 0, 0), motor_turn=(0, 0, 5000), motor_force=0.5,
                   motor_torque=0.05)  # fmt: skip
    before = joint.read()
    stage.frames(30)
    gained = joint.read() - before
    assert gained[6] == pytest.approx(0.25, rel=0.02)
    assert gained[11] == pytest.approx(0.5 * np.degrees(0.05 / INERTIA), rel=0.02)


def test_the_motors_of_six_axes_go_to_a_place_and_hold_it_against_gravity(stage):
    joint = opened(stage, "SixAxisJoint", low=(-1, -1, -1), high=(1, 1, 1),
                   low_turn=(-90, 0, -90), high_turn=(90, 0, 90), motor="position",
                   motor_speed=(2, 2, 2), motor_turn=(180, 0, 180), motor_force=500.0,
                   motor_torque=50.0, motor_place=(0.5, 0, -0.25), motor_angle=(20, 0, -40),
                   body={"gravity": 1.0})  # fmt: skip
    stage.frames(75)
    assert joint.read()[:3] == pytest.approx([0.5, 0, -0.25], abs=0.02)
    assert joint.read()[3:6] == pytest.approx([20, 0, -40], abs=1.0)
    assert joint.read()[6:] == pytest.approx([0.0] * 6, abs=0.1)


# -- breaking ----------------------------------------------------------------------------------

JOINTS = ("FixedJoint", "HingeJoint", "SliderJoint", "BallJoint", "SixAxisJoint")


@pytest.mark.parametrize("name", JOINTS)
def test_a_joint_breaks_where_the_weight_is_more_than_it_bears(stage, name):
    stage.script(
        "a",
        """
    class Ear(Script):
        joint: Script = field(None)
        def start(self):
            self.heard = 0
        @on("joint.broken")
        def hear(self):
            self.heard += 1
    """,
    )
    ear = thing("Ear", {"cmp_ear": ("scripts.a:Ear", {"joint": {"$ref": "cmp_joint"}})})
    joint = opened(stage, name, ear, break_force=11.0, body={"gravity": 1.0})
    stage.frames(20)
    assert place_of(stage) == pytest.approx([0, 0, 3], abs=5e-3)
    assert joint.is_joined
    joint.break_force = 9.0
    stage.frames(30)
    assert not joint.is_joined
    assert place_of(stage)[2] < 2.5
    assert joint.read().tolist() == [0.0] * (2 * joint.freedoms)
    assert stage.slot("cmp_ear").instance.heard == 1
    assert stage.errors() == 0


# -- faults ------------------------------------------------------------------------------------

WRONG = {
    "no body": (
        thing("One", {"cmp_joint": "sim:HingeJoint"}, model={"builtin": "box"}),
        "HingeJoint: expected a RigidBody on its object One, found none",
    ),
    "the other has none": (
        box("One", "SliderJoint", joint_fields={"other": {"$ref": "obj_plain"}}),
        "SliderJoint.other: expected an object with a RigidBody, found Plain without one",
    ),
    "itself": (
        box("One", "FixedJoint", joint_fields={"other": {"$ref": "obj_one"}}),
        "FixedJoint.other: expected another object, found its own",
    ),
    "nothing moves": (
        box("One", "FixedJoint", kind="static"),
        "FixedJoint: expected a dynamic body on one side, found none",
    ),
    "limits": (
        box("One", "HingeJoint", joint_fields={"low": 40.0, "high": 30.0}),
        "HingeJoint.low: expected at most high, 30°, found 40°",
    ),
    "limits of a slider": (
        box("One", "SliderJoint", joint_fields={"low": 2.0}),
        "SliderJoint.low: expected at most high, 1 m, found 2 m",
    ),
    "limits of six": (
        box("One", "SixAxisJoint", joint_fields={"low_turn": [0, 5, 0]}),
        "SixAxisJoint.low_turn, y: expected at most high_turn, y, 0°, found 5°",
    ),
    "no axis": (
        box("One", "BallJoint", joint_fields={"axis": [0, 0, 0]}),
        "BallJoint.axis: expected a direction, found (0.0, 0.0, 0.0)",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_with_a_joint_is_one_error_and_the_rest_goes_on(stage, name):
    one, text = WRONG[name]
    other = box("Free", position=(5, 0, 3), gravity=1.0)
    stage.open({"obj_one": one, "obj_free": other, "obj_plain": thing("Plain", {})})
    stage.frames(20)
    assert stage.errors() == 1
    assert text in stage.lines()[0]
    assert place_of(stage, "Free")[2] < 2.9


def test_another_body_that_is_gone_is_one_error(stage):
    one = box("One", "HingeJoint", joint_fields={"other": {"$ref": "obj_two"}}, gravity=1.0)
    one["components"]["cmp_joint"]["enabled"] = False
    stage.open({"obj_one": one, "obj_two": box("Two", position=(5, 0, 3))})
    stage.frames(2)
    stage.app.scene.find("Two").destroy()
    stage.frames(2)
    stage.slot("cmp_joint").enabled = True
    stage.frames(5)
    assert stage.errors() == 1
    assert "HingeJoint.other: expected an object with a RigidBody, found none" in stage.lines()[0]


def test_limits_the_wrong_way_round_are_refused_in_the_inspector_too(stage):
    hinge = opened(stage, "HingeJoint", limited=True, low=-10.0, high=30.0)
    editor = Editor(stage.app.scene, stage.app.console)
    with pytest.raises(FieldError, match=r"HingeJoint\.low: expected at most high, 30°"):
        editor.set_field(hinge.slot, "low", 40.0)
    stage.frames(3)
    assert hinge.low == -10.0
    assert stage.slot("cmp_joint").instance.is_joined


# -- as every component ------------------------------------------------------------------------


def chain(count=6):
    """A chain of boxes, each on a hinge below the last, and a motor in the first."""
    objects = {}
    for index in range(count):
        fields = {"axis": [0, 1, 0], "anchor": [0, 0, 0.6]}
        fields |= {"other": {"$ref": f"obj_chain{index - 1}"}} if index else {"motor": "velocity"}
        made = box(f"Chain{index}", None, (0.1 * index, 0, 9 - 1.2 * index), gravity=1.0)
        made["components"][f"cmp_hinge{index}"] = {"type": "sim:HingeJoint", "fields": fields}
        objects[f"obj_chain{index}"] = made
    return objects


def numbers(stage):
    return [obj.transform.position.tolist() for obj in stage.app.scene.objects.values()]


def test_stop_brings_a_chain_back_and_the_next_play_gives_the_same_numbers(stage):
    stage.open(chain())
    session = PlaySession(
        Editor(stage.app.scene, stage.app.console), stage.app.clock, stage.app.world.metrics
    )
    stage.app.clock.pause()
    begun, ends = numbers(stage), []
    for _ in range(2):
        session.play()
        stage.frames(60)
        ends.append(numbers(stage))
        session.stop()
        stage.frames(1)
        assert numbers(stage) == begun
    stage.open(chain())
    stage.frames(60)
    assert ends[0] == ends[1] == numbers(stage)
    assert ends[0] != begun


def test_a_clone_has_a_joint_of_its_own(stage):
    opened(stage, "HingeJoint", motor="velocity", motor_speed=60.0)
    twin = stage.app.scene.find("One").clone(name="Twin", position=(4, 0, 3))
    stage.frames(30)
    assert twin.get("HingeJoint").angle == pytest.approx(30.0, abs=1.5)
    twin.get("HingeJoint").motor_speed = 0.0
    stage.frames(2)
    assert twin.get("HingeJoint").speed == pytest.approx(0.0, abs=0.1)
    assert stage.slot("cmp_joint").instance.speed == pytest.approx(60.0, abs=0.1)


def test_a_joint_waits_for_a_body_that_was_removed_and_holds_it_again_after_undo(stage):
    joint = opened(stage, "HingeJoint", box("Two", position=(0, 0, 4.2), kind="static"),
                   other={"$ref": "obj_two"}, anchor=(0, 0, 0.6), axis=(0, 1, 0))  # fmt: skip
    editor = Editor(stage.app.scene, stage.app.console)
    editor.delete(stage.app.scene.find("Two"))
    stage.frames(3)
    assert not joint.is_joined
    editor.undo()
    stage.frames(3)
    assert joint.is_joined
    assert stage.errors() == 0


def test_a_joint_that_is_switched_off_or_whose_body_is_changed(stage):
    joint = opened(stage, "HingeJoint", anchor=(0, 0, 0.6), axis=(0, 1, 0), motor="position",
                   motor_angle=40.0, body={"gravity": 1.0})  # fmt: skip
    stage.frames(60)
    body_of(stage).mass = 2.0
    stage.frames(2)
    assert joint.angle == pytest.approx(40.0, abs=1.0), "the body was made anew, its zero stays"
    joint.slot.enabled = False
    stage.frames(30)
    assert place_of(stage)[2] < 2.5


def test_joined_bodies_meet_each_other_only_where_they_are_told_to(stage):
    sides = []
    for collide in (False, True):
        opened(stage, "SliderJoint", box("Two", position=(2, 0, 3), kind="static"),
               other={"$ref": "obj_two"}, collide=collide, motor="velocity")  # fmt: skip
        stage.frames(110)
        sides.append(place_of(stage)[0])
    assert sides[0] > 1.5
    assert sides[1] < 1.1


def test_a_property_in_place_of_a_field_is_what_counts(stage):
    stage.script(
        "strong",
        """
        class Strong(HingeJoint):
            @property
            def motor_torque(self):
                return 100.0 * super().motor_torque
    """,
    )
    fields = {"axis": [0, 1, 0], "anchor": [0.7, 0, 0], "motor": "velocity", "motor_speed": 90.0,
              "motor_torque": 0.5}  # fmt: skip
    one = box("One", gravity=1.0)
    one["components"]["cmp_joint"] = {"type": "scripts.strong:Strong", "fields": fields}
    stage.open({"obj_one": one})
    stage.frames(20)
    joint = stage.slot("cmp_joint").instance
    joint.motor_speed = 91.0
    stage.frames(20)
    assert joint.speed == pytest.approx(91.0, abs=2.0)


def test_a_sliders_motor_knows_in_its_first_step_where_it_is(stage):
    slider = opened(stage, "SliderJoint", axis=(0, 0, 1), motor="position", motor_place=0.5,
                    motor_speed=1.0, motor_force=1000.0)  # fmt: skip
    assert place_of(stage)[2] == pytest.approx(3.0 + 1.0 / 60.0, abs=1e-4)
    stage.frames(100)
    assert slider.place == pytest.approx(0.5, abs=1e-3)


def test_a_joint_that_never_breaks_does_so_by_a_force_beyond_measure(stage):
    hanging = ball(3.0)
    hanging["components"]["cmp_joint"] = {"type": "sim:FixedJoint", "fields": {}}
    stage.open({"obj_ball": hanging})
    stage.frames(20)
    joint, told = stage.slot("cmp_joint").instance, []
    joint.broken.connect(lambda: told.append(1))
    stage.app.scene.find("Ball").get("RigidBody").apply_force((0.0, 0.0, 1e33))
    stage.frames(1)
    assert told == [1]
    assert not joint.is_joined


# -- limits beyond half a turn -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("low", "high"), [(-360.0, 360.0), (-180.0004, 0.5), (-573.0, 573.0), (-1.0, 215.0)]
)
def test_a_hinge_keeps_limits_beyond_half_a_turn_and_counts_its_turns(stage, low, high):
    hinge = opened(stage, "HingeJoint", motor="velocity", motor_speed=360.0, motor_torque=30.0,
                   limited=True, low=low, high=high)  # fmt: skip
    highest, lowest = [], []
    for _ in range(130):
        stage.frames()
        highest.append(hinge.angle)
    assert max(np.abs(np.diff(highest))) < 10.0, "it does not jump from 180 to -180"
    assert highest[-1] == pytest.approx(high, abs=1.0)
    assert max(highest) < high + 3.5
    hinge.motor_speed = -360.0
    for _ in range(220):
        stage.frames()
        lowest.append(hinge.angle)
    assert lowest[-1] == pytest.approx(low, abs=1.0)
    assert min(lowest) > low - 3.5
    assert stage.errors() == 0


def test_a_position_motor_goes_back_the_way_it_came_where_limits_lie_beyond_half_a_turn(stage):
    hinge = opened(stage, "HingeJoint", motor="position", motor_angle=300.0, motor_speed=720.0,
                   motor_torque=50.0, limited=True, low=-360.0, high=360.0)  # fmt: skip
    stage.frames(60)
    assert hinge.angle == pytest.approx(300.0, abs=0.5)
    hinge.motor_angle = 0.0
    stage.frames(10)
    assert 150.0 < hinge.angle < 300.0, "not the short way over 360"
    stage.frames(60)
    assert hinge.angle == pytest.approx(0.0, abs=0.5)
    hinge.motor = "off"
    hinge.turn_to(-330.0)
    assert hinge.angle == pytest.approx(-330.0, abs=0.1)
    stage.frames(2)
    assert hinge.angle == pytest.approx(-330.0, abs=0.1)


def test_limits_that_the_rest_is_outside_of_are_gone_to_the_near_way(stage):
    """Kinova's second joint: 47 to 313 degrees, at rest at 0."""
    hinge = opened(stage, "HingeJoint", limited=True, low=47.0, high=313.0, damping=30.0)
    stage.frames(60)
    assert 46.0 < hinge.angle < 60.0


def test_rewind_brings_the_turns_of_a_hinge_back(stage):
    hinge = opened(stage, "HingeJoint", motor="position", motor_angle=350.0, motor_speed=720.0,
                   motor_torque=50.0, limited=True, low=-720.0, high=720.0)  # fmt: skip
    stage.frames(60)
    kept = stage.app.scene.motions()
    assert kept.turns == (("cmp_joint", 4),)
    hinge.motor_angle = -350.0
    stage.frames(110)
    assert hinge.angle == pytest.approx(-350.0, abs=1.0)
    hinge.motor = "off"
    stage.app.scene.put_motions(kept)
    assert hinge.angle == pytest.approx(370.0, abs=1.0), "the turn that lies at the same place"


# -- damping and friction ------------------------------------------------------------------------


@pytest.mark.parametrize("damping", [0.2, 0.5, 50.0])
def test_damping_takes_speed_as_its_law_says(stage, damping):
    hinge = opened(stage, "HingeJoint", damping=damping)
    body_of(stage).spin = (0.0, 0.0, 100.0)
    stage.frames(30)
    assert hinge.speed == pytest.approx(100.0 * np.exp(-0.5 * damping / INERTIA), rel=0.02, abs=0.1)
    hinge.motor, hinge.motor_torque = "torque", 0.2
    stage.frames(200)
    assert hinge.speed == pytest.approx(np.degrees(0.2 / damping), rel=0.02), "where both are equal"
    assert stage.errors() == 0


def test_friction_is_the_same_at_each_speed_and_holds_at_rest(stage):
    hinge = opened(stage, "HingeJoint", friction=0.1, motor="torque", motor_torque=0.08)
    stage.frames(60)
    assert hinge.angle == pytest.approx(0.0, abs=0.01), "the motor is weaker"
    hinge.motor_torque = 0.15
    stage.frames(60)
    assert hinge.speed == pytest.approx(np.degrees(0.05 / INERTIA), rel=0.02)
    hinge.motor = "off"
    before = hinge.speed
    stage.frames(20)
    assert before - hinge.speed == pytest.approx(np.degrees(0.1 / INERTIA / 3.0), rel=0.02)
    hinge.friction = 0.0
    before = hinge.speed
    stage.frames(20)
    assert hinge.speed == pytest.approx(before, rel=1e-3)


@pytest.mark.parametrize("kind", ["SliderJoint", "BallJoint"])
def test_sliders_and_ball_joints_are_damped_and_rub_too(stage, kind):
    joint = opened(stage, kind, damping=0.5)
    if kind == "SliderJoint":
        body_of(stage).velocity = (1.0, 0.0, 0.0)
        mass, share = 1.0, slice(1, 2)
    else:
        body_of(stage).spin = (0.0, 30.0, 50.0)
        mass, share = INERTIA, slice(3, 6)
    before = np.linalg.norm(joint.read()[share])
    stage.frames(20)
    now = np.linalg.norm(joint.read()[share])
    assert now == pytest.approx(before * np.exp(-0.5 / mass / 3.0), rel=0.03)
    joint.damping, joint.friction = 0.0, 20.0
    stage.frames(20)
    assert np.linalg.norm(joint.read()[share]) == pytest.approx(0.0, abs=0.01)
    assert stage.errors() == 0


def test_a_light_body_that_is_strongly_damped_creeps_as_fast_as_its_load_drives_it(stage):
    joint = opened(stage, "SliderJoint", axis=(0, 0, 1), damping=400.0,
                   body={"gravity": 1.0, "mass": 0.1})  # fmt: skip
    stage.frames(60)
    assert joint.speed == pytest.approx(-0.1 * 9.81 / 400.0, rel=0.02)
