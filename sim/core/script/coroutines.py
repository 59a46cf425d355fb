"""Coroutines of scripts: async functions and generators, stepped once a frame, cancellable."""

from __future__ import annotations

import inspect
from collections.abc import Coroutine, Generator

from sim.core.scene.scene_object import ComponentSlot
from sim.core.tasks.waits import Wait, as_wait

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
        """Return whether the coroutine has ended."""
        return self.done

    def result(self) -> object:
        """Return what the coroutine returned."""
        return self.value

    def cancel(self) -> None:
        """Cancel the coroutine at its present wait; its `finally` blocks run."""
        if self.done:
            return
        self.done = True
        if self._is_running:
            return
        if self.waits_for is not None and not isinstance(self.waits_for, Task):
            self.waits_for.cancel()
        self._steps.close()

    def advance(self) -> None:
        """Run to the next wait. Called by the host under its guard."""
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
    """Return the iterator of steps of a coroutine object or generator.

    Raises:
        TypeError: it is neither, for example a function that was not called.
    """
    if inspect.iscoroutine(coroutine) or inspect.isgenerator(coroutine):
        return coroutine
    raise TypeError(f"start_coroutine: expected a coroutine or generator, got {coroutine!r}")
