"""When a picture in the picture is drawn again: with fakes, without a window."""

from __future__ import annotations

from types import SimpleNamespace

from sim.render.view.camera_pictures import Inset


def test_an_inset_tells_once_that_its_camera_has_moved():
    aimed = []
    inset = SimpleNamespace(
        eye_key=(), size=(8, 6), _camera=SimpleNamespace(aim=lambda eye, size: aimed.append(size))
    )
    camera = SimpleNamespace(eye=SimpleNamespace(numbers=(1.0, 2.0)))
    assert Inset.aim(inset, camera) is True
    assert Inset.aim(inset, camera) is False
    assert aimed == [(8, 6)]
