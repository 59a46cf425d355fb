"""How one object is drawn: its nodes, and whether it is drawn as resting or as moving.

Objects at rest stay in a cached picture; moving objects are redrawn in each frame.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable

from panda3d.core import BitMask32, NodePath

from base.errors import MakerError
from sim.core.assets.assets import AssetError
from sim.core.canvas.painter import Picture
from sim.core.geometry.builtin_models import WRONG_NUMBERS
from sim.core.reporting.console import ConsoleRecord, Level
from sim.core.scene.look_check import look_faults
from sim.core.scene.scene import Scene, SceneObject
from sim.render.materials.textures import PictureFiles
from sim.render.models.figures import Figure, Figures, turn_sides
from sim.render.models.models import ModelFactory, cover_texture
from sim.render.models.points import PointCloud, points_shader
from sim.render.passes.atmosphere import Atmosphere
from sim.render.passes.layers import BAKING, MOVING, STILL
from sim.render.passes.shadows import Ground, Shadows
from sim.render.view.crowds import WHITE, Crowd, Crowds, Ink, Look, Member, look_of
from sim.render.view.placeholders import missing_picture, name_plate, size_of_box
from sim.render.view.silhouette import OutlineShape

Parts = tuple[NodePath, NodePath | None, Figure | None]


class ObjectView:
    """An object's representation in the picture.

    Attributes:
        node: the object's Panda3D node.
        put: sets the node's transform to a Panda3D matrix.
        shadow: node of its soft shadow; None if it has none.
        figure: its figure if the model is a file, else None.
        slot: row of the object in the arrays of the scene's transforms.
        is_glass: whether it is transparent, and so drawn after the objects at rest.
        cloud: its point cloud; None for other models.
        shape: its triangles for outlines; None until they are needed.
        surface: half the side, in metres, of its top square that receives soft shadows; None for no
            such square. An object with a surface casts its own shadow on the table.
        is_overlay: whether it is drawn over other objects, as marks are.
        is_waiting: whether its model is still loading.
        moved_at: time of its last move, seconds.
        is_moving: whether it is drawn in the moving layer.
        casts: whether it is drawn into the sun's shadow maps.
        is_mirrored: whether its transform mirrors it.
        order: number of the view in the order of their creation, in which they are drawn.
        layer: mask of the layer in which it is drawn.
        look: what it shares with the objects of its crowd; None if no crowd can draw it.
        ink: its colour in a crowd: linear red, green and blue.
        crowd: the crowd that it belongs to, see `Crowds`; None for none.
        is_crowded: whether the crowd draws it; its own nodes are then hidden and not moved.
    """

    def __init__(
        self, node: NodePath, shadow: NodePath | None, figure: Figure | None = None
    ) -> None:
        self.node = node
        self.put = node.set_mat  # looked up once: it is called for all that moves
        self.figure = figure
        self.shadow = shadow
        self.slot = -1
        self.is_glass = bool(node.has_transparency())
        self.cloud: PointCloud | None = None
        self.shape: OutlineShape | None = None
        self.surface: float | None = None
        self.is_overlay = False
        self.is_waiting = False
        self.moved_at = -math.inf
        self.is_moving = False
        self.casts = False
        self.is_mirrored = False
        self.order = 0
        self.layer = BitMask32.all_off()
        self.look: Look | None = None
        self.ink: Ink = WHITE
        self.crowd: Crowd | None = None
        self.is_crowded = False

    def mirror(self, is_mirrored: bool) -> None:
        """Set which sides of its triangles are drawn: a mirroring turns their corners' order."""
        self.is_mirrored = is_mirrored
        turn_sides(self.node, is_turned=is_mirrored)

    def remove(self) -> None:
        """Remove the object's nodes from the scene."""
        self.node.remove_node()
        if self.shadow is not None:
            self.shadow.remove_node()


