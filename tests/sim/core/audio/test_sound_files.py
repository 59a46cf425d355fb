"""How long a WAV file sounds, whatever other chunks it has."""

from __future__ import annotations

import io
import struct
import wave

import pytest

from sim.core.audio.sound_bank import NullSound, SoundBank, SoundError, _of_wav


def wav(seconds: float) -> bytes:
    file = io.BytesIO()
    with wave.open(file, "wb") as made:
        made.setnchannels(2)
        made.setsampwidth(2)
        made.setframerate(8000)
        made.writeframes(bytes(int(seconds * 8000) * 4))
    return file.getvalue()


def test_a_wav_file_has_its_length_and_an_odd_chunk_before_it_changes_nothing():
    plain = wav(0.75)
    assert _of_wav(plain) == 0.75
    odd = b"LIST" + struct.pack("<I", 3) + b"abc\0"
    assert _of_wav(plain[:12] + odd + plain[12:]) == 0.75
    assert _of_wav(plain[:-8000]) == 0.5, "what is there of a file that was cut"
    assert _of_wav(b"OggS" + plain[4:]) == _of_wav(plain[:40]) == 0.0


def test_a_sound_of_the_project_is_played_by_its_path(tmp_path):
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets" / "bang.wav").write_bytes(wav(0.5))
    (tmp_path / "assets" / "song.mp3").write_bytes(b"ID3")
    (tmp_path / "assets" / "cut.wav").write_bytes(b"RIFF")
    sound = NullSound(SoundBank(("stone",), project=tmp_path))
    sound.play("assets/bang.wav", volume=0.5)
    assert sound.bank.file_of("assets/bang.wav") == tmp_path / "assets" / "bang.wav"
    for name, expected in {
        "assets/bnag.wav": "expected a file of the project, such as assets/bang.wav",
        "assets/song.mp3": "expected a file of .wav, .ogg, .flac, found 'assets/song.mp3'",
        "assets/cut.wav": "expected a sound in a WAV file",
        "../bang.wav": "found '../bang.wav'",
    }.items():
        with pytest.raises(ValueError, match="sound: ") as told:
            sound.play(name)
        assert expected in str(told.value), name
        assert isinstance(told.value, SoundError)
    with pytest.raises(ValueError, match=r"one of stone, found 'stoen'; files of .wav, .ogg, .fl"):
        sound.play("stoen")
