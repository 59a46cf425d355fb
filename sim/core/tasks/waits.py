"""Conditions that coroutines wait for: seconds, frames, predicates and tweens of a value."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Sequence
from typing import Any

import numpy as np

from base.spelling import one_of


class Wait(ABC):
    """Base class of conditions that a coroutine can wait for with `await` or `yield`.

    While it waits, `ready(now, instant)` is called once a frame. When it returns True, `result()`
    gives the value of the `await`, or raises its error.
    """

    def __await__(self) -> Generator[Wait, object, Any]:
        return (yield self)

    @abstractmethod
    def ready(self, now: float, instant: bool) -> bool:
        """Return whether the wait is over.

        Args:
            now: scene time, seconds.
            instant: whether the speed is unlimited, so that waits for time are over at once.
        """

    def result(self) -> object:
        """Return the value of the `await` expression."""
        return None

    def shift(self, seconds: float) -> None:  # noqa: B027  most waits know no time
        """Keep the remaining time the same when scene time jumps.

        Args:
            seconds: length of the jump; negative if time jumps back.
        """

    def cancel(self) -> None:  # noqa: B027  most waits hold nothing that must be let go
        """Called when the coroutine is cancelled during this wait."""


class NextFrame(Wait):
    """Waits until the next frame."""

    def ready(self, now: float, instant: bool) -> bool:
        """Return True: the first call is made in the next frame."""
        return True


class Seconds(Wait):
    """Waits for some seconds of scene time; over at once at unlimited speed.

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
        """Move the end of the wait by `seconds`."""
        if self._end is not None:
            self._end += seconds


class Until(Wait):
    """Waits until `predicate()` returns something true."""

    def __init__(self, predicate: Callable[[], object]) -> None:
        self.predicate = predicate

    def ready(self, now: float, instant: bool) -> bool:
        """Return whether the predicate is true now."""
        return bool(self.predicate())


def as_wait(value: object) -> Wait:
    """Convert the value of a `yield` or `await` to a wait.

    Args:
        value: a wait; a number for seconds of scene time; None for the next frame.

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


Curve = Callable[[float], float]


def _bounce_out(t: float) -> float:
    n, d = 7.5625, 2.75  # Penner's constants: four parabolas of falling height
    if t < 1 / d:
        return n * t**2
    if t < 2 / d:
        return n * (t - 1.5 / d) ** 2 + 0.75
    if t < 2.5 / d:
        return n * (t - 2.25 / d) ** 2 + 0.9375
    return n * (t - 2.625 / d) ** 2 + 0.984375


def _elastic_out(t: float) -> float:
    if t in (0.0, 1.0):
        return t
    return math.pow(2.0, -10.0 * t) * math.sin((t * 10.0 - 0.75) * 2.0 * math.pi / 3.0) + 1.0


IN_CURVES: dict[str, Curve] = {
    "quad": lambda t: t**2,
    "cubic": lambda t: t**3,
    "quart": lambda t: t**4,
    "sine": lambda t: 1.0 - math.cos(t * math.pi / 2.0),
    "expo": lambda t: (2.0 ** (10.0 * t) - 1.0) / 1023.0,  # scaled: it starts at 0 without a jump
    "circ": lambda t: 1.0 - math.sqrt(max(0.0, 1.0 - t * t)),
    "back": lambda t: 2.70158 * t**3 - 1.70158 * t**2,
    "elastic": lambda t: 1.0 - _elastic_out(1.0 - t),
    "bounce": lambda t: 1.0 - _bounce_out(1.0 - t),
}


def _reverse(curve: Curve) -> Curve:
    return lambda t: 1.0 - curve(1.0 - t)


def _both(curve: Curve) -> Curve:
    return lambda t: curve(2.0 * t) / 2.0 if t < 0.5 else 1.0 - curve(2.0 - 2.0 * t) / 2.0


EASINGS: dict[str, Curve] = {"linear": lambda t: t}
for _name, _curve in IN_CURVES.items():
    EASINGS[f"{_name}_in"] = _curve
    EASINGS[f"{_name}_out"] = _reverse(_curve)
    EASINGS[f"{_name}_in_out"] = _both(_curve)


def easing(name: str) -> Curve:
    """Return an easing curve by name: a function that maps 0 to 0 and 1 to 1.

    Raises:
        ValueError: the name is unknown; the message lists the known ones.

    >>> easing("quad_in")(0.5)
    0.25
    """
    try:
        return EASINGS[name]
    except KeyError:
        raise ValueError(f"ease: expected {one_of(EASINGS, name)}, got {name!r}") from None


class Tween(Wait):
    """Waits while a value moves from start to end; over at once at unlimited speed."""

    def __init__(
        self,
        apply: Callable[..., object],
        start: float | Sequence[float],
        end: float | Sequence[float],
        seconds: float,
        ease: str = "linear",
        *,
        jumps: bool = False,
    ) -> None:
        """Create a tween; its time starts at the first `ready`.

        Args:
            apply: called with each value: a float if `start` is a number, else an array.
            start: first value.
            end: last value, of the same shape.
            seconds: duration in scene time.
            ease: name of an easing curve; see `easing`.
            jumps: whether the value is at its end at once; the wait lasts as long all the same.

        Raises:
            ValueError: a value, the seconds or the easing is invalid.
        """
        if not callable(apply):
            raise ValueError(f"tween: expected a function to call with values, found {apply!r:.60}")
        if not isinstance(seconds, int | float | np.number) or not math.isfinite(seconds):
            raise ValueError(f"seconds: expected a finite number, found {seconds!r:.60}")
        if np.shape(start) != np.shape(end):
            raise ValueError(f"tween: expected an end like {start!r:.40}, found {end!r:.40}")
        self._apply = apply
        self._is_scalar = np.isscalar(start)
        self._start = np.array(start, dtype=np.float64)
        self._end = np.array(end, dtype=np.float64)
        self._seconds = seconds
        self._curve = easing(ease)
        self._jumps = jumps
        self._begun: float | None = None

    def ready(self, now: float, instant: bool) -> bool:
        """Call `apply` with the present value; return whether the end is reached."""
        if self._begun is None:
            self._begun = now
        passed = now - self._begun
        is_over = instant or self._seconds <= 0 or passed >= self._seconds - 1e-9
        is_at_end = is_over or self._jumps
        share = 1.0 if is_at_end else self._curve(passed / self._seconds)
        value = self._end if is_at_end else self._start + (self._end - self._start) * share
        self._apply(float(value) if self._is_scalar else value)
        return is_over

    def shift(self, seconds: float) -> None:
        """Move the start time by `seconds`."""
        if self._begun is not None:
            self._begun += seconds
