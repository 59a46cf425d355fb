"""Bodies that fall, bounce, push and are pushed; what scripts hear of it."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

from base.files import SHIPPED_ROOT
from sim.core.components.components import ENGINE_TYPES
from tests.sim.core.stage import thing
from tests.sim.physics.bodies import FLOOR, MODELS, ball


def lowest(obj):
    from sim.core.geometry.collision_shapes import solid_of

    world = np.array(obj.transform.world_matrix)
    points = solid_of(obj.model, obj.scene.models).triangles.reshape(-1, 3)
    return float((points @ world[:3, :3] + world[3, :3])[:, 2].min())


def test_a_body_falls_as_galileo_says(stage):
    stage.open({"obj_ball": ball(100.0, damping=0.0)})
    stage.frames(60)
    fallen = 100.0 - float(stage.app.scene.find("Ball").transform.position[2])
    assert fallen == pytest.approx(9.81 / 2, rel=0.03)
    assert stage.app.scene.find("Ball").get("RigidBody").velocity[2] == pytest.approx(-9.81, 0.01)


@pytest.mark.parametrize("name", MODELS)
def test_every_shape_comes_to_rest_on_the_floor(stage, name):
    stage.open({
        "obj_floor": FLOOR,
        "obj_one": thing("One", {"cmp_one": ("sim:RigidBody", {"restitution": 0.1})},
                         model=MODELS[name], position=[0, 0, 1.2], rotation=[20, 15, 10]),
    })  # fmt: skip
    stage.frames(300)
    assert abs(lowest(stage.app.scene.find("One"))) < 0.025
    assert np.linalg.norm(stage.slot("cmp_one").instance.velocity) < 0.3
    assert stage.errors() == 0


@pytest.mark.parametrize("scale", [[2, 2, 2], [1, 1, 2], [0.5, 1.5, 1]])
@pytest.mark.parametrize("name", ["sphere", "cylinder", "box"])
def test_scales_are_worked_into_the_shape(stage, name, scale):
    stage.open({
        "obj_floor": FLOOR,
        "obj_one": thing("One", {"cmp_one": ("sim:RigidBody", {"restitution": 0.0})},
                         model=MODELS[name], position=[0, 0, 1.5], scale=scale),
    })  # fmt: skip
    stage.frames(150)
    one = stage.app.scene.find("One")
    assert abs(lowest(one)) < 0.03
    assert one.transform.scale.tolist() == pytest.approx(scale)


def test_restitution_decides_how_high_a_ball_bounces(stage):
    tops = []
    for restitution in (0.2, 0.9):
        stage.open({"obj_floor": FLOOR, "obj_ball": ball(restitution=restitution)})
        obj, heights = stage.app.scene.find("Ball"), []
        for _ in range(90):
            stage.frames()
            heights.append(float(obj.transform.position[2]))
        low = int(np.argmin(heights[:60]))
        tops.append(max(heights[low:]) - 0.5)
    assert tops[1] > 2 * tops[0]
    assert tops[1] < 2.5


@pytest.mark.parametrize("rolling", [0.05, 0.01])
def test_a_rolling_ball_is_slowed_as_a_wheel_is_and_comes_to_rest(stage, rolling):
    made = ball(0.5, rolling=rolling, damping=0.0, spin_damping=0.0, restitution=0.0)
    floor = thing(
        "Floor", {"cmp_floor": ("sim:RigidBody", {"kind": "static", "rolling": rolling})},
        model={"builtin": "box", "size": [200, 20, 1]}, position=[0, 0, -0.5],
    )  # fmt: skip
    stage.open({"obj_floor": floor, "obj_ball": made})
    stage.frames(2)
    body = stage.app.scene.find("Ball").get("RigidBody")
    body.velocity, body.spin = (2.0, 0.0, 0.0), (0.0, np.degrees(4.0), 0.0)
    stage.frames(60)
    slowed = 2.0 - body.velocity.length
    assert slowed == pytest.approx(rolling * 9.81 / 1.4, rel=0.15)  # I = 2/5 m r²
    if rolling == 0.05:
        stage.frames(60 * 9)
        place = stage.app.scene.find("Ball").transform.position.tolist()
        assert body.velocity.length == 0.0, "it sleeps"
        stage.frames(60)
        assert stage.app.scene.find("Ball").transform.position.tolist() == place
        assert place[0] == pytest.approx(2.0**2 / 2 / (0.05 * 9.81 / 1.4), rel=0.15)


def test_a_ball_without_rolling_friction_goes_on_and_one_on_a_slope_rolls_down(stage):
    free = ball(0.5, rolling=0.0, damping=0.0, spin_damping=0.0, restitution=0.0)
    slope = {**FLOOR, "rotation": [0, 0, 4], "position": [0, 30, -0.5]}
    down = {**ball(0.6), "position": [0, 30, 0.6], "name": "Down"}
    down["components"] = {"cmp_down": down["components"]["cmp_ball"]}
    slope["components"] = {"cmp_slope": FLOOR["components"]["cmp_floor"]}
    stage.open({"obj_floor": FLOOR, "obj_ball": free, "obj_slope": slope, "obj_down": down})
    stage.frames(2)
    body = stage.app.scene.find("Ball").get("RigidBody")
    body.velocity, body.spin = (1.0, 0.0, 0.0), (0.0, np.degrees(2.0), 0.0)
    stage.frames(180)
    assert body.velocity.length == pytest.approx(1.0, rel=0.02)
    assert stage.app.scene.find("Down").get("RigidBody").velocity[0] > 0.5


def test_scripts_hear_of_touches_and_push(stage):
    stage.script("ear", """
    class Ear(Script):
        body: RigidBody = field(None)
        def start(self):
            self.heard = []
            self.body.velocity = (0, 0, -5)
        @on("body.collided")
        def hit(self, other, contact):
            self.heard.append((other.name, tuple(contact.normal), contact.impulse))
            self.body.apply_impulse((0, 0, 8.0))
        @on("body.parted")
        def off(self, other):
            self.heard.append(other.name)
    """)  # fmt: skip
    body = ball(2.0, mass=2.0, restitution=0.0)
    body["components"]["cmp_ear"] = {
        "type": "scripts.ear:Ear", "fields": {"body": {"$ref": "cmp_ball"}}
    }  # fmt: skip
    stage.open({"obj_floor": FLOOR, "obj_ball": body})
    stage.frames(60)
    heard = stage.slot("cmp_ear").instance.heard
    name, normal, impulse = heard[0]
    assert name == "Floor"
    assert normal == pytest.approx((0, 0, 1), abs=1e-3)
    assert impulse == pytest.approx(2.0 * 6.9, rel=0.15), "mass times the speed of the impact"
    assert heard[1] == "Floor"
    assert stage.errors() == 0


def test_forces_hold_for_a_step_and_torques_spin(stage):
    stage.script("engine", """
    class Engine(Script):
        def fixed_update(self, dt):
            body = self.object.get("RigidBody")
            body.apply_force((6.0, 0, 0))
            body.apply_torque((0, 0, 0.2))
    """)  # fmt: skip
    body = ball(0.0, mass=2.0, gravity=0.0, damping=0.0, spin_damping=0.0)
    body["components"]["cmp_engine"] = {"type": "scripts.engine:Engine", "fields": {}}
    stage.open({"obj_ball": body})
    stage.frames(60)
    made = stage.slot("cmp_ball").instance
    assert made.velocity.tolist() == pytest.approx([3.0, 0, 0], rel=0.03, abs=1e-4)
    inertia = 0.4 * 2.0 * 0.25
    assert made.spin[2] == pytest.approx(np.degrees(0.2 / inertia), rel=0.05)


def test_a_kinematic_body_pushes_and_a_moved_one_is_followed(stage):
    stage.script("ram", """
    class Ram(Script):
        def fixed_update(self, dt):
            self.object.transform.translate((2.0 * dt, 0, 0))
    """)  # fmt: skip
    stage.open({
        "obj_floor": FLOOR,
        "obj_ram": thing("Ram", {"cmp_ram": "scripts.ram:Ram",
                                 "cmp_body": ("sim:RigidBody", {"kind": "kinematic"})},
                         model={"builtin": "box", "size": 1}, position=[-2, 0, 0.5]),
        "obj_ball": ball(0.5),
    })  # fmt: skip
    stage.frames(120)
    scene = stage.app.scene
    obj = scene.find("Ball")
    assert scene.find("Ram").transform.position[0] == pytest.approx(2.0, abs=0.1)
    assert obj.transform.position[0] > 2.5
    obj.transform.position = (0, 5, 4)
    stage.frames(2)
    assert obj.transform.position[2] == pytest.approx(4.0, abs=0.1)
    assert obj.transform.position[1] == pytest.approx(5.0, abs=0.3)


def test_bodies_below_parents_fall_in_the_world(stage):
    stage.open({
        "obj_floor": FLOOR,
        "obj_top": thing("Top", {}, position=[3, 0, 1], rotation=[30, 40, 0], scale=[2, 2, 2]),
        "obj_ball": {**ball(0.0), "position": [0, 0, 1.0], "parent": "obj_top"},
    })  # fmt: skip
    start = stage.app.scene.find("Ball").transform.world_position
    stage.frames(240)
    end = stage.app.scene.find("Ball").transform.world_position
    assert end[2] == pytest.approx(1.0, abs=0.03), "a radius of half a metre, twice as large"
    assert np.hypot(*(end - start)[:2]) < 0.5


def test_layers_pass_through_each_other_and_sensors_only_tell(stage):
    ghost = ball(2.0)
    ghost["components"]["cmp_layer"] = {
        "type": "sim:Layer", "fields": {"name": "ghost", "passes": ["ground"]}
    }  # fmt: skip
    floor = {**FLOOR, "components": {**FLOOR["components"], "cmp_ground": {
        "type": "sim:Layer", "fields": {"name": "ground"}}}}  # fmt: skip
    stage.open({
        "obj_floor": floor, "obj_ball": ghost,
        "obj_solid": {**ball(2.0), "name": "CollisionShape", "position": [3, 0, 2], "components": {
            "cmp_solid": {"type": "sim:RigidBody", "fields": {}}}},
        "obj_zone": thing("Zone", {"cmp_zone": (
            "sim:RigidBody", {"kind": "static", "is_sensor": True, "size": [9, 9, 0.5]})},
            position=[3, 0, 1.0]),
    })  # fmt: skip
    heard = []
    stage.frames()
    zone = stage.slot("cmp_zone").instance
    zone.collided.connect(lambda other, contact: heard.append(other.name))
    stage.frames(120)
    scene = stage.app.scene
    assert scene.find("Ball").transform.position[2] < -3
    assert scene.find("CollisionShape").transform.position[2] == pytest.approx(0.5, abs=0.05)
    assert "CollisionShape" in heard


def test_a_layer_that_comes_while_the_scene_runs_counts_at_once(stage):
    stage.open({"obj_floor": FLOOR, "obj_ball": ball(0.6)})
    stage.frames(30)
    scene = stage.app.scene
    floor, ball_ = scene.find("Floor"), scene.find("Ball")
    assert ball_.transform.position[2] == pytest.approx(0.5, abs=0.1)
    scene.attach(floor, "sim:Layer", {"name": "ground"})
    scene.attach(ball_, "sim:Layer", {"name": "ghost", "passes": ["ground"]})
    stage.frames(60)
    assert ball_.transform.position[2] < -1.0


def test_bodies_meet_again_when_the_last_layer_goes(stage):
    stage.open({"obj_floor": FLOOR, "obj_ball": ball(3.0)})
    scene = stage.app.scene
    slots = [
        scene.attach(scene.find(name), "sim:Layer", fields)
        for name, fields in (
            ("Floor", {"name": "ground"}), ("Ball", {"name": "ghost", "passes": ["ground"]}),
        )
    ]  # fmt: skip
    stage.frames(10)
    for slot in slots:
        scene.detach(slot)
    stage.frames(120)
    assert scene.find("Ball").transform.position[2] == pytest.approx(0.5, abs=0.1)


def test_what_rests_wakes_when_its_support_goes_or_changes(stage):
    stage.open({"obj_floor": FLOOR, "obj_ball": ball(0.5)})
    stage.frames(300)
    scene = stage.app.scene
    obj = scene.find("Ball")
    assert obj.transform.position[2] == pytest.approx(0.5, abs=0.02)
    scene.find("Floor").model["size"] = [20, 20, 0.2]
    stage.frames(60)
    assert obj.transform.position[2] == pytest.approx(0.1, abs=0.05)
    scene.find("Floor").destroy()
    stage.frames(60)
    assert obj.transform.position[2] < -1.0


@pytest.mark.parametrize(
    ("keys", "fields", "message"),
    [
        ({"scale": [1, 0, 1]}, {}, "expected factors other than 0 as the scale of Ball"),
        ({}, {"shape": "mesh"}, "for a dynamic body, found mesh"),
        ({"model": {"builtin": "sphere", "radius": "x"}}, {}, "expected an object with a shape"),
    ],
)
def test_what_cannot_be_a_body_is_told_once_and_the_rest_goes_on(stage, keys, fields, message):
    stage.open({
        "obj_floor": FLOOR,
        "obj_ball": {**ball(3.0, **fields), **keys},
        "obj_other": {**ball(3.0), "name": "Other", "position": [4, 0, 3], "components": {
            "cmp_other": {"type": "sim:RigidBody", "fields": {}}}},
    })  # fmt: skip
    stage.frames(30)
    assert stage.errors() == 1
    assert message in stage.lines()[0]
    assert stage.app.scene.find("Other").transform.position[2] < 2.9


def test_a_sheared_body_is_refused(stage):
    stage.open({
        "obj_top": thing("Top", {}, scale=[1, 3, 1]),
        "obj_ball": {**ball(0.0), "rotation": [45, 0, 0], "parent": "obj_top"},
    })  # fmt: skip
    stage.frames(2)
    assert "not to be sheared" in stage.lines()[0]


def test_gravity_can_be_set_from_the_scene(stage):
    stage.open({
        "obj_grav": thing("G", {"cmp_grav": ("sim:Gravity", {"acceleration": [0, 2.0, 0]})}),
        "obj_ball": ball(0.0, damping=0.0),
    })  # fmt: skip
    stage.frames(60)
    assert stage.slot("cmp_ball").instance.velocity.tolist() == pytest.approx([0, 2, 0], rel=0.05)
    stage.slot("cmp_grav").enabled = False
    stage.frames(60)
    assert stage.slot("cmp_ball").instance.velocity[2] == pytest.approx(-9.81, rel=0.05)


def test_a_fast_ball_does_not_slip_through_a_thin_wall(stage):
    stage.open({
        "obj_wall": thing("Wall", {"cmp_wall": ("sim:RigidBody", {"kind": "static"})},
                          model={"builtin": "box", "size": [0.1, 10, 10]}, position=[5, 0, 0]),
        "obj_ball": {**ball(0.0, gravity=0.0), "model": {"builtin": "sphere", "radius": 0.1}},
    })  # fmt: skip
    stage.frames()
    stage.slot("cmp_ball").instance.velocity = (90, 0, 0)
    stage.frames(30)
    assert stage.app.scene.find("Ball").transform.position[0] < 5.0


def test_a_flat_model_holds_up_what_falls_on_it(stage):
    plane = thing("Plane", {"cmp_plane": ("sim:RigidBody", {"kind": "static"})},
                  model={"builtin": "plane", "size": 10}, rotation=[0, 0, 20])  # fmt: skip
    stage.open({"obj_plane": plane, "obj_ball": ball(2.0)})
    stage.frames(45)
    assert stage.app.scene.find("Ball").transform.position[0] > 0.05, "it rolls down the slope"
    assert stage.app.scene.find("Ball").transform.position[2] > -0.5


def test_a_model_from_a_file_falls_once_it_is_there(stage):
    (stage.root / "assets").mkdir()
    shutil.copy(SHIPPED_ROOT / "assets" / "models" / "figure.glb", stage.root / "assets")
    stage.open({
        "obj_floor": FLOOR,
        "obj_one": thing("Figure", {"cmp_one": ("sim:RigidBody", {"restitution": 0.0})},
                         model={"asset": "assets/figure.glb"}, position=[0, 0, 1]),
    })  # fmt: skip
    stage.frames(1)
    figure = stage.app.scene.find("Figure")
    assert figure.transform.position[2] == 1.0, "it waits for its shape"
    stage.app.world.assets.poll(30.0)
    stage.frames(90)
    assert -0.1 < figure.transform.position[2] < 0.9
    assert stage.errors() == 0


def test_clones_of_bodies_fall_by_themselves_and_new_fields_count_at_once(stage):
    stage.open({"obj_floor": FLOOR, "obj_ball": ball(3.0)})
    stage.frames(2)
    scene = stage.app.scene
    twin = scene.find("Ball").clone(position=(4, 0, 3))
    stage.frames(30)
    assert twin.transform.position[2] < 2.5
    body = twin.get("RigidBody")
    speed = float(body.velocity[2])
    body.gravity = 0.0
    stage.frames(10)
    assert body.velocity[2] == pytest.approx(speed, rel=0.05), "it goes on as fast as it was"
    body.kind = "static"
    stage.frames(2)
    place = twin.transform.position.tolist()
    stage.frames(20)
    assert twin.transform.position.tolist() == place


@pytest.mark.parametrize("name", ENGINE_TYPES)
def test_every_component_of_the_engine_can_be_added_to_what_runs(stage, name):
    stage.open({"obj_one": thing("One", {}, model={"builtin": "sphere"}, position=[0, 0, 1])})
    if name.endswith("Joint"):  # it needs a body, and says so without one
        stage.app.scene.find("One").add("sim:RigidBody")
    stage.app.scene.find("One").add(f"sim:{name}")
    stage.frames(3)
    assert stage.errors() == 0
    assert type(stage.app.scene.find("One").get(name)).__doc__


@pytest.mark.parametrize("restitution", [0.5, 0.8])
def test_a_ball_bounces_to_the_square_of_its_restitution(stage, restitution):
    floor = thing(
        "Floor", {"cmp_floor": ("sim:RigidBody", {"kind": "static", "restitution": restitution})},
        model={"builtin": "box", "size": [20, 20, 1]}, position=[0, 0, -0.5],
    )  # fmt: skip
    stage.open({"obj_floor": floor, "obj_ball": ball(4.5, restitution=restitution, damping=0.0)})
    obj, heights, speeds = stage.app.scene.find("Ball"), [], []
    for _ in range(120):
        stage.frames()
        heights.append(float(obj.transform.position[2]) - 0.5)
        speeds.append(float(obj.get("RigidBody").velocity[2]))
    bounced = next(frame for frame, speed in enumerate(speeds) if speed > 0.0)
    assert max(heights[bounced:]) == pytest.approx(restitution**2 * 4.0, rel=0.15)


def test_an_impulse_beside_the_middle_turns_as_well(stage):
    stage.open({"obj_ball": ball(3.0, gravity=0.0, damping=0.0, spin_damping=0.0)})
    stage.frames(2)
    body = stage.app.scene.find("Ball").get("RigidBody")
    body.apply_impulse((0.0, 0.0, 0.1), point=(0.5, 0.0, 3.0))
    stage.frames()
    assert tuple(body.velocity) == pytest.approx((0.0, 0.0, 0.1), abs=1e-3)
    turns = np.degrees(0.5 * 0.1 / (0.4 * 0.5**2))  # arm times impulse by 2/5 m r²
    assert tuple(body.spin) == pytest.approx((0.0, -turns, 0.0), abs=0.5)


@pytest.mark.parametrize("rotation", [[0, 90, 0], [0, 0, 90], [30, 60, 20]])
def test_a_turned_body_whose_middle_is_not_its_origin_stays_where_it_was(stage, rotation):
    one = thing(
        "One", {"cmp_one": ("sim:RigidBody", {"gravity": 0.0})},
        model=MODELS["lathe"], position=[1, 2, 3], rotation=rotation,
    )  # fmt: skip
    stage.open({"obj_one": one})
    stage.frames(3)
    body = stage.app.scene.find("One").get("RigidBody")
    assert stage.app.scene.find("One").transform.position.tolist() == pytest.approx([1, 2, 3])
    middle = (0.0, 0.0, 0.3) @ np.array(body.slot.object.transform.world_matrix)[:3, :3] + (1, 2, 3)
    body.apply_impulse((0.0, 0.0, 1.0), point=middle)
    stage.frames()
    assert tuple(body.spin) == pytest.approx((0, 0, 0), abs=1e-2), "met in its middle"


def test_what_lies_asleep_sleeps_on_when_a_body_far_away_goes(stage):
    stage.open({"obj_floor": FLOOR, "obj_ball": ball(0.6), "obj_far": {**FLOOR, "name": "Far",
                "components": {"cmp_far": {"type": "sim:RigidBody", "fields": {"kind": "static"}}},
                "position": [50, 0, 0]}})  # fmt: skip
    bodies = stage.app.scene.physics._bodies
    for _ in range(600):
        stage.frames(1)
        if not bodies["cmp_ball"].node.is_active():
            break
    assert not bodies["cmp_ball"].node.is_active()
    stage.app.scene.find("Far").destroy()
    stage.frames(3)
    assert len(bodies) == 2
    assert not bodies["cmp_ball"].node.is_active()
