"""The hierarchy panel: the tree of objects, to search, select, move, create and delete."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ParamSpec, TypeVar

from imgui_bundle import imgui

from base.errors import GoishiError
from base.language.wording import tr, wording
from sim.core.editing import Editor
from sim.core.editing.python_lines import expression
from sim.core.reporting.console import Console
from sim.core.reporting.python_text import assigned, called
from sim.core.scene.scene import SceneObject, SlotState
from sim.ui.panels.edit_clipboard import EditClipboard
from sim.ui.theme.theme import Theme, begin_flat_child, cut, icons, is_opened, pressed_area
from sim.ui.widgets.context import PanelUi
from sim.ui.widgets.selection import Selection, toggled

BROKEN = (SlotState.QUARANTINED, SlotState.PLACEHOLDER)
EMPTY = tr("Empty")
LABELS = {
    "box": tr("Box"),
    "sphere": tr("Sphere"),
    "cylinder": tr("Cylinder"),
    "capsule": tr("Capsule"),
    "lathe": tr("Turned shape"),
    "plane": tr("Plane"),
    "ring": tr("Ring"),
}
ENGINE_COMPONENTS = {
    tr("Light", "a lamp"): "sim:Light",
    tr("Camera"): "sim:Camera",
    tr("Text"): "sim:Text",
}
PAYLOAD = "object"
ASSET = "asset"
CLEAR = imgui.ImVec4(0.0, 0.0, 0.0, 0.0)
CLIPBOARD = (tr("Cut"), tr("Copy"), tr("Paste"), tr("Paste as child"))
SURE_TO_FIT = 12  # characters
P = ParamSpec("P")
T = TypeVar("T")


class HierarchyPanel:
    """Shows the scene's objects as a tree; only visible rows are drawn.

    Args:
        editor: makes the edits.
        selection: the selected objects.
        console: receives the Python code that is equivalent to the user's edits.
        focus: called with an object to move the camera to it.
    """

    def __init__(
        self,
        editor: Editor,
        selection: Selection,
        console: Console,
        focus: Callable[[SceneObject], None],
    ) -> None:
        self.editor = editor
        self.console = console
        self.selection = selection
        self.scene = selection.scene
        self.search = ""
        self.message = ""
        self.renaming = ""
        self._name = ""
        self._focus = focus
        self._open: set[str] = set()
        self._rows: list[tuple[SceneObject, int]] = []
        self._seen: tuple[object, ...] = ()
        self._dragged = ""
        self._offers_create = False
        self.clipboard: EditClipboard | None = None
        self.ask_prefab: Callable[[], object] | None = None
        """Asks where the chosen object is saved as a prefab; None if it cannot be."""
        self._sought = ""  # id of an object whose row is scrolled to
        selection.on_choose.append(self.reveal)
        self.on_asset: Callable[[SceneObject | None], object] = lambda parent: None
        """Called when an asset is dropped on the tree.

        Its argument is the object under the pointer; None for the empty area.
        """

    # -- what is shown ------------------------------------------------------------------------

    def accept_assets(self, drop: Callable[[SceneObject | None], object]) -> None:
        """Set the function that is called when an asset is dropped on the tree.

        Args:
            drop: called with the object under the pointer; None for the empty area, where the asset
                becomes a root object.
        """
        self.on_asset = drop

    def rows(self) -> list[tuple[SceneObject, int]]:
        """Return the visible objects with their depth; search results all have depth 0."""
        seen = (self.scene.structure_revision, self.editor.revision, self.search,
                frozenset(self._open))  # fmt: skip
        if seen != self._seen:
            self._seen = seen
            wanted = self.search.strip().lower()
            if wanted:
                found = self.scene.objects.values()
                self._rows = [(o, 0) for o in found if o.is_alive and _matches(o, wanted)]
            else:
                self._rows = list(self._walk(self.scene.roots, 0))
        return self._rows

    def reveal(self, obj: SceneObject) -> None:
        """Unfold all ancestors of an object, and scroll to its row."""
        self._sought = obj.id
        above = obj.parent
        while above is not None:
            self._open.add(above.id)
            above = above.parent

    def _walk(self, objects: list[SceneObject], depth: int) -> Iterator[tuple[SceneObject, int]]:
        for obj in objects:
            if obj.is_alive:
                yield obj, depth
                if obj.id in self._open:
                    yield from self._walk(obj.children, depth + 1)

    # -- what a person does -------------------------------------------------------------------

    def attempt(self, action: Callable[P, T], *arguments: P.args, **options: P.kwargs) -> T | None:
        """Run an edit and return its result; if it is refused, show the error and return None.

        Args:
            action: the function that makes the edit.
            *arguments: its arguments.
            **options: its arguments by name.
        """
        self.message = ""
        try:
            return action(*arguments, **options)
        except (GoishiError, ValueError) as error:
            self.message = str(error)
            return None

    def choose(self, *objects: SceneObject | None) -> None:
        """Select these objects, or none, and print the equivalent Python code."""
        chosen = tuple(obj for obj in objects if obj is not None)
        if chosen != self.selection.objects:
            self.console.python(called("shell.choose", *map(expression, chosen or (None,))))
        self.selection.choose(*chosen)

    def click(self, obj: SceneObject, *, toggles: bool = False, extends: bool = False) -> None:
        """Select an object as a click on its row does.

        Args:
            obj: the object whose row is clicked.
            toggles: whether to add it to the selection or remove it if it is selected (Ctrl).
            extends: whether to select all rows between the last selected object and this one
                (Shift).
        """
        last, rows = self.selection.object, [item for item, _ in self.rows()]
        if extends and last in rows:
            here, there = rows.index(obj), rows.index(last)
            between = rows[min(here, there) : max(here, there) + 1]
            self.choose(*(item for item in between if item is not last), last)
        elif toggles or extends:
            self.choose(*toggled(self.selection.objects, (obj,)))
        else:
            self.choose(obj)

    def look_at(self, obj: SceneObject) -> None:
        """Move the view to an object, as a double click does."""
        self.console.python(called("shell.look_at", expression(obj)))
        self._focus(obj)

    @property
    def primitives(self) -> dict[str, dict[str, object]]:
        """Initial shape descriptions of the objects that the create menu offers, by menu label."""
        return {
            LABELS.get(name, wording(name.capitalize())): dict(model)
            for name, model in self.scene.models.starting().items()
        }

    def create(self, label: str) -> None:
        """Create an object as a sibling of the selected one, and select it.

        Args:
            label: entry of the create menu: "Empty", a shape, "Light", "Camera" or "Text".
        """
        kind = ENGINE_COMPONENTS.get(label)
        chosen = self.selection.object
        made = self.attempt(
            self.editor.create,
            str(label),  # a name stays as it is, whatever the language
            parent=chosen.parent if chosen is not None else None,
            model=self.primitives.get(label),
            components=[(kind, {})] if kind else (),
        )
        if made is not None:
            self.selection.choose(made)

    def offer_create(self) -> None:
        """Open the menu of objects that can be created, at the next drawing."""
        self._offers_create = True

    @property
    def dragged(self) -> tuple[SceneObject, ...]:
        """The objects that were dragged last: all chosen ones if one of them was pulled."""
        obj = self.scene.get(self._dragged)
        if obj is None or not obj.is_alive:
            return ()
        return tuple(self.selection.tops) if obj in self.selection else (obj,)

    def delete(self) -> None:
        """Delete the selected objects with all their descendants, in one undo step."""
        self._edit_each(tr("Delete"), self.editor.delete)

    def duplicate(self) -> None:
        """Copy the selected objects with all their descendants, and select the copies."""
        made = self._edit_each(tr("Duplicate"), self.editor.duplicate)
        if made:
            self.selection.choose(*made)

    def _edit_each(self, verb: str, edit: Callable[[SceneObject], T]) -> list[T]:
        """Edit each selected object that has no selected ancestor, in one undo step.

        Args:
            verb: names the undo step, "Delete" for example.
            edit: called with each object.

        Returns:
            Their results; empty if an edit was refused.
        """
        tops = self.selection.tops
        if len(tops) < 2:
            return [] if not tops else self.attempt(lambda: [edit(tops[0])]) or []

        def edit_all() -> list[T]:
            with self.editor.group(tr("{verb} {tops} objects").format(verb=verb, tops=len(tops))):
                return [edit(obj) for obj in tops]

        return self.attempt(edit_all) or []

    def rename(self) -> None:
        """Start editing the selected object's name."""
        chosen = self.selection.object
        if chosen is not None:
            self.renaming, self._name = chosen.id, chosen.name
            self.reveal(chosen)

    # -- drawing ------------------------------------------------------------------------------

    def draw(self, ui: PanelUi) -> None:
        """Draw the tree."""
        theme = ui.theme
        if imgui.button(f"{icons.ICON_FA_PLUS}##create") or self._offers_create:
            imgui.open_popup("create")
            self._offers_create = False
        if imgui.is_item_hovered():
            imgui.set_tooltip(tr("Create an object"))
        self._draw_create()
        imgui.same_line()
        imgui.set_next_item_width(-1)
        _, self.search = imgui.input_text_with_hint("##search", tr("search"), self.search)
        if imgui.is_item_deactivated_after_edit():
            self.console.python(assigned("shell.studio.hierarchy.search", self.search))
        if self.message:
            theme.wrapped(self.message, "red")
        if begin_flat_child("tree"):
            self._draw_rows(theme)
            self._accept(None)
        imgui.end_child()

    def _draw_create(self) -> None:
        if not imgui.begin_popup("create"):
            return
        for label in [EMPTY, *self.primitives, *ENGINE_COMPONENTS]:
            if imgui.menu_item(label, "", False)[0]:
                self.create(label)
        prefabs = sorted(self.scene.project.glob("assets/**/*.prefab.json"))
        if prefabs and imgui.begin_menu(tr("Prefab")):
            for path in prefabs[:200]:
                name = path.relative_to(self.scene.project).as_posix()
                if imgui.menu_item(name, "", False)[0]:
                    made = self.attempt(self.editor.instantiate, name)
                    if made is not None:
                        self.selection.choose(made)
            imgui.end_menu()
        imgui.end_popup()

    def _draw_rows(self, theme: Theme) -> None:
        rows = self.rows()
        if not rows:
            if self.search.strip():
                imgui.text_colored(theme.vector("muted"), tr("No match."))
            elif theme.next_step(
                tr("The scene is empty."), (icons.ICON_FA_PLUS + "  " + tr("Create an object"))
            ):
                self.offer_create()
            return
        clipper = imgui.ListClipper()
        clipper.begin(len(rows))
        self._scroll([obj.id for obj, _ in rows])
        while clipper.step():
            for index in range(clipper.display_start, clipper.display_end):
                self._draw_row(theme, *rows[index])
        clipper.end()

    def _scroll(self, ids: list[str]) -> None:
        """Scroll to the row of an object that was selected elsewhere."""
        sought, self._sought = self._sought, ""
        if sought not in ids:
            return
        height = imgui.get_text_line_height_with_spacing()
        top, room = ids.index(sought) * height, imgui.get_window_height()
        if not imgui.get_scroll_y() <= top <= imgui.get_scroll_y() + room - 2 * height:
            imgui.set_scroll_y(max(0.0, top - room / 2.0))

    def _draw_row(self, theme: Theme, obj: SceneObject, depth: int) -> None:
        imgui.push_id(obj.id)
        indent = theme.px(14) * depth
        if indent:
            imgui.set_cursor_pos_x(imgui.get_cursor_pos_x() + indent)
        self._draw_arrow(theme, obj)
        imgui.same_line(0, theme.px(4))
        if self.renaming == obj.id:
            self._draw_name_field(obj)
        else:
            self._draw_name(theme, obj)
        imgui.pop_id()

    def _draw_arrow(self, theme: Theme, obj: SceneObject) -> None:
        width = theme.px(12)
        if not obj.children or self.search.strip():
            imgui.dummy(imgui.ImVec2(width, 1))
            return
        is_open = obj.id in self._open
        place = imgui.get_cursor_screen_pos()
        height = imgui.get_text_line_height()
        if pressed_area("arrow", width, height):
            self._open.symmetric_difference_update({obj.id})
        icon = icons.ICON_FA_CARET_DOWN if is_open else icons.ICON_FA_CARET_RIGHT
        imgui.get_window_draw_list().add_text(place, theme.packed("muted"), icon)

    def _draw_name(self, theme: Theme, obj: SceneObject) -> None:
        is_broken = bool(obj.missing_file) or any(slot.state in BROKEN for slot in obj.components)
        color = "red" if is_broken else "text" if obj.is_shown else "muted"
        eye = theme.px(34)
        width = max(theme.px(40), imgui.get_content_region_avail().x - eye)
        imgui.push_style_color(imgui.Col_.text, theme.vector(color))
        is_chosen = obj in self.selection
        flags = imgui.SelectableFlags_.allow_double_click
        label = f"{_icon(obj)} {obj.name}"
        shown = cut(label, width) if len(label) > SURE_TO_FIT else label
        if imgui.selectable(shown, is_chosen, int(flags), imgui.ImVec2(width, 0))[0]:
            io = imgui.get_io()
            self.click(obj, toggles=bool(io.key_ctrl), extends=bool(io.key_shift))
            if is_opened():
                self.look_at(obj)
        imgui.pop_style_color()
        if (is_broken or shown != label) and imgui.is_item_hovered():
            imgui.set_tooltip(_faults(obj) if is_broken else obj.name)
        self._drag(obj)
        self._accept(obj)
        self._draw_context(obj)
        imgui.same_line(0, 0)
        self._draw_eye(theme, obj)

    def _draw_eye(self, theme: Theme, obj: SceneObject) -> None:
        icon = icons.ICON_FA_EYE if obj.visible else icons.ICON_FA_EYE_SLASH
        color = theme.vector("muted" if obj.visible else "amber")
        imgui.push_style_color(imgui.Col_.text, color)
        imgui.push_style_color(imgui.Col_.button, CLEAR)
        imgui.push_style_color(imgui.Col_.border, CLEAR)
        if imgui.small_button(icon):
            self.attempt(self.editor.set_visible, obj, not obj.visible)
        imgui.pop_style_color(3)
        if imgui.is_item_hovered():
            imgui.set_tooltip(tr("Hide") if obj.visible else tr("Show"))

    def _draw_name_field(self, obj: SceneObject) -> None:
        imgui.set_next_item_width(-1)
        imgui.set_keyboard_focus_here()
        flags = imgui.InputTextFlags_.enter_returns_true | imgui.InputTextFlags_.auto_select_all
        entered, self._name = imgui.input_text("##name", self._name, int(flags))
        if entered:
            self.attempt(self.editor.rename, obj, self._name)
            self.renaming = ""
        elif imgui.is_key_pressed(imgui.Key.escape) or imgui.is_mouse_clicked(0):
            self.renaming = ""

    def _draw_prefab(self) -> None:
        if self.ask_prefab is None:
            return
        if imgui.menu_item(tr("Make prefab…"), "", False)[0]:
            self.ask_prefab()
        if imgui.is_item_hovered():
            imgui.set_tooltip(tr("Save the object as a file to use again; or drag it into Assets"))

    def _draw_context(self, obj: SceneObject) -> None:
        if not imgui.begin_popup_context_item("actions"):
            return
        if obj not in self.selection:
            self.choose(obj)
        if imgui.menu_item(tr("Focus"), "", False)[0]:
            self.look_at(obj)
        if imgui.menu_item(tr("Rename"), "", False)[0]:
            self.rename()
        self._draw_clipboard(*CLIPBOARD)
        if imgui.menu_item(tr("Duplicate"), "", False)[0]:
            self.duplicate()
        if imgui.menu_item(tr("Delete"), "", False)[0]:
            self.delete()
        imgui.separator()
        self._draw_prefab()
        if imgui.menu_item(tr("Copy path"), "", False)[0]:
            imgui.set_clipboard_text(obj.path)
        imgui.end_popup()

    def _draw_clipboard(self, *labels: str) -> None:
        """Draw menu items that copy and paste."""
        clipboard = self.clipboard
        if clipboard is None:
            return
        actions = {
            "Cut": ("cut", clipboard.cut), "Copy": ("copy", clipboard.copy),
            "Paste": ("paste", clipboard.paste),
            "Paste as child": ("paste_below", clipboard.paste_below),
        }  # fmt: skip
        for label in labels:
            name, action = actions[label]
            if imgui.menu_item(label, "", False)[0]:
                self.console.python(called("do", f"studio.{name}"))
                action()

    def _drag(self, obj: SceneObject) -> None:
        if imgui.begin_drag_drop_source(int(imgui.DragDropFlags_.none)):
            imgui.set_drag_drop_payload_py_id(PAYLOAD, 1)
            self._dragged = obj.id
            count = len(self.selection.tops) if obj in self.selection else 1
            imgui.text(obj.name if count == 1 else tr("{count} objects").format(count=count))
            imgui.end_drag_drop_source()

    def _accept(self, parent: SceneObject | None) -> None:
        if parent is None:
            room = imgui.get_content_region_avail()
            imgui.dummy(imgui.ImVec2(max(1.0, room.x), max(8.0, room.y)))
            if imgui.is_item_clicked(imgui.MouseButton_.right):
                imgui.open_popup("below")
            if imgui.begin_popup("below"):
                self._draw_clipboard(tr("Paste"))
                imgui.end_popup()
        if imgui.begin_drag_drop_target():
            if imgui.accept_drag_drop_payload_py_id(PAYLOAD) is not None:
                self.drop(self._dragged, parent)
            elif imgui.accept_drag_drop_payload_py_id(ASSET) is not None:
                self.on_asset(parent)
            imgui.end_drag_drop_target()

    def drop(self, object_id: str, parent: SceneObject | None) -> None:
        """Make a dragged object a child of `parent`; if it is selected, move all selected objects.

        Args:
            object_id: id of the dragged object.
            parent: the new parent; None to make it a root object.
        """
        obj = self.scene.get(object_id)
        if obj is None or obj is parent:
            return
        if obj in self.selection and parent not in self.selection.tops:
            self._edit_each(tr("Put"), lambda item: self.editor.set_parent(item, parent))
        else:
            self.attempt(self.editor.set_parent, obj, parent)
        if parent is not None:
            self._open.add(parent.id)


def _matches(obj: SceneObject, wanted: str) -> bool:
    return wanted in obj.name.lower() or any(
        wanted in f"{slot.class_name} {slot.title}".lower() for slot in obj.components
    )


def _icon(obj: SceneObject) -> str:
    kinds = {slot.type_name for slot in obj.components}
    if "sim:Camera" in kinds:
        return str(icons.ICON_FA_VIDEO)
    if "sim:Light" in kinds:
        return str(icons.ICON_FA_LIGHTBULB)
    if kinds:
        return str(icons.ICON_FA_CUBES if obj.model else icons.ICON_FA_CODE)
    return str(icons.ICON_FA_CUBE if obj.model else icons.ICON_FA_FOLDER)


def _faults(obj: SceneObject) -> str:
    lines = [
        (slot.title + ": " + (slot.error.text if slot.error else slot.state.value))
        for slot in obj.components
        if slot.state in BROKEN
    ]
    if obj.missing_file:
        lines.insert(0, tr("{missing_file} is missing").format(missing_file=obj.missing_file))
    return "\n".join(lines)
