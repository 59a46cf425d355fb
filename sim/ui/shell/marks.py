"""Marks of the selection in the view: outlines, a selection box, and the joints of an object."""

from __future__ import annotations

import numpy as np
from imgui_bundle import imgui

from sim.core.components.physics import HingeJoint, Inertia, Joint, SixAxisJoint, SliderJoint
from sim.core.geometry.rotations import FloatArray
from sim.core.scene.scene import SceneObject
from sim.render.view.camera_rig import CameraRig
from sim.render.view.scene_view import SceneView
from sim.ui.theme.theme import Theme
from sim.ui.widgets.layout import Area
from sim.ui.widgets.selection import Selection, toggled

COLOR = 0xFFE0C060  # 0xAABBGGRR, in both themes: the picture is the same
LIMITS = 0xFF60B0FF
FAN = 0x3060B0FF
REACH = 0.11  # of an axis, as a share of the way from the eye
THICKNESS = 2.0
DOT = 4.0  # pixels of the anchor
STEPS = 24  # of an arc
MISSING_BACK = 0xE0700A70  # 0xAABBGGRR
MISSING_INK = 0xFFFFFFFF
FULL_TURN = 360.0  # degrees


class JointMarks:
    """Draws the joints of the object that was selected last."""

    def __init__(self, selection: Selection, camera: CameraRig, theme: Theme) -> None:
        self.selection = selection
        self.camera = camera
        self.theme = theme

    def draw(self, area: Area) -> None:
        """Draw the joints over the view.

        Args:
            area: rectangle of the view in the window, pixels.
        """
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
        """Fill a part of a disc between an arc and its centre.

        Args:
            canvas: ImGui's list of drawing commands.
            points: world points `[n, 3]` in order: the centre, the points of the arc, the centre
                again.
        """
        spots = self.camera.on_screen(points)
        if np.isfinite(spots).all():
            corners = [imgui.ImVec2(float(x), float(y)) for x, y in spots[:-1]]
            canvas.add_concave_poly_filled([*corners], FAN)


def joints_of(obj: SceneObject) -> list[Joint]:
    """Return the enabled joints of an object.

    If the object has none, its parent is searched, then the parent's parent, and so on. The search
    ends at the first object with joints or with a rigid body.
    """
    item: SceneObject | None = obj
    while item is not None:
        made = (slot.instance for slot in item.components if slot.is_enabled)
        found = [joint for joint in made if isinstance(joint, Joint)]
        if found or item.get("RigidBody") is not None:
            return found
        item = item.parent
    return []


def anchor_of(joint: Joint) -> FloatArray:
    """Return the anchor of a joint, a world point `[3]`."""
    world = np.asarray(joint.slot.object.transform.world_matrix, dtype=np.float64)
    return np.asarray((np.array([*joint.anchor, 1.0]) @ world)[:3])


def axis_lines(joint: Joint, reach: float) -> list[FloatArray]:
    """Return a line `[2, 3]` in world space for each axis of a joint; empty if it has no axis.

    Args:
        joint: the joint.
        reach: length of the line to either side of the anchor, metres.
    """
    turn, anchor = _turn_of(joint), anchor_of(joint)
    if isinstance(joint, SixAxisJoint):
        axes = list(turn)
    elif hasattr(joint, "axis") and np.linalg.norm(joint.axis) > 0.0:
        axes = [_unit(np.array(joint.axis)) @ turn]
    else:
        return []
    return [np.array([anchor - axis * reach, anchor + axis * reach]) for axis in axes]


def limit_line(joint: Joint, reach: float) -> FloatArray | None:
    """Return a joint's allowed range as a line `[n, 3]` in world space.

    For a hinge it is the arc over which the object can turn; it begins and ends at the anchor. For
    a slider it is the path of the anchor.

    Args:
        joint: the joint.
        reach: radius of the arc, metres.

    Returns:
        The line; None for other joints and for a joint without limits.
    """
    if not isinstance(joint, HingeJoint | SliderJoint) or not joint.limited:
        return None
    lines = axis_lines(joint, 1.0)
    if not lines:
        return None
    anchor, axis = anchor_of(joint), lines[0][1] - anchor_of(joint)
    now = joint.peek()
    low, high = joint.low - now[0], joint.high - now[0]
    if isinstance(joint, HingeJoint) and high - low > FULL_TURN:
        low, high = 0.0, FULL_TURN
    if isinstance(joint, SliderJoint):
        return np.array([anchor + axis * low, anchor + axis * high])
    way = _across(axis, _middle(joint.slot.object) - anchor)
    side = np.cross(axis, way)
    angles = np.radians(np.linspace(low, high, STEPS + 1))[:, None]
    arc = anchor + reach * (np.cos(angles) * way + np.sin(angles) * side)
    return np.concatenate([anchor[None], arc, anchor[None]])


