"""The sound of a film: each sound at its time, from its side, as fast and as loud as it was."""

from __future__ import annotations

import wave

import numpy as np
import pytest

from sim.core.audio.sound_bank import RATE, AudioClip, NullSound, SoundBank
from sim.core.audio.sound_track import RecordingAudio, SoundTrack
from sim.core.geometry.camera_pose import CameraView
from tests.shipped import shipped_sounds

VIEW = CameraView(target=(0.0, 0.0, 0.0), azimuth=0.0, elevation=30.0, distance=10.0)


class Film:
    """Seconds of a film, wound by the test, and a camera."""

    def __init__(self):
        self.at = 0.0
        self.view = VIEW

    def __call__(self):
        return self.at


@pytest.fixture
def film():
    return Film()


@pytest.fixture
def tap(film):
    made = RecordingAudio(NullSound(shipped_sounds()), film, seed=1)
    made.begin(film)
    return made


def read(path):
    with wave.open(str(path), "rb") as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (2, 2, RATE)
        raw = file.readframes(file.getnframes())
    return np.frombuffer(raw, "<i2").reshape(-1, 2) / 32767.0


def written(tap, tmp_path, seconds):
    path = tmp_path / "film.sound.wav"
    tap.end().write(path, seconds)
    sound = read(path)
    assert len(sound) == round(seconds * RATE)
    assert list(tmp_path.iterdir()) == [path]
    return sound


def loud(sound, begin, end):
    return np.sqrt((sound[round(begin * RATE) : round(end * RATE)] ** 2).mean(axis=0))


def test_a_click_is_heard_at_its_time_and_from_its_side(tap, film, tmp_path):
    film.at = 0.5
    tap.play("stone", position=(10.0, 0.0, 0.0))
    film.at = 12.25  # in another block than the first
    tap.play("tap", volume=0.5, position=(-10.0, 0.0, 0.0))
    sound = written(tap, tmp_path, 13.0)
    assert not loud(sound, 0.0, 0.499).any()
    left, right = loud(sound, 0.5, 0.6)
    assert right > 2.0 * left > 0.0
    assert not loud(sound, 1.0, 12.2).any()
    left, right = loud(sound, 12.25, 12.3)
    assert left > 2.0 * right > 0.0
    first = np.flatnonzero(np.abs(sound).max(axis=1) > 0.01)[0]
    assert first / RATE == pytest.approx(0.5, abs=0.002)


def test_many_at_once_stay_below_the_loudest_and_silence_is_silent(tap, film, tmp_path):
    for _ in range(12):
        tap.play("stone")
    sound = written(tap, tmp_path, 1.0)
    assert 0.9 < np.abs(sound).max() < 1.0
    tap.begin(film)
    tap.play("stone", volume=0.0)
    tap.muted = True
    tap.play("stone")
    assert tap.end().parts == []


def test_a_wrong_sound_is_refused_and_without_a_film_nothing_is_kept(tap):
    with pytest.raises(ValueError, match="expected one of stone, tap, win, lose"):
        tap.play("bang")
    tap.end()
    tap.play("stone")
    assert tap.end() is None
    assert tap.voice(AudioClip("stone"), loops=False) is None


def beep(path, hertz=441.0, seconds=0.5):
    times = np.arange(round(22_050 * seconds)) / 22_050
    whole = np.rint(np.sin(2.0 * np.pi * hertz * times) * 16_000).astype("<i2")
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(22_050)
        file.writeframes(whole.tobytes())


def pitch_of(sound, begin, end):
    part = sound[round(begin * RATE) : round(end * RATE), 0]
    return float(np.abs(np.fft.rfft(part * np.hanning(len(part)))).argmax() / (end - begin))


def test_a_loop_follows_pitch_volume_pause_and_stop(tap, film, tmp_path):
    folder = tmp_path / "clips"
    folder.mkdir()
    beep(folder / "beep.wav")
    voice = tap.voice(AudioClip("", file=folder / "beep.wav"), loops=True)

    def adjust(at, *, volume=0.5, pitch=1.0, held=False):
        film.at = at
        voice.adjust(volume=volume, pitch=pitch, direction=(0.0, 1.0, 0.0), is_held=held)

    film.at = 1.0
    adjust(1.0)
    voice.start(0.0)
    for frame in range(1, 30):
        adjust(1.0 + frame / 30)
    adjust(2.0, pitch=2.0)
    adjust(3.0, held=True)
    adjust(4.0, volume=0.25)
    film.at = 5.0
    voice.stop()
    out = tmp_path / "out"
    out.mkdir()
    sound = written(tap, out, 6.0)
    assert not loud(sound, 0.0, 1.0).any()
    assert pitch_of(sound, 1.1, 1.9) == pytest.approx(441.0, abs=3.0)
    assert pitch_of(sound, 2.1, 2.9) == pytest.approx(882.0, abs=3.0)
    assert loud(sound, 3.1, 3.9).max() < 1e-3
    full, half = loud(sound, 1.1, 1.9), loud(sound, 4.1, 4.9)
    np.testing.assert_allclose(half, full / 2.0, rtol=0.05)
    assert not loud(sound, 5.01, 6.0).any()


def test_what_is_no_plain_wav_is_named(tap, film, tmp_path):
    file = tmp_path / "song.ogg"
    file.write_bytes(b"OggS")
    voice = tap.voice(AudioClip("", file=file), loops=False)
    voice.adjust(volume=1.0, pitch=1.0, direction=(0.0, 1.0, 0.0), is_held=False)
    voice.start(0.0)
    track = tap.end()
    assert track.parts == []
    assert track.left_out == {"song.ogg"}


def test_a_clip_that_is_played_once_ends_by_itself(tmp_path, tap, film):
    voice = tap.voice(AudioClip("win"), loops=False)
    voice.adjust(volume=1.0, pitch=1.0, direction=(0.0, 1.0, 0.0), is_held=False)
    voice.start(0.0)
    length = len(shipped_sounds().samples("win")) / RATE
    sound = written(tap, tmp_path, length + 2.0)
    assert loud(sound, 0.0, 0.2).min() > 0.05
    assert not loud(sound, length + 0.01, length + 2.0).any()


def test_a_file_that_cannot_be_written_is_an_error(tmp_path):
    with pytest.raises(OSError, match="No such file"):
        SoundTrack().write(tmp_path / "gone" / "film.wav", 1.0)


def test_a_file_that_is_played_by_its_path_is_in_the_film(tmp_path, film):
    (tmp_path / "project").mkdir()
    beep(tmp_path / "project" / "beep.wav")
    tap = RecordingAudio(NullSound(SoundBank(project=tmp_path / "project")), film)
    tap.begin(film)
    film.at = 0.5
    tap.play("beep.wav", volume=0.5)
    path = tmp_path / "film.wav"
    tap.end().write(path, 2.0)
    sound = read(path)
    assert loud(sound, 0.0, 0.5).max() == 0.0
    assert loud(sound, 0.55, 0.95).min() > 0.05
    assert loud(sound, 1.05, 2.0).max() < 1e-3
