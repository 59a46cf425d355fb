"""`WrittenGame`: a game as a file holds it, with all that one of the formats can say."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Final

from ai.formats.source import GameFileError
from ai.game import BLACK, EMPTY, WHITE, Color, GameRecord, Move, Rules, Termination

UNFINISHED: Final = "unfinished"
"""Termination of a game that was broken off, or whose file does not say how it ended."""
VOID: Final = "void"
"""Termination of a game that was called off."""
DECLARED: Final = "declared"
"""Termination where the file names a winner, or a draw, and the board and the file say no more."""
ON_TIME: Final = "time"
FORFEIT: Final = "forfeit"
RESIGNED: Final = Termination.RESIGNED.value

Property = tuple[str, tuple[str, ...]]
"""What only one format knows, as it stands in the file: a name and its values."""


@dataclass(frozen=True, slots=True)
class Ply:
    """One stone that was played."""

    move: Move
    color: Color
    seconds: float | None = None
    """Thinking time, seconds; None: not said."""
    comment: str = ""
    other: tuple[Property, ...] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """A player's choice of a color in the opening."""

    stones: int
    """Number of stones on the board when it was made."""
    player: int
    """Who chose: 1, who began, or 2."""
    color: Color
    """The color that this player takes."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A variation of the file: it is kept, not played."""

    ply: int
    """Number of moves of the game after which it leaves it."""
    name: str
    """How people call it: by its name in the file, else by its place."""
    text: str
    """As it stands in the file."""


@dataclass(frozen=True, slots=True)
class WrittenGame:
    """A game as a file holds it. What a format cannot say is empty."""

    rules: Rules
    plies: tuple[Ply, ...]
    winner: Color = EMPTY
    termination: str = UNFINISHED
    """"five", "full", "resigned", "time", "forfeit", "declared", "void" or "unfinished"."""
    black: str = ""
    """Who played Black, in the end: after all swaps."""
    white: str = ""
    opening: tuple[Choice, ...] = ()
    setup: tuple[tuple[Move, Color], ...] = ()
    """Stones that lay on the board before the first move."""
    first: Color = EMPTY
    """Who moves first after the set-up; EMPTY: not said."""
    comment: str = ""
    variations: tuple[LeftOut, ...] = ()
    other: tuple[Property, ...] = field(default=())

    @property
    def moves(self) -> tuple[Move, ...]:
        """The points of all stones in order, those of the set-up first, its colors in turn."""
        sides = [[move for move, own in self.setup if own == color] for color in (BLACK, WHITE)]
        pairs = zip_longest(*sides)
        before = [move for pair in pairs for move in pair if move is not None]
        return (*before, *(ply.move for ply in self.plies))

    def check_turns(self, name: str) -> None:
        """Check that Black began and the colors took turns, set-up stones included.

        Args:
            name: of the file, for the error.

        Raises:
            GameFileError: they did not.
        """
        black = sum(color == BLACK for _, color in self.setup)
        white = len(self.setup) - black
        if black - white not in (0, 1):
            raise GameFileError(
                f"{name}: expected set-up stones as play in turn lays them, "
                f"found {black} black and {white} white"
            )
        turn = WHITE if black > white else BLACK
        for number, ply in enumerate(self.plies, start=1):
            if ply.color != turn:
                raise GameFileError(
                    f"{name}: expected colors that take turns, Black first, "
                    f"found move {number} of {'Black' if ply.color == BLACK else 'White'}"
                )
            turn = -turn

    def record(self, number: int, name: str = "game") -> GameRecord:
        """Return the game as those of a run are kept.

        Args:
            number: of the game, from 1.
            name: of the file, for the error.

        Raises:
            GameFileError: the colors do not take turns.
        """
        self.check_turns(name)
        return GameRecord(self.rules, self.moves, self.winner, self.termination, number)


def written_of(record: GameRecord, *, black: str = "", white: str = "") -> WrittenGame:
    """Return a game of a run as files hold it.

    Raises:
        GameFileError: it is no m,n,k game.
    """
    if not isinstance(record.rules, Rules):
        raise GameFileError(
            f"game {record.game}: expected a game of stones in a row, "
            f"found {type(record.rules).__name__}"
        )
    plies = tuple(
        Ply(move, BLACK if number % 2 == 0 else WHITE) for number, move in enumerate(record.moves)
    )
    return WrittenGame(record.rules, plies, record.winner, record.termination, black, white)


def what_is_lost(parts: Iterable[tuple[str, object]]) -> tuple[str, ...]:
    """Return the names of those parts that a game has."""
    return tuple(name for name, value in parts if value)


def is_full_board_lost(game: WrittenGame) -> bool:
    """Return whether a format that holds no rules loses who wins a full board: but for the end."""
    return game.rules.full_board_winner != EMPTY and game.termination != Termination.FULL.value


BOARD_ENDS: Final = frozenset({Termination.FIVE.value, Termination.FULL.value})
"""Terminations that the board itself shows."""
