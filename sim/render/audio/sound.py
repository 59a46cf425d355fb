"""Sound through Panda3D's audio manager (OpenAL); silent without a loudspeaker."""

from __future__ import annotations

import contextlib
import inspect
import logging
import os
import sys
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from base.closed import Closed
from base.files import atomic_write
from base.modules import SOURCE
from sim.core.audio.sound_bank import (
    AHEAD,
    AudioBackend,
    AudioClip,
    Direction,
    NullSound,
    SoundBank,
    SoundKind,
    Uncaptioned,
    direction_of,
    nearness_of,
    to_wav,
)
from sim.core.scene.scene_camera import SceneCamera

if TYPE_CHECKING:
    from panda3d.core import AudioManager, AudioSound, Filename

log = logging.getLogger(__name__)

UPDATE_SECONDS = 0.02  # between two looks after the sounds that are played
LIBRARY = "p3openal_audio"


class Speaker(Uncaptioned):
    """Plays sounds of the sound bank; the pitch of repeated sounds varies by up to 3 percent.

    The variation has a random generator of its own. Playing sounds therefore changes no other
    random numbers.

    Attributes:
        muted: whether sound is off. A change is reported to the function that `open_speaker` was
            given for it.
        volume: factor on the loudness of all sounds, 0 to 1.
        bank: the sounds that can be played by name.
    """

    __slots__ = (
        "_audio", "_camera", "_folder", "_muted", "_on_mute", "_rng", "_sounds", "_updated_at",
        "_voices", "bank", "volume",
    )  # fmt: skip

    def __init__(
        self,
        audio: AudioManager,
        folder: Path,
        *,
        camera: SceneCamera,
        bank: SoundBank,
        muted: bool = False,
        on_mute: Callable[[bool], None] | None = None,
        seed: int = 0,
    ) -> None:
        self.bank = bank
        self.volume = 1.0
        self._audio = audio
        self._folder = folder
        self._camera = camera
        self._muted = muted
        self._on_mute = on_mute
        self._rng = np.random.default_rng(seed)
        self._sounds: dict[tuple[SoundKind, int], AudioSound] = {}
        self._voices: list[SpeakerVoice] = []
        self._updated_at = -1.0

    @property
    def muted(self) -> bool:
        """Whether sound is off."""
        return self._muted

    @muted.setter
    def muted(self, value: bool) -> None:
        if value != self._muted:
            self._muted = value
            if self._on_mute is not None:
                self._on_mute(value)

    def play(
        self,
        name: str,
        *,
        volume: float = 1.0,
        position: Sequence[float] | None = None,
        caption: str | None = None,
    ) -> None:
        """Play a sound once; nothing is heard while muted.

        Args:
            name: name of a sound, or path of a .wav, .ogg or .flac file in the project.
            volume: loudness, 0 to 1.
            position: where the sound is in the scene, metres; None for straight ahead at full
                loudness.
            caption: unused.

        Raises:
            ValueError: there is no such sound, or the file cannot be played.
        """
        file = self.bank.file_of(name)
        if file is not None:
            self._play_file(file, volume, position)
            return
        variants = self.bank.kind(name).variants
        variant = int(self._rng.integers(variants))
        volume = min(1.0, volume) * self.volume
        if self._muted or volume <= 0.0:
            return
        sound = self._sound(name, variant)
        near = 1.0 if position is None else nearness_of(self._camera.view, position)
        sound.set_volume(volume * near)
        place_sound(sound, AHEAD if position is None else direction_of(self._camera.view, position))
        if variants > 1:
            sound.set_play_rate(float(self._rng.uniform(0.97, 1.03)))
        sound.play()
        self._audio.update()

    def _play_file(self, file: Path, volume: float, position: Sequence[float] | None) -> None:
        if self._muted or volume <= 0.0:
            return
        near, direction = 1.0, AHEAD
        if position is not None:
            view = self._camera.view
            near, direction = nearness_of(view, position), direction_of(view, position)
        voice = self.voice(AudioClip("", 0, file), loops=False)
        voice.adjust(volume=min(1.0, volume) * near, pitch=1.0, direction=direction, is_held=False)
        voice.start(0.0)

    def voice(self, clip: AudioClip, *, loops: bool) -> SpeakerVoice:
        """Return a new playback of a clip, which is not started yet.

        Args:
            clip: a sound of the bank or a sound file.
            loops: whether it begins again when it reaches its end.

        Returns:
            The playback. It is silent if the clip's file cannot be read.
        """
        file = clip.file
        if file is None:
            file = cached_wav(self._folder, self.bank, clip.name, clip.variant)
        sound = self._audio.get_sound(_panda_path(file))
        sound.set_loop(loops)
        voice = SpeakerVoice(self, sound)
        self._voices.append(voice)
        return voice

    def forget(self, file: Path) -> None:
        """Drop a file from the cache, so that the next playback reads it again."""
        self._audio.uncache_sound(_panda_path(file))

    def look_after(self) -> None:
        """Update the audio library and free ended playbacks; does so at most 50 times a second."""
        now = time.perf_counter()
        if now - self._updated_at >= UPDATE_SECONDS:
            self._updated_at = now
            self._audio.update()
            self._voices = [voice for voice in self._voices if not voice.is_over]

    def close(self) -> None:
        """Stop all sounds and close the audio output."""
        for voice in self._voices:
            voice.stop()
        self._voices.clear()
        self._sounds.clear()
        self._audio.shutdown()

    def _sound(self, name: str, variant: int) -> AudioSound:
        key = (self.bank.kind(name), variant)  # another one after a reload
        if key not in self._sounds:
            path = cached_wav(self._folder, self.bank, name, variant)
            self._sounds[key] = self._audio.get_sound(_panda_path(path))
        return self._sounds[key]


