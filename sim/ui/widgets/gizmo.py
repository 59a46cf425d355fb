"""The gizmo: handles on the selected object to move, rotate and scale it."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from imgui_bundle import imgui
from imgui_bundle.imguizmo import im_guizmo

from base.errors import GoishiError
from sim.core.editing import Editor
from sim.core.editing.placing import local_vectors
from sim.core.geometry.rotations import FloatArray
from sim.core.scene.scene_object import SceneObject
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
SNAPS = {"move": 0.25, "rotate": 15.0, "scale": 0.1}


class Gizmo:
    """Draws the handles over the view and turns drags into edits."""

    def __init__(self, editor: Editor, selection: Selection, camera: CameraRig) -> None:
        self.editor = editor
        self.selection = selection
        self.camera = camera
        self.is_used = False
        self._begun = np.zeros(3)  # what is pulled, before the pull

    @property
    def is_over(self) -> bool:
        """Whether the pointer is over a handle, or drags one."""
        return self.is_used or bool(im_guizmo.is_over())

    def draw(self, area: Area, *, snaps: bool) -> None:
        """Draw the handles; `snaps` moves in steps."""
        obj = self.selection.object
        tool = self.selection.tool
        if obj is None or tool not in OPERATIONS:
            self._finish()
            return
        im_guizmo.begin_frame()
        im_guizmo.set_orthographic(False)
        im_guizmo.set_gizmo_size_clip_space(SIZE)
        im_guizmo.allow_axis_flip(False)  # an arrow points where its numbers grow
        im_guizmo.set_drawlist(imgui.get_background_draw_list())
        im_guizmo.set_rect(area.left, area.top, area.width, area.height)
        view, lens = self.camera.matrices()
        world = _matrix(np.asarray(obj.transform.world_matrix))
        is_local = self.selection.is_local or tool == "scale"
        mode = im_guizmo.MODE.local if is_local else im_guizmo.MODE.world
        step = self.selection.snap or SNAPS[tool]
        snap = im_guizmo.Matrix3([step] * 3) if snaps else None
        changed = im_guizmo.manipulate(
            _matrix(view), _matrix(lens), OPERATIONS[tool], mode, world, None, snap
        )
        if im_guizmo.is_using() and not self.is_used:
            self.is_used = True
            self._begun = np.array(getattr(obj.transform, VALUES[tool]), dtype=np.float64)
            self.editor.begin_gesture(f"{tool.capitalize()} {obj.name}")
        if changed and self.is_used:
            matrix = np.array(world.values, dtype=np.float64).reshape(4, 4)
            self._apply(obj, tool, matrix, step if snaps else 0.0)
        if not im_guizmo.is_using():
            self._finish()

    def _apply(self, obj: SceneObject, tool: str, world: FloatArray, step: float) -> None:
        key = VALUES[tool]
        try:
            found = np.array(local_vectors(obj, obj.parent, world)[key], dtype=np.float64)
            now = np.asarray(getattr(obj.transform, key), dtype=np.float64)
            if np.allclose(found, now, rtol=NOISE, atol=NOISE):
                return  # a press without a pull
            found = stepped(found, self._begun, step)
            self.editor.set_transform(obj, **{key: tuple(map(_settled, found, now))})
        except (GoishiError, ValueError):
            return  # a pull that no three vectors can hold; the object stays as it is

    def _finish(self) -> None:
        if self.is_used:
            self.is_used = False
            self.editor.end_gesture()


def stepped(found: FloatArray, begun: FloatArray, step: float) -> FloatArray:
    """Round a drag to whole steps if it is close to them.

    The handles may return 45.02 degrees for three steps of 15.

    Args:
        found: values `[3]` of the handles.
        begun: values `[3]` before the drag.
        step: of the snapping; 0 for none.
    """
    if not step:
        return found
    whole = begun + np.round((found - begun) / step) * step
    return whole if np.allclose(whole, found, rtol=0.0, atol=OFF * step) else found


def _settled(found: float, now: float) -> float:
    """Return the present number where it was not pulled, else the new one without the noise."""
    is_same = math.isclose(found, now, rel_tol=NOISE, abs_tol=NOISE)
    return float(now) if is_same else round(float(found), PLACES) + 0.0


def _matrix(values: npt.ArrayLike) -> im_guizmo.Matrix16:
    return im_guizmo.Matrix16(np.asarray(values, dtype=np.float64).ravel().tolist())
