"""Sounds made from numbers, and the door through which scripts play them. Makes no noise itself.

Which sounds there are, projects declare (`[sounds]` in `goishi.toml`). Every one is made from a
seed, so it is the same on every machine.
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
    """What is heard: a sound of the bank, or a file.

    Attributes:
        name: in the bank; empty for a file.
        variant: of the bank's sound.
        file: None for a sound of the bank.
    """

    name: str
    variant: int = 0
    file: Path | None = None


@dataclass(frozen=True, eq=False)
class SoundKind:
    """A sound that scripts can name.

    Attributes:
        make: returns its samples `[n]`, -1 to 1, `RATE` a second, given a seed.
        variants: how many different ones there are; where it is more than one, the pitch varies a
            little, too.
        version: of `make`: a new one makes the files anew that are kept of it.
    """

    make: Callable[[int], npt.NDArray[np.floating]]
    variants: int = 1
    version: int = 1


class SoundBank:
    """The sounds that scripts can name.

    Args:
        offered: their names.
        find: returns the kind of one, which may import its module; None where it cannot be had.
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
        """Return the kind of a sound.

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
        """Return one of a sound's variants `[n]`.

        Raises:
            ValueError: there is no such sound.
        """
        if (name, variant) not in self._made:
            made = self.kind(name).make(variant)
            self._made[name, variant] = np.asarray(made, dtype=np.float32)
        return self._made[name, variant]


class Voice(Protocol):
    """One clip that is played and can be changed meanwhile."""

    def start(self, at: float) -> None:
        """Be heard, from that second of the clip on."""

    def stop(self) -> None:
        """Be silent for good."""

    def adjust(self, *, volume: float, pitch: float, direction: Direction, is_held: bool) -> None:
        """Be so loud, so fast, from there; or wait."""


class AudioBackend(Protocol):
    """What scripts may do with sound: `self.sound`."""

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
        """Return what plays a clip; None where nothing would be heard."""
        ...

    def forget(self, file: Path) -> None:
        """Read a file anew when it is played next."""


class NullSound:
    """Plays nothing: headless runs, and machines without a loudspeaker.

    Args:
        bank: the sounds that can be named.
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
        """Stay silent; an unknown name is refused as everywhere.

        Raises:
            ValueError: there is no such sound.
        """
        self.bank.kind(name)

    def voice(self, clip: Clip, *, loops: bool) -> Voice | None:
        """Return nothing: nobody would hear it."""
        return None

    def forget(self, file: Path) -> None:
        """Do nothing."""


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
