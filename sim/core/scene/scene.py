"""A scene, its objects and the slots that hold their components.

From top to bottom: interfaces of scripts, their host and physics; `ComponentSlot`; `SceneObject`;
`Scene`; then functions that capture, restore and copy states of objects.
"""

from __future__ import annotations

import contextlib
import enum
import hashlib
import math
import re
import secrets
import sys
from collections.abc import (
    Callable,
    Collection,
    Generator,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

import numpy as np
import numpy.typing as npt

from base.closed import Closed
from base.errors import FieldError, GoishiError, LimitError
from base.spelling import hint_of, near_names
from base.values import JsonObject
from sim.core.assets.animation.animator import Animator
from sim.core.assets.formats import is_robot
from sim.core.canvas.canvas import Canvas, Picture
from sim.core.canvas.painter import Painter
from sim.core.files.scene_file import SceneDocument
from sim.core.files.scene_settings import SceneSettings
from sim.core.geometry.builtin_models import ModelRegistry
from sim.core.geometry.collision_shapes import solid_of
from sim.core.geometry.transform import Transform, TransformStore
from sim.core.input.input_actions import InputActions
from sim.core.project.run_context import RunContext
from sim.core.reporting.console import Console, ConsoleRecord
from sim.core.reporting.metrics import MetricStore
from sim.core.scene.building import (
    PrefabCache,
    document_states,
    instance_of_entry,
    states_below_instance,
    states_of_robot,
)
from sim.core.scene.fields import Field, collect_fields
from sim.core.scene.object_state import (
    ComponentState,
    ObjectState,
    SceneState,
    deep_copy,
    ids_of_copy,
    renamed,
    vector,
)
from sim.core.scene.scene_camera import SceneCamera
from sim.core.scene.spatial_index import Bounds, Filter, Hit, SpatialIndex, query_filter
from sim.core.tasks.clock import Clock
from sim.core.tasks.waits import NextFrame, Until, Wait
from sim.core.workers.pool import Links

if TYPE_CHECKING:
    from sim.core.assets.animation.animation import Animation
    from sim.core.input.input_actions import Click


class Component(Protocol):
    """A script attached to an object; the part of its interface that the scene uses."""

    @property
    def slot(self) -> ComponentSlot:
        """Slot that holds the script; it outlives the script."""

    @property
    def object(self) -> SceneObject:
        """The object that the component is attached to."""

    def reloaded(self, old: type) -> None:
        """Called when the script's saved file has been reloaded; `old` is the replaced class."""


class ComponentLoader(Protocol):
    """Loads the class that a component's type name refers to."""

    def load(self, type_name: str) -> type[Component]:
        """Return the class that a type name refers to.

        Args:
            type_name: `scripts.x:Class` (of the project), `goishi:scripts.x:Class` (built in) or
                `sim:Class` (of the engine).
        """


class RunningTask(Protocol):
    """A coroutine of a script.

    Attributes:
        name: name of its function, for error messages.
    """

    name: str

    def cancel(self) -> None:
        """Cancel the coroutine where it waits."""


class ListenedSignal(Protocol):
    """A signal with its listeners.

    Attributes:
        listeners: (slot of the listening component, name of its method, callback) of each.
    """

    listeners: list[tuple[ComponentSlot, str, Callable[..., object]]]


class Runtime:
    """Data that the script host keeps about one component.

    Attributes:
        hooks: names of the hooks that its class overrides.
        tasks: its running coroutines.
        rng: its random generator; None until it is first used.
        is_awake: whether `awake` has run.
        is_on: whether `enable` has run since the last `disable`.
        is_started: whether `start` has run.
        lost_tasks: whether coroutines were cancelled when the component failed.
        is_leaving: whether the component is being removed, so that its last hooks have begun.
        bindings: signals that its methods with `@on` are connected to.
        marks: (name of the method, name of the signal) of each method with `@on` in its class.
        marks_of: class in which `marks` was collected; None if that was not done yet.
    """

    def __init__(self) -> None:
        self.hooks: frozenset[str] = frozenset()
        self.tasks: list[RunningTask] = []
        self.rng: np.random.Generator | None = None
        self.is_awake = False
        self.is_on = False
        self.is_started = False
        self.lost_tasks = False
        self.is_leaving = False
        self.bindings: list[ListenedSignal] = []
        self.marks_of: type | None = None
        self.marks: tuple[tuple[str, str], ...] = ()


class CallWatchdog(Protocol):
    """Interrupts calls of scripts that take too long."""

    def watching(self, timeout: float | None = None) -> AbstractContextManager[None]:
        """Return a context that interrupts its block after some seconds.

        Args:
            timeout: seconds; None for the default.
        """

    def uncounted(self) -> AbstractContextManager[None]:
        """Return a context whose block does not count to the time of a script's call."""


class EndedEpisodes(Protocol):
    """Recent finished episodes of a scene's agents.

    Attributes:
        show: function that replays an episode from its beginning, given the episode's number. It
            raises LookupError for an unknown number. None if episodes are not kept.
    """

    show: Callable[[int], object] | None

    @property
    def ended(self) -> Collection[tuple[int, float]]:
        """Number and sum of rewards of each of the last finished episodes, oldest first."""


class ComponentHost(Protocol):
    """The script host as components and the editor see it."""

    clock: Clock
    console: Console
    input: InputActions
    metrics: MetricStore
    links: Links
    run: RunContext

    @property
    def agents(self) -> EndedEpisodes:
        """Finished episodes of the scene's agents."""

    @property
    def loader(self) -> ComponentLoader:
        """Loads the classes of components."""

    @property
    def watchdog(self) -> CallWatchdog:
        """Interrupts calls of scripts that take too long."""

    def attach(self, slot: ComponentSlot) -> None:
        """Load the script of a newly attached component."""

    def detach(self, slot: ComponentSlot) -> None:
        """Run the last hooks of a component that is being removed."""

    def invalidate(self) -> None:
        """Look up all hooks again, as after components changed their order."""
        ...

    def activity_changed(self, slot: ComponentSlot) -> None:
        """Call the component's `enable` or `disable` if it has become active or inactive."""

    def call(
        self, slot: ComponentSlot, hook: str, function: Callable[..., object], *arguments: object
    ) -> object:
        """Call a function of a script.

        An exception is written to the console as one line, and the component is quarantined.

        Args:
            slot: slot of the component that the function belongs to.
            hook: name of the hook or function, for error messages.
            function: what is called.
            arguments: its arguments.

        Returns:
            The function's result; None if it failed or the component is quarantined.
        """

    def draw(
        self, slot: ComponentSlot, hook: str, function: Callable[..., object], *arguments: object
    ) -> ConsoleRecord | None:
        """Call a function of a script that draws something; an error does not stop the component.

        Args:
            slot: slot of the component that the drawing belongs to.
            hook: name of the drawing, for error messages.
            function: what is called.
            arguments: its arguments.

        Returns:
            The console's record of the error; None if there was none.
        """

    def fail(self, slot: ComponentSlot, hook: str, error: BaseException) -> ConsoleRecord:
        """Quarantine a component and return the console line that reports the error.

        Args:
            slot: slot of the component.
            hook: name of the hook or function that failed.
            error: the exception.
        """

    def set_field(self, slot: ComponentSlot, name: str, raw: object) -> None:
        """Set a field and run the script's `validate`.

        Args:
            slot: slot of the component.
            name: name of the field.
            raw: value in the form of the scene file.
        """

    def retry(self, slot: ComponentSlot) -> None:
        """Load, start or resume a component that failed, and draw again what failed to draw."""


MOTION = 8
"""How many numbers describe the motion of one body; see `Motions.numbers`."""

Start = tuple[str, tuple[float, ...]]
"""Id of a body component, and where the body stood: position (3, metres) and quaternion (4)."""


@dataclass(frozen=True)
class Motions:
    """Velocities of the bodies of a scene, and which joints are broken.

    Attributes:
        bodies: ids of the body components, `n` of them.
        numbers: `[n, 8]`: velocity (3, m/s), angular velocity (3, rad/s), whether the body is awake
            (0 or 1), and for how many seconds it has been slow enough to fall asleep.
        broken: ids of the broken joint components.
        turns: (id, quarter turns) of each joint component that counts its turns and has made some.
        starts: the kinematic and static bodies that scripts have moved since the last step, and
            where they stood before.
        overlapping: ids of the bodies that are being moved out of others.
    """

    bodies: tuple[str, ...] = ()
    numbers: npt.NDArray[np.float64] = field(default_factory=lambda: np.empty((0, MOTION)))
    broken: tuple[str, ...] = ()
    turns: tuple[tuple[str, int], ...] = ()
    starts: tuple[Start, ...] = ()
    overlapping: tuple[str, ...] = ()


class Physics(Protocol):
    """Interface of a scene's physics simulation.

    Attributes:
        gravity: acceleration, metres per second squared.
    """

    gravity: tuple[float, float, float]

    def step(self, dt: float) -> None:
        """Simulate `dt` seconds, then emit the contact signals of the bodies."""

    def begin_episode(self) -> None:
        """Prepare for scripts that put the bodies to where an episode begins.

        The bodies' places become the rest positions of the joints that have none yet. What scripts
        move before the next step jumps there, without a velocity.
        """

    def motions(self) -> Motions:
        """Return the present velocities of the bodies, and the broken joints."""

    def put_motions(self, motions: Motions) -> None:
        """Restore velocities and joints; the bodies must already be at the matching positions."""


ID_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
ID_LENGTH = 10


def new_id(prefix: str) -> str:
    """Return a new random id such as `obj_3f9a1c77de` for the prefix `obj`."""
    return f"{prefix}_" + "".join(secrets.choice(ID_LETTERS) for _ in range(ID_LENGTH))


def counted_id(scene: str, prefix: str, number: int) -> str:
    """Return the deterministic id of the item with a number that a running scene has created.

    Args:
        scene: id of the scene.
        prefix: "obj" for an object, "cmp" for a component.
        number: consecutive number of the item.

    >>> counted_id("scn_1", "obj", 1) == counted_id("scn_1", "obj", 1)
    True
    """
    text = f"{scene}/{prefix}/{number}".encode()
    return f"{prefix}_{hashlib.blake2b(text, digest_size=5).hexdigest()}"


def _reporting(kind: type, name: str) -> Callable[..., Any]:
    """Wrap a method of `list` or `dict` so that it reports the change afterwards.

    Args:
        kind: `list` or `dict`.
        name: name of the method.

    Returns:
        A method that does the same and then calls `_report_change`.
    """
    method = getattr(kind, name)

    def change(self: ObservedList | ObservedDict, *given: object, **named: object) -> object:
        result = method(self, *given, **named)
        self._report_change()
        return result

    change.__name__, change.__doc__ = name, method.__doc__
    return change


class ObservedList(list[object]):
    """A list that tells its object about changes: `obj.material["color"][0] = 1.0` is drawn."""

    __slots__ = ("_owner",)

    def __init__(self, owner: SceneObject, values: list[object]) -> None:
        super().__init__(watched(owner, value) for value in values)
        self._owner = owner

    def _report_change(self) -> None:
        self._owner.scene.visual_changed(self._owner)

    __setitem__ = _reporting(list, "__setitem__")
    __delitem__ = _reporting(list, "__delitem__")
    __iadd__ = _reporting(list, "__iadd__")
    __imul__ = _reporting(list, "__imul__")
    append = _reporting(list, "append")
    clear = _reporting(list, "clear")
    extend = _reporting(list, "extend")
    insert = _reporting(list, "insert")
    pop = _reporting(list, "pop")
    remove = _reporting(list, "remove")
    reverse = _reporting(list, "reverse")
    sort = _reporting(list, "sort")

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle as a plain list, without the object."""
        return list, (list(self),)


class ObservedDict(dict[str, Any]):
    """A dict that tells its object about changes of its items, including nested lists and dicts."""

    __slots__ = ("_owner",)

    def __init__(self, owner: SceneObject, values: Mapping[str, object]) -> None:
        super().__init__({key: watched(owner, value) for key, value in values.items()})
        self._owner = owner

    def _report_change(self) -> None:
        self._owner.scene.visual_changed(self._owner)

    def __setattr__(self, name: str, value: object) -> None:
        if name not in self.__slots__:
            raise AttributeError(
                f"expected an item, [{name!r}] = …, found an attribute, .{name} = …"
            )
        super().__setattr__(name, value)

    __delitem__ = _reporting(dict, "__delitem__")
    clear = _reporting(dict, "clear")
    pop = _reporting(dict, "pop")
    popitem = _reporting(dict, "popitem")

    def __setitem__(self, key: str, value: object) -> None:
        super().__setitem__(key, watched(self._owner, value))
        self._report_change()

    def update(self, *values: object, **items: object) -> None:
        """Set several items and report the change once."""
        for key, value in dict(*values, **items).items():
            super().__setitem__(key, watched(self._owner, value))
        self._report_change()

    def __ior__(self, values: object) -> Self:  # type: ignore[misc, override]  # | gives a plain map
        self.update(values)
        return self

    def setdefault(self, key: str, default: object = None) -> object:
        """Return an item; insert the default if it is missing."""
        if key not in self:
            self[key] = default
        return self[key]

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle as a plain dict, without the object."""
        return dict, (dict(self),)


def watched(owner: SceneObject, value: object) -> object:
    """Convert lists and dicts to ones that report changes to `owner`; return others unchanged."""
    if isinstance(value, list):
        return ObservedList(owner, value)
    if isinstance(value, Mapping):
        return ObservedDict(owner, value)
    return value


LONGEST_NAME = 200
WORD_START = re.compile("(?<=[a-z0-9])(?=[A-Z])")
ObjectTexture = str | Canvas | Picture | None  # a file, what is painted, `[h, w, 3 or 4]`


def checked_name(name: object) -> str:
    """Return an object's name after checking it.

    Raises:
        ValueError: it is no text of 1 to 200 characters, or holds characters UTF-8 can't encode.
    """
    text = name if isinstance(name, str) else ""
    if not 0 < len(text) <= LONGEST_NAME or any("\ud800" <= item <= "\udfff" for item in text):
        raise ValueError(
            f"name: expected a text of 1 to {LONGEST_NAME} characters, found {name!r:.80}"
        )
    return str(text)


def checked_texture(path: str, value: object) -> ObjectTexture:
    """Check an object's texture, and return it in the form in which the object stores it.

    It is not checked whether a texture's file exists.

    Args:
        path: path of the object, for error messages.
        value: a file's path, `{"asset": path}`, a canvas, an array `[h, w, 3 or 4]` uint8, or None.

    Raises:
        ValueError: the value is none of these.
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


def checked_points(path: str, value: npt.ArrayLike) -> npt.NDArray[np.float32]:
    """Check a point cloud and return it as float32 `[n, 3]`.

    Args:
        path: path of the object, for error messages.
        value: the points.

    Raises:
        ValueError: the shape differs, or the values are no numbers.
    """
    array = np.asarray(value)
    if array.ndim != 2 or array.shape[1] != 3 or array.dtype.kind not in "fiu":
        raise _wrong_array(path, "points", "numbers [n, 3]", array)
    return np.ascontiguousarray(array, dtype=np.float32)


def checked_point_colors(path: str, value: npt.ArrayLike) -> Picture:
    """Check the colours of a point cloud and return them: uint8 `[n, 3]` or `[n, 4]`.

    Args:
        path: path of the object, for error messages.
        value: the colours.

    Raises:
        ValueError: the shape or type differs.
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
    """Attached; its `start` has not run yet."""
    READY = "ready"
    QUARANTINED = "quarantined"
    """Its script raised an error; no hook is called until a retry."""
    PLACEHOLDER = "placeholder"
    """Its script cannot be loaded; id, type and fields are kept."""
    DESTROYED = "destroyed"


def class_words(type_name: str) -> str:
    """Return the class name of a component's type in words.

    >>> class_words("scripts.pieces:HelloWorld")
    'Hello world'
    """
    return WORD_START.sub(" ", type_name.rpartition(":")[2]).capitalize()


class ComponentSlot:
    """Holds one component of an object: its type, its field values and, once loaded, its script.

    Attributes:
        values: raw field values as in the scene file, unknown fields included.
        parsed: cache of the values already parsed, by field name.
        instance: the script; None while it cannot be loaded.
        error: console record of the last error; None for none.
        runtime: data of the script host about the component.
        revision: increases with each change of a field.
        recorded_changes: number of those changes that concern `recorded` fields, which change as
            the scene runs.
    """

    __slots__ = (
        "error",
        "extra",
        "id",
        "instance",
        "is_enabled",
        "object",
        "parsed",
        "prefab_id",
        "recorded_changes",
        "revision",
        "runtime",
        "stands_for",
        "state",
        "type_name",
        "values",
    )

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
        """Script host of the scene.

        Raises:
            LookupError: the scene has no script host; it is not running.
        """
        host = self.object.scene.host
        if host is None:
            raise LookupError(f"{self.class_name}: expected a scene that runs, found one at rest")
        return host

    def call(self, hook: str, function: Callable[..., object], *arguments: object) -> object:
        """Call code of the component's script; an exception becomes one console line.

        Args:
            hook: name of the hook or function, for the console line.
            function: the code to call.
            arguments: the arguments to pass to it.

        Returns:
            The function's result; None if it failed or the component is quarantined.
        """
        return self.host.call(self, hook, function, *arguments)

    def draw(
        self, hook: str, function: Callable[..., object], *arguments: object
    ) -> ConsoleRecord | None:
        """Call code of the component's script that draws something, such as a panel.

        An exception becomes one console line, and the component goes on.

        Args:
            hook: name of the drawing, for the console line.
            function: the code to call.
            arguments: the arguments to pass to it.

        Returns:
            The console's record of the error, after which the code must not be called again until
            a retry; None if there was none.
        """
        return self.host.draw(self, hook, function, *arguments)

    @property
    def class_name(self) -> str:
        """Name of the class: the part of the type name after the colon."""
        return self.type_name.rpartition(":")[2]

    @property
    def title(self) -> str:
        """Title of the component in the window: that of its class, or the class name in words."""
        declared = getattr(type(self.instance), "declared_title", "")
        return declared or class_words(self.type_name)

    def is_called(self, name: str) -> bool:
        """Return whether a name means this component.

        Args:
            name: the component's id, type name or class name. A former name of the class is
                accepted too, if the script's module still defines it.
        """
        module = sys.modules.get(type(self.instance).__module__)
        return name in (self.id, self.type_name, self.class_name) or (
            self.instance is not None and getattr(module, name, None) is type(self.instance)
        )

    @property
    def is_active(self) -> bool:
        """Whether the component, its object and all ancestors are enabled."""
        return self.is_enabled and self.object.is_active

    @property
    def is_gone(self) -> bool:
        """Whether the component is destroyed or quarantined."""
        return self.state in (SlotState.DESTROYED, SlotState.QUARANTINED)

    @property
    def enabled(self) -> bool:
        """Whether the component itself is enabled; `is_active` also considers its object."""
        return self.is_enabled

    @enabled.setter
    def enabled(self, value: bool) -> None:
        if value != self.is_enabled:
            self.is_enabled = value
            self.object.scene.activity_changed(self.object)

    def begin(self) -> None:
        """Reset what the script host keeps about the component, before its script starts anew."""
        self.runtime = Runtime()

    def load(self, instance: Component) -> None:
        """Store the loaded script; the state becomes `PENDING` and the error is cleared."""
        self.instance = instance
        self.resume(SlotState.PENDING)

    def replace_values(self, values: JsonObject) -> None:
        """Replace the raw values of all fields and drop the parsed ones."""
        self.values = values
        self.parsed.clear()

    def resume(self, state: SlotState) -> None:
        """Set the state after a successful load or retry, and clear the error."""
        self.state = state
        self.error = None

    def fail(self, error: ConsoleRecord) -> None:
        """Quarantine the component: store the error and call no hook until a retry."""
        self.error = error
        if self.state is not SlotState.DESTROYED:
            self.state = SlotState.QUARANTINED

    def become_placeholder(self) -> None:
        """Mark the script as not loadable; id, type and fields are kept."""
        self.state = SlotState.PLACEHOLDER

    def end(self) -> None:
        """Mark the component as destroyed."""
        self.state = SlotState.DESTROYED

    def set_value(self, name: str, raw: object) -> None:
        """Store a field's value without checking it.

        Args:
            name: name of the field.
            raw: the value in the form of the scene file.
        """
        self.values[name] = raw
        self.parsed.pop(name, None)
        self.revision += 1

    def take_back(self, values: Mapping[str, object], parsed: Mapping[str, object]) -> None:
        """Give the component the fields back that it had.

        Args:
            values: the values in the form of the scene file, by name.
            parsed: the values as the script reads them, by name.
        """
        self.values, self.parsed = dict(values), dict(parsed)
        self.revision += 1

    def show_value(self, name: str, raw: object, parsed: object, *, absent: object) -> None:
        """Set a field's raw and parsed value without notifying anyone.

        Args:
            name: name of the field.
            raw: the value in the form of the scene file.
            parsed: the value as the script reads it.
            absent: a marker. If `raw` or `parsed` is this object, that value is removed instead.
        """
        for items, value in ((self.values, raw), (self.parsed, parsed)):
            if value is absent:
                items.pop(name, None)
            else:
                items[name] = value

    def resolve_reference(self, target_id: str) -> Component | SceneObject | None:
        """Return the script or object with this id; None if it does not exist or has no script."""
        scene = self.object.scene
        if target_id.startswith("cmp_"):
            slot = scene.component(target_id)
            return slot.instance if slot is not None else None
        return scene.get(target_id)


class SceneObject(Closed):
    """An object of the scene: a name, a transform, optionally a model, and components."""

    __slots__ = (
        "_enabled", "_is_mark", "_material", "_model", "_name", "_parent", "_point_colors",
        "_points", "_texture", "_visible", "authored", "casts_shadow", "children",
        "components", "extra", "id", "is_alive", "loaded", "order", "scene", "transform",
    )  # fmt: skip

    parts: ClassVar[Mapping[str, type]] = {"transform": Transform}

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
        """Parent object; None for a root. Assigning it keeps the object's local transform."""
        return self._parent

    @parent.setter
    def parent(self, value: SceneObject | None) -> None:
        self.scene.set_parent(self, value)

    def hang_below(self, parent: SceneObject | None) -> None:
        """Set the object's parent, and do nothing else; only `Scene.set_parent` calls this.

        Args:
            parent: the new parent; None for a root.
        """
        self._parent = parent

    def __repr__(self) -> str:
        return f"<SceneObject {self.path} {self.id}>"

    def __await__(self) -> Generator[Wait, object, Self]:
        """Wait until the object can be used: `arm = await self.scene.instantiate("arm.urdf")`.

        Its scripts and those below it have started, and the files of their models are read.

        Returns:
            The object.
        """
        yield NextFrame()
        yield Until(lambda: not any(map(self.scene.animator.is_loading, self.subtree())))
        return self

    @property
    def name(self) -> str:
        """Name of the object, 1 to 200 characters; it need not be unique.

        Raises:
            ValueError: the assigned value is no such text.
        """
        return self._name

    @name.setter
    def name(self, value: str) -> None:
        self._name = checked_name(value)

    @property
    def path(self) -> str:
        """Names from the root down to the object, joined by slashes."""
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
    def missing_file(self) -> str:
        """Path of its model's or its picture's file if that is missing; "" if it is not."""
        missing = self.scene.missing_files
        model: Mapping[str, object] = self._model or {}
        paths = (model.get("asset"), self._texture)
        found = (path for path in paths if isinstance(path, str) and path in missing)
        return next(found, "") if missing else ""

    @property
    def is_mark(self) -> bool:
        """Whether the object is only a visual hint, which ray casts and overlap queries ignore."""
        return self._is_mark

    @is_mark.setter
    def is_mark(self, value: bool) -> None:
        self._is_mark = value
        self.scene.visual_changed(self)

    @property
    def enabled(self) -> bool:
        """Whether the object itself is enabled; otherwise it is hidden and its scripts stop."""
        return self._enabled

    @enabled.setter
    def enabled(self, value: bool) -> None:
        if value != self._enabled:
            self._enabled = value
            self.touch_subtree()  # first: its components ask for shapes
            self.scene.activity_changed(self)

    @property
    def visible(self) -> bool:
        """Whether the object is drawn, if its ancestors are visible, too."""
        return self._visible

    @visible.setter
    def visible(self, value: bool) -> None:
        if value != self._visible:
            self._visible = value
            self.touch_subtree()

    @property
    def model(self) -> JsonObject | None:
        """Model: `{"builtin": name, …}`, `{"asset": path}` or None; single items can be assigned.

        Raises:
            ValueError: the assigned value is neither a dict nor None.
        """
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
        """Surface of the model, by the keys of `material` in docs/scene_format.md.

        Single items can be assigned: `obj.material["opacity"] = 0.5`.

        Raises:
            ValueError: the assigned value is no dict.
        """
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
        """Texture of the object; None for no texture.

        It can be an image file of the project, given as a path or as `{"asset": path}`. It can also
        be a canvas, or an array `[h, w, 3 or 4]` uint8, in BGR or BGRA. After changing items of an
        array, assign the array again, so that the change is noticed.

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
        shapes = [item.shape for item in (before, self._texture) if isinstance(item, np.ndarray)]
        if len(shapes) == 2 and shapes[0] == shapes[1]:
            self.texture_painted()
        else:
            self.scene.visual_changed(self)

    @property
    def canvas(self) -> Canvas:
        """Canvas on the object; created with 512 x 512 pixels at the first access."""
        texture = self._texture
        if not isinstance(texture, Canvas):
            texture = Canvas(
                painter=lambda: self.scene.painter,
                name=f"{self.path}: canvas",
                loading=self.scene.uncounted,
            )
            self.texture = texture
        return texture

    @property
    def bounds(self) -> Bounds | None:
        """Present bounding box of the model along the world's axes, metres; read-only.

        A model from a file counts in its rest pose. None without a model, and until the file is
        read.
        """
        return self.scene.space.bounds(self)

    @property
    def points(self) -> npt.NDArray[np.float32] | None:
        """Point cloud, float32 `[n, 3]`, metres in the object's local space; None for none.

        It is drawn if the model is `{"builtin": "points"}`. After changing items of the array,
        assign it again.

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
        """Colours of the points, sRGB uint8 `[n, 3]` or `[n, 4]`; None for the material's colour.

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
        """Animation clips and skeleton joints of the object's model."""
        return self.scene.animator.of(self)

    def get(self, kind: type | str) -> Any:
        """Return the script of the object's first component of a kind; None if there is none.

        Args:
            kind: a class, or the class name or type name as text.
        """
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
            values: field values by name; a reference may be given as the object or script itself.

        Raises:
            FieldError: the class has no such field.
            ValueError: the object was destroyed.
        """
        fields = self._fields_of(type_name)
        unknown = [name for name in values if fields is not None and name not in fields]
        if fields is not None and unknown:
            found = f"{unknown[0]}{hint_of(near_names(fields, unknown[0]), unknown[0])}"
            expected = f"the fields {', '.join(fields) or 'none'}"
            raise FieldError(type_name, expected=expected, found=found)
        raw = values if fields is None else {key: fields[key].dump(values[key]) for key in values}
        return self.scene.attach(self, type_name, raw)

    def _fields_of(self, type_name: str) -> dict[str, Field] | None:
        """Return the fields of a component class; None if the class cannot be loaded.

        This method reports no error, because attaching the component then reports it.

        Args:
            type_name: type name of the component.
        """
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
        """Return a copy of the object with all its descendants; see `Scene.clone`."""
        return self.scene.clone(self, name=name, parent=parent, position=position)

    def look_at(self, target: SceneObject | Sequence[float]) -> None:
        """Turn the object so that its local +y axis points to a target.

        Args:
            target: an object, or a point in world space, metres.
        """
        point = target.transform.world_position if isinstance(target, SceneObject) else target
        away = np.asarray(point, dtype=np.float64) - np.array(self.transform.world_position)
        self.transform.look_along(away)

    def destroy(self) -> None:
        """Destroy the object and all its descendants at the end of the frame."""
        self.scene.destroy(self)

    def end(self) -> None:
        """Mark the object as destroyed; called only by the scene."""
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
        """Report that the object's look has changed."""
        self.scene.visual_changed(self)

    def texture_painted(self) -> None:
        """Report that only the pixels of the object's texture have changed."""
        self.scene.texture_painted(self)

    def touch_subtree(self) -> None:
        """Report that the look of the object and all its descendants has changed."""
        for item in self.subtree():
            self.scene.visual_changed(item)


@dataclass
class SceneChanges:
    """Ids of the objects added, removed or changed since the last `Scene.drain_changes`.

    Attributes:
        created: objects that were added.
        destroyed: objects that were removed.
        visual: objects whose look has changed.
    """

    created: set[str] = field(default_factory=set)
    destroyed: set[str] = field(default_factory=set)
    visual: set[str] = field(default_factory=set)
    painted: set[str] = field(default_factory=set)
    """Objects of which only the texture's pixels have changed."""
    pointed: set[str] = field(default_factory=set)
    """Objects of which only the point cloud has changed."""

    def remove(self, object_id: str) -> None:
        """Note that an object was removed.

        If the object was also added since the last `Scene.drain_changes`, neither change is noted.
        """
        if object_id in self.created:
            self.created.discard(object_id)
        else:
            self.destroyed.add(object_id)
        for others in (self.visual, self.painted, self.pointed):
            others.discard(object_id)

    def __bool__(self) -> bool:
        return bool(self.created or self.destroyed or self.visual or self.painted or self.pointed)


class Scene(Closed):
    """All objects of a scene, by id and as a tree; to be used on the main thread only.

    Attributes:
        space: spatial index for ray casts and overlap queries, which need no graphics.
        journal: objects whose look or visibility may have changed, collected for a consumer that
            empties the set; None while nothing is collected.
        missing_files: paths of files that the scene's file names and that were missing when it was
            opened in a window.
    """

    __slots__ = (
        "_by_slot", "_changes", "_components", "_doomed", "_is_quiet", "_made", "_physics",
        "animator", "authored_order", "authored_settings", "camera", "extra", "extra_settings",
        "has_settings", "host", "id", "journal", "missing_files", "models", "objects",
        "painter", "physics_maker", "picker", "prefab_cache", "project", "roots", "settings",
        "space", "structure_revision", "transforms",
    )  # fmt: skip

    def __init__(self, settings: SceneSettings | None = None) -> None:
        self.settings = settings or SceneSettings()
        self.id = new_id("scn")
        self.project = Path()
        self.host: ComponentHost | None = None
        self.camera = SceneCamera(self.find_all, self.watching)
        self.missing_files: set[str] = set()
        self.painter = Painter()
        self.picker: Callable[[float, float], str | None] | None = None  # set by the view
        self.transforms = TransformStore()
        self.animator = Animator()
        self.models = ModelRegistry()
        self.objects: dict[str, SceneObject] = {}
        self.space: SpatialIndex[SceneObject] = SpatialIndex(
            self.objects, self.transforms, lambda model: solid_of(model, self.models)
        )
        self.physics_maker: Callable[[Scene], Physics] | None = None
        self.prefab_cache = PrefabCache()
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
        """Return the object with this id; None if there is none."""
        return self.objects.get(object_id)

    def component(self, component_id: str) -> ComponentSlot | None:
        """Return the slot of the component with this id; None if there is none."""
        return self._components.get(component_id)

    def find(self, name: str) -> SceneObject | None:
        """Return the first object with this name; None if there is none.

        Args:
            name: name of the object, or its path if it contains a slash.
        """
        return next(iter(self.find_all(name)), None)

    def find_all(self, name: str) -> list[SceneObject]:
        """Return all objects with this name; a `name` that contains a slash is a path."""
        if "/" in name:
            return [obj for obj in self.objects.values() if obj.is_alive and obj.path == name]
        return [obj for obj in self.objects.values() if obj.is_alive and obj.name == name]

    def components(self) -> list[ComponentSlot]:
        """Return the slots of all components; those of child objects before those of their parent.

        Siblings are in the scene's order.
        """
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

    def children_of(self, parent: SceneObject | None) -> list[SceneObject]:
        """Return the children of an object, in order.

        Args:
            parent: the object; None for the objects without a parent.

        Returns:
            The scene's own list, not a copy.
        """
        return self.roots if parent is None else parent.children

    def new_id(self, prefix: str) -> str:
        """Return an unused id such as `obj_3f9a1c77de` for the prefix `obj`.

        Ids depend only on the order of creation, so they are the same in every run. The components'
        random generators are seeded with these ids, so they are the same as well.
        """
        while True:
            self._made += 1
            made = counted_id(self.id, prefix, self._made)
            if made not in self.objects and made not in self._components:
                return made

    def object_of_transform(self, slot: int) -> str | None:
        """Return the id of the object that uses a place in the store of transforms.

        Args:
            slot: index of the place, as the object's transform has it.

        Returns:
            The id; None if no object uses the place.
        """
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
        where: Filter[SceneObject] | None = None,
    ) -> Hit[SceneObject] | None:
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
        wanted = query_filter(ignore, layers, where)
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
        where: Filter[SceneObject] | None = None,
    ) -> list[Hit[SceneObject]]:
        """Return the first hit of a ray on each object, nearest first; see `ray_cast`.

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
        return self.space.ray(origin, direction, distance, query_filter(ignore, layers, where))

    def ray_ways(
        self,
        origin: Sequence[float],
        directions: npt.ArrayLike,
        *,
        distance: float = math.inf,
        ignore: SceneObject | Collection[SceneObject] = (),
        layers: str | Collection[str] | None = None,
        where: Filter[SceneObject] | None = None,
    ) -> npt.NDArray[np.float64]:
        """Return the distances to the first hits of many rays from one point, `[n]` metres.

        Each is the `distance` of the hit that `ray_cast` returns for that direction; infinity if
        nothing is hit. One call for all rays is much faster.

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
        wanted = query_filter(ignore, layers, where)
        ways = np.asarray(directions, np.float64).reshape(-1, 3)
        return self.space.ways(origin, ways, distance, wanted)

    def overlap_sphere(
        self,
        center: Sequence[float],
        radius: float,
        *,
        ignore: SceneObject | Collection[SceneObject] = (),
        layers: str | Collection[str] | None = None,
        where: Filter[SceneObject] | None = None,
    ) -> list[SceneObject]:
        """Return the objects that overlap a sphere; the filters are those of `ray_cast`.

        Args:
            center: world position, metres.
            radius: metres.
            ignore: objects to skip with all their descendants.
            layers: names of `Layer` components; only objects in those are returned.
            where: predicate on an object; objects for which it is false are skipped.
        """
        return self.space.in_sphere(center, radius, query_filter(ignore, layers, where))

    def overlap_box(
        self,
        center: Sequence[float],
        size: Sequence[float],
        *,
        rotation: Sequence[float] = (0.0, 0.0, 0.0),
        ignore: SceneObject | Collection[SceneObject] = (),
        layers: str | Collection[str] | None = None,
        where: Filter[SceneObject] | None = None,
    ) -> list[SceneObject]:
        """Return the objects that overlap a rotated box; the filters are those of `ray_cast`.

        Args:
            center: world position of the box's centre, metres.
            size: lengths of its sides, metres.
            rotation: heading, pitch and roll in degrees.
            ignore: objects to skip with all their descendants.
            layers: names of `Layer` components; only objects in those are returned.
            where: predicate on an object; objects for which it is false are skipped.
        """
        return self.space.in_box(center, size, rotation, query_filter(ignore, layers, where))

    # -- bodies, and what is seen --------------------------------------------------------------

    @property
    def physics(self) -> Physics:
        """Physics simulation of the scene, created at the first access.

        Raises:
            GoishiError: the scene is not running, or this build of Panda3D has no Bullet.
        """
        if self._physics is None:
            if self.physics_maker is None:
                raise GoishiError("physics: expected a scene that runs, found one that does not")
            with self.uncounted():
                self._physics = self.physics_maker(self)
        return self._physics

    def step_physics(self, dt: float) -> None:
        """Simulate physics for `dt` seconds; does nothing without a physics simulation."""
        if self._physics is not None:
            self._physics.step(dt)

    def motions(self) -> Motions:
        """Return the bodies' present velocities and the broken joints; empty without physics."""
        return Motions() if self._physics is None else self._physics.motions()

    def put_motions(self, motions: Motions) -> None:
        """Restore velocities and joints; the bodies must already be at the matching positions."""
        if self._physics is not None:
            self._physics.put_motions(motions)

    def begin_episode(self) -> None:
        """Prepare the physics for scripts that put the bodies to where an episode begins."""
        if self._physics is not None:
            self._physics.begin_episode()

    def pick(self, click: Click) -> SceneObject | None:
        """Return the object that was clicked; None for the ground, or if nothing is drawn."""
        found = self.picker(click.x, click.y) if self.picker is not None else None
        return None if found is None else self.objects.get(found)

    # -- changing -----------------------------------------------------------------------------

    def spawn(
        self,
        name: str,
        *,
        model: Mapping[str, object] | None = None,
        parent: SceneObject | None = None,
        position: Sequence[float] | npt.NDArray[np.float64] = (0.0, 0.0, 0.0),
        rotation: Sequence[float] = (0.0, 0.0, 0.0),
        scale: Sequence[float] = (1.0, 1.0, 1.0),
        material: Mapping[str, object] | None = None,
        components: Iterable[tuple[str, Mapping[str, object]]] = (),
        object_id: str = "",
    ) -> SceneObject:
        """Create an object.

        Args:
            name: its name, 1 to 200 characters.
            model: `{"builtin": name, …}` or `{"asset": path}`; None for no model.
            parent: parent object; None for a root.
            position: in the parent's space, metres.
            rotation: heading, pitch and roll in degrees.
            scale: factors along x, y and z.
            material: surface of the model, such as `{"color": [1, 0, 0]}`; None for the default.
            components: (type name, field values) of each component.
            object_id: its id; empty for a new one.

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
        siblings = self.children_of(parent)
        obj.order = next_order(siblings)
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
        """Add a component to an object and return its slot.

        Args:
            obj: the object.
            type_name: such as `sim:RigidBody` or `scripts.module:Class`.
            values: raw field values as in a scene file; None for none.
            component_id: id of the component; empty for a new one.

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

        The objects below it in the file become its descendants. A robot's file (URDF or MJCF)
        becomes an object with its links as descendants. A coroutine
        can `await` the result, which waits until its scripts have started and its models are read.

        Args:
            path: path of the file, relative to the project.
            parent: parent of the new object; None for a root.
            position: in the parent's space, metres; None for the file's.
            name: name of the new object; None for the file's.

        Raises:
            SceneFileError: there is no such file in the project, or it is invalid.
            LimitError: the scene holds `max_objects` already.
        """
        if is_robot(str(path)):
            states = robot_states(
                self, path, self.new_id, parent=parent, position=position, name=name
            )
            return restore_all(self, states)[0]
        siblings = self.children_of(parent)
        states = instance_states(
            self,
            path,
            self.new_id("obj"),
            parent="" if parent is None else parent.id,
            index=len(siblings),
            order=next_order(siblings),
            position=position,
            name=name,
        )
        check_room(self, len(states))
        return restore_all(self, states)[0]

    def clone(
        self,
        obj: SceneObject,
        *,
        name: str | None = None,
        parent: SceneObject | None = None,
        position: Sequence[float] | None = None,
    ) -> SceneObject:
        """Copy an object with all its descendants; the copies' scripts start anew.

        Fields keep their present values. If a field refers to an object or script that is copied,
        too, the copy's field refers to the copy.

        Args:
            obj: the object to copy.
            name: name of the copy; None for that of `obj`.
            parent: parent of the copy; None for that of `obj`.
            position: in the parent's space, metres; None for that of `obj`.

        Raises:
            LimitError: the scene has no room for all of them; nothing was made.
            ValueError: the object was destroyed.
        """
        if not obj.is_alive or self.get(obj.id) is not obj:
            found = f"{obj.name}, which is gone"
            raise ValueError(f"clone: expected an object of the scene, got {found}")
        states = capture_below(obj)
        check_room(self, len(states))
        above = obj.parent if parent is None else parent
        siblings = self.children_of(above)
        ids = ids_of_copy(states, {}, self.new_id)
        top, *rest = (renamed(state, ids) for state in states)
        top = replace(
            top,
            name=top.name if name is None else name,
            parent="" if above is None else above.id,
            index=len(siblings),
            order=next_order(siblings),
            position=top.position if position is None else vector(position),
        )
        return restore_all(self, (top, *rest))[0]

    def destroy(self, obj: SceneObject) -> None:
        """Mark an object and all its descendants for destruction at the next `flush`.

        Raises:
            TypeError: `obj` is not an object of a scene.
        """
        if not isinstance(obj, SceneObject):
            raise TypeError(f"destroy: expected an object of the scene, found {obj!r:.60}")
        if obj.is_alive:
            for item in obj.subtree():
                item.end()
                self.space.changed(item.id)
            self._doomed.append(obj)

    def flush(self) -> None:
        """Remove the objects that were marked by `destroy`.

        Children are removed before their parents. The last hooks of the scripts run first.
        """
        while self._doomed:
            obj = self._doomed.pop(0)
            for item in reversed(obj.subtree()):
                for slot in list(item.components):
                    self._let_go(slot)
            for item in reversed(obj.subtree()):  # including objects that their last hooks added
                self._remove(item)
            siblings = self.children_of(obj.parent)
            if obj in siblings:
                siblings.remove(obj)

    def clear(self) -> None:
        """Remove all objects at once, and restart the count from which ids are generated."""
        while self.roots:
            for obj in list(self.roots):
                self.destroy(obj)
            self.flush()
        self._made = 0

    def detach(self, slot: ComponentSlot) -> None:
        """Remove a component from its object at once; does nothing if it is already removed."""
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
        """Move an object below another parent.

        Args:
            obj: the object to move.
            parent: its new parent; None makes it a root.
            index: index among its new siblings; None appends it.
            keep_world: True to keep its place in the world, False to keep its transform relative to
                the parent. A parent that is rotated and scaled unevenly allows the former only
                approximately.

        Raises:
            ValueError: the new parent lies below the object, or either object was destroyed. Or the
                place in the world is to be kept, and the parent is scaled to nothing.
        """
        for item in (obj, obj if parent is None else parent):
            self._check_there(item, "parent", is_staying=True)
        if keep_world and parent is not None and parent.transform.is_flat:
            raise ValueError(
                "parent: expected one whose scale is not 0, below which a place can be kept, got "
                f"{parent.path}"
            )
        before = obj.transform.world_matrix if keep_world else None
        if parent is not None and parent in obj.subtree():
            raise ValueError(f"parent: expected an object outside {obj.path}, got {parent.path}")
        self.children_of(obj.parent).remove(obj)
        obj.hang_below(parent)
        siblings = self.children_of(parent)
        siblings.insert(len(siblings) if index is None else index, obj)
        above = parent.transform.slot if parent is not None else -1
        self.transforms.set_parent(obj.transform.slot, above)
        if before is not None:
            obj.transform.place(before)
        self.structure_revision += 1
        self.activity_changed(obj)
        obj.touch_subtree()

    def run_with(self, host: ComponentHost) -> None:
        """Set the script host, which runs the scene's scripts."""
        self.host = host

    # -- other scenes -------------------------------------------------------------------------

    def open(
        self, path: str, *, given: Mapping[str, object] | None = None, fade: float = 0.5
    ) -> None:
        """End this scene and open another one of the project: `open("scenes/cave.scene.json")`.

        The file is checked first. If it is missing or invalid, the error is raised here, and this
        scene goes on. Otherwise the picture fades out, this scene's scripts end, and the other
        scene begins anew, as its file has it. Until then this scene goes on, and further calls do
        nothing. In a window with unsaved edits the user is asked first.

        Args:
            path: path of the scene file, relative to the project, with `/`.
            given: data for the other scene, whose scripts read it as `self.scene.given`: a dict of
                numbers, texts, lists and dicts. Vectors and NumPy arrays arrive as lists.
            fade: real seconds in which the picture fades to black, and as many in which it comes
                back. Without a window the change is immediate.

        Raises:
            UsageError: there is no such file in the project, it is no valid scene, an argument
                does not fit, or this scene is an environment that a program steps.
            ValueError: `given` holds something else than such data.
            LookupError: this scene does not run.
        """
        if self.host is None:
            raise LookupError("scene.open: expected a scene that runs, found one at rest")
        with self.uncounted():
            self.host.run.open_scene(path, given, fade)

    @property
    def given(self) -> JsonObject:
        """What the script that opened this scene has given it; a copy, empty if there is nothing.

        For example `lives = self.scene.given.get("lives", 3)`.
        """
        return {} if self.host is None else deep_copy(self.host.run.given)

    def show_with(self, painter: Painter, picker: Callable[[float, float], str | None]) -> None:
        """Connect the scene to the 3D view in which it is drawn.

        Args:
            painter: draws shapes and text on canvases.
            picker: called with a pixel (x, y) of the view; returns the id of the object drawn
                there, or None.
        """
        self.painter = painter
        self.picker = picker

    def watching(self, seconds: float) -> AbstractContextManager[None]:
        """Return a context that interrupts a script whose block takes longer than `seconds`.

        Without a script host the time is not limited.
        """
        host = self.host
        return contextlib.nullcontext() if host is None else host.watchdog.watching(seconds)

    def uncounted(self) -> AbstractContextManager[None]:
        """Return a context in which Goishi loads something that a script has asked for.

        Its time does not count as the script's.
        """
        host = self.host
        return contextlib.nullcontext() if host is None else host.watchdog.uncounted()

    # -- telling ------------------------------------------------------------------------------

    def structure_changed(self) -> None:
        """Report that objects or components were added, removed or replaced."""
        self.structure_revision += 1

    def visual_changed(self, obj: SceneObject) -> None:
        """Report that an object's look has changed."""
        self._changes.visual.add(obj.id)
        self.space.changed(obj.id)
        if self.journal is not None:
            self.journal.add(obj)

    def texture_painted(self, obj: SceneObject) -> None:
        """Report that only the pixels of an object's texture have changed."""
        self._changes.painted.add(obj.id)

    def points_changed(self, obj: SceneObject) -> None:
        """Report that only an object's point cloud has changed."""
        self._changes.pointed.add(obj.id)

    def activity_changed(self, obj: SceneObject) -> None:
        """Notify the script host of all components of a subtree whose activity may have changed."""
        if self.host is not None and not self._is_quiet:
            for item in obj.subtree():
                for slot in item.components:
                    self.host.activity_changed(slot)

    @contextlib.contextmanager
    def quiet(self) -> Iterator[None]:
        """Context manager in whose block no script is notified about disabled or moved objects.

        In the block objects may be enabled, disabled or given another parent. The block must undo
        these changes before it ends.
        """
        self._is_quiet = True
        try:
            yield
        finally:
            self._is_quiet = False

    def drain_changes(self) -> SceneChanges:
        """Return the changes since the last call and start a new record."""
        changes, self._changes = self._changes, SceneChanges()
        return changes

    def load_document(self, document: SceneDocument) -> None:
        """Fill the scene from a checked scene document: its settings and all objects."""
        self.id = document.id
        self.settings = document.settings
        self.project = document.project
        self.extra, self.extra_settings = document.unknown_keys()
        self.authored_settings = dict(document.data.get("settings", {}))
        self.has_settings = "settings" in document.data
        self.authored_order = tuple(document.data["objects"])
        restore_all(self, document_states(document))

    def _check_there(self, obj: SceneObject, key: str, *, is_staying: bool = False) -> None:
        """Check that an object is in the scene.

        Args:
            obj: the object.
            key: name of the argument that held the object, for the error message.
            is_staying: whether to refuse an object that is marked for destruction, too.

        Raises:
            ValueError: the object was destroyed, or it is marked and `is_staying` is True.
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


# -- capturing ------------------------------------------------------------------------------------


def siblings_of(obj: SceneObject) -> list[SceneObject]:
    """Return the list that holds an object and its siblings."""
    return obj.scene.children_of(obj.parent)


def next_order(siblings: Sequence[SceneObject]) -> float:
    """Return the `order` number of an object that is added behind its siblings.

    Args:
        siblings: the objects already there.
    """
    return siblings[-1].order + 1 if siblings else 0.0


def capture_component(slot: ComponentSlot) -> ComponentState:
    """Return a component's state, a copy that can be restored later."""
    return ComponentState(
        slot.id,
        slot.type_name,
        deep_copy(slot.values),
        deep_copy(slot.extra),
        slot.is_enabled,
        slot.prefab_id,
        slot.stands_for,
    )


