"""Scenes with every field of every engine component, each with values of every kind.

Files are checked before: what a scene's file must not hold at all (half a surrogate pair, a
reference to nothing) stands in `corpus_made.py`.
"""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator, Sequence
from typing import Any, Final

from sim.core.components.components import MENU
from sim.core.scene.fields import Field, collect_fields
from sim.core.script.script import Script

Json = dict[str, Any]
Value = object

OWN_OBJECT, OWN_COMPONENT = "$own_object", "$own_component"
"""Stand for references of a component to its own object, and to itself."""
STAGE: Final[Json] = {
    "format": "goishi.scene/1",
    "id": "scn_fields",
    "settings": {"fixed_dt": 0.02, "seed": 1},
    "objects": {
        "obj_target": {
            "name": "Target", "position": [0, 0, 50], "model": {"builtin": "box"},
            "components": {"cmp_body": {"type": "sim:RigidBody", "fields": {"kind": "static"}}},
        },
        "obj_child": {"name": "Child", "parent": "obj_target"},
        "obj_lamp": {
            "name": "Lamp",
            "components": {
                "cmp_light": {"type": "sim:Light"}, "cmp_nowhere": {"type": "scripts.nowhere:No"},
            },
        },
        "obj_empty": {"name": "Empty"},
        "obj_off": {
            "name": "Off", "enabled": False, "components": {"cmp_off": {"type": "sim:RigidBody"}},
        },
    },
}  # fmt: skip
"""What references of the tried components point to."""
REFERENCES: Final[tuple[Value, ...]] = (
    *({"$ref": target} for target in (
        "obj_target", "obj_child", "obj_lamp", "obj_empty", "obj_off",
        "cmp_body", "cmp_light", "cmp_nowhere", "cmp_off",
    )),
    OWN_OBJECT, OWN_COMPONENT, [{"$ref": "obj_target"}], [{"$ref": "cmp_light"}],
    {"$asset": "assets/beside.png"}, [{"$asset": "assets/beside.png"}],
)  # fmt: skip
NUMBERS: Final[tuple[Value, ...]] = (
    0, -1, 1, 3, 256, 0.5, -0.0, 1e-300, 1e6, -1e6, 1e9, -1e9, 1e30, 1e38, -1e38, 1e154, 1e300,
    -1e300, 2**63, -(2**31), 10**300,
)  # fmt: skip
VECTORS: Final[tuple[Value, ...]] = (
    [], [0], [0, 0], [0, 0, 0], [0] * 4, [1, 2], [1, 2, 3], [1, 2, 3, 4], [-1] * 3, [0.5] * 3,
    [0.5] * 4, [1e-300] * 3, [1e6] * 3, [1e9] * 3, [-1e9] * 3, [1e12] * 3, [1e38] * 3, [1e300] * 3,
    [1e308] * 3, [1e300, 0, 0], [1e9, 0, -1e9], [None] * 3, ["1"] * 3, [True] * 3, [[0, 0, 0]],
)  # fmt: skip
OTHERS: Final[tuple[Value, ...]] = (
    None, True, False, "", " ", "red", "\u0000", "é" * 300, "x" * 100_000, "%s%n", "ﷺ", "a\nb\tc",
    "../../etc/passwd", "__import__('os').system('true')", "sim:Camera", "scripts.nowhere:No",
    [[]], ["a"] * 1000, {}, {"": ""}, {"builtin": "nothing"}, {"a": {"b": [1, None]}},
)  # fmt: skip
SCENE_VALUES: Final = 30
"""Values tried in one scene."""
NEEDS_BODY: Final = (
    "FixedJoint", "HingeJoint", "SliderJoint", "BallJoint", "SixAxisJoint", "ContactSensor",
    "Inertia", "Collider",
)  # fmt: skip
BESIDE: Final[dict[str, tuple[str, ...]]] = {
    **dict.fromkeys(NEEDS_BODY, ("RigidBody",)),
    "CameraSensor": ("Camera",),
    "JointSensor": ("RigidBody", "HingeJoint"),
}
"""Components that a component needs on its object, by class name."""


def values_for(declared: Field) -> list[Value]:
    """Return values of every kind for a field, those at and beyond its bounds included."""
    found = [*OTHERS, *NUMBERS, *VECTORS, *REFERENCES]
    for bound, beyond in ((declared.minimum, -1.0), (declared.maximum, 1.0)):
        if bound is not None:
            found += [bound, bound + beyond, [bound] * 3]
    kind, _ = declared.kind
    return [*found, *getattr(kind, "__args__", ())[:8]] if _has_words(kind) else found


def _has_words(kind: object) -> bool:
    return all(isinstance(item, str) for item in getattr(kind, "__args__", (None,)))


def thing(cls: type[Script], name: str, value: Value, number: int) -> tuple[str, Json]:
    """Return id and entry of an object with a component whose field has a value.

    Args:
        cls: the component's class.
        name: name of the field.
        value: its raw value.
        number: different for each object of a scene.
    """
    object_id, component_id = f"obj_f{number:05}", f"cmp_f{number:05}"
    own = {OWN_OBJECT: {"$ref": object_id}, OWN_COMPONENT: {"$ref": component_id}}
    raw = own.get(value, value) if isinstance(value, str) else copy.deepcopy(value)
    fields: Json = {name: raw}
    if cls.__name__.endswith("Joint") and name != "other":
        fields["other"] = {"$ref": "obj_target"}
    if name.startswith("motor_"):
        fields["motor"] = ("position", "velocity")[number % 2]
    if name in ("low", "high", "swing", "twist") and "limited" in collect_fields(cls):
        fields["limited"] = True
    components: Json = {
        f"cmp_b{number:05}{place}": {"type": f"sim:{kind}"}
        for place, kind in enumerate(BESIDE.get(cls.__name__, ()))
    }
    components[component_id] = {"type": f"sim:{cls.__name__}", "fields": fields}
    entry: Json = {"name": f"{cls.__name__} {name} {number}", "components": components}
    entry["position"] = [3 * (number % 50), 10 + 3 * (number // 50), 5]
    return object_id, entry if cls.__name__ == "Text" else {**entry, "model": {"builtin": "box"}}


def scene_of(tried: Sequence[tuple[type[Script], str, Value]]) -> Json:
    """Return a scene with an object for each (component class, name of a field, value)."""
    scene = copy.deepcopy(STAGE)
    scene["objects"] |= dict(thing(*item, number) for number, item in enumerate(tried))
    return scene


def field_scenes() -> Iterator[tuple[str, bytes]]:
    """Yield name and content of scenes that try each field of each component."""
    for cls in MENU:
        for name, declared in collect_fields(cls).items():
            values = values_for(declared)
            for begin in range(0, len(values), SCENE_VALUES):
                part = values[begin : begin + SCENE_VALUES]
                scene = scene_of([(cls, name, value) for value in part])
                yield f"field_{cls.__name__}_{name}_{begin:03}", json.dumps(scene).encode()


def sample(
    cls: type[Script], rng: random.Random, count: int
) -> list[tuple[type[Script], str, Value]]:
    """Return some values for each field of a component, other ones for another seed.

    Args:
        cls: the component's class.
        rng: chooses the values.
        count: values of each field.
    """
    return [
        (cls, name, value)
        for name, declared in collect_fields(cls).items()
        for value in rng.sample(values_for(declared), count)
    ]
