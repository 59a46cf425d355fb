"""What can be read of a scene's objects: of the scene itself, or of what a snapshot keeps of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from base.errors import FieldError, GoneError, UsageError
from base.spelling import hint_of, near_names
from base.values import JsonObject
from sim.core.geometry.transform import Transform

PLACES: Final = ("position", "rotation", "scale", "world_position", "world_rotation")
SWITCHES: Final = ("name", "visible", "enabled")
LOOKS: Final = ("model", "material")
MOST_READS: Final = 100_000
"""Greatest number of values that a program reads, or sets, at once."""
LINES: Final = 100
"""Number of lines of the console that are read by default."""
OBJECT, COMPONENT = "o", "c"
"""Letters for what the values of a batch belong to."""


class ReadableSlot(Protocol):
    """A component, as far as its fields do not matter."""

    @property
    def id(self) -> str:
        """Id of the component."""

    @property
    def class_name(self) -> str:
        """Name of its class."""

    def is_called(self, name: str) -> bool:
        """Return whether a name means this component."""


class ReadableObject(Protocol):
    """An object, as far as programs can read it."""

    @property
    def id(self) -> str:
        """Id of the object."""

    @property
    def name(self) -> str:
        """Name of the object."""

    @property
    def path(self) -> str:
        """Names from the root down to the object, joined by slashes."""

    @property
    def is_alive(self) -> bool:
        """Whether the object was not destroyed."""

    @property
    def visible(self) -> bool:
        """Whether it is shown."""

    @property
    def enabled(self) -> bool:
        """Whether its scripts run."""

    @property
    def model(self) -> JsonObject | None:
        """Its model."""

    @property
    def material(self) -> JsonObject:
        """Its material."""

    @property
    def transform(self) -> Transform:
        """Where it is."""

    @property
    def parent(self) -> ReadableObject | None:
        """Its parent."""

    @property
    def children(self) -> Sequence[ReadableObject]:
        """Its children."""

    @property
    def components(self) -> Sequence[ReadableSlot]:
        """Its components."""


class ReadableScene(Protocol):
    """A scene, or what a snapshot keeps of it."""

    @property
    def objects(self) -> Mapping[str, ReadableObject]:
        """All objects by id."""

    def get(self, object_id: str) -> ReadableObject | None:
        """Return the object with an id."""

    def find_all(self, name: str) -> Sequence[ReadableObject]:
        """Return the objects with a name or path."""

    def components(self) -> Sequence[ReadableSlot]:
        """Return all components."""


class ObjectReads:
    """Reads the objects of a scene.

    Args:
        scene: the scene, or what a snapshot keeps of it.
    """

    def __init__(self, scene: ReadableScene) -> None:
        self._scene = scene

    def find(self, name: str) -> str:
        """Return the id of the first object with a name or path.

        Raises:
            GoneError: there is no such object.
        """
        for obj in self._scene.find_all(name):
            return obj.id
        names = dict.fromkeys(obj.name for obj in self._scene.objects.values())
        hint = hint_of(near_names(names, name), name)
        raise GoneError(
            f"find: expected an object of the scene, found none called {name!r:.80}{hint}"
        )

    def objects(self, name: str, parent: str) -> list[str]:
        """Return ids of objects: all, those with a name, or the children of an object.

        Args:
            name: name or path; empty for all objects. Ignored if there is a `parent`.
            parent: id of the object whose children are returned; empty for none.

        Raises:
            GoneError: `parent` is not in the scene.
        """
        if parent:
            return [child.id for child in self.object(parent).children]
        found = self._scene.find_all(name) if name else self._scene.objects.values()
        return [obj.id for obj in found if obj.is_alive]

    def property(self, object_id: str, key: str) -> object:
        """Return a property of an object.

        Args:
            object_id: the object's id.
            key: name of the property.

        Raises:
            GoneError: the object is not in the scene.
            UsageError: the key is unknown.
        """
        obj = self.object(object_id)
        if key in PLACES:
            return np.array(getattr(obj.transform, key), dtype=np.float64)
        if key in SWITCHES or key in LOOKS:
            return getattr(obj, key)
        if key == "path":
            return obj.path
        if key == "parent":
            return None if obj.parent is None else obj.parent.id
        if key == "components":
            return [slot.class_name for slot in obj.components]
        known = (*PLACES, *SWITCHES, *LOOKS, "path", "parent", "components")
        raise UsageError(f"object: expected {', '.join(known)}, found {key!r:.80}")

    def component(self, name: str, object_id: str) -> str:
        """Return the id of the first component of a class.

        Args:
            name: the component's class name, type name or id.
            object_id: id of the object to search; empty for the whole scene.

        Raises:
            GoneError: there is no such component or object.
        """
        owner = self.object(object_id) if object_id else None
        slots = self._scene.components() if owner is None else owner.components
        for slot in slots:
            if slot.is_called(name):
                return slot.id
        where = "scene" if owner is None else f"object {owner.name}"
        names = sorted({slot.class_name for slot in slots})
        found = f"{', '.join(names) or 'none':.500}{hint_of(near_names(names, name), name)}"
        raise GoneError(f"{where}: expected a component {name:.80}, found {found}")

    def object(self, object_id: str) -> ReadableObject:
        """Return the object with an id.

        Raises:
            GoneError: it is not in the scene.
        """
        found = self._scene.get(object_id)
        if found is None or not found.is_alive:
            raise GoneError(f"object {object_id:.80}: expected it in the scene, found it gone")
        return found


class BatchReads(Protocol):
    """Where the values of a batch are read."""

    def places(self, key: str, ids: Sequence[str]) -> npt.NDArray[np.float64]:
        """Return a property such as "position" of n objects, `[n, 3]`."""

    def read_object(self, id: str, key: str) -> object:
        """Return another property of an object."""

    def read_field(self, component: str, name: str) -> object:
        """Return a field of a component."""


def read_batch(
    kinds: str, ids: Sequence[str], keys: Sequence[str], reads: BatchReads
) -> dict[str, object]:
    """Read several values.

    Args:
        kinds: a letter for each value: `OBJECT` or `COMPONENT`.
        ids: the id of each object or component.
        keys: the name of each property or field.
        reads: where they are read.

    Returns:
        A dict: "values" has one value each; "rows" maps a key such as "position" to the indices of
        its values and these as an array `[n, 3]`, with None in their places in "values".

    Raises:
        GoishiError: one of them cannot be read.
    """
    values: list[object] = []
    rows: dict[str, list[int]] = {}
    for index, (kind, item, key) in enumerate(zip(kinds, ids, keys, strict=True)):
        if kind == COMPONENT:
            values.append(reads.read_field(item, key))
        elif key in PLACES:
            rows.setdefault(key, []).append(index)
            values.append(None)
        else:
            values.append(reads.read_object(item, key))
    found = {
        key: [indices, reads.places(key, [ids[index] for index in indices])]
        for key, indices in rows.items()
    }
    return {"values": values, "rows": found}


def check_batch(name: str, kinds: str, *columns: Sequence[object]) -> None:
    """Check what a program sends as the columns of a batch.

    Args:
        name: name of the call, for the error message.
        kinds: a letter for each value.
        columns: ids and keys, texts; all as long as `kinds`.

    Raises:
        FieldError: they do not fit.
    """
    if not set(kinds) <= {OBJECT, COMPONENT}:
        expected = f"letters {OBJECT} and {COMPONENT}"
        raise FieldError(f"{name}.kinds", expected=expected, found=f"{kinds!r:.80}")
    if len(kinds) > MOST_READS:
        expected = f"at most {MOST_READS} values"
        raise FieldError(name, expected=expected, found=str(len(kinds)))
    for column in columns:
        if len(column) != len(kinds) or not all(type(item) is str for item in column):
            expected = f"a list of {len(kinds)} texts"
            raise FieldError(name, expected=expected, found=" ".join(repr(column).split())[:80])
