"""`SceneObject`, and the slots that hold its components."""

from __future__ import annotations

import enum
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from base.errors import FieldError
from base.values import JsonObject
from sim.core.canvas.canvas import Canvas, Picture
from sim.core.geometry.transform import Transform
from sim.core.scene.fields import Field, collect_fields
from sim.core.scene.host import Runtime
from sim.core.scene.observed import ObservedDict

if TYPE_CHECKING:
    from sim.core.assets.animation.animation import Animation
    from sim.core.reporting.console import ConsoleRecord
    from sim.core.scene.host import Component, ComponentHost
    from sim.core.scene.object_state import ObjectState
    from sim.core.scene.scene import Scene
    from sim.core.scene.spatial_index import Bounds


LONGEST_NAME = 200
ObjectTexture = str | Canvas | Picture | None  # a file, what is painted, `[h, w, 3 or 4]`


def checked_name(name: object) -> str:
    """Check an object's name and return it.

    Raises:
        ValueError: it is no text, is empty or too long, or cannot be written.
    """
    text = name if isinstance(name, str) else ""
    if not 0 < len(text) <= LONGEST_NAME or any("\ud800" <= item <= "\udfff" for item in text):
        raise ValueError(
            f"name: expected a text of 1 to {LONGEST_NAME} characters, found {name!r:.80}"
        )
    return str(text)


def checked_texture(path: str, value: object) -> ObjectTexture:
    """Check a texture of the object at `path` and return its stored form; the file need not exist.

    Raises:
        ValueError: it is neither a path, a canvas nor a picture's array `[h, w, 3 or 4]` uint8.
    """
    if isinstance(value, Mapping) and set(value) == {"asset"}:
        value = value["asset"]
    if value is None or isinstance(value, str | Canvas):
        return value
    array: Picture = value if isinstance(value, np.ndarray) else np.empty(0, np.uint8)
    is_picture = array.ndim == 3 and array.shape[2] in (3, 4) and array.size > 0
    if not is_picture or array.dtype != np.uint8:
        found = f"{list(array.shape)} of {array.dtype}" if array is value else repr(value)[:80]
        raise ValueError(
            f"{path}: texture: expected a path, a canvas or an array [h, w, 3 or 4] of uint8, "
            f"found {found}"
        )
    return array


def has_same_shape(first: object, second: object) -> bool:
    """Return whether both textures are arrays of one shape."""
    return (
        isinstance(first, np.ndarray)
        and isinstance(second, np.ndarray)
        and first.shape == second.shape
    )


def checked_points(path: str, value: npt.ArrayLike) -> npt.NDArray[np.float32]:
    """Check a point cloud of the object at `path` and return it as float32 `[n, 3]`.

    Raises:
        ValueError: they have another shape or are no numbers.
    """
    array = np.asarray(value)
    if array.ndim != 2 or array.shape[1] != 3 or array.dtype.kind not in "fiu":
        raise _wrong_array(path, "points", "numbers [n, 3]", array)
    return np.ascontiguousarray(array, dtype=np.float32)


def checked_point_colors(path: str, value: npt.ArrayLike) -> Picture:
    """Check colours of the points of the object at `path`: uint8 `[n, 3]` or `[n, 4]`.

    Raises:
        ValueError: they have another shape or type.
    """
    array = np.asarray(value)
    if array.ndim != 2 or array.shape[1] not in (3, 4) or array.dtype != np.uint8:
        raise _wrong_array(path, "point_colors", "uint8 [n, 3] or [n, 4]", array)
    return array


def _wrong_array(path: str, name: str, expected: str, found: npt.NDArray[np.generic]) -> ValueError:
    shape = ", ".join(map(str, found.shape))
    return ValueError(f"{path}: {name}: expected {expected}, found {found.dtype} [{shape}]")


class SlotState(enum.Enum):
    """Life-cycle state of a component."""

    PENDING = "pending"
    """attached, its `start` has not run yet"""
    READY = "ready"
    QUARANTINED = "quarantined"
    """its script raised; no hook is called until it is retried"""
    PLACEHOLDER = "placeholder"
    """its script cannot be loaded; id, type and fields are kept"""
    DESTROYED = "destroyed"


