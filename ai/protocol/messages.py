"""Commands and replies of the Gomocup protocol as typed messages, with reading and writing.

A manager sends commands to a brain (an engine), which replies. Coordinates are x (the column) and y
(the row), both from 0. `CommandReader` and `read_reply` read the lines that `write_command` and
`write_reply` return.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

LONGEST_LINE: Final = 4096
"""Greatest number of characters of a line.

One more character is kept of a longer line. It shows that the line was too long.
"""


class LineSplitter:
    r"""Cuts bytes into lines that end with CR LF, LF or CR, in whatever chunks the bytes arrive.

    A line that is too long is cut to `LONGEST_LINE` + 1 characters, so that its reader notices. The
    rest is dropped at once, which bounds the memory.

    >>> splitter = LineSplitter()
    >>> splitter.feed(b'START 15\r'), splitter.feed(b'\nBEGIN\rEND\nABO')
    (['START 15'], ['BEGIN', 'END'])
    >>> splitter.rest()
    'ABO'
    """

    def __init__(self) -> None:
        self._held = bytearray()
        self._ends_with_return = False

    def feed(self, data: bytes) -> list[str]:
        """Add bytes and return the lines that they complete, except empty ones."""
        if self._ends_with_return and data.startswith(b"\n"):
            data = data[1:]
        self._ends_with_return = data.endswith(b"\r") if data else self._ends_with_return
        *ended, rest = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        lines: list[str] = []
        for part in ended:
            self._keep(part)
            lines.append(self.rest())
        self._keep(rest)
        return [line for line in lines if line.strip()]

    def rest(self) -> str:
        """Return the unfinished line after the last line end, and clear it."""
        text = self._held.decode("utf-8", "replace")
        self._held.clear()
        return text

    def _keep(self, part: bytes) -> None:
        self._held += part[: max(0, LONGEST_LINE + 1 - len(self._held))]


LONGEST_NUMBER: Final = 18
"""Maximum number of digits of a number."""
MOST_STONES: Final = 1024
"""Maximum number of lines between BOARD and DONE: more than any board has points."""
SHOWN: Final = 60
"""Maximum number of characters of a wrong line that an error message shows."""


class Point(NamedTuple):
    """A point of the board."""

    x: int
    """Column, from 0."""
    y: int
    """Row, from 0."""

    def __str__(self) -> str:
        return f"{self.x},{self.y}"


class Owner(IntEnum):
    """Owner of a stone in the command BOARD."""

    OWN = 1
    """The stone belongs to the engine that receives the command."""
    OPPONENT = 2
    """The stone belongs to the engine's opponent."""
    SPECIAL = 3
    """The stone is part of a row that has won in a continuous game, or marks a forbidden point."""


class Stone(NamedTuple):
    """A stone in the command BOARD."""

    point: Point
    owner: Owner


# -- commands: from the manager to the brain ------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Start:
    """Command START: begin a game on an empty square board."""

    size: int


@dataclass(frozen=True, slots=True)
class RectStart:
    """Command RECTSTART: begin a game on an empty rectangular board."""

    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Restart:
    """Command RESTART: begin a new game on an empty board of the same size."""


@dataclass(frozen=True, slots=True)
class Begin:
    """Command BEGIN: play the first move."""


@dataclass(frozen=True, slots=True)
class Turn:
    """Command TURN: the opponent has played at `point`; reply with a move."""

    point: Point


@dataclass(frozen=True, slots=True)
class SetBoard:
    """Command BOARD: set up a position and reply with a move.

    The stones are in the order of play where it is known.
    """

    stones: tuple[Stone, ...]


@dataclass(frozen=True, slots=True)
class Takeback:
    """Command TAKEBACK: take back the last move, which was at `point`."""

    point: Point


@dataclass(frozen=True, slots=True)
class Play:
    """Command PLAY: play at `point`, which the manager has chosen."""

    point: Point


@dataclass(frozen=True, slots=True)
class Swap2Board:
    """Command SWAP2BOARD: answer in the opening swap2.

    Without points the engine places three stones. With three it chooses a side or places two more
    stones. With five it chooses a side.
    """

    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Info:
    """Command INFO: a setting of the game; there is no reply, even if it is malformed.

    The key is empty if the line has none.
    """

    key: str
    value: str


