"""`Script`: the base class of components."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np

from base.values import JsonObject
from sim.core.geometry.rotations import checked_vector
from sim.core.reporting.python_text import called
from sim.core.scene.fields import former_overrides
from sim.core.script.coroutines import Task
from sim.core.script.hud import Hud
from sim.core.script.job import JobCall, Report
from sim.core.script.panels import Drawing
from sim.core.script.runtime import Handler
from sim.core.script.services import Time, services_of
from sim.core.tasks.waits import NextFrame, Seconds, Tween, Until, Wait

if TYPE_CHECKING:
    from sim.core.audio.sound_bank import AudioBackend
    from sim.core.canvas.canvas import Canvas
    from sim.core.input.input_actions import InputActions
    from sim.core.project.run_context import RunContext
    from sim.core.reporting.console import Level
    from sim.core.reporting.metrics import MetricStore
    from sim.core.scene.scene import ComponentSlot, Scene, SceneObject
    from sim.core.script.panels import Dock, Drawing, PanelRegistry, StatusBoard
    from sim.core.workers.pool import Links


class Log:
    """Writes console lines on behalf of one component."""

    def __init__(self, slot: ComponentSlot) -> None:
        self._slot = slot

    def debug(self, text: str) -> None:
        """Add a line for the author of the script."""
        self._write("debug", text)

    def info(self, text: str) -> None:
        """Add a line."""
        self._write("info", text)

    def warning(self, text: str) -> None:
        """Add a warning."""
        self._write("warning", text)

    def error(self, text: str) -> None:
        """Add an error; the component goes on."""
        self._write("error", text)

    def python(self, source: str) -> None:
        """Add a line of Python that does what the user just did by hand."""
        self._slot.host.console.python(source)

    def _write(self, level: Level, text: str) -> None:
        slot = self._slot
        slot.host.console.write(
            level, str(text), source=slot.object.path, component=slot.class_name
        )


Call = Callable[..., object]
Function = TypeVar("Function", bound=Call)

HOOKS: dict[str, int] = {
    "awake": 0,
    "enable": 0,
    "start": 0,
    "fixed_update": 1,
    "update": 1,
    "late_update": 1,
    "disable": 0,
    "destroy": 0,
    "validate": 0,
    "reloaded": 1,
    "save_state": 0,
    "load_state": 1,
}
"""Every hook, with the number of its arguments after `self`."""


def action(function: Function) -> Function:
    """Offer the decorated method, which takes no arguments, as a button in the Inspector."""
    function.__dict__["is_action"] = True
    return function


class Script:
    """Base class of components: override the hooks that you need; unused hooks cost nothing.

    `awake` runs when the fields are set and others may not exist yet; `enable` each time it
    becomes active, `disable` is its twin; `start` once before the first update; `fixed_update`
    any number of times a frame with a constant dt; `update` once a frame; `late_update` after
    all of them; `destroy` last; `validate` after a field was edited; `reloaded` after its file
    was saved and the new code took over. `save_state` and `load_state` are for looking back.
    """

    slot: ComponentSlot
    declared_title: ClassVar[str] = ""
    """What the window calls it: `class Door(Script, title="Front door")`; "": its name in words."""

    former_overrides: ClassVar[Mapping[str, str]] = {}
    """Former names of methods that the class itself defines, with the present names."""

    def __init_subclass__(cls, *, title: str = "", **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.declared_title = title
        cls.former_overrides = former_overrides(cls)
        for former, present in cls.former_overrides.items():
            setattr(cls, present, vars(cls)[former])

    def awake(self) -> None:
        """Called when the fields are set; other components may not exist yet."""

    def enable(self) -> None:
        """Called when the component becomes active."""

    def start(self) -> None:
        """Called once, before the first update, after every `awake`."""

    def fixed_update(self, dt: float) -> None:
        """Called with the same `dt` seconds each time, as often in a frame as time passes.

        Where these calls take too long, scene time slows down for all.
        """

    def update(self, dt: float) -> None:
        """Called once a frame, `dt` seconds after the last."""

    def late_update(self, dt: float) -> None:
        """Called after every `update`, for cameras and overlays."""

    def disable(self) -> None:
        """Called when the component becomes inactive."""

    def destroy(self) -> None:
        """Called last, when the component is removed."""

    def validate(self) -> None:
        """Called after a field was edited."""

    def reloaded(self, old: type) -> None:
        """Called after the script's file was saved; `old` is the replaced class."""

    def save_state(self) -> object:
        """Return what `load_state` needs to go on from here: numbers, texts, arrays, lists, dicts.

        Called after each frame while one can look back; it changes nothing.
        """
        return None

    def load_state(self, state: object) -> None:
        """Called where the scene continues from an earlier moment, with the state of that time."""

    # -- what a script has --------------------------------------------------------------------

    @property
    def object(self) -> SceneObject:
        """The object that the component is attached to."""
        return self.slot.object

    @property
    def canvas(self) -> Canvas:
        """The picture on the object, to draw on: see `object.canvas`."""
        return self.object.canvas

    @property
    def hud(self) -> Hud:
        """Canvases and buttons over the view."""
        return Hud(self.slot, services_of(self.slot).hud, self._followed)

    @property
    def scene(self) -> Scene:
        """The scene that the component is in."""
        return self.slot.object.scene

    @property
    def log(self) -> Log:
        """Writes to the console."""
        return Log(self.slot)

    @property
    def time(self) -> Time:
        """The clock of this frame."""
        return services_of(self.slot).time

    @property
    def input(self) -> InputActions:
        """Keys, pointer and clicks of this frame."""
        return services_of(self.slot).input

    @property
    def metrics(self) -> MetricStore:
        """Metrics: numbers plotted live and written to the run's folder."""
        return services_of(self.slot).metrics

    @property
    def status(self) -> StatusBoard:
        """Lines of the status bar, by key."""
        return services_of(self.slot).status

    @property
    def run(self) -> RunContext:
        """The run that the scene is part of."""
        return services_of(self.slot).run

    @property
    def sound(self) -> AudioBackend:
        """Sounds: `self.sound.play(name)`; silent where there is no loudspeaker."""
        return services_of(self.slot).run.sound

    @property
    def stats(self) -> JsonObject:
        """Additional values for the output of --stats."""
        return services_of(self.slot).run.stats

    @property
    def panels(self) -> PanelRegistry:
        """Registry of panels, commands and legends."""
        return services_of(self.slot).panels

    @property
    def workers(self) -> Links:
        """Worker processes of the app."""
        return services_of(self.slot).links

    @property
    def rng(self) -> np.random.Generator:
        """Random generator of this component, seeded by the run's seed and the component's id."""
        runtime = self.slot.runtime
        if runtime.rng is None:
            text = f"{self.slot.host.run.seed}/{self.slot.id}".encode()
            digest = hashlib.blake2b(text, digest_size=8).digest()
            runtime.rng = np.random.default_rng(int.from_bytes(digest, "little"))
        return runtime.rng

    # -- what a script can do -----------------------------------------------------------------

    def by_hand(self, method: str, *arguments: Any) -> Any:
        """Call a method on behalf of the user; the console shows the equivalent Python line.

        `if ui.button("Pause"): self.by_hand("pause")` writes `component("Player").pause()`.

        Args:
            method: name of a method of this script.
            arguments: plain values that can be typed at the prompt.
        """
        self.log.python(f"{self.expression}.{called(method, *arguments)}")
        return getattr(self, method)(*arguments)

    @property
    def expression(self) -> str:
        """Source that finds this script at the prompt: `component("Match")`, or by its id."""
        own = self.slot
        named = (slot for slot in self.scene.components() if slot.class_name == own.class_name)
        first = next((slot for slot in named if slot.instance is not None), own)
        name = own.class_name if first is own else own.id
        return f'component("{name}")'

    def start_coroutine(self, coroutine: Any) -> Task:
        """Start an async function or a generator as a task that can be cancelled."""
        return services_of(self.slot).tasks.start(self.slot, coroutine)

    def seconds(self, duration: float) -> Wait:
        """Wait for seconds of scene time: `await self.seconds(0.5)`."""
        return Seconds(duration)

    def next_frame(self) -> Wait:
        """Wait for the next frame."""
        return NextFrame()

    def until(self, predicate: Call) -> Wait:
        """Wait until `predicate()` is true; it is called once a frame."""
        return Until(predicate)

    def background(self, pending: Wait, on_progress: Report | None = None) -> Wait:
        """Wait for a worker: `await self.background(train(images))` for a `@job` function `train`.

        Also `await self.background(link.request(...))` for a worker of one's own.

        Args:
            pending: a job's call, which starts now, or a request.
            on_progress: called with a fraction and a dict when the job reports.

        Raises:
            JobError: an argument of the job cannot be sent.
            TypeError: it is neither a job's call nor a request.
        """
        if isinstance(pending, JobCall):
            return services_of(self.slot).jobs.start(self.slot, pending, on_progress)
        if not isinstance(pending, Wait):
            hint = "; call it: self.background(f(...))" if callable(pending) else ""
            raise TypeError(
                f"background: expected a @job function's call or a worker's request, "
                f"found {pending!r:.60}{hint}"
            )
        return pending

    def move_to(self, position: Sequence[float], *, seconds: float, ease: str = "linear") -> Wait:
        """Move the object: `await self.move_to((0, 0, 1), seconds=0.3, ease="bounce_out")`."""
        return self._tween_attribute("position", position, seconds, ease)

    def rotate_to(self, rotation: Sequence[float], *, seconds: float, ease: str = "linear") -> Wait:
        """Rotate the object to heading, pitch, roll in degrees."""
        return self._tween_attribute("rotation", rotation, seconds, ease)

    def scale_to(self, scale: Sequence[float], *, seconds: float, ease: str = "linear") -> Wait:
        """Scale the object to factors along x, y, z."""
        return self._tween_attribute("scale", scale, seconds, ease)

    def tween(
        self,
        apply: Call,
        start: float | Sequence[float],
        end: float | Sequence[float],
        *,
        seconds: float,
        ease: str = "linear",
    ) -> Wait:
        """Call `apply(value)` each frame while `value` goes from `start` to `end`."""
        return Tween(apply, start, end, seconds, ease)

    def panel(
        self,
        title: str,
        draw: Drawing,
        *,
        dock: Dock = "right",
        order: int = 0,
        icon: str = "",
        is_open: bool = True,
    ) -> None:
        """Add a panel; `draw(ui)` is called each frame while it is open.

        `icon` is a Font Awesome name such as "chart-line"; `dock` its initial place.
        """
        self.panels.register(
            self.slot,
            title,
            self._followed(draw),
            dock=dock,
            order=order,
            icon=icon,
            is_open=is_open,
        )

    def command(
        self,
        name: str,
        label: str,
        callback: Call,
        *,
        key: str = "",
        icon: str = "",
        checked: Callable[[], bool] | None = None,
    ) -> None:
        """Add a command: a button in Playback, a key, a line in the help."""
        self.panels.add_command(
            self.slot, name, label, self._followed(callback), icon=icon, key=key, checked=checked
        )

    def opens_files(self, suffixes: Sequence[str], callback: Call, label: str) -> None:
        """Let the user open files: by a drop onto the window, or by the command of this label.

        Args:
            suffixes: of the files, such as ".sgf".
            callback: called with the path as text; the file may be missing or invalid.
            label: of the command: "Open a game".
        """
        opener = self.panels.add_opener(self.slot, tuple(suffixes), label, self._followed(callback))
        ask = self.panels.ask_file
        self.command("open_file", label, lambda: ask(opener), key="control+o", icon="folder-open")

    def _followed(self, function: Call) -> Call:
        """Return a method of this script so that hot reload reaches it; others as they are.

        Raises:
            TypeError: it cannot be called.
        """
        if not callable(function):
            raise TypeError(f"expected a function to call later, found {function!r:.60}")
        name = getattr(function, "__name__", "")
        is_own = getattr(function, "__self__", None) is self and hasattr(type(self), name)
        return Handler(self.slot, name) if is_own else function

    def _tween_attribute(self, name: str, end: Sequence[float], seconds: float, ease: str) -> Wait:
        transform = self.object.transform
        start, goal = getattr(transform, name), checked_vector(end, name).tolist()
        return Tween(lambda now: setattr(transform, name, now), start, goal, seconds, ease)


def _fetch_directly(owner: type, paths: Mapping[str, str]) -> None:
    """Let properties that every script asks for in every frame be fetched without Python's calls.

    Args:
        owner: the class, whose properties say what they are and of which type.
        paths: for each of those, the attributes that lead there.
    """
    for name, path in paths.items():
        setattr(owner, name, property(attrgetter(path), doc=getattr(owner, name).__doc__))


_fetch_directly(Time, {"now": "_clock.time", "dt": "_clock.tick.dt"})
_fetch_directly(
    Script,
    {"object": "slot.object", "scene": "slot.object.scene", "time": "slot.object.scene.host.time"},
)