def _middle(obj: SceneObject) -> FloatArray:
    """Return an object's centre of mass, a world point `[3]`.

    Without an `Inertia` component it is the object's origin.
    """
    found: Inertia | None = obj.get(Inertia)
    center = (0.0, 0.0, 0.0) if found is None else found.center
    return np.asarray((np.array([*center, 1.0]) @ np.asarray(obj.transform.world_matrix))[:3])


def _turn_of(joint: Joint) -> FloatArray:
    world = np.asarray(joint.slot.object.transform.world_matrix, dtype=np.float64)[:3, :3]
    return np.asarray(world / np.linalg.norm(world, axis=1)[:, None])


def _across(axis: FloatArray, way: FloatArray) -> FloatArray:
    """Return a unit vector at right angles to an axis, as close to a direction as possible.

    Args:
        axis: unit vector `[3]`.
        way: direction `[3]`. If it is parallel to the axis, any vector at right angles is returned.
    """
    for wanted in (way, np.eye(3)[int(np.abs(axis).argmin())]):
        found = wanted - axis * (wanted @ axis)
        if np.linalg.norm(found) > 1e-6:
            return _unit(found)
    raise AssertionError("an axis of unit length is square to one of three")


def _unit(vector: FloatArray) -> FloatArray:
    return np.asarray(vector / np.linalg.norm(vector))


__all__ = ["JointMarks", "anchor_of", "axis_lines", "joints_of", "limit_line"]


DRAGGED = 5.0  # pixels that the pointer moves until a click is a box
MOST_OUTLINED = 30  # objects; of more the last ones
OUTLINE_COLOR = 0xFF3CA5FF  # 0xAABBGGRR, in both themes: the picture is the same
COLOR_OF_OTHERS = 0xB03CA5FF  # of all but the object that was selected last
IN_BOX = 0x203CA5FF
CLOSED = int(imgui.ImDrawFlags_.closed)
Line = list[imgui.ImVec2]
"""Corners of a line, pixels in the window."""


class MissingMarks:
    """Writes over the view which objects lack a file: their names and the files' paths."""

    def __init__(self, view: SceneView, theme: Theme) -> None:
        self.view = view
        self.theme = theme

    def draw(self, area: Area) -> None:
        """Draw a label at each object for which a placeholder is drawn.

        Args:
            area: rectangle of the view in the window, pixels.
        """
        marked = self.view.marked
        if not marked:
            return
        places = np.array([obj.transform.world_position for obj in marked], dtype=np.float64)
        spots = self.view.camera.on_screen(places)
        canvas = imgui.get_background_draw_list()
        end = imgui.ImVec2(area.left + area.width, area.top + area.height)
        canvas.push_clip_rect(imgui.ImVec2(area.left, area.top), end)
        for obj, spot in zip(marked, spots, strict=True):
            if obj.is_shown and np.isfinite(spot).all():
                self._label(canvas, label_of_missing(obj), float(spot[0]), float(spot[1]))
        canvas.pop_clip_rect()

    def _label(self, canvas: imgui.ImDrawList, text: str, x: float, y: float) -> None:
        size, gap = imgui.calc_text_size(text), self.theme.px(4)
        low = imgui.ImVec2(x - size.x / 2 - gap, y + gap)
        high = imgui.ImVec2(x + size.x / 2 + gap, y + size.y + 2 * gap)
        canvas.add_rect_filled(low, high, MISSING_BACK, gap)
        canvas.add_text(imgui.ImVec2(low.x + gap, low.y + gap / 2), MISSING_INK, text)


def label_of_missing(obj: SceneObject) -> str:
    """Return the label of an object for which a placeholder is drawn."""
    path = (obj.model or {}).get("asset") or obj.texture
    return f"{obj.name}: {path}" if isinstance(path, str) else obj.name


def sight_of(camera: CameraRig) -> tuple[object, ...]:
    """Return values that change whenever a camera shows the same point at another pixel."""
    shown = camera.shown_eye
    return (
        camera.eye.matrix.tobytes(), shown.fov, shown.height, camera.aspect, camera.lift,
        camera.viewport,
    )  # fmt: skip


