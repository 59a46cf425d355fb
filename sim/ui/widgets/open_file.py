"""The dialog that asks for a file by its path."""

from __future__ import annotations

import sys
from collections.abc import Callable

from imgui_bundle import imgui

from sim.core.script.panels import FileOpener, PanelRegistry
from sim.ui.theme.theme import Theme, icons

HAS_DROPS = sys.platform.startswith("linux")  # see sim.render.window.file_drop
WAYS = "Drop a file onto the window, or paste its path" if HAS_DROPS else "Paste a file's path"
WIDTH = 460.0
FLAGS = int(
    imgui.WindowFlags_.no_collapse
    | imgui.WindowFlags_.no_resize
    | imgui.WindowFlags_.no_move
    | imgui.WindowFlags_.no_saved_settings
    | imgui.WindowFlags_.always_auto_resize
    | imgui.WindowFlags_.no_docking
)


class OpenFileDialog:
    """A field for a path, in the middle of the window, while an opener asks.

    Args:
        panels: knows who asks.
        open_path: opens what the user named; returns what was wrong, "" for nothing.

    Attributes:
        typed: the text of the field.
        message: what was wrong with it.
    """

    def __init__(self, panels: PanelRegistry, open_path: Callable[[str], str]) -> None:
        self.typed = ""
        self.message = ""
        self._panels = panels
        self._open_path = open_path
        self._shown: FileOpener | None = None
        self._wants_focus = False

    def cancel(self) -> bool:
        """Close the dialog; return whether it was shown."""
        was_shown = self._panels.asked_file is not None
        self._panels.ask_file(None)
        return was_shown

    def open(self) -> None:
        """Open what is in the field; stay where nobody opens such a file."""
        if not self.typed.strip():
            return
        self.message = self._open_path(self.typed)
        self._wants_focus = True
        if not self.message:
            self._panels.ask_file(None)

    def draw_window(self, theme: Theme, size: tuple[int, int]) -> None:
        """Draw the dialog over a window of this size, if somebody asks."""
        asked = self._panels.asked_file
        if asked is None and self._shown is None:
            return
        title = f"{asked.label if asked is not None else ''}###open file"
        if asked is not None and asked is not self._shown:
            self.message, self._wants_focus = "", True
            imgui.open_popup(title)
        self._shown = asked
        imgui.set_next_window_pos(
            imgui.ImVec2(size[0] / 2, size[1] / 2), imgui.Cond_.always, imgui.ImVec2(0.5, 0.5)
        )
        width = min(size[0] - 40.0, theme.px(WIDTH))
        imgui.set_next_window_size(imgui.ImVec2(width, 0))
        padding = imgui.ImVec2(theme.px(18), theme.px(14))
        imgui.push_style_var(imgui.StyleVar_.window_padding, padding)
        if imgui.begin_popup_modal(title, None, FLAGS)[0]:
            if asked is not None:
                self._draw(theme, asked)
            if self._panels.asked_file is None:
                imgui.close_current_popup()
            imgui.end_popup()
        imgui.pop_style_var()

    def _draw(self, theme: Theme, asked: FileOpener) -> None:
        imgui.push_text_wrap_pos(0.0)
        imgui.text(f"{WAYS} ({', '.join(asked.suffixes)}):")
        imgui.pop_text_wrap_pos()
        if self._wants_focus:
            imgui.set_keyboard_focus_here()
        self._wants_focus = False
        imgui.set_next_item_width(-1.0)
        is_entered, self.typed = imgui.input_text_with_hint(
            "##path", "path of the file", self.typed, int(imgui.InputTextFlags_.enter_returns_true)
        )
        if self.message:
            imgui.push_text_wrap_pos(0.0)
            imgui.text_colored(theme.vector("red"), self.message)
            imgui.pop_text_wrap_pos()
        imgui.dummy(imgui.ImVec2(0, 4))
        if imgui.button(f"{icons.ICON_FA_FOLDER_OPEN}  Open") or is_entered:
            self.open()
        imgui.same_line()
        if imgui.button("Cancel"):
            self.cancel()
