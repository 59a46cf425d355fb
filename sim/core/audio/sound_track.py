"""The sound track of a film: the sounds played while it was recorded, mixed into a WAV file."""

from __future__ import annotations

import functools
import wave
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from base.closed import Closed
from base.files import atomic_file
from sim.core.audio.sound_bank import (
    AHEAD,
    RATE,
    AudioBackend,
    AudioClip,
    Direction,
    Samples,
    SoundBank,
    Voice,
    direction_of,
    nearness_of,
)
from sim.core.geometry.camera_pose import CameraView

BLOCK: Final = 10 * RATE  # samples that are mixed at a time
FADE: Final = RATE // 30  # samples in which loudness changes: no clicks
LOUDNESS: Final = 0.8  # volume of one sound; sums of many are compressed below 1
SCALES: Final = {1: 2.0**7, 2: 2.0**15, 4: 2.0**31}


class Listener(Protocol):
    """The scene's camera, as the place from which sounds are heard."""

    @property
    def view(self) -> CameraView:
        """The present camera view."""


@dataclass(frozen=True)
class AudioEvent:
    """Volume and pitch of one sound from a certain time of the film until its next event.

    Attributes:
        at: time in the film, seconds.
        left, right: loudness of the left and right channel, 0 to 1.
        pitch: speed factor; 0 while the sound is paused.
    """

    at: float
    left: float
    right: float
    pitch: float


@dataclass
class Part:
    """One sound in the film.

    Attributes:
        samples: `[n]`, one channel, `RATE` per second.
        loops: whether it repeats.
        begin: index of the sample at which it starts; may be fractional.
        moments: its changes of volume and pitch in order of time; the first is its beginning.
        end: time in the film when it was stopped, seconds; None if it plays to its end.
    """

    samples: Samples
    loops: bool = False
    begin: float = 0.0
    moments: list[AudioEvent] = field(default_factory=list)
    end: float | None = None


class SoundTrack:
    """Collects the sounds of a film with their times and mixes them into a file.

    Attributes:
        parts: the sounds.
        left_out: names of sound files that could not be read for mixing.
    """

    def __init__(self) -> None:
        self.parts: list[Part] = []
        self.left_out: set[str] = set()

    def write(self, path: Path, seconds: float) -> None:
        """Write the sounds as a WAV file of two channels and 16 bits.

        Args:
            path: file to write.
            seconds: exact length of the file.

        Raises:
            OSError: it cannot be written.
        """
        count = round(seconds * RATE)
        tracks = [_heard(part, count) for part in self.parts]
        with atomic_file(path) as new, new.open("wb") as raw, wave.open(raw, "wb") as file:
            file.setnchannels(2)
            file.setsampwidth(2)
            file.setframerate(RATE)
            for first in range(0, count, BLOCK):
                mixed = np.zeros((min(BLOCK, count - first), 2))
                for begin, sound in tracks:
                    low, high = max(begin, first), min(begin + len(sound), first + len(mixed))
                    if low < high:
                        mixed[low - first : high - first] += sound[low - begin : high - begin]
                whole = np.rint(np.tanh(LOUDNESS * mixed) * 32767.0).astype("<i2")
                file.writeframes(whole.tobytes())


def _heard(part: Part, count: int) -> tuple[int, npt.NDArray[np.float32]]:
    """Render one sound as it is heard in the film.

    Args:
        part: the sound.
        count: length of the film in samples.

    Returns:
        The film's sample index at which the sound begins, and its samples `[n, 2]`: left and right.
    """
    times = [round(moment.at * RATE) for moment in part.moments]
    last = count if part.end is None else min(count, round(part.end * RATE))
    place, pieces = part.begin, []
    before = part.moments[0]
    for index, moment in enumerate(part.moments):
        is_last = index + 1 == len(part.moments)
        length = (last if is_last else min(times[index + 1], last)) - times[index]
        if length <= 0:
            continue
        if is_last and not part.loops and moment.pitch > 0.0:
            left = max(0.0, len(part.samples) - place)
            length = min(length, int(left / moment.pitch) + 1)
        steps = np.arange(length, dtype=np.float64) * moment.pitch + place
        ramp = np.minimum(1.0, np.arange(len(steps)) / FADE)[:, None]
        gains = np.array([[before.left, before.right]]) * (1.0 - ramp)
        gains = gains + np.array([[moment.left, moment.right]]) * ramp
        pieces.append((_at(part, steps)[:, None] * gains).astype(np.float32))
        place, before = place + moment.pitch * length, moment
    sound = np.concatenate(pieces) if pieces else np.zeros((0, 2), np.float32)
    return times[0], sound