@dataclass(frozen=True, slots=True)
class End:
    """Command END: exit at once."""


@dataclass(frozen=True, slots=True)
class AskAbout:
    """Command ABOUT: reply with name, version and author."""


Command: TypeAlias = (
    Start
    | RectStart
    | Restart
    | Begin
    | Turn
    | SetBoard
    | Takeback
    | Play
    | Swap2Board
    | Info
    | End
    | AskAbout
)


# -- replies: from the brain to the manager -------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Ok:
    """Reply OK: the command was executed."""


@dataclass(frozen=True, slots=True)
class Error:
    """Reply ERROR: the command is known but cannot be executed."""

    text: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """Reply UNKNOWN: the command is not known."""

    text: str


@dataclass(frozen=True, slots=True)
class Message:
    """Reply MESSAGE: a text for the manager's users."""

    text: str


@dataclass(frozen=True, slots=True)
class Debug:
    """Reply DEBUG: a text for the engine's author."""

    text: str


@dataclass(frozen=True, slots=True)
class Suggest:
    """Reply SUGGEST: a move that the manager may accept with PLAY."""

    point: Point


@dataclass(frozen=True, slots=True)
class Coordinates:
    """Reply of one to three points: a move, or an answer to SWAP2BOARD."""

    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Swap:
    """Reply SWAP to SWAP2BOARD: swap sides."""


@dataclass(frozen=True, slots=True)
class About:
    """Reply to ABOUT: name, version, author, country, website (www) and further facts by key."""

    facts: Mapping[str, str] = field(default_factory=dict)


Reply: TypeAlias = Ok | Error | Unknown | Message | Debug | Suggest | Coordinates | Swap | About


class UnknownCommandError(ValueError):
    """The first word of a line is no command."""


class CommandError(ValueError):
    """A known command is malformed or impossible."""


class ReplyError(ValueError):
    """A line that an engine has sent is no valid reply."""


# -- reading commands -----------------------------------------------------------------------------

_END_OF_LIST: Final = "DONE"


class CommandReader:
    """Parses commands line by line; BOARD and SWAP2BOARD span several lines up to DONE.

    >>> reader = CommandReader()
    >>> reader.read('TURN 7,8')
    Turn(point=Point(x=7, y=8))
    >>> reader.read('swap2board'), reader.read('7,7'), reader.read('DONE')
    (None, None, Swap2Board(points=(Point(x=7, y=7),)))
    """

    def __init__(self) -> None:
        self._list: _List | None = None

    def read(self, line: str) -> Command | None:
        """Parse a line and return the command that it completes; None if it completes none.

        BOARD and SWAP2BOARD are lists of lines that DONE ends. Errors in a list are raised at its
        DONE. END and the commands that start a game are recognised inside a list, too. So a list
        without DONE does not swallow the next game.

        Args:
            line: the line without its end.

        Raises:
            UnknownCommandError: the first word is no command.
            CommandError: the command is malformed.
        """
        word, _, rest = line.strip().partition(" ")
        word, rest = word.upper(), rest.strip()
        if not word:
            return None
        if len(line) > LONGEST_LINE:
            if self._list is not None:
                self._list.fail(f"lines of at most {LONGEST_LINE} characters", "a longer one")
                return None
            if word == "INFO":
                return Info("", "")  # it is never answered
            raise CommandError(f"expected at most {LONGEST_LINE} characters, found more")
        if self._list is not None and word not in _INTERRUPTING:
            return self._read_in_list(line.strip(), word)
        self._list = None
        if word in _LISTS:
            _expect_nothing(word, rest)
            self._list = _List(word)
            return None
        if word not in _PARSERS:
            raise UnknownCommandError(f"expected a command, found {_shown(line)}")
        return _PARSERS[word](word, rest)

    def _read_in_list(self, text: str, word: str) -> Command | None:
        reading = self._list
        if reading is None or word != _END_OF_LIST:
            if reading is not None:
                reading.add(text)
            return None
        self._list = None
        return reading.command()


