"""The status bar's figures: means over seconds, and still while nothing changes enough."""

from __future__ import annotations

from sim.core.profiling.profiler import FrameGauge


def second(gauge: FrameGauge, busy: float, steps: int = 1, frames: int = 64) -> None:
    """Add frames of a second and a little."""
    for _ in range(frames):
        gauge.add(1.0 / frames, busy, steps)


def test_a_second_is_its_mean_frame_and_its_steps() -> None:
    gauge = FrameGauge()
    gauge.add(0.5, 0.004, 30)
    assert gauge.text(paused=False) == ""
    gauge.add(0.5, 0.002, 34)
    assert gauge.text(paused=False) == "3.0 ms  ·  64 steps/s"
    assert gauge.text(paused=True) == "3.0 ms  ·  0 steps/s"


def test_a_jitter_changes_nothing_and_a_change_does() -> None:
    gauge = FrameGauge()
    second(gauge, 0.004)
    shown = gauge.revision
    second(gauge, 0.0044)
    assert gauge.revision == shown
    second(gauge, 0.0055)
    assert (gauge.revision, gauge.text(paused=False)) == (shown + 1, "5.5 ms  ·  64 steps/s")
    second(gauge, 0.0055, steps=2)
    assert gauge.text(paused=False) == "5.5 ms  ·  128 steps/s"


def test_a_pause_is_part_of_no_second() -> None:
    gauge = FrameGauge()
    gauge.add(0.9, 0.5, 1)
    gauge.restart()
    second(gauge, 0.001)
    assert gauge.text(paused=False) == "1.0 ms  ·  64 steps/s"


def test_a_tenth_of_a_long_frame_changes_nothing_either() -> None:
    gauge = FrameGauge()
    second(gauge, 0.040)
    second(gauge, 0.044)
    assert gauge.text(paused=False) == "40.0 ms  ·  64 steps/s"
