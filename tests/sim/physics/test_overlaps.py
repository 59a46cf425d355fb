"""Bodies that overlap come apart slowly; what a script takes away or moves wakes what it held."""

from __future__ import annotations

import numpy as np
import pytest

from sim.physics.roster import Touches
from tests.sim.core.stage import thing
from tests.sim.physics.bodies import FLOOR, MODELS, block
from tests.sim.physics.test_kinematic_bodies import body_of, opened, place

PLANE = thing("Plane", {"cmp_plane": ("sim:RigidBody", {"kind": "static", "restitution": 0.0})},
              model={"builtin": "plane", "size": [20, 20]})  # fmt: skip


def is_awake(stage, name):
    return stage.app.scene.physics._bodies[f"cmp_{name.lower()}"].node.is_active()


def sleeping(stage, kind, *more):
    """Open a scene with a box that sleeps on a plate, a metre above the floor."""
    opened(stage, {"obj_floor": FLOOR}, block("Plate", (2, 2, 0.2), (0, 0, 1), kind=kind),
           block("Box", (0.4, 0.4, 0.4), (0.8, 0, 1.3)), *more)  # fmt: skip
    for _ in range(900):
        stage.frames(1)
        if not is_awake(stage, "Box"):
            break
    assert not is_awake(stage, "Box")


def move(transform, step):
    transform.position = np.subtract(transform.position, (0.0, 0.0, 0.02))


def turn(transform, step):
    transform.rotation = (0.0, 0.0, float(step))


def jump(transform, step):
    transform.position = (0.0, 9.0, 1.0)


def shrink(transform, step):
    transform.scale = (0.3, 0.3, 1.0)


@pytest.mark.parametrize("kind", ["static", "kinematic", "dynamic"])
@pytest.mark.parametrize("change", [move, turn, jump, shrink])
def test_a_sleeping_body_wakes_when_a_script_takes_its_support_away(stage, kind, change):
    body = "static" if kind == "dynamic" else kind
    sleeping(stage, body)
    if kind == "dynamic":  # so that it is the simulation's, and rests in the air
        body_of(stage, "Plate").kind = "dynamic"
        body_of(stage, "Plate").gravity = 0.0
        body_of(stage, "Plate").mass = 1000.0
        stage.frames(60)
    plate = stage.app.scene.find("Plate").transform
    for step in range(45):
        change(plate, step)
        stage.frames(1)
    fallen = 1.3 - place(stage, "Box")[2]
    assert fallen > 0.3


@pytest.mark.parametrize("how", ["destroy", "object off", "body off"])
def test_a_sleeping_body_wakes_when_its_support_vanishes(stage, how):
    sleeping(stage, "static")
    plate = stage.app.scene.find("Plate")
    if how == "destroy":
        plate.destroy()
    elif how == "object off":
        plate.enabled = False
    else:
        stage.slot("cmp_plate").enabled = False
    stage.frames(45)
    assert place(stage, "Box")[2] < 1.0


@pytest.mark.parametrize("speed", [0.5, 2.0, 8.0])
def test_a_static_wall_that_a_script_moves_pushes_what_sleeps(stage, speed):
    sleeping(stage, "static", block("Wall", (0.2, 2, 1), (-0.5, 0, 1.7), kind="static"))
    wall = stage.app.scene.find("Wall").transform
    for _ in range(int(60 * 1.1 / speed)):
        wall.position = np.add(wall.position, (speed / 60.0, 0.0, 0.0))
        stage.frames(1)
    stage.frames(20)
    assert place(stage, "Box")[0] > wall.position[0] + 0.29


def test_static_bodies_sleep_again_and_are_not_compared_with_each_other(stage):
    mesh = thing("Mesh", {"cmp_mesh": ("sim:RigidBody", {"kind": "static"})},
                 model={"builtin": "torus", "radius": 2.0, "tube": 0.5})  # fmt: skip
    opened(stage, {"obj_mesh": mesh}, block("Pad", (3, 3, 0.2), (0, 0, 0), kind="static"),
           block("Box", (0.4, 0.4, 0.4), (0, 0, 0.3)))  # fmt: skip
    stage.frames(3)
    stage.app.scene.find("Pad").transform.position = (0.01, 0, 0)
    stage.frames(3)
    stage.app.scene.find("Box").destroy()
    stage.frames(3)
    assert not is_awake(stage, "Pad")
    assert not is_awake(stage, "Mesh")


# -- overlaps ------------------------------------------------------------------------------------