class ComponentSlot:
    """Slot of one component of an object; it outlives the script.

    Attributes:
        values: raw field values as in the scene file, unknown ones included.
        parsed: the values already parsed, by field name.
        instance: the script, None while it cannot be loaded.
        error: the console record of what went wrong last.
        runtime: what the script host keeps about the component.
        revision: increases with each change of a field.
        recorded_changes: how many of these were numbers put into `recorded` fields, which change
            as the scene runs.
    """

    __slots__ = (
        "error", "extra", "id", "instance", "is_enabled", "object", "parsed", "prefab_id",
        "recorded_changes", "revision", "runtime", "stands_for", "state", "type_name", "values",
    )  # fmt: skip

    def __init__(
        self, obj: SceneObject, slot_id: str, type_name: str, values: JsonObject | None = None
    ) -> None:
        self.id = slot_id
        self.type_name = type_name
        self.object = obj
        self.values: JsonObject = dict(values or {})
        self.extra: JsonObject = {}
        self.prefab_id = ""  # of this component in its object's prefab
        self.stands_for = ""  # the prefab's component that this one, of the scene, replaces
        self.parsed: dict[str, object] = {}
        self.instance: Component | None = None
        self.state = SlotState.PENDING
        self.error: ConsoleRecord | None = None
        self.is_enabled = True
        self.revision = 0
        self.recorded_changes = 0
        self.runtime = Runtime()

    @property
    def host(self) -> ComponentHost:
        """The script host of the scene.

        Raises:
            LookupError: the scene has no script host.
        """
        host = self.object.scene.host
        if host is None:
            raise LookupError(f"{self.class_name}: expected a scene that runs, found one at rest")
        return host

    @property
    def class_name(self) -> str:
        """The class name: the part of the type after the colon."""
        return self.type_name.rpartition(":")[2]

    def is_called(self, name: str) -> bool:
        """Whether `name` is its id, its type or its class, former names of the class included."""
        module = sys.modules.get(type(self.instance).__module__)
        return name in (self.id, self.type_name, self.class_name) or (
            self.instance is not None and getattr(module, name, None) is type(self.instance)
        )

    @property
    def is_active(self) -> bool:
        """Whether the component, its object and all ancestors are enabled."""
        return self.is_enabled and self.object.is_active

    @property
    def enabled(self) -> bool:
        """Whether the component is enabled."""
        return self.is_enabled

    @enabled.setter
    def enabled(self, value: bool) -> None:
        if value != self.is_enabled:
            self.is_enabled = value
            self.object.scene.activity_changed(self.object)

    def begin(self) -> None:
        """Store the script host's own data about this component."""
        self.runtime = Runtime()

    def load(self, instance: Component) -> None:
        """Store the script instance."""
        self.instance = instance
        self.resume(SlotState.PENDING)

    def replace_values(self, values: JsonObject) -> None:
        """Replace the raw values of all fields."""
        self.values = values
        self.parsed.clear()

    def resume(self, state: SlotState) -> None:
        """Set the state after a successful retry, and clear the error."""
        self.state = state
        self.error = None

    def fail(self, error: ConsoleRecord) -> None:
        """Quarantine the component with an error; no hook is called until it is retried."""
        self.error = error
        if self.state is not SlotState.DESTROYED:
            self.state = SlotState.QUARANTINED

    def hold_place(self) -> None:
        """Mark the script as not loadable; id, type and fields are kept."""
        self.state = SlotState.PLACEHOLDER

    def end(self) -> None:
        """Mark the component as destroyed."""
        self.state = SlotState.DESTROYED

    def set_value(self, name: str, raw: object) -> None:
        """Store a raw field value without checking it."""
        self.values[name] = raw
        self.parsed.pop(name, None)
        self.revision += 1

    def show_value(self, name: str, raw: object, parsed: object, *, absent: object) -> None:
        """Set a field's raw and parsed value without notifying anybody; `absent` removes them."""
        for items, value in ((self.values, raw), (self.parsed, parsed)):
            if value is absent:
                items.pop(name, None)
            else:
                items[name] = value

    def resolve_reference(self, target_id: str) -> Component | SceneObject | None:
        """Return the script or object with this id, None if it is gone or quarantined."""
        scene = self.object.scene
        if target_id.startswith("cmp_"):
            slot = scene.component(target_id)
            return slot.instance if slot is not None else None
        return scene.get(target_id)


