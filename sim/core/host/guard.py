"""The guard around user code: an error becomes one console line and quarantines its component."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any

from base.errors import ScriptTimeout
from base.interruption import Interruption
from sim.core.hangs.watchdog import WAITS
from sim.core.profiling.spans import Phase, SpanLabel
from sim.core.reporting.failure_text import is_kind, late
from sim.core.scene.scene import ComponentSlot, Runtime, SlotState
from sim.core.script.runtime import ErrorPolicy

if TYPE_CHECKING:
    from sim.core.hangs.watchdog import Watchdog
    from sim.core.profiling.profiler import Profiler
    from sim.core.project.run_context import RunContext
    from sim.core.reporting.console import Console, ConsoleRecord
    from sim.core.tasks.clock import Clock

FrameCall = tuple[ComponentSlot, Runtime, Callable[..., object]]
"""A hook that runs in every frame: its component, the host's data about it, the method."""
FailureListener = Callable[[ComponentSlot, BaseException, "ConsoleRecord"], object]
BROKEN = (SlotState.QUARANTINED, SlotState.PLACEHOLDER, SlotState.DESTROYED)
WHILE_BROKEN = ("load", "destroy")
"""Hooks that are also called on a quarantined component."""


@dataclass(eq=False)
class ScriptGuard:
    """Calls user code; an exception becomes one console line and quarantines the component.

    Args:
        clock: paused at an error where the policy says so.
        console: where errors are reported.
        run: ended at an error where the policy says so.
        watchdog: interrupts calls that take too long.
        profiler: gets the duration of each call while it is on.
        policy: effect of an error on the run.

    Attributes:
        error_count: errors of scripts so far.
        on_failure: called in turn with each component that failed, its exception and its record.
    """

    clock: Clock
    console: Console
    run: RunContext
    watchdog: Watchdog
    profiler: Profiler
    policy: ErrorPolicy
    error_count: int = field(default=0, init=False)
    on_failure: list[FailureListener] = field(default_factory=list, init=False)

    _depth = 0

    def call(
        self, slot: ComponentSlot, hook: str, function: Callable[..., object], *arguments: object
    ) -> Any:
        """Call user code; an exception becomes one console line and quarantines the component.

        Returns:
            The function's result; None when it failed or the component is quarantined.
        """
        if slot.state in BROKEN and hook not in WHILE_BROKEN:
            return None
        is_timed = self.profiler.is_on and function is not getattr and hook != "load"
        begun = perf_counter() if is_timed else 0.0
        self._depth += 1
        if self._depth == 1:
            self.watchdog.begin()
        try:
            return function(*arguments)
        except Interruption:
            raise
        except BaseException as error:
            self.watchdog.deadline = None  # before any call, since each may be interrupted
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

    def run_calls(self, name: str, found: Sequence[FrameCall], dt: float) -> None:
        """Call a per-frame hook of every active component; a failure stops none of the others.

        Args:
            name: of the hook.
            found: the components' methods, in the scene's order.
            dt: argument of the hook: seconds of scene time.
        """
        calls = iter(found)
        if self._depth:
            for slot, runtime, function in calls:
                if slot.state is SlotState.READY and runtime.is_on:
                    self.call(slot, name, function, dt)
            return
        if self.profiler.is_on:
            calls = self._timed(name, calls)
        while not self._run_rest(name, calls, dt):
            pass

    def _run_rest(self, name: str, calls: Iterator[FrameCall], dt: float) -> bool:
        """Do what `call` does for each method, without its cost; stop at the first failure.

        This runs for every object, so one guard surrounds all calls instead of each.
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
            self.watchdog.deadline = None  # before any call, since each may be interrupted
            self._end_watch()
            self.fail(slot, name, error)
            return False
        finally:
            self._depth = 0
            self.watchdog.deadline = None
            self._end_watch()
        return True

    def _timed(self, name: str, calls: Iterator[FrameCall]) -> Iterator[FrameCall]:
        """Yield the calls, and record the time until the next one is requested."""
        profiler, now, ready = self.profiler, perf_counter, SlotState.READY
        known, put = profiler.label, profiler.put
        for call in calls:
            slot, runtime, _ = call
            if slot.state is ready and runtime.is_on:
                label = known(slot.id, name) or self._label(slot, name)
                begun = now()
                yield call
                put((label, begun, now()))

    def _label(self, slot: ComponentSlot, hook: str) -> SpanLabel:
        """Return what the profiler calls a callback of a component."""
        known = self.profiler.label(slot.id, hook)
        return known or self.profiler.learn(
            SpanLabel(hook, Phase.SCRIPTS, slot.object.path, slot.class_name, slot.id)
        )

    def _end_watch(self) -> None:
        try:
            self.watchdog.end()
        except ScriptTimeout:  # it arrived between the call's end and here
            self.watchdog.end()

    def fail(self, slot: ComponentSlot, hook: str, error: BaseException) -> ConsoleRecord:
        """Record an error of a component and quarantine it."""
        if is_kind(error, ScriptTimeout) and error.args in ((), (WAITS,)):
            error = late(error, self.watchdog.timeout)
        record = self.report(slot, hook, error)
        self.error_count += 1
        slot.fail(record)
        for hears in self.on_failure:
            hears(slot, error, record)
        if self.policy is ErrorPolicy.PAUSE:
            self.clock.pause()
        elif self.policy is ErrorPolicy.ABORT:
            self.run.finish(1)
        return record

    def report(self, slot: ComponentSlot, hook: str, error: BaseException) -> ConsoleRecord:
        """Write an error of a component into the console; the component goes on."""
        return self.console.failure(
            error,
            source=slot.object.path,
            component=slot.class_name,
            hook=hook,
            slot_id=slot.id,
            watch=self.watchdog.watching,
        )

    def end(self, slot: ComponentSlot, hook: str, function: Callable[[], object]) -> None:
        """Call a clean-up function of a component; an error is reported and nothing else."""
        try:
            with self.watchdog.watching():
                function()
        except Interruption:
            raise
        except BaseException as error:
            self.report(slot, hook, error)
