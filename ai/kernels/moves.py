"""Making and unmaking moves, which updates the patterns (line classes) near the point.

A stone changes the line keys of the cells within reach along its four lines: at most 32 under the
usual rules. The same exclusive-or makes and unmakes the change.
"""

from __future__ import annotations

from ai.kernels.jit import INT, TABLE, Record, Table, kernel
from ai.kernels.layout import (
    BORDER,
    CELL_MASK,
    CLASSES,
    EMPTY_CELL,
    FIVE,
    FOUR,
    KEY_MASK,
    NONE,
    OPEN_FOUR,
    OPEN_THREE,
    OPEN_TWO,
    POSITION,
    STEPS,
    THREE,
)


@kernel(INT, INT, INT, returns=INT)
def class_from_counts(win_length: int, most: int, most_open: int) -> int:
    """Return the kind of pattern (line class) that a stone is part of.

    Args:
        win_length: stones in a row that win.
        most: most stones in a window through the stone; a window is `win_length` cells without a
            stone of the other side.
        most_open: the same for open windows, which are one cell longer and empty at both ends; -1
            if there is none.
    """
    if most >= win_length:
        return FIVE
    if most_open == win_length - 1:
        return OPEN_FOUR
    if most == win_length - 1:
        return FOUR
    if most_open == win_length - 2:
        return OPEN_THREE
    if most == win_length - 2:
        return THREE
    if most_open == win_length - 3 and most_open > 0:
        return OPEN_TWO
    return NONE


@kernel(POSITION, INT, INT, INT, INT, returns=INT)
def free_reach(positions: Record, cell: int, step: int, stone: int, limit: int) -> int:
    """Count the cells after `cell` that are empty or hold `stone`, up to the first that does not.

    Args:
        positions: the position.
        cell: the cell, not counted.
        step: from one cell to the next; negative for the opposite direction.
        stone: 1 for Black, 2 for White.
        limit: greatest count.
    """
    board = positions[0].board
    count = 0
    while count < limit:
        content = board[cell + (count + 1) * step]
        if content != EMPTY_CELL and content != stone:
            break
        count += 1
    return count


@kernel(POSITION, INT, INT, INT, INT, returns=INT)
def most_in_window(positions: Record, cell: int, step: int, stone: int, is_open: int) -> int:
    """Return the most stones in a window through `cell`, counted as a stone; -1 if there is none.

    A window is `win_length` cells that hold only `stone` or nothing. An open window is one cell
    longer and empty at both ends. Under the exact rule no further stone of the side may touch a
    window. For an open window this holds for the cells between its ends.

    Args:
        positions: the position.
        cell: the cell.
        step: from one cell to the next in the line's direction.
        stone: 1 for Black, 2 for White.
        is_open: 1 for open windows, 0 for others.
    """
    position = positions[0]
    board = position.board
    length = position.win_length + is_open
    back = free_reach(positions, cell, -step, stone, position.reach)
    ahead = free_reach(positions, cell, step, stone, position.reach)
    best = -1
    for start in range(-back, 1):
        end = start + length - 1
        if end < 0 or end > ahead:
            continue
        first = cell + start * step
        last = cell + end * step
        if is_open == 1 and (
            start == 0 or end == 0 or board[first] != EMPTY_CELL or board[last] != EMPTY_CELL
        ):
            continue
        if position.is_exact == 1 and (board[first - step] == stone or board[last + step] == stone):
            continue
        count = 1
        for offset in range(start, end + 1):
            if offset != 0 and board[cell + offset * step] == stone:
                count += 1
        best = max(best, count)
    return best


@kernel(POSITION, INT, INT, returns=INT)
def scan_classes(positions: Record, cell: int, direction: int) -> int:
    """Return both sides' patterns (line classes) at a cell, found by scanning its line.

    This is for rules whose lines are too long for a lookup table.

    Args:
        positions: the position.
        cell: the point as a cell, an index on the padded board.
        direction: index in `layout.STEPS`.

    Returns:
        Black's class in the low four bits, White's in the high four.
    """
    position = positions[0]
    step = STEPS[direction]
    classes = 0
    for side in range(2):
        most = most_in_window(positions, cell, step, side + 1, 0)
        most_open = most_in_window(positions, cell, step, side + 1, 1)
        classes |= class_from_counts(position.win_length, most, most_open) << (4 * side)
    return classes


