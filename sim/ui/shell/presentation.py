"""Presentation mode: the world fills the window, captions are drawn at its lower edge."""

from __future__ import annotations

from imgui_bundle import imgui

from sim.core.host.script_host import ScriptHost
from sim.ui.widgets.context import PanelUi, floating

MARGIN = 26.0  # pixels under the captions
PADDING = (22.0, 14.0)  # pixels between a panel's edge and what stands in it
OPACITY = 0.78
FLAGS = (
    imgui.WindowFlags_.no_decoration
    | imgui.WindowFlags_.no_move
    | imgui.WindowFlags_.no_saved_settings
    | imgui.WindowFlags_.no_nav
    | imgui.WindowFlags_.always_auto_resize
)


def draw_presentation(host: ScriptHost, ui: PanelUi, size: tuple[int, int]) -> float:
    """Draw the panels of presentation mode, one above the other; no other panel is drawn.

    Returns:
        The share of the window's height that they cover, from below.
    """
    width, height = size
    below = height - MARGIN
    room = max(80.0, width - 2.0 * (MARGIN + PADDING[0]))
    for entry in reversed(host.panels.presented()):
        imgui.set_next_window_pos(
            imgui.ImVec2(width / 2, below), imgui.Cond_.always, imgui.ImVec2(0.5, 1.0)
        )
        imgui.set_next_window_bg_alpha(OPACITY)
        imgui.push_style_var(imgui.StyleVar_.window_rounding, 12.0)
        imgui.push_style_var(imgui.StyleVar_.window_border_size, 0.0)
        imgui.push_style_var(imgui.StyleVar_.window_padding, imgui.ImVec2(*PADDING))
        if imgui.begin(f"{entry.title}##presented", None, int(FLAGS))[0]:
            with floating(ui, room):
                host.call(entry.slot, f"panel {entry.title}", entry.draw, ui)
            below = imgui.get_window_pos().y - 8.0
        imgui.end()
        imgui.pop_style_var(3)
    return (height - below) / max(1, height) if below < height - MARGIN else 0.0
