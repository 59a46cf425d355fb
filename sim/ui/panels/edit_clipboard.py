"""Copies and pastes objects and components by hand, through the clipboard of the system."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from imgui_bundle import imgui

from base.errors import GoishiError
from base.language.wording import tr
from sim.core.editing import Editor, clipboard
from sim.core.reporting.console import Console
from sim.core.scene.scene import ComponentSlot, SceneObject
from sim.ui.widgets.selection import Selection


class EditClipboard:
    """Copies, cuts and pastes what is selected.

    A text that is no copy of objects is refused with one line in the console.

    Args:
        editor: makes the edits.
        selection: the selected objects; pasted ones are selected.
        console: says what was refused.

    Attributes:
        is_told: whether the line of the action is printed already, so that those of its edits are
            not.
    """

    def __init__(self, editor: Editor, selection: Selection, console: Console) -> None:
        self.editor, self.selection = editor, selection
        self.is_told = False
        self.copy_elsewhere: Callable[[], bool] = bool
        """Copies what is marked in a panel with the keyboard; returns whether there is anything."""
        self._console = console

    def copy(self) -> None:
        """Copy the selected objects with all their descendants."""
        if not self.copy_elsewhere() and self._has_choice("copy"):
            with self._attempt():
                imgui.set_clipboard_text(self.editor.copy(*self.selection.objects))

    def cut(self) -> None:
        """Copy the selected objects with all their descendants, and delete them."""
        if self._has_choice("cut"):
            with self._attempt():
                imgui.set_clipboard_text(self.editor.cut(*self.selection.objects))

    def paste(self) -> None:
        """Paste objects beside the selected one; a copied component is added to the selected."""
        text = imgui.get_clipboard_text() or ""
        chosen = self.selection.object
        if clipboard.is_component(text):
            if self._has_choice("paste a component into"):
                with self._attempt(), self.editor.group(tr("Paste a component")):
                    for obj in self.selection.objects:
                        self.editor.paste_component(obj, text)
            return
        self._paste(text, None if chosen is None else chosen.parent)

    def paste_below(self) -> None:
        """Paste objects as children of the selected one."""
        self._paste(imgui.get_clipboard_text() or "", self.selection.object)

    def _paste(self, text: str, parent: SceneObject | None) -> None:
        with self._attempt():
            self.selection.choose(*self.editor.paste(text, parent))

    # -- components ---------------------------------------------------------------------------

    def copy_component(self, slot: ComponentSlot) -> None:
        """Copy a component."""
        with self._attempt():
            imgui.set_clipboard_text(self.editor.copy_component(slot))

    # -- doing --------------------------------------------------------------------------------

    def _has_choice(self, aim: str) -> bool:
        """Return whether anything is selected; else say that it is needed.

        Args:
            aim: what is to be done with it.
        """
        if not self.selection.objects:
            self._console.info(f"choose objects first, to {aim}")
        return bool(self.selection.objects)

    @contextlib.contextmanager
    def _attempt(self) -> Iterator[None]:
        """Do something that may be refused; the console says why."""
        self.is_told = True
        try:
            yield
        except (GoishiError, ValueError) as error:
            self._console.warning(str(error))
        finally:
            self.is_told = False
