"""The gizmo: handles on the selected objects to move, rotate and scale them."""

from __future__ import annotations

import ctypes
import math

import numpy as np
import numpy.typing as npt
from imgui_bundle import imgui
from imgui_bundle.imguizmo import im_guizmo

from base.errors import GoishiError
from base.language.wording import tr
from sim.core.editing import Editor
from sim.core.editing.placing import local_vectors
from sim.core.geometry.rotations import FloatArray
from sim.core.scene.scene import SceneObject
from sim.render.view.camera_rig import CameraRig
from sim.ui.widgets.layout import Area
from sim.ui.widgets.selection import Selection

OPERATIONS = {
    "move": im_guizmo.OPERATION.translate,
    "rotate": im_guizmo.OPERATION.rotate,
    "scale": im_guizmo.OPERATION.scale,
}
VALUES = {"move": "position", "rotate": "rotation", "scale": "scale"}
NOISE = 1e-5  # of the 32-bit matrices of the handles
OFF = 0.01  # of a step, at most, that the handles miss it by
PLACES = 4  # of the numbers that a pull gives
SIZE = 0.17  # of the handles, as a share of the picture
THICKNESS = 4.0  # pixels of their lines
LETTERS_AT = {"move": 1.25, "rotate": 1.5, "scale": 1.25}  # of an axis
LEAST_REACH = 14.0  # pixels: of an axis that points at the eye no letter is written
VERTEX_BYTES = 20
RGB = np.uint32(0x00FFFFFF)
AXES = {
    np.uint32(0xFF0000AA): np.uint32(0xFF5957FA),
    np.uint32(0xFF00AA00): np.uint32(0xFF6BE361),
    np.uint32(0xFFAA0000): np.uint32(0xFFFA9C5C),
}
"""Colours of the axes x, y and z, as numbers 0xAABBGGRR.

Each key is the colour in which the gizmo's library draws an axis. Its value replaces that colour.
The colour-blind tell them apart, too.
"""
SHADE = 0xC0000000


