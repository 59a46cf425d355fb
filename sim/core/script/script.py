"""`Script`: the base class of components."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

import numpy as np

from base.closed import Closed
from base.values import JsonObject, printable
from sim.core.geometry.rotations import FloatArray, checked_vector
from sim.core.reporting.python_text import called
from sim.core.scene.fields import former_overrides
from sim.core.script.file_question import FileAnswer, FileQuestion
from sim.core.script.job import JobCall, Report
from sim.core.script.panels import DialogEntry, Drawing
from sim.core.script.runtime import Handler
from sim.core.script.script_hud import Hud
from sim.core.script.services import Time, services_of
from sim.core.script.user_code import Task
from sim.core.tasks.waits import NextFrame, Seconds, Tween, Until, Wait

if TYPE_CHECKING:
    from sim.core.audio.sound_bank import AudioBackend
    from sim.core.canvas.canvas import Canvas
    from sim.core.input.input_actions import InputActions
    from sim.core.project.run_context import RunContext
    from sim.core.project.saves import Saves
    from sim.core.reporting.console import Level
    from sim.core.reporting.metrics import MetricStore
    from sim.core.scene.scene import ComponentSlot, Scene, SceneObject
    from sim.core.script.panels import Dock, Drawing, PanelRegistry, StatusBoard
    from sim.core.workers.pool import Links


class Log(Closed):
    """Console output of one component: `self.log.info("…")`."""

    __slots__ = ("_slot",)

    def __init__(self, slot: ComponentSlot) -> None:
        self._slot = slot

    def debug(self, text: str) -> None:
        """Write a line for the script's author, at level "debug"."""
        self._write("debug", text)

    def info(self, text: str) -> None:
        """Write a line at level "info"."""
        self._write("info", text)

    def warning(self, text: str) -> None:
        """Write a line at level "warning"."""
        self._write("warning", text)

    def error(self, text: str) -> None:
        """Write a line at level "error"; the component continues to run."""
        self._write("error", text)

    def python(self, source: str) -> None:
        """Write a line of Python code that does the same as the user's last action in the window.

        Args:
            source: the line of code.
        """
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
"""All hooks of `Script`, with the number of arguments after `self`."""


def action(function: Function) -> Function:
    """Offer the decorated method, which takes no arguments, as a button in the Inspector."""
    function.__dict__["is_action"] = True
    return function


