"""Recording from the window: real time, frame-exact, pictures, games, and what may go wrong."""

from __future__ import annotations

import errno
import wave
from pathlib import Path

import cv2
import numpy as np
import pytest

from sim.app.app import run
from sim.core.project.run_options import RunOptions
from sim.render.capture import capture
from sim.testing import Pilot

HELLO = "scenes/hello.scene.json"


@pytest.fixture
def pilot(tmp_path):
    with Pilot(scene=HELLO, speed=1.0, window=(400, 300), quality="low") as driven:
        driven.app.recorder.folder = tmp_path / "recordings"
        yield driven


class Wall:
    """A clock that a test winds."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def frames_of(path: Path) -> int:
    return int(cv2.VideoCapture(str(path)).get(cv2.CAP_PROP_FRAME_COUNT))


def texts(pilot: Pilot, level: str) -> list[str]:
    return [item.text for item in pilot.app.console.records if item.level == level]


def finish(pilot: Pilot) -> None:
    pilot.app.recorder.stop()
    pilot.app.recorder.close()


def test_an_exact_recording_has_a_frame_for_each_frame_and_gives_time_back(pilot):
    recorder = pilot.app.recorder
    begun = pilot.app.clock.time
    assert recorder.start(mode="exact")
    path = recorder.path
    pilot.step(45)
    assert pilot.app.clock.time - begun == pytest.approx(1.5)
    assert recorder.seconds == pytest.approx(1.5)
    finish(pilot)
    assert frames_of(path) == 45
    assert pilot.app.clock.frame_step is None
    assert recorder.last == path
    assert path.parent.name == "recordings"


def test_what_is_heard_lies_beside_the_video_as_long_as_it(pilot):
    recorder, sound = pilot.app.recorder, pilot.app.run_context.sound
    recorder.start(mode="exact")
    path = recorder.path
    pilot.step(15)
    sound.play("stone")
    pilot.step(15)
    finish(pilot)
    file = path.with_name(f"{path.stem}.sound.wav")
    with wave.open(str(file), "rb") as heard:
        assert heard.getnframes() == heard.getframerate() * frames_of(path) // 30
        samples = np.frombuffer(heard.readframes(heard.getnframes()), "<i2").reshape(-1, 2)
    first = np.flatnonzero(np.abs(samples).max(axis=1) > 300)[0]
    assert first / 44_100 == pytest.approx(0.5, abs=0.01)
    assert f"saved {file} (1.0 s)" in texts(pilot, "info")


def test_a_silent_video_and_a_gif_have_no_file_of_sound(pilot):
    recorder = pilot.app.recorder
    recorder.start(mode="exact")
    pilot.step(3)
    finish(pilot)
    recorder.settings.suffix = ".gif"
    recorder.start(mode="exact")
    pilot.app.run_context.sound.play("stone")
    pilot.step(3)
    finish(pilot)
    assert len(list(recorder.folder.iterdir())) == 2
    assert not list(recorder.folder.glob("*.wav"))


def test_sound_that_cannot_be_written_is_one_line_and_the_video_stays(pilot, monkeypatch):
    def fail(track, path, seconds):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("sim.core.audio.sound_track.SoundTrack.write", fail)
    recorder = pilot.app.recorder
    recorder.start(mode="exact")
    path = recorder.path
    pilot.app.run_context.sound.play("stone")
    pilot.step(3)
    finish(pilot)
    assert frames_of(path) == 3
    (line,) = texts(pilot, "error")
    assert line.endswith(".sound.wav: No space left on device")


def test_real_time_doubles_frames_of_a_slow_app_and_leaves_out_those_of_a_fast_one(pilot):
    recorder = pilot.app.recorder
    recorder._now = wall = Wall()
    recorder.start(mode="real-time")
    path = recorder.path
    for pause in [0.2] * 5 + [0.005] * 200:
        wall.now += pause
        pilot.step()
    assert recorder.seconds == pytest.approx(2.0, abs=0.07)
    wall.now += 3600.0
    pilot.step()
    assert recorder.seconds < 3.0, "a computer that slept adds no hour"
    frames = round(recorder.seconds * 30)
    finish(pilot)
    assert frames_of(path) == frames


def test_a_gif_moves_and_holds_fifteen_frames_a_second(pilot):
    recorder = pilot.app.recorder
    recorder.settings.suffix = ".gif"
    recorder.settings.has_panels = False
    recorder.start(mode="exact")
    path = recorder.path
    for _ in range(30):
        pilot.app.view.camera._goal[3] += 2.0
        pilot.step()
    finish(pilot)
    done, animation = cv2.imreadanimation(str(path))
    assert done
    assert len(animation.frames) == 15
    assert sum(map(int, animation.durations)) == 1000
    assert np.abs(animation.frames[0].astype(int) - animation.frames[-1]).mean() > 1.0


def test_a_recording_ends_at_the_length_that_was_chosen(pilot):
    recorder = pilot.app.recorder
    recorder.settings.longest = 0.5
    recorder.start(mode="exact")
    pilot.step(40)
    assert not recorder.is_recording
    assert frames_of_closed(recorder) == 15


def frames_of_closed(recorder) -> int:
    recorder.close()
    return frames_of(recorder.last)


def test_width_is_kept_within_what_was_chosen(pilot):
    recorder = pilot.app.recorder
    recorder.settings.width = 161
    recorder.start(mode="exact")
    pilot.step(2)
    recorder.close()
    video = cv2.VideoCapture(str(recorder.last))
    assert (video.get(cv2.CAP_PROP_FRAME_WIDTH), video.get(cv2.CAP_PROP_FRAME_HEIGHT)) == (160, 120)


def test_screenshots_with_and_without_panels(pilot):
    recorder = pilot.app.recorder
    pilot.step(3)
    assert recorder.screenshot(has_panels=True)
    whole = cv2.imread(str(recorder.last))
    assert recorder.screenshot(has_panels=False)
    bare = cv2.imread(str(recorder.last))
    assert whole.shape == (300, 400, 3)
    assert bare.shape[0] < 300
    assert bare.std() > 5
    assert len(texts(pilot, "info")) == len(set(texts(pilot, "info"))), "two files, two names"


def test_a_folder_that_cannot_be_written_is_one_error(pilot, tmp_path):
    (tmp_path / "file").write_text("in the way")
    pilot.app.recorder.folder = tmp_path / "file"
    assert not pilot.app.recorder.start()
    assert not pilot.app.recorder.screenshot()
    pilot.step(3)
    assert not pilot.app.recorder.is_recording
    assert len(texts(pilot, "error")) == 2


@pytest.mark.parametrize("mode", ["exact", "real-time"])
def test_a_full_disk_is_one_error_and_the_world_goes_on(pilot, monkeypatch, mode):
    def fail(self, picture):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(capture.VideoFile, "write", fail)
    recorder = pilot.app.recorder
    recorder.start(mode=mode)
    pilot.wait_until(lambda: recorder.has_failed)
    before = pilot.app.clock.time
    pilot.step(30)
    assert pilot.app.clock.time > before
    assert pilot.app.clock.frame_step is None
    assert not recorder.is_recording
    errors = texts(pilot, "error")
    assert len(errors) == 1
    assert "No space left on device" in errors[0]


def test_too_little_room_on_the_disk_ends_a_video(pilot, monkeypatch):
    monkeypatch.setattr(capture, "LEAST_FREE", 1 << 62)
    recorder = pilot.app.recorder
    recorder.start(mode="exact")
    pilot.wait_until(lambda: recorder.has_failed)
    assert "disk is full" in texts(pilot, "error")[0]


def test_a_video_of_the_command_line_that_fails_is_a_failed_run(tmp_path, monkeypatch):
    def fail(self, picture):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(capture.VideoFile, "write", fail)
    options = RunOptions(
        scene=Path(HELLO), headless=True, seconds=1.0, video=tmp_path / "a.mp4", window=(320, 200)
    )
    assert run(options) == 1


def test_the_command_line_takes_a_gif(tmp_path):
    path = tmp_path / "hello.gif"
    options = RunOptions(
        scene=Path(HELLO), headless=True, seconds=1.0, video=path, window=(320, 200), quality="low"
    )
    assert run(options) == 0
    done, animation = cv2.imreadanimation(str(path))
    assert done
    assert sum(map(int, animation.durations)) in (1000, 1070)


def test_a_replayed_game_is_filmed_from_its_first_stone_to_its_end(tmp_path):
    game = tmp_path / "game.sgf"
    game.write_text("(;GM[4]SZ[7]RE[B+];B[dd];W[ec];B[cd];W[fb];B[bd];W[cc];B[ed];W[gg];B[fd])")
    scene = "scenes/replay.scene.json"
    with Pilot(scene=scene, speed=1.0, window=(320, 200), quality="low", out=tmp_path / "run",
               replay=str(game)) as pilot:  # fmt: skip
        replay, recorder = pilot.component("Replay"), pilot.app.recorder
        recorder.folder = tmp_path
        pilot.step(40)
        begun = pilot.app.clock.time
        assert not pilot.app.shell.keys.conflicts()
        pilot.press("v")
        assert recorder.is_exact
        assert len(replay.board.stones) <= 1, "it begins with the first stone"
        pilot.wait_until(lambda: not recorder.is_recording)
        seconds = pilot.app.clock.time - begun
        stones = len(replay.shown.moves)
        assert len(replay.board.stones) == stones
        drop = replay.board.drop_seconds + replay.pause_after_stone
        assert seconds == pytest.approx(stones * drop + replay.end_seconds, rel=0.12)
        recorder.close()
        assert recorder.last.name.startswith("game_1_")
        assert frames_of(recorder.last) == pytest.approx(seconds * 30, abs=1.5)
        assert pilot.app.host.error_count == 0
