"""Mirrored objects show their outsides: a mirrored box looks as the box does."""

from __future__ import annotations

import numpy as np
import pytest

from sim.testing import Pilot

PILOT = {"scene": "scenes/hello.scene.json", "panels": False, "speed": 1.0, "window": (320, 200)}
BOX = {"builtin": "box", "size": [1.0, 2.0, 0.5]}
TURNS = {"position": (0.0, 0.0, 3.0), "rotation": (30.0, 20.0, 0.0)}


def picture(pilot: Pilot) -> np.ndarray:
    pilot.step()
    eye = pilot.app.view.camera.coming_eye
    return pilot.app.view.image(eye, (160, 100), overlays=False).astype(int)


@pytest.mark.parametrize("scale", [(-1.0, 1.0, 1.0), (1.0, -1.0, 1.0), (-1.0, -1.0, -1.0)])
def test_a_mirrored_box_looks_as_the_box_does(pilot: Pilot, scale: tuple[float, ...]) -> None:
    scene = pilot.app.scene
    pilot.app.clock.pause()
    empty = picture(pilot)
    box = scene.spawn("Mirrored", model=BOX, position=TURNS["position"])
    box.transform.rotation = TURNS["rotation"]
    plain = picture(pilot)
    box.transform.scale = scale
    mirrored = picture(pilot)
    top = scene.spawn("Top")
    top.transform.scale = (-1.0, 1.0, 1.0)
    scene.set_parent(box, top, keep_world=True)
    below = picture(pilot)
    box.transform.scale = (1.0, 1.0, 1.0)
    scene.set_parent(box, None)
    again = picture(pilot)
    assert (np.abs(plain - empty).max(axis=2) > 8).sum() > 30, "the box is seen"
    for found in (mirrored, below):
        assert (np.abs(found - plain).max(axis=2) > 8).sum() < 8
    box.destroy()
    pilot.step()
    assert again.shape == plain.shape
