"""The script host: creates, calls and removes the scripts of a scene and orders each frame.

It also connects the methods that scripts mark with `@on` to their signals.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from base.errors import FieldError, ScriptTimeout
from base.spelling import hint_of
from sim.core.host.jobs import Jobs
from sim.core.host.script_loader import ENGINE_PREFIX, overridden_hooks
from sim.core.profiling.spans import Phase, SpanLabel
from sim.core.scene.fields import (
    Field,
    collect_fields,
    find_field,
    migrate,
    misspelt,
    present_names,
    reference_fields,
    unknown_fields,
)
from sim.core.scene.scene import ComponentSlot, SlotState
from sim.core.script.options import can_end_run
from sim.core.script.runtime import Handler
from sim.core.script.services import Time
from sim.core.script.user_code import BROKEN, FrameCall, ScriptGuard, TaskRunner
from sim.core.tasks.clock import Tick

if TYPE_CHECKING:
    from sim.core.hangs.watchdog import Watchdog
    from sim.core.host.agents import Agents
    from sim.core.host.profiling import Profiling
    from sim.core.host.script_loader import ScriptLoader
    from sim.core.input.input_actions import InputActions
    from sim.core.profiling.profiler import Profiler
    from sim.core.project.run_context import RunContext
    from sim.core.reporting.console import Console, ConsoleRecord
    from sim.core.reporting.metrics import MetricStore
    from sim.core.scene.scene import Scene
    from sim.core.script.hud import HudBoard
    from sim.core.script.panels import PanelRegistry, StatusBoard
    from sim.core.tasks.clock import Clock
    from sim.core.workers.pool import Links


_bases_of: Callable[[type], tuple[type, ...]] = type.__dict__["__mro__"].__get__
_own_attributes: Callable[[type], Mapping[str, object]] = type.__dict__["__dict__"].__get__
"""Both ask the class itself, whatever its metaclass says."""


def rebind_all(scene: Scene) -> None:
    """Reconnect all components' `@on` methods, after components or references have changed."""
    slots = [slot for slot in scene.components() if slot.instance is not None]
    for slot in slots:
        unbind(slot)
    for slot in slots:
        slot.call("@on", bind, slot)


def bind(slot: ComponentSlot) -> None:
    """Connect the methods that a component marks with `@on` to their signals."""
    runtime = slot.runtime
    cls = type(slot.instance)
    if runtime.marks_of is not cls:  # the first time, and after a reload
        runtime.marks_of, runtime.marks = cls, _marks(cls)
    for name, target in runtime.marks:
        field_name, _, signal_name = target.rpartition(".")
        owner = getattr(slot.instance, field_name) if field_name else slot.instance
        bound = getattr(owner, signal_name, None)
        if bound is not None:
            bound.connect(Handler(slot, name))
            runtime.bindings.append(bound)


def _marks(cls: type) -> tuple[tuple[str, str], ...]:
    """Return pairs of method and signal name for each `@on` mark of a class."""
    found: dict[str, object] = {}
    for base in reversed(_bases_of(cls)):
        found.update(_own_attributes(base))
    return tuple((name, target) for name in sorted(found) for target in _targets(found[name]))


def _targets(value: object) -> tuple[str, ...]:
    """Return the names of the signals in a method's `@on` marks; empty for anything else."""
    found = getattr(value, "__dict__", {}).get("signal_targets", ()) if callable(value) else ()
    return found if isinstance(found, tuple) else ()


def unbind(slot: ComponentSlot) -> None:
    """Disconnect the methods that a component marks with `@on`."""
    for bound in slot.runtime.bindings:
        bound.listeners[:] = [
            entry
            for entry in bound.listeners
            if not (isinstance(entry[2], Handler) and entry[0] is slot)
        ]
    slot.runtime.bindings.clear()


FRAME_HOOKS = ("fixed_update", "update", "late_update")
Calls = dict[str, list[FrameCall]]
LEFT_OUT = "GOISHI_LEFT_OUT"
"""Environment variable that lists component types not to load, since they hung before."""
MOST_ROUNDS = 500
"""Maximum number of rounds in one frame; in each round, new components are started.

A further round is needed when `awake` or `start` of a component creates other components.
"""
FEW_ROUNDS = 10
"""Number of rounds that a frame may have even after its time limit; see `MOST_ROUNDS`."""
FIXED_UPDATE = SpanLabel("fixed_update", Phase.SCRIPTS)
STEP_PHYSICS = SpanLabel("physics", Phase.PHYSICS)
ACT = SpanLabel("agents act", Phase.SCRIPTS)
OBSERVE = SpanLabel("agents observe", Phase.SCRIPTS)
UPDATE = SpanLabel("update", Phase.SCRIPTS)
COROUTINES = SpanLabel("coroutines", Phase.COROUTINES)
CLIPS = SpanLabel("clips", Phase.CLIPS)
LATE_UPDATE = SpanLabel("late_update", Phase.SCRIPTS)


