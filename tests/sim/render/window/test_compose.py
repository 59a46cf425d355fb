"""The pass that puts the layers together: its short cuts for processors show the same picture."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from panda3d.core import Texture

from sim.testing import Pilot

SIZE = (640, 360)


PILOT = {"scene": "scenes/hello.scene.json", "window": SIZE, "speed": 1.0}


@pytest.fixture(scope="module")
def pilot(module_pilot):
    module_pilot.step(3)
    return module_pilot


def noise(size: tuple[int, int], seed: int) -> Any:
    """Return a layer with premultiplied alpha, another in each pixel."""
    pixels = np.random.default_rng(seed).random((size[1], size[0], 4))
    pixels[..., :3] *= pixels[..., 3:]
    texture = Texture("noise")
    texture.setup_2d_texture(*size, Texture.T_unsigned_byte, Texture.F_rgba8)
    texture.set_ram_image(np.rint(pixels * 255.0).astype(np.uint8).tobytes())
    return texture


def composed(pilot: Pilot, *, is_fetched: bool) -> np.ndarray:
    display: Any = pilot.app.display
    display._compose._switch(is_fetched=is_fetched, is_even=is_fetched and display._is_even)
    display.image()
    display.present()
    return np.asarray(display.image()).astype(int)


@pytest.mark.parametrize("has_hud", [False, True])
def test_what_is_fetched_is_what_would_be_sampled(pilot: Pilot, has_hud: bool) -> None:
    display: Any = pilot.app.display
    width, height = display.viewport[2:]
    display.set_scene(noise((width, height), 1), display.viewport, is_even=True)
    if has_hud:
        display.show_hud(noise((width, height), 2))
    sampled = composed(pilot, is_fetched=False)
    fetched = composed(pilot, is_fetched=True)
    assert np.abs(sampled - fetched).max() <= 1
    left, top = display.viewport[:2]
    view = fetched[top : top + height, left : left + width]
    assert view.std() > 20.0, "the noise is in the view"


def test_a_coarse_picture_is_stretched_over_the_view(pilot: Pilot) -> None:
    display: Any = pilot.app.display
    width, height = display.viewport[2:]
    display.set_scene(noise((width // 2, height // 2), 3), display.viewport, is_even=False)
    seen = composed(pilot, is_fetched=True)
    left, top = display.viewport[:2]
    corner = seen[top + height - 4 : top + height, left + width - 4 : left + width]
    assert corner.max() > 0, "it reaches the view's far corner"
    assert np.abs(seen - composed(pilot, is_fetched=False)).max() <= 1
