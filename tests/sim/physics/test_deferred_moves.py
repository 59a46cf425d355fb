"""Objects are moved once somebody looks at them; whether and when somebody does changes nothing."""

from __future__ import annotations

import numpy as np
import pytest

from tests.sim.core.stage import thing
from tests.sim.physics.bodies import FLOOR, MODELS, ball

FRAMES, MIDDLE = 80, 30


def falling(count=6):
    kinds = list(MODELS.values())
    objects = {"obj_floor": FLOOR}
    for index in range(count):
        objects[f"obj_h{index:03d}"] = thing(
            f"H{index}", {f"cmp_h{index:03d}": "sim:RigidBody"}, model=kinds[index % len(kinds)],
            position=[1.1 * index, 0.15 * (index % 2), 2 + 0.4 * index],
            rotation=[31 * index, 17 * index % 90, 5],
        )  # fmt: skip
    return objects


def one_by_one(scene):
    for obj in scene.objects.values():
        yield obj.transform.world_matrix, obj.transform.position, obj.transform.rotation


LOOKS = {
    "at all of them": lambda scene: list(one_by_one(scene)),
    "at one": lambda scene: scene.find("H2").transform.world_matrix,
    "at one's numbers": lambda scene: scene.find("H1").transform.rotation,
    "as a picture does": lambda scene: scene.transforms.update_world(),
    "as a ray does": lambda scene: scene.ray_cast((1.1, 0.15, 20), (0, 0, -1)),
    "as a recorder does": lambda scene: scene.transforms.memory(),
}


def put(name, **values):
    def done(scene):
        for key, value in values.items():
            setattr(scene.find(name).transform, key, value)

    return done


EVENTS = {
    "nothing": lambda scene: None,
    "a body is put elsewhere": put("H1", position=(0.0, 3.0, 4.0)),
    "a body is turned": put("H3", rotation=(10.0, 20.0, 30.0)),
    "a body is scaled": put("H0", scale=(0.5, 0.5, 0.5)),
    "what has no body is moved": lambda scene: scene.spawn("New", position=(5, 5, 5)),
    "a body is hung below another": lambda scene: scene.set_parent(
        scene.find("H4"), scene.find("H2")
    ),
    "something is hung below a body": lambda scene: scene.spawn("On", parent=scene.find("H2")),
    "a body is destroyed": lambda scene: scene.destroy(scene.find("H2")),
    "a body is pushed": lambda scene: scene.find("H0").get("RigidBody").apply_impulse((3, 0, 3)),
    "a body is switched off": lambda scene: setattr(scene.find("H5"), "enabled", False),
}


def run(stage, event, look):
    """Let the heap fall, with an event on the way; return all numbers at the end."""
    stage.open(falling())
    scene, waits = stage.app.scene, 0
    for frame in range(FRAMES):
        if frame == MIDDLE:
            event(scene)
        stage.frames(1)
        waits += scene.transforms.deferred is not None
        if look is not None:
            look(scene)
    found = {obj.name: obj.transform.slot for obj in scene.objects.values()}
    numbers, worlds = scene.transforms.numbers(), scene.transforms.world
    return {name: (numbers[slot].tobytes(), worlds[slot].tobytes()) for name, slot in found.items()
            }, waits  # fmt: skip


@pytest.mark.parametrize("event", EVENTS.values(), ids=EVENTS)
def test_whether_somebody_looks_changes_no_bit(stage, event):
    expected, waits = run(stage, event, None)
    assert waits > MIDDLE - 5, "frames have left the moves for later"
    found, _ = run(stage, event, LOOKS["at all of them"])
    assert found == expected
    assert stage.errors() == 0


def test_how_somebody_looks_changes_no_bit(stage):
    expected, _ = run(stage, EVENTS["a body is put elsewhere"], None)
    for name, look in LOOKS.items():
        assert run(stage, EVENTS["a body is put elsewhere"], look)[0] == expected, name


def test_what_is_looked_at_alone_is_where_all_would_be(stage):
    stage.open(falling())
    scene = stage.app.scene
    stage.frames(30)
    assert scene.transforms.deferred is not None
    alone = {name: np.array(scene.find(name).transform.world_matrix) for name in ("H0", "H4")}
    assert scene.transforms.deferred is not None, "the others have not been moved for that"
    alone["H0"][:] = 7.0  # what was returned is the caller's
    scene.transforms.refresh()
    assert scene.transforms.deferred is None
    assert np.array_equal(scene.find("H4").transform.world_matrix, alone["H4"])
    assert not np.array_equal(scene.find("H0").transform.world_matrix, alone["H0"])


def test_a_picture_is_told_of_all_that_moved(stage):
    stage.open(falling())
    transforms = stage.app.scene.transforms
    stage.frames(30)
    transforms.update_world()
    revision = transforms.revision
    stage.frames(1)
    assert transforms.revision > revision
    moved = {stage.app.scene.find(f"H{index}").transform.slot for index in range(6)}
    assert moved <= set(transforms.update_world().tolist())


def test_a_joint_is_read_where_a_script_has_put_its_body(stage):
    hanging = ball(3.0)
    hanging["components"]["cmp_joint"] = {"type": "sim:SliderJoint", "fields": {"axis": [0, 0, 1]}}
    stage.open({"obj_ball": hanging})
    joint = stage.slot("cmp_joint").instance
    stage.frames(20)
    fallen = joint.place
    assert stage.app.scene.transforms.deferred is not None
    assert fallen < -0.1
    stage.app.scene.find("Ball").transform.position = (0, 0, 3.5)
    assert joint.place == pytest.approx(0.5, abs=1e-4)
    assert joint.place != pytest.approx(fallen)