class ObjectMaker:
    """Creates the views of objects; errors are written to the console.

    Attributes:
        figures: creates and poses models that come from files.
        marked: ids of the objects of which a file is missing or broken; a placeholder is drawn.
    """

    def __init__(self, scene: Scene, root: NodePath, atmosphere: Atmosphere) -> None:
        self.marked: set[str] = set()
        self._scene = scene
        self._atmosphere = atmosphere
        self._root = root
        self._shop = ModelFactory(scene.models)
        tell = self._tell
        self._files = PictureFiles(
            functools.partial(tell, "error"), functools.partial(tell, "info")
        )
        self.figures = Figures(scene, self._shop.blank)
        self._points_shader = points_shader()
        self._shadows = Shadows(root, scene.models)

    def make(self, obj: SceneObject) -> ObjectView:
        """Create the view of an object that has a model.

        Unknown keys of its model or material are reported in the console as warnings.
        """
        for fault in look_faults(obj.model or {}, obj.material, self._scene.models):
            self._tell("warning", f"{obj.path}: {fault}")
        self.marked.discard(obj.id)
        cloud = self._cloud_of(obj)
        node, shadow, figure = (cloud.node, None, None) if cloud else self._parts_of(obj)
        node.reparent_to(self._root)
        self._atmosphere.dress(node)
        view = ObjectView(node, shadow, figure)
        view.slot = obj.transform.slot
        view.cloud = cloud
        view.surface = self._surface_of(obj)
        is_cloud = cloud is not None or (figure is not None and figure.is_cloud)
        view.casts = obj.casts_shadow and not is_cloud
        view.is_overlay = "layer" in obj.material
        view.is_waiting = self.figures.is_waiting(obj.id)
        if not (is_cloud or figure or view.is_overlay or obj.texture is not None):
            view.look, view.ink = look_of(node, casts=view.casts)
        return view

    def _surface_of(self, obj: SceneObject) -> float | None:
        model = obj.model or {}
        kind = self._scene.models.kind(model.get("builtin"))
        try:
            return None if kind is None else kind.surface_of(model)
        except MakerError as error:
            self._tell_failed(obj, error)
        except WRONG_NUMBERS:  # which was told when the model was made
            pass
        return None

    def _tell_failed(self, obj: SceneObject, error: MakerError) -> None:
        """Report that a function of a project's model failed.

        Args:
            obj: object with the model.
            error: the error, with file and line.
        """
        if self._scene.host is not None:
            name = (obj.model or {}).get("builtin")
            self._scene.host.console.add(
                ConsoleRecord(
                    "error",
                    f"model {name}: {error.text}",
                    source=obj.path,
                    file=error.file,
                    line=error.line,
                    details=error.details,
                )
            )

    def follow(self, cloud: PointCloud) -> None:
        """Update a point cloud from its object; invalid colours are reported in the console."""
        fault = cloud.follow()
        if fault:
            self._tell("error", f"{cloud.object.path}: {fault}")

    def _cloud_of(self, obj: SceneObject) -> PointCloud | None:
        """Return an object's point cloud; None if its model is no point cloud or is invalid."""
        kind = self._scene.models.kind((obj.model or {}).get("builtin"))
        if kind is None or kind.drawn_as != "points":
            return None
        try:
            cloud = PointCloud(obj, self._points_shader)
        except (TypeError, ValueError) as error:
            self._tell("error", f"{obj.path}: model: {error}")
            return None
        self.follow(cloud)
        return cloud

    def _parts_of(self, obj: SceneObject) -> Parts:
        """Create the Panda3D nodes of an object.

        Returns:
            The object's node, its soft shadow and its figure. The shadow is None if it casts none.
            The figure is None if its model is not a file.
        """
        model, material = obj.model or {}, obj.material
        picture = None
        try:
            picture = self._files.of(obj.texture, self._scene.project)
        except OSError as error:
            picture = self._missing_picture(obj)
            if obj.texture not in self._scene.missing_files:
                why = error.strerror or error
                self._tell(
                    "error", f"{obj.path}: texture: expected a picture, found {obj.texture}: {why}"
                )
        except ValueError as error:
            picture = self._missing_picture(obj) if isinstance(obj.texture, str) else None
            self._tell("error", f"{obj.path}: {error}")
        try:
            if "asset" in model:
                return self._figure_of(obj, picture)
            node = self._shop.make(model, material, picture)
            return node, self._shadow_of(obj), None
        except MakerError as error:
            self._tell_failed(obj, error)
            return self._shop.make({"builtin": ""}, {}), None, None
        except WRONG_NUMBERS as error:
            self._tell(
                "error",
                f"{obj.path}: model or material: expected the keys of docs/scene_format.md, "
                f"found {dict(model)} {dict(material)}: {error}",
            )
            return self._shop.make({"builtin": ""}, {}), None, None

    def _missing_picture(self, obj: SceneObject) -> Picture:
        self.marked.add(obj.id)
        return missing_picture()

    def _figure_of(self, obj: SceneObject, picture: Picture | None) -> Parts:
        """Create the parts of an object whose model is a file.

        While the model is loading, the node is empty, and after a while a grey box. If its file is
        missing or broken, it is a magenta box with the object's name.

        Args:
            obj: the object.
            picture: texture that replaces those of the file; None to keep them.
        """
        cover = None if picture is None else cover_texture(picture)
        try:
            figure = self.figures.make(obj, obj.material, cover)
        except AssetError:  # which the library has reported
            self.marked.add(obj.id)
            plate = name_plate(obj.name, self._scene.painter)
            return self._shop.marked(plate, size_of_box(obj)), None, None
        if figure is None:
            is_late = self.figures.is_late(obj.id)
            return self._shop.placeholder() if is_late else NodePath("nothing"), None, None
        shadow = None if figure.is_cloud else self._shadow_of(obj, figure)
        return figure.node, shadow, figure

    def _shadow_of(self, obj: SceneObject, figure: Figure | None = None) -> NodePath | None:
        if not obj.casts_shadow or self._atmosphere.now.casts:
            return None
        reach = figure.footprint() if figure is not None else None
        return self._shadows.make(obj.model or {}, reach=reach)

    def _tell(self, level: Level, text: str) -> None:
        if self._scene.host is not None:
            self._scene.host.console.write(level, text)


