"""Items of an object's look, however deep, are watched; copies are plain."""

from __future__ import annotations

import copy
import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.core.scene.scene import Scene

CHANGES = {
    "item": lambda values: values.__setitem__(0, 9.0),
    "slice": lambda values: values.__setitem__(slice(0, 2), [7.0]),
    "delete": lambda values: values.__delitem__(0),
    "append": lambda values: values.append(4.0),
    "extend": lambda values: values.extend([1.0, 2.0]),
    "insert": lambda values: values.insert(1, 5.0),
    "pop": lambda values: values.pop(),
    "remove": lambda values: values.remove(values[0]),
    "reverse": lambda values: values.reverse(),
    "sort": lambda values: values.sort(key=lambda value: -value),
    "clear": lambda values: values.clear(),
    "add": lambda values: values.__iadd__([3.0]),
    "multiply": lambda values: values.__imul__(2),
}


@given(
    st.lists(st.floats(0, 1), min_size=3, max_size=5),
    st.lists(st.sampled_from(sorted(CHANGES)), max_size=4),
)
def test_a_list_in_a_material_does_as_a_list_and_every_change_is_seen(start, names):
    scene = Scene()
    obj = scene.spawn("Thing", material={"color": list(start)})
    plain = list(start)
    for name in names:
        if len(plain) < 2:
            return
        scene.drain_changes()
        CHANGES[name](obj.material["color"])
        CHANGES[name](plain)
        assert obj.material["color"] == plain
        assert scene.drain_changes().visual == {obj.id}


def test_models_and_what_is_put_in_later_are_watched_too():
    scene = Scene()
    obj = scene.spawn("Thing", model={"builtin": "box", "size": [1, 1, 1]})
    obj.material.update(color=[1, 0, 0])
    obj.material.setdefault("marks", {"at": [[0, 1]]})
    for change in (
        lambda: obj.model["size"].__setitem__(2, 4),
        lambda: obj.material["color"].__setitem__(0, 0.5),
        lambda: obj.material["marks"]["at"][0].append(2),
        lambda: obj.material["marks"].pop("at"),
    ):
        scene.drain_changes()
        change()
        assert scene.drain_changes().visual == {obj.id}
    scene.drain_changes()
    assert obj.material["color"][0] == 0.5
    assert not scene.drain_changes()


@pytest.mark.parametrize(
    "copied", [copy.deepcopy, copy.copy, lambda value: pickle.loads(pickle.dumps(value))]
)
def test_a_copy_is_plain(copied):
    obj = Scene().spawn("Thing", material={"color": [1, 0, 0], "more": {"a": [1]}})
    found = copied(obj.material)
    assert type(found) is dict
    assert found == {"color": [1, 0, 0], "more": {"a": [1]}}
    assert type(copied(obj.material["color"])) is list
    assert json.loads(json.dumps(obj.material)) == found


@pytest.mark.parametrize("name", ["material", "model"])
def test_an_attribute_in_place_of_an_item_is_an_error_that_shows_the_way(name):
    scene = Scene()
    made = scene.spawn("Box")
    made.model, made.material = {"builtin": "box"}, {"color": [1.0, 0.0, 0.0]}
    with pytest.raises(AttributeError, match=r"\['color'\] = …, found an attribute, \.color"):
        getattr(made, name).color = (0.0, 1.0, 0.0)
    with pytest.raises(AttributeError):
        made.material["color"].first = 1.0
