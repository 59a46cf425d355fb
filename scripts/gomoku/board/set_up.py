"""A position that is set up by hand: stones, rules and the side to move, and what is wrong."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from ai import (
    BLACK,
    EMPTY,
    WHITE,
    Board,
    GameFileError,
    GameRecord,
    IllegalMoveError,
    Position,
    Rules,
    RulesError,
    WrittenGame,
    color_name,
    replayed,
)
from scripts.gomoku.board.view_state import ViewState
from sim import tr, wording

AXES = ((0, 1), (1, 0), (1, 1), (1, -1))
UNFINISHED = "unfinished"
TOOLS = {
    "turns": (tr("In turns"), tr("Black and White alternate; a click on a stone takes it away")),
    "black": (tr("Black"), tr("A click puts a black stone, or takes it away")),
    "white": (tr("White"), tr("A click puts a white stone, or takes it away")),
    "remove": (tr("Remove"), tr("A click takes a stone away")),
}
"""What a click may do while a position is set up: name and tooltip by key."""
COLORS = {"black": BLACK, "white": WHITE}


@dataclass(frozen=True)
class SetUp:
    """Stones on a board, without an order of moves.

    Attributes:
        rules: rules of the game.
        stones: `[A]` color of each point.
        to_move: side to move, BLACK or WHITE.
    """

    rules: Rules
    stones: tuple[int, ...]
    to_move: int = BLACK

    @classmethod
    def empty(cls, rules: Rules) -> Self:
        """Return an empty board with Black to move."""
        return cls(rules, (EMPTY,) * rules.points)

    @classmethod
    def of_game(cls, game: WrittenGame) -> Self:
        """Return the position after the last move of a game.

        Raises:
            GameFileError: the game cannot be played.
        """
        try:
            position = replayed(game.rules, game.moves)
        except IllegalMoveError as error:
            raise GameFileError(f"expected a position that can be played, found: {error}") from None
        return cls(game.rules, tuple(position.stones), position.to_move)

    @classmethod
    def of_position(cls, position: Position) -> Self:
        """Return a position of a game of stones in a row, without the order of its moves.

        Raises:
            RulesError: it is a position of another game.
        """
        if not isinstance(position.rules, Rules):
            raise RulesError(f"expected a game of stones in a row, found {position.rules!r}")
        return cls(position.rules, tuple(position.stones), position.to_move)

    def with_stone(self, point: int, color: int) -> Self:
        """Return the position with another stone on a point; EMPTY takes it away."""
        stones = list(self.stones)
        stones[point] = color
        return replace(self, stones=tuple(stones))

    def color_of(self, tool: str) -> int:
        """Return the color of the stone that a click puts; `tool` is a key of `TOOLS`."""
        return COLORS.get(tool, self.to_move)

    def with_click(self, point: int, tool: str) -> Self:
        """Return the position after a click.

        A stone of the same color is taken away. "turns" takes away any stone.

        Args:
            point: the point that is clicked.
            tool: what a click does, a key of `TOOLS`.
        """
        there, color = self.stones[point], self.color_of(tool)
        is_taken = tool == "remove" or there == color or (tool == "turns" and there)
        after = self.with_stone(point, EMPTY if is_taken else color)
        return replace(after, to_move=there or -color) if tool == "turns" else after

    def with_rules(self, rules: Rules) -> Self:
        """Return the same stones under other rules, on the middle of a board of another size.

        Stones that have no room are left out.

        Args:
            rules: the other rules.
        """
        stones = [EMPTY] * rules.points
        down, across = (rules.rows - self.rules.rows) // 2, (rules.size - self.rules.size) // 2
        for point, color in enumerate(self.stones):
            row, col = divmod(point, self.rules.size)
            if 0 <= row + down < rules.rows and 0 <= col + across < rules.size:
                stones[(row + down) * rules.size + col + across] = color
        return replace(self, rules=rules, stones=tuple(stones))

    @property
    def state(self) -> ViewState:
        """What a board shows of it."""
        return ViewState(self.rules.size, self.rules.rows, self.stones, to_move=self.to_move)

    def written(self) -> WrittenGame:
        """Return the position as a game without a move, for files and texts."""
        setup = tuple((point, self.stones[point]) for point in self._order())
        return WrittenGame(self.rules, (), setup=setup, first=self.to_move)

    def record(self, number: int = 1) -> GameRecord:
        """Return a record of the moves that lead to the position; passes stand for missing turns.

        Args:
            number: number of the game.
        """
        return GameRecord(self.rules, self.written().moves, EMPTY, UNFINISHED, number)

    @property
    def fault(self) -> str:
        """What makes the position impossible to play on from; empty if nothing does."""
        for color in (BLACK, WHITE):
            for row in self._rows(color):
                if self.rules.row_wins(len(row), color, is_blocked=self._is_blocked(row, color)):
                    ends = tr("{text} to {text2}").format(
                        text=self._text(row[0]), text2=self._text(row[-1])
                    )
                    return tr(
                        "{side} has {row} in a row, {end}: the game is over. Take a stone away."
                    ).format(side=_side(color), row=len(row), end=ends)
                if self.rules.has_fouls and color == BLACK and len(row) > self.rules.win_length:
                    ends = tr("{text} to {text2}").format(
                        text=self._text(row[0]), text2=self._text(row[-1])
                    )
                    return tr("Black's row {end} is an overline, which renju forbids.").format(
                        end=ends
                    )
        if EMPTY not in self.stones:
            return tr("The board is full: nobody can move.")
        try:
            position = replayed(self.rules, self.written().moves)
        except IllegalMoveError as error:
            return tr("These stones cannot be laid one by one: {error}.").format(error=error)
        if position.outcome() is not None:
            return tr("The game is over here: {side} has no move.").format(side=_side(self.to_move))
        return ""

    @property
    def note(self) -> str:
        """What is unusual in the position, although it can be played; empty for nothing."""
        black, white = self.stones.count(BLACK), self.stones.count(WHITE)
        if black - white == (0 if self.to_move == BLACK else 1):
            return ""
        return tr(
            "Not from a game in turns: {black} black and {white} white stones with "
            "{side} to move. Passes are assumed."
        ).format(black=black, white=white, side=_side(self.to_move))

    def _text(self, point: int) -> str:
        return Board(self.rules).to_text(point)

    def _order(self) -> list[int]:
        """Return the points with stones, so that laid one by one no early row wins.

        Where only rows of exactly five win, the middle stones of longer rows come last.
        """
        late = {
            row[len(row) // 2]
            for color in (BLACK, WHITE)
            for row in self._rows(color)
            if len(row) > self.rules.win_length
        }
        held = [point for point, color in enumerate(self.stones) if color != EMPTY]
        return sorted(held, key=lambda point: point in late)

    def _rows(self, color: int) -> list[list[int]]:
        """Return the rows of one color that are at least as long as a row that wins."""
        found = []
        for point, own in enumerate(self.stones):
            for axis in AXES if own == color else ():
                if self._neighbour(point, axis, -1) not in self._of(color):
                    row = [point]
                    while (following := self._neighbour(row[-1], axis, 1)) in self._of(color):
                        row.append(following)
                    if len(row) >= self.rules.win_length:
                        found.append(row)
        return found

    def _of(self, color: int) -> frozenset[int]:
        return frozenset(point for point, own in enumerate(self.stones) if own == color)

    def _is_blocked(self, row: list[int], color: int) -> bool:
        """Return whether stones of the other side stand at both ends of a row."""
        step = row[1] - row[0]
        axis = next(item for item in AXES if item[0] * self.rules.size + item[1] == step)
        ends = self._neighbour(row[0], axis, -1), self._neighbour(row[-1], axis, 1)
        return all(end in self._of(-color) for end in ends)

    def _neighbour(self, point: int, axis: tuple[int, int], sign: int) -> int:
        """Return the next point along an axis; -1 if there is none on the board."""
        row, col = divmod(point, self.rules.size)
        row, col = row + sign * axis[0], col + sign * axis[1]
        if 0 <= row < self.rules.rows and 0 <= col < self.rules.size:
            return row * self.rules.size + col
        return -1


def _side(color: int) -> str:
    return wording(color_name(color).capitalize())