REST_SECONDS = 0.12  # what has not moved for so long is at rest
SETTLE_SECONDS = 1.5  # at least, between two whole pictures for the shadows of what came to rest


class StaticLayer:
    """Assigns each object to the resting or the moving layer.

    The resting layer is a cached picture; the moving layer is redrawn in each frame. The objects of
    a layer are below a node of its own. So a camera that draws what moves passes by all that rests
    with one look.

    Args:
        atmosphere: says which cameras draw what.
        root: node of the scene's objects.
        scene: the scene.
        ground: what soft shadows fall on.

    Attributes:
        is_stale: whether the resting picture must be redrawn completely.
        revision: number of complete redraws requested so far.
        is_dirty: whether the moving layer must be redrawn.
        moving: the objects of the moving layer.
        baking: objects to be added to the resting picture next: newly at rest, or with new pixels.
    """

    def __init__(
        self, atmosphere: Atmosphere, root: NodePath, scene: Scene, ground: Ground
    ) -> None:
        self._atmosphere = atmosphere
        self._crowds = Crowds(
            root, scene.transforms, atmosphere, ground, self._node_of, self._show_alone
        )
        self._resting = root.attach_new_node("resting objects")
        self._moving = root.attach_new_node("moving objects")
        self._added = 0
        self._settled_at = -math.inf
        self.revision = 0
        self.is_stale = True
        self.is_dirty = True
        self.moving: dict[ObjectView, None] = {}
        self.baking: dict[ObjectView, None] = {}
        self._drawn: list[ObjectView] = []

    @property
    def is_stale(self) -> bool:
        """Whether the resting picture must be redrawn completely."""
        return self._is_stale

    @is_stale.setter
    def is_stale(self, value: bool) -> None:
        self._is_stale = value
        self.revision += value

    @property
    def has_moving_shadows(self) -> bool:
        """Whether any moving object casts a shadow."""
        return any(view.casts for view in self.moving)

    def add(self, view: ObjectView, now: float, *, is_still: bool) -> None:
        """Add an object.

        Args:
            view: the object's view.
            now: time, seconds of the view's clock.
            is_still: whether it starts in the resting layer; else it starts as moving.
        """
        self._added += 1
        view.order = self._added
        if is_still:
            self._show(view, STILL)
            self.is_stale = True
        else:
            self._show(view, MOVING)
            self.move(view, now)

    def remove(self, view: ObjectView) -> None:
        """Remove an object."""
        if not view.is_moving:
            self.is_stale = True
        self.is_dirty = True
        self.moving.pop(view, None)
        self.baking.pop(view, None)
        self._crowds.remove(view)

    def move(self, view: ObjectView, now: float) -> None:
        """Record that an object moved, and draw it in the moving layer.

        Args:
            view: the object's view.
            now: time, seconds of the view's clock.
        """
        view.moved_at = now
        self.is_dirty = True
        if not view.is_moving:
            if view.layer == STILL:
                self.is_stale = True  # it must leave the resting picture
            view.is_moving = True
            self.moving[view] = None
            self._show(view, MOVING)
        if self.baking:
            self.baking.pop(view, None)

    def paint(self, view: ObjectView) -> None:
        """Record that an object's texture has new pixels.

        An object at rest is redrawn in place over its former picture.
        """
        self.is_dirty = True
        if not view.is_moving and view not in self.baking:
            view.node.hide(BitMask32.all_on())
            view.node.show(BAKING)
            view.layer = BAKING
            self.baking[view] = None

    def settle(self, now: float) -> None:
        """Move objects that have not moved for a while to the resting layer.

        Args:
            now: time, seconds of the view's clock.
        """
        is_shaded = self._atmosphere.now.casts
        if is_shaded and self._keeps_moving(now):
            return
        for view in list(self.moving):
            if now - view.moved_at < REST_SECONDS or view.is_glass or view.is_waiting:
                continue
            view.is_moving = False
            del self.moving[view]
            self._show(view, BAKING)
            self.baking[view] = None
            self.is_dirty = True
            if is_shaded:
                self.is_stale = True  # its shadow lies on what rests

    def _keeps_moving(self, now: float) -> bool:
        """Return whether objects that came to rest stay in the moving layer for now.

        They wait while other objects are about to come to rest, too. One full redraw then serves
        all.

        Args:
            now: time, seconds of the view's clock.
        """
        is_soon = now - self._settled_at < SETTLE_SECONDS
        if is_soon and any(now - view.moved_at < REST_SECONDS for view in self.moving):
            return True
        self._settled_at = now
        return False

    def begin(self) -> None:
        """Record that the next present draws all that was requested so far in both layers."""
        if self.is_stale:
            for view in self.baking:
                self._show(view, STILL)
            self.baking.clear()
        self._drawn = list(self.baking)
        self.is_dirty = self.is_stale = False

    def presented(self) -> None:
        """Record that the picture was presented: objects that were baked are now at rest."""
        for view in self._drawn:
            if view in self.baking:
                del self.baking[view]
                self._show(view, STILL)
        self._drawn = []

    def stand_alone(self, view: ObjectView) -> None:
        """Draw a view by itself from now on, never in a crowd."""
        if view.look is not None:
            self._crowds.stand_alone(view)

    def place(self, views: Iterable[ObjectView]) -> None:
        """Put the nodes of views where their objects are, as those in crowds are not moved."""
        crowded = [view for view in views if view.is_crowded]
        if crowded:
            self._crowds.place(crowded)

    def follow(self, *, has_moved: bool) -> None:
        """Draw the crowds where their objects are, after all other changes of a frame.

        Args:
            has_moved: whether any object was moved since the last call.
        """
        self._crowds.follow(has_moved=has_moved)

    def _show(self, view: ObjectView, mask: BitMask32) -> None:
        view.layer = mask
        self._crowds.put(view, mask)

    def _node_of(self, mask: BitMask32) -> NodePath:
        return self._resting if mask == STILL else self._moving

    def _show_alone(self, view: Member, mask: BitMask32) -> None:
        above = self._node_of(mask)
        for number, node in enumerate((view.shadow, view.node)):
            if node is not None:
                node.reparent_to(above, 2 * view.order + number)
                node.hide(BitMask32.all_on())
                node.show(self._atmosphere.mask(node, mask, casts=view.casts))
