"""Coroutines of scripts: async functions and generators, advanced once a frame, cancellable.

A `Task` is one running coroutine. A `TaskRunner` holds the tasks of a scene and advances each when
its wait is over.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Coroutine, Generator

from sim.core.scene.scene import CallGuard, ComponentSlot
from sim.core.tasks.clock import Clock
from sim.core.tasks.waits import Wait, as_wait
from sim.core.workers.link import Answer

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
        self._is_fresh = True
        self._is_running = False

    def ready(self, now: float, instant: bool) -> bool:
        """Return whether the coroutine has ended; both arguments are ignored."""
        return self.done

    def result(self) -> object:
        """Return what the coroutine returned; None until it has ended and if it was cancelled."""
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
        """Run the coroutine to its next wait; the script host calls this and reports its errors.

        Raises:
            RuntimeError: the coroutine used `asyncio`, which has no event loop in a script.
        """
        wait = self.waits_for
        self.waits_for = None
        self._is_running = True
        try:
            if self._is_fresh:
                self._is_fresh = False
                yielded = self._steps.send(None)
            elif wait is None:
                yielded = self._steps.send(None)
            else:
                try:
                    value = wait.result()
                except Exception as error:
                    yielded = self._steps.throw(error)
                else:
                    yielded = self._steps.send(value)
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


def steps_of(coroutine: Steps) -> Steps:
    """Return `coroutine` unchanged after checking that it is a coroutine object or a generator.

    Raises:
        TypeError: it is neither, for example a function that was not called.
    """
    if inspect.iscoroutine(coroutine) or inspect.isgenerator(coroutine):
        return coroutine
    raise TypeError(f"start_coroutine: expected a coroutine or generator, got {coroutine!r}")


def _is_answer(wait: Wait) -> bool:
    """Return whether a wait can end between frames: a worker's answer or a task that has ended."""
    return isinstance(wait, Answer) or (isinstance(wait, Task) and wait.done)


class TaskRunner:
    """The coroutines of one scene; each step is user code and runs under the error guard."""

    def __init__(self, guard: CallGuard, clock: Clock) -> None:
        self._guard = guard
        self._clock = clock
        self._tasks: list[Task] = []

    def __len__(self) -> int:
        return len(self._tasks)

    def start(self, slot: ComponentSlot, coroutine: Steps) -> Task:
        """Start a coroutine of a component and run it to its first wait.

        Args:
            slot: slot of the component that owns the coroutine.
            coroutine: a coroutine object or a generator.

        Raises:
            TypeError: `coroutine` is neither.
        """
        task = Task(slot, getattr(coroutine, "__name__", "coroutine"), steps_of(coroutine))
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
        """Shift all waits when scene time jumps by `seconds`; their remaining time stays."""
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
