"""The loudspeaker: what reaches the audio library, and silence where there is no device."""

from __future__ import annotations

import pytest

from sim.core.camera_view import CameraView
from sim.core.scene_camera import SceneCamera
from sim.core.sound_bank import SOUNDS, NullSound, variants_of
from sim.render import sound
from sim.render.sound import Speaker, cached_wav, open_speaker


class FakeSound:
    def __init__(self, path: object) -> None:
        self.path = str(path)
        self.calls: list[tuple] = []

    def __getattr__(self, name):
        return lambda *values: self.calls.append((name, *values))


class FakeAudio:
    def __init__(self) -> None:
        self.sounds: list[FakeSound] = []
        self.is_shut = False

    def get_sound(self, path):
        self.sounds.append(FakeSound(path))
        return self.sounds[-1]

    def update(self):
        pass

    def shutdown(self):
        self.is_shut = True

    def plays(self) -> int:
        return sum(call[0] == "play" for one in self.sounds for call in one.calls)


def test_sounds_are_made_once_and_varied(tmp_path):
    audio = FakeAudio()
    speaker = Speaker(audio, tmp_path / "sounds", camera=SceneCamera(), seed=1)
    for _ in range(40):
        speaker.play("stone", volume=0.7)
    assert audio.plays() == 40
    assert len(audio.sounds) == variants_of("stone")
    assert len(list((tmp_path / "sounds").glob("stone_*.wav"))) == variants_of("stone")
    rates = {call[1] for one in audio.sounds for call in one.calls if call[0] == "set_play_rate"}
    assert len(rates) == 40
    assert all(0.9 < rate < 1.1 for rate in rates)
    volumes = {call[1] for one in audio.sounds for call in one.calls if call[0] == "set_volume"}
    assert volumes == {0.7}


@pytest.mark.parametrize(("azimuth", "x", "sign"), [(0.0, 5.0, 1), (180.0, 5.0, -1), (0.0, 0.0, 0)])
def test_left_and_right_are_those_of_the_picture(tmp_path, azimuth, x, sign):
    audio, camera = FakeAudio(), SceneCamera()
    camera.view = CameraView(azimuth=azimuth)
    Speaker(audio, tmp_path, camera=camera).play("win", position=(x, 0.0, 0.0))
    balance = next(call[1] for call in audio.sounds[0].calls if call[0] == "set_balance")
    assert abs(balance) < 1.0
    assert (balance > 0.01) - (balance < -0.01) == sign


def test_what_lies_behind_the_middle_of_the_picture_is_softer(tmp_path):
    audio, camera = FakeAudio(), SceneCamera()
    camera.view = CameraView(elevation=0.0, distance=10.0)  # the eye is at y = -10
    speaker, heard = Speaker(audio, tmp_path, camera=camera), []
    for y in (-5.0, 0.0, 10.0, 30.0):
        speaker.play("win", volume=0.8, position=(0.0, y, 0.0))
        heard.append([call[1] for call in audio.sounds[0].calls if call[0] == "set_volume"][-1])
    assert heard == pytest.approx([0.8, 0.8, 0.4, 0.2])


def test_mute_is_silent_and_told(tmp_path):
    audio, told = FakeAudio(), []
    speaker = Speaker(audio, tmp_path, camera=SceneCamera(), on_mute=told.append)
    speaker.muted = True
    speaker.muted = True
    speaker.play("stone")
    assert audio.plays() == 0
    assert told == [True]
    speaker.muted = False
    speaker.play("stone")
    assert audio.plays() == 1
    with pytest.raises(ValueError, match="expected one of"):
        speaker.play("drum")


def test_without_a_device_or_a_folder_there_is_silence_and_not_a_word(tmp_path, monkeypatch, capfd):
    monkeypatch.setattr(sound, "_open_audio", lambda: None)
    assert isinstance(open_speaker(tmp_path / "a", camera=SceneCamera()), NullSound)
    assert len(list((tmp_path / "a").glob("*.wav"))) == sum(map(variants_of, SOUNDS))
    (tmp_path / "file").write_text("in the way")
    assert isinstance(open_speaker(tmp_path / "file", camera=SceneCamera()), NullSound)
    assert capfd.readouterr().err == ""


def test_a_file_that_is_there_is_not_made_again(tmp_path):
    path = cached_wav(tmp_path, "tap", 2)
    path.write_bytes(b"mine")
    assert cached_wav(tmp_path, "tap", 2).read_bytes() == b"mine"