class _List:
    """Collects the lines of a BOARD or SWAP2BOARD command; checks each one and their number."""

    def __init__(self, word: str) -> None:
        self._word = word
        self._stones: list[Stone] = []
        self._fault = ""

    def fail(self, expected: str, found: str) -> None:
        """Record an error in the list; only the first one counts.

        Args:
            expected: what should be there.
            found: what is there.
        """
        self._fault = self._fault or f"{self._word}: expected {expected}, found {found}"

    def add(self, text: str) -> None:
        """Parse a line of the list.

        Lines of SWAP2BOARD may have an owner as third number; it is ignored.
        """
        numbers = _numbers(text)
        form = "x,y,owner" if self._word == "BOARD" else "x,y"
        if numbers is None or len(numbers) not in ((3,) if self._word == "BOARD" else (2, 3)):
            self.fail(f"lines such as {form}, then DONE", _shown(text))
        elif len(numbers) == 3 and numbers[2] not in tuple(Owner):
            self.fail("an owner 1, 2 or 3", str(numbers[2]))
        elif len(self._stones) == MOST_STONES:
            self.fail(f"at most {MOST_STONES} lines", "more")
        else:
            owner = Owner(numbers[2]) if len(numbers) == 3 else Owner.OWN
            self._stones.append(Stone(Point(numbers[0], numbers[1]), owner))

    def command(self) -> Command:
        """Return the complete command.

        Raises:
            CommandError: a line was malformed.
        """
        if self._fault:
            raise CommandError(self._fault)
        if self._word == "BOARD":
            return SetBoard(tuple(self._stones))
        return Swap2Board(tuple(stone.point for stone in self._stones))


def _read_start(word: str, rest: str) -> Command:
    (size,) = _expect_numbers(word, rest, 1, "a size")
    return Start(size)


def _read_rect_start(word: str, rest: str) -> Command:
    width, height = _expect_numbers(word, rest, 2, "width,height")
    return RectStart(width, height)


def _point_reader(kind: Callable[[Point], Command]) -> Callable[[str, str], Command]:
    """Return a function that parses a command whose only parameter is a point.

    Args:
        kind: makes the command from the point.

    Returns:
        Function of the command's word and the rest of its line.
    """
    return lambda word, rest: kind(_expect_point(word, rest))


def _read_info(word: str, rest: str) -> Command:
    key, _, value = rest.partition(" ")
    return Info(key.lower(), value.strip())


def _reader_of(command: Command) -> Callable[[str, str], Command]:
    """Return a function that accepts a command without parameters.

    Args:
        command: the command that this function returns.

    Returns:
        Function of the command's word and the rest of its line.
    """

    def read(word: str, rest: str) -> Command:
        _expect_nothing(word, rest)
        return command

    return read


_LISTS: Final = frozenset({"BOARD", "SWAP2BOARD"})
_INTERRUPTING: Final = frozenset({"END", "START", "RECTSTART", "RESTART"})
_PARSERS: Final[Mapping[str, Callable[[str, str], Command]]] = MappingProxyType(
    {
        "START": _read_start,
        "RECTSTART": _read_rect_start,
        "TURN": _point_reader(Turn),
        "TAKEBACK": _point_reader(Takeback),
        "PLAY": _point_reader(Play),
        "INFO": _read_info,
        "RESTART": _reader_of(Restart()),
        "BEGIN": _reader_of(Begin()),
        "END": _reader_of(End()),
        "ABOUT": _reader_of(AskAbout()),
    }
)


def _expect_nothing(word: str, rest: str) -> None:
    if rest:
        raise CommandError(f"{word}: expected nothing after it, found {_shown(rest)}")


def _expect_numbers(word: str, rest: str, count: int, form: str) -> list[int]:
    numbers = _numbers(rest)
    if numbers is None or len(numbers) != count:
        raise CommandError(f"{word}: expected {form}, found {_shown(rest)}")
    return numbers


def _expect_point(word: str, rest: str) -> Point:
    return Point(*_expect_numbers(word, rest, 2, "x,y"))


def _numbers(text: str) -> list[int] | None:
    """Return the integers of a text such as "7,8"; None for any other text."""
    parts = [part.strip() for part in text.split(",")]
    if all(part.isascii() and part.isdigit() and len(part) <= LONGEST_NUMBER for part in parts):
        return [int(part) for part in parts]
    return None


def _shown(text: str) -> str:
    """Return a text in a form for error messages: one quoted line, shortened if necessary."""
    text = text.strip()
    return ascii(text[:SHOWN] + "…" * (len(text) > SHOWN)) if text else "nothing"


