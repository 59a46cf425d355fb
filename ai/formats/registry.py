"""The list of game file formats; reads and writes files in the format that fits.

The format is recognised by the beginning of a file or by its suffix.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ai.formats import game_text, psq, sgf
from ai.formats.source import GameFileError, read_bytes
from ai.formats.written import WrittenGame
from base.files import atomic_write

_HEAD: Final = 256  # bytes that tell a format


@dataclass(frozen=True, slots=True)
class GameFormat:
    """One format of game files.

    Attributes:
        suffix: suffix of its files, with the dot.
        title: name shown to people.
        begin: pattern that matches the beginning of its files.
        read: function that returns the games of a file; called with the file's name and content.
        write: function that returns games as text; called with the games and the file's name.
        lost: function that returns the names of the parts of a game that the format cannot hold.
        holds_several: whether a file can hold more than one game.
    """

    suffix: str
    title: str
    begin: re.Pattern[str]
    read: Callable[[str, bytes], list[WrittenGame]]
    write: Callable[[Sequence[WrittenGame], str], str]
    lost: Callable[[WrittenGame], tuple[str, ...]]
    holds_several: bool = True


FORMATS: Final = (
    GameFormat(".sgf", "SGF", sgf.BEGIN, sgf.read, sgf.write, sgf.lost),
    GameFormat(".psq", "Piskvork", psq.BEGIN, psq.read, psq.write, psq.lost, holds_several=False),
    GameFormat(
        ".txt", "game text", game_text.BEGIN, game_text.read, game_text.write, game_text.lost
    ),
)
"""All formats; the one that keeps most parts of a game comes first."""
GAME_SUFFIXES: Final = tuple(item.suffix for item in FORMATS)
"""Suffixes of game files: ".sgf", ".psq", ".txt"."""


def is_game_file(path: Path) -> bool:
    """Return whether a path has the suffix of a game file."""
    return path.suffix.lower() in GAME_SUFFIXES


def format_named(path: Path) -> GameFormat:
    """Return the format with a file's suffix.

    Raises:
        GameFileError: no format has this suffix.
    """
    found = next((item for item in FORMATS if item.suffix == path.suffix.lower()), None)
    if found is None:
        raise GameFileError(
            f"{path}: expected a name that ends in {', '.join(GAME_SUFFIXES)}, found {path.name!r}"
        )
    return found


def read_game_file(path: Path) -> list[WrittenGame]:
    """Return the games of a file, in order, at least one.

    The format is found by the file's beginning, else by its suffix.

    Raises:
        GameFileError: it is no game file, or an invalid one; says where and why.
    """
    return read_games_text(path, read_bytes(path))


def read_games_text(path: Path, content: bytes) -> list[WrittenGame]:
    """Return the games in the content of a file, as `read_game_file` does.

    Raises:
        GameFileError: it is no game file, or an invalid one; says where and why.
    """
    head = content[:_HEAD].removeprefix(b"\xef\xbb\xbf").decode("latin-1")
    found = next((item for item in FORMATS if item.begin.match(head)), None)
    return (found or format_named(path)).read(str(path), content)


def write_game_file(path: Path, games: Sequence[WrittenGame]) -> tuple[str, ...]:
    """Write games to a file in the format of its suffix, replacing an existing file atomically.

    Returns:
        Names of what the format cannot hold, such as "comments"; () if nothing is lost.

    Raises:
        GameFileError: the format cannot hold the games.
        OSError: the file cannot be written.
    """
    kind = format_named(path)
    atomic_write(path, kind.write(games, path.name))
    lost = [name for game in games for name in kind.lost(game)]
    return tuple(dict.fromkeys(lost))