def capture(obj: SceneObject, index: int | None = None) -> ObjectState:
    """Return an object's state, without its children, as a copy that can be restored later.

    Args:
        obj: the object.
        index: its index among its siblings; None to look it up.
    """
    transform = obj.transform
    return ObjectState(
        id=obj.id,
        name=obj.name,
        parent="" if obj.parent is None else obj.parent.id,
        index=siblings_of(obj).index(obj) if index is None else index,
        order=obj.order,
        position=vector(transform.position.tolist()),
        rotation=vector(transform.rotation.tolist()),
        scale=vector(transform.scale.tolist()),
        enabled=obj.enabled,
        visible=obj.visible,
        casts_shadow=obj.casts_shadow,
        model=deep_copy(obj.model),
        material=deep_copy(obj.material),
        texture=obj.texture,
        extra=deep_copy(obj.extra),
        components=tuple([capture_component(slot) for slot in obj.components]),
        authored=obj.authored,
        loaded=obj.loaded,
    )


def capture_below(obj: SceneObject, index: int | None = None) -> tuple[ObjectState, ...]:
    """Return the states of an object and its descendants, parents first.

    Args:
        obj: the object.
        index: its index among its siblings; None to look it up.
    """
    found: list[ObjectState] = []
    open_ones = [(obj, siblings_of(obj).index(obj) if index is None else index)]
    for item, place in open_ones:
        found.append(capture(item, place))
        open_ones.extend((child, number) for number, child in enumerate(item.children))
    return tuple(found)


