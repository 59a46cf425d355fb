"""Checks the stones of a game file one by one, and finds rules that fit the game."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ai.formats.source import SourceText
from ai.formats.written import BOARD_ENDS, DECLARED, UNFINISHED, Ply
from ai.game import (
    BLACK,
    EMPTY,
    PASS,
    WHITE,
    Color,
    Move,
    Rule,
    Rules,
    RulesError,
    Termination,
    color_name,
    to_text,
)
from ai.game.lines import DIRECTIONS
from ai.game.renju import find_foul, has_legal_point
from ai.game.rules import MAX_SIZE, MIN_SIZE


@dataclass(frozen=True, slots=True)
class StatedRules:
    """The rules as a game file states them.

    Attributes:
        win_length: number of stones in a row that win.
        rule: which rows win; None if the file does not state it.
        full_board_winner: who wins on a full board; None if the file does not state it.
        gravity: whether stones fall to the lowest empty point of their column.
    """

    win_length: int = 5
    rule: Rule | None = None
    full_board_winner: Color | None = None
    gravity: bool = False


@dataclass(frozen=True, slots=True)
class StatedResult:
    """The result that a file states.

    Attributes:
        winner: color of the winner; EMPTY for a draw or an unfinished game.
        termination: how the game ended; `UNFINISHED` if it did not.
        at: offset of the result in the text, for error messages.
        is_open: whether the file says that the game is not over; False if it says nothing.
    """

    winner: Color = EMPTY
    termination: str = UNFINISHED
    at: int = 0
    is_open: bool = False


def check_size(source: SourceText, at: int, columns: int, rows: int) -> None:
    """Check that the board's sides have a permitted length.

    Args:
        source: text of the file.
        at: offset of the size in the text, for error messages.
        columns: points along the horizontal side.
        rows: points along the vertical side.

    Raises:
        GameFileError: a side is too short or too long.
    """
    for side in (columns, rows):
        if not MIN_SIZE <= side <= MAX_SIZE:
            source.fail(at, f"a board of {MIN_SIZE} to {MAX_SIZE} points a side", str(side))


class GameBuilder:
    """Collects the stones of one game of a file and checks each of them.

    Attributes:
        plies: the moves so far.
        setup: the stones on the board before the first move.
    """

    def __init__(self, source: SourceText, columns: int, rows: int, stated: StatedRules) -> None:
        """Begin with an empty board.

        Args:
            source: text of the file, for error messages.
            columns: number of columns of the board.
            rows: number of rows of the board.
            stated: rules that the file states.
        """
        self.plies: list[Ply] = []
        self.setup: list[tuple[Move, Color]] = []
        self._source = source
        self._columns, self._rows = columns, rows
        self._stated = stated
        self._stones: list[Color] = [EMPTY] * (columns * rows)
        self._placed: dict[Move, str] = {}
        self._row = 0  # longest through the last stone
        self._rule = stated.rule

    def add_setup_stone(self, move: Move, color: Color, at: int) -> None:
        """Add a stone that is on the board before the first move.

        Args:
            move: point of the stone.
            color: color of the stone.
            at: offset in the text, for error messages.

        Raises:
            GameFileError: the point is occupied, or the stone ends the game.
        """
        self._occupy(move, color, at, "a stone of the set-up")
        self.setup.append((move, color))
        if self._winning_row(move) >= self._stated.win_length:
            self._source.fail(at, "a set-up without a row that wins", self._text(move))

    def play(self, ply: Ply, at: int) -> None:
        """Add a move.

        Args:
            ply: the move, with its color.
            at: offset of the move in the text, for error messages.

        Raises:
            GameFileError: the point is occupied or unsupported under gravity, or the game is over.
        """
        if ply.move == PASS:
            self._pass(ply, at)
            return
        if self._row >= self._stated.win_length:
            is_longer = self._row > self._stated.win_length
            if not is_longer or self._rule is not None:
                self._source.fail(at, "no move after the end", self._text(ply.move))
            self._rule = Rule.STANDARD  # the last row was too long to win, and the game went on
        below = ply.move + self._columns
        if self._stated.gravity and below < len(self._stones) and not self._stones[below]:
            self._source.fail(at, "a point on a stone or at the foot", self._text(ply.move))
        number = len(self.plies) + 1
        self._occupy(ply.move, ply.color, at, f"move {number}")
        self.plies.append(ply)
        self._row = self._winning_row(ply.move)

    def _pass(self, ply: Ply, at: int) -> None:
        """Add a pass; after the end of the game it means nothing."""
        if self._row >= self._stated.win_length:
            self._source.note(at, "a pass after the end is left out")
            return
        self._source.note(at, f"move {len(self.plies) + 1} is a pass")
        self.plies.append(ply)
        self._row = 0

    def finish(self, stated: StatedResult) -> tuple[Rules, Color, str]:
        """Find rules and a result that fit both the stones on the board and the stated result.

        Args:
            stated: the result that the file states.

        Returns:
            The rules, the winner (EMPTY for a draw) and the termination.

        Raises:
            GameFileError: board and stated result contradict each other.
        """
        length, winner = self._stated.win_length, stated.winner
        last = self.plies[-1].color if self.plies else EMPTY
        is_told = stated.termination != UNFINISHED
        is_longer = self._row > length and self._rule is None
        is_won = self._row >= length
        if is_won and is_longer and (stated.is_open or (is_told and winner != last)):
            self._rule, is_won = Rule.STANDARD, False
        rules = self._rules(stated.at)
        if is_won:
            if is_told and winner != last:
                self._source.fail(
                    stated.at,
                    f"that {color_name(last)} wins, who has {length} in a row",
                    "a draw" if winner == EMPTY else f"that {color_name(winner)} wins",
                )
            return rules, last, Termination.FIVE.value
        if self._is_foul_claimed(rules, stated):
            return rules, WHITE, Termination.FOUL.value
        if EMPTY not in self._stones or self._is_stuck(rules):
            return self._full(rules, stated)
        if stated.termination in BOARD_ENDS:
            return rules, winner, DECLARED
        return rules, winner, stated.termination

    def _is_foul_claimed(self, rules: Rules, stated: StatedResult) -> bool:
        """Return whether the last move is a foul of Black, unless the file says who won else."""
        last = self.plies[-1] if self.plies else None
        if not rules.has_fouls or last is None or last.color != BLACK or last.move == PASS:
            return False
        before = self._stones.copy()
        before[last.move] = EMPTY
        foul = find_foul(before, last.move, self._columns, self._rows)
        if foul is None or stated.termination == UNFINISHED or stated.winner == WHITE:
            return foul is not None
        self._source.note(
            stated.at, f"Black's last move is a foul ({foul}), but White does not win"
        )
        return False

    def _is_stuck(self, rules: Rules) -> bool:
        """Return whether Black is to move in renju, and all empty points are fouls."""
        is_blacks = bool(self.plies) and self.plies[-1].color == WHITE
        return (
            rules.has_fouls
            and is_blacks
            and not has_legal_point(self._stones, self._columns, self._rows)
        )

    def _rules(self, at: int) -> Rules:
        """Return the stated rules, with defaults for what is not stated.

        Raises:
            GameFileError: the rules do not fit the board, such as five in a row on 4x4.
        """
        try:
            return Rules(
                self._columns,
                self._stated.win_length,
                self._rule or Rule.FREESTYLE,
                height=self._rows,
                gravity=self._stated.gravity,
                full_board_winner=self._stated.full_board_winner or EMPTY,
            )
        except RulesError as error:
            self._source.fail(at, "rules of a game on this board", str(error))

    def _full(self, rules: Rules, said: StatedResult) -> tuple[Rules, Color, str]:
        if said.termination == UNFINISHED or said.winner == rules.full_board_winner:
            return rules, rules.full_board_winner, Termination.FULL.value
        if self._stated.full_board_winner is not None:
            side = color_name(rules.full_board_winner)
            self._source.fail(
                said.at, f"that {side} wins the full board", f"that {color_name(said.winner)} does"
            )
        return replace(rules, full_board_winner=said.winner), said.winner, Termination.FULL.value

    def _occupy(self, move: Move, color: Color, at: int, name: str) -> None:
        if move in self._placed:
            found = f"{self._text(move)}, where {self._placed[move]} lies"
            self._source.fail(at, "an empty point", found)
        self._stones[move] = color
        self._placed[move] = name

    def _text(self, move: Move) -> str:
        return to_text(move, self._columns, self._rows)

    def _winning_row(self, move: Move) -> int:
        """Return the length of the row through a stone that counts for a win.

        If the file states the rule, this is the win length if a row wins, else 0. If it states no
        rule, this is the win length if one row has exactly that length. Otherwise it is the length
        of the longest row.

        Args:
            move: point of the stone.
        """
        rows = [self._row_along(move, axis) for axis in DIRECTIONS]
        wanted, color = self._stated.win_length, self._stones[move]
        if self._rule is not None:
            rule = self._rule
            is_won = any(rule.wins(row, wanted, color, is_blocked=ends == 2) for row, ends in rows)
            return wanted if is_won else 0
        lengths = [row for row, _ in rows]
        return wanted if wanted in lengths else max(lengths)

    def _row_along(self, move: Move, axis: tuple[int, int]) -> tuple[int, int]:
        """Measure the row of one color through a stone, in one direction.

        A stone of the other color blocks an end of the row; the board's edge does not.

        Args:
            move: point of the stone.
            axis: direction of the row, as steps in rows and columns.

        Returns:
            The number of stones in the row, and how many of its two ends are blocked.
        """
        color, total, blocked = self._stones[move], 1, 0
        for sign in (1, -1):
            row, col = divmod(move, self._columns)
            while True:
                row, col = row + sign * axis[0], col + sign * axis[1]
                is_inside = 0 <= row < self._rows and 0 <= col < self._columns
                there = self._stones[row * self._columns + col] if is_inside else EMPTY
                if there != color:
                    blocked += there != EMPTY
                    break
                total += 1
        return total, blocked


def side_to_move(plies: int) -> Color:
    """Return the side to move after a number of stones; Black begins."""
    return BLACK if plies % 2 == 0 else -BLACK
