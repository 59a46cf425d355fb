"""Snapshots: what programs can read of a scene, as it was at the end of a frame.

A snapshot does not change any more, so that other threads answer from it while the next frame runs.
The tree of objects is kept as columns and is shared by the snapshots between two changes of it. The
values of fields, and others that are not kept of every object, are those that the publisher chose.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from base.errors import GoneError
from base.values import JsonObject
from sim.core.geometry.transform import Transform, TransformStore
from sim.remote.reads import LINES, LOOKS, ObjectReads, check_batch, read_batch

if TYPE_CHECKING:
    from sim.core.scene.scene import Scene

Key: TypeAlias = tuple[str, str, str]
"""What a kept value is of: the name of a call, and two of its arguments as texts."""
ROOT: Final = -1
WHOLE_ROWS: Final = {"position": "positions", "rotation": "rotations", "scale": "scales"}
"""Arrays of a `TransformStore` that hold a property of every object."""


class NotPublishedError(Exception):
    """The snapshot does not hold what was asked for; the main thread has to answer."""


class SlotRow(NamedTuple):
    """What a snapshot keeps of a component: its id, its type name and its class name."""

    id: str
    type_name: str
    class_name: str

    def is_called(self, name: str) -> bool:
        """Return whether a name means this component; its former names are not known here."""
        return name in self


@dataclass(frozen=True, eq=False)
class Structure:
    """The tree of objects and components of a scene, in columns.

    Attributes:
        revision: the scene's `structure_revision` at which it was read.
        ids: ids of the objects.
        rows: index of each object, by id.
        parents: index of each object's parent, `ROOT` for none.
        children: indices of each object's children.
        slots: `[n]` index of each object in the `TransformStore`.
        components: the components of each object.
        in_order: all components, in the scene's order.
    """

    revision: int
    ids: tuple[str, ...]
    rows: Mapping[str, int]
    parents: tuple[int, ...]
    children: tuple[tuple[int, ...], ...]
    slots: npt.NDArray[np.int64]
    components: tuple[tuple[SlotRow, ...], ...]
    in_order: tuple[SlotRow, ...]


def read_structure(scene: Scene) -> Structure:
    """Read the tree of a scene."""
    objects = list(scene.objects.values())
    rows = {obj.id: index for index, obj in enumerate(objects)}
    above = [ROOT if obj.parent is None else rows.get(obj.parent.id, ROOT) for obj in objects]
    return Structure(
        scene.structure_revision,
        tuple(rows),
        rows,
        tuple(above),
        tuple(
            tuple(rows[child.id] for child in obj.children if child.id in rows) for obj in objects
        ),
        np.array([obj.transform.slot for obj in objects], dtype=np.int64),
        tuple(
            tuple(SlotRow(slot.id, slot.type_name, slot.class_name) for slot in obj.components)
            for obj in objects
        ),
        tuple(SlotRow(slot.id, slot.type_name, slot.class_name) for slot in scene.components()),
    )


class ObjectRow:
    """An object as a snapshot keeps it.

    Args:
        scene: what the snapshot keeps of all objects.
        index: the object's index in the columns.
    """

    __slots__ = ("_index", "_scene")

    def __init__(self, scene: FrozenScene, index: int) -> None:
        self._scene, self._index = scene, index

    @property
    def id(self) -> str:
        """Id of the object."""
        return self._scene.structure.ids[self._index]

    @property
    def name(self) -> str:
        """Name of the object."""
        return self._scene.names[self._index]

    @property
    def path(self) -> str:
        """Names from the root down to the object, joined by slashes."""
        above = self.parent
        return self.name if above is None else f"{above.path}/{self.name}"

    @property
    def is_alive(self) -> bool:
        """Whether the object was not destroyed."""
        return self._scene.alive[self._index]

    @property
    def visible(self) -> bool:
        """Whether it is shown."""
        return self._scene.visible[self._index]

    @property
    def enabled(self) -> bool:
        """Whether its scripts run."""
        return self._scene.enabled[self._index]

    @property
    def model(self) -> JsonObject | None:
        """Its model; snapshots keep it as a value."""
        raise NotPublishedError

    @property
    def material(self) -> JsonObject:
        """Its material; snapshots keep it as a value."""
        raise NotPublishedError

    @property
    def transform(self) -> Transform:
        """Where it is."""
        scene = self._scene
        return Transform(scene.transforms, int(scene.structure.slots[self._index]))

    @property
    def parent(self) -> ObjectRow | None:
        """Its parent."""
        above = self._scene.structure.parents[self._index]
        return None if above == ROOT else ObjectRow(self._scene, above)

    @property
    def children(self) -> Sequence[ObjectRow]:
        """Its children."""
        found = self._scene.structure.children[self._index]
        return [ObjectRow(self._scene, index) for index in found]

    @property
    def components(self) -> Sequence[SlotRow]:
        """Its components."""
        return self._scene.structure.components[self._index]


@dataclass(frozen=True, eq=False)
class FrozenScene:
    """What a snapshot keeps of every object; a `ReadableScene`.

    Attributes:
        structure: the tree of objects.
        names: name of each object.
        visible: whether each object is shown.
        enabled: whether the scripts of each object run.
        alive: whether each object was not destroyed.
        transforms: where the objects are.
    """

    structure: Structure
    names: tuple[str, ...]
    visible: tuple[bool, ...]
    enabled: tuple[bool, ...]
    alive: tuple[bool, ...]
    transforms: TransformStore

    def get(self, object_id: str) -> ObjectRow | None:
        """Return the object with an id; None if there is none."""
        index = self.structure.rows.get(object_id)
        return None if index is None else ObjectRow(self, index)

    def find_all(self, name: str) -> list[ObjectRow]:
        """Return the objects with a name, or with a path if the name contains a slash."""
        last = name.rpartition("/")[2]
        found = [ObjectRow(self, index) for index, own in enumerate(self.names) if own == last]
        return [obj for obj in found if obj.is_alive and ("/" not in name or obj.path == name)]

    @property
    def objects(self) -> Mapping[str, ObjectRow]:
        """All objects by id."""
        return {item: ObjectRow(self, index) for index, item in enumerate(self.structure.ids)}

    def components(self) -> Sequence[SlotRow]:
        """Return all components, in the scene's order."""
        return self.structure.in_order


