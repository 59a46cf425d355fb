"""What moves is no part of the resting picture: with fakes, without a window."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from sim.render.passes.layers import BAKING, STILL
from sim.render.view.object_view import StaticLayer


class View:
    """The view of an object at rest."""

    is_moving = False

    def __init__(self, *, is_still):
        self.layer = STILL if is_still else BAKING
        self.moved_at = 0.0


@pytest.mark.parametrize("is_still", [True, False])
def test_what_begins_to_move_leaves_the_resting_picture_and_is_drawn_anew(is_still):
    view, shown = View(is_still=is_still), []
    layer = SimpleNamespace(
        is_dirty=False, is_stale=False, moving={}, baking=None,
        _show=lambda view, mask: shown.append(mask),
    )  # fmt: skip
    StaticLayer.move(layer, view, 3.0)
    assert (view.moved_at, view.is_moving) == (3.0, True)
    assert (layer.is_dirty, layer.is_stale) == (True, is_still)
    assert list(layer.moving) == [view]
    layer.is_dirty = False
    StaticLayer.move(layer, view, 4.0)
    assert layer.is_dirty
    assert len(shown) == 1
