"""What shows the selection in the view: outlines around the objects, and the box of a drag."""

from __future__ import annotations

import numpy as np
from imgui_bundle import imgui

from sim.core.scene.scene import SceneObject
from sim.render.view.scene_view import SceneView
from sim.ui.theme.theme import Theme
from sim.ui.widgets.layout import Area
from sim.ui.widgets.selection import Selection, toggled

DRAGGED = 5.0  # pixels that the pointer moves until a click is a box
MOST_OUTLINED = 30  # objects; of more the last ones
THICKNESS = 2.0
COLOR = 0xFF3CA5FF  # 0xAABBGGRR, in both themes: the picture is the same
COLOR_OF_OTHERS = 0xB03CA5FF  # of all but the object that was selected last
IN_BOX = 0x203CA5FF
CLOSED = int(imgui.ImDrawFlags_.closed)
Line = list[imgui.ImVec2]
"""Corners, pixels of the window."""


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
        camera = self.view.camera
        sight = (camera.eye, camera.fov, camera.aspect, camera.lift, camera.viewport)
        self._known = {obj.id: self._outlines(obj, sight) for obj in chosen}
        canvas = imgui.get_background_draw_list()
        canvas.push_clip_rect(
            imgui.ImVec2(area.left, area.top),
            imgui.ImVec2(area.left + area.width, area.top + area.height),
        )
        for obj in chosen:
            color = COLOR if obj is chosen[-1] else COLOR_OF_OTHERS
            for line in self._known[obj.id][1]:
                canvas.add_polyline([*line], color, self.theme.px(THICKNESS), CLOSED)
        canvas.pop_clip_rect()

    def _outlines(
        self, obj: SceneObject, sight: tuple[object, ...]
    ) -> tuple[tuple[object, ...], list[Line]]:
        """Return the outlines, computed anew where the object or the camera has moved."""
        place = np.asarray(obj.transform.world_matrix).tobytes()
        key = (*sight, place, repr(obj.model), obj.is_shown)
        known = self._known.get(obj.id)
        if known and known[0] == key:
            return known
        return key, [[imgui.ImVec2(x, y) for x, y in line] for line in self.view.outlines(obj.id)]


class BoxSelection:
    """Selects the objects whose middle lies in a box that the pointer draws."""

    def __init__(self, selection: Selection, view: SceneView) -> None:
        self.selection = selection
        self.view = view
        self._start: tuple[float, float] | None = None
        self._kept: tuple[SceneObject, ...] = ()

    @property
    def is_drawn(self) -> bool:
        """Whether the pointer has drawn a box that is not ended yet."""
        return self._start is not None and self._is_wide(*self._start)

    def begin(self, x: float, y: float, kept: tuple[SceneObject, ...]) -> None:
        """Begin a box at a pixel; `kept` stays selected, as Shift and Ctrl want."""
        self._start, self._kept = (x, y), kept

    def draw(self, area: Area) -> tuple[SceneObject, ...] | None:
        """Draw the box; return the selection it ends with, None while there is none."""
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
            canvas.add_rect(low, high, COLOR)
        return None

    def inside(self, x: float, y: float, right: float, down: float) -> tuple[SceneObject, ...]:
        """Return the objects that are shown whose middle is in a box, pixels of the window."""
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
