"""The loudspeaker: what reaches the audio library, and silence where there is no device."""

from __future__ import annotations

import os
import subprocess
import sys
import wave

import numpy as np
import pytest

from base.files import SHIPPED_ROOT
from sim.core.audio.sound_bank import AudioClip, NullSound, SoundBank
from sim.core.geometry.camera_pose import CameraView
from sim.core.scene.scene_camera import SceneCamera
from sim.render.audio import sound
from sim.render.audio.sound import Speaker, cached_wav, open_speaker
from tests.shipped import shipped_sounds

BANK = shipped_sounds()


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
    speaker = Speaker(audio, tmp_path / "sounds", camera=SceneCamera(), bank=BANK, seed=1)
    for _ in range(40):
        speaker.play("stone", volume=0.7)
    assert audio.plays() == 40
    assert len(audio.sounds) == BANK.kind("stone").variants
    assert len(list((tmp_path / "sounds").glob("stone_*.wav"))) == BANK.kind("stone").variants
    rates = {call[1] for one in audio.sounds for call in one.calls if call[0] == "set_play_rate"}
    assert len(rates) == 40
    assert all(0.9 < rate < 1.1 for rate in rates)
    volumes = {call[1] for one in audio.sounds for call in one.calls if call[0] == "set_volume"}
    assert volumes == {0.7}


@pytest.mark.parametrize(("azimuth", "x", "sign"), [(0.0, 5.0, 1), (180.0, 5.0, -1), (0.0, 0.0, 0)])
def test_left_and_right_are_those_of_the_picture(tmp_path, azimuth, x, sign):
    audio, camera = FakeAudio(), SceneCamera()
    camera.view = CameraView(azimuth=azimuth)
    Speaker(audio, tmp_path, camera=camera, bank=BANK).play("win", position=(x, 0.0, 0.0))
    calls = [call for call in audio.sounds[0].calls if call[0] == "set_3d_attributes"]
    side, ahead = calls[0][1:3]
    assert side**2 + ahead**2 == pytest.approx(1.0)
    assert ahead > 0.1
    assert (side > 0.01) - (side < -0.01) == sign


def test_what_lies_behind_the_middle_of_the_picture_is_softer(tmp_path):
    audio, camera = FakeAudio(), SceneCamera()
    camera.view = CameraView(elevation=0.0, distance=10.0)  # the eye is at y = -10
    speaker, heard = Speaker(audio, tmp_path, camera=camera, bank=BANK), []
    for y in (-5.0, 0.0, 10.0, 30.0):
        speaker.play("win", volume=0.8, position=(0.0, y, 0.0))
        heard.append([call[1] for call in audio.sounds[0].calls if call[0] == "set_volume"][-1])
    assert heard == pytest.approx([0.8, 0.8, 0.4, 0.2])


def test_a_file_of_the_project_is_played_by_its_path(tmp_path):
    with wave.open(str(tmp_path / "bang.wav"), "wb") as file:
        file.setparams((1, 2, 8000, 0, "NONE", ""))
        file.writeframes(bytes(8000))
    audio = FakeAudio()
    bank = SoundBank(project=tmp_path)
    speaker = Speaker(audio, tmp_path / "cache", camera=SceneCamera(), bank=bank)
    speaker.play("bang.wav", volume=0.4)
    assert audio.sounds[0].path.endswith("bang.wav")
    assert ("set_volume", 0.4) in audio.sounds[0].calls
    assert audio.plays() == 1
    speaker.muted = True
    speaker.play("bang.wav")
    assert audio.plays() == 1


def test_mute_is_silent_and_told(tmp_path):
    audio, told = FakeAudio(), []
    speaker = Speaker(audio, tmp_path, camera=SceneCamera(), bank=BANK, on_mute=told.append)
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


def test_the_volume_is_a_factor_on_every_sound(tmp_path):
    audio = FakeAudio()
    speaker = Speaker(audio, tmp_path, camera=SceneCamera(), bank=BANK)
    speaker.volume = 0.5
    speaker.play("win", volume=0.8)
    voice = speaker.voice(AudioClip("win"), loops=True)
    voice.adjust(volume=0.6, pitch=1.0, direction=(0.0, 1.0, 0.0), is_held=False)
    volumes = [call[1] for one in audio.sounds for call in one.calls if call[0] == "set_volume"]
    assert volumes == pytest.approx([0.4, 0.3])
    speaker.volume = 0.0
    speaker.play("win")
    assert audio.plays() == 1


