"""Sounds made from numbers, and the door through which scripts play them. Makes no noise itself.

A stone on a board is a burst of noise, the contact, and the damped modes of the wooden block that
it sets ringing. Every sound is made from a seed, so it is the same on every machine.
"""

from __future__ import annotations

import io
import wave
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from sim.core.geometry.camera_pose import CameraView

Samples = npt.NDArray[np.float32]
RATE: Final = 44_100  # samples a second
PEAK: Final = 0.85
VERSION: Final = 1  # of the recipes below: a new one makes cached files anew
VARIANTS: Final = 6  # of each sound whose pitch varies

BOARD_MODES: Final = (  # frequency in hertz, seconds to 1/e, strength
    (310.0, 0.036, 0.55), (655.0, 0.026, 0.80), (1130.0, 0.017, 0.70), (1890.0, 0.011, 0.45),
    (2950.0, 0.007, 0.30), (4600.0, 0.004, 0.22),
)  # fmt: skip
BELL_PARTIALS: Final = ((1.0, 1.0, 1.0), (2.0, 0.55, 0.45), (3.01, 0.25, 0.22), (4.2, 0.12, 0.14))


Direction = tuple[float, float, float]
"""Right, ahead and up of the listener, of unit length."""
AHEAD: Final[Direction] = (0.0, 1.0, 0.0)
WIDTH: Final = 12.0  # metres to the side at which a sound is wholly left or right…
WIDEST: Final = 0.7  # …or nearly so


@dataclass(frozen=True)
class Clip:
    """What is heard: a sound of the bank, or a file.

    Attributes:
        name: in the bank; empty for a file.
        variant: of the bank's sound.
        file: None for a sound of the bank.
    """

    name: str
    variant: int = 0
    file: Path | None = None


class Voice(Protocol):
    """One clip that is played and can be changed meanwhile."""

    def start(self, at: float) -> None:
        """Be heard, from that second of the clip on."""

    def stop(self) -> None:
        """Be silent for good."""

    def adjust(self, *, volume: float, pitch: float, direction: Direction, is_held: bool) -> None:
        """Be so loud, so fast, from there; or wait."""


class SoundDoor(Protocol):
    """What scripts may do with sound: `self.sound`."""

    muted: bool

    def play(
        self,
        name: str,
        *,
        volume: float = 1.0,
        position: Sequence[float] | None = None,
    ) -> None:
        """Play a sound of the bank; `position`, metres of the world, sets side and loudness."""
        ...

    def voice(self, clip: Clip, *, loops: bool) -> Voice | None:
        """Return what plays a clip; None where nothing would be heard."""
        ...

    def forget(self, file: Path) -> None:
        """Read a file anew when it is played next."""


class NullSound:
    """Plays nothing: headless runs, and machines without a loudspeaker."""

    def __init__(self) -> None:
        self.muted = False

    def play(
        self,
        name: str,
        *,
        volume: float = 1.0,
        position: Sequence[float] | None = None,
    ) -> None:
        """Stay silent; an unknown name is refused as everywhere.

        Raises:
            ValueError: there is no such sound.
        """
        check_name(name)

    def voice(self, clip: Clip, *, loops: bool) -> Voice | None:
        """Return nothing: nobody would hear it."""
        return None

    def forget(self, file: Path) -> None:
        """Do nothing."""


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
    """Return the softer, higher click of a stone that bounces, 0.09 s."""
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
    """Return a rising chord of bells."""
    return _bells((523.25, 659.26, 783.99, 1046.5), step=0.11, ring=0.75)


def lose_chime(seed: int) -> Samples:
    """Return two falling low bells."""
    return _bells((392.0, 311.13), step=0.24, ring=0.8)


SOUNDS: Final[Mapping[str, Callable[[int], Samples]]] = MappingProxyType(
    {"stone": stone_click, "tap": stone_tap, "win": win_chime, "lose": lose_chime}
)
"""Every sound by its name."""


def check_name(name: str) -> None:
    """Raise where there is no such sound.

    Raises:
        ValueError: `name` is not in `SOUNDS`.
    """
    if name not in SOUNDS:
        raise ValueError(f"sound: expected one of {', '.join(SOUNDS)}, found {name!r}")


def variants_of(name: str) -> int:
    """Return how many versions of a sound there are."""
    return VARIANTS if name in ("stone", "tap") else 1


def nearness_of(view: CameraView, position: Sequence[float]) -> float:
    """Return how loud a place is: 1 up to where the camera looks, by 1/distance beyond."""
    away = float(np.linalg.norm(np.array([float(value) for value in position]) - view.position))
    return min(1.0, view.distance / max(away, 1e-6))


def direction_of(view: CameraView, position: Sequence[float]) -> Direction:
    """Return from where a place is heard: its side, as the picture shows it."""
    away = np.array([float(value) for value in position]) - view.target
    side = float(np.clip(away @ np.array(view.right) / WIDTH, -WIDEST, WIDEST))
    return (side, float(np.sqrt(1.0 - side * side)), 0.0)


def to_wav(samples: Samples) -> bytes:
    """Return the bytes of a WAV file: one channel, 16 bits."""
    whole = np.rint(np.clip(samples, -1.0, 1.0) * 32767.0).astype("<i2")
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(whole.tobytes())
    return buffer.getvalue()


def _times(seconds: float) -> npt.NDArray[np.float64]:
    return np.arange(round(seconds * RATE), dtype=np.float64) / RATE


def _band(rng: np.random.Generator, count: int, low: float, high: float) -> npt.NDArray[np.float64]:
    """Return noise between two frequencies, with a standard deviation of 1."""
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
    """Return it at the common peak, beginning and ending in silence."""
    attack, release = round(0.0003 * RATE), round(0.012 * RATE)
    sound[:attack] *= np.linspace(0.0, 1.0, attack)
    sound[-release:] *= np.linspace(1.0, 0.0, release)
    return np.asarray(sound / np.abs(sound).max() * PEAK, dtype=np.float32)


__all__ = [
    "AHEAD",
    "RATE",
    "SOUNDS",
    "Clip",
    "Direction",
    "NullSound",
    "SoundDoor",
    "Voice",
    "check_name",
    "direction_of",
    "nearness_of",
    "to_wav",
    "variants_of",
]
