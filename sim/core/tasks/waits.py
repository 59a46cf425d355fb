"""Waits of a script's coroutine: for a frame, seconds, a condition."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator
from typing import Any


class Wait(ABC):
    """A condition that a coroutine waits for: `ready(now, instant)` returns whether it is over.

    `result()` is then the value of the `await` (or `yield`), or raises.
    """

    def __await__(self) -> Generator[Wait, object, Any]:
        return (yield self)

    @abstractmethod
    def ready(self, now: float, instant: bool) -> bool:
        """Return whether the wait is over."""

    def result(self) -> object:
        """Return the value of the `await`."""
        return None

    def shift(self, seconds: float) -> None:  # noqa: B027  most waits know no time
        """Called where scene time jumps by `seconds`: what is left to wait stays as it is."""

    def cancel(self) -> None:  # noqa: B027  most waits hold nothing that must be let go
        """Called when the coroutine is cancelled while it waits."""


class NextFrame(Wait):
    """Waits for the next frame."""

    def ready(self, now: float, instant: bool) -> bool:
        """Return True: it is first called a frame later."""
        return True


class Seconds(Wait):
    """Waits for seconds of scene time; over at once when time is instant.

    Raises:
        ValueError: the duration is not a number.
    """

    def __init__(self, duration: float) -> None:
        if isinstance(duration, str) or math.isnan(float(duration)):
            raise ValueError(f"seconds: expected a number, found {duration!r:.60}")
        self.duration = float(duration)
        self._end: float | None = None

    def ready(self, now: float, instant: bool) -> bool:
        """Return whether the seconds have passed since the first call."""
        if self._end is None:
            self._end = now + self.duration
        return instant or now >= self._end - 1e-9

    def shift(self, seconds: float) -> None:
        """Move the end with the clock."""
        if self._end is not None:
            self._end += seconds


class Until(Wait):
    """Waits until a predicate is true."""

    def __init__(self, predicate: Callable[[], object]) -> None:
        self.predicate = predicate

    def ready(self, now: float, instant: bool) -> bool:
        """Return whether the predicate is true."""
        return bool(self.predicate())


def as_wait(value: object) -> Wait:
    """Convert the value of a `yield` or `await` to a wait: a number means seconds, None a frame.

    Raises:
        TypeError: the value is of another type.
    """
    if isinstance(value, Wait):
        return value
    if value is None:
        return NextFrame()
    if isinstance(value, int | float):
        return Seconds(float(value))
    raise TypeError(f"coroutine: expected a wait, seconds or None, got {value!r}")
