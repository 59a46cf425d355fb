"""Synthesised sounds, and the `AudioBackend` protocol that scripts play them through.

Projects declare their sounds (`[sounds]` in `goishi.toml`). Each is synthesised from a seed, so
that it is the same on every machine.
"""

from __future__ import annotations

import io
import wave
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from sim.core.geometry.camera_pose import CameraView

Samples = npt.NDArray[np.float32]
RATE: Final = 44_100  # samples a second


Direction = tuple[float, float, float]
"""Right, ahead and up of the listener, of unit length."""
AHEAD: Final[Direction] = (0.0, 1.0, 0.0)
WIDTH: Final = 12.0  # metres to the side at which a sound is wholly left or right…
WIDEST: Final = 0.7  # …or nearly so


@dataclass(frozen=True)
class Clip:
    """An audio clip: a sound of the bank, or a file.

    Attributes:
        name: in the bank; empty for a file.
        variant: number of the variant of the bank's sound.
        file: None for a sound of the bank.
    """

    name: str
    variant: int = 0
    file: Path | None = None


@dataclass(frozen=True, eq=False)
class SoundKind:
    """A kind of synthesised sound, with its maker and variants.

    Attributes:
        make: returns its samples `[n]`, -1 to 1, `RATE` a second, given a seed.
        variants: number of variants; with more than one, the pitch varies a little, too.
        version: version of `make`; raise it to invalidate cached files.
    """

    make: Callable[[int], npt.NDArray[np.floating]]
    variants: int = 1
    version: int = 1


class SoundBank:
    """The sounds that scripts can play by name.

    Args:
        offered: the names.
        find: returns the kind of a sound, importing its module if need be; None if that fails.
    """

    def __init__(
        self,
        offered: Sequence[str] = (),
        find: Callable[[str], SoundKind | None] = lambda name: None,
    ) -> None:
        self.names = tuple(offered)
        self._find = find
        self._found: dict[str, SoundKind | None] = {}
        self._made: dict[tuple[str, int], Samples] = {}

    def kind(self, name: str) -> SoundKind:
        """Return the kind of a sound by name.

        Raises:
            ValueError: there is no such sound.
        """
        if name in self.names and name not in self._found:
            self._found[name] = self._find(name)
        kind = self._found.get(name)
        if kind is None:
            raise ValueError(f"sound: expected one of {', '.join(self.names)}, found {name!r}")
        return kind

    def samples(self, name: str, variant: int = 0) -> Samples:
        """Return the samples `[n]` of one variant of a sound, -1 to 1.

        Raises:
            ValueError: there is no such sound.
        """
        if (name, variant) not in self._made:
            made = self.kind(name).make(variant)
            self._made[name, variant] = np.asarray(made, dtype=np.float32)
        return self._made[name, variant]


class Voice(Protocol):
    """Playback of one clip, whose volume, pitch and direction can change meanwhile."""

    def start(self, at: float) -> None:
        """Start playing at `at` seconds of the clip."""

    def stop(self) -> None:
        """Stop for good."""

    def adjust(self, *, volume: float, pitch: float, direction: Direction, is_held: bool) -> None:
        """Set loudness (0 to 1), speed factor and direction; pause while `is_held`."""


class AudioBackend(Protocol):
    """Audio output as scripts see it: `self.sound`."""

    muted: bool
    bank: SoundBank

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
        """Return a new playback of a clip; None where there is no audible output."""
        ...

    def forget(self, file: Path) -> None:
        """Drop a file from the cache, so that the next playback reads it again."""


class NullSound:
    """Audio backend that plays nothing: headless runs, and machines without a loudspeaker.

    Args:
        bank: the sounds that scripts can name.
    """

    def __init__(self, bank: SoundBank | None = None) -> None:
        self.muted = False
        self.bank = SoundBank() if bank is None else bank

    def play(
        self,
        name: str,
        *,
        volume: float = 1.0,
        position: Sequence[float] | None = None,
    ) -> None:
        """Check the name of a sound and play nothing.

        Raises:
            ValueError: there is no such sound.
        """
        self.bank.kind(name)

    def voice(self, clip: Clip, *, loops: bool) -> Voice | None:
        """Return None: there is no audible output."""
        return None

    def forget(self, file: Path) -> None:
        """Do nothing: there is no cache."""


def nearness_of(view: CameraView, position: Sequence[float]) -> float:
    """Return the loudness of a world position: 1 up to the camera's target, 1/distance beyond."""
    away = float(np.linalg.norm(np.array([float(value) for value in position]) - view.position))
    return min(1.0, view.distance / max(away, 1e-6))


def direction_of(view: CameraView, position: Sequence[float]) -> Direction:
    """Return the direction of a world position from the listener, as the picture shows it."""
    away = np.array([float(value) for value in position]) - view.target
    side = float(np.clip(away @ np.array(view.right) / WIDTH, -WIDEST, WIDEST))
    return (side, float(np.sqrt(1.0 - side * side)), 0.0)


def to_wav(samples: Samples) -> bytes:
    """Encode samples as a WAV file: one channel, 16 bits."""
    whole = np.rint(np.clip(samples, -1.0, 1.0) * 32767.0).astype("<i2")
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(whole.tobytes())
    return buffer.getvalue()
