"""`Scene`: the objects, their order, and the changes since the last drawn frame."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from base.errors import GoishiError, LimitError
from base.values import JsonObject
from sim.core.assets.animation.animator import Animator
from sim.core.assets.formats import is_robot
from sim.core.canvas.painter import Painter
from sim.core.files.scene_file import SceneDocument
from sim.core.files.scene_settings import SceneSettings
from sim.core.geometry.builtin_models import ModelRegistry
from sim.core.geometry.transform import TransformStore
from sim.core.scene.building import build, instantiate
from sim.core.scene.host import ComponentHost, Motions, Physics
from sim.core.scene.ids import counted_id, new_id
from sim.core.scene.object_state import copy_below
from sim.core.scene.robots import instantiate_robot
from sim.core.scene.scene_camera import SceneCamera
from sim.core.scene.scene_object import ComponentSlot, SceneObject, SlotState
from sim.core.scene.spatial_index import Filter, Hit, SpatialIndex, wanted_of

if TYPE_CHECKING:
    from sim.core.input.input_actions import Click
    from sim.core.scene.scene_object import SceneObject


@dataclass
class SceneChanges:
    """Ids of objects added, removed or changed since the last drain."""

    created: set[str] = field(default_factory=set)
    destroyed: set[str] = field(default_factory=set)
    visual: set[str] = field(default_factory=set)
    painted: set[str] = field(default_factory=set)
    """objects of which only the texture's pixels changed"""
    pointed: set[str] = field(default_factory=set)
    """objects of which only the point cloud changed"""

    def remove(self, object_id: str) -> None:
        """Record a removal; an object added since the last drain is dropped from both sets."""
        if object_id in self.created:
            self.created.discard(object_id)
        else:
            self.destroyed.add(object_id)
        for others in (self.visual, self.painted, self.pointed):
            others.discard(object_id)

    def __bool__(self) -> bool:
        return bool(self.created or self.destroyed or self.visual or self.painted or self.pointed)


