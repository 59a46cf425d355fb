"""Files of arrays with a JSON header, the card: `.npz` files of networks, policies and positions.

A file contains arrays without pickled objects. One of them holds the bytes of the card: a JSON
object with the format and metadata. A file may come from anybody, so nothing in it is trusted.
Sizes are checked before unpacking, and each array's header is compared with its bytes. Every fault
is reported in one line.
"""

from __future__ import annotations

import io
import json
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from base.contents import stand_in_at
from base.errors import GoishiError
from base.files import atomic_write, check_regular
from base.values import JsonObject

SUFFIX: Final = ".npz"
MOST_BYTES: Final = 1 << 32
"""Default limit on the unpacked size of a file's arrays, bytes; some kinds of file have less."""

_KINDS: Final = "biuf"
"""Letters for the kinds of dtypes that an array may have: numbers and truth values."""
_MOST_HEADER: Final = 4096
_DAMAGES: Final = (
    ValueError, LookupError, TypeError, AttributeError, ArithmeticError, SyntaxError, EOFError,
    OSError, MemoryError, RuntimeError, struct.error, tokenize.TokenError, zlib.error,
    zipfile.BadZipFile,
)  # fmt: skip
"""Exceptions that reading a damaged file may raise."""

T = TypeVar("T")
Arrays: TypeAlias = dict[str, NDArray[Any]]


class CardFileError(GoishiError, ValueError):
    """A file is missing, damaged, or of another kind than expected."""


@dataclass(frozen=True, slots=True)
class CardFile:
    """One kind of `.npz` file with a JSON header (a card): its format and limits.

    Attributes:
        format: name and version, such as "goishi.policy/1"; stored on the card.
        what: description for errors of what was expected, such as "a network of move-net".
        card: name under which the card is stored in the file.
        most_bytes: maximum size of all arrays, unpacked, bytes.
    """

    format: str
    what: str
    card: str = "card"
    most_bytes: int = MOST_BYTES

    def content(self, arrays: Mapping[str, NDArray[Any]], card: Mapping[str, object]) -> bytes:
        """Return the bytes of a file; equal arrays and cards give the same bytes.

        Args:
            arrays: arrays by name.
            card: metadata as plain values; the format is added.

        Raises:
            ValueError: a value of the card is not JSON.
        """
        text = json.dumps({"format": self.format, **card}).encode()
        return packed({self.card: np.frombuffer(text, np.uint8), **arrays})

    def save(
        self, path: Path, arrays: Mapping[str, NDArray[Any]], card: Mapping[str, object]
    ) -> None:
        """Write a file atomically, replacing any that exists.

        Args:
            path: path of the file.
            arrays: arrays by name.
            card: metadata as plain values; the format is added.

        Raises:
            ValueError: a value of the card is not JSON.
            OSError: the file cannot be written.
        """
        atomic_write(path, self.content(arrays, card))

    def load(self, path: Path, build: Callable[[Arrays, JsonObject], T]) -> T:
        """Read a file and return the object that `build` creates from its arrays and card.

        Args:
            path: path of the file.
            build: called with the arrays by name and the card without its format. If they are
                invalid it raises ValueError, or any error that a missing or wrong value causes.

        Raises:
            CardFileError: the file cannot be read, is damaged, or is of another kind.
        """
        with reading(path, self.what):
            arrays = read_arrays(path, self.most_bytes)
            if self.card not in arrays:
                raise ValueError(f"no array {self.card!r}")
            card = json.loads(arrays.pop(self.card).tobytes())
            if (found := card.pop("format")) != self.format:
                raise ValueError(f"the format {found!r:.60}, not {self.format!r}")
            return build(arrays, card)


def format_of(path: Path, cards: Sequence[str] = ("card", "description")) -> str:
    """Return the format that the card of a file tells, such as "goishi.policy/1".

    Args:
        path: the file.
        cards: names under which a card may be stored.

    Raises:
        CardFileError: the file cannot be read, is damaged, or has no card.
    """
    with reading(path, "a file of arrays with a card"):
        arrays = read_arrays(path)
        found = [json.loads(arrays[name].tobytes()) for name in cards if name in arrays]
        if not found or not isinstance(found[0].get("format"), str):
            raise ValueError("no card with a format")
        return str(found[0]["format"])


