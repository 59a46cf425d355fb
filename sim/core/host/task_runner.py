"""Runs the coroutines of all components, each when its wait is over."""

from __future__ import annotations

from collections.abc import Callable

from sim.core.scene.host import ComponentHost
from sim.core.scene.scene_object import ComponentSlot
from sim.core.script.coroutines import Steps, Task, steps_of
from sim.core.script.runtime import is_answer
from sim.core.tasks.waits import Wait


class TaskRunner:
    """The coroutines of one scene; each step is user code, and runs under the host's guard."""

    def __init__(self, host: ComponentHost) -> None:
        self._host = host
        self._tasks: list[Task] = []

    def __len__(self) -> int:
        return len(self._tasks)

    def start(self, slot: ComponentSlot, coroutine: Steps) -> Task:
        """Start a coroutine of a component; its first step runs at once."""
        task = Task(slot, getattr(coroutine, "__name__", "coroutine"), steps_of(coroutine))
        slot.runtime.tasks.append(task)
        self._tasks.append(task)
        self._advance(task)
        return task

    def run(self) -> None:
        """Advance every coroutine whose wait is over, once."""
        self._poll(lambda wait: True)

    def run_ready(self) -> None:
        """Advance the coroutines whose worker has answered, outside of a frame's step."""
        progress = True
        while progress:
            progress = self._poll(is_answer)

    def cancel_of(self, slot: ComponentSlot) -> None:
        """Cancel all coroutines of a component; errors in their `finally` blocks are reported."""
        host = self._host
        tasks, slot.runtime.tasks = slot.runtime.tasks, []
        slot.runtime.lost_tasks = slot.runtime.lost_tasks or bool(tasks)
        for task in tasks:
            try:
                with host.watchdog.watching():
                    task.cancel()
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                host.console.failure(
                    error, source=slot.object.path, component=slot.class_name,
                    hook=task.name, slot_id=slot.id, watch=host.watchdog.watching,
                )  # fmt: skip

    def _poll(self, is_wanted: Callable[[Wait], bool]) -> bool:
        host = self._host
        progress = False
        for task in list(self._tasks):
            wait = task.waits_for
            if task.done or wait is None or not is_wanted(wait):
                continue
            ready = host.call(task.slot, task.name, wait.ready, host.clock.time, host.clock.instant)
            if ready and not task.done:
                self._advance(task)
                progress = True
        if progress or any(task.done for task in self._tasks):
            self._tasks = [task for task in self._tasks if not task.done]
        return progress

    def _advance(self, task: Task) -> None:
        self._host.call(task.slot, task.name, task.advance)
        if task.done and task in task.slot.runtime.tasks:
            task.slot.runtime.tasks.remove(task)