class Gizmo:
    """Draws handles at the selected objects and turns drags on them into edits.

    Args:
        editor: makes the edits.
        selection: the selected objects and the active tool.
        camera: camera of the view.

    Attributes:
        is_used: whether the user drags a handle.
    """

    def __init__(self, editor: Editor, selection: Selection, camera: CameraRig) -> None:
        self.editor = editor
        self.selection = selection
        self.camera = camera
        self.is_used = False
        self._is_drawn = False  # without handles their library says what it said last
        self._begun = np.zeros(3)  # what is pulled, before the pull
        self._lead = np.eye(4)  # world matrix of the object with the handles, before the pull
        self._others: list[_Other] = []

    @property
    def is_over(self) -> bool:
        """Whether the pointer is over a handle, or drags one."""
        return self.is_used or (self._is_drawn and bool(im_guizmo.is_over()))

    def draw(self, area: Area, *, snaps: bool) -> None:
        """Draw the handles at the last selected object and apply the user's drag.

        Args:
            area: rectangle of the view in the window, pixels.
            snaps: whether values change in steps.
        """
        tops, tool = self.selection.tops, self.selection.tool
        self._is_drawn = bool(tops) and tool in OPERATIONS
        if not self._is_drawn:
            self._finish()
            return
        obj = tops[-1]
        self._prepare(area)
        view, lens = self.camera.matrices()
        world = _matrix(np.asarray(obj.transform.world_matrix))
        is_local = self.selection.is_local or tool == "scale"
        mode = im_guizmo.MODE.local if is_local else im_guizmo.MODE.world
        step = self.selection.steps[tool]
        snap = im_guizmo.Matrix3([step] * 3) if snaps else None
        canvas = imgui.get_background_draw_list()
        first = canvas.vtx_buffer.size()
        changed = im_guizmo.manipulate(
            _matrix(view), _matrix(lens), OPERATIONS[tool], mode, world, None, snap
        )
        brighten(canvas, first)
        self._draw_letters(obj, LETTERS_AT[tool], is_local=is_local)
        if im_guizmo.is_using() and not self.is_used:
            self._begin(tool, tops)
        if changed and self.is_used:
            matrix = np.array(world.values, dtype=np.float64).reshape(4, 4)
            self._apply(obj, tool, matrix, step if snaps else 0.0)
        if not im_guizmo.is_using():
            self._finish()

    def _prepare(self, area: Area) -> None:
        im_guizmo.begin_frame()
        im_guizmo.set_orthographic(self.camera.is_parallel)
        im_guizmo.set_gizmo_size_clip_space(SIZE)
        im_guizmo.allow_axis_flip(False)  # an arrow points where its numbers grow
        im_guizmo.set_drawlist(imgui.get_background_draw_list())
        im_guizmo.set_rect(area.left, area.top, area.width, area.height)
        style = im_guizmo.get_style()
        style.translation_line_thickness = style.rotation_line_thickness = THICKNESS
        style.scale_line_thickness = THICKNESS

    def _draw_letters(self, obj: SceneObject, share: float, *, is_local: bool) -> None:
        """Draw the letters X, Y and Z beyond the ends of the handles' axes.

        Args:
            obj: the object with the handles.
            share: distance of the letters, as a multiple of the handles' length.
            is_local: whether the axes are the object's, not the world's.
        """
        world = np.asarray(obj.transform.world_matrix, dtype=np.float64)
        axes = world[:3, :3] if is_local else np.eye(3)
        lengths = np.linalg.norm(axes, axis=1)
        if not (lengths > 0.0).all():
            return
        origin, side = world[3, :3], self.camera.matrices()[0][:3, 0]
        here, beside = self.camera.on_screen(np.array([origin, origin + side]))
        metre = float(np.linalg.norm(beside - here))
        if not metre > 0.0:  # behind the camera it is nan
            return
        reach = share * SIZE * 0.5 * self.camera.viewport[2] / metre
        ends = self.camera.on_screen(origin + axes / lengths[:, None] * reach)
        canvas = imgui.get_background_draw_list()
        for letter, place, color in zip("XYZ", ends, AXES.values(), strict=True):
            if np.isfinite(place).all() and np.linalg.norm(place - here) >= LEAST_REACH:
                size = imgui.calc_text_size(letter)
                x, y = float(place[0]) - size.x / 2.0, float(place[1]) - size.y / 2.0
                canvas.add_text(imgui.ImVec2(x + 1.0, y + 1.0), SHADE, letter)
                canvas.add_text(imgui.ImVec2(x, y), int(color), letter)

    def _begin(self, tool: str, tops: tuple[SceneObject, ...]) -> None:
        obj = tops[-1]
        self.is_used = True
        self._begun = np.array(getattr(obj.transform, VALUES[tool]), dtype=np.float64)
        self._lead = np.array(obj.transform.world_matrix, dtype=np.float64)
        self._others = [_Other(item) for item in tops[:-1]]
        name = obj.name if len(tops) == 1 else tr("{tops} objects").format(tops=len(tops))
        self.editor.begin_gesture(f"{tool.capitalize()} {name}")

    def _apply(self, obj: SceneObject, tool: str, world: FloatArray, step: float) -> None:
        key = VALUES[tool]
        try:
            found = np.array(local_vectors(obj, obj.parent, world)[key], dtype=np.float64)
            now = np.asarray(getattr(obj.transform, key), dtype=np.float64)
            if np.allclose(found, now, rtol=NOISE, atol=NOISE):
                return  # a press without a pull
            found = stepped(found, self._begun, step)
            self.editor.set_transform(obj, **{key: tuple(map(_settled, found, now))})
            self._pull_others(obj, tool)
        except (GoishiError, ValueError):
            return  # a pull that no three vectors can hold; the object stays as it is

    def _pull_others(self, obj: SceneObject, tool: str) -> None:
        """Move, rotate or scale the other selected objects like the one with the handles.

        They rotate around that object; each is scaled about its own origin.

        Args:
            obj: the object with the handles.
            tool: "move", "rotate" or "scale".
        """
        place = np.array(obj.transform.world_matrix, dtype=np.float64)
        for other in self._others:
            if not other.obj.is_alive:
                continue
            if tool == "scale":
                ratio = np.asarray(obj.transform.scale, dtype=np.float64) / _not_zero(self._begun)
                scale = [round(float(item), PLACES) for item in other.scale * ratio]
                self.editor.set_transform(other.obj, scale=scale)
                continue
            if tool == "move":
                world = other.world.copy()
                world[3, :3] += place[3, :3] - self._lead[3, :3]
            else:
                world = other.world @ np.linalg.inv(_unscaled(self._lead)) @ _unscaled(place)
            vectors = local_vectors(other.obj, other.obj.parent, world)
            keys = ("position",) if tool == "move" else ("position", "rotation")
            for key in keys:
                now = getattr(other.obj.transform, key)
                values = tuple(map(_settled, vectors[key], map(float, now)))
                self.editor.set_transform(other.obj, **{key: values})

    def _finish(self) -> None:
        if self.is_used:
            self.is_used = False
            self._others = []
            self.editor.end_gesture()