# -- reading replies ------------------------------------------------------------------------------

_TEXTS: Final[Mapping[str, Callable[[str], Reply]]] = MappingProxyType(
    {"ERROR": Error, "UNKNOWN": Unknown, "MESSAGE": Message, "DEBUG": Debug}
)
_FACT: Final = re.compile(r'\s*(\w+)\s*=\s*"([^"]*)"\s*(?:,|$)')


def read_reply(line: str) -> Reply:
    """Parse a line that an engine has sent.

    >>> read_reply('7,8'), read_reply('7,7 8,7'), read_reply('ERROR no such size')
    ... # doctest: +NORMALIZE_WHITESPACE
    (Coordinates(points=(Point(x=7, y=8),)),
     Coordinates(points=(Point(x=7, y=7), Point(x=8, y=7))), Error(text='no such size'))

    Raises:
        ReplyError: the line is no valid reply.
    """
    text = line.strip()
    word, _, rest = text.partition(" ")
    kind = word.upper()
    if kind in _TEXTS:
        return _TEXTS[kind](rest.strip())
    if kind == "OK":
        return Ok()
    if kind == "SWAP" and not rest.strip():
        return Swap()
    if kind == "SUGGEST":
        points = _points(rest)
        if len(points) == 1:
            return Suggest(points[0])
    points = _points(text)
    if 1 <= len(points) <= 3:
        return Coordinates(points)
    facts = _facts(text)
    if facts:
        return About(facts)
    raise ReplyError(f"expected a reply such as 7,8, found {_shown(line)}")


def _points(text: str) -> tuple[Point, ...]:
    """Parse points such as "7,7 8,7"; return () for any other text."""
    found: list[Point] = []
    for part in text.replace(", ", ",").split():
        numbers = _numbers(part)
        if numbers is None or len(numbers) != 2:
            return ()
        found.append(Point(*numbers))
    return tuple(found)


def _facts(text: str) -> dict[str, str]:
    """Parse facts such as `name="X", version="1"`; return {} for any other text."""
    found: dict[str, str] = {}
    place = 0
    while place < len(text):
        match = _FACT.match(text, place)
        if match is None:
            return {}
        found[match[1]] = match[2]
        place = match.end()
    return found


# -- writing --------------------------------------------------------------------------------------


def write_command(command: Command) -> list[str]:
    """Return the lines of a command, without line ends.

    >>> write_command(Turn(Point(7, 8))), write_command(Swap2Board((Point(7, 7),)))
    (['TURN 7,8'], ['SWAP2BOARD', '7,7', 'DONE'])
    """
    match command:
        case SetBoard(stones):
            lines = [f"{stone.point},{int(stone.owner)}" for stone in stones]
            return ["BOARD", *lines, _END_OF_LIST]
        case Swap2Board(points):
            return ["SWAP2BOARD", *map(str, points), _END_OF_LIST]
        case _:
            return [_one_line(command)]


def _one_line(command: Command) -> str:
    match command:
        case Start(size):
            return f"START {size}"
        case RectStart(width, height):
            return f"RECTSTART {width},{height}"
        case Turn(point) | Takeback(point) | Play(point):
            return f"{type(command).__name__.upper()} {point}"
        case Info(key, value):
            return f"INFO {key} {plain(value)}"
        case AskAbout():
            return "ABOUT"
        case _:
            return type(command).__name__.upper()


def write_reply(reply: Reply) -> str:
    """Return the line of a reply, without its line end; a text of several lines becomes one."""
    match reply:
        case Coordinates(points):
            return " ".join(map(str, points))
        case Suggest(point):
            return f"SUGGEST {point}"
        case About(facts):
            quoted = ((key, plain(value).replace('"', "'")) for key, value in facts.items())
            return ", ".join(f'{key}="{value}"' for key, value in quoted)
        case Ok() | Swap():
            return type(reply).__name__.upper()
        case _:
            return f"{type(reply).__name__.upper()} {plain(reply.text)}".rstrip()


def plain(text: str) -> str:
    """Return a text as one line, shortened to the protocol's limit."""
    return " ".join(text.split())[: LONGEST_LINE // 2]
