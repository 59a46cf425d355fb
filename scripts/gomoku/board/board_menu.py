"""The menu of a board's look: theme, coordinates, view from above, pictures."""

from __future__ import annotations

from typing import Any, Protocol

from scripts.pieces.board_themes import COORDINATES, THEMES, BoardTheme
from sim import Ui, tr

OWN = "scene's own"
TITLES = {OWN: tr("As in the scene"), **{name: theme.title for name, theme in THEMES.items()}}

PLACES = {
    OWN: tr("Scene's own"),
    "off": tr("Off"),
    "two sides": tr("Two sides"),
    "four sides": tr("Four sides"),
}


class MenuBoard(Protocol):
    """A board as its menu uses it.

    Attributes:
        chosen_theme: the user's theme.
        chosen_coordinates: where the user wants coordinates.
        is_top_down: whether the user wants to see boards from straight above.
    """

    chosen_theme: str
    chosen_coordinates: str
    is_top_down: bool

    @property
    def has_look(self) -> bool:
        """Whether themes and coordinates change this board."""

    @property
    def look(self) -> BoardTheme:
        """The theme that is shown."""

    def by_hand(self, method: str, *arguments: Any) -> Any:
        """Call a method of the board on behalf of the user."""


def draw_board_menu(ui: Ui, board: MenuBoard) -> None:
    """Draw the menu.

    Args:
        ui: user interface of the menu.
        board: the board.
    """
    imgui = ui.imgui
    if imgui.checkbox(tr("Top-down view"), board.is_top_down)[0]:
        board.by_hand("toggle_top_down")
    if board.has_look:
        imgui.separator_text(tr("Theme"))
        for name, title in TITLES.items():
            if imgui.radio_button((title + "##theme"), board.chosen_theme == name):
                board.by_hand("choose_theme", name)
        imgui.separator_text(tr("Coordinates"))
        for place in (OWN, *COORDINATES):
            title = PLACES[place]
            if imgui.radio_button((title + "##coordinates"), board.chosen_coordinates == place):
                board.by_hand("choose_coordinates", place)
        imgui.separator_text(tr("Picture of the position"))
        if ui.button(tr("Copy"), icon="copy", tip=tr("To paste it into another program")):
            board.by_hand("copy_picture")
            imgui.close_current_popup()
        ui.same_line()
        if ui.button(tr("Save…"), icon="floppy-disk", tip=tr("As a PNG or JPEG file")):
            board.by_hand("save_picture")
            imgui.close_current_popup()