@pytest.mark.parametrize("rate", [60, 240])
@pytest.mark.parametrize("name", MODELS)
def test_bodies_that_begin_in_one_place_do_not_fly(stage, name, rate):
    twins = {
        f"obj_twin{index}": thing(
            f"Twin{index}", {f"cmp_twin{index}": ("sim:RigidBody", {"gravity": 0.0})},
            model=MODELS[name], position=[0.02 * (index > 2), 0, 5],
        )
        for index in range(4)
    }  # fmt: skip
    opened(stage, twins, rate=rate)
    fastest = 0.0
    for _ in range(60):
        stage.frames(1)
        speeds = [np.linalg.norm(body_of(stage, f"Twin{index}").velocity) for index in range(4)]
        fastest = max(fastest, *speeds)
    assert fastest < 3.1
    ends = [place(stage, f"Twin{index}") for index in range(4)]
    assert np.ptp(ends, axis=0).max() < 3.5
    assert np.ptp(ends, axis=0).max() > 0.2, "they came apart"


@pytest.mark.parametrize("floor", ["plane", "box"])
@pytest.mark.parametrize("name", ["box", "sphere", "cylinder", "lathe"])
def test_a_scaled_body_is_pushed_out_and_not_through(stage, name, floor):
    one = thing("One", {"cmp_one": ("sim:RigidBody", {"restitution": 0.0})}, model=MODELS[name],
                position=[0.3, 0.2, 0.4])  # fmt: skip
    opened(stage, {"obj_floor": PLANE if floor == "plane" else FLOOR, "obj_one": one})
    stage.frames(60)
    rest = place(stage, "One")[2]
    stage.app.scene.find("One").transform.scale = (3.0, 3.0, 3.0)
    heights = []
    for _ in range(120):
        stage.frames(1)
        heights.append(place(stage, "One")[2])
    assert heights[-1] == pytest.approx(3.0 * rest, abs=5e-3)
    assert max(heights) < 3.0 * rest + 0.05


# -- planes --------------------------------------------------------------------------------------

SMALL = {
    "cube of 2 cm": {"builtin": "box", "size": 0.02},
    "cube of 1 cm": {"builtin": "box", "size": 0.01},
    "cube of 5 mm": {"builtin": "box", "size": 0.005},
    "ball of 1 cm": {"builtin": "sphere", "radius": 0.005},
}
LOWEST = {"box": 0.4, "sphere": 0.4, "cylinder": 0.0, "capsule": 0.5, "lathe": 0.0,
          "cube of 2 cm": 0.01, "cube of 1 cm": 0.005, "cube of 5 mm": 0.0025,
          "ball of 1 cm": 0.005}  # fmt: skip


def test_everything_rests_on_a_plane_as_on_a_box(stage):
    models = {**MODELS, **SMALL}
    still = {"restitution": 0.0, "can_turn": False}
    objects = {"obj_plane": PLANE}
    for index, (name, low) in enumerate(LOWEST.items()):
        for number, height in enumerate((0.0, 0.3, 1.0, 8.0)):
            key = f"{index}{number}00"
            objects[f"obj_{key}"] = thing(
                f"{name} {height}", {f"cmp_{key}": ("sim:RigidBody", still)},
                model=models[name], position=[1.5 * index - 6.0, 2.0 * number, low + height],
            )  # fmt: skip
    opened(stage, objects)
    stage.frames(150)
    for name, low in LOWEST.items():
        for height in (0.0, 0.3, 1.0, 8.0):
            assert place(stage, f"{name} {height}")[2] == pytest.approx(low, abs=2e-3), name


def test_a_plane_ends_at_its_edge_and_may_be_turned_and_scaled(stage):
    tilted = {**PLANE, "model": {"builtin": "plane", "size": [2, 2]}, "scale": [2, 1, 1],
              "position": [0, 0, 1]}  # fmt: skip
    wall = {**PLANE, "name": "Wall", "rotation": [0, 0, 90], "position": [-5, 0, 2],
            "components": {"cmp_wall": PLANE["components"]["cmp_plane"]}}  # fmt: skip
    opened(stage, {"obj_plane": tilted, "obj_wall": wall},
           block("Inside", (0.2, 0.2, 0.2), (1.8, 0.8, 1.5)),
           block("Beyond", (0.2, 0.2, 0.2), (1.8, 1.3, 1.5)),
           block("Thrown", (0.2, 0.2, 0.2), (-4, 0, 2), gravity=0.0, restitution=0.0))  # fmt: skip
    stage.frames(1)
    body_of(stage, "Thrown").velocity = (-20.0, 0.0, 0.0)
    stage.frames(60)
    assert place(stage, "Inside")[2] == pytest.approx(1.1, abs=2e-3)
    assert place(stage, "Beyond")[2] < 0.0
    assert -4.91 < place(stage, "Thrown")[0] < -4.0


