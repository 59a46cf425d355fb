"""The text of a game file, with a limit on its size, and the error that names a place in it."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NoReturn

from ai.game import NotationError
from base.files import check_regular


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
        raise GameFileError(f"{path}: expected a game file, found: {reason}") from None
    if len(content) > LARGEST:
        raise GameFileError(
            f"{path}: expected at most {LARGEST >> 20} MB, found {max(size, len(content)) >> 20} MB"
        )
    return content


_PLAIN: Final = ("utf-8", "ascii", "koi8-r", "koi8-u")
_ASIAN: Final = ("gb2312", "gbk", "gb18030", "big5", "euc_jp", "shift_jis", "euc_kr")
_ISO: Final = tuple(f"iso8859-{part}" for part in (1, 2, 5, 15))
_CODE_PAGES: Final = tuple(f"cp{page}" for page in (932, 949, 1250, 1251, 1252))
ENCODINGS: Final = frozenset((*_PLAIN, *_ASIAN, *_ISO, *_CODE_PAGES))
"""Python's names of the encodings that a game file may name, and that are guessed."""
_UTF_8: Final = "utf-8"
_MARKS: Final = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_COMMON: Final = {
    "gb18030": [(0xB0, 0xD7)],
    "cp949": [(0xB0, 0xC8)],
    "cp932": [(0x82, 0x83), (0x88, 0x97)],
    "big5": [(0xA4, 0xC6)],
    "euc_jp": [(0xA4, 0xA5), (0xB0, 0xCF)],
}
"""First bytes of the common characters of each encoding that is guessed for Asian texts."""
_MOST_LETTERS: Final = 2000
_SAMPLE: Final = 1 << 16  # bytes from which an encoding is guessed
_FOREIGN: Final = re.compile(rb"[\x80-\xff]")
_TWO_BYTES: Final = re.compile(rb"[\xc2-\xdf][\x80-\xbf]")
_THREE_BYTES: Final = re.compile(rb"[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")


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
    text, note = _decoded(content, named)
    source = SourceText(name, text, [f"{name}: {note}"] if note else [])
    control = _CONTROL.search(source.text)
    if control is not None:
        source.fail(control.start(), "text", f"the character U+{ord(control[0]):04X}")
    return source


def _decoded(content: bytes, named: str) -> tuple[str, str]:
    """Return a file's text, and a note about the encoding if it was guessed."""
    marked = [kind for mark, kind in _MARKS.items() if content.startswith(mark)]
    is_marked_wrong = named not in ("", _UTF_8) and _is_surely_utf_8(content)
    told = [] if is_marked_wrong else [named or _UTF_8]
    for encoding in (*marked, *told, _UTF_8):
        try:
            text = content.decode(encoding)
        except UnicodeDecodeError:
            continue
        is_told = encoding in (*marked, *told)
        return text, "" if is_told else f"read as UTF-8, though it names {named}"
    why = f"it is not the {named} that it names" if named else "it is not UTF-8 and names none"
    for encoding in _guesses(content):
        try:
            return content.decode(encoding), f"its encoding is guessed ({encoding}), since {why}"
        except UnicodeDecodeError:
            continue
    return content.decode("latin-1"), f"its encoding is not known, since {why}; read as latin-1"


def _is_surely_utf_8(content: bytes) -> bool:
    """Return whether bytes are UTF-8, with so much beyond ASCII that it is no coincidence."""
    try:
        content.decode(_UTF_8)
    except UnicodeDecodeError:
        return False
    long = len(_THREE_BYTES.findall(content[: 1 << 20]))
    return long >= 2 or long + len(_TWO_BYTES.findall(content[: 1 << 20])) >= 6


def _guesses(content: bytes) -> list[str]:
    """Return the encodings that fit best, the best one first.

    They are guessed from a part of the file that begins before the first byte beyond ASCII and ends
    at a semicolon or a line end, since these are no part of a character in any encoding here.
    """
    from charset_normalizer import from_bytes  # 0.1 s, and few files need it

    foreign = _FOREIGN.search(content)
    begin = 0 if foreign is None else max(0, foreign.start() - 200)
    sample = content[begin : begin + _SAMPLE]
    if begin + _SAMPLE < len(content):
        cut = max(sample.rfind(b";"), sample.rfind(b"\n"))
        sample = sample[: cut + 1] or sample
    names = sorted(codecs.lookup(name).name for name in ENCODINGS - {"ascii", _UTF_8})
    found = [match.encoding for match in from_bytes(sample, cp_isolation=names)]
    if found and found[0] not in _COMMON:
        return found
    asian = list(dict.fromkeys((*filter(_COMMON.__contains__, found), *_COMMON)))
    asian.sort(key=lambda name: -_common_share(sample, name))
    return [*asian, *found]


def _common_share(sample: bytes, encoding: str) -> float:
    """Return which share of an Asian text's characters is common, -1.0 if it is no such text.

    The encodings have their common characters in one block of first bytes.
    """
    try:
        letters = [letter for letter in sample.decode(encoding) if not letter.isascii()]
        first = [letter.encode(encoding)[0] for letter in letters[:_MOST_LETTERS]]
    except UnicodeError:
        return -1.0
    common = sum(any(low <= byte <= high for low, high in _COMMON[encoding]) for byte in first)
    return common / max(1, len(first))
