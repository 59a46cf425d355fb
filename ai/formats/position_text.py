"""Positions as text: drawn with a letter for each stone, as an SGF file, or as a list of moves.

A drawn position has a line of words first, then a line for each row, the far one first:

    5x5, freestyle, 3 in a row, White to move
    5 . . . . .
    4 . . O . .
    3 . . X X .
    2 . . . . .
    1 . . . . .
      a b c d e

X is Black, O is White. The line of words, the numbers and the letters may be missing.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from ai.formats import sgf
from ai.formats.builder import GameBuilder, StatedResult, StatedRules, check_size
from ai.formats.registry import FORMATS, read_games_text
from ai.formats.sgf import stated_by, words_of
from ai.formats.source import LARGEST_SHOWN, GameFileError, SourceText, quoted
from ai.formats.written import WrittenGame
from ai.game import BLACK, EMPTY, WHITE, Color, color_name

NAME: Final = "text"
"""Name of the text in error messages."""
_SYMBOLS: Final = {
    **dict.fromkeys(".+-_·", EMPTY),
    **dict.fromkeys("xX*#●", BLACK),
    **dict.fromkeys("oO0○", WHITE),
}
_LETTERS: Final = {EMPTY: ".", BLACK: "X", WHITE: "O"}
_TURN: Final = re.compile(r"(black|white)\s+to\s+(?:move|play)", re.IGNORECASE)
_SIZE: Final = re.compile(r"(\d{1,2})\s*[x×]\s*(\d{1,2})", re.IGNORECASE)
_ROW_NUMBERS: Final = re.compile(r"^\s*\d{1,2}(?=\s)|(?<=\s)\d{1,2}\s*$")
_COLUMNS: Final = re.compile(r"\s*a\s+b\s+c(\s+[a-z])*\s*", re.IGNORECASE)


def read_position(text: str) -> WrittenGame:
    """Return the position that a text states, as a game: set-up stones, then moves.

    Args:
        text: a drawn position, the text of a game file, or moves such as "h8 i9".

    Raises:
        GameFileError: the text cannot be read; the message says where and why.
    """
    content = text.encode()
    if len(content) > LARGEST_SHOWN:
        raise GameFileError(f"{NAME}: expected at most {LARGEST_SHOWN:,} bytes")
    if not text.strip():
        raise GameFileError(f"{NAME}: expected a position, found nothing")
    if any(item.begin.match(text) for item in FORMATS):
        return read_games_text(Path(NAME), content)[0]
    if re.fullmatch(r"\s*[a-zA-Z]\d{1,2}\s*", text):  # one stone is a list, too
        return read_games_text(Path(f"{NAME}.txt"), content)[0]
    return _read_drawn(SourceText(NAME, text))


def write_position(game: WrittenGame) -> str:
    """Return the last position of a game as text, which `read_position` reads again.

    The order of the stones is lost.

    Args:
        game: the game.
    """
    rules = game.rules
    stones = dict(game.setup)
    stones |= {ply.move: ply.color for ply in game.plies}
    width = len(str(rules.rows))
    turn = color_name(to_move_of(game)).capitalize()
    lines = [f"{rules.size}x{rules.rows}, {words_of(rules)}, {turn} to move"]
    for row in range(rules.rows):
        points = range(row * rules.size, (row + 1) * rules.size)
        drawn = " ".join(_LETTERS[stones.get(point, EMPTY)] for point in points)
        lines.append(f"{rules.rows - row:>{width}} {drawn}")
    columns = " ".join(chr(ord("a") + column) for column in range(rules.size))
    return "\n".join((*lines, f"{'':{width}} {columns}")) + "\n"


def sgf_text(game: WrittenGame) -> str:
    """Return a game as the text of an SGF file, which `read_position` reads again."""
    return sgf.write((game,), NAME)


def to_move_of(game: WrittenGame) -> Color:
    """Return the side to move after the last move of a game."""
    return BLACK if len(game.moves) % 2 == 0 else WHITE


def _read_drawn(source: SourceText) -> WrittenGame:
    """Read a drawn position.

    Raises:
        GameFileError: a line is no row of the board, or the position cannot be.
    """
    words, rows = _lines(source)
    stated, first, size = StatedRules(), EMPTY, None
    for line, at in words:
        stated, first, size = _words(source, line, at, size)
    if not rows:
        source.fail(0, "a drawn position, SGF, or moves such as 'h8 i9'", quoted(source.text))
    columns = len(rows[0][0])
    _check_rows(source, rows, size)
    builder = GameBuilder(source, columns, len(rows), stated)
    for number, (row, start) in enumerate(rows):
        for column, color in enumerate(row):
            if color != EMPTY:
                builder.add_setup_stone(number * columns + column, color, start)
    rules, _, _ = builder.finish(StatedResult())
    return WrittenGame(rules, (), setup=tuple(builder.setup), first=first)


def _lines(source: SourceText) -> tuple[list[tuple[str, int]], list[tuple[list[Color], int]]]:
    """Return the lines of words before the rows, and the rows, each with its place in the text.

    Raises:
        GameFileError: another line stands among the rows.
    """
    at = 0
    words: list[tuple[str, int]] = []
    rows: list[tuple[list[Color], int]] = []
    for line in source.text.splitlines(keepends=True):
        row = _row(line)
        if row is not None:
            rows.append((row, at))
        elif line.strip() and not _COLUMNS.fullmatch(line):
            if rows:
                source.fail(at, "a row of '.', 'X' and 'O'", quoted(line.strip()))
            words.append((line, at))
        at += len(line)
    return words, rows


def _check_rows(
    source: SourceText, rows: list[tuple[list[Color], int]], size: tuple[int, int] | None
) -> None:
    """Check that all rows have as many points, and as many as stated.

    Args:
        source: the text.
        rows: the rows with their places in the text.
        size: columns and rows as stated; None if they are not.

    Raises:
        GameFileError: a row is too short or too long, or there are too few or too many.
    """
    columns, at = len(rows[0][0]), rows[0][1]
    check_size(source, at, columns, len(rows))
    for row, start in rows:
        if len(row) != columns:
            source.fail(start, f"a row of {columns} points", str(len(row)))
    if size is not None and size != (columns, len(rows)):
        source.fail(at, f"{size[0]}x{size[1]} points as stated", f"{columns}x{len(rows)} points")


def _row(line: str) -> list[Color] | None:
    """Return the colors of a row's points; None if the line is no row."""
    points = _ROW_NUMBERS.sub(" ", line.rstrip("\r\n")).replace("|", " ").split()
    symbols = "".join(points)
    if not symbols or any(symbol not in _SYMBOLS for symbol in symbols):
        return None
    return [_SYMBOLS[symbol] for symbol in symbols]


def _words(
    source: SourceText, line: str, at: int, size: tuple[int, int] | None
) -> tuple[StatedRules, Color, tuple[int, int] | None]:
    """Read the line of words before the rows: size, rules, side to move.

    Args:
        source: the text.
        line: the line.
        at: offset of the line in the text.
        size: columns and rows that an earlier line states; None if there is none.

    Raises:
        GameFileError: a part of the line is not known.
    """
    first: Color = EMPTY
    rules = []
    for part in (item.strip() for item in line.split(",")):
        turn, sides = _TURN.fullmatch(part), _SIZE.fullmatch(part)
        if turn is not None:
            first = BLACK if turn[1].lower() == "black" else WHITE
        elif sides is not None:
            size = int(sides[1]), int(sides[2])
        elif part:
            rules.append(part)
    longest = max(size or (15, 15))
    stated = stated_by(", ".join(rules), longest) if rules else StatedRules()
    if stated is None:
        expected = "a drawn position, SGF, moves such as 'h8 i9', or words such as 'standard'"
        source.fail(at, expected, quoted(", ".join(rules)))
    return stated, first, size
