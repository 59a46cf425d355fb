"""The one place where user code is called: hooks and coroutines of scripts.

`ScriptGuard` calls functions; an error becomes one console line and quarantines the component. A
`Task` is a coroutine of a script: an async function or a generator. `TaskRunner` advances the tasks
of all components once a frame, each one when what it waits for has happened.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Coroutine, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any

from base.errors import GoishiError, ScriptTimeout
from base.interruption import Interruption
from sim.core.hangs.watchdog import WAITS
from sim.core.profiling.spans import Phase, SpanLabel
from sim.core.reporting.failure_text import is_kind, late
from sim.core.scene.scene import ComponentSlot, Runtime, SlotState
from sim.core.script.runtime import ErrorPolicy
from sim.core.tasks.waits import Wait, as_wait
from sim.core.workers.link import Answer

if TYPE_CHECKING:
    from sim.core.hangs.watchdog import Watchdog
    from sim.core.profiling.profiler import Profiler
    from sim.core.project.run_context import RunContext
    from sim.core.reporting.console import Console, ConsoleRecord
    from sim.core.tasks.clock import Clock

FrameCall = tuple[ComponentSlot, Runtime, Callable[..., object]]
"""One call in a frame: slot of the component, its `Runtime`, and the method to call."""
FailureListener = Callable[[ComponentSlot, BaseException, "ConsoleRecord"], object]
BROKEN = (SlotState.QUARANTINED, SlotState.PLACEHOLDER, SlotState.DESTROYED)
WHILE_BROKEN = ("load", "destroy")
"""Hooks that are called even if the component is quarantined, a placeholder or destroyed."""


SET_ASIDE = "; this drawing is set aside until its script is saved, the rest goes on"
"""What is added to the error of a drawing in the console."""


@dataclass(eq=False)
class ScriptGuard:
    """Calls user code; an exception becomes one console line and quarantines the component.

    Args:
        clock: the scene's clock; it is paused after an error if `policy` is PAUSE.
        console: the console, to which errors are written.
        run: the run; it is ended with exit status 1 after an error if `policy` is ABORT.
        watchdog: interrupts calls that take too long.
        profiler: receives the duration of each call while it is switched on.
        policy: what an error does to the run.

    Attributes:
        error_count: number of errors of scripts so far.
        on_failure: functions called after each error with the slot, the exception and its console
            record.
        on_drawing_failure: the same for errors of drawings, which stop no component.
    """

    clock: Clock
    console: Console
    run: RunContext
    watchdog: Watchdog
    profiler: Profiler
    policy: ErrorPolicy
    error_count: int = field(default=0, init=False)
    on_failure: list[FailureListener] = field(default_factory=list, init=False)
    on_drawing_failure: list[FailureListener] = field(default_factory=list, init=False)

    _depth = 0

    def call(
        self,
        slot: ComponentSlot,
        hook: str,
        function: Callable[..., object],
        *arguments: object,
        fail: Callable[[ComponentSlot, str, BaseException], object] | None = None,
    ) -> Any:
        """Call user code; an exception becomes one console line and quarantines the component.

        Args:
            slot: slot of the component that the code belongs to.
            hook: name of the called method, for the error message.
            function: the code to call.
            *arguments: its arguments.
            fail: called with slot, hook and exception after an error, in place of `self.fail`.

        Returns:
            The function's result; None if it failed. None, too, if it was not called because the
            component is quarantined, a placeholder or destroyed.
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
            (fail or self.fail)(slot, getattr(error, "raised_in", hook), error)
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

    def draw(
        self, slot: ComponentSlot, hook: str, function: Callable[..., object], *arguments: object
    ) -> ConsoleRecord | None:
        """Call a function of a script that draws something, such as a panel.

        An exception becomes one console line, and the component goes on. Whoever draws must not
        call the function again until its script was reloaded or the user has asked for it.

        Args:
            slot: slot of the component that the drawing belongs to.
            hook: name of the drawing, for the error message.
            function: the code to call.
            *arguments: its arguments.

        Returns:
            The console's record of the error; None if there was none.
        """
        failed: list[ConsoleRecord] = []

        def note(slot: ComponentSlot, hook: str, error: BaseException) -> None:
            failed.append(self._fail_drawing(slot, hook, error))

        self.call(slot, hook, function, *arguments, fail=note)
        return failed[0] if failed else None

    def run_calls(self, name: str, found: Sequence[FrameCall], dt: float) -> None:
        """Call a hook that runs in every frame, such as "update", on every active component.

        An error of one component does not stop the others.

        Args:
            name: name of the hook.
            found: the calls to make, in the scene's order.
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
        """Make the calls one after the other until all are made or one raises an error.

        A single error handler surrounds all of them, because one for each call would take too long
        in every frame.

        Args:
            name: name of the hook.
            calls: iterator of the calls. It advances with each call, so that the remaining ones can
                be made later.
            dt: argument of the hook: seconds of scene time.

        Returns:
            True if all calls succeeded; False after an error.
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
        """Yield the calls of active components, and measure how long each call takes.

        The time from yielding a call until the next one is asked for goes to the profiler.

        Args:
            name: name of the hook.
            calls: the calls.
        """
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
        """Return the label under which the profiler stores the durations of a component's hook.

        The label is created when it is first needed.

        Args:
            slot: slot of the component.
            hook: name of the hook.
        """
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
        """Report an error of a component, quarantine it and apply the error policy.

        Args:
            slot: slot of the component.
            hook: name of the method that failed.
            error: the exception.

        Returns:
            The error's record in the console.
        """
        error = self._in_words(error)
        record = self.report(slot, hook, error)
        slot.fail(record)
        self._apply_policy(slot, error, record, self.on_failure)
        return record

    def _fail_drawing(self, slot: ComponentSlot, hook: str, error: BaseException) -> ConsoleRecord:
        """Report an error of a drawing and apply the error policy; the component goes on.

        Args:
            slot: slot of the component.
            hook: name of the drawing.
            error: the exception.
        """
        error = self._in_words(error)
        record = self.report(slot, hook, error, note=SET_ASIDE)
        self._apply_policy(slot, error, record, self.on_drawing_failure)
        return record

    def _in_words(self, error: BaseException) -> BaseException:
        """Return an exception; that of a call that took too long says how long it may take."""
        if is_kind(error, ScriptTimeout) and error.args in ((), (WAITS,)):
            return late(error, self.watchdog.timeout)
        return error

    def _apply_policy(
        self,
        slot: ComponentSlot,
        error: BaseException,
        record: ConsoleRecord,
        listeners: Sequence[FailureListener],
    ) -> None:
        """Count an error that was reported, tell who listens, and pause or end the run.

        Args:
            slot: slot of the component.
            error: the exception.
            record: its record in the console.
            listeners: functions to call with these three.
        """
        self.error_count += 1
        for hears in listeners:
            hears(slot, error, record)
        if self.policy is ErrorPolicy.PAUSE:
            self.clock.pause()
        elif self.policy is ErrorPolicy.ABORT:
            self.run.finish(1)

    def report(
        self, slot: ComponentSlot, hook: str, error: BaseException, note: str = ""
    ) -> ConsoleRecord:
        """Write an error of a component to the console without quarantining the component.

        Args:
            slot: slot of the component.
            hook: name of the method that failed.
            error: the exception.
            note: text that is added to the line.

        Returns:
            The error's record in the console.
        """
        return self.console.failure(
            error,
            source=slot.object.path,
            component=slot.class_name,
            hook=hook,
            slot_id=slot.id,
            watch=self.watchdog.watching,
            note=note,
        )

    def end(self, slot: ComponentSlot, hook: str, function: Callable[[], object]) -> None:
        """Call a clean-up function of a component; an error is reported but does not quarantine it.

        Args:
            slot: slot of the component.
            hook: name of the clean-up function, for the error message.
            function: called without arguments.
        """
        try:
            with self.watchdog.watching():
                function()
        except Interruption:
            raise
        except BaseException as error:
            self.report(slot, hook, error)