class Scene:
    """All objects of a scene. Use it on the main thread only.

    Attributes:
        space: the spatial index; queries work without graphics.
        journal: objects whose look or visibility may have changed, for whoever empties it; None
            while nobody does.
    """

    def __init__(self, settings: SceneSettings | None = None) -> None:
        self.settings = settings or SceneSettings()
        self.id = new_id("scn")
        self.project = Path()
        self.host: ComponentHost | None = None
        self.camera = SceneCamera(self)
        self.painter = Painter()
        self.picker: Callable[[float, float], str | None] | None = None  # set by the view
        self.transforms = TransformStore()
        self.animator = Animator()
        self.space = SpatialIndex(self)
        self.models = ModelRegistry()
        self.physics_maker: Callable[[Scene], Physics] | None = None
        self.prefab_cache: dict[str, tuple[tuple[int, int], JsonObject]] = {}
        self.objects: dict[str, SceneObject] = {}
        self.roots: list[SceneObject] = []
        self.extra: JsonObject = {}  # keys of the file that nobody knows
        self.extra_settings: JsonObject = {}
        self.authored_settings: JsonObject | None = None
        self.has_settings = True
        self.authored_order: tuple[str, ...] = ()
        self.structure_revision = 0
        self._components: dict[str, ComponentSlot] = {}
        self.journal: set[SceneObject] | None = None
        self._is_quiet = False
        self._doomed: list[SceneObject] = []
        self._changes = SceneChanges()
        self._by_slot: dict[int, str] = {}
        self._made = 0
        self._physics: Physics | None = None

    # -- looking up ---------------------------------------------------------------------------

    def get(self, object_id: str) -> SceneObject | None:
        """Return the object with this id, None for none."""
        return self.objects.get(object_id)

    def component(self, component_id: str) -> ComponentSlot | None:
        """Return the component with this id, None for none."""
        return self._components.get(component_id)

    def find(self, name: str) -> SceneObject | None:
        """Return the first object with this name, or path if it has a slash; None for none."""
        return next(iter(self.find_all(name)), None)

    def find_all(self, name: str) -> list[SceneObject]:
        """Return all objects with this name or path."""
        if "/" in name:
            return [obj for obj in self.objects.values() if obj.is_alive and obj.path == name]
        return [obj for obj in self.objects.values() if obj.is_alive and obj.name == name]

    def components(self) -> list[ComponentSlot]:
        """Return all components, children before their parents, else in the scene's order."""
        found: list[ComponentSlot] = []
        stack: list[tuple[SceneObject, bool]] = [(root, False) for root in reversed(self.roots)]
        while stack:
            obj, is_open = stack.pop()
            if is_open:
                found.extend(obj.components)
            else:
                stack.append((obj, True))
                stack.extend((child, False) for child in reversed(obj.children))
        return found

    def new_id(self, prefix: str) -> str:
        """Return an unused id such as `obj_3f9a1c77de`.

        While the scene runs ids are deterministic, by order of creation: a component's random
        generator is seeded with its id.
        """
        while True:
            self._made += 1
            made = counted_id(self.id, prefix, self._made)
            if made not in self.objects and made not in self._components:
                return made

    def object_of_transform(self, slot: int) -> str | None:
        """Return the id of the object that owns a transform slot, None for none."""
        return self._by_slot.get(slot)

    # -- what is where ------------------------------------------------------------------------

    def ray_cast(
        self,
        origin: Sequence[float],
        direction: Sequence[float],
        *,
        distance: float = math.inf,
        ignore: SceneObject | Collection[SceneObject] = (),
        layers: str | Collection[str] | None = None,
        where: Filter | None = None,
    ) -> Hit | None:
        """Return the first hit of a ray; None if it hits nothing.

        Args:
            origin: world position, metres.
            direction: any non-zero vector.
            distance: length of the ray, metres.
            ignore: objects to skip with all their descendants, such as `self.object`.
            layers: names of `Layer` components; only objects in those are hit.
            where: predicate on an object; objects for which it is false are skipped.

        Raises:
            ValueError: a number is not finite, or the direction is zero.
        """
        wanted = wanted_of(ignore, layers, where)
        hits = self.space.ray(origin, direction, distance, wanted, is_first_enough=True)
        return hits[0] if hits else None

    def ray_cast_all(
        self,
        origin: Sequence[float],
        direction: Sequence[float],
        *,
        distance: float = math.inf,
        ignore: SceneObject | Collection[SceneObject] = (),
        layers: str | Collection[str] | None = None,
        where: Filter | None = None,
    ) -> list[Hit]:
        """Return the first hit of a ray on each object, nearest first; see `ray_cast`."""
        return self.space.ray(origin, direction, distance, wanted_of(ignore, layers, where))

    def ray_ways(
        self,
        origin: Sequence[float],
        directions: npt.ArrayLike,
        *,
        distance: float = math.inf,
        ignore: SceneObject | Collection[SceneObject] = (),
        layers: str | Collection[str] | None = None,
        where: Filter | None = None,
    ) -> npt.NDArray[np.float64]:
        """Return how far rays from one point are free, `[n]` metres; inf where nothing is hit.

        Each is the `distance` of what `ray_cast` returns for its direction, and all together take
        much less time.

        Args:
            origin: world position, metres.
            directions: non-zero vectors, `[n, 3]`.
            distance: length of the rays, metres.
            ignore: objects to skip with all their descendants.
            layers: names of `Layer` components; only objects in those are hit.
            where: predicate on an object; objects for which it is false are skipped.

        Raises:
            ValueError: a number is not finite, or a direction is zero.
        """
        wanted = wanted_of(ignore, layers, where)
        ways = np.asarray(directions, np.float64).reshape(-1, 3)
        return self.space.ways(origin, ways, distance, wanted)

    def overlap_sphere(
        self,
        center: Sequence[float],
        radius: float,
        *,
        ignore: SceneObject | Collection[SceneObject] = (),
        layers: str | Collection[str] | None = None,
        where: Filter | None = None,
    ) -> list[SceneObject]:
        """Return the objects that overlap a sphere; filters as for `ray_cast`."""
        return self.space.in_sphere(center, radius, wanted_of(ignore, layers, where))

    def overlap_box(
        self,
        center: Sequence[float],
        size: Sequence[float],
        *,
        rotation: Sequence[float] = (0.0, 0.0, 0.0),
        ignore: SceneObject | Collection[SceneObject] = (),
        layers: str | Collection[str] | None = None,
        where: Filter | None = None,
    ) -> list[SceneObject]:
        """Return the objects that overlap a box; `size` are its sides, metres."""
        return self.space.in_box(center, size, rotation, wanted_of(ignore, layers, where))

    # -- bodies, and what is seen --------------------------------------------------------------

    @property
    def physics(self) -> Physics:
        """The scene's physics simulation, created at the first access.

        Raises:
            GoishiError: the scene does not run, or this Panda3D has no Bullet.
        """
        if self._physics is None:
            if self.physics_maker is None:
                raise GoishiError("physics: expected a scene that runs, found one that does not")
            self._physics = self.physics_maker(self)
        return self._physics

    def step_physics(self, dt: float) -> None:
        """Simulate physics for `dt` seconds, if the scene has bodies."""
        if self._physics is not None:
            self._physics.step(dt)

    def motions(self) -> Motions:
        """Return how the bodies move now; of none where the scene has no physics."""
        return Motions() if self._physics is None else self._physics.motions()

    def put_motions(self, motions: Motions) -> None:
        """Restore the velocities and joints of bodies that are placed already."""
        if self._physics is not None:
            self._physics.put_motions(motions)

    def remember_joints(self) -> None:
        """Anchor the joints that begin now at the present places of their bodies."""
        if self._physics is not None:
            self._physics.remember_joints()

    def pick(self, click: Click) -> SceneObject | None:
        """Return the object that was clicked; None for the ground or without graphics."""
        found = self.picker(click.x, click.y) if self.picker is not None else None
        return None if found is None else self.objects.get(found)

    # -- changing -----------------------------------------------------------------------------

    def spawn(
        self,
        name: str,
        *,
        model: Mapping[str, object] | None = None,
        parent: SceneObject | None = None,
        position: Sequence[float] = (0.0, 0.0, 0.0),
        rotation: Sequence[float] = (0.0, 0.0, 0.0),
        scale: Sequence[float] = (1.0, 1.0, 1.0),
        material: Mapping[str, object] | None = None,
        components: Iterable[tuple[str, Mapping[str, object]]] = (),
        object_id: str = "",
    ) -> SceneObject:
        """Create an object.

        Raises:
            LimitError: the scene holds `max_objects` already.
            ValueError: the parent was destroyed, or a value is invalid.
        """
        if parent is not None:
            self._check_there(parent, "parent")
        if len(self.objects) >= self.settings.max_objects:
            raise LimitError(
                f"scene: expected at most {self.settings.max_objects} objects "
                f"(setting max_objects), found one more: {name!r}"
            )
        obj = SceneObject(self, object_id or self.new_id("obj"), name, parent)
        try:
            obj.transform.position = position
            obj.transform.rotation = rotation
            obj.transform.scale = scale
        except ValueError:
            self.transforms.release(obj.transform.slot)
            raise
        siblings = self.roots if parent is None else parent.children
        obj.order = siblings[-1].order + 1 if siblings else 0.0
        siblings.append(obj)
        self.objects[obj.id] = obj
        self._by_slot[obj.transform.slot] = obj.id
        obj.model = model
        obj.material = material or {}
        self._changes.created.add(obj.id)
        self.structure_revision += 1
        for type_name, values in components:
            self.attach(obj, type_name, values)
        return obj

    def attach(
        self,
        obj: SceneObject,
        type_name: str,
        values: Mapping[str, object] | None = None,
        component_id: str = "",
    ) -> ComponentSlot:
        """Add a component to an object.

        Raises:
            ValueError: the object was destroyed.
        """
        self._check_there(obj, "component")
        slot = ComponentSlot(obj, component_id or self.new_id("cmp"), type_name, dict(values or {}))
        obj.components.append(slot)
        self._components[slot.id] = slot
        self.structure_revision += 1
        self.space.changed(obj.id)
        if self.host is not None:
            self.host.attach(slot)
        return slot

    def instantiate(
        self,
        path: str,
        *,
        parent: SceneObject | None = None,
        position: Sequence[float] | None = None,
        name: str | None = None,
    ) -> SceneObject:
        """Create an instance of a prefab: `self.scene.instantiate("assets/lamp.prefab.json")`.

        A robot's file (URDF, MJCF) becomes an object with its links below it.

        Raises:
            SceneFileError: there is no such prefab in the project, or it is invalid.
            LimitError: the scene holds `max_objects` already.
        """
        make = instantiate_robot if is_robot(str(path)) else instantiate
        return make(self, path, parent=parent, position=position, name=name)

    def clone(
        self,
        obj: SceneObject,
        *,
        name: str | None = None,
        parent: SceneObject | None = None,
        position: Sequence[float] | None = None,
    ) -> SceneObject:
        """Copy an object with all its descendants; the copies' scripts start anew.

        Fields keep their present values; references inside the copy point into the copy.

        Args:
            obj: the object to copy.
            name: None keeps its name.
            parent: parent of the copy; None for that of `obj`.
            position: in the parent's space, metres; None for that of `obj`.

        Raises:
            LimitError: the scene holds `max_objects` already.
            ValueError: the object was destroyed.
        """
        return copy_below(self, obj, name=name, parent=parent, position=position)

    def destroy(self, obj: SceneObject) -> None:
        """Mark an object for destruction, with all its descendants, at the next flush.

        Raises:
            TypeError: it is not an object of a scene.
        """
        if not isinstance(obj, SceneObject):
            raise TypeError(f"destroy: expected an object of the scene, found {obj!r:.60}")
        if obj.is_alive:
            for item in obj.subtree():
                item.end()
                self.space.changed(item.id)
            self._doomed.append(obj)

    def flush(self) -> None:
        """Remove the objects marked by `destroy`, children first; scripts' hooks run before."""
        while self._doomed:
            obj = self._doomed.pop(0)
            for item in reversed(obj.subtree()):
                for slot in list(item.components):
                    self._let_go(slot)
            for item in reversed(obj.subtree()):  # with what their last hooks hung below them
                self._remove(item)
            siblings = self.roots if obj.parent is None else obj.parent.children
            if obj in siblings:
                siblings.remove(obj)

    def clear(self) -> None:
        """Remove all objects at once and restart the counter of generated ids."""
        while self.roots:
            for obj in list(self.roots):
                self.destroy(obj)
            self.flush()
        self._made = 0

    def detach(self, slot: ComponentSlot) -> None:
        """Remove a component from its object at once; does nothing if it was removed before."""
        self._let_go(slot)
        if slot not in slot.object.components:
            return
        slot.object.components.remove(slot)
        self.structure_revision += 1
        self.space.changed(slot.object.id)

    def set_parent(
        self,
        obj: SceneObject,
        parent: SceneObject | None,
        index: int | None = None,
        *,
        keep_world: bool = False,
    ) -> None:
        """Move an object below another parent, keeping its local transform.

        Args:
            obj: the object to move.
            parent: None makes it a root.
            index: index among its new siblings; None appends.
            keep_world: keep its world transform instead; approximate below a parent that is
                rotated and scaled unevenly.

        Raises:
            ValueError: the new parent lies below the object, or one of both was destroyed.
        """
        for item in (obj, obj if parent is None else parent):
            self._check_there(item, "parent", is_staying=True)
        before = obj.transform.world_matrix if keep_world else None
        if parent is not None and parent in obj.subtree():
            raise ValueError(f"parent: expected an object outside {obj.path}, got {parent.path}")
        (self.roots if obj.parent is None else obj.parent.children).remove(obj)
        obj.hang_below(parent)
        siblings = self.roots if parent is None else parent.children
        siblings.insert(len(siblings) if index is None else index, obj)
        above = parent.transform.slot if parent is not None else -1
        self.transforms.set_parent(obj.transform.slot, above)
        if before is not None:
            obj.transform.place(before)
        self.structure_revision += 1
        self.activity_changed(obj)
        obj.touch_subtree()

    def run_with(self, host: ComponentHost) -> None:
        """Set the script host that runs the scene's scripts."""
        self.host = host

    def show_with(self, painter: Painter, picker: Callable[[float, float], str | None]) -> None:
        """Set the painter of canvases, and the function that finds the object id at a pixel."""
        self.painter = painter
        self.picker = picker

    # -- telling ------------------------------------------------------------------------------

    def structure_changed(self) -> None:
        """Report that objects or components were added, removed or replaced."""
        self.structure_revision += 1

    def visual_changed(self, obj: SceneObject) -> None:
        """Report that an object's look changed."""
        self._changes.visual.add(obj.id)
        self.space.changed(obj.id)
        if self.journal is not None:
            self.journal.add(obj)

    def texture_painted(self, obj: SceneObject) -> None:
        """Report that only the pixels of an object's texture changed."""
        self._changes.painted.add(obj.id)

    def points_changed(self, obj: SceneObject) -> None:
        """Report that only an object's point cloud changed."""
        self._changes.pointed.add(obj.id)

    def activity_changed(self, obj: SceneObject) -> None:
        """Notify the host of all components whose activity may have changed."""
        if self.host is not None and not self._is_quiet:
            for item in obj.subtree():
                for slot in item.components:
                    self.host.activity_changed(slot)

    @contextlib.contextmanager
    def quiet(self) -> Iterator[None]:
        """Notify no script of objects that the block enables, disables or moves in the tree.

        The caller must undo all of it afterwards.
        """
        self._is_quiet = True
        try:
            yield
        finally:
            self._is_quiet = False

    def drain_changes(self) -> SceneChanges:
        """Return the changes since the last call."""
        changes, self._changes = self._changes, SceneChanges()
        return changes

    def load_document(self, document: SceneDocument) -> None:
        """Build the objects of a checked document, parents before children."""
        self.id = document.id
        self.settings = document.settings
        self.project = document.project
        self.extra, self.extra_settings = document.unknown_keys()
        self.authored_settings = dict(document.data.get("settings", {}))
        self.has_settings = "settings" in document.data
        self.authored_order = tuple(document.data["objects"])
        build(document, self)

    def _check_there(self, obj: SceneObject, key: str, *, is_staying: bool = False) -> None:
        """Refuse an object that is gone, and where asked one that goes at the next flush.

        Raises:
            ValueError: it is.
        """
        if self.objects.get(obj.id) is not obj or (is_staying and not obj.is_alive):
            raise ValueError(
                f"{key}: expected an object of the scene, found {obj.path}, which was destroyed"
            )

    def _remove(self, obj: SceneObject) -> None:
        for slot in list(obj.components):
            self._let_go(slot)
        obj.end()
        self.objects.pop(obj.id, None)
        self.space.changed(obj.id)
        self._by_slot.pop(obj.transform.slot, None)
        obj.transform.leave()
        self._changes.remove(obj.id)
        self.structure_revision += 1

    def _let_go(self, slot: ComponentSlot) -> None:
        if slot.state is SlotState.DESTROYED:
            return
        if self.host is not None:
            self.host.detach(slot)
        slot.end()
        self._components.pop(slot.id, None)