class SceneObject:
    """An object of the scene: name, transform, optional model, and components."""

    def __init__(self, scene: Scene, object_id: str, name: str, parent: SceneObject | None) -> None:
        self.scene = scene
        self.id = object_id
        self._name = checked_name(name)
        self._parent = parent
        self.children: list[SceneObject] = []
        self.order = 0.0
        self.components: list[ComponentSlot] = []
        self.extra: JsonObject = {}
        self.authored: JsonObject | None = None  # its entry in the scene file
        self.loaded: ObjectState | None = None  # what it was like once loaded from there
        self.is_alive = True
        self.casts_shadow = True
        self._is_mark = False
        self._enabled = True
        self._visible = True
        self._model: ObservedDict | None = None
        self._material = ObservedDict(self, {})
        self._texture: ObjectTexture = None
        self._points: npt.NDArray[np.float32] | None = None
        self._point_colors: Picture | None = None
        above = parent.transform.slot if parent is not None else -1
        self.transform: Transform = Transform(scene.transforms, scene.transforms.allocate(above))

    @property
    def parent(self) -> SceneObject | None:
        """The parent object; assign to move it, keeping the local transform."""
        return self._parent

    @parent.setter
    def parent(self, value: SceneObject | None) -> None:
        self.scene.set_parent(self, value)

    def hang_below(self, parent: SceneObject | None) -> None:
        """Set the parent reference; called by `Scene.set_parent` only."""
        self._parent = parent

    def __repr__(self) -> str:
        return f"<SceneObject {self.path} {self.id}>"

    @property
    def name(self) -> str:
        """The object's name, 1 to 200 characters; need not be unique.

        Raises:
            ValueError: the assigned name is no such text.
        """
        return self._name

    @name.setter
    def name(self, value: str) -> None:
        self._name = checked_name(value)

    @property
    def path(self) -> str:
        """The names from the root down to the object, joined by slashes."""
        return "/".join(item.name for item in reversed(self._chain()))

    @property
    def is_active(self) -> bool:
        """Whether the object and all its ancestors are enabled."""
        item: SceneObject | None = self
        while item is not None:
            if not item._enabled:
                return False
            item = item._parent
        return True

    @property
    def is_shown(self) -> bool:
        """Whether the object and all its ancestors are visible and enabled."""
        return all(item._enabled and item._visible for item in self._chain())

    @property
    def is_mark(self) -> bool:
        """Whether it is only drawn, as a hint for whoever looks: rays and overlaps miss it."""
        return self._is_mark

    @is_mark.setter
    def is_mark(self, value: bool) -> None:
        self._is_mark = value
        self.scene.visual_changed(self)

    @property
    def enabled(self) -> bool:
        """Whether the object is enabled: its scripts run and it is drawn."""
        return self._enabled

    @enabled.setter
    def enabled(self, value: bool) -> None:
        if value != self._enabled:
            self._enabled = value
            self.touch_subtree()  # first: its components ask for shapes
            self.scene.activity_changed(self)

    @property
    def visible(self) -> bool:
        """Whether the object is drawn."""
        return self._visible

    @visible.setter
    def visible(self, value: bool) -> None:
        if value != self._visible:
            self._visible = value
            self.touch_subtree()

    @property
    def model(self) -> JsonObject | None:
        """The model: `{"builtin": name, …}` or `{"asset": path}`; items can be assigned, too."""
        return self._model

    @model.setter
    def model(self, value: Mapping[str, object] | None) -> None:
        if value is not None and not isinstance(value, Mapping):
            raise ValueError(
                f'{self.path}: model: expected {{"builtin": name, …}}, {{"asset": path}} or None, '
                f"found {value!r:.80}"
            )
        self._model = None if value is None else ObservedDict(self, value)
        self.scene.visual_changed(self)

    @property
    def material(self) -> JsonObject:
        """`color`, `roughness`, `emission`, `opacity`, `unlit`, `layer`; also item by item."""
        return self._material

    @material.setter
    def material(self, value: Mapping[str, object]) -> None:
        if not isinstance(value, Mapping):
            raise ValueError(
                f'{self.path}: material: expected a map such as {{"color": [1, 0, 0]}}, '
                f"found {value!r:.80}"
            )
        if value != self._material:
            self._material = ObservedDict(self, value)
            self.scene.visual_changed(self)

    @property
    def texture(self) -> ObjectTexture:
        """The texture: a project's picture file (path, or `{"asset": path}`), array, or canvas.

        An array is `[h, w, 3|4]` uint8, BGR or BGRA; assign another one to change it.

        Raises:
            ValueError: the assigned value is none of these.
        """
        return self._texture

    @texture.setter
    def texture(self, value: object) -> None:
        before = self._texture
        self._texture = checked_texture(self.path, value)
        if isinstance(before, Canvas):
            before.hide_from(self)
        if isinstance(self._texture, Canvas):
            self._texture.show_on(self)
        if has_same_shape(before, self._texture):
            self.texture_painted()
        else:
            self.scene.visual_changed(self)

    @property
    def canvas(self) -> Canvas:
        """The object's canvas; a new one of 512 x 512 pixels if it has none."""
        texture = self._texture
        if not isinstance(texture, Canvas):
            texture = Canvas(painter=lambda: self.scene.painter, name=f"{self.path}: canvas")
            self.texture = texture
        return texture

    @property
    def bounds(self) -> Bounds | None:
        """The box around the model along the world's axes, metres, as it lies now; read only.

        A model from a file is taken at rest. None without a model, and until a file is read.
        """
        return self.scene.space.bounds(self)

    @property
    def points(self) -> npt.NDArray[np.float32] | None:
        """The point cloud, float32 `[n, 3]`, metres in the object's own axes.

        Drawn where the model is `{"builtin": "points"}`. Assign to change it; also the same
        array again after changing its items.

        Raises:
            ValueError: the assigned value has another shape or type.
        """
        return self._points

    @points.setter
    def points(self, value: npt.ArrayLike | None) -> None:
        self._points = None if value is None else checked_points(self.path, value)
        self.scene.points_changed(self)

    @property
    def point_colors(self) -> Picture | None:
        """Colours of the points, sRGB uint8 `[n, 3]`, or `[n, 4]`; None for the material's.

        Raises:
            ValueError: the assigned value has another shape or type.
        """
        return self._point_colors

    @point_colors.setter
    def point_colors(self, value: npt.ArrayLike | None) -> None:
        self._point_colors = None if value is None else checked_point_colors(self.path, value)
        self.scene.points_changed(self)

    @property
    def animation(self) -> Animation:
        """The clips and joints of the object's model."""
        return self.scene.animator.of(self)

    def get(self, kind: type | str) -> Any:
        """Return the first component by class, class name or type name; None for none."""
        for slot in self.components:
            if isinstance(kind, str):
                if kind in (slot.type_name, slot.class_name):
                    return slot.instance
            elif isinstance(slot.instance, kind):
                return slot.instance
        return None

    def add(self, type_name: str, **values: object) -> ComponentSlot:
        """Attach a component; its hooks run from the next frame on.

        Args:
            type_name: `sim:RigidBody`, `scripts.module:Class`, `goishi:scripts.module:Class`.
            values: field values; also objects, scripts and tuples.

        Raises:
            FieldError: the class has no such field.
        """
        fields = self._fields_of(type_name)
        unknown = [name for name in values if fields is not None and name not in fields]
        if fields is not None and unknown:
            raise FieldError(
                type_name, expected=f"the fields {', '.join(fields) or 'none'}", found=unknown[0]
            )
        raw = values if fields is None else {key: fields[key].dump(values[key]) for key in values}
        return self.scene.attach(self, type_name, raw)

    def _fields_of(self, type_name: str) -> dict[str, Field] | None:
        """Return a class's fields; None where it cannot be had, which attaching it will tell."""
        if self.scene.host is None:
            return None
        try:
            return collect_fields(self.scene.host.loader.load(type_name))
        except Exception:
            return None

    def clone(
        self,
        *,
        name: str | None = None,
        parent: SceneObject | None = None,
        position: Sequence[float] | None = None,
    ) -> SceneObject:
        """Return a copy of the object with all its descendants, see `Scene.clone`."""
        return self.scene.clone(self, name=name, parent=parent, position=position)

    def look_at(self, target: SceneObject | Sequence[float]) -> None:
        """Turn local +y towards an object, or a point of the world."""
        point = target.transform.world_position if isinstance(target, SceneObject) else target
        away = np.asarray(point, dtype=np.float64) - np.array(self.transform.world_position)
        if away.any():
            flat = float(np.hypot(away[0], away[1]))
            heading = float(np.degrees(np.arctan2(-away[0], away[1]))) if flat else 0.0
            pitch = float(np.degrees(np.arctan2(away[2], flat)))
            self.transform.world_rotation = (heading, pitch, 0.0)

    def destroy(self) -> None:
        """Destroy the object with all its descendants at the end of the frame."""
        self.scene.destroy(self)

    def end(self) -> None:
        """Mark the object as destroyed; called by the scene only."""
        self.is_alive = False

    def subtree(self) -> list[SceneObject]:
        """Return the object and all its descendants, parents first."""
        found = [self]
        for child in found:
            found.extend(child.children)
        return found

    def _chain(self) -> list[SceneObject]:
        chain = [self]
        while (parent := chain[-1].parent) is not None:
            chain.append(parent)
        return chain

    def visual_changed(self) -> None:
        """Report that the object's look changed."""
        self.scene.visual_changed(self)

    def texture_painted(self) -> None:
        """Report that only the texture's pixels changed."""
        self.scene.texture_painted(self)

    def touch_subtree(self) -> None:
        """Report that the look of the object and all its descendants changed."""
        for item in self.subtree():
            self.scene.visual_changed(item)