@kernel(POSITION, INT, INT, INT, is_inlined=True)
def change_classes(positions: Record, index: int, content: int, new: int) -> None:
    """Store the line classes of a cell in one direction and update the counters of patterns.

    Args:
        positions: the position.
        index: index in `line_classes`, 4 * cell + direction.
        content: what the cell holds.
        new: the new classes: Black's in the low four bits, White's in the high four.
    """
    position = positions[0]
    old = position.line_classes[index]
    if new != old:
        position.line_classes[index] = new
        if content == EMPTY_CELL:
            position.points[old & 15] -= 1
            position.points[CLASSES + (old >> 4)] -= 1
            position.points[new & 15] += 1
            position.points[CLASSES + (new >> 4)] += 1
        else:
            side = (content - 1) & 1
            position.stones[side * CLASSES + ((old >> (4 * side)) & 15)] -= 1
            position.stones[side * CLASSES + ((new >> (4 * side)) & 15)] += 1


@kernel(POSITION, TABLE, INT, INT)
def toggle_lines(positions: Record, table: Table, cell: int, stone: int) -> None:
    """Add a stone to the line keys of the cells near it, or remove it again.

    A second call undoes the first. The cells' line classes and the counters are updated, too.

    Args:
        positions: the position.
        table: lookup table of the patterns on lines (`ai.kernels.patterns`).
        cell: cell of the stone.
        stone: 1 for Black, 2 for White.
    """
    position = positions[0]
    reach = position.reach
    for direction in range(4):
        step = STEPS[direction]
        for sign in range(-1, 2, 2):
            seen = cell
            for distance in range(1, reach + 1):
                seen = (seen + sign * step) & CELL_MASK
                content = position.board[seen]
                if content == BORDER:
                    break
                index = seen * 4 + direction
                shift = 2 * reach - 1 - sign * (2 * distance - 1)
                key = (position.line_keys[index] ^ (stone << shift)) & KEY_MASK
                position.line_keys[index] = key
                change_classes(positions, index, content, table[key])


@kernel(POSITION, INT)
def rescan_lines(positions: Record, cell: int) -> None:
    """Find the line classes of all cells near a changed cell anew, by scanning.

    It does what `toggle_lines` does, but without a lookup table.

    Args:
        positions: the position.
        cell: the changed cell.
    """
    position = positions[0]
    for direction in range(4):
        for sign in range(-1, 2, 2):
            seen = cell
            for _ in range(position.reach):
                seen += sign * STEPS[direction]
                content = position.board[seen]
                if content == BORDER:
                    break
                classes = scan_classes(positions, seen, direction)
                change_classes(positions, seen * 4 + direction, content, classes)


@kernel(POSITION, INT, INT, INT, is_inlined=True)
def count_cell(positions: Record, cell: int, side: int, change: int) -> None:
    """Update the counters of patterns when a point is filled or emptied.

    Args:
        positions: the position.
        cell: the point as a cell, an index on the padded board.
        side: side of the stone, 0 for Black, 1 for White.
        change: 1 if the point is filled, -1 if it is emptied.
    """
    position = positions[0]
    for direction in range(4):
        classes = position.line_classes[cell * 4 + direction]
        position.points[classes & 15] -= change
        position.points[CLASSES + (classes >> 4)] -= change
        position.stones[side * CLASSES + ((classes >> (4 * side)) & 15)] += change


@kernel(POSITION, TABLE, INT)
def place(positions: Record, table: Table, move: int) -> None:
    """Place a stone of the side to move; the caller must make sure that the move is legal."""
    position = positions[0]
    side = position.side
    cell = position.cells[move] & CELL_MASK
    count_cell(positions, cell, side, 1)
    position.board[cell] = side + 1
    if position.has_table == 1:
        toggle_lines(positions, table, cell, side + 1)
    else:
        rescan_lines(positions, cell)
    position.key ^= position.zobrist[side * (len(position.zobrist) // 2) + move]
    position.key ^= position.zobrist_side
    position.moves[position.ply] = move
    position.ply += 1
    position.side = 1 - side


@kernel(POSITION, TABLE)
def take_back(positions: Record, table: Table) -> None:
    """Take back the last move."""
    position = positions[0]
    position.ply -= 1
    move = position.moves[position.ply]
    side = 1 - position.side
    cell = position.cells[move] & CELL_MASK
    position.board[cell] = EMPTY_CELL
    if position.has_table == 1:
        toggle_lines(positions, table, cell, side + 1)
    else:
        rescan_lines(positions, cell)
    count_cell(positions, cell, side, -1)
    position.key ^= position.zobrist[side * (len(position.zobrist) // 2) + move]
    position.key ^= position.zobrist_side
    position.side = side


@kernel(POSITION, INT, INT, returns=INT)
def best_class(positions: Record, move: int, side: int) -> int:
    """Return the strongest pattern (line class) that a stone of `side` makes on its four lines.

    Args:
        positions: the position.
        move: point of the stone.
        side: 0 for Black, 1 for White.
    """
    position = positions[0]
    cell = position.cells[move]
    best = NONE
    for direction in range(4):
        best = max(best, (position.line_classes[cell * 4 + direction] >> (4 * side)) & 15)
    return best
