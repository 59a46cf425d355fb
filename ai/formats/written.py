"""`WrittenGame`: a game as stored in a file, with everything that any of the formats can hold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Final

from ai.formats.source import GameFileError
from ai.game import BLACK, EMPTY, WHITE, Color, GameRecord, Move, Rules, Termination

UNFINISHED: Final = "unfinished"
"""Termination of a game that was broken off, or whose file does not state an ending."""
VOID: Final = "void"
"""Termination of a game that was called off."""
DECLARED: Final = "declared"
"""Termination of a game whose file states a winner or a draw, but not how the game ended."""
ON_TIME: Final = "time"
FORFEIT: Final = "forfeit"
RESIGNED: Final = Termination.RESIGNED.value
FOUL: Final = Termination.FOUL.value

Property = tuple[str, tuple[str, ...]]
"""A property that only one format has: its name and its values as written in the file."""


@dataclass(frozen=True, slots=True)
class Ply:
    """One stone that was played, with its color, thinking time and comment."""

    move: Move
    color: Color
    seconds: float | None = None
    """Thinking time in seconds; None if the file does not state it."""
    comment: str = ""
    other: tuple[Property, ...] = ()


@dataclass(frozen=True, slots=True)
class ColorChoice:
    """A player's choice of a color in the opening."""

    stones: int
    """Number of stones on the board at the time of the choice."""
    player: int
    """The player who chose: 1 (who began) or 2."""
    color: Color
    """The color that this player has from then on."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A variation of a file: stored as text, not part of the game's moves."""

    ply: int
    """Number of moves of the game before the variation branches off."""
    name: str
    """Name shown to people: the name in the file, or else the place where the variation begins."""
    text: str
    """The variation as written in the file."""


@dataclass(frozen=True, slots=True)
class WrittenGame:
    """A game as in a file. Fields that its format does not have are empty."""

    rules: Rules
    plies: tuple[Ply, ...]
    winner: Color = EMPTY
    termination: str = UNFINISHED
    """"five", "full", "foul", "resigned", "time", "forfeit", "declared", "void", "unfinished"."""
    black: str = ""
    """Name of the player of Black after all swaps."""
    white: str = ""
    opening: tuple[ColorChoice, ...] = ()
    setup: tuple[tuple[Move, Color], ...] = ()
    """Stones that lay on the board before the first move."""
    first: Color = EMPTY
    """The side that moves first after the set-up stones; EMPTY if the file does not state it."""
    comment: str = ""
    variations: tuple[LeftOut, ...] = ()
    other: tuple[Property, ...] = field(default=())

    @property
    def moves(self) -> tuple[Move, ...]:
        """Points of all stones in order; stones of the set-up come first, alternating colors."""
        return turns(self.setup, self.plies)

    def check_turns(self, name: str) -> None:
        """Check that Black began and the colors took turns, set-up stones included.

        Args:
            name: name of the file, for the error.

        Raises:
            GameFileError: a stone is out of turn.
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
        """Return the game as a `GameRecord`.

        Args:
            number: number of the game, from 1.
            name: name of the file, for the error.

        Raises:
            GameFileError: the colors do not take turns.
        """
        self.check_turns(name)
        return GameRecord(self.rules, self.moves, self.winner, self.termination, number)


def turns(setup: Sequence[tuple[Move, Color]], plies: Sequence[Ply]) -> tuple[Move, ...]:
    """Return the points of all stones in order; those of the set-up come first, in turn.

    Args:
        setup: stones that lay on the board before the first move.
        plies: the moves.
    """
    sides = [[move for move, own in setup if own == color] for color in (BLACK, WHITE)]
    before = [move for pair in zip_longest(*sides) for move in pair if move is not None]
    return (*before, *(ply.move for ply in plies))


def written_of(record: GameRecord, *, black: str = "", white: str = "") -> WrittenGame:
    """Convert a `GameRecord` to a `WrittenGame`.

    Args:
        record: the game.
        black: name of the player of Black.
        white: name of the player of White.

    Raises:
        GameFileError: it is no m,n,k game (stones in a row on a grid).
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


def lost_parts(parts: Iterable[tuple[str, object]]) -> tuple[str, ...]:
    """Return the names of the parts that a game has: those with a value that is not empty.

    Args:
        parts: pairs of a part's name and its value in a game.
    """
    return tuple(name for name, value in parts if value)


def is_full_board_lost(game: WrittenGame) -> bool:
    """Return whether a format without rules would lose who wins on a full board.

    Nothing is lost if a full board is a draw, or if this game ended with a full board.

    Args:
        game: the game to write.
    """
    return game.rules.full_board_winner != EMPTY and game.termination != Termination.FULL.value


BOARD_ENDS: Final = frozenset(
    end.value for end in (Termination.FIVE, Termination.FULL, Termination.FOUL)
)
"""Terminations that the stones on the board show: "five", "full" and "foul"."""
