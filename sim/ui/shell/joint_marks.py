"""What shows the joints of the selected object in the view: anchors, axes and limits."""

from __future__ import annotations

import numpy as np
from imgui_bundle import imgui

from sim.core.components.physics import HingeJoint, Inertia, Joint, SixAxisJoint, SliderJoint
from sim.core.geometry.rotations import FloatArray
from sim.core.scene.scene import SceneObject
from sim.render.view.camera_rig import CameraRig
from sim.ui.theme.theme import Theme
from sim.ui.widgets.layout import Area
from sim.ui.widgets.selection import Selection

COLOR = 0xFFE0C060  # 0xAABBGGRR, in both themes: the picture is the same
LIMITS = 0xFF60B0FF
FAN = 0x3060B0FF
REACH = 0.11  # of an axis, as a share of the way from the eye
THICKNESS = 2.0
DOT = 4.0  # pixels of the anchor
STEPS = 24  # of an arc


class JointMarks:
    """Draws the joints of the object that was selected last."""

    def __init__(self, selection: Selection, camera: CameraRig, theme: Theme) -> None:
        self.selection = selection
        self.camera = camera
        self.theme = theme

    def draw(self, area: Area) -> None:
        """Draw them over the view."""
        obj = self.selection.object
        joints = [] if obj is None else joints_of(obj)
        if not joints:
            return
        canvas = imgui.get_background_draw_list()
        canvas.push_clip_rect(
            imgui.ImVec2(area.left, area.top),
            imgui.ImVec2(area.left + area.width, area.top + area.height),
        )
        for joint in joints:
            self._draw(canvas, joint)
        canvas.pop_clip_rect()

    def _draw(self, canvas: imgui.ImDrawList, joint: Joint) -> None:
        anchor = anchor_of(joint)
        away = float(np.linalg.norm(anchor - np.array(self.camera.eye.position)))
        wide = self.theme.px(THICKNESS)
        for points in axis_lines(joint, REACH * away):
            self._line(canvas, points, COLOR, wide)
        limits = limit_line(joint, REACH * away)
        if limits is not None:
            if isinstance(joint, HingeJoint):
                self._fan(canvas, limits)
            self._line(canvas, limits, LIMITS, wide)
        spot = self.camera.on_screen(anchor[None])[0]
        if np.isfinite(spot).all():
            canvas.add_circle_filled(imgui.ImVec2(*spot), self.theme.px(DOT), COLOR)

    def _line(self, canvas: imgui.ImDrawList, points: FloatArray, color: int, wide: float) -> None:
        spots = self.camera.on_screen(points)
        if np.isfinite(spots).all():
            line = [imgui.ImVec2(float(x), float(y)) for x, y in spots]
            canvas.add_polyline([*line], color, wide, 0)

    def _fan(self, canvas: imgui.ImDrawList, points: FloatArray) -> None:
        """Fill an arc: its first and last point are the anchor."""
        spots = self.camera.on_screen(points)
        if np.isfinite(spots).all():
            corners = [imgui.ImVec2(float(x), float(y)) for x, y in spots[:-1]]
            canvas.add_concave_poly_filled([*corners], FAN)


def joints_of(obj: SceneObject) -> list[Joint]:
    """Return the joints that are switched on of an object, or of the nearest above that has any."""
    item: SceneObject | None = obj
    while item is not None:
        made = (slot.instance for slot in item.components if slot.is_enabled)
        found = [joint for joint in made if isinstance(joint, Joint)]
        if found or item.get("RigidBody") is not None:
            return found
        item = item.parent
    return []


def anchor_of(joint: Joint) -> FloatArray:
    """Return the world point `[3]` where a joint's object is joined."""
    world = np.asarray(joint.slot.object.transform.world_matrix, dtype=np.float64)
    return np.asarray((np.array([*joint.anchor, 1.0]) @ world)[:3])


def axis_lines(joint: Joint, reach: float) -> list[FloatArray]:
    """Return a line `[2, 3]` in the world for each axis of a joint, metres to either side."""
    turn, anchor = _turn_of(joint), anchor_of(joint)
    if isinstance(joint, SixAxisJoint):
        axes = list(turn)
    elif hasattr(joint, "axis") and np.linalg.norm(joint.axis) > 0.0:
        axes = [_unit(np.array(joint.axis)) @ turn]
    else:
        return []
    return [np.array([anchor - axis * reach, anchor + axis * reach]) for axis in axes]


def limit_line(joint: Joint, reach: float) -> FloatArray | None:
    """Return the line `[n, 3]` in the world that a joint's limits leave; None without limits.

    A hinge's is an arc around the anchor, where it begins and ends, of the object's direction; a
    slider's is the way of the anchor.
    """
    if not isinstance(joint, HingeJoint | SliderJoint) or not joint.limited:
        return None
    lines = axis_lines(joint, 1.0)
    if not lines:
        return None
    anchor, axis = anchor_of(joint), lines[0][1] - anchor_of(joint)
    now = joint.peek()
    low, high = joint.low - now[0], joint.high - now[0]
    if isinstance(joint, SliderJoint):
        return np.array([anchor + axis * low, anchor + axis * high])
    way = _across(axis, _middle(joint.slot.object) - anchor)
    side = np.cross(axis, way)
    angles = np.radians(np.linspace(low, high, STEPS + 1))[:, None]
    arc = anchor + reach * (np.cos(angles) * way + np.sin(angles) * side)
    return np.concatenate([anchor[None], arc, anchor[None]])


def _middle(obj: SceneObject) -> FloatArray:
    """Return the world point `[3]` of an object's mass where it is told, else of its origin."""
    found: Inertia | None = obj.get(Inertia)
    center = (0.0, 0.0, 0.0) if found is None else found.center
    return np.asarray((np.array([*center, 1.0]) @ np.asarray(obj.transform.world_matrix))[:3])


def _turn_of(joint: Joint) -> FloatArray:
    world = np.asarray(joint.slot.object.transform.world_matrix, dtype=np.float64)[:3, :3]
    return np.asarray(world / np.linalg.norm(world, axis=1)[:, None])


def _across(axis: FloatArray, way: FloatArray) -> FloatArray:
    """Return a direction square to an axis, the nearest to `way`, or any."""
    for wanted in (way, np.eye(3)[int(np.abs(axis).argmin())]):
        found = wanted - axis * (wanted @ axis)
        if np.linalg.norm(found) > 1e-6:
            return _unit(found)
    raise AssertionError("an axis of unit length is square to one of three")


def _unit(vector: FloatArray) -> FloatArray:
    return np.asarray(vector / np.linalg.norm(vector))


__all__ = ["JointMarks", "anchor_of", "axis_lines", "joints_of", "limit_line"]