def _at(part: Part, steps: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return a sound's samples at fractional indices, interpolated.

    Indices after the sound's end start again for a sound that loops; otherwise they give silence.

    Args:
        part: the sound.
        steps: `[n]` fractional sample indices.
    """
    size = len(part.samples)
    if part.loops:
        steps = steps % size
    return np.interp(steps, np.arange(size), part.samples, left=0.0, right=0.0)


def words_of(name: str) -> str:
    """Return the name of a sound, or of its file, as words for a caption."""
    return Path(name).stem.replace("_", " ")


class RecordingAudio(Closed):
    """Audio output that passes sounds on to another output and records them for a film.

    Attributes:
        door: the output that plays the sounds.
        track: sounds recorded so far; None while nothing is recorded.
        on_caption: called with the words for each sound, even while nothing is heard.
        going_on: words for the sounds that go on, by their source.
        wants_captions: returns whether somebody reads captions.
    """

    __slots__ = (
        "_camera", "_now", "_rng", "door", "going_on", "on_caption", "track", "wants_captions",
    )  # fmt: skip

    def __init__(self, door: AudioBackend, camera: Listener, seed: int = 0) -> None:
        self.door = door
        self.track: SoundTrack | None = None
        self.on_caption: Callable[[str], object] = bool
        self.going_on: dict[str, str] = {}
        self.wants_captions: Callable[[], bool] = bool
        self._camera = camera
        self._rng = np.random.default_rng(seed)
        self._now: Callable[[], float] = float

    @property
    def muted(self) -> bool:
        """Whether the output is silent."""
        return self.door.muted

    @muted.setter
    def muted(self, value: bool) -> None:
        self.door.muted = value

    @property
    def volume(self) -> float:
        """Factor on the loudness of what is heard, 0 to 1; recorded sounds keep their own."""
        return self.door.volume

    @volume.setter
    def volume(self, value: float) -> None:
        self.door.volume = value

    @property
    def bank(self) -> SoundBank:
        """The sounds that scripts can name."""
        return self.door.bank

    @bank.setter
    def bank(self, value: SoundBank) -> None:
        self.door.bank = value

    def begin(self, now: Callable[[], float]) -> None:
        """Start recording.

        Args:
            now: function that returns the present time in the film, seconds.
        """
        self.track, self._now = SoundTrack(), now

    def end(self) -> SoundTrack | None:
        """Stop recording; return the sound track, or None if no recording was running."""
        track, self.track = self.track, None
        return track

    def play(
        self,
        name: str,
        *,
        volume: float = 1.0,
        position: Sequence[float] | None = None,
        caption: str | None = None,
    ) -> None:
        """Play a sound once, and record it if a recording is running.

        Args:
            name: name of a sound, or path of a .wav, .ogg or .flac file in the project.
            volume: loudness, 0 to 1.
            position: place in the world, metres, which sets side and loudness; None for straight
                ahead.
            caption: what sounds, in words; "" for no caption, None for the sound's name.

        Raises:
            ValueError: there is no such sound, or the file cannot be played.
        """
        self.door.play(name, volume=volume, position=position)
        if volume > 0.0 and caption != "":
            self.caption(words_of(name) if caption is None else caption)
        if self.track is None or self.muted or volume <= 0.0:
            return
        file = self.bank.file_of(name)
        count = 1 if file is not None else self.bank.kind(name).variants
        variant = int(self._rng.integers(count))
        clip = AudioClip(name if file is None else "", variant, file)
        samples = clip_samples(clip, self.bank)
        if samples is None:
            self.track.left_out.add(Path(name).name)
            return
        pitch = float(self._rng.uniform(0.97, 1.03)) if count > 1 else 1.0
        direction, near = AHEAD, 1.0
        if position is not None:
            view = self._camera.view
            direction, near = direction_of(view, position), nearness_of(view, position)
        moment = moment_of(self._now(), min(1.0, volume) * near, pitch, direction)
        self.track.parts.append(Part(samples, moments=[moment]))

    def voice(self, clip: AudioClip, *, loops: bool) -> Voice | None:
        """Return a new playback of a sound, which is recorded, too.

        Args:
            clip: the sound.
            loops: whether it repeats.

        Returns:
            The playback; None if there is neither an audible output nor a recording.
        """
        inner = self.door.voice(clip, loops=loops)
        if inner is None and self.track is None:
            return None
        return TappedVoice(self, clip, inner, loops=loops)

    @property
    def reads_captions(self) -> bool:
        """Whether the user reads captions."""
        return self.wants_captions()

    def caption(self, words: str, source: str = "") -> None:
        """Show what sounds, in words, to a user who reads captions.

        Args:
            words: what sounds; "" when a sound that went on is over.
            source: id of a sound that goes on until its words are ""; "" for a short one.
        """
        if not source:
            self.on_caption(words)
        elif words:
            self.going_on[source] = words
        else:
            self.going_on.pop(source, None)

    def forget(self, file: Path) -> None:
        """Drop a file from the cache, so that the next playback reads it again."""
        samples_of.cache_clear()
        self.door.forget(file)

    @property
    def now(self) -> float:
        """Present time of the film, seconds."""
        return self._now()


class TappedVoice(Closed):
    """Playback of one sound that is also recorded for the film."""

    __slots__ = (
        "_clip", "_inner", "_is_started", "_last", "_loops", "_part", "_played", "_tap", "_track",
    )  # fmt: skip

    def __init__(
        self, tap: RecordingAudio, clip: AudioClip, inner: Voice | None, *, loops: bool
    ) -> None:
        self._tap = tap
        self._clip = clip
        self._inner = inner
        self._loops = loops
        self._part: Part | None = None
        self._track: SoundTrack | None = None
        self._played = 0.0  # position in the clip, seconds, at the last update
        self._last: AudioEvent | None = None
        self._is_started = False

    def start(self, at: float) -> None:
        """Start playing at `at` seconds of the clip."""
        self._is_started, self._played = True, at
        if self._inner is not None:
            self._inner.start(at)
        self._follow()

    def stop(self) -> None:
        """Stop for good."""
        if self._part is not None and self._track is self._tap.track:
            self._part.end = self._tap.now
        self._is_started = False
        if self._inner is not None:
            self._inner.stop()

    def adjust(self, *, volume: float, pitch: float, direction: Direction, is_held: bool) -> None:
        """Set how the sound is heard from now on, and record the change.

        Args:
            volume: loudness, 0 to 1.
            pitch: speed factor of the playback.
            direction: unit vector from the listener: right, ahead and up.
            is_held: whether playback is paused.
        """
        if self._inner is not None:
            self._inner.adjust(volume=volume, pitch=pitch, direction=direction, is_held=is_held)
        if self._tap.track is None:
            self._last = None
            return
        loud = 0.0 if self._tap.muted else volume
        now = self._tap.now
        if self._last is not None:
            self._played += (now - self._last.at) * self._last.pitch
        if is_held:
            loud = pitch = 0.0
        self._last = moment_of(now, loud, pitch, direction)
        self._follow()

    def _follow(self) -> None:
        """Add the present volume and pitch to the sound track, if they have changed.

        The sound itself is added at the first call in a recording. A file that cannot be read is
        noted in `left_out` instead.
        """
        track, last = self._tap.track, self._last
        if track is None or last is None or not self._is_started:
            return
        if track is not self._track:
            self._track, self._part = track, None
            samples = clip_samples(self._clip, self._tap.bank)
            if samples is None:
                track.left_out.add("" if self._clip.file is None else self._clip.file.name)
            else:
                self._part = Part(samples, self._loops, self._played * RATE)
                track.parts.append(self._part)
        if self._part is not None:
            known = [replace(moment, at=last.at) for moment in self._part.moments[-1:]]
            if known != [last]:
                self._part.moments.append(last)


def moment_of(at: float, volume: float, pitch: float, direction: Direction) -> AudioEvent:
    """Return the event of the sound track for a sound's present volume, pitch and direction.

    The volume is split between the left and the right channel at constant total power.

    Args:
        at: time in the film, seconds.
        volume: loudness, 0 to 1.
        pitch: speed factor of the playback.
        direction: unit vector from the listener: right, ahead and up.
    """
    side = (direction[0] + 1.0) * np.pi / 4.0
    return AudioEvent(at, float(volume * np.cos(side)), float(volume * np.sin(side)), pitch)


def clip_samples(clip: AudioClip, bank: SoundBank) -> Samples | None:
    """Return the samples of a sound: `[n]`, `RATE` per second; None for files other than PCM WAV.

    Args:
        clip: the sound.
        bank: bank in which a sound that is no file is looked up by name.
    """
    if clip.file is None:
        return bank.samples(clip.name, clip.variant)
    return samples_of(clip.file)


@functools.lru_cache(maxsize=64)
def samples_of(file: Path) -> Samples | None:
    """Return the samples of a PCM WAV file, mixed to one channel and resampled to `RATE`.

    Returns:
        Samples `[n]`, -1 to 1; None if the file cannot be read or is no PCM WAV file.
    """
    try:
        with wave.open(str(file), "rb") as source:
            channels, width, rate, count, *_ = source.getparams()
            raw = source.readframes(count)
    except (OSError, EOFError, wave.Error):
        return None
    if width not in SCALES:
        return None
    whole = np.frombuffer(raw, {1: "u1", 2: "<i2", 4: "<i4"}[width]).astype(np.float64)
    whole = (whole - 128.0 if width == 1 else whole) / SCALES[width]
    mono = whole[: len(whole) // channels * channels].reshape(-1, channels).mean(axis=1)
    if not len(mono):
        return None
    places = np.arange(round(len(mono) * RATE / rate)) * (rate / RATE)
    return np.asarray(np.interp(places, np.arange(len(mono)), mono), dtype=np.float32)
