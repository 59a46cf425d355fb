"""What the view draws: a moving camera, and textures whose pixels change."""

from __future__ import annotations

import numpy as np
import pytest

from sim import CameraView
from sim.testing import Pilot

SCENE = "scenes/hello.scene.json"
PLACE = (-2.0, 1.0, 1.5)


PILOT = {"scene": SCENE, "quality": "auto", "panels": False, "speed": 1.0, "window": (640, 400)}


def flat(color: tuple[int, int, int]) -> np.ndarray:
    return np.full((32, 32, 3), color, np.uint8)


def rest(pilot: Pilot) -> None:
    """Wait until everything lies in the resting picture and nothing is drawn any more."""
    pilot.app.clock.pause()
    view = pilot.app.view
    undrawn = 0
    while undrawn < 5:
        drawn = pilot.app.frame_stats.drawn
        pilot.app.world.links.pump(0.02)
        pilot.step()
        is_still = (
            not any(item.is_moving for item in view._views.values()) and not view._resting.baking
        )
        undrawn = undrawn + 1 if is_still and pilot.app.frame_stats.drawn == drawn else 0


def poster(pilot: Pilot, color: tuple[int, int, int], place=PLACE):
    made = pilot.app.scene.spawn(
        "Poster", model={"builtin": "box", "size": [3, 3, 0.2]}, position=place
    )
    made.casts_shadow = False  # as the boards of the hall
    made.texture = flat(color)
    rest(pilot)
    return made


def colour_at(pilot: Pilot, obj) -> np.ndarray:
    x, y = pilot.pixel_of((PLACE[0], PLACE[1], PLACE[2] + 0.1))
    return pilot.app.display.image()[round(y), round(x)].astype(int)


def test_new_pixels_are_drawn_without_drawing_everything(pilot):
    made = poster(pilot, (30, 30, 220))
    blue, _, red = colour_at(pilot, made)
    assert red > blue + 50
    full = pilot.app.view.full_draws
    made.texture = flat((220, 30, 30))
    rest(pilot)
    blue, _, red = colour_at(pilot, made)
    assert blue > red + 50
    assert pilot.app.view.full_draws == full
    before = pilot.app.display.image()
    assert np.abs(before.astype(int) - pilot.picture()).mean() < 0.5, "as if drawn whole"


def test_new_pixels_stay_behind_what_stands_in_front(pilot):
    made = poster(pilot, (30, 30, 220), place=(0.0, 3.0, -2.0))  # below the board
    before = pilot.app.display.image().astype(int)
    made.texture = flat((220, 30, 30))
    rest(pilot)
    assert np.abs(pilot.app.display.image() - before).max() <= 2


def test_a_texture_of_another_size_is_shown_too(pilot):
    made = poster(pilot, (30, 30, 220))
    made.texture = np.full((64, 16, 3), (220, 30, 30), np.uint8)
    rest(pilot)
    blue, _, red = colour_at(pilot, made)
    assert blue > red + 50


def test_the_picture_is_coarse_while_the_camera_moves_and_fine_when_it_stands(pilot):
    if not pilot.app.display.is_software:
        pytest.skip("drawn by a graphics card: always fine")
    rest(pilot)
    fine = pilot.app.view._used
    view = pilot.app.scene.camera.view
    pilot.app.scene.camera.fly_to(CameraView(view.target, view.azimuth + 30.0), seconds=0.0)
    pilot.step()
    assert pilot.app.view._used.size < fine.size
    coarse = pilot.app.display.image()
    rest(pilot)
    assert pilot.app.view._used is fine
    assert np.abs(coarse.astype(int) - pilot.app.display.image()).mean() < 6.0, "the same view"


def test_a_chosen_preset_is_kept_while_the_camera_moves():
    with Pilot(scene=SCENE, quality="medium", panels=False, speed=1.0, window=(320, 200)) as pilot:
        used = pilot.app.view._used
        pilot.app.scene.camera.fly_to(CameraView(distance=30.0), seconds=0.0)
        pilot.step()
        assert pilot.app.view._used is used


def test_another_quality_is_drawn_in_as_many_pixels_and_samples_as_its_preset_says(
    pilot, monkeypatch
):
    view, evens = pilot.app.view, []
    monkeypatch.setattr(
        view.display, "set_scene", lambda *_, is_even, show=view.display.set_scene, **more:
        (evens.append(is_even), show(*_, is_even=is_even, **more)),
    )  # fmt: skip
    _, _, width, height = view.viewport_size
    for name, scale, samples in (("low", 0.75, 0), ("high", 1.0, 4), ("medium", 1.0, 4)):
        view.set_quality(name)
        rest(pilot)
        assert view.quality == view.asked_quality == name
        assert view._used.size == (round(width * scale), round(height * scale))
        assert view._insets.samples == samples
        assert len(view._layers) == 1, "no coarse ones beside"
        (is_even,) = set(evens)
        assert is_even == (scale == 1.0), "a picture of another size is smoothed"
        evens.clear()
    view.set_quality("auto")
    assert len(view._layers) == 1 + view.display.is_software
