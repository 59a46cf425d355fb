"""The clock: fixed steps for logic, a variable step for drawing, pause and speed."""

from __future__ import annotations

import math
from dataclasses import dataclass

MAX_SPEED = math.inf
SLOWEST = 1.0 / 32.0
FASTEST = 64.0


@dataclass(frozen=True)
class Tick:
    """Timing of one frame.

    Attributes:
        frame: frames so far, this one included.
        dt: seconds of scene time since the last frame.
        fixed_steps: number of fixed steps of this frame.
        fixed_dt: seconds of one fixed step.
        time: seconds of scene time since the start.
        instant: True at maximum speed: animations and waits end at their next step.
    """

    frame: int
    dt: float
    fixed_steps: int
    fixed_dt: float
    time: float
    instant: bool


class Clock:
    """Turns wall seconds into ticks.

    At `MAX_SPEED` every frame is one fixed step, however long it took, so what a scene does
    does not depend on the machine.
    """

    def __init__(
        self, fixed_dt: float = 1.0 / 60.0, speed: float = 1.0, max_fixed_steps: int = 5
    ) -> None:
        if not (math.isfinite(fixed_dt) and fixed_dt > 0):
            raise ValueError(f"fixed_dt: expected a positive number of seconds, got {fixed_dt!r}")
        self.fixed_dt = fixed_dt
        self.max_fixed_steps = max_fixed_steps
        self.frame_step: float | None = None
        self.paused = False
        self.frame = 0
        self.time = 0.0
        self._owed = 0.0
        self._steps = 0
        self.speed = speed

    @property
    def speed(self) -> float:
        """Scene seconds per wall second: 1/32 to 64, or infinity."""
        return self._speed

    @speed.setter
    def speed(self, value: float) -> None:
        if not (value == MAX_SPEED or SLOWEST <= value <= FASTEST):
            raise ValueError(f"speed: expected 1/32 to 64 or infinity, got {value!r}")
        self._speed = float(value)
        self._owed = 0.0

    @property
    def instant(self) -> bool:
        """Whether time is instant: animations have no length."""
        return self._speed == MAX_SPEED

    def pause(self) -> None:
        """Stop time; frames go on with dt 0."""
        self.paused = True

    def resume(self) -> None:
        """Resume time."""
        self.paused = False
        self._steps = 0

    def rewind(self, time: float = 0.0) -> None:
        """Reset scene time; the frame count goes on."""
        self.time = time
        self._owed = 0.0
        self._steps = 0

    def step(self) -> None:
        """Advance exactly one fixed step at the next frame while paused."""
        self._steps += 1

    def advance(self, wall_seconds: float) -> Tick:
        """Advance the clock by a frame of `wall_seconds` and return its tick."""
        self.frame += 1
        if self.paused:
            return self._paused_tick()
        if self.instant:
            return self._tick(self.fixed_dt, 1)
        wall = self.frame_step if self.frame_step is not None else max(0.0, wall_seconds)
        longest = self.max_fixed_steps * self.fixed_dt
        dt = wall * self._speed if self.frame_step is not None else min(wall, 0.25) * self._speed
        self._owed += dt
        steps = int(self._owed / self.fixed_dt + 1e-9)
        if steps > self.max_fixed_steps:  # a long frame: logic slows down, it never spirals
            self._owed = 0.0
            return self._tick(max(longest, dt), self.max_fixed_steps)
        self._owed = max(0.0, self._owed - steps * self.fixed_dt)
        return self._tick(dt, steps)

    def _paused_tick(self) -> Tick:
        if not self._steps:
            return self._tick(0.0, 0)
        self._steps -= 1
        return self._tick(self.fixed_dt, 1)

    def _tick(self, dt: float, steps: int) -> Tick:
        self.time += dt
        instant = self.instant and not (self.paused and dt == 0.0)
        return Tick(self.frame, dt, steps, self.fixed_dt, self.time, instant)