def freeze(scene: Scene, known: Structure | None) -> FrozenScene:
    """Copy what snapshots keep of every object.

    Args:
        scene: the scene, on the main thread.
        known: the tree of objects as it was read last; None for never.
    """
    fits = known is not None and known.revision == scene.structure_revision
    structure = known if known is not None and fits else read_structure(scene)
    objects = scene.objects.values()
    return FrozenScene(
        structure,
        tuple([obj.name for obj in objects]),
        tuple([obj.visible for obj in objects]),
        tuple([obj.enabled for obj in objects]),
        tuple([obj.is_alive for obj in objects]),
        scene.transforms.frozen(),
    )


@dataclass(frozen=True, eq=False)
class Snapshot:
    """What programs can read of a scene at the end of a frame; its methods are those of `Calls`.

    Attributes:
        frame: number of the frame.
        scene: what is kept of every object.
        facts: the results of the calls without arguments.
        values: other values, or the errors that reading them raised.
    """

    frame: int
    scene: FrozenScene
    facts: Mapping[str, object]
    values: Mapping[Key, object]

    def about(self) -> object:
        """Return facts about the scene."""
        return self.facts["about"]

    def time(self) -> object:
        """Return the state of the scene's clock."""
        return self.facts["time"]

    def find(self, name: str) -> object:
        """Return the id of the first object with a name or path."""
        return ObjectReads(self.scene).find(name)

    def objects(self, name: str = "", parent: str = "") -> object:
        """Return ids of objects."""
        return ObjectReads(self.scene).objects(name, parent)

    def read_object(self, id: str, key: str) -> object:
        """Return a property of an object."""
        if key in LOOKS:
            return self.value(("read_object", id, key))
        return ObjectReads(self.scene).property(id, key)

    def component(self, name: str, id: str = "") -> object:
        """Return the id of the first component of a class."""
        try:
            return ObjectReads(self.scene).component(name, id)
        except GoneError:  # it may be called so by a former name, which the main thread knows
            raise NotPublishedError from None

    def fields(self, component: str) -> object:
        """Return the names of a component's fields."""
        return self.value(("fields", component, ""))

    def read_field(self, component: str, name: str) -> object:
        """Return a field of a component."""
        return self.value(("read_field", component, name))

    def read_many(self, kinds: str, ids: Sequence[str], keys: Sequence[str]) -> object:
        """Return several values."""
        check_batch("read", kinds, ids, keys)
        return read_batch(kinds, ids, keys, self)

    def metrics(self) -> object:
        """Return the names of the metrics."""
        return self.value(("metrics", "", ""))

    def metric(self, name: str) -> object:
        """Return the steps and values of a metric."""
        return self.value(("metric", name, ""))

    def console(self, last: int = LINES) -> object:
        """Return the last lines of the console."""
        return self.value(("console", str(last), ""))

    def places(self, key: str, ids: Sequence[str]) -> npt.NDArray[np.float64]:
        """Return a property such as "position" of n objects, `[n, 3]`."""
        scene, rows = self.scene, self.scene.structure.rows
        array = WHOLE_ROWS.get(key)
        indices = [rows.get(item, ROOT) for item in ids]
        if array is None or ROOT in indices or not all(scene.alive[index] for index in indices):
            reads = ObjectReads(scene)
            return np.array([reads.property(item, key) for item in ids])
        found: npt.NDArray[np.float64] = getattr(scene.transforms, array)
        return found[scene.structure.slots[indices]]

    def value(self, key: Key) -> object:
        """Return a value that was chosen.

        Raises:
            NotPublishedError: it was not.
            GoishiError: what reading it raised.
        """
        try:
            found = self.values[key]
        except KeyError:
            raise NotPublishedError from None
        if isinstance(found, Exception):
            raise found
        return found
