"""The studio: editing the scene in the window while it runs."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from pathlib import Path

from imgui_bundle import imgui

from base.errors import GoishiError
from base.files import is_in_package
from base.language.wording import tr
from sim.core.canvas.painter import Picture
from sim.core.editing import Edit, Editor
from sim.core.input.input_actions import InputEvent
from sim.core.input.key_map import KeyAction
from sim.core.project.run_context import RunContext
from sim.core.reporting.console import Console
from sim.core.scene.scene import SceneObject
from sim.core.tasks.clock import Clock
from sim.render.view.scene_view import SceneView
from sim.ui.panels.assets_panel import AssetsPanel
from sim.ui.panels.edit_clipboard import EditClipboard
from sim.ui.panels.hierarchy import HierarchyPanel
from sim.ui.panels.inspector import InspectorPanel
from sim.ui.shell.marks import BoxSelection, JointMarks, MissingMarks, Outlines, sight_of
from sim.ui.shell.toolbar import ToolButton
from sim.ui.shell.view_menu import SIDE_WORDS
from sim.ui.theme.theme import Theme
from sim.ui.widgets.gizmo import Gizmo
from sim.ui.widgets.layout import Area
from sim.ui.widgets.selection import Selection, toggled
from sim.ui.widgets.thumbnails import Thumbnails

TOOLS = (
    ("play", "hand-pointer", "q", tr("Hand: clicks go to scripts")),
    ("move", "up-down-left-right", "t", tr("Move")),
    ("rotate", "rotate", "r", tr("Rotate")),
    ("scale", "maximize", "s", tr("Scale")),
)
SIDE_KEYS = {
    "front": "num_1", "back": "control+num_1", "right": "num_3", "left": "control+num_3",
    "top": "num_7", "bottom": "control+num_7",
}  # fmt: skip
FOCUS_DISTANCE = 5.0  # times the object's radius
ADDING = frozenset({"shift", "control"})
"""Modifier keys for several objects: a click adds or removes one, a rectangle adds all inside."""


class Studio:
    """Hierarchy, inspector, gizmo and undo of one scene.

    Args:
        editor: makes all edits.
        selection: the selected objects and the active tool.
        inspector: shows the selected objects.
        run: the present run, which knows the scene's file.
        view: the picture of the scene.
        console: prints errors, and Python code equivalent to the user's actions.
        clock: the scene's clock.
        theme: colours and scale.
        add_picture: uploads a picture and returns its ImGui texture id.

    Attributes:
        on_save: called after the scene was saved.
    """

    def __init__(
        self,
        editor: Editor,
        selection: Selection,
        inspector: InspectorPanel,
        run: RunContext,
        view: SceneView,
        console: Console,
        clock: Clock,
        theme: Theme,
        add_picture: Callable[[Picture], int],
    ) -> None:
        self._run, self._console, self._clock = run, console, clock
        self.view = view
        self.on_save: list[Callable[[], object]] = []
        self.editor = editor
        self.selection = selection
        self.hierarchy = HierarchyPanel(editor, self.selection, console, self.focus)
        self.inspector = inspector
        self.clipboard = EditClipboard(editor, selection, console)
        self.hierarchy.clipboard = self.clipboard
        self.thumbnails = Thumbnails(add_picture)
        self.assets = AssetsPanel(editor, self.hierarchy, self.thumbnails)
        self.gizmo = Gizmo(editor, self.selection, view.camera)
        self.outlines = Outlines(self.selection, view, theme)
        self.joints = JointMarks(self.selection, view.camera, theme)
        self.box = BoxSelection(self.selection, view)
        self.missing = MissingMarks(view, theme)
        self.show_tree: Callable[[], object] = bool
        """Brings the panel with the tree of objects to the front."""
        self._ask_where: Callable[[], object] = bool
        editor.on_edit.append(self._echo)

    # -- what a person does -------------------------------------------------------------------

    def focus(self, obj: SceneObject) -> None:
        """Select an object and move the camera to it."""
        if obj not in self.selection:
            self.selection.choose(obj)
        radius = self.view.radius_of(obj.id)
        self.view.camera.look_at(obj.transform.world_position, radius * FOCUS_DISTANCE)

    def undo(self) -> None:
        """Undo the last edit."""
        self._attempt(self.editor.undo)

    def redo(self) -> None:
        """Redo the last undone edit."""
        self._attempt(self.editor.redo)

    def rename(self) -> None:
        """Start editing the selected object's name in the tree, which is opened if it is not."""
        if self.selection.object is None:
            self._console.info("choose an object first, to rename it")
            return
        self.show_tree()
        self.hierarchy.rename()

    def ask_where_by(self, ask: Callable[[], object]) -> None:
        """Set what asks where to save the scene as another file.

        Args:
            ask: called without arguments.
        """
        self._ask_where = ask

    def save(self) -> None:
        """Write the scene to its file; the console shows the result.

        A scene of an installed Goishi stays as it is: the user is asked where to save a copy.
        """
        path = self._run.scene_path
        if is_in_package(path):
            self._console.info(f"{path.name} belongs to Goishi: save it as a scene of your own")
            self._ask_where()
            return
        try:
            self.editor.save(path)
        except (OSError, ValueError) as error:
            self._console.error(f"{path}: expected to write the scene, found: {error}")
        else:
            self._console.info(f"saved {self._short(path)}")
            for listener in self.on_save:
                listener()

    def _attempt(self, action: Callable[[], object]) -> None:
        try:
            action()
        except GoishiError as error:
            self._console.error(str(error))

    def _short(self, path: Path) -> str:
        return self._console.short_path(str(path))

    def _echo(self, edit: Edit) -> None:
        """Print the Python code that is equivalent to an edit."""
        if self.clipboard.is_told:
            return
        for line in edit.python.splitlines():
            self._console.python(line)

    # -- keys and buttons ---------------------------------------------------------------------

    def actions(self) -> list[tuple[KeyAction, Callable[[], object]]]:
        """Return the studio's actions with their functions."""
        edits = (
            ("undo", tr("Undo"), "control+z", self.undo),
            ("redo", tr("Redo"), "control+shift+z", self.redo),
            ("redo_too", tr("Redo"), "control+y", self.redo),  # as in other editors
            ("save", tr("Save the scene"), "control+s", self.save),
            ("delete", tr("Delete the object"), "delete", self.hierarchy.delete),
            ("cut", tr("Cut the objects"), "control+x", self.clipboard.cut),
            ("copy", tr("Copy the objects"), "control+c", self.clipboard.copy),
            ("paste", tr("Paste objects"), "control+v", self.clipboard.paste),
            ("paste_below", tr("Paste as children"), "control+shift+v", self.clipboard.paste_below),
            ("duplicate", tr("Duplicate the object"), "control+d", self.hierarchy.duplicate),
            ("rename", tr("Rename the object"), "f2", self.rename),
            ("focus", tr("Focus on the object"), "control+f", self._focus_chosen),
            ("none", tr("Deselect"), "control+shift+a", lambda: self.selection.choose(None)),
        )
        found: list[tuple[KeyAction, Callable[[], object]]] = [
            (KeyAction(f"studio.{name}", label, chord, tr("Edit")), action)
            for name, label, chord, action in edits
        ]
        for tool, _, chord, label in TOOLS:
            action = KeyAction(f"studio.tool_{tool}", label, chord, tr("Tools"))
            found.append((action, functools.partial(self.selection.use, tool)))
        for side, chord in SIDE_KEYS.items():
            action = KeyAction(
                f"studio.view_{side}",
                tr("View from the {side}").format(side=SIDE_WORDS[side]),
                chord,
                tr("View"),
            )
            found.append((action, functools.partial(self.view.camera.show_side, side)))
        parallel = KeyAction("studio.parallel", tr("Parallel or perspective"), "num_5", tr("View"))
        found.append((parallel, self._toggle_parallel))
        return found

    def _toggle_parallel(self) -> None:
        camera = self.view.camera
        camera.set_parallel(not camera.is_parallel)

    def buttons(self) -> list[ToolButton]:
        """Return the toolbar buttons: tools and undo."""
        made = [
            ToolButton(
                f"studio.tool_{tool}",
                icon,
                label,
                functools.partial(self.selection.use, tool),
                functools.partial(self.selection.is_in_hand, tool),
                begins_group=tool == "play",
            )
            for tool, icon, _, label in TOOLS
        ]
        made += [
            ToolButton("studio.undo", "rotate-left", tr("Undo"), self.undo,
                       is_enabled=lambda: self.editor.can_undo, begins_group=True),
            ToolButton("studio.redo", "rotate-right", tr("Redo"), self.redo,
                       is_enabled=lambda: self.editor.can_redo),
            ToolButton("studio.save", "floppy-disk", tr("Save the scene"), self.save,
                       is_enabled=lambda: self.editor.is_changed),
        ]  # fmt: skip
        return made

    def _focus_chosen(self) -> None:
        if self.selection.object is not None:
            self.focus(self.selection.object)

    # -- the picture --------------------------------------------------------------------------

    def handle_pointer(self, event: InputEvent) -> bool:
        """Handle a pointer event in the view: a click selects an object while a tool is active.

        Returns:
            Whether the event was handled.
        """
        if self.selection.tool == "play" or event.key != "mouse1":
            return False
        if event.kind == "button_down" and not self.gizmo.is_over:
            adds = bool(event.modifiers & ADDING)
            kept = self.selection.objects if adds else ()
            found = self.view.pick(event.x, event.y)
            obj = None if found is None else self.editor.scene.get(found)
            self.hierarchy.choose(*toggled(kept, () if obj is None else (obj,)))
            self.box.begin(event.x, event.y, kept)
        return event.kind == "button_down"

    def draw_over(self, area: Area, *, is_editing: bool = True) -> None:
        """Draw the outlines, joints, gizmo and selection rectangle over the view.

        Args:
            area: rectangle of the view in the window, pixels.
            is_editing: whether the Studio layout is shown. In the others, the marks are drawn only
                while a tool is in use that edits.
        """
        if not self._shows_marks(is_editing=is_editing):
            self.assets.drop_on_picture(self.view.camera, area)
            return
        io = imgui.get_io()
        self.missing.draw(area)
        self.outlines.draw(area)
        self.joints.draw(area)
        chosen = self.box.draw(area)
        if chosen is not None:
            self.hierarchy.choose(*chosen)
        if self.editor.refuses():
            return
        if not self.box.is_drawn:
            self.gizmo.draw(area, snaps=bool(io.key_ctrl))
        self.assets.drop_on_picture(self.view.camera, area)

    def watched(self, now: float) -> tuple[object, ...]:
        """Return values that change whenever the panels must be redrawn.

        Args:
            now: time of a clock, seconds.
        """
        is_live = self.selection.object is not None and not self._clock.paused
        return (
            self.editor.revision, self.selection.revision, self.thumbnails.poll(),
            math.floor(now * 4) if is_live else 0,
        )  # fmt: skip

    def has_marks(self, *, is_editing: bool) -> bool:
        """Return whether anything is marked over the view; see `draw_over` for `is_editing`."""
        is_any = bool(self.selection.objects or self.view.marked) or self.selection.tool != "play"
        return is_any and self._shows_marks(is_editing=is_editing)

    def marked(self) -> tuple[object, ...]:
        """Return values that change whenever a mark over the view has to be drawn elsewhere."""
        marked = (*self.selection.objects, *self.view.marked)
        places = b"".join(obj.transform.world_matrix.tobytes() for obj in marked)
        return (*sight_of(self.view.camera), places)

    def _shows_marks(self, *, is_editing: bool) -> bool:
        return is_editing or self.selection.tool != "play"