def capture_scene(scene: Scene) -> SceneState:
    """Return the states of all objects of a scene."""
    return tuple(
        state for index, root in enumerate(scene.roots) for state in capture_below(root, index)
    )


# -- restoring ------------------------------------------------------------------------------------


def restore(scene: Scene, state: ObjectState) -> SceneObject:
    """Create an object from its state, at its index among siblings; its scripts start anew.

    Raises:
        LimitError: the scene holds `max_objects` already.
    """
    obj = scene.spawn(
        state.name,
        parent=scene.get(state.parent) if state.parent else None,
        position=state.position,
        rotation=state.rotation,
        scale=state.scale,
        model=state.model,
        material=state.material,
        object_id=state.id,
    )
    siblings = siblings_of(obj)
    siblings.insert(state.index, siblings.pop())
    obj.order = state.order
    obj.enabled = state.enabled
    obj.visible = state.visible
    obj.casts_shadow = state.casts_shadow
    if state.texture is not None:
        obj.texture = state.texture
    obj.extra = deep_copy(state.extra)
    obj.authored, obj.loaded = state.authored, state.loaded
    for component in state.components:
        if scene.component(component.id) is None:
            restore_component(obj, component, len(obj.components))
    return obj


def restore_component(obj: SceneObject, state: ComponentState, index: int) -> ComponentSlot:
    """Create a component from its state; its script starts anew.

    Args:
        obj: the object to add it to.
        state: state of the component.
        index: position of the component among those of the object.
    """
    slot = obj.scene.attach(obj, state.type_name, deep_copy(state.values), state.id)
    obj.components.insert(index, obj.components.pop())
    slot.extra = deep_copy(state.extra)
    slot.is_enabled = state.is_enabled
    slot.prefab_id = state.prefab_id
    slot.stands_for = state.stands_for
    return slot


