"""The view of a scene: what rests is kept as a picture, only what moves is drawn anew.

Three buffers of the view's size:

- `still`: colour and depth of everything at rest. Drawn whole when the camera or a resting object
  changed; an object that comes to rest is drawn into it, nothing is cleared.
- `moving`: a copy of `still` with the moving objects on top, with their shadows.
- the display, which shows `moving`.

Where the processor draws, these are coarse while the camera moves, and fine again when it stands.
"""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
from panda3d.core import (
    BitMask32,
    Camera,
    DepthTestAttrib,
    LMatrix4f,
    NodePath,
    PerspectiveLens,
    RenderAttrib,
    Shader,
)
from pyrr import vector

from sim.core.assets import AssetError
from sim.core.components import Camera as CameraComponent
from sim.core.components import Light as LightComponent
from sim.core.scene import Scene
from sim.core.scene_object import SceneObject
from sim.render import shaders
from sim.render.camera_rig import CameraRig
from sim.render.display import Display
from sim.render.figures import Figure, Figures
from sim.render.layers import BAKING, MOVING, STILL, Layers
from sim.render.models import ModelShop, cover_texture, repaint
from sim.render.picking import nearest
from sim.render.quality import DRAFT, PRESETS, Preset, choose
from sim.render.shadows import make_shadow
from sim.render.textures import picture_of

REST_SECONDS = 0.12  # what has not moved for so long is at rest
REST_FRAMES = 3  # and for so many frames, where those are slow
SHADOW_HEIGHT = 0.006


class ObjectView:
    """What is drawn for one object."""

    def __init__(
        self,
        node: Any,
        shadow: Any | None,
        *,
        is_on_table: bool = False,
        figure: Figure | None = None,
    ) -> None:
        self.is_on_table = is_on_table
        self.node = node
        self.figure = figure
        self.shadow = shadow
        self.moved_at = -math.inf
        self.moved_in = -REST_FRAMES
        self.is_moving = False
        self.is_waiting = False  # for its model


