"""The text of a game file, with a limit on its size, and the error that names a place in it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NoReturn

from ai.formats.encoding import decoded
from ai.game import NotationError
from base.files import check_regular
from base.spelling import files_like


class GameFileError(NotationError):
    """A game file cannot be read, or a file format cannot hold a game."""


LARGEST: Final = 16 << 20
"""Maximum size of a game file in bytes; enough for about 80,000 games."""
LARGEST_SHOWN: Final = 1_000_000
"""Maximum size in bytes of a game file that a scene reads: a script may take two seconds."""
MOST_SHOWN: Final = 40
"""Maximum number of characters of the file that an error message quotes."""
_CONTROL: Final = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class SourceText:
    """The text of a file, and its name in error messages."""

    name: str
    text: str
    notes: list[str] = field(default_factory=list, compare=False)
    """Lines about what was guessed or left out."""

    def place(self, offset: int) -> str:
        """Return a place in the text as "name:line:column"."""
        line = self.text.count("\n", 0, offset) + 1
        column = offset - (self.text.rfind("\n", 0, offset) + 1) + 1
        return f"{self.name}:{line}:{column}"

    def note(self, offset: int, text: str) -> None:
        """Add a line about what was guessed or left out at a place in the text."""
        self.notes.append(f"{self.place(offset)}: {text}")

    def fail(self, offset: int, expected: str, found: str) -> NoReturn:
        """Raise GameFileError that names a place in the text.

        Args:
            offset: index of the first character concerned.
            expected: what should stand there.
            found: what stands there instead.
        """
        raise GameFileError(f"{self.place(offset)}: expected {expected}, found {found}")


def quoted(text: str) -> str:
    """Return a piece of a file for an error message: quoted, and cut if it is long."""
    return repr(text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}…")


def read_bytes(path: Path) -> bytes:
    """Return the content of a file.

    Raises:
        GameFileError: the file is missing, unreadable, or too large.
    """
    try:
        check_regular(path)
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
            size = path.stat().st_size
    except OSError as error:
        reason = error.strerror or type(error).__name__
        hint = files_like(path) if isinstance(error, FileNotFoundError) else ""
        raise GameFileError(f"{path}: expected a game file, found: {reason}{hint}") from None
    if len(content) > LARGEST:
        raise GameFileError(
            f"{path}: expected at most {LARGEST >> 20} MB, found {max(size, len(content)) >> 20} MB"
        )
    return content


def check_shown_size(path: Path) -> None:
    """Check that a game file is small enough for a scene to read it while it runs.

    Raises:
        GameFileError: it is too large.
    """
    try:
        size = path.stat().st_size
    except OSError:
        return  # whoever reads it says so
    if size > LARGEST_SHOWN:
        raise GameFileError(
            f"{path}: expected a game file of at most {LARGEST_SHOWN / 1e6:g} MB to show, found "
            f"{size / 1e6:.1f} MB; replay --export with --game takes one game out of it"
        )


def decode(name: str, content: bytes, named: str = "") -> SourceText:
    """Decode a file's content as it says itself, else as UTF-8, else by a guess.

    A note says what was guessed. A file that names another encoding, but is UTF-8 beyond doubt, is
    read as UTF-8.

    Args:
        name: name of the file, for error messages.
        content: the file's bytes.
        named: the encoding that the file names, one of `ENCODINGS`; "" if it names none.

    Raises:
        GameFileError: there are control characters.
    """
    text, note = decoded(content, named)
    source = SourceText(name, text, [f"{name}: {note}"] if note else [])
    control = _CONTROL.search(source.text)
    if control is not None:
        source.fail(control.start(), "text", f"the character U+{ord(control[0]):04X}")
    return source
