"""A form of labelled widgets: each change is an undoable edit; refused edits show their error."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from imgui_bundle import imgui

from base.errors import GoishiError
from base.files import resolve_in_project
from base.language.wording import tr
from base.modules import ScriptPackage
from sim.core.editing import Editor
from sim.core.scene.scene import ComponentSlot
from sim.ui.theme.theme import TEXT_COLOR, Theme, cut
from sim.ui.widgets.field_widgets import FieldWidgets
from sim.ui.widgets.suggestions import draw_suggestions

FOR_TOOLTIP = int(imgui.HoveredFlags_.for_tooltip)
MOST_FILES = 500
WIDTH_OF_TIP = 32.0  # heights of a line
LINES_OF_ERROR = 1.8  # widths of the panel: two lines, as words are not broken


class EditForm:
    """Draws the rows of a form, runs their edits, and shows what was refused.

    Args:
        editor: every edit goes through it.
        project: the folder of the scene's project.
        theme: colours and sizes of the widgets.

    Attributes:
        widgets: the widgets of fields.
        messages: the error of the last edit, by the key of its row.
        is_in_gesture: a widget is held; its edits become one step.
    """

    def __init__(self, editor: Editor, project: Path, theme: Theme) -> None:
        self.editor = editor
        self.project = project
        self.widgets = FieldWidgets(theme, lambda: self.files(()), self.has_file)
        self.messages: dict[str, str] = {}
        self.is_in_gesture = False
        self._listed: dict[tuple[str, ...], list[str]] = {}
        self._listed_at = -1

    def attempt(
        self, key: str, action: Callable[..., object], *arguments: object, **named: object
    ) -> bool:
        """Run an edit; return whether it succeeded. A refused edit's error is kept for `say`.

        Args:
            key: key of the row, under which the error is shown.
            action: the function that makes the edit.
            *arguments: its arguments.
            **named: its arguments by name.
        """
        self.messages.pop(key, None)
        try:
            action(*arguments, **named)
        except (GoishiError, ValueError, TypeError) as error:
            self.messages[key] = str(error)
            return False
        return True

    def label(self, theme: Theme, text: str, *, tip: str = "", is_changed: bool = False) -> None:
        """Draw a field's label on the left; the widget drawn next follows on the same line.

        Beside a label that is too long for its column, the widget follows below.

        Args:
            theme: colours and sizes.
            text: the label.
            tip: tooltip; empty for none.
            is_changed: whether the value differs from the prefab; the label is then highlighted.
        """
        imgui.align_text_to_frame_padding()
        start = imgui.get_cursor_pos_x()
        color = theme.vector("amber" if is_changed else "muted")
        whole = imgui.get_content_region_avail().x
        room = whole * 0.4
        fits = imgui.calc_text_size(text).x <= room - theme.px(6)
        imgui.push_style_color(TEXT_COLOR, color)
        imgui.text(text if fits else cut(text, whole))
        imgui.pop_style_color()
        if tip or is_changed:
            tip_of_item(tip or tr("Differs from the prefab"))
        if fits:
            imgui.same_line(start + room)

    def say(self, theme: Theme, key: str, choose: Callable[[str], object] | None = None) -> None:
        """Show the error of the last edit of `key`, if any: two lines, and all of it as a tip.

        Args:
            theme: colours and sizes.
            key: key of the row.
            choose: called with a known name that looks like the refused one, when it is clicked.
                None to offer none.
        """
        message = self.messages.get(key, "")
        if not message:
            return
        shown = cut(message, LINES_OF_ERROR * imgui.get_content_region_avail().x)
        theme.wrapped(shown, "red")
        if shown != message:
            tip_of_item(message)
        if choose is not None and (name := draw_suggestions(message)):
            choose(name)

    def gesture(self, label: str) -> None:
        """Combine all edits into one undo step while the user holds the widget drawn last.

        Args:
            label: name of the undo step.
        """
        if imgui.is_item_active() and not self.is_in_gesture:
            self.is_in_gesture = True
            self.editor.begin_gesture(label)

    def end_gesture(self) -> None:
        """End the undo step when the user has released the widget."""
        if self.is_in_gesture and not imgui.is_any_item_active():
            self.is_in_gesture = False
            self.editor.end_gesture()

    def files(self, suffixes: tuple[str, ...], folder: str = "assets") -> list[str]:
        """Return the files below a project folder; cached until the scene's structure changes.

        Args:
            suffixes: lower-case endings of the files, ".png" for example; empty for all files.
            folder: folder, relative to the project.

        Returns:
            Paths relative to the project, sorted; at most `MOST_FILES`.
        """
        revision = self.editor.scene.structure_revision
        if self._listed_at != revision:
            self._listed_at = revision
            self._listed.clear()
        key = (folder, *suffixes)
        if key not in self._listed:
            root = self.project
            paths = sorted((root / folder).rglob("*")) if (root / folder).is_dir() else []
            self._listed[key] = [
                path.relative_to(root).as_posix()
                for path in paths
                if path.is_file() and (not suffixes or path.suffix.lower() in suffixes)
            ][:MOST_FILES]
        return self._listed[key]

    def has_file(self, path: str) -> bool:
        """Return whether a path names a file of the project."""
        try:
            return resolve_in_project(self.project, path).is_file()
        except (OSError, ValueError):
            return False


class ScriptLinks:
    """Finds the file of a component's script, and opens it.

    Args:
        packages: folders that hold scripts: the project's first, then Goishi's own.
        open_at: opens a file at a line.
    """

    def __init__(
        self, packages: Sequence[ScriptPackage], open_at: Callable[[str, int], None]
    ) -> None:
        self._packages = packages
        self.open_at = open_at

    def open_script(self, slot: ComponentSlot) -> None:
        """Open the script of a component at the line where its class begins."""
        path = self.script_of(slot)
        if path is not None:
            lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
            head = f"class {slot.class_name}"
            found = (number for number, line in enumerate(lines, 1) if line.startswith(head))
            self.open_at(str(path), next(found, 1))

    def open_by_double_click(self, slot: ComponentSlot) -> None:
        """Show a component's tooltip over the last drawn item; a double click opens its script."""
        if not imgui.is_item_hovered():
            return
        has_script = self.script_of(slot) is not None
        opens = tr("Double click: open the script") if has_script else ""
        lines = (slot.type_name, _first_line(slot), opens)
        imgui.set_tooltip("\n".join(filter(None, lines)))
        if has_script and imgui.is_mouse_double_clicked(imgui.MouseButton_.left):
            self.open_script(slot)

    def script_of(self, slot: ComponentSlot) -> Path | None:
        """Return the file that defines a component's class; None for engine classes."""
        module, _, _ = slot.type_name.partition(":")
        if slot.type_name.startswith("goishi:"):
            module = slot.type_name.removeprefix("goishi:").partition(":")[0]
        for package in self._packages:
            path = package.root / (module.replace(".", "/") + ".py")
            if path.exists():
                return path
        return None


def tip_of_item(text: str) -> None:
    """Show a tip where the pointer is over the item just drawn."""
    if text and imgui.is_item_hovered(FOR_TOOLTIP) and imgui.begin_tooltip():
        imgui.push_text_wrap_pos(WIDTH_OF_TIP * imgui.get_font_size())
        imgui.text(text)
        imgui.pop_text_wrap_pos()
        imgui.end_tooltip()


def _first_line(slot: ComponentSlot) -> str:
    text = type(slot.instance).__doc__ if slot.instance is not None else None
    return next(iter((text or "").strip().splitlines()), "")