# -- coroutines --------------------------------------------------------------------------------


class DeadlockError(GoishiError, RuntimeError):
    """Coroutines would wait for each other forever.

    Args:
        circle: their names in order; the first one is also the last.
    """

    def __init__(self, circle: str) -> None:
        super().__init__(
            f"await: expected a coroutine that can end, found a circle of waits: {circle}"
        )


Steps = Coroutine[object, object, object] | Generator[object, object, object]


class Task(Wait):
    """A running coroutine; await it to wait for its end."""

    def __init__(self, slot: ComponentSlot, name: str, steps: Steps) -> None:
        self.slot = slot
        self.name = name
        self.done = False
        self.value: object = None
        self.waits_for: Wait | None = None
        self._steps = steps
        self._is_running = False

    def ready(self, now: float, instant: bool) -> bool:
        """Return whether the coroutine has ended.

        Args:
            now: scene time, seconds; ignored.
            instant: whether the scene runs at maximum speed; ignored.
        """
        return self.done

    def result(self) -> object:
        """Return what the coroutine returned; None while it runs, or if it was cancelled."""
        return self.value

    def cancel(self) -> None:
        """Cancel the coroutine where it waits; its `finally` blocks run.

        A coroutine that cancels itself stops at its next wait. Nothing happens if it has ended.
        """
        if self.done:
            return
        self.done = True
        if self._is_running:
            return
        if self.waits_for is not None and not isinstance(self.waits_for, Task):
            self.waits_for.cancel()
        self._steps.close()

    def advance(self) -> None:
        """Run the coroutine until it waits again or ends; an error in it is raised here.

        Only the script host calls this.

        Raises:
            RuntimeError: the coroutine used `asyncio`, which has no event loop in a script.
        """
        wait = self.waits_for
        self.waits_for = None
        self._is_running = True
        try:
            if wait is None:
                yielded = self._steps.send(None)
            else:
                try:
                    value = wait.result()
                except Exception as error:
                    yielded = self._steps.throw(error)
                else:
                    yielded = self._steps.send(value)
            while circle := self._circle(yielded):
                yielded = self._steps.throw(DeadlockError(circle))
        except StopIteration as stop:
            self.done = True
            self.value = stop.value
            return
        except BaseException as error:
            self.done = True
            if isinstance(error, RuntimeError) and str(error) == "no running event loop":
                raise RuntimeError(
                    "asyncio has no loop in a script: await self.seconds(...), self.until(...) or "
                    "self.background(...) instead"
                ) from error
            raise
        finally:
            self._is_running = False
        if self.done:  # it was cancelled by what it did itself
            self._steps.close()
        else:
            self.waits_for = as_wait(yielded)

    def _circle(self, wait: object) -> str:
        """Return which coroutines would wait for each other forever; empty if none would.

        Args:
            wait: what this coroutine is about to wait for.
        """
        names = [self.name]
        while isinstance(wait, Task) and not wait.done:
            names.append(wait.name)
            if wait is self:
                return " → ".join(names)
            wait = wait.waits_for
        return ""


