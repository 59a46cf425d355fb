"""What a frame's time is spent on, by component and callback, and who asks for it."""

from __future__ import annotations

import errno
import json
from pathlib import Path

import pytest

from base.errors import UsageError
from sim.core.profiling.spans import Frame, Phase
from tests.sim.core.stage import Stage, thing

SCRIPTS = """
class Ringer(Script):
    rung = signal()
    def update(self, dt):
        self.rung.emit()

class Ear(Script):
    ringer: Ringer = field(None)
    def start(self):
        self.start_coroutine(self.count())
    async def count(self):
        while True:
            await self.next_frame()
    @on("ringer.rung")
    def hear(self):
        pass
    def fixed_update(self, dt):
        pass
    def late_update(self, dt):
        if self.object.name == "Broken":
            raise ValueError("late")

class Still(Script):
    pass
"""


def watched(stage: Stage, name: str = "Ear") -> list[Frame]:
    """Open two objects that ring and hear, and return the list of their frames."""
    stage.script("bell", SCRIPTS)
    stage.open(
        {
            "obj_bell": thing("Bell", {"cmp_bell": "scripts.bell:Ringer"}),
            "obj_ear": thing(
                name,
                {"cmp_ear": ("scripts.bell:Ear", {"ringer": {"$ref": "cmp_bell"}}),
                 "cmp_still": "scripts.bell:Still"},
                parent="obj_bell",
            ),
        }
    )  # fmt: skip
    frames: list[Frame] = []
    stage.app.host.profiler.listen(frames.append)
    return frames


def test_each_component_is_told_by_object_and_class_and_callback(stage):
    frames = watched(stage)
    stage.frames(2)
    found = {(item.object, item.component, item.name) for item in frames[1].labels}
    ear = "Bell/Ear"
    assert found == {
        ("Bell", "Ringer", "update"), (ear, "Ear", "hear"), (ear, "Ear", "fixed_update"),
        (ear, "Ear", "late_update"), (ear, "Ear", "count"),
    }  # fmt: skip
    assert {"awake", "start"} & {item.name for item in frames[0].labels} == {"start"}
    assert [bar.depth for bar in frames[1].bars() if bar.label.name in ("update", "hear")] == [
        0, 1, 2,
    ]  # fmt: skip


def test_the_phases_fill_the_frame_without_gaps(stage):
    frames = watched(stage)
    stage.frames(3)
    frame = frames[-1]
    assert frame.marks[0].begun == frame.begun
    for before, after in zip(frame.marks, frame.marks[1:], strict=False):
        assert before.ended == after.begun
    assert frame.marks[-1].ended <= frame.ended
    assert {*frame.phases} == {
        Phase.INPUT, Phase.WORKERS, Phase.REST, Phase.SCRIPTS, Phase.COROUTINES, Phase.PHYSICS,
        Phase.CLIPS,
    }  # fmt: skip
    assert (frame.number, frame.fixed_steps) == (stage.app.clock.frame, 1)


def test_a_script_that_fails_is_timed_and_the_others_run_on(stage):
    frames = watched(stage, "Broken")
    stage.frames(3)
    assert stage.errors() == 1
    callbacks = [[item.name for item in frame.labels] for frame in frames]
    assert "late_update" in callbacks[0]
    assert callbacks[2] == ["update"]


def test_while_nobody_asks_no_callback_is_timed(stage, monkeypatch):
    watched(stage)
    host = stage.app.host
    host.profiler._hearers.clear()

    def refuse(*arguments: object) -> None:
        raise AssertionError("expected no time to be taken")

    for owner, name in (
        (host.guard, "_timed"),
        (host.guard, "_label"),
        (host.profiler, "add"),
        (host.profiler, "put"),
    ):
        monkeypatch.setattr(owner, name, refuse)
    stage.frames(3)
    assert not host.profiler.is_on
    assert stage.errors() == 0


def test_an_object_that_moved_is_called_by_its_new_place(stage):
    frames = watched(stage)
    stage.frames(2)
    scene = stage.app.scene
    scene.find("Ear").parent = None
    stage.frames(1)
    assert "Ear" in {item.object for item in frames[-1].labels}


def test_a_frame_is_held_and_chosen_and_the_recording_goes_on_anew(stage):
    watched(stage)
    profiling = stage.app.host.profiling
    assert profiling.shown is None
    profiling.watch(True)
    stage.frames(4)
    numbers = [frame.number for frame in profiling.history.frames]
    assert len(numbers) == 4
    profiling.pause(numbers[1])
    stage.frames(3)
    assert [frame.number for frame in profiling.history.frames] == numbers
    assert profiling.shown.number == numbers[1]
    with pytest.raises(LookupError, match=f"recorded frame \\({numbers[0]} to {numbers[3]}\\)"):
        profiling.pause(9999)
    profiling.resume()
    stage.frames(1)
    assert [frame.number for frame in profiling.history.frames] == [numbers[-1] + 4]
    profiling.watch(False)
    stage.frames(1)
    assert len(profiling.history.frames) == 1


def events_of(path: Path) -> list[dict]:
    return [event for event in json.loads(path.read_text())["traceEvents"] if event["ph"] == "X"]


def test_profile_writes_every_frame_also_one_that_is_broken_off(stage, tmp_path, monkeypatch):
    path = tmp_path / "out" / "trace.json"
    stage.script("bell", SCRIPTS)
    stage.open({"obj_bell": thing("Bell", {"cmp_bell": "scripts.bell:Ringer"})}, profile=path)
    stage.frames(3)

    def interrupt(*arguments: object, **named: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(stage.app.scene.animator, "advance", interrupt)
    with pytest.raises(KeyboardInterrupt):
        stage.frames(1)
    stage.close()
    found = events_of(path)
    assert [event["args"]["frame"] for event in found if event["name"] == "frame"] == [1, 2, 3, 4]
    assert len([event for event in found if event["name"] == "Ringer.update"]) == 4


def test_a_profile_that_cannot_be_written_is_one_error_before_anything_runs(stage, tmp_path):
    stage.script("bell", SCRIPTS)
    with pytest.raises(UsageError, match=r"--profile: expected a file .*Is a directory"):
        stage.open(
            {"obj_bell": thing("Bell", {"cmp_bell": "scripts.bell:Ringer"})}, profile=tmp_path
        )


def test_a_disk_that_is_full_ends_the_run_with_one_error(stage, tmp_path, monkeypatch):
    watched(stage)
    app = stage.app
    app.host.profiling.write_to(tmp_path / "trace.json", "Goishi")
    file = app.host.profiling._file

    def full(content: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(file, "_put", full)
    monkeypatch.setattr("sim.core.profiling.trace_file.WRITE_SECONDS", 0.0)
    stage.frames(3)
    assert [line for line in stage.lines() if "No space left" in line] == stage.lines()
    assert stage.errors() == 1
    assert app.run_context.exit_code == 1
    app.host.profiling.close()