class Script:
    """Base class of components: override the hooks that you need; unused hooks cost nothing.

    `awake` runs when the fields are set; other components may not exist yet. `enable` runs each
    time the component becomes active, `disable` each time it becomes inactive. `start` runs once
    before the first update. `fixed_update` runs any number of times a frame with a constant dt;
    `update` runs once a frame, and `late_update` after every `update`. `destroy` runs last.
    `validate` runs after a field was edited, `reloaded` after the script's file was saved and
    reloaded. `save_state` and `load_state` let the user rewind the scene.
    """

    slot: ComponentSlot
    declared_title: ClassVar[str] = ""
    """Title in the window, as set by `class Door(Script, title="Front door")`.

    Empty for the class name in words.
    """

    former_overrides: ClassVar[Mapping[str, str]] = {}
    """Present names of methods that the class defines under a former name, by that name."""

    def __init_subclass__(cls, *, title: str = "", **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.declared_title = title
        cls.former_overrides = former_overrides(cls)
        for former, present in cls.former_overrides.items():
            setattr(cls, present, vars(cls)[former])

    def awake(self) -> None:
        """Called when the fields are set; other components may not exist yet."""

    def enable(self) -> None:
        """Called each time the component becomes active."""

    def start(self) -> None:
        """Called once, before the first update, after every `awake`."""

    def fixed_update(self, dt: float) -> None:
        """Called at each fixed step, with the same `dt` seconds every time.

        A frame has as many fixed steps as scene time requires, possibly none. If they take longer
        than real time, scene time slows down for all components.
        """

    def update(self, dt: float) -> None:
        """Called once a frame; `dt` is the scene time since the last frame, seconds."""

    def late_update(self, dt: float) -> None:
        """Called after the `update` of every component; suited to cameras and overlays."""

    def disable(self) -> None:
        """Called each time the component becomes inactive."""

    def destroy(self) -> None:
        """Called last, when the component is removed."""

    def validate(self) -> None:
        """Called after one of the component's fields was edited."""

    def reloaded(self, old: type) -> None:
        """Called when the script's saved file has been reloaded; `old` is the replaced class."""

    def save_state(self) -> object:
        """Return everything that `load_state` needs to continue from this moment.

        Called after each frame while the scene is recorded for rewinding; it must change nothing.

        Returns:
            Numbers, texts, arrays, and lists or dicts of these; None for no state.
        """
        return None

    def load_state(self, state: object) -> None:
        """Called when the scene is rewound to an earlier moment.

        Args:
            state: what `save_state` returned at that moment.
        """

    # -- what a script has --------------------------------------------------------------------

    @property
    def object(self) -> SceneObject:
        """The object that the component is attached to."""
        return self.slot.object

    @property
    def canvas(self) -> Canvas:
        """Picture on the object that scripts can draw on; see `SceneObject.canvas`."""
        return self.object.canvas

    @property
    def hud(self) -> Hud:
        """Canvases, buttons and menus over the view."""
        return Hud(self.slot, services_of(self.slot).hud, self._followed)

    @property
    def scene(self) -> Scene:
        """The scene that the component is in."""
        return self.slot.object.scene

    @property
    def log(self) -> Log:
        """Console output of this component."""
        return Log(self.slot)

    @property
    def time(self) -> Time:
        """Scene time, the length of frames and fixed steps, and the speed."""
        return services_of(self.slot).time

    @property
    def input(self) -> InputActions:
        """Keyboard, pointer and clicks of this frame."""
        return services_of(self.slot).input

    @property
    def metrics(self) -> MetricStore:
        """Metrics: numbers plotted live and written to the run's folder."""
        return services_of(self.slot).metrics

    @property
    def status(self) -> StatusBoard:
        """Lines that the script shows in the status bar, by key."""
        return services_of(self.slot).status

    @property
    def run(self) -> RunContext:
        """Settings of the run that the scene is part of: project, seed, options and others."""
        return services_of(self.slot).run

    @functools.cached_property  # a script may have an attribute of this name of its own
    def saves(self) -> Saves:
        """The saved games of the project: `self.saves.write("slot 1", {"level": 3})`."""
        return services_of(self.slot).run.saves

    @property
    def sound(self) -> AudioBackend:
        """Sounds: `self.sound.play(name)`; silent on a machine without audio output."""
        return services_of(self.slot).run.sound

    @property
    def stats(self) -> JsonObject:
        """Additional values for the output of `--stats`; scripts add entries by name."""
        return services_of(self.slot).run.stats

    @property
    def panels(self) -> PanelRegistry:
        """Registry of panels, commands and legends."""
        return services_of(self.slot).panels

    @property
    def workers(self) -> Links:
        """Links to the worker processes of the app."""
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
        """Call a method of this script on behalf of the user, and write the call to the console.

        The line in the console is Python code that the user can repeat at the prompt. For example,
        `if ui.button("Pause"): self.by_hand("pause")` writes `component("Player").pause()`.

        Args:
            method: name of the method.
            arguments: its arguments: plain values that can be typed at the prompt.
        """
        self.log.python(f"{self.expression}.{called(method, *arguments)}")
        return getattr(self, method)(*arguments)

    @property
    def expression(self) -> str:
        """Python expression with which the user finds this script at the console's prompt.

        For example `component("Match")`. If an earlier script in the scene has the same class, the
        expression uses the component's id instead.
        """
        own = self.slot
        named = (slot for slot in self.scene.components() if slot.class_name == own.class_name)
        first = next((slot for slot in named if slot.instance is not None), own)
        name = own.class_name if first is own else own.id
        return f'component("{name}")'

    def start_coroutine(self, coroutine: Any) -> Task:
        """Start an async function or a generator as a task that can be cancelled.

        Args:
            coroutine: the called function: `self.start_coroutine(self.blink())`.

        Raises:
            TypeError: it is neither a coroutine object nor a generator.
        """
        return services_of(self.slot).tasks.start(self.slot, coroutine)

    def seconds(self, duration: float) -> Wait:
        """Wait for seconds of scene time: `await self.seconds(0.5)`."""
        return Seconds(duration)

    def next_frame(self) -> Wait:
        """Wait for the next frame."""
        return NextFrame()

    def until(self, predicate: Call) -> Wait:
        """Wait until `predicate()` returns something true; it is called once a frame."""
        return Until(predicate)

    def background(self, pending: Wait, on_progress: Report | None = None) -> Wait:
        """Wait for a worker process without stopping the scene.

        To run a `@job` function `train`, write `await self.background(train(images))`. A request to
        a worker that the script opened itself can also be awaited:

            await self.background(link.request(...))

        Args:
            pending: the call of a job, which is started now, or a request.
            on_progress: called with a fraction from 0 to 1 and a dict of values when the job
                reports progress; None to ignore that. It is not called for requests.

        Raises:
            JobError: an argument of the job cannot be sent.
            TypeError: the first argument is neither a job's call nor a request.
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

    def move_to(
        self,
        position: Sequence[float] | FloatArray,
        *,
        seconds: float,
        ease: str = "linear",
        essential: bool = False,
    ) -> Wait:
        """Move the object: `await self.move_to((0, 0, 1), seconds=0.3, ease="bounce_out")`.

        Args:
            position: target position `[3]` relative to the parent, metres.
            seconds: duration in scene time.
            ease: name of an easing curve; see `easing`.
            essential: whether the motion says something, so that it is shown to users who want
                less motion, too. For them, another value is at its end at once, and the wait lasts
                as long.
        """
        return self._tween_attribute("position", position, seconds, ease, is_kept=essential)

    def rotate_to(
        self,
        rotation: Sequence[float] | FloatArray,
        *,
        seconds: float,
        ease: str = "linear",
        essential: bool = False,
    ) -> Wait:
        """Rotate the object to an orientation.

        Args:
            rotation: target heading, pitch and roll `[3]` in degrees, relative to the parent.
            seconds: duration in scene time.
            ease: name of an easing curve; see `easing`.
            essential: whether the motion says something, so that it is shown to users who want
                less motion, too. For them, another value is at its end at once, and the wait lasts
                as long.
        """
        return self._tween_attribute("rotation", rotation, seconds, ease, is_kept=essential)

    def scale_to(
        self,
        scale: Sequence[float] | FloatArray,
        *,
        seconds: float,
        ease: str = "linear",
        essential: bool = False,
    ) -> Wait:
        """Scale the object.

        Args:
            scale: target factors `[3]` along x, y and z.
            seconds: duration in scene time.
            ease: name of an easing curve; see `easing`.
            essential: whether the motion says something, so that it is shown to users who want
                less motion, too. For them, another value is at its end at once, and the wait lasts
                as long.
        """
        return self._tween_attribute("scale", scale, seconds, ease, is_kept=essential)

    def tween(
        self,
        apply: Call,
        start: float | Sequence[float],
        end: float | Sequence[float],
        *,
        seconds: float,
        ease: str = "linear",
        essential: bool = False,
    ) -> Wait:
        """Call `apply(value)` each frame while `value` goes from `start` to `end`.

        Args:
            apply: receives a float if `start` is a number, else an array.
            start: first value.
            end: last value, of the same shape.
            seconds: duration in scene time.
            ease: name of an easing curve; see `easing`.
            essential: whether the motion says something, so that it is shown to users who want
                less motion, too. For them, another value is at its end at once, and the wait lasts
                as long.

        Raises:
            ValueError: an argument is invalid.
        """
        return Tween(apply, start, end, seconds, ease, jumps=self._jumps(essential))

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
        """Add a panel; it is removed with the component.

        Args:
            title: heading of the panel.
            draw: called with the `Ui` each frame while the panel is open.
            dock: initial place.
            order: panels are sorted by this number, then by title.
            icon: Font Awesome name, such as "chart-line"; empty for none.
            is_open: whether it is open at first.
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

    def dialog(
        self,
        title: str,
        draw: Drawing,
        *,
        draw_answers: Drawing | None = None,
        width: float = 520.0,
    ) -> None:
        """Show a dialog in the middle of the window; Escape closes it.

        Args:
            title: heading of the dialog.
            draw: called with the `Ui` each frame while the dialog is shown. Content that is too
                high for the window is scrolled.
            draw_answers: draws the buttons below the content, which stay in view; None for none.
            width: width in pixels at scale 1; less in a narrow window.
        """
        self.panels.show_dialog(
            DialogEntry(
                printable(title),
                self._followed(draw),
                slot=self.slot,
                width=width,
                draw_answers=None if draw_answers is None else self._followed(draw_answers),
            )
        )

    def close_dialog(self) -> None:
        """Close the dialog of this script, if it is shown."""
        if self.has_dialog:
            self.panels.show_dialog(None)

    @property
    def has_dialog(self) -> bool:
        """Whether a dialog of this script is shown."""
        shown = self.panels.dialog
        return shown is not None and shown.slot is self.slot

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
        """Add a command: a button in the Playback panel, a keyboard key and a line in the help.

        Args:
            name: name of the command, unique within the script.
            label: text of the button.
            callback: called without arguments when the command is run.
            key: keyboard key, such as "control+o"; empty for none.
            icon: Font Awesome name; empty for none.
            checked: returns whether the command looks switched on; None if it never does.

        Raises:
            ValueError: there is no such key.
        """
        self.panels.add_command(
            self.slot,
            name,
            label,
            self._followed(callback),
            icon=icon,
            key=key,
            checked=None
            if checked is None
            else cast("Callable[[], bool]", self._followed(checked)),
        )

    def menu(self, name: str, label: str, draw: Drawing, *, key: str = "", icon: str = "") -> None:
        """Add a command that opens a small menu: a button, a keyboard key and a line in the help.

        Args:
            name: name of the command, unique within the script.
            label: text of the button.
            draw: called with the `Ui` each frame while the menu is open.
            key: keyboard key, such as "control+o"; empty for none.
            icon: Font Awesome name; empty for none.

        Raises:
            ValueError: there is no such key.
        """
        self.panels.add_command(
            self.slot, name, label, bool, icon=icon, key=key, menu=self._followed(draw)
        )

    def opens_files(self, suffixes: Sequence[str], callback: Call, label: str) -> None:
        """Let the user open files with this script: drag and drop, or a command (Ctrl+Shift+O).

        Args:
            suffixes: file suffixes with the dot, such as ".sgf".
            callback: called with the path as text; the file may be missing or invalid.
            label: text of the command, such as "Open a game".
        """
        opener = self.panels.add_opener(self.slot, tuple(suffixes), label, self._followed(callback))
        ask = self.panels.ask_file
        self.command(
            "open_file", label, lambda: ask(opener), key="control+shift+o", icon="folder-open"
        )

    def ask_file(
        self, callback: Call | None, label: str, suffixes: Sequence[str] = ()
    ) -> FileAnswer:
        """Show the dialog in which the user chooses a file to open, now.

        A coroutine can wait for the answer: `path = await self.ask_file(None, "Choose a game")`.

        Args:
            callback: called with the path as text, once a file was chosen. If it raises an
                `OSError`, the dialog shows the reason and stays open. None to call nothing.
            label: title of the dialog, such as "Choose a program".
            suffixes: file suffixes with the dot, such as ".sgf"; empty for any file.

        Returns:
            The answer to wait for: the path as text, or None if the user has closed the dialog.
            Without a window the answer is None at once, and the console says so.
        """
        found = None if callback is None else self._followed(callback)
        return _answer_to(self, FileQuestion(label, self.slot, _lower(suffixes), found))

    def ask_save(
        self,
        callback: Call | None,
        label: str,
        suffixes: Sequence[str] = (),
        *,
        name: str = "",
        is_folder: bool = False,
    ) -> FileAnswer:
        """Show the dialog in which the user chooses where to save, now.

        If a file of that name is there, the dialog asks whether to replace it.

        Args:
            callback: called with the path as text, once it was chosen; it writes the file. If it
                raises an `OSError`, the dialog shows the reason and stays open. None to call
                nothing.
            label: title of the dialog, such as "Save the game".
            suffixes: file suffixes with the dot, such as ".sgf", between which the user may choose.
                A name without one of them gets the chosen one. Empty for any name.
            name: name that is offered, such as "game-12.sgf".
            is_folder: whether a folder is to be written instead of a file.

        Returns:
            The answer to wait for, as `ask_file` returns it.
        """
        found = None if callback is None else self._followed(callback)
        return _answer_to(
            self, FileQuestion(label, self.slot, _lower(suffixes), found, True, is_folder, name)
        )

    def _followed(self, function: Call) -> Call:
        """Return a function that calls the present version of a script's method after a hot reload.

        Args:
            function: a method of this script, or any other function, which is returned unchanged.
        """
        if not callable(function):
            raise TypeError(f"expected a function to call later, found {function!r:.60}")
        name = getattr(function, "__name__", "")
        is_own = getattr(function, "__self__", None) is self and hasattr(type(self), name)
        return Handler(self.slot, name) if is_own else function

    def _tween_attribute(
        self,
        name: str,
        end: Sequence[float] | FloatArray,
        seconds: float,
        ease: str,
        *,
        is_kept: bool,
    ) -> Wait:
        transform = self.object.transform
        start, goal = getattr(transform, name), checked_vector(end, name).tolist()
        jumps = self._jumps(is_kept)
        return Tween(
            lambda now: setattr(transform, name, now), start, goal, seconds, ease, jumps=jumps
        )

    def _jumps(self, is_kept: bool) -> bool:
        """Return whether a motion is left out: the user wants less, and it says nothing."""
        return self.run.reduces_motion and not is_kept


def _answer_to(script: Script, question: FileQuestion) -> FileAnswer:
    """Show the dialog for a script's question; without a window, answer it by no file."""
    if script.panels.can_ask:
        script.panels.ask_file(question)
    else:
        script.log.warning(f"{question.label}: expected a window to ask in, found none")
        question.answer.give(None)
    return question.answer


def _lower(suffixes: Sequence[str]) -> tuple[str, ...]:
    return tuple(map(str.lower, suffixes))


def _fetch_directly(owner: type, paths: Mapping[str, str]) -> None:
    """Replace Python properties by faster ones in C, because they are read very often.

    Args:
        owner: class with the properties; their docstrings are kept.
        paths: what each property returns, as a path of attributes such as "slot.object", by the
            property's name.
    """
    for name, path in paths.items():
        setattr(owner, name, property(attrgetter(path), doc=getattr(owner, name).__doc__))


_fetch_directly(Time, {"now": "_clock.time", "dt": "_clock.tick.dt"})
_fetch_directly(
    Script,
    {"object": "slot.object", "scene": "slot.object.scene", "time": "slot.object.scene.host.time"},
)
