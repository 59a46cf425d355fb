"""What bodies are tested with: a floor, a ball, an object of each shape."""

from __future__ import annotations

from typing import Any

from tests.sim.core.stage import thing

FLOOR = thing(
    "Floor", {"cmp_floor": ("sim:RigidBody", {"kind": "static", "restitution": 0.5})},
    model={"builtin": "box", "size": [20, 20, 1]}, position=[0, 0, -0.5],
)  # fmt: skip
MODELS = {
    "box": {"builtin": "box", "size": 0.8},
    "sphere": {"builtin": "sphere", "radius": 0.4},
    "cylinder": {"builtin": "cylinder", "radius": 0.4, "height": 0.8},
    "capsule": {"builtin": "capsule", "radius": 0.3, "height": 1.0},
    "stone": {"builtin": "stone"},
    "lathe": {"builtin": "lathe", "profile": [[0, 0], [0.5, 0], [0.3, 0.6], [0, 0.6]]},
}


def ball(height: float = 3.0, **fields: Any) -> dict[str, Any]:
    """Return a ball of half a metre, with fields of its body."""
    return thing(
        "Ball", {"cmp_ball": ("sim:RigidBody", fields)},
        model={"builtin": "sphere", "radius": 0.5}, position=[0, 0, height],
    )  # fmt: skip


def block(
    name: str, size: tuple[float, ...], position: tuple[float, ...], **fields: Any
) -> dict[str, Any]:
    """Return a scene's entry of one box with a body, under an id made from its name."""
    key = name.lower()
    made = thing(name, {f"cmp_{key}": ("sim:RigidBody", fields)},
                 model={"builtin": "box", "size": list(size)}, position=list(position))  # fmt: skip
    return {f"obj_{key}": made}


MOVER = """
import numpy as np


class Mover(Script):
    '''Moves and turns its object evenly, from a time on.'''

    velocity: list[float] = field([0.0, 0.0, 0.0])
    turn: float = field(0.0)
    begin: float = field(0.0)
    passed = 0.0

    def fixed_update(self, dt):
        self.passed += dt
        if self.passed > self.begin:
            transform = self.object.transform
            transform.position = transform.position + np.array(self.velocity) * dt
            transform.rotation = transform.rotation + np.array([self.turn, 0.0, 0.0]) * dt
"""


def moved(entry: dict[str, Any], velocity: tuple[float, ...] = (0.0, 0.0, 0.0),
          turn: float = 0.0, begin: float = 0.0) -> dict[str, Any]:  # fmt: skip
    """Give the box of an entry of `block` a `Mover`: metres and degrees a second, seconds."""
    ((key, made),) = entry.items()
    fields = {"velocity": list(velocity), "turn": turn, "begin": begin}
    components = {"cmp_move" + key[4:]: {"type": "scripts.mover:Mover", "fields": fields}}
    return {key: {**made, "components": {**made["components"], **components}}}
