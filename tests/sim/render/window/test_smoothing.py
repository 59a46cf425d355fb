"""Edges are smoothed at rest and in motion."""

from __future__ import annotations

import numpy as np
import pytest

from sim.testing import Pilot

HELLO = "scenes/hello.scene.json"
BOX = {"builtin": "box"}


def stage(quality: str) -> Pilot:
    return Pilot(scene=HELLO, window=(320, 200), panels=False, quality=quality, speed=1.0)


def box_moved(pilot, frames: int = 2):
    """Return the picture of a turned box before a plain wall, a frame after it moved."""
    app = pilot.app
    app.clock.pause()
    for obj in list(app.scene.objects.values()):
        if obj.name in ("Board", "Stone", "Table", "Note"):
            obj.destroy()
    box = app.scene.spawn("Box", model=BOX, material={"color": [1, 1, 1], "emission": 1.0})
    box.transform.scale = (4.0, 4.0, 4.0)
    for number in range(frames):
        box.transform.rotation = (8.0 + number, 0.0, 5.0)
        app.draw_next()
        pilot.step()
    return app.display.image().astype(int).sum(axis=2)


def test_what_moves_is_smoothed_at_medium_and_more_at_high():
    found = {}
    for quality in ("medium", "high"):
        with stage(quality) as pilot:
            compose = pilot.app.display._compose
            smoothed = box_moved(pilot)
            assert compose._place is not None
            assert not compose._edges.is_hidden()
            pilot.app.display.smooth_edges(None)
            pilot.app.display.present()
            plain = pilot.app.display.image().astype(int).sum(axis=2)
            found[quality] = np.abs(smoothed - plain).sum()
    assert found["high"] > found["medium"] > 0


def test_at_low_nothing_is_smoothed():
    with stage("low") as pilot:
        box_moved(pilot)
        assert pilot.app.display._compose._place is None
        assert pilot.app.display._compose._edges.is_hidden()


def test_only_the_rectangle_around_what_moves_changes():
    with stage("medium") as pilot:
        smoothed = box_moved(pilot)
        place = pilot.app.display._smoothed
        pilot.app.display.smooth_edges(None)
        pilot.app.display.present()
        plain = pilot.app.display.image().astype(int).sum(axis=2)
        rows, columns = np.nonzero(smoothed != plain)
        left, top, width, height = place
        assert columns.min() >= left
        assert columns.max() < left + width
        assert rows.min() >= top
        assert rows.max() < top + height


def roughness(picture):
    """Return how far, in pixels, the lower edge of the box strays from a straight line."""
    part = picture[124:170, 124:180]
    inside, below = part[:4].mean(axis=0), part[-6:].mean(axis=0)
    cover = ((part - below) / (inside - below)).sum(axis=0)
    places = np.arange(len(cover))
    return np.std(cover - np.polyval(np.polyfit(places, cover, 1), places))


@pytest.mark.parametrize(
    ("quality", "least", "most"), [("low", 0.2, 1.0), ("medium", 0.0, 0.12), ("high", 0.0, 0.06)]
)
def test_an_edge_at_rest_is_as_smooth_as_in_motion(quality, least, most):
    with stage(quality) as pilot:
        moving = roughness(box_moved(pilot))
        pilot.wait_until(lambda: not pilot.app.view._resting.moving)
        pilot.app.view.force_redraw()
        pilot.picture()
        resting = roughness(pilot.app.display.image().astype(int).sum(axis=2))
    assert least <= resting <= min(most, moving)
