"""The panel of keys: every action with its key; a click takes another one."""

from __future__ import annotations

from collections.abc import Callable

from imgui_bundle import imgui

from sim.core.key_map import KeyMap, KeyMapError, shown
from sim.ui.theme import Theme, icons

POINTER = (
    ("Right button", "turn the view"),
    ("Middle, or Shift + right", "move the view"),
    ("Wheel", "nearer, farther"),
)


class KeysPanel:
    """Lists actions by group; `capture` takes the next chord for the chosen action.

    Args:
        keys: the map to show.
        on_change: called after a person changed it, to write it down.
    """

    def __init__(self, keys: KeyMap, on_change: Callable[[], None]) -> None:
        self.keys = keys
        self.waiting = ""
        self.message = ""
        self.search = ""
        self._on_change = on_change

    def capture(self, chord: str) -> bool:
        """Bind the waiting action to `chord`; tell whether one waited."""
        if not self.waiting or not chord:
            return False
        name, self.waiting = self.waiting, ""
        if chord == "escape":
            self.message = ""
            return True
        try:
            self.keys.bind(name, "" if chord == "delete" else chord)
        except KeyMapError as error:
            self.message = str(error)
        else:
            self.message = ""
            self._on_change()
        return True

    def draw(self, theme: Theme) -> None:
        """Draw the table."""
        imgui.set_next_item_width(theme.px(180))
        _, self.search = imgui.input_text_with_hint("##search", "search", self.search)
        imgui.same_line()
        if imgui.button(f"{icons.ICON_FA_ROTATE_LEFT} All as usual"):
            self.keys.reset()
            self.message = ""
            self._on_change()
        if self.waiting:
            imgui.text_colored(theme.vector("amber"), self._question())
        elif self.message:
            imgui.text_colored(theme.vector("red"), self.message)
        else:
            imgui.text_colored(theme.vector("muted"), "Click a key to change it.")
        flags = imgui.TableFlags_.row_bg | imgui.TableFlags_.sizing_stretch_prop
        if imgui.begin_child("keys") and imgui.begin_table("keys", 2, int(flags)):
            self._draw_rows(theme)
            imgui.end_table()
        imgui.end_child()

    def _question(self) -> str:
        action = self.keys.actions.get(self.waiting)
        label = action.label if action else self.waiting
        return f"{label}: press a key (Escape keeps it, Delete takes it away)"

    def _draw_rows(self, theme: Theme) -> None:
        wanted = self.search.lower()
        for group, actions in self.keys.groups().items():
            found = [item for item in actions if wanted in f"{group} {item.label}".lower()]
            if not found:
                continue
            _row(theme, group, is_heading=True)
            for action in found:
                _row(theme, action.label)
                chord = shown(self.keys.chord(action.name))
                if imgui.small_button(f"{chord}##{action.name}"):
                    self.waiting, self.message = action.name, ""
        if not wanted:
            _row(theme, "Pointer", is_heading=True)
            for key, meaning in POINTER:
                _row(theme, meaning)
                imgui.text_colored(theme.vector("muted"), key)


def _row(theme: Theme, text: str, *, is_heading: bool = False) -> None:
    imgui.table_next_row()
    imgui.table_next_column()
    if is_heading:
        imgui.push_font(theme.bold, 0.0)
        imgui.text(text)
        imgui.pop_font()
    else:
        imgui.text(text)
    imgui.table_next_column()


__all__ = ["KeysPanel"]
