"""The answers to an attack that threatens to win by continuous fours.

An answer can help in two ways only. It stands on a point of these fours, or it lets the defender
make a four before, between or after its forced answers. Other stones change nothing: the fours
still win ("threat-space search", Allis, van den Herik and Huntjens 1993). In renju and caro a stone
farther away may cause fouls or blocked rows. So under these rules the search tries every other
legal answer, too (see `threes`).
"""

from __future__ import annotations

from ai.kernels.jit import INT, TABLE, Record, Table, kernel
from ai.kernels.layout import BORDER, CELL_MASK, EMPTY_CELL, FOUR, POSITION, STEPS
from ai.kernels.moves import best_class, place, take_back
from ai.kernels.threats.layout import FOURS, THREES
from ai.kernels.threats.points import five_point, move_at, pass_turn


@kernel(POSITION, THREES, INT, INT)
def mark_fours_beside(positions: Record, threes: Record, move: int, side: int) -> None:
    """Mark the points where `side` would make a four on a line through one of its stones.

    Args:
        positions: the position.
        threes: record that receives the marks.
        move: point of the stone.
        side: 0 for Black, 1 for White.
    """
    position = positions[0]
    cell = position.cells[move]
    for direction in range(4):
        for sign in range(-1, 2, 2):
            seen = cell
            for _ in range(position.reach):
                seen = (seen + sign * STEPS[direction]) & CELL_MASK
                content = position.board[seen]
                if content == BORDER or content == 2 - side:
                    break
                classes = position.line_classes[seen * 4 + direction]
                if content == EMPTY_CELL and (classes >> (4 * side)) & 15 >= FOUR:
                    threes[0].marks[move_at(positions, seen)] = threes[0].mark


@kernel(POSITION, TABLE, THREES, FOURS, INT)
def mark_answers(
    positions: Record, table: Table, threes: Record, fours: Record, plies: int
) -> None:
    """Mark the points where a stone of the side to move may stop the win that `fours` holds.

    The position is the same afterwards.

    Args:
        positions: the position after an attack. The other side would win by fours if it were to
            move.
        table: lookup table of the patterns on lines (`ai.kernels.patterns`).
        threes: record that receives the marks.
        fours: record of the search that found the win.
        plies: length of the win in plies, at least 3.
    """
    position = positions[0]
    three = threes[0]
    three.mark += 1
    defender = position.side
    for move in range(position.size * position.size):
        is_free = position.board[position.cells[move]] == EMPTY_CELL
        if is_free and best_class(positions, move, defender) >= FOUR:
            three.marks[move] = three.mark
    pass_turn(positions)
    for index in range(plies - 2):
        move = fours[0].line[index]
        three.marks[move] = three.mark
        place(positions, table, move)
        if index % 2 == 1:
            mark_fours_beside(positions, threes, move, defender)
    first = five_point(positions, 1 - defender, -1)
    if first >= 0:
        three.marks[first] = three.mark
        second = five_point(positions, 1 - defender, first)
        if second >= 0:
            three.marks[second] = three.mark
    for _ in range(plies - 2):
        take_back(positions, table)
    pass_turn(positions)
