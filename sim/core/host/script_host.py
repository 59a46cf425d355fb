"""The script host: the only place where user code is called, and the order of a frame."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from time import perf_counter
from typing import TYPE_CHECKING, Any

from base.errors import FieldError, ScriptTimeout
from base.interruption import Interruption
from sim.core.host.agents import Agents
from sim.core.host.bindings import rebind_all, unbind
from sim.core.host.jobs import Jobs
from sim.core.host.profiling import Profiling
from sim.core.profiling.gauge import FrameGauge
from sim.core.profiling.profiler import Profiler
from sim.core.profiling.spans import Label, Phase
from sim.core.reporting.console import Console, ConsoleRecord
from sim.core.reporting.failure_text import is_kind, late
from sim.core.scene.fields import collect_fields, find_field, migrate, present_names
from sim.core.scene.host import Runtime
from sim.core.scene.scene_object import ComponentSlot, SlotState
from sim.core.script.coroutines import TaskRunner
from sim.core.script.hud import HudBoard
from sim.core.script.options import can_end_run
from sim.core.script.runtime import ErrorPolicy
from sim.core.script.script_checks import overridden_hooks
from sim.core.script.services import Time
from sim.core.tasks.clock import Tick
from sim.core.tasks.rouser import WAITS
from sim.core.tasks.watchdog import Watchdog

if TYPE_CHECKING:
    from sim.core.host.script_loader import ScriptLoader
    from sim.core.input.input_actions import InputActions
    from sim.core.project.run_context import RunContext
    from sim.core.reporting.metrics import MetricStore
    from sim.core.scene.scene import Scene
    from sim.core.script.panels import PanelRegistry, StatusBoard
    from sim.core.tasks.clock import Clock
    from sim.core.workers.pool import Links

FRAME_HOOKS = ("fixed_update", "update", "late_update")
FrameCall = tuple[ComponentSlot, Runtime, Callable[..., object]]
Calls = dict[str, list[FrameCall]]
LEFT_OUT = "GOISHI_LEFT_OUT"
"""Environment variable: types of components that are not loaded, as they blocked before."""
MOST_ROUNDS = 500
"""Of components that awake and start because others of the same frame did."""
FEW_ROUNDS = 10
"""So many are let be, however long they take."""
FIXED_UPDATE = Label("fixed_update", Phase.SCRIPTS)
STEP_PHYSICS = Label("physics", Phase.PHYSICS)
ACT = Label("agents act", Phase.SCRIPTS)
OBSERVE = Label("agents observe", Phase.SCRIPTS)
UPDATE = Label("update", Phase.SCRIPTS)
COROUTINES = Label("coroutines", Phase.COROUTINES)
CLIPS = Label("clips", Phase.CLIPS)
LATE_UPDATE = Label("late_update", Phase.SCRIPTS)
BROKEN = (SlotState.QUARANTINED, SlotState.PLACEHOLDER, SlotState.DESTROYED)


class ScriptHost:
    """Loads, calls and quarantines the scripts of one scene.

    Attributes:
        tasks: the coroutines of all components.
        agents: those scripts that something learns to steer.
        is_held: the scene is stopped: no component awakes, starts or updates.
        profiler: takes the times of frames while somebody asks for them.
        profiling: who asks for them.
        gauge: milliseconds of a frame and fixed steps a second, of every run.
    """

    def __init__(
        self,
        scene: Scene,
        *,
        clock: Clock,
        console: Console,
        loader: ScriptLoader,
        input_actions: InputActions,
        metrics: MetricStore,
        panels: PanelRegistry,
        status: StatusBoard,
        run: RunContext,
        links: Links,
        policy: ErrorPolicy | None = None,
        is_safe: bool = False,
        watchdog: Watchdog | None = None,
    ) -> None:
        self.scene = scene
        self.clock = clock
        self.console = console
        self.loader = loader
        for package in loader.packages():
            package.on_moved = self._tell_moved
        self.input = input_actions
        self.metrics = metrics
        self.panels = panels
        self.status = status
        self.run = run
        self.links = links
        self.hud = HudBoard()
        self.policy = policy or ErrorPolicy(scene.settings.on_script_error)
        self.is_safe = is_safe
        self.error_count = 0
        self._judged_errors = 0
        self.left_out = set(filter(None, os.environ.pop(LEFT_OUT, "").split(",")))
        self.time = Time(self)
        self.is_held = False
        self.tick = Tick(0, 0.0, 0, clock.fixed_dt, 0.0, False)
        self.watchdog = watchdog or Watchdog(scene.settings.script_timeout)
        self._owns_watchdog = watchdog is None
        self._depth = 0
        self._renamed: set[tuple[str, str]] = set()
        self._fresh: list[ComponentSlot] = []
        self._calls: Calls | None = None
        self.tasks = TaskRunner(self)
        self.jobs = Jobs(self)
        self.profiler = Profiler()
        self.profiling = Profiling(self)
        self.gauge = FrameGauge()
        self.agents = Agents(self)
        self._on_failure: Callable[[BaseException, ConsoleRecord], object] | None = None
        scene.run_with(self)
        links.listen(
            self.tasks.run_ready, lambda: self.tasks.awaits_answer, self.watchdog.uncounted,
            self.profiler.answered,
        )  # fmt: skip

    # -- the guard ----------------------------------------------------------------------------

    def _tell_moved(self, former: str, present: str) -> None:
        self.console.info(f"{former} is now {present}; the old name still works")

    def tell_renamed(self, former: str, present: str) -> None:
        """Say once that something of a script has another name now."""
        if (former, present) not in self._renamed:
            self._renamed.add((former, present))
            self._tell_moved(former, present)

    def call(
        self, slot: ComponentSlot, hook: str, function: Callable[..., object], *arguments: object
    ) -> Any:
        """Call user code; an exception becomes one console line and quarantines the component.

        Returns:
            The function's result; None when it failed or the component is quarantined.
        """
        if slot.state in BROKEN and hook != "destroy":
            return None
        is_timed = self.profiler.is_on and function is not getattr  # which only finds a callback
        begun = perf_counter() if is_timed else 0.0
        self._depth += 1
        if self._depth == 1:
            self.watchdog.begin()
        try:
            return function(*arguments)
        except Interruption:
            raise
        except BaseException as error:
            self.watchdog.deadline = None  # before any call: each is a place to be broken at
            self._end_watch()
            self.fail(slot, hook, error)
            if self._depth > 1:
                self.watchdog.begin()  # the call around this one goes on
            return None
        finally:
            self._depth -= 1
            if self._depth == 0:
                self.watchdog.deadline = None
                self._end_watch()
            if is_timed:
                self.profiler.add(self._label(slot, hook), begun)

    def _label(self, slot: ComponentSlot, hook: str) -> Label:
        """Return what the profiler calls a callback of a component."""
        profiler = self.profiler
        known = profiler.label(slot.id, hook)
        return known or profiler.learn(
            Label(hook, Phase.SCRIPTS, slot.object.path, slot.class_name, slot.id)
        )

    def _end_watch(self) -> None:
        try:
            self.watchdog.end()
        except ScriptTimeout:  # it arrived between the call's end and here
            self.watchdog.end()

    def listen_to_failures(self, hears: Callable[[BaseException, ConsoleRecord], object]) -> None:
        """Call a function with each exception that leaves a script, and its record."""
        self._on_failure = hears

    def fail(self, slot: ComponentSlot, hook: str, error: BaseException) -> ConsoleRecord:
        """Record an error of a component and quarantine it."""
        if is_kind(error, ScriptTimeout) and error.args in ((), (WAITS,)):
            error = late(error, self.watchdog.timeout)
        record = self.console.failure(
            error,
            source=slot.object.path,
            component=slot.class_name,
            hook=hook,
            slot_id=slot.id,
            watch=self.watchdog.watching,
        )
        self.error_count += 1
        slot.fail(record)
        self.tasks.cancel_of(slot)
        self._calls = None
        if self._on_failure is not None:
            self._on_failure(error, record)
        if self.policy is ErrorPolicy.PAUSE:
            self.clock.pause()
        elif self.policy is ErrorPolicy.ABORT:
            self.run.finish(1)
        return record

    # -- components come and go ---------------------------------------------------------------

    def attach(self, slot: ComponentSlot) -> None:
        """Load and create a component's script; on failure the slot stays a placeholder."""
        slot.begin()
        self._calls = None
        if self.is_safe and not slot.type_name.startswith("sim:"):
            slot.hold_place()
            return
        if slot.type_name in self.left_out:
            self.left_out.discard(slot.type_name)  # Retry loads it
            text = "not loaded: it did not finish last time; Retry, or save its file, to load it"
            self.console.write("warning", text, source=slot.object.path, component=slot.class_name)
            slot.hold_place()
            return
        self._depth += 1
        if self._depth == 1:
            self.watchdog.begin()
        try:
            self._make_instance(slot)
        except Interruption:
            raise
        except BaseException as error:
            self.watchdog.deadline = None  # before any call: each is a place to be broken at
            self._end_watch()
            self.fail(slot, "load", error)
            slot.hold_place()
            if self._depth > 1:
                self.watchdog.begin()
        finally:
            self._depth -= 1
            if self._depth == 0:
                self.watchdog.deadline = None
                self._end_watch()

    def _make_instance(self, slot: ComponentSlot) -> None:
        cls = self.loader.load(slot.type_name)
        fields = collect_fields(cls)
        for former, present in zip(slot.values, present_names(slot.values, fields), strict=True):
            if former != present:
                self.tell_renamed(f"the field {former}", present)
        values, notes = migrate(slot.values, fields)
        slot.replace_values(values)
        instance = cls.__new__(cls)
        instance.slot = slot
        instance.__init__()  # type: ignore[misc]
        slot.load(instance)
        slot.runtime.hooks = overridden_hooks(cls)
        for note in notes:
            self.console.write("warning", note, source=slot.object.path)
        self._fresh.append(slot)

    def detach(self, slot: ComponentSlot) -> None:
        """Run the last hooks of a component and release it, only once."""
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
        """Call `enable` or `disable` if a component's activity changed."""
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
        """Retry a quarantined component: load it, start it, or resume it."""
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
        """Set a field as the Inspector does: check, store, `validate`, retry.

        Raises:
            FieldError: the value does not fit; nothing was changed.
        """
        if slot.instance is None:
            slot.set_value(name, raw)
            return
        declared = find_field(type(slot.instance), name)
        if declared is None:
            raise FieldError(f"{slot.class_name}.{name}", expected="a field", found="none")
        name = declared.name
        declared.parse(raw, slot.resolve_reference)
        slot.set_value(name, raw)
        if slot.state is SlotState.QUARANTINED:
            self.retry(slot)
        if "validate" in slot.runtime.hooks:
            self.call(slot, "validate", _run, slot, "validate")
        if declared.is_reference:
            rebind_all(self.scene)

    # -- one frame ----------------------------------------------------------------------------

    def begin_frame(self) -> None:
        """Release destroyed components; awake and start new ones, unless the scene is held."""
        self.scene.flush()
        if self.is_held or not self._fresh:
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
            for slot in fresh:
                if not slot.runtime.is_awake:
                    slot.runtime.is_awake = True
                    self._hook(slot, "awake")
                    if slot.state is SlotState.QUARANTINED:
                        slot.runtime.is_awake = False
            rebind_all(self.scene)
            for slot in fresh:
                if slot.runtime.is_awake:
                    self._turn(slot, is_on=slot.is_active)
            for slot in fresh:
                self._start(slot)

    def _refuse_more(self, fresh: list[ComponentSlot], rounds: int) -> None:
        """Set components aside that others made in `awake` or `start`, and so on: one error."""
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
        """Run the fixed updates, updates, coroutines and late updates of one frame.

        `tick` is then what it came to be, where fixed steps were dropped.
        """
        self.tick = tick
        if self.is_held:
            self.input.end_frame()
            self.scene.flush()
            return
        profiler, is_timed = self.profiler, self.profiler.is_on
        self.tick = tick = self.clock.run_steps(tick, self._run_step)
        if tick.dt > 0.0 or not self.clock.paused:
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
        """End a headless run if what would have ended it, such as --games, has failed."""
        if self.error_count == self._judged_errors:
            return
        self._judged_errors = self.error_count
        run = self.run
        if not run.headless or run.seconds is not None or run.stop_requested:
            return
        living = [slot.instance for slot in self.scene.components() if slot.state not in BROKEN]
        if not any(can_end_run(type(instance), run.options) for instance in living):
            flags = " ".join(f"--{name}" for name in run.options) or "its option"
            self.console.write("error", f"the run ends: what would have ended it failed ({flags})")
            run.finish(1)

    def _run_step(self, dt: float) -> None:
        if self._calls is None:
            self._collect_calls()
        agents, profiler = self.agents, self.profiler
        has_agents, is_timed = bool(agents.running), profiler.is_on
        if has_agents:
            agents.before_step()
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
        if not found:
            return
        calls = iter(found)
        if self.profiler.is_on and not self._depth:
            calls = self._timed(name, calls)
        if self._depth:
            for slot, runtime, function in calls:
                if slot.state is SlotState.READY and runtime.is_on:
                    self.call(slot, name, function, dt)
            return
        while not self._run_calls(name, calls, dt):
            pass

    def _run_calls(self, name: str, calls: Iterator[FrameCall], dt: float) -> bool:
        """Do what `call` does for each, without its cost; stop at a failure, and tell if at none.

        This runs for every object: the guard is laid around all calls, not around each.
        """
        watchdog, ready, now = self.watchdog, SlotState.READY, time.monotonic
        self._depth = 1
        try:
            for slot, runtime, function in calls:
                if slot.state is ready and runtime.is_on:
                    watchdog.deadline = now() + watchdog.timeout
                    function(dt)
                    if watchdog.has_fired:
                        self._end_watch()
        except Interruption:
            raise
        except BaseException as error:
            self.watchdog.deadline = None  # before any call: each is a place to be broken at
            self._end_watch()
            self.fail(slot, name, error)
            return False
        finally:
            self._depth = 0
            self.watchdog.deadline = None
            self._end_watch()
        return True

    def _timed(self, name: str, calls: Iterator[FrameCall]) -> Iterator[FrameCall]:
        """Yield the calls, and add the time until the next one is asked for."""
        profiler, now, ready = self.profiler, perf_counter, SlotState.READY
        known, put = profiler.label, profiler.put
        for call in calls:
            slot, runtime, _ = call
            if slot.state is ready and runtime.is_on:
                label = known(slot.id, name) or self._label(slot, name)
                begun = now()
                yield call
                put((label, begun, now()))

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

    # -- the end ------------------------------------------------------------------------------

    def invalidate(self) -> None:
        """Drop the cached hooks and rebind signals after classes were replaced."""
        self._calls = None
        self.scene.structure_changed()
        rebind_all(self.scene)

    def shutdown(self) -> None:
        """Call `disable` and `destroy` of every component."""
        for slot in self.scene.components():
            if slot.state is not SlotState.DESTROYED:
                self.detach(slot)
                slot.state = SlotState.DESTROYED
        if self._owns_watchdog:
            self.watchdog.close()


def _run(slot: ComponentSlot, hook: str) -> object:
    """Run a hook without arguments; called under the guard, as finding it runs user code, too."""
    return getattr(slot.instance, hook)()
