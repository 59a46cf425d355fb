"""Sounds of a game: stones on wood, and bells for the winner.

The sound of a stone on a board has two parts: a burst of noise for the contact, and the damped
vibrations of the wooden block.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from sim import SoundKind

Samples = npt.NDArray[np.float32]
RATE: Final = 44_100  # samples a second
PEAK: Final = 0.85
VARIANTS: Final = 6  # of each sound whose pitch varies
BOARD_MODES: Final = (  # frequency in hertz, seconds to 1/e, strength
    (310.0, 0.036, 0.55), (655.0, 0.026, 0.80), (1130.0, 0.017, 0.70), (1890.0, 0.011, 0.45),
    (2950.0, 0.007, 0.30), (4600.0, 0.004, 0.22),
)  # fmt: skip
BELL_PARTIALS: Final = ((1.0, 1.0, 1.0), (2.0, 0.55, 0.45), (3.01, 0.25, 0.22), (4.2, 0.12, 0.14))


def stone_click(seed: int) -> Samples:
    """Return the click of a stone on a wooden board, 0.18 s."""
    rng = np.random.default_rng(seed)
    pitch = 2.0 ** (rng.uniform(-1.2, 1.2) / 12.0)
    time = _times(0.18)
    sound = np.zeros_like(time)
    for frequency, decay, strength in BOARD_MODES:
        phase = rng.uniform(-0.4, 0.4)
        ring = np.sin(2.0 * np.pi * frequency * pitch * time + phase)
        sound += strength * rng.uniform(0.8, 1.2) * ring * np.exp(-time / decay)
    sound += 0.9 * _band(rng, len(time), 1400.0, 7000.0) * np.exp(-time / 0.0022)
    return _finished(sound)


def stone_tap(seed: int) -> Samples:
    """Return the softer, higher click of a bouncing stone, 0.09 seconds; `seed` varies it."""
    rng = np.random.default_rng(seed)
    time = _times(0.09)
    pitch = 2.0 ** (rng.uniform(1.0, 4.0) / 12.0)
    sound = np.zeros_like(time)
    for frequency, decay, strength in BOARD_MODES[1:]:
        ring = np.sin(2.0 * np.pi * frequency * pitch * time)
        sound += strength * ring * np.exp(-time / (decay * 0.6))
    sound += 0.7 * _band(rng, len(time), 2000.0, 8000.0) * np.exp(-time / 0.0015)
    return _finished(sound)


def win_chime(seed: int) -> Samples:
    """Return a rising chord of bells for a win; `seed` has no effect."""
    return _bells((523.25, 659.26, 783.99, 1046.5), step=0.11, ring=0.75)


def lose_chime(seed: int) -> Samples:
    """Return two falling low bells for a loss; `seed` has no effect."""
    return _bells((392.0, 311.13), step=0.24, ring=0.8)


def _times(seconds: float) -> npt.NDArray[np.float64]:
    return np.arange(round(seconds * RATE), dtype=np.float64) / RATE


def _band(rng: np.random.Generator, count: int, low: float, high: float) -> npt.NDArray[np.float64]:
    """Return random noise between two frequencies in hertz, with a standard deviation of 1."""
    spectrum = np.fft.rfft(rng.standard_normal(count))
    frequencies = np.fft.rfftfreq(count, 1.0 / RATE)
    spectrum[(frequencies < low) | (frequencies > high)] = 0.0
    noise = np.fft.irfft(spectrum, count)
    return np.asarray(noise / noise.std(), dtype=np.float64)


def _bells(notes: Sequence[float], *, step: float, ring: float) -> Samples:
    time = _times(step * (len(notes) - 1) + ring * 2.2)
    sound = np.zeros_like(time)
    for index, note in enumerate(notes):
        since = time - index * step
        rise = np.clip(since / 0.004, 0.0, 1.0)
        for multiple, decay, strength in BELL_PARTIALS:
            wave_form = np.sin(2.0 * np.pi * note * multiple * np.maximum(since, 0.0))
            fall = np.exp(-np.maximum(since, 0.0) / (ring * 0.45 * decay))
            sound += strength * wave_form * fall * rise
    return _finished(sound)


def _finished(sound: npt.NDArray[np.float64]) -> Samples:
    """Scale a sound so that its peak is that of all sounds, and fade both ends."""
    attack, release = round(0.0003 * RATE), round(0.012 * RATE)
    sound[:attack] *= np.linspace(0.0, 1.0, attack)
    sound[-release:] *= np.linspace(1.0, 0.0, release)
    return np.asarray(sound / np.abs(sound).max() * PEAK, dtype=np.float32)


STONE = SoundKind(stone_click, VARIANTS)
TAP = SoundKind(stone_tap, VARIANTS)
WIN = SoundKind(win_chime)
LOSE = SoundKind(lose_chime)