# -- parted --------------------------------------------------------------------------------------

ZONE = """
    class Zone(Script):
        body: RigidBody = field(None)

        def awake(self):
            self.told = []

        @on("body.collided")
        def came(self, other, contact):
            self.told.append(f"+{other.name}")

        @on("body.parted")
        def left(self, other):
            self.told.append(f"-{other.name}")
"""


@pytest.mark.parametrize("how", ["destroy", "object off", "body off", "body removed", "collider"])
def test_a_zone_is_told_of_a_body_that_goes(stage, how):
    stage.script("zone", ZONE)
    zone = block("Zone", (4, 4, 4), (0, 0, 0), kind="static", is_sensor=True)
    fields = {"body": {"$ref": "cmp_zone"}}
    zone["obj_zone"]["components"]["cmp_script"] = {"type": "scripts.zone:Zone", "fields": fields}
    inner = thing("Inner", {"cmp_inner": ("sim:RigidBody", {"gravity": 0.0, "shape": "parts"})})
    part = thing("Part", {"cmp_part": "sim:Collider"}, model={"builtin": "box"})
    opened(stage, zone, {"obj_inner": inner, "obj_part": {**part, "parent": "obj_inner"}},
           block("Stays", (0.2, 0.2, 0.2), (1, 1, 1), gravity=0.0))  # fmt: skip
    stage.frames(3)
    told = stage.slot("cmp_script").instance.told
    assert sorted(told) == ["+Inner", "+Stays"]
    told.clear()
    scene, obj = stage.app.scene, stage.app.scene.find("Inner")
    if how == "destroy":
        obj.destroy()
    elif how == "object off":
        obj.enabled = False
    elif how == "body off":
        stage.slot("cmp_inner").enabled = False
    elif how == "body removed":
        scene.detach(stage.slot("cmp_inner"))
    else:
        stage.slot("cmp_part").enabled = False
    stage.frames(3)
    assert told == ["-Inner"]
    if how == "object off":
        obj.enabled = True
        stage.frames(2)
        assert told == ["-Inner", "+Inner"]
    assert stage.errors() == 0


def test_a_contact_sensor_forgets_what_was_destroyed_and_what_it_left(stage):
    box = block("Box", (0.4, 0.4, 0.4), (0, 0, 0.2))
    box["obj_box"]["components"]["cmp_touch"] = {"type": "sim:ContactSensor", "fields": {}}
    opened(stage, {"obj_floor": FLOOR}, box)
    stage.frames(5)
    sensor = stage.slot("cmp_touch").instance
    assert sensor.is_touching
    stage.app.scene.find("Floor").destroy()
    stage.frames(2)
    assert not sensor.is_touching


# -- how often contacts are compared -------------------------------------------------------------


@pytest.mark.parametrize(
    ("height", "listens", "most"),
    [(0.4, False, 1), (3.0, False, 1), (3.0, True, 2)],
    ids=["slow", "fast", "listened to"],
)
def test_contacts_that_nobody_listens_to_are_compared_once_in_a_step(
    stage, monkeypatch, height, listens, most
):
    opened(
        stage, {"obj_floor": FLOOR}, block("Box", (0.4, 0.4, 0.4), (0, 0, height), restitution=0.0)
    )
    if listens:
        body_of(stage, "Box").collided.connect(lambda other, contact: None)
    stage.frames(3)  # what has been put somewhere is looked at closely
    calls = []
    compare = Touches.compare

    def counted(touches, *arguments):
        calls.append(stage.app.clock.frame)
        compare(touches, *arguments)

    monkeypatch.setattr(Touches, "compare", counted)
    stage.frames(150)
    assert max(map(calls.count, calls)) == most
    assert place(stage, "Box")[2] == pytest.approx(0.2, abs=0.02)


def test_what_gets_deep_into_another_within_a_step_comes_apart_slowly(stage):
    ends = (block("Left", (0.1, 2, 2), (-0.6, 0, 3), mass=5.0, gravity=0.0),
            block("Right", (0.1, 2, 2), (0.6, 0, 3), mass=5.0, gravity=0.0))  # fmt: skip
    opened(stage, *ends)
    for name, speed in (("Left", 20.0), ("Right", -20.0)):
        body = body_of(stage, name)
        body.velocity = (speed, 0.0, 0.0)
        body.restitution = 0.0
    stage.frames(60)
    left, right = (np.linalg.norm(body_of(stage, name).velocity) for name in ("Left", "Right"))
    assert left < 4.0
    assert right < 4.0
