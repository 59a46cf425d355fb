"""Sounds that scripts play: synthesised sounds, durations of sound files, the output's protocol.

A project declares its sounds in `[sounds]` of `goishi.toml`. Each is synthesised from a seed, so
that it is the same on every machine.
"""

from __future__ import annotations

import io
import struct
import wave
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from base.closed import Closed
from base.contents import content_kind
from base.errors import GoishiError, MakerError
from base.files import read_regular, resolve_in_project
from base.spelling import one_of, project_file
from sim.core.geometry.camera_pose import CameraView

Samples = npt.NDArray[np.float32]
RATE: Final = 44_100  # samples per second


Direction = tuple[float, float, float]
"""Unit vector from the listener towards a sound: components to the right, ahead and up."""
AHEAD: Final[Direction] = (0.0, 1.0, 0.0)
WIDTH: Final = 12.0  # metres to the side at which a sound is fully left or right
WIDEST: Final = 0.7  # or nearly


@dataclass(frozen=True)
class AudioClip:
    """A sound to play: one variant of a sound of the bank, or a file.

    Attributes:
        name: name in the bank; empty for a file.
        variant: number of the variant of the bank's sound.
        file: path of the file; None for a sound of the bank.
    """

    name: str
    variant: int = 0
    file: Path | None = None


@dataclass(frozen=True, eq=False)
class SoundKind:
    """A synthesised sound: the function that makes it, and how many variants there are.

    Attributes:
        make: function that returns the samples `[n]`, -1 to 1, `RATE` per second. Its argument is
            the number of the variant, which serves as the random seed.
        variants: number of variants; with more than one, the pitch varies slightly, too.
        version: version of `make`; raise it to invalidate cached files.
    """

    make: Callable[[int], npt.NDArray[np.floating]]
    variants: int = 1
    version: int = 1


SILENCE: Final = SoundKind(lambda variant: np.zeros(1))
"""Stands for a sound that cannot be made."""


class SoundBank:
    """The synthesised sounds that scripts can play by name.

    Args:
        offered: names of the sounds.
        find: called with a name; returns the sound, importing its module if necessary, or None if
            that fails.
        on_failure: called with a sound's name and the error when the sound cannot be made.
        project: folder of the project, whose sound files can be played, too; None for no files.
    """

    def __init__(
        self,
        offered: Sequence[str] = (),
        find: Callable[[str], SoundKind | None] = lambda name: None,
        on_failure: Callable[[str, MakerError], object] = lambda name, error: None,
        project: Path | None = None,
    ) -> None:
        self.names = tuple(offered)
        self._find = find
        self._on_failure = on_failure
        self._project = project
        self._found: dict[str, SoundKind | None] = {}
        self._made: dict[tuple[str, int], Samples] = {}
        self._checked: dict[str, tuple[int, int]] = {}  # by path, time and size of a sound file

    def kind(self, name: str) -> SoundKind:
        """Return a synthesised sound by name; a silent one if its module cannot be imported.

        Raises:
            ValueError: there is no such sound.
        """
        if name in self.names and name not in self._found:
            self._found[name] = self._find(name) or SILENCE
        kind = self._found.get(name)
        if kind is None:
            text = f"sound: expected {one_of(self.names, name)}, found {name!r:.80}"
            raise ValueError(f"{text}; files of {', '.join(SUFFIXES)} are played by their path")
        return kind

    def file_of(self, name: str) -> Path | None:
        """Return the sound file that a name is the path of; None for a sound of the bank.

        Args:
            name: name of a sound of the bank, or path of a file in the project.

        Raises:
            ValueError: it is neither, or the file is no sound that can be played.
        """
        is_path = isinstance(name, str) and ("/" in name or "." in name)
        if name in self.names or not is_path or self._project is None:
            self.kind(name)
            return None
        file, suffix = self._project / name, Path(name).suffix.lower()
        known = file.stat() if file.is_file() else None
        if known is None and suffix in SUFFIXES:
            expected = project_file(self._project, name)
            raise SoundError(f"sound: expected {expected}, found {name!r:.80}")
        state = (0, 0) if known is None else (known.st_mtime_ns, known.st_size)
        if self._checked.get(name) != state:
            try:
                sound_seconds(self._project, name)
            except SoundError as error:
                raise SoundError(f"sound: {error}") from None
            self._checked[name] = state
        return file

    def samples(self, name: str, variant: int = 0) -> Samples:
        """Return the samples of one variant of a sound: `[n]`, -1 to 1, `RATE` per second.

        A sound whose function fails is silent from then on.

        Raises:
            ValueError: there is no such sound.
        """
        if (name, variant) not in self._made:
            try:
                made = self.kind(name).make(variant)
            except MakerError as error:
                self._on_failure(name, error)
                self._found[name] = SILENCE
                made = SILENCE.make(variant)
            self._made[name, variant] = np.asarray(made, dtype=np.float32)
        return self._made[name, variant]

    def forget(self, names: Iterable[str]) -> None:
        """Make sounds anew when they are next played, since their modules were reloaded."""
        for name in names:
            self._found.pop(name, None)
            for key in [key for key in self._made if key[0] == name]:
                del self._made[key]


