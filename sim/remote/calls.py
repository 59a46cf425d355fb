"""The calls that a remote program can make on the open scene, by name."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Protocol, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from base import wire
from base.errors import FieldError, GoishiError, GoneError, ScriptTimeout, UsageError
from base.spelling import hint_of, near_names
from base.worker.calls import CallTable, check_argument
from sim.core.files.scene_checker import SceneChecker, is_type_name
from sim.core.hangs.watchdog import Watchdog
from sim.core.project.run_context import RunContext
from sim.core.reporting.console import Console
from sim.core.reporting.metrics import MetricStore
from sim.core.scene.fields import collect_fields, find_field
from sim.core.scene.look_check import look_errors
from sim.core.scene.scene import ComponentSlot, Scene, SceneObject
from sim.core.script.script import HOOKS, Script
from sim.core.tasks.clock import Clock
from sim.remote.reads import (
    LINES,
    LOOKS,
    OBJECT,
    PLACES,
    SWITCHES,
    ObjectReads,
    check_batch,
    read_batch,
)
from sim.remote.snapshot import Key

METHODS: Final = (staticmethod, classmethod)
Read: TypeAlias = Callable[[str, str], object]
Write: TypeAlias = Callable[[str, str, object], None]
MOST_LINES: Final = 10_000
MOST_STEPS: Final = 10_000_000
CALLS: Final = (
    "about", "time", "set_time", "play", "stop", "reset", "open", "quit", "find", "objects",
    "read_object", "set_object", "spawn", "destroy", "component", "fields", "read_field",
    "set_field", "read_many", "set_many", "call_method", "image", "metrics", "metric", "console",
)  # fmt: skip
"""Names of the methods of `Calls` that a program may call."""
Json = object
Look: TypeAlias = Mapping[str, object] | None
"""A model or a material in the form of the scene file."""


class Player(Protocol):
    """Plays and stops the scene."""

    def play(self) -> None:
        """Play the scene, or resume it."""

    def stop(self) -> None:
        """Stop the scene and restore it as it was before it played."""

    def reset(self) -> None:
        """Restore the scene, paused at its beginning."""


class Calls:
    """The calls that a remote program can make, answered on the main thread between two frames.

    Args:
        run: the run of the scene, which a program can end.
        scene: the scene that programs read and change.
        clock: the scene's clock.
        console: console whose lines programs can read.
        metrics: numbers that the scene's scripts log.
        watchdog: interrupts the reading of a script's value, or a call, that takes too long.
        player: plays and stops the scene.
        open_scene: ends this scene and opens another, given its path; it raises a `GoishiError` if
            that is not possible.

    Attributes:
        table: the calls by name.
    """

    def __init__(
        self,
        run: RunContext,
        scene: Scene,
        clock: Clock,
        console: Console,
        metrics: MetricStore,
        watchdog: Watchdog,
        player: Player,
        open_scene: Callable[[str], object],
    ) -> None:
        self._run, self._scene, self._clock = run, scene, clock
        self._console, self._metrics, self._watchdog = console, metrics, watchdog
        self._player, self._open = player, open_scene
        self._reads = ObjectReads(scene)
        self.table = CallTable({name: getattr(self, name) for name in CALLS}, checks_types=True)

    # -- the run ------------------------------------------------------------------------------

    def about(self) -> Json:
        """Return facts about the scene.

        Returns:
            A dict: "scene" is the path of the scene, "fixed_dt" the seconds of a fixed step.
        """
        return {"scene": str(self._run.scene_path), "fixed_dt": self._clock.fixed_dt}

    def time(self) -> Json:
        """Return the state of the scene's clock.

        Returns:
            A dict: "time" (scene time, seconds), "speed" (as requested) and "paused".
        """
        clock = self._clock
        return {"time": clock.time, "speed": clock.speed, "paused": clock.paused}

    def set_time(self, paused: bool | None = None, speed: float | None = None) -> None:
        """Pause or resume scene time, and set its speed.

        Args:
            paused: whether to pause; None for no change.
            speed: scene seconds per real second, 1/32 to 64 or infinity; None for no change.

        Raises:
            UsageError: the speed is out of range.
        """
        clock = self._clock
        if speed is not None:
            try:
                clock.speed = speed
            except ValueError as error:
                raise UsageError(str(error)) from None
        if paused is not None:
            clock.pause() if paused else clock.resume()

    def play(self) -> None:
        """Play the scene, or resume it."""
        self._player.play()

    def stop(self) -> None:
        """Stop the scene and restore it as it was before it played."""
        self._player.stop()

    def reset(self) -> None:
        """Restore the scene as it was before it played, paused at its beginning."""
        self._player.reset()

    def open(self, path: str) -> None:
        """End this scene after the present frame, and open another.

        Args:
            path: path of the scene file; a relative one begins at the project's folder.

        Raises:
            GoishiError: the scene cannot be opened; this one goes on.
        """
        self._open(path)

    def quit(self) -> None:
        """End the run with exit code 0."""
        self._run.end(0)

    # -- objects ------------------------------------------------------------------------------

    def find(self, name: str) -> Json:
        """Return the id of the first object with a name or path.

        Args:
            name: the name; a text with a slash is a path.

        Raises:
            GoneError: there is no such object.
        """
        return self._reads.find(name)

    def objects(self, name: str = "", parent: str = "") -> Json:
        """Return ids of objects: all, those with a name, or the children of an object.

        Args:
            name: name or path; empty for all objects. Ignored if there is a `parent`.
            parent: id of the object whose children are returned; empty for none.

        Raises:
            GoneError: `parent` is not in the scene.
        """
        return self._reads.objects(name, parent)

    def read_object(self, id: str, key: str) -> Json:
        """Return a property of an object.

        Args:
            id: the object's id.
            key: position, rotation, scale, world_position, world_rotation, name, visible, enabled,
                model, material, path, parent or components.

        Raises:
            GoneError: the object is not in the scene.
            UsageError: the key is unknown.
        """
        return self._reads.property(id, key)

    def set_object(self, id: str, key: str, value: object) -> None:
        """Set a property of an object, with the checks that scripts have.

        Args:
            id: the object's id.
            key: position, rotation, scale, world_position, world_rotation, name, visible, enabled,
                model or material.
            value: the new value.

        Raises:
            GoneError: the object is not in the scene.
            UsageError: the value does not fit, or the property cannot be set.
        """
        obj = self._object(id)
        if key not in (*PLACES, *SWITCHES, *LOOKS):
            settable = ", ".join((*PLACES, *SWITCHES, *LOOKS))
            raise UsageError(f"object: expected {settable} to be set, found {key!r:.80}")
        if key in ("visible", "enabled") and not isinstance(value, bool):
            raise FieldError(f"{obj.name}.{key}", expected="true or false", found=repr(value)[:80])
        if key in LOOKS:
            check_argument(key, value, Mapping[str, object] | None)
            self._check_look(**{key: cast("Look", value)})
        try:
            setattr(obj.transform if key in PLACES else obj, key, value)
        except (ValueError, TypeError) as error:
            raise UsageError(f"{obj.name}: {error}") from None

    def spawn(
        self,
        name: str,
        model: Mapping[str, object] | None = None,
        parent: str = "",
        position: Sequence[float] = (0.0, 0.0, 0.0),
        rotation: Sequence[float] = (0.0, 0.0, 0.0),
        scale: Sequence[float] = (1.0, 1.0, 1.0),
        material: Mapping[str, object] | None = None,
        components: Sequence[Sequence[object]] = (),
    ) -> Json:
        """Create an object as `Scene.spawn` does; return its id.

        Args:
            name: its name.
            model: `{"builtin": name, …}` or `{"asset": path}`; None for no model.
            parent: id of the parent; empty for a root.
            position: in the parent's space, metres.
            rotation: heading, pitch and roll in degrees.
            scale: factors along x, y and z.
            material: surface of the model; None for the default.
            components: a type name, or (type name, field values), of each component.

        Raises:
            GoneError: the parent is not in the scene.
            GoishiError: a value is invalid; nothing was created.
        """
        above = self._object(parent) if parent else None
        pairs = [_component(item) for item in components]
        self._check_look(model, material)
        try:
            made = self._scene.spawn(
                name,
                model=model,
                parent=above,
                position=position,
                rotation=rotation,
                scale=scale,
                material=material,
                components=pairs,
            )
        except GoishiError:
            raise
        except (ValueError, TypeError) as error:
            raise UsageError(f"spawn: {error}") from None
        try:
            for slot, (_, values) in zip(made.components, pairs, strict=True):
                _check_component(slot, values)
        except GoishiError:
            self._scene.destroy(made)
            raise
        return made.id

    def _check_look(self, model: Look = None, material: Look = None) -> None:
        """Check a model and a material.

        Raises:
            UsageError: no object can look so.
        """
        scene = self._scene
        if model is not None:
            checker = SceneChecker("", scene.project)
            checker.check_object("", {"name": "x", "model": model})
            for fault in checker.faults:
                raise UsageError(f"{fault.key}: expected {fault.expected}, found {fault.found}")
        for text in look_errors(model or {}, material or {}, scene.models):
            raise UsageError(text)

    def destroy(self, id: str) -> None:
        """Destroy an object and all its descendants.

        Raises:
            GoneError: the object is not in the scene.
        """
        self._scene.destroy(self._object(id))

    # -- components ---------------------------------------------------------------------------

    def component(self, name: str, id: str = "") -> Json:
        """Return the id of the first component of a class.

        Args:
            name: the component's class name, type name or id.
            id: id of the object to search; empty for the whole scene.

        Raises:
            GoneError: there is no such component or object.
        """
        return self._reads.component(name, id)

    def fields(self, component: str) -> Json:
        """Return the names of a component's stored fields; `component` is its id.

        Raises:
            GoneError: the component is not in the scene.
        """
        return list(self._slot(component).values)

    def read_field(self, component: str, name: str) -> Json:
        """Return a field of a component, or another public attribute of its script.

        Args:
            component: the component's id.
            name: name of the field or attribute.

        Raises:
            GoneError: the component is not in the scene.
            UsageError: there is no such attribute, or reading it failed.
        """
        slot = self._slot(component)
        where = f"{slot.class_name}.{name:.80}"
        if slot.instance is None or name.startswith("_"):
            raise UsageError(f"{where}: expected a field or public value, found none")
        declared = find_field(type(slot.instance), name)
        try:
            with self._watchdog.watching():
                found = getattr(slot.instance, name)
        except AttributeError:
            known = [item for item in dir(type(slot.instance)) if not item.startswith("_")]
            hint = hint_of(near_names(known, name), name)
            text = f"{where}: expected a field or public value, found none{hint}"
            raise UsageError(text) from None
        except (Exception, ScriptTimeout) as error:
            raise UsageError(f"{where}: {type(error).__name__}: {error}") from None
        if declared is not None:
            return declared.dump(found)
        return {"$method": name} if inspect.ismethod(found) or inspect.isfunction(found) else found

    def set_field(self, component: str, name: str, value: object) -> None:
        """Set a field of a component with the checks of the Inspector.

        Args:
            component: the component's id.
            name: name of the field.
            value: raw value, in the form of the scene file.

        Raises:
            GoneError: the component is not in the scene.
            FieldError: there is no such field, or the value does not fit; nothing was changed.
        """
        slot = self._slot(component)
        slot.host.set_field(slot, name, value)

    def read_many(self, kinds: str, ids: Sequence[str], keys: Sequence[str]) -> Json:
        """Return several values, all of this moment; see `read_batch`.

        Args:
            kinds: a letter for each value: "o" for an object's property, "c" for a field.
            ids: the id of each object or component.
            keys: the name of each property or field.

        Raises:
            GoishiError: one of them cannot be read.
        """
        check_batch("read", kinds, ids, keys)
        return read_batch(kinds, ids, keys, self)

    def places(self, key: str, ids: Sequence[str]) -> npt.NDArray[np.float64]:
        """Return a property such as "position" of n objects, `[n, 3]`; no call of programs."""
        return np.array([self._reads.property(item, key) for item in ids])

    def set_many(
        self, kinds: str, ids: Sequence[str], keys: Sequence[str], values: Sequence[object]
    ) -> None:
        """Set several values between two frames: all of them, or none if one is refused.

        Args:
            kinds: a letter for each value: "o" for an object's property, "c" for a field.
            ids: the id of each object or component.
            keys: the name of each property or field.
            values: the new values.

        Raises:
            GoishiError: one of them cannot be set; what was set before it is set back.
        """
        check_batch("write", kinds, ids, keys)
        if len(values) != len(kinds):
            expected = f"a list of {len(kinds)} values"
            raise FieldError("write.values", expected=expected, found=str(len(values)))
        done: list[tuple[str, str, str, object]] = []
        try:
            for kind, item, key, value in zip(kinds, ids, keys, values, strict=True):
                read, write = self._doors(kind)
                before = wire.copied(read(item, key), key)
                done.append((kind, item, key, before))
                write(item, key, value)
        except GoishiError:
            for kind, item, key, before in reversed(done):
                with contextlib.suppress(GoishiError):
                    self._doors(kind)[1](item, key, before)
            raise

    def _doors(self, kind: str) -> tuple[Read, Write]:
        """Return what reads and what sets a value of a batch, by the letter of its kind."""
        if kind == OBJECT:
            return self.read_object, self.set_object
        return self.read_field, self.set_field

    def call_method(
        self,
        component: str,
        name: str,
        arguments: Sequence[object] = (),
        named: Mapping[str, object] | None = None,
    ) -> Json:
        """Call a public method of a component's script and return its result.

        Args:
            component: the component's id.
            name: name of the method.
            arguments: its positional arguments.
            named: its keyword arguments; None for none.

        Raises:
            GoneError: the component is not in the scene.
            UsageError: there is no such method, it failed, or its result cannot be sent.
        """
        slot = self._slot(component)
        method = public_method(slot, name)
        where = f"{slot.class_name}.{name}"
        try:
            inspect.signature(method).bind(*arguments, **(named or {}))
        except TypeError as error:
            raise UsageError(f"{where}: {error}") from None
        try:
            with self._watchdog.watching():
                found = method(*arguments, **(named or {}))
        except (Exception, ScriptTimeout) as error:
            raise UsageError(f"{where}: {type(error).__name__}: {error}") from None
        return wire.copied(found, f"{where}: result")

    # -- for snapshots ------------------------------------------------------------------------

    def read(self, key: Key) -> object:
        """Return a value that snapshots keep; no call of programs.

        Args:
            key: name of the call, and two of its arguments as texts.

        Raises:
            GoishiError: it cannot be read.
        """
        name, first, second = key
        match name:
            case "read_object":
                return self.read_object(first, second)
            case "read_field":
                return self.read_field(first, second)
            case "fields":
                return self.fields(first)
            case "metric":
                return self.metric(first)
            case "metrics":
                return self.metrics()
            case "time":
                return self.time()
            case _:
                return self.console(int(first))

    def facts(self) -> Mapping[str, object]:
        """Return the results of the calls without arguments that snapshots keep."""
        return {"about": self.about(), "time": self.time()}

    # -- what can be seen ---------------------------------------------------------------------

    def image(self, width: int = 640, height: int = 360) -> npt.NDArray[np.uint8]:
        """Return a picture of what the scene's camera sees, RGB `[height, width, 3]`.

        Args:
            width: pixels, 16 to 4096.
            height: pixels, 16 to 4096.

        Raises:
            UsageError: a side is out of range.
            GoishiError: the run has no graphics.
        """
        try:
            return self._scene.camera.image(width, height)
        except GoishiError:
            raise
        except (ValueError, TypeError) as error:
            raise UsageError(f"image: {error}") from None

    def metrics(self) -> Json:
        """Return the names of the metrics logged so far."""
        return self._metrics.names()

    def metric(self, name: str) -> npt.NDArray[np.float64]:
        """Return the steps and values of a metric, `[n, 2]`."""
        return np.stack(self._metrics.series(name), axis=1)

    def console(self, last: int = LINES) -> Json:
        """Return the last lines of the console: level, text and number of repetitions of each.

        Args:
            last: number of lines at most, 1 to 10000.
        """
        records = list(self._console.records)[-checked_number("last", last, MOST_LINES) :]
        return [{"level": one.level, "text": str(one), "count": one.count} for one in records]

    # -- finding ------------------------------------------------------------------------------

    def _object(self, object_id: str) -> SceneObject:
        """Return the object with an id.

        Raises:
            GoneError: it is not in the scene.
        """
        self._reads.object(object_id)
        return self._scene.objects[object_id]

    def _slot(self, component_id: str) -> ComponentSlot:
        found = self._scene.component(component_id)
        if found is None:
            raise GoneError(
                f"component {component_id:.80}: expected it in the scene, found it gone"
            )
        return found


def _component(item: object) -> tuple[str, Mapping[str, object]]:
    """Return the type name and the field values of a component to be created.

    Args:
        item: a type name, or a list of type name and field values.

    Raises:
        UsageError: `item` is something else.
    """
    match item:
        case str():
            kind, values = item, dict[str, object]()
        case [str() as kind, Mapping() as values]:
            pass
        case _:
            raise UsageError(f"components: expected [type, values] of each, found {item!r:.80}")
    if not is_type_name(kind):
        raise UsageError(f"components: expected a type like scripts.x:Class, found {kind!r:.80}")
    return kind, values


def _check_component(slot: ComponentSlot, values: Mapping[str, object]) -> None:
    """Check that a new component was loaded, and that its field values fit.

    Args:
        slot: the component.
        values: the raw values that it was given.

    Raises:
        GoishiError: the script could not be loaded, or a value does not fit.
    """
    if slot.error is not None:
        raise UsageError(f"spawn: {slot.type_name}: {slot.error.text}")
    if slot.instance is None:  # scripts of a project that is open safely
        return
    for name, raw in values.items():
        declared = find_field(type(slot.instance), name)
        if declared is None:
            hint = hint_of(collect_fields(type(slot.instance)), name)
            where = f"{slot.class_name}.{name:.80}"
            raise FieldError(where, expected="a field", found=f"none{hint}")
        declared.parse(raw, slot.resolve_reference)


def public_method(slot: ComponentSlot, name: str) -> Callable[..., object]:
    """Return a method of a component's script that programs may call.

    These are the public methods of the script's own class, without hooks and coroutines.

    Args:
        slot: the component.
        name: name of the method.

    Raises:
        UsageError: there is no such method.
    """
    kind = type(slot.instance)
    own = [cls for cls in kind.__mro__ if cls not in Script.__mro__]
    names = {
        key
        for cls in own
        for key, value in vars(cls).items()
        if inspect.isfunction(getattr(value, "__wrapped__", value)) or isinstance(value, METHODS)
    }
    offered = {key for key in names if not key.startswith("_") and key not in HOOKS}
    where = f"{slot.class_name}.{name:.80}"
    if slot.instance is None or name not in offered:
        found = "a hook" if name in HOOKS else f"{', '.join(sorted(offered)) or 'none':.500}"
        raise UsageError(f"{where}: expected a public method of the script, found {found}")
    method: Callable[..., object] = getattr(slot.instance, name)
    if inspect.iscoroutinefunction(method) or inspect.isgeneratorfunction(method):
        raise UsageError(f"{where}: expected a method that returns at once, found a coroutine")
    return method


def checked_number(name: str, value: object, most: int) -> int:
    """Return `value` after checking that it is a whole number from 1 to `most`.

    Args:
        name: name of the value, for the error message.
        value: the value.
        most: greatest permitted value.

    Raises:
        FieldError: it is not.
    """
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        expected = f"a whole number from 1 to {most}"
        raise FieldError(name, expected=expected, found=repr(value)[:80])
    return value
