"""Rendering of a scene: objects at rest are cached as a picture, only moving ones are redrawn.

There are three buffers of the view's size:

- `still`: colour and depth of everything at rest. It is redrawn completely when the camera or a
  resting object changed. An object that comes to rest is added to it without clearing it.
- `moving`: a copy of `still` with the moving objects and their shadows on top.
- the display, which shows `moving`.

Under software rendering, these have a lower resolution while the camera moves.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from panda3d.core import (
    AntialiasAttrib,
    BitMask32,
    Camera,
    CollisionHandlerQueue,
    CollisionNode,
    CollisionRay,
    CollisionTraverser,
    DepthTestAttrib,
    DisplayRegion,
    GeomNode,
    GraphicsOutput,
    NodePath,
    OrthographicLens,
    PerspectiveLens,
    RenderAttrib,
)

from sim.core.geometry.camera_pose import CameraPose
from sim.core.geometry.rotations import FloatArray, are_mirrored
from sim.core.geometry.transform import IntArray
from sim.core.scene.scene import Scene, SceneObject
from sim.core.scene.scene_camera import Distances, Picture
from sim.render.materials.painting import CanvasPainter
from sim.render.materials.textures import picture_of
from sim.render.models.models import panda_eye, panda_matrices, repaint
from sim.render.models.points import measure_points
from sim.render.passes.atmosphere import Atmosphere
from sim.render.passes.layers import Layers
from sim.render.passes.shadows import Ground
from sim.render.view.camera_pictures import (
    CameraPictures,
    Insets,
    MainView,
    PictureKind,
    point_lens,
    stashed,
)
from sim.render.view.camera_rig import CameraRig
from sim.render.view.object_view import REST_SECONDS, ObjectMaker, ObjectView, StaticLayer
from sim.render.view.silhouette import (
    Outline,
    box_of,
    cut_before,
    in_world,
    outline_shape_of,
    outlines_of,
)
from sim.render.window.compose import (
    ALL_EDGES,
    MOVING_EDGES,
    NO_EDGES,
    WIDE_EDGES,
    WIDE_MOVING_EDGES,
)
from sim.render.window.display import Display


def nearest(nodes: Mapping[str, NodePath], origin: FloatArray, direction: FloatArray) -> str | None:
    """Return the key of the node whose triangles a ray hits first; None if it hits none.

    Args:
        nodes: candidate nodes by key, all below the same root.
        origin: `[3]` start of the ray in world space.
        direction: `[3]` direction of the ray in world space.
    """
    found: tuple[float, str] | None = None
    ray = CollisionRay(*map(float, origin), *map(float, direction))
    finder = CollisionNode("pick")
    finder.add_solid(ray)
    finder.set_from_collide_mask(GeomNode.get_default_collide_mask())
    finder.set_into_collide_mask(0)
    for key, node in nodes.items():
        if not _may_meet(node, origin, direction):
            continue
        top = node.get_top()
        path = NodePath(top).attach_new_node(finder)
        queue = CollisionHandlerQueue()
        traverser = CollisionTraverser("pick")
        traverser.add_collider(path, queue)
        traverser.traverse(node)
        path.remove_node()
        if queue.get_num_entries():
            queue.sort_entries()
            point = queue.get_entry(0).get_surface_point(NodePath(top))
            away = sum((float(point[i]) - float(origin[i])) ** 2 for i in range(3))
            if found is None or away < found[0]:
                found = (away, key)
    return found[1] if found is not None else None


def _may_meet(node: NodePath, origin: FloatArray, direction: FloatArray) -> bool:
    """Return whether a ray meets a node's bounding box; cheaper than testing its triangles.

    Args:
        node: the node.
        origin: `[3]` start of the ray in world space.
        direction: `[3]` direction of the ray in world space.
    """
    bounds = node.get_tight_bounds()
    if not bounds:
        return False
    near, far = 0.0, float("inf")
    for axis in range(3):
        low, high = float(bounds[0][axis]) - 1e-6, float(bounds[1][axis]) + 1e-6
        start, step = float(origin[axis]), float(direction[axis])
        if abs(step) < 1e-12:
            if not low <= start <= high:
                return False
            continue
        one, other = (low - start) / step, (high - start) / step
        near, far = max(near, min(one, other)), min(far, max(one, other))
    return near <= far


@dataclass(frozen=True)
class Preset:
    """Rendering quality settings.

    Attributes:
        scale: resolution of the scene divided by that of its rectangle in the window.
        samples: samples a pixel of the resting picture; 0 for no multisampling.
        smoothing: which edges are smoothed when the layers are composed, see `NO_EDGES`.
        resting: which edges of resting objects are smoothed under software rendering. This replaces
            multisampling, which drops parts of large triangles there.
        left_out: features of materials that are not drawn, see `shaders.MAPS`.
    """

    scale: float
    samples: int
    smoothing: int = NO_EDGES
    resting: int = NO_EDGES
    left_out: frozenset[str] = frozenset()


PRESETS = {
    "low": Preset(0.75, 0, left_out=frozenset({"NORMAL_MAP", "SHADE_MAP"})),
    "medium": Preset(1.0, 4, smoothing=MOVING_EDGES, resting=ALL_EDGES),
    "high": Preset(1.0, 4, smoothing=WIDE_MOVING_EDGES, resting=WIDE_EDGES),
}
DRAFT = Preset(0.7, 0, smoothing=ALL_EDGES)
"""The preset while the camera moves, under software rendering."""


def choose(display: Display) -> str:
    """Return the preset for this machine: medium for software rendering, else high."""
    return "medium" if display.is_software else "high"


MOST_SMOOTHED = 64  # moving objects whose edges are smoothed
FEW_PIXELS = 96 * 96  # of a picture that a learner sees


class SceneView:
    """Renders a scene into the display's scene layer.

    Args:
        display: the display to draw into.
        scene: the scene to draw.
        quality: low, medium, high, or auto to choose by the display.
        now: clock, in seconds, that decides when objects come to rest. If it returns scene time,
            pictures do not depend on how long drawing took.

    Attributes:
        quality: the preset in use: low, medium or high.
        camera: camera rig of the view.
        asked_quality: the quality that was requested, which may be auto.
        full_draws: number of complete redraws so far.
        partial_draws: number of frames so far that drew only the moving objects.
    """

    def __init__(
        self,
        display: Display,
        scene: Scene,
        *,
        quality: str = "auto",
        now: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._now = now
        self.display = display
        self.scene = scene
        self.camera = CameraRig(scene.camera)
        scene.show_with(CanvasPainter(lambda: scene.project), self.pick)
        self.asked_quality = quality
        self.quality = choose(display) if quality == "auto" else quality
        self.full_draws = 0
        self.partial_draws = 0
        self._views: dict[str, ObjectView] = {}
        self._figured: dict[str, ObjectView] = {}  # those of them with joints
        self._by_slot: dict[int, ObjectView] = {}  # by transform
        self._viewport = (0, 0, *display.size)
        self._is_finishing = False
        self._has_mirrored = False  # ever
        self._shown_insets: object = None
        self._root = NodePath("scene")
        self._root.set_attrib(DepthTestAttrib.make(RenderAttrib.M_less_equal))
        if not display.is_software:  # else the samples of a pixel are all alike
            self._root.set_antialias(AntialiasAttrib.M_multisample)
        self._atmosphere = Atmosphere(display, scene, self._root, now)
        self._maker = ObjectMaker(scene, self._root, self._atmosphere)
        self._figures = self._maker.figures
        self._ground = Ground()
        self._resting = StaticLayer(self._atmosphere, self._root, scene, self._ground)
        self._main = MainView(scene, self.camera)
        self._insets = Insets(display, self._root, scene, self._atmosphere)
        self._lens, self._flat_lens = PerspectiveLens(), OrthographicLens()
        self._camera_key: tuple[float, ...] = ()
        self._cameras: list[tuple[NodePath, tuple[int, int]]] = []  # and pixels of their pictures
        self._layers: list[Layers] = []  # fine, and coarse ones where there are any
        self._turned_at = -math.inf
        self._shadowed_at = -1  # the resting layer's revision when its shadows were drawn last
        self._find_table()
        self._main.follow()
        self._open_buffers()
        self._pictures = CameraPictures(display, self._root, self._atmosphere)
        scene.camera.image_renderer = self

    @property
    def preset(self) -> Preset:
        """The settings of the quality preset in use."""
        return PRESETS[self.quality]

    @property
    def _smoothing(self) -> int:
        """Which edges of resting objects are smoothed; none with a graphics card. See `NO_EDGES`.

        Under software rendering it is the preset's value.
        """
        return self.preset.resting if self.display.is_software else NO_EDGES

    @property
    def viewport_size(self) -> tuple[int, int, int, int]:
        """Left, top, width and height of the view in the window, pixels."""
        return self._viewport

    def set_quality(self, quality: str) -> None:
        """Set the quality: low, medium, high, or auto to choose by the display."""
        before = self.asked_quality, self.quality
        self.asked_quality = quality
        self.quality = choose(self.display) if quality == "auto" else quality
        if (self.asked_quality, self.quality) != before:  # auto alone has coarse pictures
            self._open_buffers()

    def set_viewport(self, left: int, top: int, width: int, height: int) -> None:
        """Set the rectangle of the window to draw into, pixels from its top left corner."""
        viewport = (left, top, max(16, width), max(16, height))
        if viewport != self._viewport:
            self._viewport = viewport
            self._open_buffers()

    def pick(self, x: float, y: float) -> str | None:
        """Return the id of the object at a pixel of the window, None for none."""
        origin, direction = self.camera.ray(x, y)
        self._resting.place(self._views.values())
        return nearest({key: view.node for key, view in self._views.items()}, origin, direction)

    @property
    def marked(self) -> list[SceneObject]:
        """The objects for which a placeholder is drawn: a file is missing or cannot be read."""
        found = (self.scene.get(key) for key in sorted(self._maker.marked))
        return [obj for obj in found if obj is not None and obj.is_alive]

    def radius_of(self, object_id: str) -> float:
        """Return an object's radius, half the diagonal of its bounding box, in metres.

        It is at least 0.2, and 1 for an object that is not drawn.
        """
        view = self._placed(object_id)
        bounds = None if view is None else view.node.get_tight_bounds()
        if not bounds:
            return 1.0
        return max(0.2, float((bounds[1] - bounds[0]).length()) / 2.0)

    def middle_of(self, object_id: str) -> tuple[float, float] | None:
        """Return the pixel of the window at the middle of an object's bounding box.

        Returns:
            (x, y); None if the object is not drawn or its middle is behind the camera.
        """
        view = self._placed(object_id)
        corners = None if view is None else box_of(view.node, self._root)
        if corners is None:
            return None
        x, y = self.camera.on_screen(corners.mean(axis=0))
        return (float(x), float(y)) if math.isfinite(x) else None

    def outlines(self, object_id: str) -> list[Outline]:
        """Return the outlines `[n, 2]` of an object as it is seen, in pixels of the window.

        For a model with joints and for a point cloud, it is the outline of the bounding box. The
        list is empty for an object that is not seen.
        """
        view = self._placed(object_id)
        if view is None:
            return []
        if view.shape is None:
            view.shape = outline_shape_of(view.node, is_boxed=view.figure is not None)
        found = in_world(view.shape.triangles, view.node)
        eye = self.camera.eye
        seen = cut_before(found, np.array(eye.position), np.array(eye.ahead))
        return outlines_of(self.camera.on_screen(seen), self._viewport, is_hull=view.shape.is_hull)

    def _placed(self, object_id: str) -> ObjectView | None:
        """Return the view of an object, with its node where the object is; None for none."""
        view = self._views.get(object_id)
        if view is not None:
            self._resting.place([view])
        return view

    def force_redraw(self) -> None:
        """Redraw everything at the next render."""
        self._resting.is_stale = True

    # -- the scene ----------------------------------------------------------------------------

    def follow(self, dt: float) -> bool:
        """Advance the camera by one frame, by mouse, scripts and Camera components.

        Args:
            dt: time since the last frame, seconds.

        Returns:
            Whether the view moved.
        """
        self._main.follow()
        return self.camera.follow(dt)

    def sync(self) -> bool:
        """Apply the scene's changes; return whether there were any."""
        if self._atmosphere.follow():
            self._resting.is_stale = True
            self._ground.sun_to = np.array(self._atmosphere.now.sun_to)
            self._insets.note_change()
        changes = self.scene.drain_changes()
        now = self._now()
        for object_id in changes.destroyed:
            self._remove(object_id)
        arrived = self._figures.arrived()
        rebuilt: list[ObjectView] = []
        for object_id in sorted(changes.created | changes.visual | arrived):  # alike in each run
            obj = self.scene.get(object_id)
            if obj is not None:
                rebuilt += self._rebuild(obj, now, is_new=object_id in changes.created)
        for object_id in changes.painted - changes.created - changes.visual:
            self._paint(object_id)
        for object_id in changes.pointed - changes.created - changes.visual:
            self._follow_points(object_id)
        moved = self.scene.transforms.update_world()
        is_changed = bool(changes) or bool(arrived) or len(moved) > 0
        self._place(rebuilt, moved, now)
        is_changed = self._follow_figures(now) or is_changed
        self._resting.settle(now)
        self._resting.follow(has_moved=len(moved) > 0)
        if is_changed:
            self._insets.note_change()
        return is_changed

    def _place(self, rebuilt: list[ObjectView], moved: IntArray, now: float) -> None:
        """Apply world transforms to the nodes of rebuilt and of moved objects.

        Args:
            rebuilt: views that were just created.
            moved: rows, in the arrays of the scene's transforms, of the objects that moved.
            now: time, seconds of the view's clock.
        """
        known = [*filter(None, map(self._by_slot.get, moved.tolist()))]
        for view in known:
            if view.is_moving:
                view.moved_at = now
            else:
                self._resting.move(view, now)
        views = [*dict.fromkeys([*rebuilt, *known])] if rebuilt else known
        if not views:
            return
        self._resting.is_dirty = True
        self._mirror(views)
        views = [view for view in views if not view.is_crowded]
        is_all = not rebuilt and len(views) == len(moved)
        worlds = self.scene.transforms.world[moved if is_all else [view.slot for view in views]]
        for view, place in zip(views, panda_matrices(worlds), strict=True):
            view.put(place)
        shaded = [number for number, view in enumerate(views) if view.shadow is not None]
        if shaded:
            self._ground.cast([views[number] for number in shaded], worlds[shaded])

    def _mirror(self, views: list[ObjectView]) -> None:
        """Draw the right sides of objects that are mirrored, or no longer are.

        Args:
            views: views of objects that moved.
        """
        if not (self._has_mirrored or self.scene.transforms.has_negative_scales):
            return
        mirrored = are_mirrored(self.scene.transforms.world[[view.slot for view in views]])
        self._has_mirrored = self._has_mirrored or bool(mirrored.any())
        for view, is_mirrored in zip(views, mirrored.tolist(), strict=True):
            if is_mirrored is not view.is_mirrored:
                self._resting.stand_alone(view)
                view.mirror(is_mirrored)

    def _follow_figures(self, now: float) -> bool:
        """Apply new poses to the figures; return whether any pose changed."""
        figures = {key: view.figure for key, view in self._figured.items() if view.figure}
        changed = self._figures.follow(figures)
        for object_id, view in self._figured.items():
            if object_id in changed:
                if view.is_moving:
                    view.moved_at = now
                else:
                    self._resting.move(view, now)
            elif view.is_moving and self._figures.is_playing(object_id):
                view.moved_at = now  # between two poses it is not at rest
        if changed:
            self._resting.is_dirty = True
        return bool(changed)

    def _rebuild(self, obj: SceneObject, now: float, *, is_new: bool) -> list[ObjectView]:
        """Create an object's view, and remove the former one.

        Args:
            obj: the object.
            now: time, seconds of the view's clock.
            is_new: whether the object was just created.

        Returns:
            A list with the new view; empty if the object has no model or is hidden.
        """
        self._remove(obj.id)
        if obj.model is None or not obj.is_shown:
            return []
        view = self._views[obj.id] = self._maker.make(obj)
        self._by_slot[obj.transform.slot] = view
        if view.figure is not None:
            self._figured[obj.id] = view
        if view.surface is not None:
            self._ground.add_surface(obj.id, view.surface, obj.transform.world_position)
        is_figure = view.figure is not None or view.is_waiting  # arrive without drawing all anew
        is_still = not (view.is_glass or is_figure or (obj.parent is not None and is_new))
        self._resting.add(view, now, is_still=is_still)
        return [view]

    def _follow_points(self, object_id: str) -> None:
        """Apply an object's new point cloud."""
        view = self._views.get(object_id)
        if view is not None and view.cloud is not None:
            self._maker.follow(view.cloud)
            self._resting.is_dirty = True

    def _paint(self, object_id: str) -> None:
        """Upload the new pixels of an object's texture, and redraw the object.

        An object at rest is redrawn over its former picture.
        """
        obj, view = self.scene.get(object_id), self._views.get(object_id)
        if obj is None or view is None:
            return
        picture = picture_of(obj.texture, self.scene.project)
        if picture is not None:
            repaint(view.node, picture)
        self._resting.paint(view)

    def _remove(self, object_id: str) -> None:
        view = self._views.pop(object_id, None)
        if view is None:
            return
        self._ground.remove_surface(object_id)
        self._figured.pop(object_id, None)
        if self._by_slot.get(view.slot) is view:
            del self._by_slot[view.slot]
        self._resting.remove(view)
        view.remove()

    # -- pictures for scripts -----------------------------------------------------------------

    def image(self, eye: CameraPose | None, size: tuple[int, int], *, overlays: bool) -> Picture:
        """Render what a camera pose sees as RGB `[h, w, 3]`, the top row first.

        Args:
            eye: the pose; None for the main view.
            size: width and height, pixels.
            overlays: whether objects drawn over others, such as marks, are in the picture.
        """
        self._main.follow()
        self.sync()
        hidden = [] if overlays else [view.node for view in self._views.values() if view.is_overlay]
        resting = self._resting
        is_whole = resting.is_stale and not (  # or the shadows of what rests are there already
            resting.revision == self._shadowed_at and self._atmosphere.covers_casters()
        )
        if is_whole:
            self._shadowed_at = resting.revision
        is_fast = self.display.is_environment and self.display.is_software
        is_small = size[0] * size[1] <= FEW_PIXELS  # its edges are smoothed all the same
        samples = 0 if is_fast and is_small else self.preset.samples
        with stashed(hidden):
            moves = resting.has_moving_shadows
            shadows = self._atmosphere.prepare(is_whole=is_whole, has_moving=moves)
            kind = PictureKind(size, samples, self._smoothing)
            return self._pictures.image(eye or self.camera.coming_eye, kind, shadows)

    def depth(self, eye: CameraPose | None, size: tuple[int, int]) -> Distances:
        """Render distances `[h, w]` in metres along the direction of view; infinite if empty.

        Args:
            eye: camera pose; None for the main view.
            size: width and height, pixels.
        """
        self._main.follow()
        self.sync()
        return self._pictures.depth(eye or self.camera.coming_eye, size)

    # -- drawing ------------------------------------------------------------------------------

    def render(self) -> bool:
        """Choose the buffers that the next present must draw; return whether there are any."""
        if self.camera.viewport != self._viewport:
            self.camera.viewport = self._viewport
            self._resting.is_stale = True
        if self._place_camera():
            self._resting.is_stale = True
        layers = self._choose_layers()
        self._update_insets(is_final=self._is_finishing)
        resting = self._resting
        is_whole, has_baking = resting.is_stale, bool(resting.baking)
        is_new = is_whole or resting.is_dirty or has_baking
        if is_new:
            self._atmosphere.prepare(is_whole=is_whole, has_moving=resting.has_moving_shadows)
            if is_whole:
                self._shadowed_at = resting.revision
        layers.activate(is_whole=is_whole, has_baking=has_baking, is_new=is_new)
        self.full_draws += is_whole
        self.partial_draws += is_new and not is_whole
        if is_new:
            self.display.smooth_edges(self._moving_place())
            resting.begin()
        return is_new

    def _moving_place(self) -> tuple[int, int, int, int] | None:
        """Return the rectangle of the view around all moving objects, in which edges are smoothed.

        Returns:
            Left, top, width and height, pixels of the view; None if nothing moves or too many
            objects do.
        """
        views = [*self._resting.moving, *self._resting.baking]
        if not 0 < len(views) <= MOST_SMOOTHED or self.preset.smoothing == NO_EDGES:
            return None
        spheres = [view.node.get_bounds() for view in views]
        spheres = [item for item in spheres if not item.is_empty() and not item.is_infinite()]
        if not spheres:
            return None
        centers = np.array([item.get_approx_center() for item in spheres])
        return self.camera.place_of(centers, np.array([item.get_radius() for item in spheres]))

    def _update_insets(self, *, is_final: bool) -> None:
        """Choose the inset views that the next present draws, and show them.

        Args:
            is_final: whether to draw all changed insets at once, ignoring their rates.
        """
        if self._insets.update(self._viewport[2:], is_final=is_final):
            self._resting.is_dirty = True
        if self._insets.revision is not self._shown_insets:
            self._shown_insets = self._insets.revision
            for layers in self._layers:
                layers.show_insets(self._insets.frames())

    def presented(self) -> None:
        """Record that the display has presented the picture; the display's owner calls this."""
        self._resting.presented()

    def finish(self) -> None:
        """Make the next present redraw everything completely, at full resolution."""
        self._resting.is_stale = True
        self._turned_at = -math.inf
        self._atmosphere.hurries = True
        self.sync()
        self._atmosphere.hurries = False
        self._is_finishing = True
        self.render()
        self._is_finishing = False

    def _place_camera(self) -> bool:
        rig = self.camera
        eye = rig.shown_eye
        key = (*eye.numbers, rig.aspect, rig.lift)
        if key == self._camera_key:
            return False
        if self._camera_key:
            self._turned_at = self._now()
        self._camera_key = key
        lens = self._flat_lens if eye.height else self._lens
        point_lens(lens, eye, rig.aspect, rig.lift)
        for node, size in self._cameras:
            node.node().set_lens(lens)
            node.set_mat(panda_eye(eye.matrix))
            measure_points(node, size, eye.fov)
        self._atmosphere.look(lens, self._cameras[0][0])
        return True

    def _find_table(self) -> None:
        for obj in self.scene.objects.values():
            if (obj.model or {}).get("builtin") == "table":
                self._ground.table_height = float(obj.transform.world_position[2])
        self._ground.sun_to = np.array(self._atmosphere.now.sun_to)

    def _open_buffers(self) -> None:
        for layers in self._layers:
            layers.close()
        self._cameras = []
        is_drafted = self.asked_quality == "auto" and self.display.is_software
        presets = [self.preset, DRAFT] if is_drafted else [self.preset]
        self._layers = [self._make_layers(preset) for preset in presets]
        self._used = self._layers[0]
        self._atmosphere.attach(self._layers)
        self._atmosphere.leave_out(self.preset.left_out)
        self._show_layers()
        self._camera_key = ()
        self._resting.is_stale = True
        self._insets.samples = self.preset.samples
        self._shown_insets = None

    def _make_layers(self, preset: Preset) -> Layers:
        _, _, width, height = self._viewport
        size = (max(16, round(width * preset.scale)), max(16, round(height * preset.scale)))
        smoothing = self._smoothing and preset.resting
        return Layers(self.display, size, preset.samples, self._region, smoothing=smoothing)

    def _choose_layers(self) -> Layers:
        """Return the coarse layers while the camera moves, the fine ones when it stands."""
        is_turning = self._now() - self._turned_at < REST_SECONDS
        used = self._layers[-1 if is_turning else 0]
        if used is not self._used:
            self._used.activate(is_whole=False, has_baking=False, is_new=False)
            self._used = used
            self._resting.is_stale = True
            self._show_layers()
        return used

    def _show_layers(self) -> None:
        used = self._used
        is_even = used.size == self._viewport[2:]
        smoothing = (self.preset if used is self._layers[0] else DRAFT).smoothing
        self.display.set_scene(used.color, self._viewport, is_even=is_even, smoothing=smoothing)

    def _region(self, buffer: GraphicsOutput, mask: BitMask32, sort: int) -> DisplayRegion:
        camera = Camera("view", self._lens)
        camera.set_camera_mask(mask)
        node = self._root.attach_new_node(camera)
        self._cameras.append((node, (buffer.get_x_size(), buffer.get_y_size())))
        region = buffer.make_display_region()
        region.set_sort(sort)
        region.set_camera(node)
        return region
