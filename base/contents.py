"""What a file holds, judged by its first bytes: for messages about files of another kind."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from base.files import check_regular

HEAD: Final = 1024
"""Bytes of a file's beginning that suffice to tell what it is."""
LFS_POINTER: Final = "a Git LFS pointer, not the file itself (git lfs pull fetches it)"
ANNEX_POINTER: Final = "a git-annex pointer, not the file itself (git annex get fetches it)"
EMPTY: Final = "an empty file"
ZEROS: Final = "a file of zeros only"
WEB_PAGE: Final = "a web page (HTML), as servers send one in place of a file"
MARKS: Final[tuple[tuple[bytes, str], ...]] = (
    (b"DDS ", "a DDS picture"),
    (b"8BPS", "a PSD picture (Photoshop)"),
    (b"\xabKTX 20\xbb", "a KTX2 picture (convert it to PNG)"),
    (b"\xabKTX 11\xbb", "a KTX picture (convert it to PNG)"),
    (b"sB", "a Basis picture (convert it to PNG)"),
    (b"\x76\x2f\x31\x01", "an OpenEXR picture (convert it to PNG)"),
    (b"gimp xcf", "a GIMP picture (XCF; export it as PNG)"),
    (b"\x89PNG\r\n", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"II*\0", "a TIFF picture"),
    (b"MM\0*", "a TIFF picture"),
    (b"OggS", "an Ogg sound"),
    (b"fLaC", "a FLAC sound"),
    (b"ID3", "an MP3 sound"),
    (b"\xff\xfb", "an MP3 sound"),
    (b"glTF", "a glTF model"),
    (b"Kaydara FBX", "an FBX model"),
    (b"; FBX", "an FBX model"),
    (b"ply\n", "a PLY model"),
    (b"ply\r", "a PLY model"),
    (b"BLENDER", "a Blender file (export it as glTF)"),
    (b"\x89HDF", "an HDF5 file"),
    (b"\x93NUMPY", "a NumPy array"),
    (b"%PDF", "a PDF document"),
    (b"PK\x03\x04", "a packed file (ZIP)"),
    (b"\x1f\x8b", "a packed file (gzip)"),
    (b"7z\xbc\xaf", "a packed file (7z)"),
    (b"Rar!", "a packed file (RAR)"),
    (b"BZh", "a packed file (bzip2)"),
    (b"\xfd7zXZ", "a packed file (xz)"),
)
"""The first bytes of known kinds of files, and what messages call each kind."""


def stand_in(content: bytes) -> str:
    """Return in words what lies in the place of a file that was lost or never fetched.

    Args:
        content: content of the file, or at least its first `HEAD` bytes.

    Returns:
        Words such as "an empty file"; "" if the content may be a file of any kind.

    >>> stand_in(b""), stand_in(b"v 0 0 0")
    ('an empty file', '')
    """
    head = content[:HEAD]
    if not head:
        return EMPTY
    if head.startswith((b"version https://git-lfs", b"version http://git-media")):
        return LFS_POINTER
    if b"/annex/objects/" in head and head.startswith((b"/annex/", b"../", b".git/")):
        return ANNEX_POINTER
    plain = head.removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    if plain.startswith((b"<!doctype html", b"<html", b"<head", b"<body")):
        return WEB_PAGE
    return "" if head.strip(b"\0") else ZEROS


def stand_in_at(path: Path) -> str:
    """Return in words what lies in the place of a lost file; "" if it may be a file of any kind.

    Args:
        path: the file; "" is returned for one that cannot be read.
    """
    try:
        check_regular(path)
        with path.open("rb") as stream:
            return stand_in(stream.read(HEAD))
    except (OSError, ValueError):
        return ""


def content_kind(content: bytes) -> str:
    r"""Return in words what a file is, judged by its first bytes.

    Args:
        content: content of the file, or at least its first `HEAD` bytes.

    Returns:
        Words with an article; "" if it is not known.

    >>> content_kind(b"DDS |"), content_kind(b"<svg/>"), content_kind(b"abc\xff")
    ('a DDS picture', 'an SVG drawing (export it as PNG)', '')
    """
    if found := stand_in(content):
        return found
    head = content[:HEAD]
    for mark, kind in MARKS:
        if head.startswith(mark):
            return kind
    if head[:4] == b"RIFF":
        return {b"WAVE": "a WAV sound", b"WEBP": "a WebP picture"}.get(head[8:12], "")
    lower = head.lower()
    if b"<svg" in lower:
        return "an SVG drawing (export it as PNG)"
    if b"<collada" in lower:
        return "a COLLADA model"
    return ""


def in_words(name: str, content: bytes) -> str:
    r"""Return a file's name with what it holds, for the end of a message.

    Args:
        name: name of the file.
        content: content of the file, or at least its first `HEAD` bytes.

    >>> in_words("a.png", b""), in_words("b.png", b"\1\2")
    ('a.png, which is an empty file', 'b.png')
    """
    kind = content_kind(content)
    return f"{name}, which is {kind}" if kind else name
