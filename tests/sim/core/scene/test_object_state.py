"""The state of objects: captured, restored and read from a scene file, it is one and the same."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import pytest

from base.files import SHIPPED_ROOT
from sim.core.files.scene_file import load
from sim.core.scene.object_state import ABSENT, deep_copy, is_same
from sim.core.scene.scene import Scene, capture, capture_scene, restore_scene

SCENES = sorted(SHIPPED_ROOT.glob("scenes/**/*.scene.json"))


@pytest.fixture
def scene() -> Scene:
    return Scene()


@pytest.mark.parametrize("path", SCENES, ids=lambda path: path.name.partition(".")[0])
def test_an_object_just_loaded_is_what_its_file_says(scene, path):
    scene.load_document(load(path))
    assert scene.objects
    for obj in scene.objects.values():
        assert replace(capture(obj), authored=None, loaded=None) == obj.loaded
    states = capture_scene(scene)
    other = Scene()
    other.project = scene.project
    restore_scene(other, states)
    assert capture_scene(other) == states


def test_a_state_shares_nothing_with_its_object(scene):
    obj = scene.spawn("A", model={"builtin": "box", "size": [1.0, 2.0, 3.0]})
    obj.material["color"] = [1.0, 0.0, 0.0]
    slot = scene.attach(obj, "scripts.a:A", {"items": [[1], {"a": [2]}]})
    before = capture(obj)
    obj.material["color"][1] = obj.model["size"][0] = 0.5
    slot.values["items"][1]["a"].append(3)
    assert before.material == {"color": [1.0, 0.0, 0.0]}
    assert before.model == {"builtin": "box", "size": [1.0, 2.0, 3.0]}
    assert before.components[0].values == {"items": [[1], {"a": [2]}]}
    restore_scene(scene, (before,))
    again = scene.get(before.id)
    again.components[0].values["items"].clear()
    again.material["color"][1] = 0.5
    assert before.components[0].values == {"items": [[1], {"a": [2]}]}
    assert before.material == {"color": [1.0, 0.0, 0.0]}


def test_a_copy_of_what_is_absent_is_absent():
    assert copy.deepcopy(ABSENT) is ABSENT
    assert deep_copy([{"a": ABSENT}])[0]["a"] is ABSENT


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (0.0, -0.0, False), (1, 1.0, False), (True, 1, False), ("a", "a", True),
        ([1, [2.5]], [1, [2.5]], True), ([1], (1,), False), (ABSENT, None, False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, False), ({"a": [1]}, {"a": [1]}, True),
        (np.zeros(2), np.zeros(2), True), (np.zeros(2), np.zeros((2, 1)), False),
        (np.array([0.0]), np.array([-0.0]), False), ({1, 2}, {2, 1}, True),
    ],
)  # fmt: skip
def test_values_are_compared_to_the_bit_and_with_their_order(one, other, same):
    assert is_same(one, other) is same
