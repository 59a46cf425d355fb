"""The component `sim:Sound`: a sound that comes from an object's position."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Final

import numpy as np

from base.errors import FieldError
from base.language.wording import tr
from base.spelling import one_of
from sim.core.audio.sound_bank import (
    AHEAD,
    RATE,
    SUFFIXES,
    AudioClip,
    Direction,
    SoundError,
    Voice,
    sound_seconds,
)
from sim.core.audio.sound_track import words_of
from sim.core.geometry.camera_pose import CameraPose
from sim.core.scene.fields import field
from sim.core.script.script import Script, action
from sim.core.script.signals import signal

LEAST_HEARD: Final = 0.02  # loudness of a sound that a caption names
FADE: Final = 0.8  # fraction of the largest distance at which the fade-out starts


class Sound(Script):
    """A sound that comes from its object: a sound file, or a synthesised sound of the project.

    Playback advances with scene time. It therefore ends at the same time with and without audio
    output or graphics. The signal `finished` is emitted at the clip's end, unless it loops.
    """

    clip: str = field("", help=tr("A .wav, .ogg or .flac of the project, or the name of a sound"))
    volume: float = field(1.0, min=0.0, max=1.0)
    pitch: float = field(
        1.0, min=0.1, max=4.0, help=tr("How fast it is played: 2 is an octave higher")
    )
    loop: bool = field(False, help=tr("Repeat it"))
    play_on_start: bool = field(True, help=tr("Play as soon as the object is enabled"))
    positional: bool = field(True, help=tr("Heard from where the object is, quieter with distance"))
    min_distance: float = field(
        10.0, min=0.01, max=10_000.0, unit="m", help=tr("Distance up to which it is at full volume")
    )
    max_distance: float = field(
        200.0, min=0.02, max=100_000.0, unit="m", help=tr("Distance beyond which it is silent")
    )
    mute: bool = field(False, help=tr("The sound plays on, but is not heard"))
    caption: str = field(
        "", help=tr("What sounds, for users who read captions; empty for the clip's name")
    )

    finished = signal()

    def __init__(self) -> None:
        self._voice: Voice | None = None
        self._seconds = 0.0
        self._elapsed = 0.0
        self._is_playing = False
        self._chosen: tuple[str, bool] = ("", False)
        self._variant = 0
        self._told = ""  # caption that is shown now

    @property
    def playing(self) -> bool:
        """Whether it is playing, audible or not."""
        return self._is_playing

    @property
    def elapsed(self) -> float:
        """Playback position: seconds from the clip's start; starts again at each repetition."""
        return self._elapsed

    @property
    def duration(self) -> float:
        """Duration of the clip in seconds at pitch 1; 0 without a clip."""
        return self._seconds

    @action
    def play(self) -> None:
        """Play the clip from its start; do nothing if `clip` is empty.

        Raises:
            FieldError: `clip` names neither a valid sound file nor a synthesised sound.
        """
        self._take_clip()
        self.stop()
        if self._seconds <= 0.0:
            return
        self._is_playing = True
        if not self.time.instant:
            bank = self.sound.bank
            variants = bank.kind(self.clip).variants if self.clip in bank.names else 1
            self._variant = int(self.rng.integers(variants))
            self._open()

    @action
    def stop(self) -> None:
        """Stop without emitting `finished`."""
        self._is_playing, self._elapsed = False, 0.0
        self._close()

    def renew(self) -> None:
        """Reload the clip's file after it was saved; playback continues at the same time.

        Raises:
            FieldError: the file is no valid sound; the old clip keeps playing.
        """
        self._seconds = self._length()
        self._elapsed = min(self._elapsed, self._seconds)
        self._close()
        if self._is_playing and not self.time.instant:
            self._open()

    # -- hooks --------------------------------------------------------------------------------

    def awake(self) -> None:
        """Check the fields and read the clip's duration."""
        self._check_distances()
        self._take_clip()

    def enable(self) -> None:
        """Start playing if `play_on_start` is set."""
        if self.play_on_start:
            self.play()

    def validate(self) -> None:
        """Apply edited fields; a new clip starts playing if the old one was playing.

        Raises:
            FieldError: a field is invalid; the sound goes on as it was.
        """
        was_playing = self._is_playing
        self._check_distances()
        if self._chosen == (self.clip, self.loop):
            return
        self._take_clip()
        self.stop()
        if was_playing:
            self.play()

    def late_update(self, dt: float) -> None:
        """Advance playback; update volume and direction from the object's and camera's position."""
        if not self._is_playing:
            return
        if self.time.instant:
            self._close()
            self._elapsed = self._seconds
        else:
            self._elapsed += dt * self.pitch
        if self._elapsed < self._seconds:
            self._adjust()
        elif self.loop:
            self._elapsed %= self._seconds
            self._adjust()
        else:
            self._is_playing, self._elapsed = False, 0.0
            self._tell("")
            self._voice = None  # it rings out
            self.finished.emit()

    def disable(self) -> None:
        """Stop playing."""
        self.stop()

    # -- clip and voice -----------------------------------------------------------------------

    def _check_distances(self) -> None:
        if self.max_distance <= self.min_distance:
            expected = f"more than min_distance, {self.min_distance:g} m"
            found = f"{self.max_distance:g} m"
            raise FieldError("Sound.max_distance", expected=expected, found=found)

    def _take_clip(self) -> None:
        if self._chosen != (self.clip, self.loop):
            self._seconds = self._length()
            self._chosen = (self.clip, self.loop)

    def _length(self) -> float:
        if not self.clip:
            return 0.0
        bank = self.sound.bank
        if self.clip in bank.names:
            with contextlib.suppress(ValueError):
                return len(bank.samples(self.clip)) / RATE
        if "." not in self.clip:
            expected = f"a file of {', '.join(SUFFIXES)}, or {one_of(bank.names, self.clip)}"
            raise FieldError("Sound.clip", expected=expected, found=repr(self.clip))
        try:
            with self.scene.uncounted():
                return sound_seconds(self.scene.project, self.clip)
        except SoundError as error:
            expected, _, found = str(error).removeprefix("expected ").rpartition(", found ")
            raise FieldError("Sound.clip", expected=expected, found=found) from None

    def _open(self) -> None:
        is_made = self.clip in self.sound.bank.names
        file = None if is_made else self.scene.project / self.clip
        clip = AudioClip(self.clip if is_made else "", self._variant, file)
        with self.scene.uncounted():
            self._voice = self.sound.voice(clip, loops=self.loop)
        self._adjust()
        if self._voice is not None:
            self._voice.start(self._elapsed)

    def _close(self) -> None:
        self._tell("")
        if self._voice is not None:
            self._voice.stop()
            self._voice = None

    def _tell(self, words: str) -> None:
        """Show a caption as long as the sound is heard; "" when it no longer is."""
        if words != self._told:
            self._told = words
            self.sound.caption(words, self.slot.id)

    def _adjust(self) -> None:
        is_told = self.sound.reads_captions
        if not is_told:
            self._tell("")
        if self._voice is None and not is_told:
            return
        loudness, direction = 1.0, AHEAD
        if self.positional:
            eye, place = self.scene.camera.view.eye, self.object.transform.world_position
            loudness, direction = heard(eye, place, self.min_distance, self.max_distance)
        volume = 0.0 if self.mute else self.volume * loudness
        is_held = bool(self.slot.host.clock.paused)
        if is_told:
            is_heard = volume >= LEAST_HEARD and not is_held
            self._tell((self.caption or words_of(self.clip)) if is_heard else "")
        if self._voice is not None:
            self._voice.adjust(
                volume=volume, pitch=self.pitch, direction=direction, is_held=is_held
            )


def heard(
    eye: CameraPose, place: Sequence[float], nearest: float, farthest: float
) -> tuple[float, Direction]:
    """Return how loud a sound is at the listener and from which direction it comes.

    Args:
        eye: pose of the listener.
        place: world position of the sound, metres.
        nearest: distance in metres up to which it has full loudness; beyond, loudness falls with 1
            / distance.
        farthest: distance in metres beyond which it is silent.

    Returns:
        Loudness, 0 to 1, and a unit vector with the listener's right, ahead and up.
    """
    away = np.array([float(value) for value in place]) - eye.position
    distance = float(np.linalg.norm(away))
    loudness = min(1.0, nearest / max(distance, 1e-9))
    fading = max(nearest, FADE * farthest)
    loudness *= float(np.clip((farthest - distance) / max(farthest - fading, 1e-9), 0.0, 1.0))
    own = eye.matrix[:3, :3] @ away / max(distance, nearest)
    own = own + np.array([0.0, 1.0 - float(np.linalg.norm(own)), 0.0])  # too near: no direction
    own = own / max(float(np.linalg.norm(own)), 1e-9)
    right, ahead, up = (float(value) for value in own)
    return loudness, (right, ahead, up)