def steps_of(coroutine: Steps) -> Steps:
    """Return `coroutine` unchanged after checking that it is a coroutine object or a generator.

    Raises:
        TypeError: it is neither, for example a function that was not called.
    """
    if inspect.iscoroutine(coroutine) or inspect.isgenerator(coroutine):
        return coroutine
    raise TypeError(f"start_coroutine: expected a coroutine or generator, got {coroutine!r}")


def _is_answer(wait: Wait) -> bool:
    """Return whether a wait may end between two frames.

    That is so for a worker's answer, and for another coroutine that has ended.

    Args:
        wait: what a coroutine waits for.
    """
    return isinstance(wait, Answer) or (isinstance(wait, Task) and wait.done)


class TaskRunner:
    """The coroutines of one scene; each step is user code and runs under the error guard."""

    def __init__(self, guard: ScriptGuard, clock: Clock) -> None:
        self._guard = guard
        self._clock = clock
        self._tasks: list[Task] = []

    def __len__(self) -> int:
        return len(self._tasks)

    def start(self, slot: ComponentSlot, coroutine: Steps) -> Task:
        """Start a coroutine of a component and run it to its first wait.

        If the component was stopped after an error, or destroyed, the coroutine is cancelled before
        it begins. Otherwise whoever awaits it would wait for ever.

        Args:
            slot: slot of the component that owns the coroutine.
            coroutine: a coroutine object or a generator.

        Raises:
            TypeError: `coroutine` is neither.
        """
        task = Task(slot, getattr(coroutine, "__name__", "coroutine"), steps_of(coroutine))
        if slot.state in BROKEN:
            task.cancel()
            return task
        slot.runtime.tasks.append(task)
        self._tasks.append(task)
        self._advance(task)
        return task

    def run(self) -> None:
        """Advance every coroutine whose wait is over by one step."""
        self._poll(lambda wait: True)

    @property
    def awaits_answer(self) -> bool:
        """Whether a coroutine waits for a worker's answer that has not arrived yet."""
        waits = (task.waits_for for task in self._tasks)
        return any(isinstance(wait, Answer) and not wait.done for wait in waits)

    def run_ready(self) -> None:
        """Advance the coroutines whose worker has answered; called between frames."""
        progress = True
        while progress:
            progress = self._poll(_is_answer)

    def shift(self, seconds: float) -> None:
        """After a jump of scene time, keep the remaining time of every wait.

        Args:
            seconds: how far scene time has jumped.
        """
        for task in self._tasks:
            if task.waits_for is not None:
                task.waits_for.shift(seconds)

    def cancel_of(self, slot: ComponentSlot) -> None:
        """Cancel all coroutines of a component; errors in their `finally` blocks are reported."""
        tasks, slot.runtime.tasks = slot.runtime.tasks, []
        slot.runtime.lost_tasks = slot.runtime.lost_tasks or bool(tasks)
        for task in tasks:
            self._guard.end(slot, task.name, task.cancel)

    def _poll(self, is_wanted: Callable[[Wait], bool]) -> bool:
        if not self._tasks:
            return False
        guard, clock = self._guard, self._clock
        progress = False
        for task in list(self._tasks):
            wait = task.waits_for
            if task.done or wait is None or not is_wanted(wait):
                continue
            ready = guard.call(task.slot, task.name, wait.ready, clock.time, clock.instant)
            if ready and not task.done:
                self._advance(task)
                progress = True
        if progress or any(task.done for task in self._tasks):
            self._tasks = [task for task in self._tasks if not task.done]
        return progress

    def _advance(self, task: Task) -> None:
        self._guard.call(task.slot, task.name, task.advance)
        if task.done and task in task.slot.runtime.tasks:
            task.slot.runtime.tasks.remove(task)
