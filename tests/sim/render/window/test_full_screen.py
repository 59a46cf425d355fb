"""Full screen and back: with a fake window."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from sim.render.window.display import Display


@pytest.mark.parametrize("is_offscreen", [False, True])
def test_full_screen_is_entered_once_and_left_at_the_size_before(is_offscreen):
    asked = []
    display = SimpleNamespace(
        is_offscreen=is_offscreen, size=(900, 620), _size_before=(),
        pipe=SimpleNamespace(get_display_width=lambda: 1920, get_display_height=lambda: 1080),
        output=SimpleNamespace(request_properties=lambda found: asked.append(
            (found.get_fullscreen(), tuple(found.get_size())))),
    )  # fmt: skip
    for is_full in (False, True, True, False, False):
        Display.set_fullscreen(display, is_full)
    wanted = [(True, (1920, 1080)), (False, (900, 620))]
    assert asked == ([] if is_offscreen else wanted)
