"""How long a WAV file sounds, whatever other chunks it has."""

from __future__ import annotations

import io
import struct
import wave

from sim.core.audio.sound_bank import _of_wav


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