@dataclass(eq=False, kw_only=True)
class ScriptHost:
    """Loads, calls and quarantines the scripts of one scene.

    The arguments are the parts of the engine that scripts use, and the parts that each frame runs.

    Args:
        scene: the scene, which uses this host from now on.
        guard: calls user code; the host's `call` and `fail` are the guard's methods.
        tasks: the coroutines of all components.
        agents: the scripts that a learner can control.
        profiler: measures frames while it is on.
        profiling: switches the profiler on, and keeps or writes the measured frames.
        is_safe: whether only the engine's own components run, and no script of the project.

    Attributes:
        jobs: the functions of scripts that run in worker processes.
    """

    scene: Scene
    clock: Clock
    console: Console
    loader: ScriptLoader
    metrics: MetricStore
    run: RunContext
    links: Links
    watchdog: Watchdog
    profiler: Profiler
    profiling: Profiling
    guard: ScriptGuard
    tasks: TaskRunner
    agents: Agents
    panels: PanelRegistry
    status: StatusBoard
    hud: HudBoard
    input: InputActions
    is_safe: bool = False

    def __post_init__(self) -> None:
        for package in self.loader.packages():
            package.on_moved = self.console.renamed
        self.left_out = set(filter(None, os.environ.pop(LEFT_OUT, "").split(",")))
        self.time = Time(self.clock)
        self._judged_errors = 0
        self._fresh: list[ComponentSlot] = []
        self._calls: Calls | None = None
        self.guard.on_failure.append(self._stop_component)
        self.guard.on_drawing_failure.append(self._drop_drawing)
        self.call, self.draw, self.fail = self.guard.call, self.guard.draw, self.guard.fail
        self.jobs = Jobs(self.guard, self.links, self.status, self.loader.packages())
        self.scene.run_with(self)
        self.links.listen(
            self.tasks.run_ready,
            lambda: self.tasks.awaits_answer,
            self.watchdog.uncounted,
            self.profiler.answered,
            self._end_unattended,
        )

    def _stop_component(
        self, slot: ComponentSlot, error: BaseException, record: ConsoleRecord
    ) -> None:
        """Cancel the coroutines of a component that has failed and no longer call its hooks.

        Args:
            slot: slot of the component.
            error: ignored; the guard passes it to every listener.
            record: the console's record of the failure.
        """
        self.tasks.cancel_of(slot)
        self._calls = None

    def _drop_drawing(
        self, slot: ComponentSlot, error: BaseException, record: ConsoleRecord
    ) -> None:
        """Remove a panel whose drawing failed, if it is older than its script's last reload.

        Args:
            slot: slot of the component.
            error: ignored; the guard passes it to every listener.
            record: the console's record of the failure.
        """
        self.panels.drop_failed(slot, record.hook)

    def retry_drawings(self, slot: ComponentSlot | None = None) -> None:
        """Draw again what was set aside because its drawing failed.

        Args:
            slot: slot of the component whose drawings are meant; None for those of all.
        """
        self.panels.retry_drawings(slot)
        self.hud.retry_drawings(slot)

    @property
    def error_count(self) -> int:
        """Errors of scripts so far."""
        return self.guard.error_count

    # -- components come and go ---------------------------------------------------------------

    def attach(self, slot: ComponentSlot) -> None:
        """Load a component's script and create its instance.

        On failure the slot has no instance: it stays a placeholder, which keeps the component's
        fields.

        Args:
            slot: slot of the component.
        """
        slot.begin()
        self._calls = None
        if self.is_safe and not slot.type_name.startswith("sim:"):
            slot.become_placeholder()
            return
        if slot.type_name in self.left_out:
            self.left_out.discard(slot.type_name)  # Retry loads it
            text = "not loaded: it did not finish last time; Retry, or save its file, to load it"
            self.console.write("warning", text, source=slot.object.path, component=slot.class_name)
            slot.become_placeholder()
            return
        if self.call(slot, "load", self._make_instance, slot) is None:
            slot.become_placeholder()

    def _make_instance(self, slot: ComponentSlot) -> bool:
        cls = self.loader.load(slot.type_name)
        fields = collect_fields(cls)
        for former, present in zip(slot.values, present_names(slot.values, fields), strict=True):
            if former != present:
                self.console.renamed(f"the field {former}", present)
        for base in cls.__mro__:
            for former, present in vars(base).get("former_overrides", {}).items():
                self.console.renamed(f"{base.__name__}.{former}", present)
        values, notes = migrate(slot.values, fields)
        slot.replace_values(values)
        instance = cls.__new__(cls)
        instance.slot = slot
        instance.__init__()  # type: ignore[misc]
        slot.load(instance)
        slot.runtime.hooks = overridden_hooks(cls)
        odd = self._odd_fields(slot, cls.__name__, fields)
        for note in (*notes, *odd):
            self.console.write("warning", note, source=slot.object.path)
        self._fresh.append(slot)
        return True

    def _odd_fields(self, slot: ComponentSlot, name: str, fields: Mapping[str, Field]) -> list[str]:
        """Return a note for each stored value that no field takes, and that is hardly meant so.

        Args:
            slot: slot of the component, with its values.
            name: name of its class.
            fields: the fields of the class.

        Raises:
            FieldError: a component of the engine has such a value in an environment. Nobody may
                learn in another world than was meant.
        """
        if not slot.type_name.startswith(ENGINE_PREFIX):  # a script's field may come back
            return misspelt(name, slot.values, fields)
        errors = unknown_fields(name, slot.values, fields)
        if errors and self.run.is_environment:
            raise errors[0]
        return list(map(str, errors))

    def detach(self, slot: ComponentSlot) -> None:
        """Call `disable` and `destroy` of a component and release what it owns.

        A second call for the same component does nothing.
        """
        runtime = slot.runtime
        if runtime.is_leaving:
            return
        runtime.is_leaving = True
        self._turn(slot, is_on=False)
        if slot.instance is not None and runtime.is_awake and slot.state is SlotState.READY:
            self.call(slot, "destroy", _run, slot, "destroy")
        self.tasks.cancel_of(slot)
        unbind(slot)
        self.panels.unregister(slot)
        self.hud.unregister(slot)
        self.jobs.close_owned(slot)
        self.links.close_owned(slot)
        self._calls = None

    def activity_changed(self, slot: ComponentSlot) -> None:
        """Call `enable` or `disable` if a component was switched on or off.

        Args:
            slot: slot of the component.
        """
        if slot.runtime.is_awake:
            self._turn(slot, is_on=slot.is_active)

    def _turn(self, slot: ComponentSlot, *, is_on: bool) -> None:
        runtime = slot.runtime
        if runtime.is_on == is_on or slot.instance is None:
            return
        runtime.is_on = is_on
        self._calls = None
        name = "enable" if is_on else "disable"
        if name in runtime.hooks:
            self.call(slot, name, _run, slot, name)

    def retry(self, slot: ComponentSlot) -> None:
        """Retry a quarantined component: load it, start it, or resume it.

        What failed to draw is drawn again. Workers that were given up are started again.
        """
        self.links.restart_given_up()
        self.retry_drawings(slot)
        if slot.state is SlotState.PLACEHOLDER:
            self.attach(slot)
        elif slot.state is SlotState.QUARANTINED:
            runtime = slot.runtime
            if runtime.lost_tasks:
                runtime.is_started = False
                runtime.lost_tasks = False
            if runtime.is_awake and runtime.is_started:
                slot.resume(SlotState.READY)
                self._turn(slot, is_on=slot.is_active)
            else:
                slot.resume(SlotState.PENDING)
                self._fresh.append(slot)
        self._calls = None
        rebind_all(self.scene)

    def set_field(self, slot: ComponentSlot, name: str, raw: object) -> None:
        """Set a field as the Inspector does: check and store the value, then call `validate`.

        A quarantined component is retried. If `validate` raises a `FieldError`, the value is taken
        back; any other error of it quarantines the component.

        Args:
            slot: slot of the component.
            name: name of the field.
            raw: value as in a scene file.

        Raises:
            FieldError: there is no such field, or the value is invalid, or the component's
                `validate` refuses it; nothing was changed.
        """
        if slot.instance is None:
            slot.set_value(name, raw)
            return
        declared = find_field(type(slot.instance), name)
        if declared is None:
            hint = hint_of(collect_fields(type(slot.instance)), name)
            raise FieldError(f"{slot.class_name}.{name}", expected="a field", found=f"none{hint}")
        name = declared.name
        declared.parse(raw, slot.resolve_reference)
        before = dict(slot.values), dict(slot.parsed)
        slot.set_value(name, raw)
        self.retry_drawings(slot)
        if slot.state is SlotState.QUARANTINED:
            self.retry(slot)
        refusal = None
        if "validate" in slot.runtime.hooks:
            refusal = self.call(slot, "validate", _refusal_of, slot)
        if refusal is not None:
            self._take_back(slot, *before)
            raise refusal
        if declared.is_reference:
            rebind_all(self.scene)

    def _take_back(
        self, slot: ComponentSlot, values: Mapping[str, object], parsed: Mapping[str, object]
    ) -> None:
        """Give a component the fields back that it had, and let it `validate` them."""
        slot.take_back(values, parsed)
        self.call(slot, "validate", _run, slot, "validate")

    # -- one frame ----------------------------------------------------------------------------

    def begin_frame(self) -> None:
        """Release destroyed components, and awake and start new ones.

        While the scene is stopped, new components wait.
        """
        self.scene.flush()
        if self.clock.is_stopped or not self._fresh:
            return
        rounds, end = 0, time.monotonic() + self.watchdog.timeout
        while self._fresh:
            self._calls = None
            chosen = set(map(id, self._fresh))
            self._fresh.clear()
            fresh = [
                slot
                for slot in self.scene.components()
                if id(slot) in chosen and slot.object.is_alive  # else it goes at the next flush
            ]
            rounds += 1
            if rounds > MOST_ROUNDS or (rounds > FEW_ROUNDS and time.monotonic() > end):
                self._refuse_more(fresh, rounds)
                return
            self._awake(fresh)
            rebind_all(self.scene)
            for slot in fresh:
                if slot.runtime.is_awake:
                    self._turn(slot, is_on=slot.is_active)
            for slot in fresh:
                self._start(slot)

    def _awake(self, fresh: list[ComponentSlot]) -> None:
        """Check the references of new components, and call their `awake`.

        Args:
            fresh: slots of the components.
        """
        for slot in fresh:
            self._check_references(slot)
        for slot in fresh:
            if not slot.runtime.is_awake:
                slot.runtime.is_awake = True
                self._hook(slot, "awake")
                if slot.state is SlotState.QUARANTINED:
                    slot.runtime.is_awake = False

    def _check_references(self, slot: ComponentSlot) -> None:
        """Drop references of a component to components of another class than its fields declare.

        It can be known only once all components of the scene are loaded.
        """
        declared = reference_fields(type(slot.instance))
        found = {name: raw for name, raw in slot.values.items() if name in declared}
        if not found:
            return
        kept, notes = migrate(found, declared, slot.resolve_reference)
        if notes:
            left = {name: raw for name, raw in slot.values.items() if name not in found}
            slot.replace_values({**left, **kept})
        for note in notes:
            self.console.write("warning", note, source=slot.object.path)

    def _refuse_more(self, fresh: list[ComponentSlot], rounds: int) -> None:
        """Quarantine the components that create each other without end in `awake` or `start`.

        Args:
            fresh: slots of the components that were created last.
            rounds: number of rounds in this frame, for the error message; see `MOST_ROUNDS`.
        """
        if fresh:
            error = ScriptTimeout(
                "awake, enable or start adds components or objects without end: "
                f"{rounds} rounds in one frame"
            )
            record = self.fail(fresh[0], "start", error)
            for slot in fresh[1:]:
                slot.fail(record)

    def _start(self, slot: ComponentSlot) -> None:
        runtime = slot.runtime
        if not runtime.is_awake or runtime.is_started or slot.state in BROKEN:
            return
        self._hook(slot, "start")
        if slot.state is SlotState.PENDING:
            runtime.is_started = True
            slot.resume(SlotState.READY)

    def run_frame(self, tick: Tick) -> None:
        """Run the fixed updates, updates, coroutines and late updates of one frame."""
        if self.clock.is_stopped:
            self.input.forget()  # the scripts name their keys again when they start
            self.input.end_frame(is_running=False)
            self.scene.flush()
            return
        profiler, is_timed = self.profiler, self.profiler.is_on
        for dt in self.clock.steps():
            self._run_step(dt)
        tick = self.clock.tick
        is_running = tick.dt > 0.0 or not self.clock.paused
        if is_running:
            self._run_hook("update", tick.dt)
            if is_timed:
                profiler.mark(UPDATE)
            self.tasks.run()
            if is_timed:
                profiler.mark(COROUTINES)
        self.scene.animator.advance(tick.dt, instant=tick.instant)
        if is_timed:
            profiler.mark(CLIPS)
        self._run_hook("late_update", tick.dt)
        if is_timed:
            profiler.mark(LATE_UPDATE)
        self.input.end_frame()
        self.scene.flush()
        self._end_where_nothing_will()

    def _end_where_nothing_will(self) -> None:
        """End a headless run if a failed script was the only one that would have ended it.

        For example, the script with the option `--games` has failed, so nothing else would end the
        run.
        """
        if self.error_count == self._judged_errors:
            return
        self._judged_errors = self.error_count
        run = self.run
        if not run.is_unattended or run.seconds is not None or run.stop_requested:
            return
        living = [slot.instance for slot in self.scene.components() if slot.state not in BROKEN]
        if not any(can_end_run(type(instance), run.options) for instance in living):
            flags = " ".join(f"--{name}" for name in run.options) or "its option"
            self.console.write("error", f"the run ends: what would have ended it failed ({flags})")
            run.finish(1)

    def _end_unattended(self) -> bool:
        """End the run with exit code 1 if nobody can act in its place; return whether it ends."""
        if self.run.is_unattended:
            self.run.finish(1)
        return self.run.is_unattended

    def _run_step(self, dt: float) -> None:
        if self._calls is None:
            self._collect_calls()
        agents, profiler = self.agents, self.profiler
        has_agents, is_timed = bool(agents.running), profiler.is_on
        if has_agents:
            for episode, action in agents.decisions():
                self.call(episode.slot, "act", episode.agent.act, action)
            profiler.mark(ACT)
        self._run_hook("fixed_update", dt)
        if is_timed:
            profiler.mark(FIXED_UPDATE)
        self.scene.step_physics(dt)
        if is_timed:
            profiler.mark(STEP_PHYSICS)
        if has_agents:
            agents.after_step()
            profiler.mark(OBSERVE)

    def _run_hook(self, name: str, dt: float) -> None:
        if self._calls is None:
            self._collect_calls()
        found = (self._calls or {}).get(name)
        if found:
            self.guard.run_calls(name, found, dt)

    def _collect_calls(self) -> None:
        calls: Calls = {name: [] for name in FRAME_HOOKS}
        slots = self.scene.components()
        self.agents.collect(slots)
        for slot in slots:
            if slot.instance is not None and slot.state is SlotState.READY:
                for name in FRAME_HOOKS:
                    if name in slot.runtime.hooks:
                        function = self.call(slot, name, getattr, slot.instance, name)
                        if function is not None:
                            calls[name].append((slot, slot.runtime, function))
        self._calls = calls

    def _hook(self, slot: ComponentSlot, name: str) -> None:
        if slot.instance is not None and name in slot.runtime.hooks:
            self.call(slot, name, _run, slot, name)

    def go_to(self, time: float) -> None:
        """Set scene time; coroutines that wait keep their remaining time.

        Args:
            time: new scene time, seconds.
        """
        self.tasks.shift(time - self.clock.time)
        self.clock.rewind(time)

    # -- the end ------------------------------------------------------------------------------

    def invalidate(self) -> None:
        """Look up all hooks again and reconnect signals, after classes were replaced."""
        self._calls = None
        self.scene.structure_changed()
        rebind_all(self.scene)

    def shutdown(self) -> None:
        """Call `disable` and `destroy` of every component."""
        for slot in self.scene.components():
            if slot.state is not SlotState.DESTROYED:
                self.detach(slot)
                slot.state = SlotState.DESTROYED


def _refusal_of(slot: ComponentSlot) -> FieldError | None:
    """Call a component's `validate`; return the error with which it refuses its fields."""
    try:
        _run(slot, "validate")
    except FieldError as error:
        return error
    return None


def _run(slot: ComponentSlot, hook: str) -> object:
    """Call a hook without arguments.

    Pass this function to `ScriptGuard.call`, because even looking up the method may run user code.

    Args:
        slot: slot of the component.
        hook: name of the hook.

    Returns:
        Whatever the hook returns.
    """
    return getattr(slot.instance, hook)()
