"""The clock's laws: bounded steps, pause and single steps, speeds, and the same frames twice."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.core.tasks.clock import FASTEST, SLOWEST, Clock

walls = st.lists(st.floats(0, 2), min_size=1, max_size=50)
speeds = st.sampled_from([SLOWEST, 0.5, 1.0, 2.0, FASTEST])
steps_of = st.sampled_from([1 / 240, 1 / 60, 0.0166667, 0.1])


@given(walls, speeds, steps_of)
def test_a_frame_runs_at_most_five_fixed_steps(
    seconds: list[float], speed: float, fixed_dt: float
) -> None:
    clock = Clock(fixed_dt, speed)
    time = 0.0
    for index, wall in enumerate(seconds):
        tick = clock.advance(wall)
        assert 0 <= tick.fixed_steps <= 5
        assert tick.dt >= 0.0
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


@given(st.floats(0.1, 1e9))
def test_a_long_frame_is_not_made_up_for_later(wall: float) -> None:
    clock = Clock(1 / 60)
    assert clock.advance(wall).fixed_steps == 5
    assert clock.advance(0.0).fixed_steps == 0


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


def test_a_change_of_speed_leaves_no_steps_owed() -> None:
    clock = Clock(0.1)
    clock.advance(0.09)
    clock.speed = 2.0
    assert clock.advance(0.01).fixed_steps == 0


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
