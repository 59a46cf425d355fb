"""The panel "Assets": the project's prefabs, models, pictures and sounds, to drag from."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
from imgui_bundle import imgui

from base.files import SHIPPED_ROOT
from base.language.wording import tr
from sim.core.assets.formats import FORMATS, PICTURES, ROBOTS, is_robot
from sim.core.audio.sound_bank import SUFFIXES as SOUNDS
from sim.core.editing import Editor
from sim.core.editing.new_files import file_stem, free_path
from sim.core.editing.prefab_making import PREFAB
from sim.core.reporting.python_text import assigned
from sim.core.scene.scene import SceneObject
from sim.render.view.camera_rig import CameraRig
from sim.ui.panels.hierarchy import ASSET, PAYLOAD, HierarchyPanel
from sim.ui.theme.theme import Theme, begin_flat_child, cut, icons, is_opened
from sim.ui.widgets.context import PanelUi
from sim.ui.widgets.layout import Area
from sim.ui.widgets.thumbnails import Thumbnails

SOUND = "sim:Sound"
NOT_OWN = tr(
    "Make prefab: expected a project of your own, found Goishi's examples: File, New project "
    "makes one"
)
MOST_FILES = 2000
ROW = 34.0  # pixels of a thumbnail
LOOK_SECONDS = 3.0  # between two looks at the folder
LEAST_SLOPE = 1e-6  # of a ray that meets the floor
FARTHEST = 200.0  # metres from the camera


class AssetsPanel:
    """Lists asset files; a double click or a drag adds one to the scene.

    A picture becomes the texture of the object it is dropped on.

    Args:
        editor: editor of the scene; its project's folder assets/ is listed.
        hierarchy: the hierarchy panel; it makes the edits and shows their errors.
        thumbnails: makes the small pictures of the files; None shows icons only.
    """

    def __init__(
        self, editor: Editor, hierarchy: HierarchyPanel, thumbnails: Thumbnails | None = None
    ) -> None:
        self.thumbnails = thumbnails
        self.editor = editor
        self.hierarchy = hierarchy
        self.search = ""
        self.dragged = ""
        self.on_import: Callable[[], object] = bool
        self._paths: list[str] = []
        self._looked_at = -math.inf
        self._shown: tuple[str, list[str]] = ("", [])
        hierarchy.accept_assets(self.drop)

    def listed(self) -> list[str]:
        """Return the files that match the search."""
        wanted = self.search.strip().lower()
        if time.monotonic() - self._looked_at >= LOOK_SECONDS:
            self._looked_at = time.monotonic()
            root = self.editor.scene.project
            found = (path.relative_to(root).as_posix() for path in (root / "assets").rglob("*.*"))
            self._paths = sorted(filter(_is_asset, found))[:MOST_FILES]
            self._shown = ("", self._paths)
        if wanted != self._shown[0]:
            self._shown = (wanted, [path for path in self._paths if wanted in path.lower()])
        return self._shown[1]

    # -- what a person does -------------------------------------------------------------------

    def put(
        self,
        path: str,
        parent: SceneObject | None = None,
        position: Iterable[float] | None = None,
    ) -> None:
        """Add a file to the scene: a prefab, a robot, a model as a new object, or a texture.

        Args:
            path: path of the file, relative to the project.
            parent: parent of the new object; None for a root object. A picture instead becomes the
                texture of this object; None for the selected object.
            position: position of the new object in its parent's space, metres; None for the
                position in the prefab or robot file, and for the parent's origin for a model.
        """
        attempt, editor = self.hierarchy.attempt, self.editor
        place = None if position is None else tuple(round(float(item), 3) for item in position)
        if path.endswith(PREFAB) or is_robot(path):
            made = attempt(editor.instantiate, path, parent, position=place)
        elif path.lower().endswith(SOUNDS):
            made = attempt(self._put_sound, path, parent, place)
        elif path.lower().endswith(PICTURES):
            target = parent or self.hierarchy.selection.object
            if target is None:
                self.hierarchy.message = tr(
                    "{path}: drop it on an object to set its texture"
                ).format(path=path)
            else:
                attempt(editor.set_texture, target, path)
            return
        else:
            name = Path(path).stem.replace("_", " ").capitalize()
            made = attempt(editor.create, name, parent=parent, model={"asset": path},
                           position=place or (0.0, 0.0, 0.0))  # fmt: skip
        if made is not None:
            self.hierarchy.selection.choose(made)
            self.hierarchy.reveal(made)

    def _put_sound(
        self, path: str, parent: SceneObject | None, place: tuple[float, ...] | None
    ) -> SceneObject:
        """Let an object play a sound: the one it was dropped on, else a new one.

        Args:
            path: path of the sound, relative to the project.
            parent: the object; None for a new one.
            place: position of a new object, metres; None for the origin.
        """
        values = {"clip": path}
        if parent is not None:
            self.editor.add_component(parent, SOUND, values)
            return parent
        name = Path(path).stem.replace("_", " ").capitalize()
        return self.editor.create(
            name, position=place or (0.0, 0.0, 0.0), components=[(SOUND, values)]
        )

    def drop(self, parent: SceneObject | None) -> None:
        """Add the dragged file to the scene as a child of `parent`; None makes it a root object."""
        if self.dragged:
            self.put(self.dragged, parent)
        self.dragged = ""

    def drop_objects(self) -> None:
        """Make prefabs of the objects that were dragged here, with names that are free."""
        if self.editor.scene.project == SHIPPED_ROOT:
            self.hierarchy.message = NOT_OWN
            return
        for obj in self.hierarchy.dragged:
            folder = self.editor.scene.project / "assets"
            self.hierarchy.attempt(
                self.make_prefab, obj, free_path(folder, file_stem(obj.name), PREFAB)
            )

    def make_prefab(self, obj: SceneObject, file: Path) -> None:
        """Make a prefab of an object, which becomes its first instance.

        Args:
            obj: the object.
            file: path of the prefab's file in the project.

        Raises:
            EditError: the file cannot be written.
        """
        path = file.relative_to(self.editor.scene.project).as_posix()
        self.editor.make_prefab(obj, path)
        self.hierarchy.console.info(f"made the prefab {path}")
        self.renew()

    def renew(self) -> None:
        """Look at the folder again at the next drawing."""
        self._looked_at = -math.inf

    def drop_on_picture(self, camera: CameraRig, area: Area) -> None:
        """Add the dragged file to the scene where the mouse button was released over the 3D view.

        Nothing happens while the button is down, or if it was released outside the view.

        Args:
            camera: camera of the view.
            area: rectangle of the view in the window, pixels.
        """
        if not self.dragged or imgui.is_mouse_down(0):
            return
        place = imgui.get_io().mouse_pos
        path, self.dragged = self.dragged, ""
        inside = area.left <= place.x < area.left + area.width
        inside = inside and area.top <= place.y < area.top + area.height
        if not inside or imgui.is_window_hovered(int(imgui.HoveredFlags_.any_window)):
            return
        origin, direction = camera.ray(place.x, place.y)
        hit = self.editor.scene.ray_cast(origin.tolist(), direction.tolist())
        if path.lower().endswith(PICTURES):
            self.put(path, None if hit is None else hit.object)
        else:
            self.put(path, position=_floor(origin, direction) if hit is None else hit.point)

    # -- drawing ------------------------------------------------------------------------------

    def draw(self, ui: PanelUi) -> None:
        """Draw the search field and the list of files."""
        theme = ui.theme
        self._draw_bar()
        if self.hierarchy.message:
            theme.wrapped(self.hierarchy.message, "red")
        found = self.listed()
        if begin_flat_child("files"):
            if found:
                self._draw_files(theme, found)
            else:
                self._draw_empty(theme)
        imgui.end_child()
        if imgui.begin_drag_drop_target():
            if imgui.accept_drag_drop_payload_py_id(PAYLOAD) is not None:
                self.drop_objects()
            imgui.end_drag_drop_target()

    def _draw_bar(self) -> None:
        if imgui.button(f"{icons.ICON_FA_FILE_IMPORT}##import"):
            self.on_import()
        if imgui.is_item_hovered(int(imgui.HoveredFlags_.for_tooltip)):
            imgui.set_tooltip(tr("Import a model, picture or sound"))
        imgui.same_line()
        imgui.set_next_item_width(-1)
        _, self.search = imgui.input_text_with_hint("##search", tr("search"), self.search)
        if imgui.is_item_deactivated_after_edit():
            self.hierarchy.console.python(assigned("shell.studio.assets.search", self.search))

    def _draw_files(self, theme: Theme, found: list[str]) -> None:
        clipper = imgui.ListClipper()
        clipper.begin(len(found), theme.px(ROW) + imgui.get_style().item_spacing.y)
        while clipper.step():
            for index in range(clipper.display_start, clipper.display_end):
                self._draw_file(theme, found[index])
        clipper.end()
        theme.wrapped(tr("Drag a file into the view, or onto an object in the Hierarchy."), "muted")

    def _draw_empty(self, theme: Theme) -> None:
        if self.search.strip():
            theme.wrapped(tr("No match."), "muted")
            return
        text = tr("No asset yet. Drag an object of the Hierarchy here to make a prefab of it.")
        if theme.next_step(text, (icons.ICON_FA_FILE_IMPORT + "  " + tr("Import a file"))):
            self.on_import()

    def _draw_file(self, theme: Theme, path: str) -> None:
        side, room = theme.px(ROW), imgui.get_content_region_avail().x
        place = imgui.get_cursor_screen_pos()
        flags = int(imgui.SelectableFlags_.allow_double_click)
        is_clicked = imgui.selectable(f"##{path}", False, flags, imgui.ImVec2(0, side))[0]
        if is_clicked and is_opened():
            self.put(path)
        if imgui.is_item_hovered(int(imgui.HoveredFlags_.for_tooltip)):
            imgui.set_tooltip(
                tr("{path}\nDrag it into the view or the Hierarchy, or double-click it.").format(
                    path=path
                )
            )
        self._draw_label(theme, path, place, room)
        if imgui.begin_drag_drop_source(int(imgui.DragDropFlags_.none)):
            imgui.set_drag_drop_payload_py_id(ASSET, 1)
            self.dragged = path
            imgui.text(Path(path).name)
            imgui.end_drag_drop_source()

    def _draw_label(self, theme: Theme, path: str, place: imgui.ImVec2, room: float) -> None:
        """Draw a file's thumbnail, or else the icon of its kind, and its name.

        Args:
            theme: colours and sizes.
            path: path of the file, relative to the project.
            place: top left corner of the row, screen pixels.
            room: available width, pixels.
        """
        canvas, side = imgui.get_window_draw_list(), theme.px(ROW)
        number = self._thumbnail(path)
        if number is not None:
            end = imgui.ImVec2(place.x + side, place.y + side)
            canvas.add_image(imgui.ImTextureRef(number), place, end)
        else:
            size = imgui.calc_text_size(_icon(path))
            middle = imgui.ImVec2(place.x + (side - size.x) / 2.0, place.y + (side - size.y) / 2.0)
            canvas.add_text(middle, theme.packed("muted"), _icon(path))
        gap = theme.px(8)
        label = cut(path.removeprefix("assets/"), room - side - gap)
        down = (side - imgui.get_text_line_height()) / 2.0
        canvas.add_text(
            imgui.ImVec2(place.x + side + gap, place.y + down), theme.packed("text"), label
        )

    def _thumbnail(self, path: str) -> int | None:
        if self.thumbnails is None or not path.lower().endswith((*PICTURES, *FORMATS)):
            return None
        return self.thumbnails.number(path, self.editor.scene.project)


def _is_asset(path: str) -> bool:
    return path.lower().endswith((PREFAB, *FORMATS, *ROBOTS, *PICTURES, *SOUNDS))


def _icon(path: str) -> str:
    if path.endswith(PREFAB):
        return str(icons.ICON_FA_CUBES)
    if is_robot(path):
        return str(icons.ICON_FA_ROBOT)
    if path.lower().endswith(SOUNDS):
        return str(icons.ICON_FA_VOLUME_HIGH)
    return str(icons.ICON_FA_IMAGE if path.lower().endswith(PICTURES) else icons.ICON_FA_CUBE)


def _floor(origin: Iterable[float], direction: Iterable[float]) -> tuple[float, ...] | None:
    """Return where a ray meets the floor, the plane at height 0.

    Args:
        origin: start of the ray, metres.
        direction: its direction, of any length.

    Returns:
        The point; None if the ray misses the floor or meets it more than `FARTHEST` metres away.
    """
    start, along = np.array(list(origin)), np.array(list(direction))
    if abs(along[2]) < LEAST_SLOPE:
        return None
    steps = -start[2] / along[2]
    if not 0.0 < steps * float(np.linalg.norm(along)) < FARTHEST:
        return None
    return tuple(float(item) for item in start + steps * along)