class SpeakerVoice(Closed):
    """Playback of one sound clip; it plays to its end even if this object is garbage-collected."""

    __slots__ = ("_is_held", "_is_started", "_sound", "_speaker")

    def __init__(self, speaker: Speaker, sound: AudioSound) -> None:
        self._speaker = speaker
        self._sound = sound
        self._is_started = False
        self._is_held = False

    @property
    def is_over(self) -> bool:
        """Whether playback has ended; False before the start and while paused."""
        has_begun = self._is_started and not self._is_held
        return has_begun and self._sound.status() != self._sound.PLAYING

    def start(self, at: float) -> None:
        """Start playing.

        Args:
            at: position in the clip where playback begins, seconds.
        """
        self._is_started = True
        self._sound.set_time(at)
        if not self._is_held:
            self._sound.play()

    def stop(self) -> None:
        """Stop playback permanently."""
        self._is_started, self._is_held = True, False
        self._sound.stop()

    def adjust(self, *, volume: float, pitch: float, direction: Direction, is_held: bool) -> None:
        """Set loudness, speed and direction, and pause or resume.

        Args:
            volume: loudness, 0 to 1.
            pitch: factor of the playback speed; 1 for the recorded pitch.
            direction: unit vector to the sound: right, ahead and up of the listener.
            is_held: whether playback is paused.
        """
        volume = 0.0 if self._speaker.muted else volume * self._speaker.volume
        self._sound.set_volume(volume)
        self._sound.set_play_rate(pitch)
        place_sound(self._sound, direction)
        if is_held != self._is_held:
            self._hold(is_held)
        self._speaker.look_after()

    def _hold(self, is_held: bool) -> None:
        self._is_held = is_held
        if not self._is_started:
            return
        if is_held:
            at = self._sound.get_time()
            self._sound.stop()
            self._sound.set_time(at)  # from where `play` goes on
        else:
            self._sound.play()


def place_sound(sound: AudioSound, direction: Direction) -> None:
    """Set the direction from which a sound is heard; the listener is at the origin.

    Args:
        sound: the sound.
        direction: unit vector to the sound: right, ahead and up of the listener.
    """
    sound.set_3d_attributes(*direction, 0.0, 0.0, 0.0)


def open_speaker(
    folder: Path,
    *,
    camera: SceneCamera,
    bank: SoundBank,
    muted: bool = False,
    on_mute: Callable[[bool], None] | None = None,
    seed: int = 0,
) -> AudioBackend:
    """Open the audio output; return a silent backend if there is no audio device.

    Args:
        folder: folder that caches the synthesised sounds, as WAV files.
        camera: camera at which the listener is.
        bank: the sounds that scripts can play by name.
        muted: start with sound off.
        on_mute: called with the new state when sound is switched on or off.
        seed: random seed of the variation between repeated sounds.
    """
    try:
        for name in bank.names:
            with contextlib.suppress(ValueError):  # which the bank has told
                for variant in range(bank.kind(name).variants):
                    cached_wav(folder, bank, name, variant)
        audio = _open_audio()
    except OSError as error:
        log.info("no sound: %s", error)
        return NullSound(bank)
    if audio is None:
        return NullSound(bank)
    return Speaker(audio, folder, camera=camera, bank=bank, muted=muted, on_mute=on_mute, seed=seed)


def cached_wav(folder: Path, bank: SoundBank, name: str, variant: int) -> Path:
    """Return the cached WAV file of a sound of the bank; synthesise it if it is missing.

    Args:
        folder: folder of the cache.
        bank: the sounds.
        name: name of the sound in the bank.
        variant: index of the variant, for sounds that have several.

    Raises:
        OSError: the file cannot be written.
        ValueError: there is no such sound.
    """
    path = folder / _name_in_cache(bank.kind(name), name, variant)
    if not path.exists():
        samples = bank.samples(name, variant)  # a sound that fails is silent from then on
        path = folder / _name_in_cache(bank.kind(name), name, variant)
        folder.mkdir(parents=True, exist_ok=True)
        atomic_write(path, to_wav(samples))
    return path


def _name_in_cache(kind: SoundKind, name: str, variant: int) -> str:
    """Return the name of a sound's file; another one where its module has another text.

    Projects may have sounds of the same name, and a module may be reloaded.

    Args:
        kind: the sound.
        name: its name in the bank.
        variant: index of the variant.
    """
    make: Any = inspect.unwrap(kind.make)
    home = getattr(make, "__code__", None)
    text = getattr(make, "__globals__", {}).get(SOURCE, b"") if make is not kind.make else b""
    source = zlib.crc32(text, zlib.crc32(str(getattr(home, "co_filename", "")).encode()))
    return f"{name}_{variant}_v{kind.version}_{source:08x}.wav"


def _open_audio() -> AudioManager | None:
    """Return Panda3D's audio manager, None where no device can be opened."""
    from panda3d.core import AudioManager, load_prc_file_data

    load_prc_file_data("goishi-sound", f"audio-library-name {LIBRARY}\nnotify-level-audio fatal\n")
    os.environ.setdefault("ALSOFT_LOGLEVEL", "0")
    with _quiet_stderr():
        audio = AudioManager.create_AudioManager()
    return audio if audio.is_valid() else None


@contextlib.contextmanager
def _quiet_stderr() -> Iterator[None]:
    """Discard what the sound libraries, written in C, print to stderr during the block."""
    try:
        sys.stderr.flush()
        kept = os.dup(2)
    except OSError:
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def _panda_path(path: Path) -> Filename:
    from panda3d.core import Filename

    return Filename.from_os_specific(os.fsencode(path))
