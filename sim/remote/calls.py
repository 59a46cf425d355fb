"""The calls that a program can make on the scene that is open, by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from base.errors import FieldError, GoishiError, GoneError, ScriptTimeout, UsageError
from base.worker.calls import CallTable
from sim.core.hangs.watchdog import Watchdog
from sim.core.project.run_context import RunContext
from sim.core.reporting.console import Console
from sim.core.reporting.metrics import MetricStore
from sim.core.scene.fields import find_field
from sim.core.scene.scene import ComponentSlot, Scene, SceneObject
from sim.core.tasks.clock import Clock

PLACES: Final = ("position", "rotation", "scale", "world_position", "world_rotation")
SWITCHES: Final = ("name", "visible", "enabled")
LOOKS: Final = ("model", "material")
MOST_LINES: Final = 10_000
MOST_STEPS: Final = 10_000_000
CALLS: Final = (
    "about", "time", "set_time", "find", "objects", "read_object", "set_object", "spawn", "destroy",
    "component", "fields", "read_field", "set_field", "image", "metrics", "metric", "console",
    "quit",
)  # fmt: skip
"""The methods that a program may call."""
Json = object


class Calls:
    """Answers calls on the main thread, between two frames.

    Args:
        run: the run of the scene, which a program can end.
        scene: what a program reads and changes.
        clock: its time.
        console: its lines.
        metrics: what its scripts log.
        watchdog: interrupts values of scripts that take too long.

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
    ) -> None:
        self._run, self._scene, self._clock = run, scene, clock
        self._console, self._metrics, self._watchdog = console, metrics, watchdog
        self.table = CallTable({name: getattr(self, name) for name in CALLS})

    # -- the run ------------------------------------------------------------------------------

    def about(self) -> Json:
        """Return which scene this is, and its fixed step in seconds."""
        return {"scene": str(self._run.scene_path), "fixed_dt": self._clock.fixed_dt}

    def time(self) -> Json:
        """Return scene time (seconds), speed, and whether it is paused."""
        clock = self._clock
        return {"time": clock.time, "speed": clock.speed, "paused": clock.paused}

    def set_time(self, paused: bool | None = None, speed: float | None = None) -> None:
        """Pause or resume, and set the speed."""
        clock = self._clock
        if speed is not None:
            if isinstance(speed, bool) or not isinstance(speed, int | float):
                raise FieldError("speed", expected="a number", found=repr(speed)[:80])
            try:
                clock.speed = speed
            except ValueError as error:
                raise UsageError(str(error)) from None
        if paused is not None:
            clock.pause() if paused else clock.resume()

    def quit(self) -> None:
        """End the run."""
        self._run.finish(0)

    # -- objects ------------------------------------------------------------------------------

    def find(self, name: str) -> Json:
        """Return the id of the first object of this name or path.

        Raises:
            GoneError: there is none.
        """
        found = self._scene.find(name)
        if found is None:
            raise GoneError(f"find: expected an object of the scene, found none called {name!r}")
        return found.id

    def objects(self, name: str = "", parent: str = "") -> Json:
        """Return the ids of all objects, or of those of a name, or below a parent."""
        scene = self._scene
        if parent:
            return [child.id for child in self._object(parent).children]
        found = scene.find_all(name) if name else list(scene.objects.values())
        return [obj.id for obj in found if obj.is_alive]

    def read_object(self, id: str, key: str) -> Json:
        """Return a value of an object.

        Raises:
            GoneError: it is not in the scene.
            UsageError: it has no such value.
        """
        obj = self._object(id)
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

    def set_object(self, id: str, key: str, value: object) -> None:
        """Set a value of an object, as a script does.

        Raises:
            GoneError: it is not in the scene.
            UsageError: the value does not fit, or cannot be set.
        """
        obj = self._object(id)
        if key not in (*PLACES, *SWITCHES, *LOOKS):
            settable = ", ".join((*PLACES, *SWITCHES, *LOOKS))
            raise UsageError(f"object: expected {settable} to be set, found {key!r:.80}")
        if key in ("visible", "enabled") and not isinstance(value, bool):
            raise FieldError(f"{obj.name}.{key}", expected="true or false", found=repr(value)[:80])
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
        """Create an object as `scene.spawn` does; return its id.

        Raises:
            UsageError: a value is invalid; nothing was created.
        """
        above = self._object(parent) if parent else None
        pairs = [_component(item) for item in components]
        try:
            made = self._scene.spawn(
                name, model=model, parent=above, position=position, rotation=rotation,
                scale=scale, material=material, components=pairs,
            )  # fmt: skip
        except GoishiError:
            raise
        except (ValueError, TypeError) as error:
            raise UsageError(f"spawn: {error}") from None
        return made.id

    def destroy(self, id: str) -> None:
        """Destroy an object and all below it."""
        self._scene.destroy(self._object(id))

    # -- components ---------------------------------------------------------------------------

    def component(self, name: str, id: str = "") -> Json:
        """Return the id of the first component of a class, of an object or of the scene.

        Raises:
            GoneError: there is none.
        """
        slots = self._object(id).components if id else self._scene.components()
        for slot in slots:
            if slot.is_called(name):
                return slot.id
        where = f"object {self._object(id).name}" if id else "scene"
        names = sorted({slot.class_name for slot in slots})
        raise GoneError(f"{where}: expected a component {name}, found {', '.join(names) or 'none'}")

    def fields(self, component: str) -> Json:
        """Return the names of a component's fields."""
        return list(self._slot(component).values)

    def read_field(self, component: str, name: str) -> Json:
        """Return a field of a component, or another public value of its script.

        Raises:
            GoneError: the component is not in the scene.
            UsageError: it has no such value; to read it failed.
        """
        slot = self._slot(component)
        where = f"{slot.class_name}.{name}"
        if slot.instance is None or name.startswith("_"):
            raise UsageError(f"{where}: expected a field or public value, found none")
        declared = find_field(type(slot.instance), name)
        try:
            with self._watchdog.watching():
                found = getattr(slot.instance, name)
        except AttributeError:
            raise UsageError(f"{where}: expected a field or public value, found none") from None
        except (Exception, ScriptTimeout) as error:
            raise UsageError(f"{where}: {type(error).__name__}: {error}") from None
        return found if declared is None else declared.dump(found)

    def set_field(self, component: str, name: str, value: object) -> None:
        """Set a field of a component as the Inspector does.

        Raises:
            GoneError: the component is not in the scene.
            FieldError: it has no such field, or the value does not fit; nothing was changed.
        """
        slot = self._slot(component)
        slot.host.set_field(slot, name, value)

    # -- what can be seen ---------------------------------------------------------------------

    def image(self, width: int = 640, height: int = 360) -> npt.NDArray[np.uint8]:
        """Return what the scene's camera sees, RGB `[height, width, 3]`.

        Raises:
            UsageError: the size is none, or nothing is drawn.
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
        """Return a metric: steps and values, `[n, 2]`."""
        return np.stack(self._metrics.series(name), axis=1)

    def console(self, last: int = 100) -> Json:
        """Return the last lines of the console, as the panel shows them."""
        records = list(self._console.records)[-checked_number("last", last, MOST_LINES) :]
        return [{"level": one.level, "text": str(one), "count": one.count} for one in records]

    # -- finding ------------------------------------------------------------------------------

    def _object(self, object_id: str) -> SceneObject:
        found = self._scene.get(object_id)
        if found is None or not found.is_alive:
            raise GoneError(f"object {object_id}: expected it in the scene, found it gone")
        return found

    def _slot(self, component_id: str) -> ComponentSlot:
        found = self._scene.component(component_id)
        if found is None:
            raise GoneError(f"component {component_id}: expected it in the scene, found it gone")
        return found


def _component(item: object) -> tuple[str, Mapping[str, object]]:
    """Return a component's type and values.

    Raises:
        UsageError: it is something else.
    """
    match item:
        case str():
            return item, {}
        case [str() as kind, Mapping() as values]:
            return kind, values
    raise UsageError(f"components: expected [type, values] of each, found {item!r:.80}")


def checked_number(name: str, value: object, most: int) -> int:
    """Return a whole number from 1 to `most`.

    Raises:
        FieldError: it is none.
    """
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        expected = f"a whole number from 1 to {most}"
        raise FieldError(name, expected=expected, found=repr(value)[:80])
    return value