def test_without_a_device_or_a_folder_there_is_silence_and_not_a_word(tmp_path, monkeypatch, capfd):
    monkeypatch.setattr(sound, "_open_audio", lambda: None)
    assert isinstance(open_speaker(tmp_path / "a", camera=SceneCamera(), bank=BANK), NullSound)
    assert len(list((tmp_path / "a").glob("*.wav"))) == sum(
        BANK.kind(name).variants for name in BANK.names
    )
    (tmp_path / "file").write_text("in the way")
    assert isinstance(open_speaker(tmp_path / "file", camera=SceneCamera(), bank=BANK), NullSound)
    assert capfd.readouterr().err == ""


def test_a_file_that_is_there_is_not_made_again(tmp_path):
    path = cached_wav(tmp_path, BANK, "tap", 2)
    path.write_bytes(b"mine")
    assert cached_wav(tmp_path, BANK, "tap", 2).read_bytes() == b"mine"


def test_voices_are_looked_after_held_and_muted(tmp_path):
    audio = FakeAudio()
    speaker = Speaker(audio, tmp_path, camera=SceneCamera(), bank=BANK)
    voice = speaker.voice(AudioClip("win"), loops=True)
    how = {"volume": 0.6, "pitch": 2.0, "direction": (1.0, 0.0, 0.0)}
    voice.adjust(**how, is_held=False)
    voice.start(0.5)
    speaker.muted = True
    voice.adjust(**how, is_held=True)
    speaker.muted = False
    voice.adjust(**how, is_held=False)
    calls = audio.sounds[0].calls
    names = [name for name, *_ in calls if name in ("play", "stop", "set_time")]
    assert names == ["set_time", "play", "stop", "set_time", "play"]
    assert [call[1] for call in calls if call[0] == "set_volume"] == [0.6, 0.0, 0.6]
    assert ("set_loop", True) in calls
    assert ("set_play_rate", 2.0) in calls
    assert ("set_3d_attributes", 1.0, 0.0, 0.0, 0.0, 0.0, 0.0) in calls
    speaker.close()
    assert calls[-1] == ("stop",)


HEARD = """
import sys, time, wave
from pathlib import Path
from sim.core.geometry.camera_pose import CameraView
from sim.core.scene.scene_camera import SceneCamera
from sim.core.audio.sound_bank import AudioClip
from sim.core.components.sound_source import heard
from sim.render.audio.sound import open_speaker
from tests.shipped import shipped_sounds

folder = Path(sys.argv[1])
camera = SceneCamera()
camera.view = CameraView(elevation=0.0, distance=10.0)
speaker = open_speaker(folder, camera=camera, bank=shipped_sounds())
loudness, direction = heard(camera.view.eye, (8.0, -10.0, 0.0), 4.0, 100.0)
voice = speaker.voice(AudioClip("win"), loops=False)
voice.adjust(volume=loudness, pitch=1.0, direction=direction, is_held=False)
voice.start(0.0)
end = time.perf_counter() + 0.4
while time.perf_counter() < end:
    speaker.look_after()
    time.sleep(0.02)
speaker.close()
"""


def test_a_sound_at_the_right_is_heard_at_the_right(tmp_path):
    """With OpenAL's own driver that writes what is heard into a file."""
    written = tmp_path / "heard.wav"
    settings = tmp_path / "alsoft.conf"
    settings.write_text(
        "[general]\ndrivers=wave\nchannels=stereo\nsample-type=int16\nhrtf=false\n"
        f"[wave]\nfile={written}\n"
    )
    environment = {**os.environ, "ALSOFT_CONF": str(settings), "ALSOFT_DRIVERS": "wave"}
    command = [sys.executable, "-c", HEARD, str(tmp_path)]
    subprocess.run(command, env=environment, cwd=SHIPPED_ROOT, timeout=60, check=True)
    data = written.read_bytes()
    begin = data.index(b"data") + 8
    samples = np.frombuffer(data[begin : begin + (len(data) - begin) // 4 * 4], dtype="<i2")
    left, right = np.abs(samples.reshape(-1, 2).astype(int)).max(axis=0)
    assert right > 1000
    assert left < 0.05 * right
