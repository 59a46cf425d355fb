"""Node and look of one object in the picture, and their creation from its model."""

from __future__ import annotations

import contextlib
import math

from panda3d.core import NodePath

from sim.core.assets.assets import AssetError
from sim.core.geometry.builtin_models import WRONG_NUMBERS, Model
from sim.core.scene.look_check import look_faults
from sim.core.scene.scene import Scene, SceneObject
from sim.render.materials.textures import Picture, PictureFiles
from sim.render.models.figures import Figure, Figures
from sim.render.models.models import ModelFactory, cover_texture
from sim.render.models.points import PointCloud, points_shader
from sim.render.passes.atmosphere import Atmosphere
from sim.render.passes.shadows import Shadows
from sim.render.view.silhouette import Shape

Parts = tuple[NodePath, NodePath | None, Figure | None]


class ObjectView:
    """An object's representation in the picture.

    Attributes:
        node: the object's Panda3D node.
        put: sets the node's transform to a Panda3D matrix.
        shadow: node of its soft shadow, None for none.
        figure: its figure if the model is a file, else None.
        slot: slot of the object's transform.
        is_glass: whether it is transparent, and so drawn after the objects at rest.
        cloud: its point cloud, None for none.
        shape: what is outlined of it, None until it was.
        surface: half the side in metres of its square that receives soft shadows; None for none.
            An object with a surface casts its own shadow on the table.
        is_overlay: whether it is drawn over others, as marks are.
        is_waiting: whether its model is still loading.
        moved_at: wall time of its last move, seconds.
        is_moving: whether it is drawn in the moving layer.
        casts: whether it casts a shadow in the sun's shadow maps.
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
        self.shape: Shape | None = None
        self.surface: float | None = None
        self.is_overlay = False
        self.is_waiting = False
        self.moved_at = -math.inf
        self.is_moving = False
        self.casts = False

    def note_move(self, now: float) -> None:
        """Record that the object moved at wall time `now`, seconds."""
        self.moved_at = now

    def set_moving(self, *, is_moving: bool) -> None:
        """Set whether it is drawn in the moving layer."""
        self.is_moving = is_moving

    def remove(self) -> None:
        """Remove its nodes."""
        self.node.remove_node()
        if self.shadow is not None:
            self.shadow.remove_node()


class ObjectMaker:
    """Creates the views of objects; errors are console lines.

    Attributes:
        figures: the models that come from files.
    """

    def __init__(self, scene: Scene, root: NodePath, atmosphere: Atmosphere) -> None:
        self._scene = scene
        self._atmosphere = atmosphere
        self._root = root
        self._shop = ModelFactory(scene.models)
        self._files = PictureFiles(self._complain, self._note)
        self.figures = Figures(scene, self._shop.blank)
        self._points_shader = points_shader()
        self._shadows = Shadows(root, scene.models)

    def make(self, obj: SceneObject) -> ObjectView:
        """Create the view of an object that has a model; unknown keys are warnings."""
        for fault in look_faults(obj.model or {}, obj.material, self._scene.models):
            self._warn(f"{obj.path}: {fault}")
        cloud = self._cloud_of(obj)
        node, shadow, figure = (cloud.node, None, None) if cloud else self._parts_of(obj)
        node.reparent_to(self._root)
        view = ObjectView(node, shadow, figure)
        view.slot = obj.transform.slot
        view.cloud = cloud
        view.surface = self._surface_of(obj.model or {})
        view.casts = obj.casts_shadow and cloud is None
        view.is_overlay = "layer" in obj.material
        view.is_waiting = self.figures.is_waiting(obj.id)
        return view

    def _surface_of(self, model: Model) -> float | None:
        kind = self._scene.models.kind(model.get("builtin"))
        with contextlib.suppress(*WRONG_NUMBERS):
            return None if kind is None else kind.surface_of(model)
        return None

    def follow(self, cloud: PointCloud) -> None:
        """Update an object's point cloud; errors are console lines."""
        fault = cloud.follow()
        if fault:
            self._complain(f"{cloud.object.path}: {fault}")

    def _cloud_of(self, obj: SceneObject) -> PointCloud | None:
        """Return the cloud of points that an object is, None when it is none."""
        kind = self._scene.models.kind((obj.model or {}).get("builtin"))
        if kind is None or kind.drawn_as != "points":
            return None
        try:
            cloud = PointCloud(obj, self._points_shader)
        except (TypeError, ValueError) as error:
            self._complain(f"{obj.path}: model: {error}")
            return None
        self.follow(cloud)
        return cloud

    def _parts_of(self, obj: SceneObject) -> Parts:
        """Create an object's node, shadow and figure."""
        model, material = obj.model or {}, obj.material
        picture = None
        try:
            picture = self._files.of(obj.texture, self._scene.project)
        except OSError as error:
            why = error.strerror or error
            self._complain(f"{obj.path}: texture: expected a picture, found {obj.texture}: {why}")
        except ValueError as error:
            self._complain(f"{obj.path}: {error}")
        try:
            if "asset" in model:
                return self._figure_of(obj, picture)
            node = self._shop.make(model, material, picture)
            return node, self._shadow_of(obj), None
        except WRONG_NUMBERS as error:
            self._complain(
                f"{obj.path}: model or material: expected the keys of docs/scene_format.md, "
                f"found {dict(model)} {dict(material)}: {error}"
            )
            return self._shop.make({"builtin": ""}, {}), None, None

    def _figure_of(self, obj: SceneObject, picture: Picture | None) -> Parts:
        """Return the parts of a model from a file; a box, or nothing, while it is not there."""
        cover = None if picture is None else cover_texture(picture)
        try:
            figure = self.figures.make(obj, obj.material, cover)
        except AssetError:  # which the library has told
            return self._shop.make({"builtin": ""}, {}), None, None
        if figure is None:
            is_late = self.figures.is_late(obj.id)
            return self._shop.placeholder() if is_late else NodePath("nothing"), None, None
        return figure.node, self._shadow_of(obj, figure), figure

    def _shadow_of(self, obj: SceneObject, figure: Figure | None = None) -> NodePath | None:
        if not obj.casts_shadow or self._atmosphere.now.casts:
            return None
        reach = figure.footprint() if figure is not None else 0.0
        return self._shadows.make(obj.model or {}, reach=reach)

    def _note(self, text: str) -> None:
        if self._scene.host is not None:
            self._scene.host.console.info(text)

    def _warn(self, text: str) -> None:
        if self._scene.host is not None:
            self._scene.host.console.warning(text)

    def _complain(self, text: str) -> None:
        if self._scene.host is not None:
            self._scene.host.console.error(text)
