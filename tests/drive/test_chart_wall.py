"""The chart wall: what its screens show, and what its two buttons do."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sim.testing import Pilot

SCENE = Path("scenes/chart_wall.scene.json")


PILOT = {"scene": SCENE, "panels": False, "window": (960, 540), "quality": "low", "speed": 1.0}


@pytest.fixture
def pilot(pilot):
    pilot.app.clock.frame_step = 1 / 30
    pilot.step(12)
    return pilot


def pixels_of(pilot, picture, screen):
    """Return the part of a picture around the middle of a screen, up to its title."""
    x, y = (round(value) for value in pilot.pixel_of(screen.transform.world_position))
    return picture[y - 70 : y + 50, x - 90 : x + 90].astype(int)


def test_every_screen_shows_its_chart_in_the_view(pilot):
    wall = pilot.component("ChartWall")
    pilot.click_button("Pause")
    picture = pilot.picture()
    parts = [pixels_of(pilot, picture, screen) for screen in wall.screens]
    for screen in wall.screens:
        screen.canvas.clear()
    pilot.step(2)
    empty = pilot.picture()
    for part, screen in zip(parts, wall.screens, strict=True):
        blank = pixels_of(pilot, empty, screen)
        assert (np.abs(part - blank).max(axis=2) > 60).mean() > 0.01
        assert np.ptp(blank.reshape(-1, 3), axis=0).max() < 60, "nothing stands in front of it"
    b, g, r = (parts[2][..., channel] for channel in range(3))
    assert ((r > b + 80) & (g > b + 40)).mean() > 0.1, "amber bars"
    b, g, r = (parts[5][..., channel] for channel in range(3))
    assert (g > r + 40).mean() > 0.1, "green levels"
    assert pilot.app.host.error_count == 0


def test_the_screens_go_on_until_pause_and_other_numbers_are_other_charts(pilot):
    wall = pilot.component("ChartWall")

    def pictures():
        return [screen.canvas.picture.copy() for screen in wall.screens]

    first = pictures()
    pilot.step(len(wall.screens))
    second = pictures()
    assert all((a != b).any() for a, b in zip(first, second, strict=True))
    pilot.click_button("Pause")
    held = pictures()
    drawn = pilot.app.view.partial_draws
    pilot.step(12)
    assert all((a == b).all() for a, b in zip(held, pictures(), strict=True))
    assert pilot.app.view.partial_draws <= drawn + 4, "at rest nothing is drawn"
    pilot.click_button("New numbers")
    assert (held[0] != pictures()[0]).any()
    pilot.click_button("Resume")
    pilot.step(6)
    assert wall.now > 0.0


def test_the_histogram_has_the_height_of_its_draws(pilot):
    wall = pilot.component("ChartWall")
    wall.draws = np.full(1_000, 0.1)  # all in the one bar right of the middle
    wall.draw_screen(2)
    picture = wall.screens[2].canvas.picture.astype(int)
    amber = (picture[..., 2] > picture[..., 0] + 120) & (picture[..., 1] > picture[..., 0] + 60)
    columns = np.nonzero(amber[90:360].any(axis=0))[0]
    middle = 84 + 524 * (0.1 + 3.2) / 6.4
    assert columns.min() >= middle - 20
    assert columns.max() <= middle + 20


def test_the_same_seed_shows_the_same_numbers():
    seen = []
    for _ in range(2):
        with Pilot(scene=SCENE, graphics=False, speed=1.0, seed=9) as driven:
            driven.app.clock.frame_step = 1 / 30
            driven.step(5)
            wall = driven.component("ChartWall")
            seen.append((wall.sines.tolist(), wall.draws.tolist(), wall.shares.tolist()))
            assert driven.app.host.error_count == 0
    assert seen[0] == seen[1]
