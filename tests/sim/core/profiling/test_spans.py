"""Spans of a frame: the flame graph, time without others' time, and who takes most."""

from __future__ import annotations

from array import array

import pytest

from sim.core.host.profiling import FrameHistory
from sim.core.profiling.spans import Frame, Phase, Span, SpanLabel, dearest

UPDATES = SpanLabel("update", Phase.SCRIPTS)
PHYSICS = SpanLabel("physics", Phase.PHYSICS)
OUTER = SpanLabel("update", Phase.SCRIPTS, "Room/A", "Outer", "cmp_a")
INNER = SpanLabel("on_hit", Phase.SCRIPTS, "Room/B", "Inner", "cmp_b")
OTHER = SpanLabel("update", Phase.SCRIPTS, "Room/C", "Inner", "cmp_c")


def frame_of(*spans: tuple[SpanLabel, float, float], number: int = 1) -> Frame:
    """A frame of 10 seconds: scripts for 8, physics for 2; spans in the order of their ends."""
    marks = (Span(UPDATES, 0.0, 8.0), Span(PHYSICS, 8.0, 10.0))
    return Frame(
        number, 0.0, 10.0, 1, marks, tuple(span[0] for span in spans),
        array("d", [span[1] for span in spans]), array("d", [span[2] for span in spans]),
    )  # fmt: skip


NESTED = frame_of((INNER, 2.0, 3.0), (INNER, 4.0, 6.0), (OUTER, 1.0, 7.0), (OTHER, 7.0, 7.5))


def test_phases_are_the_sums_of_their_marks() -> None:
    assert NESTED.phases == {Phase.SCRIPTS: 8.0, Phase.PHYSICS: 2.0}
    assert NESTED.seconds == 10.0


def test_a_flame_graph_has_what_ran_within_others_below_them() -> None:
    found = [(bar.label, bar.begun, bar.depth) for bar in NESTED.bars()]
    assert found == [
        (UPDATES, 0.0, 0), (PHYSICS, 8.0, 0),
        (OUTER, 1.0, 1), (INNER, 2.0, 2), (INNER, 4.0, 2), (OTHER, 7.0, 1),
    ]  # fmt: skip


def test_what_begins_and_ends_together_is_within_what_ended_later() -> None:
    bars = frame_of((INNER, 1.0, 2.0), (OUTER, 1.0, 2.0)).bars()
    assert [(bar.label, bar.depth) for bar in bars[2:]] == [(OUTER, 1), (INNER, 2)]


def test_the_time_of_others_within_is_not_ones_own() -> None:
    assert NESTED.own_seconds() == {INNER: (3.0, 2), OUTER: (3.0, 1), OTHER: (0.5, 1)}


def test_the_dearest_come_first_with_their_callbacks_by_object_or_by_class() -> None:
    started = SpanLabel("start", Phase.SCRIPTS, "Room/C", "Inner", "cmp_c")
    times = {INNER: (3.0, 2), OUTER: (4.0, 2), OTHER: (0.5, 2), started: (1.0, 2)}
    by_object = dearest(times, frames=2, most=2)
    assert [(share.slot_id, share.seconds) for share in by_object] == [
        ("cmp_a", 2.0), ("cmp_b", 1.5),
    ]  # fmt: skip
    by_class = dearest(times, frames=2, most=10, by_class=True)
    assert [(share.title, share.object, share.seconds, share.calls) for share in by_class] == [
        ("Inner", "2 objects", 2.25, 3.0), ("Outer", "1 object", 2.0, 1.0),
    ]  # fmt: skip
    assert list(by_class[0].callbacks.items()) == [
        ("on_hit", 1.5),
        ("start", 0.5),
        ("update", 0.25),
    ]


def test_the_history_sums_what_it_keeps_and_nothing_else() -> None:
    history = FrameHistory(most=3)
    for number in range(1, 6):
        history.add(frame_of((OUTER, 0.0, float(number)), number=number))
        if number == 2:
            assert history.times() == {OUTER: (3.0, 2)}
    assert [frame.number for frame in history.frames] == [3, 4, 5]
    assert history.times() == {OUTER: (pytest.approx(12.0), 3)}
    history.add(frame_of(number=6))
    history.add(frame_of(number=7))
    history.add(frame_of(number=8))
    assert history.times() == {}
    history.clear()
    assert not history.frames


def test_fewer_frames_are_kept_where_each_has_many_spans() -> None:
    history = FrameHistory(most=100, most_spans=5)
    for number in range(4):
        history.add(frame_of(*[(OUTER, 0.0, 1.0)] * 2, number=number))
    assert [frame.number for frame in history.frames] == [2, 3]
    history.add(frame_of(*[(OUTER, 0.0, 1.0)] * 9, number=4))
    assert [frame.number for frame in history.frames] == [4]
