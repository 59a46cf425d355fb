"""The figures of drawn frames."""

from __future__ import annotations

from array import array

from sim.app.outputs import FrameStats, percentiles


def test_frames_with_and_without_a_training_are_told_apart():
    stats = FrameStats()
    for number in range(1, 101):
        stats.add(number / 1000, training=False)
    stats.add(0.5, training=True)
    told = stats.summary()
    assert told["frames"] == stats.drawn == 101
    assert told["frame_ms"] == {"p50": 50.5, "p95": 95.05, "p99": 99.01, "max": 100.0}
    assert told["frame_ms_training"] == dict.fromkeys(("p50", "p95", "p99", "max"), 500.0)


def test_frames_of_no_length_are_figures_too():
    assert percentiles(array("d", [0.0])) == dict.fromkeys(("p50", "p95", "p99", "max"), 0.0)