class Outlines:
    """Draws an outline around each selected object."""

    def __init__(self, selection: Selection, view: SceneView, theme: Theme) -> None:
        self.selection = selection
        self.view = view
        self.theme = theme
        self._known: dict[str, tuple[tuple[object, ...], list[Line]]] = {}

    def draw(self, area: Area) -> None:
        """Draw the outlines over the view."""
        chosen = self.selection.objects[-MOST_OUTLINED:]
        if not chosen:
            self._known = {}
            return
        sight = sight_of(self.view.camera)
        self._known = {obj.id: self._outlines(obj, sight) for obj in chosen}
        canvas = imgui.get_background_draw_list()
        canvas.push_clip_rect(
            imgui.ImVec2(area.left, area.top),
            imgui.ImVec2(area.left + area.width, area.top + area.height),
        )
        for obj in chosen:
            color = OUTLINE_COLOR if obj is chosen[-1] else COLOR_OF_OTHERS
            for line in self._known[obj.id][1]:
                canvas.add_polyline([*line], color, self.theme.px(THICKNESS), CLOSED)
        canvas.pop_clip_rect()

    def lines_of(self, obj: SceneObject) -> list[Line]:
        """Return the outlines of an object as they were drawn last; empty if it is not selected."""
        known = self._known.get(obj.id)
        return known[1] if known else []

    def _outlines(
        self, obj: SceneObject, sight: tuple[object, ...]
    ) -> tuple[tuple[object, ...], list[Line]]:
        """Return the outlines of an object; computed again if the object or the camera changed.

        Args:
            obj: the object.
            sight: values that describe the camera's view.

        Returns:
            The values on which the outlines depend, and the outlines.
        """
        place = np.asarray(obj.transform.world_matrix).tobytes()
        key = (*sight, place, repr(obj.model), obj.is_shown)
        known = self._known.get(obj.id)
        if known and known[0] == key:
            return known
        return key, [[imgui.ImVec2(x, y) for x, y in line] for line in self.view.outlines(obj.id)]


class BoxSelection:
    """Selects the objects whose centres lie in a rectangle that the user drags with the pointer."""

    def __init__(self, selection: Selection, view: SceneView) -> None:
        self.selection = selection
        self.view = view
        self._start: tuple[float, float] | None = None
        self._kept: tuple[SceneObject, ...] = ()

    @property
    def is_drawn(self) -> bool:
        """Whether a rectangle is being dragged."""
        return self._start is not None and self._is_wide(*self._start)

    def begin(self, x: float, y: float, kept: tuple[SceneObject, ...]) -> None:
        """Begin a rectangle where the button was pressed.

        Args:
            x: pixels from the window's left edge.
            y: pixels from the window's top edge.
            kept: objects that stay selected because Shift or Ctrl is held; empty otherwise.
        """
        self._start, self._kept = (x, y), kept

    def draw(self, area: Area) -> tuple[SceneObject, ...] | None:
        """Draw the rectangle while the button is held.

        Args:
            area: rectangle of the view in the window, pixels.

        Returns:
            The new selection when the button was released; None otherwise and after a plain click.
        """
        if self._start is None:
            return None
        x, y = self._start
        place = imgui.get_io().mouse_pos
        is_wide = self._is_wide(x, y)
        if not imgui.is_mouse_down(imgui.MouseButton_.left):
            self._start = None
            inside = self.inside(x, y, float(place.x), float(place.y)) if is_wide else ()
            return toggled(self._without(inside), inside) if is_wide else None
        if is_wide:
            low = imgui.ImVec2(max(area.left, min(x, place.x)), max(area.top, min(y, place.y)))
            high = imgui.ImVec2(
                min(area.left + area.width, max(x, place.x)),
                min(area.top + area.height, max(y, place.y)),
            )
            canvas = imgui.get_background_draw_list()
            canvas.add_rect_filled(low, high, IN_BOX)
            canvas.add_rect(low, high, OUTLINE_COLOR)
        return None

    def inside(self, x: float, y: float, right: float, down: float) -> tuple[SceneObject, ...]:
        """Return the visible objects whose centres are in a rectangle, in pixels of the window.

        Args:
            x: horizontal position of one corner.
            y: vertical position of that corner.
            right: horizontal position of the opposite corner.
            down: vertical position of the opposite corner.
        """
        found = []
        for obj in self.selection.scene.objects.values():
            middle = self.view.middle_of(obj.id) if obj.is_alive else None
            if middle is None or not _is_between(middle[0], x, right):
                continue
            if _is_between(middle[1], y, down):
                found.append(obj)
        return tuple(found)

    def _without(self, inside: tuple[SceneObject, ...]) -> tuple[SceneObject, ...]:
        return tuple(obj for obj in self._kept if obj.is_alive and obj not in inside)

    @staticmethod
    def _is_wide(x: float, y: float) -> bool:
        place = imgui.get_io().mouse_pos
        return max(abs(place.x - x), abs(place.y - y)) >= DRAGGED


def _is_between(value: float, one: float, other: float) -> bool:
    return min(one, other) <= value <= max(one, other)
