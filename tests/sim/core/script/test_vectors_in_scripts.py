"""Every vector that the API gives to a script: it calculates, and its items can be assigned."""

from __future__ import annotations

import numpy as np
import pytest

from tests.sim.core.stage import thing

SCRIPT = """
import numpy as np

class Mover(Script):
    def start(self):
        self.met = []
        self.object.get("RigidBody").collided.connect(lambda other, met: self.met.append(met))

    def check(self):
        body, transform = self.object.get("RigidBody"), self.object.transform
        transform.position += (1, 0, 0)
        transform.position.x -= 0.5
        transform.position[1] = 7
        transform.world_position[1] += 1
        transform.rotation[:] = (0, 10, 0)
        transform.scale *= (1, 1, 2)
        transform.scale.z /= 2
        body.velocity += (0, 0, 2)
        body.velocity[0] = 3
        body.velocity.y = -1
        body.spin[:] = (0, 90, 0)

    def vectors(self):
        transform, body = self.object.transform, self.object.get("RigidBody")
        hit = self.scene.ray_cast((0, 0, 50), (0, 0, -1))
        bounds = self.scene.find("Floor").bounds
        found = {name: getattr(transform, name) for name in (
            "position", "rotation", "scale", "world_position", "world_rotation", "world_scale",
            "forward", "right", "up")}
        return found | {
            "velocity": body.velocity, "spin": body.spin, "hit": hit.point, "normal": hit.normal,
            "low": bounds.low, "high": bounds.high, "size": bounds.size, "center": bounds.center,
            "to_world": transform.to_world((1, 0, 0)), "to_local": transform.to_local([1, 0, 0]),
            "direction": transform.direction_to_local((0, 0, 1)),
            "turned": transform.quaternion * (1, 0, 0), "moved": transform.matrix * (1, 0, 0),
            "world": transform.world_matrix * (1, 0, 0), "row": transform.world_matrix[3, :3],
            "contact": self.met[0].point, "contact normal": self.met[0].normal,
        }
"""


@pytest.fixture
def slot(stage):
    stage.script("mover", SCRIPT)
    body = {"cmp_body": ("sim:RigidBody", {"gravity": 1.0})}
    box = {"builtin": "box", "size": [1, 1, 1]}
    stage.open(
        {
            "obj_mover": thing("M", {"cmp_mover": "scripts.mover:Mover", **body}, model=box,
                               position=[0, 0, 0.55]),
            "obj_floor": thing("Floor", {"cmp_floor": ("sim:RigidBody", {"kind": "static"})},
                               model={"builtin": "box", "size": [20, 20, 1]},
                               position=[0, 0, -0.5]),
        }
    )  # fmt: skip
    stage.frames(30)
    return stage.slot("cmp_mover")


def test_every_vector_calculates_beside_everything(stage, slot):
    found = stage.app.host.call(slot, "vectors", slot.instance.vectors)
    assert stage.lines() == []
    for name, vector in found.items():
        plain = np.array(vector)
        for other in ((1, 2, 3), [1, 2, 3], np.array([1, 2, 3]), found["forward"], 2.0):
            second = np.array(other)
            assert np.array_equal(vector + other, plain + second), name
            assert np.array_equal(other - vector, second - plain), name
            assert np.array_equal(other * vector, second * plain), name
            assert np.array_equal(vector / other, plain / second), name
        assert vector == tuple(plain.tolist()), name
        assert vector != (9, 8, 7), name
        assert vector.length == pytest.approx(np.linalg.norm(plain)), name


def test_items_of_what_can_be_assigned_can_be_assigned(stage, slot):
    before = np.array(slot.object.transform.position)
    stage.app.host.call(slot, "check", slot.instance.check)
    assert stage.lines() == []
    transform, body = slot.object.transform, slot.object.get("RigidBody")
    assert transform.position == (before[0] + 0.5, 8, before[2])
    assert transform.rotation == pytest.approx((0, 10, 0))
    assert transform.scale == (1, 1, 1)
    assert body.velocity == pytest.approx((3, -1, 2), abs=1e-5)
    assert body.spin == pytest.approx((0, 90, 0), abs=1e-4)