class Voice(Protocol):
    """Playback of one sound; volume, pitch and direction can change while it plays."""

    def start(self, at: float) -> None:
        """Start playing at `at` seconds of the clip."""

    def stop(self) -> None:
        """Stop for good."""

    def adjust(self, *, volume: float, pitch: float, direction: Direction, is_held: bool) -> None:
        """Set how the sound is heard from now on.

        Args:
            volume: loudness, 0 to 1.
            pitch: speed factor of the playback.
            direction: unit vector from the listener: right, ahead and up.
            is_held: whether playback is paused.
        """


class AudioBackend(Protocol):
    """Audio output that scripts use as `self.sound`.

    Attributes:
        muted: whether nothing is heard.
        volume: factor on the loudness of all sounds, 0 to 1.
        bank: the sounds that can be played by name.
    """

    muted: bool
    volume: float
    bank: SoundBank

    def play(
        self,
        name: str,
        *,
        volume: float = 1.0,
        position: Sequence[float] | None = None,
        caption: str | None = None,
    ) -> None:
        """Play a sound once.

        Args:
            name: name of a sound, or path of a .wav, .ogg or .flac file in the project.
            volume: loudness, 0 to 1.
            position: place in the world, metres, which sets side and loudness; None for straight
                ahead.
            caption: what sounds, in words, for users who read captions; "" for no caption, None for
                the sound's name.

        Raises:
            ValueError: there is no such sound, or the file cannot be played.
        """
        ...

    def voice(self, clip: AudioClip, *, loops: bool) -> Voice | None:
        """Return a new playback of a sound; None where there is no audible output.

        Args:
            clip: the sound.
            loops: whether it repeats.
        """
        ...

    @property
    def reads_captions(self) -> bool:
        """Whether somebody reads captions."""
        ...

    def caption(self, words: str, source: str = "") -> None:
        """Show what sounds, in words, to users who read captions.

        Args:
            words: what sounds; "" when a sound that went on is over.
            source: id of a sound that goes on until its words are ""; "" for a short one.
        """
        ...

    def forget(self, file: Path) -> None:
        """Drop a file from the cache, so that the next playback reads it again."""


class Uncaptioned(Closed):
    """Audio output that shows no captions: what it is a part of does."""

    __slots__ = ()

    @property
    def reads_captions(self) -> bool:
        """Nobody does."""
        return False

    def caption(self, words: str, source: str = "") -> None:
        """Do nothing: nobody reads captions.

        Args:
            words: unused.
            source: unused.
        """


class NullSound(Uncaptioned):
    """Audio output that plays nothing: for runs without a window or without a loudspeaker.

    Args:
        bank: the sounds that scripts can name; None for no sounds.
    """

    __slots__ = ("bank", "muted", "volume")

    def __init__(self, bank: SoundBank | None = None) -> None:
        self.muted = False
        self.volume = 1.0
        self.bank = SoundBank() if bank is None else bank

    def play(
        self,
        name: str,
        *,
        volume: float = 1.0,
        position: Sequence[float] | None = None,
        caption: str | None = None,
    ) -> None:
        """Check that a sound exists; play nothing.

        Args:
            name: name of a sound, or path of a sound file in the project.
            volume: unused.
            position: unused.
            caption: unused.

        Raises:
            ValueError: there is no such sound, or the file cannot be played.
        """
        self.bank.file_of(name)

    def voice(self, clip: AudioClip, *, loops: bool) -> Voice | None:
        """Return None: there is no audible output."""
        return None

    def forget(self, file: Path) -> None:
        """Do nothing: there is no cache."""


