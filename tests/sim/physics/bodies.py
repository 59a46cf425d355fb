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
