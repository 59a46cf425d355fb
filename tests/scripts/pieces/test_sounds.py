"""Sounds are numbers: how long, how loud, how they die away, and what a WAV file says."""

from __future__ import annotations

import io
import wave

import numpy as np
import pytest

from sim.core.audio.sound_bank import RATE, NullSound, to_wav
from tests.shipped import shipped_sounds

BANK = shipped_sounds()


def stone_click(seed):
    return BANK.samples("stone", seed)


@pytest.mark.parametrize("name", BANK.names)
@pytest.mark.parametrize("seed", range(6))
def test_a_sound_neither_clips_nor_clicks_and_dies_away(name, seed):
    samples = BANK.samples(name, seed)
    assert np.isfinite(samples).all()
    assert 0.8 < np.abs(samples).max() < 0.9
    assert abs(samples[0]) < 0.01
    assert abs(samples[-1]) < 0.001
    quarters = [float(np.sqrt(np.mean(part**2))) for part in np.array_split(samples, 4)]
    assert quarters == sorted(quarters, reverse=True)
    assert quarters[3] < quarters[0] / 20
    assert abs(float(samples.mean())) < 0.01, "no offset"


def test_a_stone_is_short_and_a_chime_is_not():
    assert len(stone_click(0)) / RATE == pytest.approx(0.18, abs=0.001)
    assert len(BANK.samples("tap")) < len(stone_click(0))
    assert 1.0 < len(BANK.samples("win")) / RATE < 3.0


def test_stones_differ_a_little_and_are_the_same_for_the_same_seed():
    assert (stone_click(3) == shipped_sounds().samples("stone", 3)).all()
    assert not np.allclose(stone_click(3), stone_click(4))
    assert BANK.kind("stone").variants > 3


def loudest_frequency(samples: np.ndarray) -> float:
    return float(np.abs(np.fft.rfft(samples)).argmax() * RATE / len(samples))


def test_a_win_rises_and_a_loss_falls():
    for name, is_rising in (("win", True), ("lose", False)):
        samples = BANK.samples(name)
        early = loudest_frequency(samples[: RATE // 10])
        late = loudest_frequency(samples[RATE // 2 : RATE])
        assert (late > early) == is_rising


def test_a_wav_file_holds_what_was_made():
    samples = stone_click(1)
    with wave.open(io.BytesIO(to_wav(samples))) as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (1, 2, RATE)
        read = np.frombuffer(file.readframes(len(samples) + 1), dtype="<i2") / 32767.0
    assert np.abs(read - samples).max() < 1e-4


def test_silence_knows_the_names():
    silence = NullSound(BANK)
    silence.play("stone", volume=0.5, position=(1, 2, 3))
    with pytest.raises(ValueError, match="expected one of stone, tap, win, lose, found 'drum'"):
        silence.play("drum")
