"""Traces: the format's required fields, spans within spans, and a sound file at any time."""

from __future__ import annotations

import errno
import json
from array import array
from pathlib import Path
from typing import Any

import pytest

from base.errors import GoishiError, UsageError
from sim.core.profiling.spans import Frame, Phase, Span, SpanLabel, WorkerSpan
from sim.core.profiling.trace_file import TraceFile

UPDATES = SpanLabel("update", Phase.SCRIPTS)
OUTER = SpanLabel("update", Phase.SCRIPTS, 'Room/"A"', "Outer", "cmp_a")
INNER = SpanLabel("on_hit", Phase.SCRIPTS, "Room/Bär", "Inner", "cmp_b")


def frame_at(trace: TraceFile, begin: float, number: int = 1) -> Frame:
    """A frame of three seconds, so long after the trace's begin."""
    origin = trace._origin + begin
    return Frame(
        number, origin, origin + 3.0, 2, (Span(UPDATES, origin, origin + 2.5),),
        (INNER, OUTER), array("d", [origin, origin]), array("d", [origin + 1.0, origin + 2.0]),
        (WorkerSpan("player", 77, origin - 0.5, origin + 0.25),),
    )  # fmt: skip


def faults(trace: object) -> list[str]:
    """Return what the Trace Event Format does not allow, or Perfetto would not show."""
    if not isinstance(trace, dict) or not isinstance(trace.get("traceEvents"), list):
        return ["expected an object with a list traceEvents"]
    found, named, ends = [], set(), {}
    for event in trace["traceEvents"]:
        keys = {"ph", "name", "pid", "tid", "args"}
        keys |= {"cat", "ts", "dur"} if event.get("ph") == "X" else set()
        track = event.get("pid"), event.get("tid")
        if set(event) != keys or not all(isinstance(number, int) for number in track):
            found.append(f"fields: {event}")
        elif event["ph"] == "M":
            named.add((event["name"], *track))
            if event["name"] not in ("process_name", "thread_name") or not event["args"]["name"]:
                found.append(f"names nothing: {event}")
        elif not (event["name"] and event["cat"] and event["ts"] >= 0 and event["dur"] >= 0):
            found.append(f"empty: {event}")
        else:
            if not {(name, *track) for name in ("process_name", "thread_name")} <= named:
                found.append(f"no name before it: {event}")
            around = ends.setdefault(track, [])
            begin, end = round(event["ts"] * 1000), round((event["ts"] + event["dur"]) * 1000)
            while around and around[-1] <= begin:
                around.pop()
            if around and end > around[-1]:
                found.append(f"neither within nor after the last: {event}")
            around.append(end)
    return found


def read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def test_a_trace_has_the_fields_of_the_format_and_its_spans_lie_within_each_other(tmp_path):
    path = tmp_path / "out.json"
    trace = TraceFile(path, "Goishi a.scene.json")
    trace.write(frame_at(trace, 1.0))
    trace.write(frame_at(trace, 4.1234567, number=2))
    trace.close()
    trace.close()
    assert faults(read(path)) == []
    events = [event for event in read(path)["traceEvents"] if event["ph"] == "X"]
    assert [(event["name"], event["cat"]) for event in events[:5]] == [
        ("frame", "frame"), ("update", "scripts"), ("Outer.update", "scripts"),
        ("Inner.on_hit", "scripts"), ("player", "worker"),
    ]  # fmt: skip
    assert events[0]["args"] == {"frame": 1, "fixed_steps": 2}
    assert (events[0]["ts"], events[0]["dur"]) == (pytest.approx(1e6), pytest.approx(3e6))
    assert events[3]["args"] == {"object": "Room/Bär", "component": "Inner", "callback": "on_hit"}
    assert events[4]["pid"] == 77


def test_a_check_of_the_format_sees_what_is_wrong():
    """The check above can fail: each of these has one fault."""
    good = {
        "ph": "X",
        "name": "a",
        "cat": "c",
        "ts": 0.0,
        "dur": 2.0,
        "pid": 1,
        "tid": 1,
        "args": {},
    }
    names = [
        {"ph": "M", "name": name, "pid": 1, "tid": 1, "args": {"name": "x"}}
        for name in ("process_name", "thread_name")
    ]
    assert faults({"traceEvents": [*names, good]}) == []
    without = {key: value for key, value in good.items() if key != "ts"}
    for events in (
        [good],
        [*names, without],
        [*names, {**good, "dur": -1.0}],
        [*names, good, {**good, "ts": 1.0}],
    ):
        assert len(faults({"traceEvents": events})) == 1
    assert len(faults([good])) == 1


def test_the_file_is_sound_after_every_write(tmp_path):
    """A run that is killed leaves what was written until then."""
    path = tmp_path / "out.json"
    trace = TraceFile(path, "Goishi")
    assert read(path)["traceEvents"] == []
    for number in range(3):
        trace.write(frame_at(trace, 4.0 * number, number=number))
        trace.flush()
        assert faults(read(path)) == []
        numbers = [event["args"].get("frame") for event in read(path)["traceEvents"]]
        assert [found for found in numbers if found is not None] == list(range(number + 1))
    trace.close()


def test_a_file_that_cannot_be_written_is_one_error_at_the_start(tmp_path):
    with pytest.raises(
        UsageError, match=f"--profile: expected a file .*found {tmp_path}: Is a dir"
    ):
        TraceFile(tmp_path, "Goishi")


def test_a_disk_that_is_full_leaves_what_was_written_before(tmp_path, monkeypatch):
    path = tmp_path / "out.json"
    trace = TraceFile(path, "Goishi")
    trace.write(frame_at(trace, 0.0))
    trace.flush()
    put = trace._put

    def full(content: bytes) -> None:
        if len(content) > 100:
            put(content[:50])
            raise OSError(errno.ENOSPC, "No space left on device")
        put(content)

    monkeypatch.setattr(trace, "_put", full)
    trace.write(frame_at(trace, 4.0))
    with pytest.raises(
        GoishiError, match=r"--profile: expected to write .*out\.json, found: No space"
    ):
        trace.flush()
    assert faults(read(path)) == []
    assert len([event for event in read(path)["traceEvents"] if event["name"] == "frame"]) == 1
    trace.close()
