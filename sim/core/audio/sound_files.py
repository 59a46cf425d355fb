"""Duration of sound files: WAV, Ogg Vorbis and FLAC. No audio output in here."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Final

from base.errors import GoishiError
from base.files import resolve_in_project

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
        data = file.read_bytes()
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
        raise SoundError(f"expected a sound in a {kind} file, found none in {path}")
    return seconds


def _of_wav(data: bytes) -> float:
    """Return seconds; 0 where it is no WAV file."""
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
    """Return seconds; 0 where it is no Ogg Vorbis file."""
    head, last = data.find(VORBIS, 0, 128), data.rfind(PAGE)
    if data[:4] != PAGE or head < 0 or last <= 0:
        return 0.0
    rate = struct.unpack_from("<I", data, head + 12)[0]
    samples = struct.unpack_from("<q", data, last + 6)[0]  # played by the end of the last page
    return float(samples / rate)


def _of_flac(data: bytes) -> float:
    """Return seconds; 0 where it is no FLAC file."""
    if data[:4] != b"fLaC" or len(data) < 26:
        return 0.0
    packed = int.from_bytes(data[18:26])  # rate: 20 bits, channels: 3, bits: 5, samples: 36
    return float((packed & (2**36 - 1)) / (packed >> 44))