class _Other:
    """A selected object that has no handles itself but follows a drag of the handles.

    It keeps the object's transform from the beginning of the drag.
    """

    def __init__(self, obj: SceneObject) -> None:
        self.obj = obj
        self.world: FloatArray = np.array(obj.transform.world_matrix, dtype=np.float64)
        self.scale: FloatArray = np.array(obj.transform.scale, dtype=np.float64)


def brighten(canvas: imgui.ImDrawList, first: int) -> None:
    """Replace the colours of the axes in the drawn handles by brighter ones.

    Args:
        canvas: ImGui's drawing commands with the handles.
        first: number of vertices in it before the handles were drawn.
    """
    count = canvas.vtx_buffer.size() - first
    if count <= 0:
        return
    start = canvas.vtx_buffer.data_address() + first * VERTEX_BYTES
    memory = (ctypes.c_uint8 * (count * VERTEX_BYTES)).from_address(start)
    words = np.frombuffer(memoryview(memory).cast("B"), dtype=np.uint32).reshape(
        count, VERTEX_BYTES // 4
    )
    colors = words[:, -1] & RGB
    for usual, bright in AXES.items():
        is_axis = colors == usual & RGB
        words[is_axis, -1] = (words[is_axis, -1] & ~RGB) | (bright & RGB)


def stepped(found: FloatArray, begun: FloatArray, step: float) -> FloatArray:
    """Round dragged values to whole steps if they are close to them.

    The handles may return 45.02 degrees for three steps of 15.

    Args:
        found: dragged values `[3]`.
        begun: values `[3]` before the drag.
        step: size of a step; 0 for no rounding.
    """
    if not step:
        return found
    whole = begun + np.round((found - begun) / step) * step
    return whole if np.allclose(whole, found, rtol=0.0, atol=OFF * step) else found


def _not_zero(values: FloatArray) -> FloatArray:
    return np.asarray(np.where(values == 0.0, 1.0, values))


def _unscaled(world: FloatArray) -> FloatArray:
    """Return a world matrix `[4, 4]` without its scale."""
    found = world.copy()
    found[:3, :3] /= _not_zero(np.linalg.norm(world[:3, :3], axis=1))[:, None]
    return found


def _settled(found: float, now: float) -> float:
    """Round a number computed from the handles.

    Args:
        found: number computed from the handles.
        now: present number of the object.

    Returns:
        The rounded number; `now` if the two differ by rounding errors only.
    """
    is_same = math.isclose(found, now, rel_tol=NOISE, abs_tol=NOISE)
    return float(now) if is_same else round(float(found), PLACES) + 0.0


def _matrix(values: npt.ArrayLike) -> im_guizmo.Matrix16:
    return im_guizmo.Matrix16(np.asarray(values, dtype=np.float64).ravel().tolist())