def nearness_of(view: CameraView, position: Sequence[float]) -> float:
    """Return the loudness factor of a sound, which depends on its distance from the camera.

    The factor is 1 as long as the sound is no farther away than the camera's target. Beyond that
    distance it falls with 1 / distance.

    Args:
        view: camera view of the listener.
        position: place of the sound in the world, metres.
    """
    away = float(np.linalg.norm(np.array([float(value) for value in position]) - view.position))
    return min(1.0, view.distance / max(away, 1e-6))


def direction_of(view: CameraView, position: Sequence[float]) -> Direction:
    """Return the direction of a sound from the listener: left or right as seen in the picture.

    Args:
        view: camera view of the listener.
        position: place of the sound in the world, metres.

    Returns:
        Unit vector: right, ahead, and up, which is always 0.
    """
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


SUFFIXES: Final = (".wav", ".ogg", ".flac")
LARGEST: Final = 256 * 2**20  # bytes
WAV_KINDS: Final = (1, 3, 0xFFFE)  # whole numbers, floats, and either with a longer header
VORBIS: Final = b"\x01vorbis"
PAGE: Final = b"OggS"


class SoundError(GoishiError, ValueError):
    """A sound's file cannot be used; the message says what was expected and found."""


def sound_seconds(project: Path, path: str) -> float:
    """Return the duration of a sound file in seconds.

    Args:
        project: the project's folder.
        path: project-relative POSIX path of the file.

    Raises:
        SoundError: it is outside the project, missing, too large, or no sound.
    """
    try:
        file = resolve_in_project(project, path)
        if file.suffix.lower() not in SUFFIXES:
            raise SoundError(f"expected a file of {', '.join(SUFFIXES)}, found {path!r}")
        size = file.stat().st_size
        if size > LARGEST:
            raise SoundError(f"expected at most {LARGEST} bytes, found {size} in {path}")
        data = read_regular(file, LARGEST)
    except SoundError:
        raise
    except ValueError as error:
        raise SoundError(f"expected {error}, found {path!r}") from None
    except OSError as error:
        raise SoundError(f"expected a sound, found {path}: {error.strerror}") from None
    read = {".wav": _of_wav, ".ogg": _of_ogg, ".flac": _of_flac}[file.suffix.lower()]
    try:
        seconds = read(data)
    except (struct.error, IndexError, ZeroDivisionError):
        seconds = 0.0
    if seconds <= 0.0:
        kind = file.suffix.lower().removeprefix(".").upper()
        other = content_kind(data)
        found = other if other and kind not in other.upper() else "none"
        raise SoundError(f"expected a sound in a {kind} file, found {found} in {path}")
    return seconds


def _of_wav(data: bytes) -> float:
    """Return the duration of a WAV file's content in seconds; 0 if it is not a WAV file."""
    if data[:4] != b"RIFF" or data[8:12] != b"WAVE":
        return 0.0
    at, bytes_a_second = 12, 0
    while at + 8 <= len(data):
        name, size = data[at : at + 4], struct.unpack_from("<I", data, at + 4)[0]
        if name == b"fmt " and struct.unpack_from("<H", data, at + 8)[0] in WAV_KINDS:
            bytes_a_second = struct.unpack_from("<I", data, at + 16)[0]
        elif name == b"data":
            return float(min(size, len(data) - at - 8) / bytes_a_second)
        at += 8 + size + size % 2
    return 0.0


def _of_ogg(data: bytes) -> float:
    """Return the duration of an Ogg Vorbis file's content in seconds; 0 if it is none."""
    head, last = data.find(VORBIS, 0, 128), data.rfind(PAGE)
    if data[:4] != PAGE or head < 0 or last <= 0:
        return 0.0
    rate = struct.unpack_from("<I", data, head + 12)[0]
    samples = struct.unpack_from("<q", data, last + 6)[0]  # played by the end of the last page
    return float(samples / rate)


def _of_flac(data: bytes) -> float:
    """Return the duration of a FLAC file's content in seconds; 0 if it is not a FLAC file."""
    if data[:4] != b"fLaC" or len(data) < 26:
        return 0.0
    packed = int.from_bytes(data[18:26])  # rate: 20 bits, channels: 3, bits: 5, samples: 36
    return float((packed & (2**36 - 1)) / (packed >> 44))
