"""The clock of a scene: fixed steps for logic, variable steps for drawing, pause and speed."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from typing import NamedTuple

MAX_SPEED = math.inf
SLOWEST = 1.0 / 32.0
FASTEST = 64.0
LONGEST_FRAME = 0.25  # wall seconds of a frame that count, at most
GAUGED_SECONDS = 1.0  # wall seconds over which the reached speed is measured


class Tick(NamedTuple):
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
    """Turns wall time into ticks: how much scene time passes in each frame.

    The attribute `time`, the `dt` of the ticks and the fixed steps advance together at every speed.
    They are never further apart than one fixed step.

    If there is no wall time for some fixed steps of a frame, they are dropped, and `dt` and `time`
    get smaller accordingly. So the clock slows down and does not catch up later. The same happens
    to a frame longer than `LONGEST_FRAME`.

    At `MAX_SPEED` every frame is one fixed step, however long it took. So the course of a scene
    does not depend on the machine.

    Attributes:
        fixed_dt: seconds of one fixed step.
        step_seconds: maximum wall time of the fixed steps of a frame, seconds; at least one step is
            run.
        frame_step: wall seconds that each frame counts as, whatever it took; None for the seconds
            that it took.
        paused: whether scene time stands still.
        is_stopped: whether the scene is stopped: no component awakes, starts or updates.
        frame: number of frames so far.
        time: scene time, seconds; during a fixed step, the time at the end of the step.
        tick: the latest tick; without the dropped steps once its fixed steps have run.
    """

    def __init__(
        self, fixed_dt: float = 1.0 / 60.0, speed: float = 1.0, step_seconds: float = math.inf
    ) -> None:
        if not (math.isfinite(fixed_dt) and fixed_dt > 0):
            raise ValueError(f"fixed_dt: expected a positive number of seconds, got {fixed_dt!r}")
        self.fixed_dt = fixed_dt
        self.step_seconds = step_seconds
        self.frame_step: float | None = None
        self.paused = False
        self.is_stopped = False
        self.frame = 0
        self.time = 0.0
        self.tick = Tick(0, 0.0, 0, fixed_dt, 0.0, False)
        self._stepped = 0.0  # scene time that fixed steps have gone through
        self._owed = 0.0  # scene time that they have not: less than one step
        self._steps = 0
        self._gauge = _Gauge()
        self.speed = speed

    @property
    def speed(self) -> float:
        """Requested speed: scene seconds per wall second, 1/32 to 64, or infinity."""
        return self._speed

    @speed.setter
    def speed(self, value: float) -> None:
        if not (value == MAX_SPEED or SLOWEST <= value <= FASTEST):
            raise ValueError(f"speed: expected 1/32 to 64 or infinity, got {value!r}")
        self._speed = float(value)
        self._gauge.restart()

    @property
    def reached_speed(self) -> float:
        """Actual speed of late, scene seconds per wall second; `speed` until it is measured."""
        return self._speed if self._gauge.reached is None else self._gauge.reached

    @property
    def instant(self) -> bool:
        """Whether the speed is unlimited, so that animations and waits end at once."""
        return self._speed == MAX_SPEED

    def pause(self) -> None:
        """Stop scene time; frames continue with dt 0."""
        self.paused = True

    def resume(self) -> None:
        """Continue scene time after `pause`; steps requested by `step` are dropped."""
        self.paused = False
        self._steps = 0

    def rewind(self, time: float = 0.0) -> None:
        """Set scene time to `time` seconds; the frame count is not changed."""
        self.time = self._stepped = time
        self._owed = 0.0
        self._steps = 0

    def step(self) -> None:
        """While paused, advance by one fixed step at the next frame; calls add up."""
        self._steps += 1

    def advance(self, wall_seconds: float) -> Tick:
        """Advance the clock by a frame and return its tick.

        Then run the tick's fixed steps by iterating over `steps`.

        Args:
            wall_seconds: wall time since the previous frame.
        """
        self.frame += 1
        wall = max(0.0, wall_seconds)
        if self.paused or self.frame <= 2:  # the first one took the opening of the scene, too
            self._gauge.restart()
        if self.paused:
            return self._paused_tick()
        self._gauge.add_wall(wall)
        if self.instant:
            return self._tick(self.fixed_dt, 1)
        counted = min(wall, LONGEST_FRAME) if self.frame_step is None else self.frame_step
        dt = counted * self._speed
        self._owed += dt
        steps = int(self._owed / self.fixed_dt + 1e-9)
        self._owed = max(0.0, self._owed - steps * self.fixed_dt)
        return self._tick(dt, steps)

    def steps(self) -> Iterator[float]:
        """Yield `fixed_dt` for each fixed step of the latest tick.

        During a step, `time` is the time at its end. Steps end early if there is no wall time left;
        `tick` is then replaced by one without the dropped steps.
        """
        tick = self.tick
        begun = tick.time - self._owed - tick.fixed_steps * self.fixed_dt
        if abs(self._stepped - begun) > self.fixed_dt / 2:  # nobody ran the steps of ticks before
            self._stepped = begun
        is_bounded = self.frame_step is None
        deadline = time.perf_counter() + self.step_seconds if is_bounded else math.inf
        done = 0
        while done < tick.fixed_steps and (done == 0 or time.perf_counter() < deadline):
            done += 1
            self._stepped += self.fixed_dt
            self.time = self._stepped  # to the bit the same however many steps a frame has
            yield self.fixed_dt
        if done < tick.fixed_steps:
            tick = self.tick = self._shortened(tick, done)
        self.time = tick.time

    def _shortened(self, tick: Tick, steps: int) -> Tick:
        dropped = (tick.fixed_steps - steps) * self.fixed_dt
        self._gauge.add_scene(-dropped)
        return tick._replace(dt=tick.dt - dropped, fixed_steps=steps, time=tick.time - dropped)

    def _paused_tick(self) -> Tick:
        if not self._steps:
            return self._tick(0.0, 0)
        self._steps -= 1
        return self._tick(self.fixed_dt, 1)

    def _tick(self, dt: float, steps: int) -> Tick:
        self.time += dt
        self._gauge.add_scene(dt)
        instant = self.instant and not (self.paused and dt == 0.0)
        self.tick = Tick(self.frame, dt, steps, self.fixed_dt, self.time, instant)
        return self.tick


class _Gauge:
    """Measures the actual speed of scene time.

    Attributes:
        reached: scene seconds per wall second at the latest measurement; None before the first.
    """

    def __init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        """Discard the measurement and start a new one."""
        self.reached: float | None = None
        self._wall = self._scene = 0.0

    def add_wall(self, seconds: float) -> None:
        """Add the wall time of a new frame; first finish the measurement if it is long enough."""
        if self._wall >= GAUGED_SECONDS:
            self.reached = self._scene / self._wall
            self._wall = self._scene = 0.0
        self._wall += seconds

    def add_scene(self, seconds: float) -> None:
        """Add scene time of the frame; negative for time that was dropped."""
        self._scene += seconds