class SceneView:
    """Draws a scene into the display's scene layer.

    Attributes:
        quality: the preset in use: low, medium or high.
        camera: where the view is taken from.
    """

    def __init__(self, display: Display, scene: Scene, *, quality: str = "auto") -> None:
        self.display = display
        self.scene = scene
        self.camera = CameraRig(scene.camera)
        self.asked_quality = quality
        self.quality = choose(display) if quality == "auto" else quality
        self.full_draws = 0
        self.partial_draws = 0
        self._views: dict[str, ObjectView] = {}
        self._shop = ModelShop()
        self._figures = Figures(scene, self._shop.blank)
        self._viewport = (0, 0, *display.size)
        self._is_stale = True
        self._has_moving = False
        self._frame = 0
        self._is_dirty = True
        self._baking: list[ObjectView] = []
        self._shader = Shader.make(Shader.SL_GLSL, shaders.SCENE_VERTEX, shaders.SCENE_FRAGMENT)
        self._shadow_shader = Shader.make(
            Shader.SL_GLSL, shaders.SHADOW_VERTEX, shaders.SHADOW_FRAGMENT
        )
        self._root = NodePath("scene")
        self._root.set_shader(self._shader)
        self._root.set_attrib(DepthTestAttrib.make(RenderAttrib.M_less_equal))
        self._lens = PerspectiveLens()
        self._drawn_bakes: list[ObjectView] = []
        self._camera_key: tuple[float, ...] = ()
        self._cameras: list[Any] = []
        self._boards: dict[str, tuple[float, float, float, float]] = {}  # x, y, z, half a side
        self._layers: list[Layers] = []  # fine, and coarse ones where there are any
        self._turned_at = -math.inf
        self._find_camera_and_sun()
        self._open_buffers()

    @property
    def preset(self) -> Preset:
        """The numbers of the preset in use."""
        return PRESETS[self.quality]

    @property
    def viewport_size(self) -> tuple[int, int, int, int]:
        """Left, top, width and height of the view in the window, pixels."""
        return self._viewport

    def set_quality(self, quality: str) -> None:
        """Use another preset: auto, low, medium or high."""
        self.asked_quality = quality
        chosen = choose(self.display) if quality == "auto" else quality
        if chosen != self.quality:
            self.quality = chosen
            self._open_buffers()

    def set_viewport(self, left: int, top: int, width: int, height: int) -> None:
        """Draw into this rectangle of the window, pixels from its top left corner."""
        viewport = (left, top, max(16, width), max(16, height))
        if viewport != self._viewport:
            self._viewport = viewport
            self._open_buffers()

    def pick(self, x: float, y: float) -> str | None:
        """Return the id of the object that is seen at a pixel of the window."""
        origin, direction = self.camera.ray(x, y)
        return nearest({key: view.node for key, view in self._views.items()}, origin, direction)

    def radius_of(self, object_id: str) -> float:
        """Return how far an object reaches from its middle, metres."""
        view = self._views.get(object_id)
        bounds = None if view is None else view.node.get_tight_bounds()
        if not bounds:
            return 1.0
        return max(0.2, float((bounds[1] - bounds[0]).length()) / 2.0)

    def force_redraw(self) -> None:
        """Draw everything anew at the next render."""
        self._is_stale = True

    # -- the scene ----------------------------------------------------------------------------

    def sync(self) -> bool:
        """Take over what changed in the scene; tell whether anything did."""
        changes = self.scene.drain_changes()
        now = time.perf_counter()
        self._frame += 1
        for object_id in changes.destroyed:
            self._remove(object_id)
        arrived = self._figures.arrived()
        for object_id in changes.created | changes.visual | arrived:
            obj = self.scene.get(object_id)
            if obj is not None:
                self._rebuild(obj, now, is_new=object_id in changes.created)
        for object_id in changes.painted - changes.created - changes.visual:
            self._paint(object_id)
        moved = self.scene.transforms.update_world()
        for slot in moved:
            owner = self.scene.object_of_transform(int(slot))
            view = self._views.get(owner) if owner is not None else None
            if view is not None:
                self._place(view, int(slot))
                self._set_moving(view, now)
        self._follow_figures(now)
        self._settle(now)
        return bool(changes) or len(moved) > 0

    def _follow_figures(self, now: float) -> None:
        """Take over new poses."""
        for object_id, view in self._views.items():
            if view.figure is None:
                continue
            if self._figures.follow(object_id, view.figure):
                self._set_moving(view, now)
            elif view.is_moving and self._figures.is_playing(object_id):
                view.moved_at, view.moved_in = now, self._frame  # between two poses, not at rest

    def _rebuild(self, obj: SceneObject, now: float, *, is_new: bool) -> None:
        known = self._views.get(obj.id)
        if known is not None:
            self._remove(obj.id)
        if obj.model is None or not obj.is_shown:
            return
        node, shadow, figure = self._parts_of(obj)
        node.reparent_to(self._root)
        is_board = (obj.model or {}).get("builtin") == "goban"
        if is_board:
            x, y, z = map(float, obj.transform.world_position)
            size = (obj.model or {}).get("size", 15)
            self._boards[obj.id] = (x, y, z, (size if isinstance(size, int) else 15) / 2 + 0.45)
        view = ObjectView(node, shadow, is_on_table=is_board, figure=figure)
        self._views[obj.id] = view
        view.is_waiting = self._figures.is_waiting(obj.id)
        self._place(view, obj.transform.slot)
        is_figure = figure is not None or view.is_waiting  # which arrive without drawing all anew
        if node.has_transparency() or is_figure or (obj.parent is not None and is_new):
            self._show(view, MOVING)  # it never was in the resting picture
            self._set_moving(view, now)
        else:
            self._show(view, STILL)
            self._is_stale = True

    def _parts_of(self, obj: SceneObject) -> tuple[Any, Any | None, Figure | None]:
        """Return what is drawn, its shadow, and the figure that it is.

        What is wrong is one console line, and left out.
        """
        model, material = obj.model or {}, obj.material
        picture = None
        try:
            picture = picture_of(obj.texture, self.scene.project)
        except (OSError, ValueError) as error:
            self._complain(f"{obj.path}: {error}")
        try:
            if "asset" in model:
                return self._figure_of(obj, picture)
            node = self._shop.make(model, material, picture)
            return node, self._shadow_of(obj), None
        except (TypeError, ValueError, KeyError, IndexError) as error:
            self._complain(
                f"{obj.path}: model or material: expected the keys of docs/scene_format.md, "
                f"found {dict(model)} {dict(material)}: {error}"
            )
            return self._shop.make({"builtin": ""}, {}), None, None

    def _figure_of(self, obj: SceneObject, picture: Any) -> tuple[Any, Any | None, Figure | None]:
        """Return the parts of a model from a file; a box, or nothing, while it is not there."""
        cover = None if picture is None else cover_texture(picture)
        try:
            figure = self._figures.make(obj, obj.material, cover)
        except AssetError:  # which the library has told
            return self._shop.make({"builtin": ""}, {}), None, None
        if figure is None:
            is_late = self._figures.is_late(obj.id)
            return self._shop.placeholder() if is_late else NodePath("nothing"), None, None
        return figure.node, self._shadow_of(obj, figure), figure

    def _shadow_of(self, obj: SceneObject, figure: Figure | None = None) -> Any | None:
        if not obj.casts_shadow:
            return None
        reach = figure.footprint() if figure is not None else 0.0
        return make_shadow(self._root, self._shadow_shader, obj.model or {}, reach=reach)

    def _complain(self, text: str) -> None:
        if self.scene.host is not None:
            self.scene.host.console.error(text)

    def _paint(self, object_id: str) -> None:
        """Take over new pixels of a texture: what rests is drawn over its own picture."""
        obj, view = self.scene.get(object_id), self._views.get(object_id)
        if obj is None or view is None:
            return
        repaint(view.node, obj.texture)
        self._is_dirty = True
        if not view.is_moving and view not in self._baking:
            view.node.hide(BitMask32.all_on())
            view.node.show(BAKING)
            self._baking.append(view)

    def _remove(self, object_id: str) -> None:
        self._boards.pop(object_id, None)
        view = self._views.pop(object_id, None)
        if view is None:
            return
        if not view.is_moving:
            self._is_stale = True
        self._is_dirty = True
        if view in self._baking:
            self._baking.remove(view)
        view.node.remove_node()
        if view.shadow is not None:
            view.shadow.remove_node()

    def _place(self, view: ObjectView, slot: int) -> None:
        world = self.scene.transforms.world[slot]
        view.node.set_mat(LMatrix4f(*world.ravel().tolist()))
        if view.shadow is None:
            return
        ground = self._table_height if view.is_on_table else self._ground_below(world[3, :3])
        height = 0.0 if view.is_on_table else max(0.0, float(world[3, 2]) - ground)
        drift = self._sun_to[:2] / max(0.2, self._sun_to[2])
        x, y = world[3, :2] - drift * (height + 0.10)
        view.shadow.set_pos(float(x), float(y), ground + SHADOW_HEIGHT)
        view.shadow.set_scale(1.0 + 0.25 * min(height, 4.0))
        view.shadow.set_shader_input("strength", 0.85 / (1.0 + 1.1 * height))

    def _ground_below(self, point: Any) -> float:
        """Return the height of the surface that a shadow falls on: the board's, or the table's."""
        for x, y, z, extent in self._boards.values():
            is_over = max(abs(point[0] - x), abs(point[1] - y)) <= extent
            if is_over and point[2] > z - 0.05:
                return z
        return self._table_height

    # -- what rests and what moves ------------------------------------------------------------

    def _set_moving(self, view: ObjectView, now: float) -> None:
        view.moved_at, view.moved_in = now, self._frame
        self._is_dirty = True
        if not view.is_moving:
            if now - view.moved_at < math.inf and not view.node.is_hidden(STILL):
                self._is_stale = True  # it must leave the resting picture
            view.is_moving = True
            self._show(view, MOVING)
        if view in self._baking:
            self._baking.remove(view)

    def _settle(self, now: float) -> None:
        self._has_moving = False
        for view in self._views.values():
            if not view.is_moving:
                continue
            is_glass = view.node.has_transparency()
            is_fresh = self._frame - view.moved_in < REST_FRAMES
            if now - view.moved_at < REST_SECONDS or is_fresh or is_glass or view.is_waiting:
                self._has_moving = True
                continue
            view.is_moving = False
            self._show(view, BAKING)
            self._baking.append(view)
            self._is_dirty = True

    def _show(self, view: ObjectView, mask: Any) -> None:
        for node in (view.node, view.shadow):
            if node is not None:
                node.hide(BitMask32.all_on())
                node.show(mask)

    # -- drawing ------------------------------------------------------------------------------

    def render(self) -> bool:
        """Switch on what the display's next present must draw; tell whether anything must be."""
        if self.camera.viewport != self._viewport:
            self.camera.viewport = self._viewport
            self._is_stale = True
        if self._place_camera():
            self._is_stale = True
        layers = self._choose_layers()
        is_new = self._is_stale or self._is_dirty or bool(self._baking)
        layers.activate(is_whole=self._is_stale, has_baking=bool(self._baking), is_new=is_new)
        if self._is_stale:
            for view in self._baking:
                self._show(view, STILL)
            self._baking.clear()
            self.full_draws += 1
        elif is_new:
            self.partial_draws += 1
        self._drawn_bakes = list(self._baking)
        if is_new:
            self._is_dirty = False
            self._pending_stale, self._is_stale = self._is_stale, False
        return is_new

    def presented(self) -> None:
        """Tell the view that the display has drawn it: what was baked rests from now on."""
        for view in self._drawn_bakes:
            if view in self._baking:
                self._baking.remove(view)
                self._show(view, STILL)
        self._drawn_bakes = []

    def finish(self) -> None:
        """Draw everything anew at the next present, with nothing half done."""
        self._is_stale = True
        self._turned_at = -math.inf
        self.sync()
        self.render()

    def _place_camera(self) -> bool:
        rig = self.camera
        key = (*rig.position, *rig.target, rig.fov, rig.aspect)
        if key == self._camera_key:
            return False
        if self._camera_key:
            self._turned_at = time.perf_counter()
        self._camera_key = key
        across = 2 * math.degrees(math.atan(math.tan(math.radians(rig.fov / 2)) * rig.aspect))
        self._lens.set_fov(across, rig.fov)
        distance = float(vector.length(rig.position - rig.target))
        self._lens.set_near_far(max(0.1, distance * 0.05), distance + 80.0)
        for node in self._cameras:
            node.set_pos(*map(float, rig.position))
            node.look_at(*map(float, rig.target))
        self._root.set_shader_input("eye", tuple(map(float, rig.position)))
        return True

    def _find_camera_and_sun(self) -> None:
        self._sun_to = np.array([-0.62, 0.36, 0.7])
        sun_light = np.array([3.1, 2.65, 2.05])
        self._table_height = 0.0
        for obj in self.scene.objects.values():
            builtin = (obj.model or {}).get("builtin")
            if builtin == "table":
                self._table_height = float(obj.transform.world_position[2])
            camera = obj.get(CameraComponent)
            if camera is not None:
                self.camera.fov = camera.fov
                self.camera.limits_distance = (camera.min_distance, camera.max_distance)
                self.camera.limits_elevation = (camera.min_elevation, camera.max_elevation)
                self.camera.place(obj.transform.world_position, camera.target)
            light = obj.get(LightComponent)
            if light is not None and light.kind == "sun":
                self._sun_to = np.array(vector.normalise(obj.transform.world_position))
                sun_light = np.array(light.color[:3]) ** 2.2 * light.intensity
        self._root.set_shader_input("sun_to", tuple(self._sun_to.tolist()))
        self._root.set_shader_input("sun_light", tuple(sun_light.tolist()))

    def _open_buffers(self) -> None:
        for layers in self._layers:
            layers.close()
        self._cameras = []
        is_drafted = self.asked_quality == "auto" and self.display.is_software
        presets = [self.preset, DRAFT] if is_drafted else [self.preset]
        self._layers = [self._make_layers(preset) for preset in presets]
        self._used = self._layers[0]
        self.display.set_scene(self._used.color, self._viewport)
        self._camera_key = ()
        self._is_stale = True
        self._drawn_bakes = []

    def _make_layers(self, preset: Preset) -> Layers:
        _, _, width, height = self._viewport
        size = (max(16, round(width * preset.scale)), max(16, round(height * preset.scale)))
        return Layers(self.display, size, preset.samples, self._region)

    def _choose_layers(self) -> Layers:
        """Return the coarse layers while the camera moves, the fine ones when it stands."""
        is_turning = time.perf_counter() - self._turned_at < REST_SECONDS
        used = self._layers[-1 if is_turning else 0]
        if used is not self._used:
            self._used.activate(is_whole=False, has_baking=False, is_new=False)
            self._used = used
            self._is_stale = True
            self.display.set_scene(used.color, self._viewport)
        return used

    def _region(self, buffer: Any, mask: Any, sort: int) -> Any:
        camera = Camera("view", self._lens)
        camera.set_camera_mask(mask)
        node = self._root.attach_new_node(camera)
        self._cameras.append(node)
        region = buffer.make_display_region()
        region.set_sort(sort)
        region.set_camera(node)
        return region
