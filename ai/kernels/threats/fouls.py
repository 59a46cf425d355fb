"""Points forbidden to Black in renju, and points at the end of a row that stop it in caro.

The definition of fouls is in `ai.game.renju`; tests compare both implementations.
"""

from __future__ import annotations

from ai.kernels.jit import INT, TABLE, Record, Table, kernel
from ai.kernels.layout import (
    CELL_MASK,
    CLASSES,
    EMPTY_CELL,
    FIVE,
    INFO,
    INFO_FOURS,
    INFO_OVERLINE,
    INFO_THREE,
    OPEN_FOUR,
    POSITION,
    STEPS,
)
from ai.kernels.moves import best_class, place, take_back
from ai.kernels.threats.points import move_at, pass_turn


@kernel(POSITION, TABLE, INT, INT, returns=INT)
def line_info(positions: Record, table: Table, cell: int, direction: int) -> int:
    """Return the bits about fouls (see `layout.INFO`) of a black stone in one direction.

    Args:
        positions: the position.
        table: lookup table of the patterns on lines (`ai.kernels.patterns`).
        cell: cell on the padded board where the stone is or would be.
        direction: index in `layout.STEPS`.
    """
    found: int = table[INFO + positions[0].line_keys[cell * 4 + direction]]
    return found


@kernel(POSITION, TABLE, INT, returns=INT)
def threes_of(positions: Record, table: Table, cell: int) -> int:
    """Return in how many directions a black stone seems to make a three; -1 for a foul.

    A foul here is an overline or a double four. It is not checked whether the threes are real, that
    is, can become a straight four by a legal move.

    Args:
        positions: the position.
        table: lookup table of the patterns on lines (`ai.kernels.patterns`).
        cell: cell on the padded board where the stone is or would be.
    """
    fours = 0
    threes = 0
    for direction in range(4):
        info = line_info(positions, table, cell, direction)
        if info & INFO_OVERLINE != 0:
            return -1
        fours += info & INFO_FOURS
        threes += 1 if info & INFO_THREE != 0 else 0
    return -1 if fours >= 2 else threes


@kernel(POSITION, INT, INT, INT, returns=INT)
def straight_point(positions: Record, cell: int, direction: int, sign: int) -> int:
    """Return the point at one end of a black row where a stone makes a straight four, and no five.

    Args:
        positions: the position, with the black stone on `cell`.
        cell: a stone of the row, as an index on the padded board.
        direction: index in `layout.STEPS`.
        sign: 1 for the end of the row in this direction, -1 for the other end.

    Returns:
        The point; -1 if there is none.
    """
    position = positions[0]
    step = sign * STEPS[direction]
    seen = (cell + step) & CELL_MASK
    while position.board[seen] == 1:
        seen = (seen + step) & CELL_MASK
    if position.board[seen] != EMPTY_CELL:
        return -1
    if position.line_classes[seen * 4 + direction] & 15 != OPEN_FOUR:
        return -1
    point = move_at(positions, seen)
    return -1 if best_class(positions, point, 0) == FIVE else point


@kernel(POSITION, TABLE, INT, returns=INT)
def is_foul(positions: Record, table: Table, move: int) -> int:
    """Return 1 if a black stone on an empty point would be a foul, else 0.

    It does not matter which side is to move. Under rules without fouls the result is 0.

    Args:
        positions: the position; unchanged afterwards.
        table: lookup table of the patterns on lines (`ai.kernels.patterns`).
        move: the point.
    """
    position = positions[0]
    if position.has_fouls == 0 or best_class(positions, move, 0) == FIVE:
        return 0
    cell = position.cells[move]
    threes = threes_of(positions, table, cell)
    if threes < 2:
        return 1 if threes < 0 else 0
    is_whites = position.side == 1
    if is_whites:
        pass_turn(positions)
    place(positions, table, move)
    threes = 0
    for direction in range(4):
        if line_info(positions, table, cell, direction) & INFO_THREE == 0:
            continue
        point = straight_point(positions, cell, direction, -1)
        is_real = point >= 0 and is_foul(positions, table, point) == 0
        if not is_real:
            point = straight_point(positions, cell, direction, 1)
            is_real = point >= 0 and is_foul(positions, table, point) == 0
        threes += 1 if is_real else 0
    take_back(positions, table)
    if is_whites:
        pass_turn(positions)
    return 1 if threes >= 2 else 0


@kernel(POSITION, TABLE, INT, returns=INT)
def is_forbidden(positions: Record, table: Table, move: int) -> int:
    """Return 1 if the side to move may not play on an empty point because it is a foul; else 0."""
    if positions[0].has_fouls == 0 or positions[0].side != 0:
        return 0
    return is_foul(positions, table, move)


@kernel(POSITION, TABLE, returns=INT)
def threatens_open_four(positions: Record, table: Table) -> int:
    """Return 1 if the other side threatens an open four by a legal move, else 0."""
    position = positions[0]
    other = 1 - position.side
    if position.points[other * CLASSES + OPEN_FOUR] == 0:
        return 0
    if position.has_fouls == 0 or other != 0:
        return 1
    for move in range(position.size * position.size):
        if position.board[position.cells[move]] != EMPTY_CELL:
            continue
        if best_class(positions, move, 0) == OPEN_FOUR and is_foul(positions, table, move) == 0:
            return 1
    return 0


@kernel(POSITION, INT, INT, returns=INT)
def end_stop(positions: Record, side: int, point: int) -> int:
    """Return a second point where a five can be stopped in caro; -1 if there is none.

    The first one is `point` itself. If a stone of the other side is at one end of the row, a stone
    at the other end stops it, too. If `point` completes fives in several directions, there is no
    second point.

    Args:
        positions: the position.
        side: side that threatens the five, 0 for Black, 1 for White.
        point: point that completes the five.
    """
    position = positions[0]
    if position.has_blocks == 0:
        return -1
    cell = position.cells[point]
    found = -1
    fives = 0
    for direction in range(4):
        if (position.line_classes[cell * 4 + direction] >> (4 * side)) & 15 != FIVE:
            continue
        fives += 1
        step = STEPS[direction]
        first = (cell - step) & CELL_MASK
        while position.board[first] == side + 1:
            first = (first - step) & CELL_MASK
        last = (cell + step) & CELL_MASK
        while position.board[last] == side + 1:
            last = (last + step) & CELL_MASK
        if position.board[first] == 2 - side and position.board[last] == EMPTY_CELL:
            found = move_at(positions, last)
        elif position.board[last] == 2 - side and position.board[first] == EMPTY_CELL:
            found = move_at(positions, first)
    return found if fives == 1 else -1
