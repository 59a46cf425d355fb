"""`WrittenGame`: a game as stored in a file, with everything that any of the formats can hold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Final

from ai.formats.source import GameFileError
from ai.game import (
    BLACK,
    EMPTY,
    PASS,
    WHITE,
    Color,
    GameRecord,
    IllegalMoveError,
    Move,
    Rules,
    Termination,
    replayed,
)

UNFINISHED: Final = "unfinished"
"""Termination of a game that was broken off, or whose file does not state an ending."""
VOID: Final = "void"
"""Termination of a game that was called off."""
DECLARED: Final = "declared"
"""Termination of a game whose file states a winner or a draw, but not how the game ended."""
ON_TIME: Final = Termination.TIME.value
FORFEIT: Final = "forfeit"
RESIGNED: Final = Termination.RESIGNED.value
AGREED: Final = Termination.AGREED.value
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
    """A value of `Termination`, or "forfeit", "declared", "void" or "unfinished"."""
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
    notes: tuple[str, ...] = field(default=(), compare=False)
    """Lines about what was guessed or left out when the file was read."""

    @property
    def moves(self) -> tuple[Move, ...]:
        """All moves in order; see `turns`."""
        return tuple(move for move, _ in turns(self.setup, self.plies, self.first))

    def ply_at(self, number: int) -> Ply | None:
        """Return the last of the first `number` moves; None for a stone of the set-up.

        Args:
            number: number of `moves` played, set-up stones and passes included.
        """
        order = turns(self.setup, self.plies, self.first)
        index = order[number - 1][1] if 0 < number <= len(order) else None
        return None if index is None else self.plies[index]

    def check_turns(self, name: str) -> None:
        """Check that Black began and the colors took turns without passes, set-up included.

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
        if PASS in self.moves:
            raise GameFileError(
                f"{name}: expected a game without passes, "
                f"found one as move {self.moves.index(PASS) + 1}"
            )

    def record(self, number: int, name: str = "game") -> GameRecord:
        """Return the game as a `GameRecord`.

        Args:
            number: number of the game, from 1.
            name: name of the file, for the error.

        Raises:
            GameFileError: the set-up cannot be laid stone by stone.
        """
        if self.setup:
            try:
                replayed(self.rules, self.moves)
            except IllegalMoveError as error:
                raise GameFileError(
                    f"{name}: expected a set-up that can be laid stone by stone, found: {error}"
                ) from None
        return GameRecord(self.rules, self.moves, self.winner, self.termination, number)


def turns(
    setup: Sequence[tuple[Move, Color]], plies: Sequence[Ply], first: Color = EMPTY
) -> list[tuple[Move, int | None]]:
    """Return the moves of a game in which the sides take turns, with a pass where one is missing.

    The stones of the set-up come first.

    Args:
        setup: stones that lay on the board before the first move.
        plies: the moves.
        first: side that moves first after the set-up, if there is no move; EMPTY: Black, or White
            if Black has one stone more.

    Returns:
        For each move its point, or PASS, and its index in `plies`; None if it is not one of them.
    """
    sides = [[move for move, own in setup if own == color] for color in (BLACK, WHITE)]
    found: list[tuple[Move, int | None]] = []
    for pair in zip_longest(*sides, fillvalue=PASS):
        found += [(move, None) for move in pair]
    if found and found[-1][0] == PASS:
        found.pop()
    is_even = len(sides[0]) - len(sides[1]) in (0, 1)
    natural = _side(len(found)) if is_even else BLACK
    wanted = plies[0].color if plies else first or natural
    if not is_even and _side(len(found)) == wanted == WHITE:
        found += [(PASS, None)] * 2  # so that a stone of the set-up is not taken for a foul
    for index, ply in enumerate(plies):
        if _side(len(found)) != ply.color:
            found.append((PASS, None))
        found.append((ply.move, index))
    if not plies and _side(len(found)) != wanted:
        found.append((PASS, None))
    return found


def _side(plies: int) -> Color:
    return BLACK if plies % 2 == 0 else WHITE


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
        Ply(move, BLACK if number % 2 == 0 else WHITE)
        for number, move in enumerate(record.moves)
        if move != PASS
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