def restore_all(scene: Scene, states: Iterable[ObjectState]) -> list[SceneObject]:
    """Create objects from their states, in the given order, parents first.

    Args:
        scene: the scene to add them to.
        states: states of the objects.

    Returns:
        The new objects.

    Raises:
        LimitError: the scene holds `max_objects` already. The objects created so far stay.
    """
    return [restore(scene, state) for state in states]


def restore_scene(scene: Scene, state: SceneState) -> None:
    """Replace all objects of a scene by those of a state, with the same ids; scripts start anew."""
    scene.clear()
    restore_all(scene, state)


# -- copies, prefabs and robots -------------------------------------------------------------------


def instance_states(
    scene: Scene,
    path: str,
    object_id: str,
    *,
    parent: str = "",
    index: int = 0,
    order: float = 0.0,
    position: Sequence[float] | None = None,
    name: str | None = None,
) -> list[ObjectState]:
    """Return the states of a new instance of a prefab of the scene's project, parents first.

    Args:
        scene: the scene whose project has the prefab; it is not changed.
        path: project-relative POSIX path of the `*.prefab.json`.
        object_id: id of the new object.
        parent: id of its parent; empty for a root.
        index: index among its siblings.
        order: number by which a scene file sorts siblings.
        position: in the parent's space, metres; None for the prefab's.
        name: name of the object; None for the prefab's.

    Raises:
        SceneFileError: there is no such prefab, or it is invalid.
    """
    with scene.uncounted():
        prefab = scene.prefab_cache.prefab(scene.project, path)
    entry: JsonObject = {"prefab": path, "order": order}
    if parent:
        entry["parent"] = parent
    if position is not None:
        entry["position"] = [float(item) for item in position]
    if name is not None:
        entry["name"] = name
    state = instance_of_entry(object_id, entry, prefab, parent, index)
    return [state, *states_below_instance(object_id, prefab)]


