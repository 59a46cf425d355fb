"""The menu of a component in the inspector, and the order of components."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from imgui_bundle import imgui

from base.language.wording import tr
from sim.core.editing import clipboard
from sim.core.reporting.python_text import PythonSource, called
from sim.core.scene.scene import ComponentSlot
from sim.ui.panels.edit_form import EditForm, ScriptLinks
from sim.ui.theme.theme import Theme, icons
from sim.ui.widgets.set_aside import BROKEN

POPUP: Final = "component"
PAYLOAD: Final = "component"


class ComponentMenu:
    """Draws the menu at a component's header; the header itself can be pulled to another place.

    Args:
        form: runs the edits and shows what was refused.
        scripts: opens the script of a component.
        say: prints the Python code that is equivalent to the user's action.
        retry: runs a component again that was stopped after an error.
    """

    def __init__(
        self,
        form: EditForm,
        scripts: ScriptLinks,
        say: Callable[[str], object],
        retry: Callable[[ComponentSlot], object],
    ) -> None:
        self.form, self.scripts = form, scripts
        self._say, self._retry = say, retry
        self._text = ""  # of the clipboard, when the menu was opened
        self._dragged = ""

    def draw(self, theme: Theme, slot: ComponentSlot) -> None:
        """Draw the menu's button over the header that was drawn last, and the open menu."""
        right = imgui.get_item_rect_max().x - imgui.get_window_pos().x
        self._drag(slot)
        if imgui.is_item_clicked(imgui.MouseButton_.right):
            imgui.open_popup(POPUP)
        label = icons.ICON_FA_ELLIPSIS_VERTICAL
        width = imgui.calc_text_size(label).x + 2.0 * imgui.get_style().frame_padding.x
        imgui.same_line(right - width - theme.px(4))
        if imgui.small_button(label + "##menu"):
            imgui.open_popup(POPUP)
        if imgui.is_item_hovered(int(imgui.HoveredFlags_.for_tooltip)):
            imgui.set_tooltip(tr("Copy, paste, reset, move or remove the component"))
        if imgui.begin_popup(POPUP):
            if imgui.is_window_appearing():
                self._text = imgui.get_clipboard_text() or ""
            self._draw_items(slot)
            imgui.end_popup()

    def copy(self, slot: ComponentSlot) -> None:
        """Copy a component to the clipboard."""
        imgui.set_clipboard_text(self.form.editor.copy_component(slot))

    def move(self, slot: ComponentSlot, index: int) -> None:
        """Move a component among those of its object; an error stands under the component."""
        self.form.attempt(slot.id, self.form.editor.move_component, slot, index)

    def _draw_items(self, slot: ComponentSlot) -> None:
        editor, key = self.form.editor, slot.id
        has_script = self.scripts.script_of(slot) is not None
        if has_script and _item(tr("Open the script")):
            self.scripts.open_script(slot)
        if slot.state in BROKEN and _item(tr("Retry")):
            self._retry(slot)
        if _item(tr("Copy")):
            found = PythonSource(called("scene.component", slot.id))
            self._say(called("shell.studio.inspector.menu.copy", found))
            self.form.attempt(key, self.copy, slot)
        is_there = clipboard.is_component(self._text)
        is_same = is_there and f'"type": "{slot.type_name}"' in self._text
        if _item(tr("Paste values"), is_enabled=is_same):
            self.form.attempt(key, editor.paste_values, slot, self._text)
        if _item(tr("Paste as new"), is_enabled=is_there):
            self.form.attempt("add", editor.paste_component, slot.object, self._text)
        if _item(tr("Reset to defaults"), is_enabled=bool(slot.values)):
            self.form.attempt(key, editor.reset_component, slot)
        imgui.separator()
        slots = slot.object.components
        index = slots.index(slot)
        is_own = not (slot.prefab_id or slot.stands_for)
        above = slots[index - 1] if index else None
        is_below = above is not None and not (above.prefab_id or above.stands_for)
        if _item(tr("Move up"), is_enabled=is_own and is_below):
            self.move(slot, index - 1)
        if _item(tr("Move down"), is_enabled=is_own and index + 1 < len(slots)):
            self.move(slot, index + 1)
        if _item(tr("Remove")):
            self.form.attempt(key, editor.remove_component, slot)

    def _drag(self, slot: ComponentSlot) -> None:
        """Let the header drawn last be pulled onto that of another component of the object."""
        if imgui.begin_drag_drop_source(int(imgui.DragDropFlags_.none)):
            imgui.set_drag_drop_payload_py_id(PAYLOAD, 1)
            self._dragged = slot.id
            imgui.text(slot.title)
            imgui.end_drag_drop_source()
        if imgui.begin_drag_drop_target():
            if imgui.accept_drag_drop_payload_py_id(PAYLOAD) is not None:
                moved = slot.object.scene.component(self._dragged)
                if moved is not None and moved.object is slot.object:
                    self.move(moved, slot.object.components.index(slot))
            imgui.end_drag_drop_target()


def _item(label: str, *, is_enabled: bool = True) -> bool:
    return bool(imgui.menu_item(label, "", False, is_enabled)[0])
