"""`sim:Text`: letters as the model of an object; without an app."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from sim.core.components.components import Text
from sim.core.geometry.camera_pose import CameraView
from sim.core.geometry.meshes import check_text
from sim.core.scene.scene import Scene


def test_letters_that_were_removed_come_back_as_they_were():
    obj = SimpleNamespace(model=None, material={"rough": 1.0})
    letters = Text()
    letters.slot = SimpleNamespace(
        revision=1, object=obj, parsed={"text": "Hi", "size": 1.0, "depth": 0.1, "color": (1, 0, 0)}
    )
    letters.update(0.1)
    assert obj.model["text"] == letters.text
    assert obj.material == {"rough": 1.0, "color": list(letters.color)}
    letters.disable()
    assert obj.model is None
    letters.update(0.1)
    assert obj.model["text"] == letters.text
    obj.model = {"builtin": "box"}
    letters.disable()
    assert obj.model == {"builtin": "box"}, "another model is not its"


@pytest.mark.parametrize("view", [CameraView(), CameraView((1, 2, 3), 130.0, -20.0, 5.0)])
def test_letters_that_face_the_camera_lie_in_the_plane_of_its_picture(view):
    scene = Scene()
    obj = scene.spawn("Name", parent=scene.spawn("Figure", rotation=(40, 10, 5), scale=(2, 2, 2)))
    letters = Text()
    letters.slot = SimpleNamespace(revision=1, object=obj, parsed={"faces_camera": False})
    scene.camera.view = view
    letters.late_update(0.1)
    assert obj.transform.rotation == (0, 0, 0)
    letters.slot.parsed["faces_camera"] = True
    letters.late_update(0.0)  # while the scene is paused, too
    assert obj.transform.forward == pytest.approx(view.eye.ahead)
    assert obj.transform.right == pytest.approx(view.right, abs=1e-9)


def test_letters_beyond_all_bounds_are_refused_in_words():
    for key in ("size", "depth"):
        with pytest.raises(ValueError, match="a size and a depth above 0, up to 1e\\+06"):
            check_text({"text": "Hi", key: 1e154})
