"""The view of a scene: what rests is kept as a picture, only what moves is drawn anew.

Three buffers of the view's size:

- `still`: colour and depth of everything at rest. Drawn whole when the camera or a resting object
  changed; an object that comes to rest is drawn into it, nothing is cleared.
- `moving`: a copy of `still` with the moving objects on top, with their shadows.
- the display, which shows `moving`.
"""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
from panda3d.core import (
    BitMask32,
    Camera,
    ColorBlendAttrib,
    LMatrix4f,
    NodePath,
    PerspectiveLens,
    Shader,
    Texture,
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
from sim.render.geometry import plane
from sim.render.models import ModelShop, cover_texture
from sim.render.passes import full_screen_pass, target
from sim.render.picking import nearest
from sim.render.quality import PRESETS, Preset, choose
from sim.render.textures import picture_of

STILL, MOVING, BAKING = BitMask32.bit(0), BitMask32.bit(1), BitMask32.bit(2)
REST_SECONDS = 0.12  # what has not moved for so long is at rest
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
        self.camera = CameraRig()
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
        self._is_dirty = True
        self._baking: list[ObjectView] = []
        self._shader = Shader.make(Shader.SL_GLSL, shaders.SCENE_VERTEX, shaders.SCENE_FRAGMENT)
        self._shadow_shader = Shader.make(
            Shader.SL_GLSL, shaders.SHADOW_VERTEX, shaders.SHADOW_FRAGMENT
        )
        self._root = NodePath("scene")
        self._root.set_shader(self._shader)
        self._lens = PerspectiveLens()
        self._drawn_bakes: list[ObjectView] = []
        self._camera_key: tuple[float, ...] = ()
        self._cameras: list[Any] = []
        self._buffers: list[Any] = []
        self._size = (0, 0)
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
        for object_id in changes.destroyed:
            self._remove(object_id)
        arrived = self._figures.arrived()
        for object_id in changes.created | changes.visual | arrived:
            obj = self.scene.get(object_id)
            if obj is not None:
                self._rebuild(obj, now, is_new=object_id in changes.created)
        moved = self.scene.transforms.update_world()
        for slot in moved:
            owner = self.scene.object_of_transform(int(slot))
            view = self._views.get(owner) if owner is not None else None
            if view is not None:
                self._place(view, int(slot))
                self._set_moving(view, now)
        for object_id, view in self._views.items():
            if view.figure is None:
                continue
            if self._figures.follow(object_id, view.figure):
                self._set_moving(view, now)
            elif view.is_moving and self._figures.is_playing(object_id):
                view.moved_at = now  # between two poses it is not at rest
        self._settle(now)
        return bool(changes) or len(moved) > 0

    def _rebuild(self, obj: SceneObject, now: float, *, is_new: bool) -> None:
        known = self._views.get(obj.id)
        if known is not None:
            self._remove(obj.id)
        if obj.model is None or not obj.is_shown:
            return
        node, shadow, figure = self._parts_of(obj)
        node.reparent_to(self._root)
        is_board = (obj.model or {}).get("builtin") == "goban"
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
            return node, self._make_shadow(obj) if obj.casts_shadow else None, None
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
        return figure.node, self._make_shadow(obj, figure) if obj.casts_shadow else None, figure

    def _complain(self, text: str) -> None:
        if self.scene.host is not None:
            self.scene.host.console.error(text)

    def _remove(self, object_id: str) -> None:
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

    def _make_shadow(self, obj: SceneObject, figure: Figure | None = None) -> Any | None:
        name = (obj.model or {}).get("builtin")
        sizes = {"stone": 1.5, "bowl": 4.3, "sphere": 1.6, "box": 2.0, "cylinder": 1.8}
        if name == "goban":
            width = int((obj.model or {}).get("size", 15)) + 0.9
            size = width * 1.62
        elif name in sizes:
            size = sizes[str(name)]
        elif figure is not None:
            size = figure.footprint() * 1.5
        else:
            return None
        shadow = self._root.attach_new_node(plane(size, size).node("shadow"))
        shadow.set_shader(self._shadow_shader, 10)
        shadow.set_attrib(ColorBlendAttrib.make(
            ColorBlendAttrib.M_add, ColorBlendAttrib.O_incoming_alpha,
            ColorBlendAttrib.O_one_minus_incoming_alpha))  # fmt: skip
        shadow.set_depth_write(False)
        shadow.set_depth_offset(2)
        shadow.set_bin("fixed", 5)
        return shadow

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
        extent = self._board_extent
        if extent is not None and np.abs(point[:2]).max() <= extent and point[2] > -0.05:
            return 0.0
        return self._table_height

    # -- what rests and what moves ------------------------------------------------------------

    def _set_moving(self, view: ObjectView, now: float) -> None:
        view.moved_at = now
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
            if now - view.moved_at < REST_SECONDS or is_glass or view.is_waiting:
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
        is_new = self._is_stale or self._is_dirty or bool(self._baking)
        self._still_region.set_active(self._is_stale)
        self._backdrop_region.set_active(self._is_stale)
        self._bake_region.set_active(bool(self._baking) and not self._is_stale)
        self._still_buffer.set_active(self._is_stale or bool(self._baking))
        self._moving_buffer.set_active(is_new)
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
        self.sync()
        self.render()

    def _place_camera(self) -> bool:
        rig = self.camera
        key = (*rig.position, *rig.target, rig.fov, rig.aspect)
        if key == self._camera_key:
            return False
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
        self._board_extent: float | None = None
        self._table_height = 0.0
        for obj in self.scene.objects.values():
            builtin = (obj.model or {}).get("builtin")
            if builtin == "goban":
                size = (obj.model or {}).get("size", 15)
                self._board_extent = (size if isinstance(size, int) else 15) / 2 + 0.45
            elif builtin == "table":
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
        _, _, width, height = self._viewport
        scale = self.preset.scale
        size = (max(16, round(width * scale)), max(16, round(height * scale)))
        for buffer in self._buffers:
            self.display.engine.remove_window(buffer)
        still_color, still_depth = target("still color"), target("still depth")
        moving_color = target("moving color")
        still_depth.set_format(Texture.F_depth_component24)
        self._still_buffer = self.display.make_buffer(
            "still", size, still_color, depth=still_depth, sort=-30, samples=self.preset.samples
        )
        self._moving_buffer = self.display.make_buffer("moving", size, moving_color, sort=-20)
        self._buffers = [self._still_buffer, self._moving_buffer]
        self._cameras = []
        for buffer in self._buffers:
            buffer.set_clear_color_active(False)
            buffer.set_clear_depth_active(False)
        self._backdrop_region = full_screen_pass(
            self._still_buffer, shaders.BACKDROP_FRAGMENT, {}, sort=0
        )
        self._still_region = self._region(self._still_buffer, STILL, sort=1)
        self._bake_region = self._region(self._still_buffer, BAKING, sort=2)
        full_screen_pass(
            self._moving_buffer,
            shaders.COPY_FRAGMENT,
            {"still_color": still_color, "still_depth": still_depth},
            sort=0,
        )
        self._region(self._moving_buffer, MOVING, sort=1)
        self._region(self._moving_buffer, BAKING, sort=2)
        self.display.set_scene(moving_color, self._viewport)
        self._camera_key = ()
        self._is_stale = True
        self._drawn_bakes = []

    def _region(self, buffer: Any, mask: Any, *, sort: int) -> Any:
        camera = Camera("view", self._lens)
        camera.set_camera_mask(mask)
        node = self._root.attach_new_node(camera)
        self._cameras.append(node)
        region = buffer.make_display_region()
        region.set_sort(sort)
        region.set_camera(node)
        return region
