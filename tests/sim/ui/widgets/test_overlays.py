"""What lies over the picture stays where it is put."""

from __future__ import annotations

import pytest
from imgui_bundle import imgui

from sim.ui.widgets.overlays import FIXED, FLOATING

NAMES = ("no_move", "no_resize", "no_collapse", "no_saved_settings", "no_docking",
         "no_bring_to_front_on_focus", "no_focus_on_appearing")  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_it_is_not_moved_sized_kept_docked_or_brought_to_the_front(name):
    flag = getattr(imgui.WindowFlags_, name)
    assert int(FIXED) & int(flag) == int(flag)
    assert int(FLOATING) & int(flag) == int(flag)