def robot_states(
    scene: Scene,
    path: str,
    make_id: Callable[[str], str],
    *,
    parent: SceneObject | None = None,
    position: Sequence[float] | None = None,
    name: str | None = None,
) -> list[ObjectState]:
    """Return the states of a robot file's objects, with new ids, parents first.

    The file is read again only when it has changed. A console line then lists the parts of the file
    that are not supported and left out.

    Args:
        scene: the scene whose project has the file; it is not changed.
        path: project-relative POSIX path of the URDF or MJCF file.
        make_id: returns a new id for a prefix, "obj" or "cmp".
        parent: parent of the robot's topmost object; None for a root.
        position: position of the topmost object in its parent's space, metres; None for the file's.
        name: name of the topmost object; None for the file's.

    Raises:
        SceneFileError: there is no such robot in the project, or it is invalid.
        LimitError: the scene would hold more than `max_objects`.
    """
    with scene.uncounted():
        data, is_new = scene.prefab_cache.robot(scene.project, path)
    if is_new and data["left_out"] and scene.host is not None:
        scene.host.console.info(f"{path}: left out: {'; '.join(data['left_out'])}")
    check_room(scene, len(data["objects"]))
    siblings = scene.children_of(parent)
    states = states_of_robot(
        data,
        make_id,
        parent="" if parent is None else parent.id,
        index=len(siblings),
        order=next_order(siblings) if siblings else None,
    )
    top = states[0]
    states[0] = replace(
        top,
        name=top.name if name is None else name,
        position=top.position if position is None else vector(position),
    )
    return states


def check_room(scene: Scene, count: int) -> None:
    """Check that `count` more objects fit into a scene.

    Raises:
        LimitError: the scene would hold more than `max_objects`.
    """
    most = scene.settings.max_objects
    if len(scene.objects) + count > most:
        raise LimitError(
            f"scene: expected at most {most} objects (setting max_objects), found {count} more"
        )
