"""Points where a stone of either side completes a row or a pattern."""

from __future__ import annotations

from ai.kernels.jit import INT, Record, kernel
from ai.kernels.layout import (
    BORDER,
    CELL_MASK,
    CLASSES,
    EMPTY_CELL,
    FIVE,
    POSITION,
    STEPS,
    STRIDE,
)
from ai.kernels.moves import best_class


@kernel(POSITION, INT, returns=INT)
def move_at(positions: Record, cell: int) -> int:
    """Return the point (move) that belongs to a cell of the padded board.

    Args:
        positions: the position.
        cell: index of the cell.
    """
    size: int = positions[0].size
    return (cell // STRIDE - 1) * size + cell % STRIDE - 1


@kernel(POSITION, INT, INT, INT, returns=INT)
def five_beside(positions: Record, move: int, side: int, other_than: int) -> int:
    """Return an empty point where `side` makes five on a line through a stone; -1 if there is none.

    Points beyond a stone of the other side do not count.

    Args:
        positions: the position.
        move: point of the stone, which is of `side`.
        side: 0 for Black, 1 for White.
        other_than: point that does not count; -1 for none.
    """
    position = positions[0]
    board = position.board
    cell = position.cells[move]
    for direction in range(4):
        for sign in range(-1, 2, 2):
            step = sign * STEPS[direction]
            seen = cell
            for _ in range(position.reach):
                seen = (seen + step) & CELL_MASK
                content = board[seen]
                if content == BORDER or content == 2 - side:
                    break
                if content != EMPTY_CELL:
                    continue
                classes = position.line_classes[seen * 4 + direction]
                if (classes >> (4 * side)) & 15 == FIVE:
                    point = move_at(positions, seen)
                    if point != other_than:
                        return point
    return -1


@kernel(POSITION, INT, INT, INT, returns=INT)
def point_of(positions: Record, side: int, line_class: int, other_than: int) -> int:
    """Return the first empty point where `side` makes a pattern of one kind or a stronger one.

    Args:
        positions: the position.
        side: 0 for Black, 1 for White.
        line_class: kind of pattern (line class), a constant of `ai.kernels.layout` such as FOUR.
        other_than: point that does not count; -1 for none.

    Returns:
        The point; -1 if there is none.
    """
    position = positions[0]
    for move in range(position.size * position.size):
        is_free = position.board[position.cells[move]] == EMPTY_CELL
        if is_free and move != other_than and best_class(positions, move, side) >= line_class:
            return move
    return -1


@kernel(POSITION, INT, INT, returns=INT)
def five_point(positions: Record, side: int, other_than: int) -> int:
    """Return an empty point where `side` makes five; -1 if there is none.

    Args:
        positions: the position.
        side: 0 for Black, 1 for White.
        other_than: point that does not count; -1 for none.
    """
    position = positions[0]
    if position.points[side * CLASSES + FIVE] == 0:
        return -1
    if position.ply > 0:
        last = position.moves[position.ply - 1]
        if position.board[position.cells[last]] == side + 1:
            found = five_beside(positions, last, side, other_than)
            if found >= 0:
                return found
    return point_of(positions, side, FIVE, other_than)


@kernel(POSITION)
def pass_turn(positions: Record) -> None:
    """Pass the turn to the other side without a move; a second call undoes it."""
    position = positions[0]
    position.side = 1 - position.side
    position.key ^= position.zobrist_side
