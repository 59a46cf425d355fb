"""What scripts do with objects while the scene runs: copies, places, parents, prefabs."""

from __future__ import annotations

import json
import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from base.errors import LimitError, SceneFileError
from sim.core.files.scene_settings import SceneSettings
from sim.core.scene.scene import Scene
from tests.sim.core.stage import thing

angles = st.tuples(st.floats(-180, 180), st.floats(-85, 85), st.floats(-180, 180))
places = st.tuples(*[st.floats(-5, 5)] * 3)
BALL = {"builtin": "sphere", "radius": 0.5}


def matrix(obj):
    return np.array(obj.transform.world_matrix)


@settings(max_examples=40, deadline=None)
@given(places, angles, places, angles)
def test_places_in_the_world_can_be_read_and_written(above, turned, place, rotation):
    scene = Scene()
    parent = scene.spawn("parent", position=above, rotation=turned, scale=(2, 2, 2))
    child = scene.spawn("child", parent=parent, position=(1, 2, 3), rotation=(10, 20, 30))
    child.transform.world_position = place
    child.transform.world_rotation = rotation
    assert np.allclose(np.array(child.transform.world_position), place, atol=1e-6)
    free = scene.spawn("free", position=place, rotation=rotation, scale=(2, 2, 2))
    assert np.allclose(matrix(child), matrix(free), atol=1e-6)
    assert np.allclose(np.array(child.transform.world_scale), 2.0)


@settings(max_examples=40, deadline=None)
@given(places, angles, places)
def test_an_object_looks_at_a_point_of_the_world(above, turned, target):
    scene = Scene()
    parent = scene.spawn("parent", position=above, rotation=turned)
    child = scene.spawn("child", parent=parent, position=(1, 2, 3))
    mark = scene.spawn("mark", position=target)
    away = np.array(target) - np.array(child.transform.world_position)
    if np.linalg.norm(away) > 0.1:
        child.look_at(mark)
        assert np.allclose(
            np.array(child.transform.forward), away / np.linalg.norm(away), atol=1e-5
        )


def test_a_new_parent_keeps_the_place_in_the_world_where_that_is_wanted():
    scene = Scene()
    parent = scene.spawn("parent", position=(1, 2, 3), rotation=(40, 10, 5), scale=(2, 2, 2))
    child = scene.spawn("child", position=(4, 5, 6), rotation=(15, 25, 35))
    before = matrix(child)
    scene.set_parent(child, parent, keep_world=True)
    assert child.parent is parent
    assert np.allclose(matrix(child), before)
    child.parent = None
    assert child in scene.roots
    assert not np.allclose(matrix(child), before), "its local place stays"
    with pytest.raises(ValueError, match="outside"):
        parent.parent = parent


def test_a_copy_has_everything_below_it_and_points_into_itself(stage):
    stage.script("pair", """
    class Pair(Script):
        count: int = field(0)
        other: SceneObject = field(None)
        def start(self):
            self.count += 1
    """)  # fmt: skip
    stage.open({
        "obj_top": thing("Top", {"cmp_pair": (
            "scripts.pair:Pair", {"other": {"$ref": "obj_low"}})}, position=[1, 0, 0]),
        "obj_low": thing("Low", {}, parent="obj_top", model=BALL, position=[0, 1, 0]),
    })  # fmt: skip
    stage.frames()
    scene = stage.app.scene
    top = scene.find("Top")
    scene.find("Low").material["color"] = [1, 0, 0]
    copy = top.clone(name="Copy", position=(5, 0, 0))
    stage.frames()
    low = copy.children[0]
    script = copy.get("Pair")
    assert (copy.name, low.name, copy.parent) == ("Copy", "Low", None)
    assert low.material["color"] == [1, 0, 0]
    assert script.other is low
    assert top.get("Pair").other is scene.find("Top/Low")
    assert script.count == 2, "the field's value was copied, and start ran in the copy"
    assert low.transform.world_position.tolist() == [5, 1, 0]
    low.material["color"][0] = 0
    assert scene.find("Top/Low").material["color"] == [1, 0, 0]
    again = low.clone(parent=top)
    assert again.parent is top
    copy.destroy()
    stage.frames()
    with pytest.raises(ValueError, match="which is gone"):
        copy.clone()
    assert stage.errors() == 0


def test_copies_get_the_same_ids_in_each_run():
    def made():
        scene = Scene()
        scene.id = "scn_same"
        return scene.spawn("a", object_id="obj_aaa").clone().id

    assert made() == made()


def test_no_half_of_a_copy_is_made():
    scene = Scene(SceneSettings(max_objects=3))
    top = scene.spawn("top")
    scene.spawn("low", parent=top)
    with pytest.raises(LimitError, match="max_objects"):
        top.clone()
    assert len(scene.objects) == 2


def test_a_prefab_is_read_once_until_its_file_changes(stage, monkeypatch):
    from sim.core.files import scene_file

    path = stage.root / "assets" / "lamp.prefab.json"
    path.parent.mkdir()

    def write(radius, size):
        path.write_text(json.dumps({
            "format": "goishi.prefab/1", "name": "Lamp", "pad": "x" * size,
            "model": {"builtin": "sphere", "radius": radius, "list": [1]},
        }))  # fmt: skip

    write(0.2, 1)
    stage.open({})
    scene = stage.app.scene
    reads = []
    read = scene_file.SceneChecker.check_prefab
    monkeypatch.setattr(
        scene_file.SceneChecker, "check_prefab",
        lambda self, *arguments: (reads.append(1), read(self, *arguments))[1],
    )  # fmt: skip
    first, second = (scene.instantiate("assets/lamp.prefab.json") for _ in range(2))
    assert len(reads) == 1
    first.model["list"].append(2)
    assert second.model["list"] == [1]
    assert scene.instantiate("assets/lamp.prefab.json").model["list"] == [1]
    write(0.7, 2)
    os.utime(path, ns=(1, 1))
    assert scene.instantiate("assets/lamp.prefab.json").model["radius"] == 0.7
    assert len(reads) == 2
    path.unlink()
    with pytest.raises(SceneFileError):
        scene.instantiate("assets/lamp.prefab.json")
