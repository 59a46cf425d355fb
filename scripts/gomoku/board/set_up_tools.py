"""The tools of a position that is set up by hand, as widgets of a panel."""

from __future__ import annotations

from collections.abc import Callable

from scripts.gomoku.board.set_up import COLORS, TOOLS, SetUp
from sim import Ui, tr, wording


def draw_tools(ui: Ui, position: SetUp, tool: str, by_hand: Callable[[str, str], object]) -> None:
    """Draw what a click does, and the side to move.

    Args:
        ui: the panel.
        position: the position that is set up.
        tool: what a click does, a key of `TOOLS`.
        by_hand: called with "choose" and a tool, or with "move_next" and "black" or "white".
    """
    for index, (name, (label, tip)) in enumerate(TOOLS.items()):
        if index:
            ui.beside(ui.button_width(label) + ui.theme.px(20))
        if ui.imgui.radio_button((label + "##tool"), tool == name):
            by_hand("choose", name)
        ui.tip(tip)
    ui.imgui.align_text_to_frame_padding()
    ui.text(tr("To move"), "muted")
    for side, color in COLORS.items():
        ui.beside(ui.button_width(side) + ui.theme.px(20))
        if ui.imgui.radio_button(
            (wording(side.capitalize()) + "##to move"),
            position.to_move == color,
        ):
            by_hand("move_next", side)
