"""The clock's laws: one time, dropped steps, pause and single steps, speeds, the same twice."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.core.tasks import clock as clock_module
from sim.core.tasks.clock import FASTEST, LONGEST_FRAME, SLOWEST, Clock, Tick

walls = st.lists(st.floats(0, 2), min_size=1, max_size=50)
speeds = st.sampled_from([SLOWEST, 0.5, 1.0, 2.0, FASTEST])
steps_of = st.sampled_from([1 / 240, 1 / 60, 0.0166667, 0.1])


class FakeTime:
    """Wall time that passes as it is told."""

    def __init__(self) -> None:
        self.now = 0.0

    def perf_counter(self) -> float:
        return self.now


@pytest.fixture
def wall(monkeypatch: pytest.MonkeyPatch) -> FakeTime:
    fake = FakeTime()
    monkeypatch.setattr(clock_module, "time", fake)
    return fake


def run(
    clock: Clock, wall: float, step: Callable[[], object] = lambda: None
) -> tuple[Tick, list[float]]:
    """Run a frame; return its tick and the times that its fixed steps saw.

    Args:
        clock: the clock.
        wall: seconds since the frame before.
        step: called in each fixed step.
    """
    clock.advance(wall)
    seen: list[float] = []
    for dt in clock.steps():
        assert dt == clock.fixed_dt
        step()
        seen.append(clock.time)
    assert clock.time == clock.tick.time
    return clock.tick, seen


@given(walls, speeds, steps_of)
def test_clock_dt_and_fixed_steps_are_one_time(
    seconds: list[float], speed: float, fixed_dt: float
) -> None:
    clock = Clock(fixed_dt, speed)
    steps, total, before = 0, 0.0, 0.0
    for wall in seconds:
        tick, seen = run(clock, wall)
        steps += tick.fixed_steps
        total += tick.dt
        assert len(seen) == tick.fixed_steps
        times = [before, *seen, tick.time]
        assert all(a <= b + 1e-6 * fixed_dt for a, b in itertools.pairwise(times))
        assert total == pytest.approx(clock.time)
        assert -1e-6 * fixed_dt <= clock.time - steps * fixed_dt < fixed_dt * (1 + 1e-6)
        before = tick.time


@given(walls, speeds, steps_of)
def test_a_tick_takes_the_clock_as_far_as_it_says(
    seconds: list[float], speed: float, fixed_dt: float
) -> None:
    clock = Clock(fixed_dt, speed)
    time = 0.0
    for index, wall in enumerate(seconds):
        tick = clock.advance(wall)
        assert 0.0 <= tick.dt <= LONGEST_FRAME * speed
        assert tick.frame == index + 1
        assert tick.fixed_dt == fixed_dt
        assert tick.time == time + tick.dt
        assert not tick.instant
        time = tick.time


@given(st.lists(st.floats(0, 1 / 30), max_size=100))
def test_short_frames_lose_no_time(seconds: list[float]) -> None:
    clock = Clock(1 / 60)
    steps = sum(clock.advance(wall).fixed_steps for wall in seconds)
    total = math.fsum(seconds)
    assert clock.time == pytest.approx(total)
    assert abs(steps / 60 - total) < 1 / 60 + 1e-6


@given(st.floats(LONGEST_FRAME, 1e9), st.sampled_from([1.0, FASTEST]))
def test_a_long_frame_is_not_made_up_for_later(wall: float, speed: float) -> None:
    clock = Clock(1 / 60, speed)
    tick = clock.advance(wall)
    assert (tick.dt, tick.fixed_steps) == (LONGEST_FRAME * speed, 15 * speed)
    assert clock.advance(0.0).fixed_steps == 0


def test_steps_without_wall_time_are_dropped_and_the_clock_slows_with_them(wall: FakeTime) -> None:
    clock = Clock(1 / 64, 16.0, step_seconds=0.012)
    seen: list[float] = []

    def step() -> None:
        wall.now += 0.005
        seen.append(clock.time)

    ticks = [run(clock, 1 / 64, step)[0] for _ in range(4)]
    assert [tick.fixed_steps for tick in ticks] == [3] * 4
    assert [tick.dt for tick in ticks] == [3 / 64] * 4
    assert seen == [index / 64 for index in range(1, 13)]
    assert clock.time == ticks[-1].time == 12 / 64


def test_one_step_is_run_however_long_it_takes(wall: FakeTime) -> None:
    clock = Clock(1 / 64, step_seconds=0.0)

    def step() -> None:
        wall.now += 9.0

    assert run(clock, 4 / 64, step)[0].fixed_steps == 1
    assert clock.time == 1 / 64


def test_what_is_left_of_a_step_is_not_dropped_with_the_steps(wall: FakeTime) -> None:
    clock = Clock(1 / 64, step_seconds=0.0)
    tick, _ = run(clock, 3.5 / 64)
    assert (tick.fixed_steps, tick.dt, clock.time) == (1, 1.5 / 64, 1.5 / 64)
    assert run(clock, 0.5 / 64)[0].fixed_steps == 1


def test_no_step_is_dropped_without_a_bound_or_with_a_frame_step(wall: FakeTime) -> None:
    def step() -> None:
        wall.now += 9.0

    free, exact = Clock(1 / 64, FASTEST), Clock(1 / 64, FASTEST, step_seconds=0.0)
    exact.frame_step = 1 / 32
    for clock in (free, exact):
        assert run(clock, 1 / 32, step)[0].fixed_steps == 128
        assert clock.time == 2.0


def test_ticks_that_nobody_ran_do_not_hold_up_the_time_of_later_steps() -> None:
    clock = Clock(1 / 64)
    clock.advance(0.25)  # as while the scene is stopped
    _, seen = run(clock, 1 / 64)
    assert seen == [0.25 + 1 / 64]


def test_the_speed_that_is_reached_is_measured(wall: FakeTime) -> None:
    clock = Clock(1 / 64, 4.0, step_seconds=0.0)
    assert clock.reached_speed == 4.0
    run(clock, 9.0)  # the opening counts for nothing
    for _ in range(65):
        assert clock.reached_speed == 4.0
        run(clock, 1 / 64)
    assert clock.reached_speed == 1.0, "one step of each four was run"
    clock.speed = 2.0
    assert clock.reached_speed == 2.0, "what was measured was another speed"


def test_a_long_frame_slows_the_speed_that_is_reached() -> None:
    clock = Clock(1 / 64)
    for _ in range(4):
        run(clock, 2 * LONGEST_FRAME)
    assert clock.reached_speed == 0.5
    clock.pause()
    clock.advance(1.0)
    assert clock.reached_speed == 1.0, "nothing is slow while it is paused"


def test_at_maximum_speed_the_reached_one_is_what_the_frames_make_of_it() -> None:
    clock = Clock(1 / 64, math.inf)
    assert clock.reached_speed == math.inf
    for _ in range(131):
        run(clock, 1 / 128)
    assert clock.reached_speed == 2.0


@pytest.mark.parametrize("wall", [-1.0, -math.inf, math.nan])
def test_time_never_runs_backwards(wall: float) -> None:
    clock = Clock()
    tick = clock.advance(wall)
    assert (tick.dt, tick.fixed_steps, tick.time) == (0.0, 0, 0.0)


@given(walls)
def test_paused_frames_go_on_without_time(seconds: list[float]) -> None:
    clock = Clock()
    clock.advance(1 / 60)
    before = clock.time
    clock.pause()
    ticks = [clock.advance(wall) for wall in seconds]
    assert {(tick.dt, tick.fixed_steps, tick.time) for tick in ticks} == {(0.0, 0, before)}
    assert clock.frame == len(seconds) + 1
    clock.resume()
    assert clock.advance(1 / 60).fixed_steps == 1


@given(st.integers(1, 10), speeds | st.just(math.inf))
def test_each_step_while_paused_is_one_fixed_step(count: int, speed: float) -> None:
    clock = Clock(0.02, speed)
    clock.pause()
    for _ in range(count):
        clock.step()
    ticks = [clock.advance(1.0) for _ in range(count + 2)]
    assert [tick.fixed_steps for tick in ticks] == [1] * count + [0, 0]
    assert [tick.dt for tick in ticks] == [0.02] * count + [0.0, 0.0]


def test_steps_that_were_not_taken_are_forgotten_on_resuming() -> None:
    clock = Clock(0.02)
    clock.pause()
    clock.step()
    clock.resume()
    clock.pause()
    assert clock.advance(1.0).fixed_steps == 0


@given(walls)
def test_at_infinite_speed_a_frame_is_one_fixed_step_however_long_it_took(
    seconds: list[float],
) -> None:
    clock = Clock(0.02, math.inf)
    assert clock.instant
    for index, wall in enumerate(seconds, 1):
        tick = clock.advance(wall)
        assert (tick.fixed_steps, tick.dt, tick.instant) == (1, 0.02, True)
        assert tick.time == pytest.approx(index * 0.02)
    clock.pause()
    assert not clock.advance(1.0).instant


@given(walls, st.floats(1e-3, 0.5), st.sampled_from([0.5, 1.0, 4.0]))
def test_with_a_frame_step_the_wall_does_not_matter(
    seconds: list[float], frame_step: float, speed: float
) -> None:
    slow, fast = Clock(speed=speed), Clock(speed=speed)
    slow.frame_step = fast.frame_step = frame_step
    assert [slow.advance(wall) for wall in seconds] == [fast.advance(0.0) for _ in seconds]
    assert slow.time == pytest.approx(
        len(seconds) * max(frame_step * speed, slow.time / len(seconds))
    )


def test_a_frame_step_of_one_fixed_step_never_skips_one() -> None:
    clock = Clock(1 / 60)
    clock.frame_step = 1 / 60
    assert {clock.advance(9.0).fixed_steps for _ in range(10_000)} == {1}


@given(speeds)
def test_speed_scales_time(speed: float) -> None:
    clock = Clock(10.0, speed)
    clock.advance(0.1)
    assert clock.time == pytest.approx(0.1 * speed)


@given(st.lists(st.tuples(speeds, st.floats(0, 0.2)), max_size=50))
def test_a_change_of_speed_neither_loses_time_nor_makes_any(
    changes: list[tuple[float, float]],
) -> None:
    clock = Clock(0.1)
    steps, total = 0, 0.0
    for speed, wall in changes:
        clock.speed = speed
        total += wall * speed
        steps += run(clock, wall)[0].fixed_steps
    assert clock.time == pytest.approx(total)
    assert -1e-6 <= clock.time - steps * 0.1 < 0.1 + 1e-6


@pytest.mark.parametrize("speed", [0.0, -1.0, 65.0, math.nan, -math.inf, 0.03])
def test_other_speeds_are_refused(speed: float) -> None:
    clock = Clock()
    with pytest.raises(ValueError, match="speed: expected 1/32 to 64 or infinity"):
        clock.speed = speed
    assert clock.speed == 1.0


@pytest.mark.parametrize("fixed_dt", [0.0, -1.0, math.nan, math.inf])
def test_other_fixed_steps_are_refused(fixed_dt: float) -> None:
    with pytest.raises(ValueError, match="fixed_dt: expected a positive number"):
        Clock(fixed_dt)
