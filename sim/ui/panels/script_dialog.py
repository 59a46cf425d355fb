"""The dialog that a script shows, in the middle of the window."""

from __future__ import annotations

from collections.abc import Callable

from imgui_bundle import imgui

from sim.core.script.panels import DialogEntry, PanelRegistry
from sim.ui.panels.dialogs import draw_modal
from sim.ui.theme.theme import Theme
from sim.ui.widgets.context import PanelUi
from sim.ui.widgets.set_aside import balance, is_set_aside, restore

DIALOG = "###dialog of a script"
MARGIN = 110.0  # unscaled pixels of a dialog's height that its title, answers and edges take
LEAST_HEIGHT = 60.0


class ScriptDialog:
    """Draws the dialog that a script shows, in the middle of the window.

    Args:
        panels: registry of the scripts' panels; it knows the dialog.
        ui: widgets that it is drawn with.
    """

    def __init__(self, panels: PanelRegistry, ui: PanelUi) -> None:
        self._panels, self._ui = panels, ui
        self._shown: DialogEntry | None = None
        self._height = 0.0

    def cancel(self) -> bool:
        """Close the dialog; return whether one was shown."""
        was_shown = self._panels.dialog is not None
        if was_shown:
            self._panels.show_dialog(None)
        return was_shown

    def draw_window(self, theme: Theme, size: tuple[int, int]) -> None:
        """Draw the dialog, if a script shows one, in the middle of a window.

        Args:
            theme: colours and sizes.
            size: width and height of the window, pixels.
        """
        asked = self._panels.dialog
        if asked is not None and is_set_aside(asked.slot):
            self._panels.show_dialog(None)
            asked = None
        if asked is None and self._shown is None:
            return
        title = (asked.title if asked is not None else "") + DIALOG
        if asked is not None and not imgui.is_popup_open(title):
            imgui.open_popup(title)
        self._shown = asked
        self._height = max(theme.px(LEAST_HEIGHT), size[1] - theme.px(MARGIN))
        width = 0.0 if asked is None else asked.width
        draw_modal(theme, size, title, width, self._is_asked, self._draw)

    def _is_asked(self) -> bool:
        return self._panels.dialog is not None

    def _draw(self, theme: Theme) -> None:
        asked = self._panels.dialog
        if asked is None:
            return
        most = imgui.ImVec2(imgui.FLT_MAX, self._height)
        imgui.set_next_window_size_constraints(imgui.ImVec2(0, 0), most)
        kinds = imgui.ChildFlags_  # Escape closes a list, and does not leave the form for its frame
        resizing = int(kinds.auto_resize_y | kinds.always_auto_resize | kinds.nav_flattened)
        imgui.begin_child("content", imgui.ImVec2(0, 0), resizing)
        self._call(asked, asked.draw)
        imgui.end_child()
        if asked.draw_answers is not None and asked.error is None:
            imgui.separator()
            self._call(asked, asked.draw_answers)

    def _call(self, asked: DialogEntry, draw: Callable[..., object]) -> None:
        """Let the script draw a part of its dialog; after an error the dialog is closed.

        Args:
            asked: the dialog.
            draw: draws the part.
        """
        state = balance()
        asked.attempt(draw, self._ui)
        restore(state)
        if asked.error is not None and self._panels.dialog is asked:
            self._panels.show_dialog(None)
