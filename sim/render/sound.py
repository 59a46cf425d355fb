"""Sound through Panda3D's audio manager (OpenAL); silent where there is no loudspeaker."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sim.core.scene_camera import SceneCamera
from sim.core.sound_bank import (
    SOUNDS,
    VERSION,
    NullSound,
    SoundDoor,
    check_name,
    to_wav,
    variants_of,
)

log = logging.getLogger(__name__)

WIDTH = 12.0  # metres to the side at which a sound is wholly left or right…
WIDEST = 0.7  # …or nearly so
LIBRARY = "p3openal_audio"


class Speaker:
    """Plays the sounds of the bank; a sound that repeats varies in pitch, by its own seed.

    Attributes:
        muted: nothing is heard; `on_mute` is told when it changes.
    """

    def __init__(
        self,
        audio: Any,
        folder: Path,
        *,
        camera: SceneCamera,
        muted: bool = False,
        on_mute: Callable[[bool], None] | None = None,
        seed: int = 0,
    ) -> None:
        self._audio = audio
        self._folder = folder
        self._camera = camera
        self._muted = muted
        self._on_mute = on_mute
        self._rng = np.random.default_rng(seed)
        self._sounds: dict[tuple[str, int], Any] = {}

    @property
    def muted(self) -> bool:
        """Whether nothing is heard."""
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
    ) -> None:
        """Play a sound of the bank.

        Raises:
            ValueError: there is no such sound.
        """
        check_name(name)
        variant = int(self._rng.integers(variants_of(name)))
        if self._muted or volume <= 0.0:
            return
        sound = self._sound(name, variant)
        sound.set_volume(min(1.0, volume) * (1.0 if position is None else self._nearness(position)))
        sound.set_balance(0.0 if position is None else self._balance(position))
        if variants_of(name) > 1:
            sound.set_play_rate(float(self._rng.uniform(0.97, 1.03)))
        sound.play()
        self._audio.update()

    def close(self) -> None:
        """Be silent."""
        self._sounds.clear()
        self._audio.shutdown()

    def _sound(self, name: str, variant: int) -> Any:
        key = (name, variant)
        if key not in self._sounds:
            path = cached_wav(self._folder, name, variant)
            self._sounds[key] = self._audio.get_sound(_panda_path(path))
        return self._sounds[key]

    def _nearness(self, position: Sequence[float]) -> float:
        """Return how loud a place is: 1 up to where the camera looks, by 1/distance beyond."""
        view = self._camera.view
        away = float(np.linalg.norm(np.array([float(value) for value in position]) - view.position))
        return min(1.0, view.distance / max(away, 1e-6))

    def _balance(self, position: Sequence[float]) -> float:
        away = np.array([float(value) for value in position]) - self._camera.view.target
        return float(np.clip(away @ np.array(self._camera.view.right) / WIDTH, -WIDEST, WIDEST))


def open_speaker(
    folder: Path,
    *,
    camera: SceneCamera,
    muted: bool = False,
    on_mute: Callable[[bool], None] | None = None,
    seed: int = 0,
) -> SoundDoor:
    """Return the machine's loudspeaker, or silence where there is none.

    Args:
        folder: where the made sounds are kept, as WAV files.
        camera: says what is left and right.
        muted: begin without sound.
        on_mute: called when somebody mutes or unmutes.
        seed: of the small differences between repeated sounds.
    """
    try:
        for name in SOUNDS:
            for variant in range(variants_of(name)):
                cached_wav(folder, name, variant)
        audio = _open_audio()
    except OSError as error:
        log.info("no sound: %s", error)
        return NullSound()
    if audio is None:
        return NullSound()
    return Speaker(audio, folder, camera=camera, muted=muted, on_mute=on_mute, seed=seed)


def cached_wav(folder: Path, name: str, variant: int) -> Path:
    """Return the file of a sound, made where it is not there yet.

    Raises:
        OSError: it cannot be written.
    """
    path = folder / f"{name}_{variant}_v{VERSION}.wav"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
        temporary.write_bytes(to_wav(SOUNDS[name](variant)))
        os.replace(temporary, path)
    return path


def _open_audio() -> Any:
    """Return Panda3D's audio manager, None where no device can be opened."""
    from panda3d.core import AudioManager, load_prc_file_data

    load_prc_file_data("goishi-sound", f"audio-library-name {LIBRARY}\nnotify-level-audio fatal\n")
    os.environ.setdefault("ALSOFT_LOGLEVEL", "0")
    with _quiet_stderr():
        audio = AudioManager.create_AudioManager()
    return audio if audio.is_valid() else None


@contextlib.contextmanager
def _quiet_stderr() -> Iterator[None]:
    """Keep the sound libraries, which are written in C, from filling the terminal."""
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


def _panda_path(path: Path) -> Any:
    from panda3d.core import Filename

    return Filename.from_os_specific(str(path))


__all__ = ["Speaker", "cached_wav", "open_speaker"]