@contextmanager
def reading(path: Path, what: str) -> Iterator[None]:
    """Context manager that turns any error from a damaged file into a `CardFileError` of one line.

    Args:
        path: path of the file that the block reads, for the message.
        what: what was expected, such as "a policy".

    Raises:
        CardFileError: the block raised an error that a damaged file can cause.
    """
    try:
        if path.exists() and not path.is_dir():  # to open a pipe would wait
            check_regular(path)
        yield
    except CardFileError:
        raise
    except _DAMAGES as error:
        found = stand_in_at(path) or _said(error)
        raise CardFileError(f"{path}: expected {what}, found {found}") from error


def _said(error: BaseException) -> str:
    """Return an error's message as one line of text."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    text = " ".join(str(error).split())[:300]
    return text if text and isinstance(error, ValueError) else f"{type(error).__name__}: {text}"


def require_float32(arrays: Mapping[str, NDArray[Any]]) -> None:
    """Check that arrays are float32, as those of networks are.

    Raises:
        ValueError: one has another dtype.
    """
    for name, array in arrays.items():
        if array.dtype != np.float32:
            raise ValueError(f"{name}: numbers of {array.dtype}, not float32")


def packed(arrays: Mapping[str, NDArray[Any]], *, compress: bool = True) -> bytes:
    """Return arrays as the content of an `.npz` file, without pickled objects."""
    memory = io.BytesIO()
    save = np.savez_compressed if compress else np.savez
    save(memory, allow_pickle=False, **arrays)
    return memory.getvalue()


def read_arrays(path: Path, most_bytes: int = MOST_BYTES) -> Arrays:
    """Read the arrays of an `.npz` file, by name.

    The file is not trusted. Each array must match its bytes in the file, and all together must not
    exceed the limit.

    Args:
        path: path of the file.
        most_bytes: maximum size of all arrays, unpacked, bytes.

    Raises:
        OSError: the file cannot be opened.
        ValueError: the file is damaged or of another kind. Damage can also raise the other errors
            that `reading` handles.
    """
    with path.open("rb") as file, zipfile.ZipFile(file) as stored:
        entries = stored.infolist()
        size = sum(entry.file_size for entry in entries)
        if size > most_bytes:
            raise ValueError(f"{size} bytes, more than {most_bytes}")
        found: Arrays = {}
        for entry in entries:
            if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise ValueError(f"{entry.filename}: packed in an unknown way")
            name = entry.filename.removesuffix(".npy")
            if name in found or name == entry.filename:
                raise ValueError(f"the entry {entry.filename!r:.80}, which is no array of its own")
            found[name] = _array_of(stored.read(entry), name)
        return found


def _array_of(data: bytes, name: str) -> NDArray[Any]:
    """Return the array in the content of an `.npy` file.

    Args:
        data: the content.
        name: name of the array, for errors.

    Raises:
        ValueError: the header does not match the bytes after it, or the array holds objects.
    """
    stream = io.BytesIO(data)
    version = np.lib.format.read_magic(stream)
    if version not in ((1, 0), (2, 0)):
        raise ValueError(f"{name}: an array of the version {version}")
    read = (
        np.lib.format.read_array_header_1_0
        if version == (1, 0)
        else np.lib.format.read_array_header_2_0
    )
    shape, is_fortran, kind = read(stream, max_header_size=_MOST_HEADER)
    if kind.kind not in _KINDS:
        raise ValueError(f"{name}: an array of {kind}")
    count, begin = 1, stream.tell()
    for length in shape:
        count *= length
    if min(shape, default=0) < 0 or count * kind.itemsize != len(data) - begin:
        raise ValueError(f"{name}: {len(data) - begin} bytes for {kind} of the shape {shape}")
    flat = np.frombuffer(data, kind, count, begin)
    return flat.reshape(shape, order="F" if is_fortran else "C").copy(order="K")


__all__ = [
    "MOST_BYTES",
    "SUFFIX",
    "Arrays",
    "CardFile",
    "CardFileError",
    "format_of",
    "packed",
    "read_arrays",
    "reading",
    "require_float32",
]
