"""Coroutines of scripts: async functions and generators, stepped once a frame, cancellable."""

from __future__ import annotations

import inspect
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sim.core.scene.scene_object import ComponentSlot

FINISHED = object()


class Wait(ABC):
    """Something a coroutine waits for: `ready(now, instant)` says whether it is over.

    `result()` is what the `await` (or `yield`) then gives, or raises.
    """

    def __await__(self) -> Generator[Wait, Any, Any]:
        return (yield self)

    @abstractmethod
    def ready(self, now: float, instant: bool) -> bool:
        """Whether the wait is over."""

    def result(self) -> Any:
        """Return what the wait gives."""
        return None

    def cancel(self) -> None:  # noqa: B027  most waits hold nothing that must be let go
        """The coroutine was cancelled while it waited."""


class NextFrame(Wait):
    """Over at the next frame."""

    def ready(self, now: float, instant: bool) -> bool:
        """Always: it is asked a frame later."""
        return True


class Seconds(Wait):
    """Over after so many seconds of scene time; at once when time is instant.

    Raises:
        ValueError: they are no number.
    """

    def __init__(self, duration: float) -> None:
        if isinstance(duration, str) or math.isnan(float(duration)):
            raise ValueError(f"seconds: expected a number, found {duration!r:.60}")
        self.duration = float(duration)
        self._end: float | None = None

    def ready(self, now: float, instant: bool) -> bool:
        """Whether the seconds have passed since it was first asked."""
        if self._end is None:
            self._end = now + self.duration
        return instant or now >= self._end - 1e-9


class Until(Wait):
    """Over when a predicate says so."""

    def __init__(self, predicate: Callable[[], object]) -> None:
        self.predicate = predicate

    def ready(self, now: float, instant: bool) -> bool:
        """Whether the predicate holds."""
        return bool(self.predicate())


class Task(Wait):
    """A running coroutine; await it to wait for its end."""

    def __init__(self, slot: ComponentSlot, name: str, steps: Any) -> None:
        self.slot = slot
        self.name = name
        self.done = False
        self.value: Any = None
        self.waits_for: Wait | None = None
        self._steps = steps
        self._is_fresh = True
        self._is_running = False

    def ready(self, now: float, instant: bool) -> bool:
        """Whether the coroutine has ended."""
        return self.done

    def result(self) -> Any:
        """Return what the coroutine returned."""
        return self.value

    def cancel(self) -> None:
        """Stop it where it waits, itself where it waits next; its `finally` blocks run."""
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


def as_wait(value: Any) -> Wait:
    """Return what a `yield` or `await` gave as a wait; a number means seconds, None a frame.

    Raises:
        TypeError: it is none of these.
    """
    if isinstance(value, Wait):
        return value
    if value is None:
        return NextFrame()
    if isinstance(value, int | float):
        return Seconds(float(value))
    raise TypeError(f"coroutine: expected a wait, seconds or None, got {value!r}")


def steps_of(coroutine: Any) -> Any:
    """Return the stepping form of a coroutine object or generator.

    Raises:
        TypeError: it is neither, for example a function that was not called.
    """
    if inspect.iscoroutine(coroutine) or inspect.isgenerator(coroutine):
        return coroutine
    raise TypeError(f"start_coroutine: expected a coroutine or generator, got {coroutine!r}")
