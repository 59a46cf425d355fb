"""`KernelPosition`: a position for kernels, kept equal to a `Board`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

import numpy as np

from ai.game import PASS, Board, Move, Rule, Rules, RulesError
from ai.game.lines import zobrist_keys
from ai.kernels import layout
from ai.kernels.jit import fields_of, new_record, new_table
from ai.kernels.moves import place, scan_classes, take_back
from ai.kernels.patterns import class_table, has_table, reach_of, rule_table
from ai.kernels.threats.points import pass_turn

FIVE_STONES: Final = 5


class KernelPosition:
    """A position for kernels, kept equal to a `Board`.

    Attributes:
        rules: rules of the games.
        record: record of the position, first argument of most kernels.
        table: lookup table of the patterns on lines, second argument of most kernels.
    """

    def __init__(self, rules: Rules, *, knows_fouls: bool = False) -> None:
        """Start with the empty board.

        Args:
            rules: rules of the games.
            knows_fouls: whether the caller's kernels leave out Black's fouls in renju
                (`threats.fouls`) and know that in caro a row may be stopped at its ends.

        Raises:
            RulesError: the board is not square or has gravity. Or the rule is renju or caro, and
                `knows_fouls` is False or the win length is not five.
        """
        if not rules.is_plain:
            raise RulesError(f"expected a square board without gravity, found {rules!r}")
        is_special = rules.rule not in (Rule.FREESTYLE, Rule.STANDARD)
        if is_special and not (knows_fouls and rules.win_length == FIVE_STONES):
            raise RulesError(f"rule: expected freestyle or standard, found {rules.rule}")
        self.rules = rules
        self.record = new_record(layout.POSITION)
        self._fields = fields_of(self.record)
        is_tabled = has_table(rules)
        if is_special:
            classes = rule_table(rules.rule)
        elif is_tabled:
            classes = class_table(rules.win_length, exact=rules.exact)
        else:
            classes = np.zeros(1, np.uint8)
        self.table = new_table(classes)
        self._passes: list[int] = []
        """For each pass, the number of stones before it."""
        self._set_rules(rules, is_tabled=is_tabled)
        self._set_cells(rules.size)
        self._set_lines(rules.size)

    @property
    def key(self) -> int:
        """Zobrist key; equal to that of a `Board` in the same position."""
        return int(self._fields.key)

    @property
    def moves(self) -> list[Move]:
        """Moves played, first to last, passes included."""
        found = [int(move) for move in self._fields.moves[: int(self._fields.ply)]]
        for number, stones in enumerate(self._passes):
            found.insert(stones + number, PASS)
        return found

    def follow(self, board: Board) -> None:
        """Undo and place moves until the position equals that of `board`."""
        self.follow_moves(board.moves)

    def follow_moves(self, moves: Sequence[Move]) -> None:
        """Take back and place moves until exactly `moves` have been played."""
        played = self.moves
        common = 0
        for mine, wanted in zip(played, moves, strict=False):
            if mine != wanted:
                break
            common += 1
        for move in reversed(played[common:]):
            if move == PASS:
                pass_turn(self.record)
                self._passes.pop()
            else:
                take_back(self.record, self.table)
        for move in moves[common:]:
            if move == PASS:
                self._passes.append(int(self._fields.ply))
                pass_turn(self.record)
            else:
                place(self.record, self.table, move)

    def count_points(self, side: int, line_class: int) -> int:
        """Return in how many ways `side` could make a pattern with one stone.

        A point counts once for each direction in which the stone makes the pattern.

        Args:
            side: 0 for Black, 1 for White.
            line_class: kind of pattern, such as `OPEN_THREE` of `ai.kernels.layout`.
        """
        return int(self._fields.points[side * layout.CLASSES + line_class])

    def count_stones(self, side: int, line_class: int) -> int:
        """Return how many stones of `side` are part of a pattern of one kind.

        A stone counts once for each direction in which it is part of one.

        Args:
            side: 0 for Black, 1 for White.
            line_class: kind of pattern, such as `OPEN_THREE` of `ai.kernels.layout`.
        """
        return int(self._fields.stones[side * layout.CLASSES + line_class])

    def stone_counts(self) -> list[int]:
        """Return `count_stones` for both sides and all classes, at index side * CLASSES + class."""
        return [int(count) for count in self._fields.stones]

    def line_class(self, move: Move, direction: int, side: int) -> int:
        """Return the kind of pattern (line class) of a stone in one direction.

        The point may be empty; then the stone is imagined.

        Args:
            move: the point.
            direction: index in `layout.STEPS`.
            side: 0 for Black, 1 for White.
        """
        state = self._fields
        return (int(state.line_classes[int(state.cells[move]) * 4 + direction]) >> 4 * side) & 15

    def _set_rules(self, rules: Rules, *, is_tabled: bool) -> None:
        """Write the rules and the Zobrist keys into the record.

        Args:
            rules: rules of the game.
            is_tabled: whether there is a lookup table of patterns for these rules.
        """
        state = self._fields
        state.size = rules.size
        state.win_length = rules.win_length
        state.is_exact = int(rules.exact)
        state.reach = reach_of(rules)
        state.has_table = int(is_tabled)
        state.has_fouls = int(rules.has_fouls)
        state.has_blocks = int(rules.rule is Rule.CARO)
        keys = zobrist_keys(rules.size)
        state.zobrist_side = keys.white_to_move
        state.zobrist[: rules.points] = keys.black
        state.zobrist[layout.POINTS : layout.POINTS + rules.points] = keys.white

    def _set_cells(self, size: int) -> None:
        """Write the borders and the cell of each move."""
        cells = [(row + 1) * layout.STRIDE + col + 1 for row in range(size) for col in range(size)]
        board = np.full(layout.CELLS, layout.BORDER, np.uint8)
        board[cells] = layout.EMPTY_CELL
        self._fields.cells[: len(cells)] = cells
        self._fields.board[:] = board.tolist()

    def _set_lines(self, size: int) -> None:
        """Write the line keys, classes and counters of the empty board."""
        state = self._fields
        line_keys, line_classes, points = state.line_keys, state.line_classes, state.points
        keys = _empty_line_keys(size, int(state.reach)) if state.has_table else ()
        for number, cell in enumerate(map(int, state.cells[: size * size])):
            for direction in range(len(layout.STEPS)):
                index = cell * 4 + direction
                if keys:
                    line_keys[index] = keys[number][direction]
                    classes = int(self.table[keys[number][direction]])
                else:
                    classes = scan_classes(self.record, cell, direction)
                line_classes[index] = classes
                points[classes & 15] += 1
                points[layout.CLASSES + (classes >> 4)] += 1


@cache
def _empty_line_keys(size: int, reach: int) -> tuple[tuple[int, ...], ...]:
    """Return the line keys of the empty board, which contain only its edges.

    Args:
        size: points along a side of the board.
        reach: neighbours on each side that a key covers.

    Returns:
        For each point, one key for each direction of `layout.STEPS`.
    """
    board = [layout.BORDER] * layout.CELLS
    cells = [(row + 1) * layout.STRIDE + col + 1 for row in range(size) for col in range(size)]
    for cell in cells:
        board[cell] = layout.EMPTY_CELL
    return tuple(
        tuple(_empty_line_key(board, cell, step, reach) for step in layout.STEPS) for cell in cells
    )


def _empty_line_key(board: Sequence[int], cell: int, step: int, reach: int) -> int:
    key = 0
    for sign, first_slot, slot_step in ((-1, reach - 1, -1), (1, reach, 1)):
        is_outside = False
        for distance in range(1, reach + 1):
            is_outside = is_outside or board[cell + sign * distance * step] == layout.BORDER
            if is_outside:
                key |= layout.BORDER << (2 * (first_slot + slot_step * (distance - 1)))
    return key
