"""Stones of the tree's board: placing and removing them, and the rows they make."""

from __future__ import annotations

from ai.kernels.jit import INT, Record, kernel
from ai.kernels.tree.layout import COLUMNS, FALLING, LINES, RISING, TREE_BOARD


@kernel(INT, INT, INT, returns=INT)
def rows_in(line: int, length: int, is_exact: int) -> int:
    """Return a number with one bit set for each winning row of a line; 0 if there is none.

    Each step doubles the length of the row that a bit stands for; the last step adds the rest.

    Args:
        line: bits of a side's stones on the line.
        length: stones in a row that win.
        is_exact: 1 if longer rows do not win.
    """
    step = min(2, length - 2)
    rest = length - 2 - step
    run = line & (line >> 1)
    run &= run >> step
    step = min(4, rest)
    run &= run >> step
    if length > 8:
        step = min(8, length - 8)
        run &= run >> step
        run &= run >> (length - 8 - step)
    if is_exact != 0:
        run &= ~(line << 1) & ~(line >> length)
    return run


@kernel(TREE_BOARD, INT, INT, returns=INT)
def toggle(boards: Record, side: int, cell: int) -> int:
    """Place a stone on the four lines through its cell, or remove it if it is there.

    Args:
        boards: record of the board.
        side: 0 for Black, 1 for White.
        cell: the point as a cell, an index on the padded board.

    Returns:
        0 if the side has no winning row on any of these lines, else another number.
    """
    board = boards[0]
    row, col = (cell >> 5) & 31, cell & 31
    base = side * LINES
    rows = 0
    index = base + row
    line = board.lines[index] ^ (1 << col)
    board.lines[index] = line
    rows |= rows_in(line, board.length, board.is_exact)
    index = base + COLUMNS + col
    line = board.lines[index] ^ (1 << row)
    board.lines[index] = line
    rows |= rows_in(line, board.length, board.is_exact)
    index = base + FALLING + ((row - col) & 63)
    line = board.lines[index] ^ (1 << row)
    board.lines[index] = line
    rows |= rows_in(line, board.length, board.is_exact)
    index = base + RISING + row + col
    line = board.lines[index] ^ (1 << row)
    board.lines[index] = line
    rows |= rows_in(line, board.length, board.is_exact)
    return rows


@kernel(TREE_BOARD, INT, INT, returns=INT)
def completes_row(boards: Record, side: int, cell: int) -> int:
    """Return whether a stone on an empty cell would make a winning row.

    Args:
        boards: record of the board.
        side: 0 for Black, 1 for White.
        cell: the point as a cell, an index on the padded board.

    Returns:
        0 if it would not, else another number.
    """
    board = boards[0]
    row, col = (cell >> 5) & 31, cell & 31
    length, is_exact = board.length, board.is_exact
    base = side * LINES
    rows = rows_in(board.lines[base + row] | (1 << col), length, is_exact)
    rows |= rows_in(board.lines[base + COLUMNS + col] | (1 << row), length, is_exact)
    falling = board.lines[base + FALLING + ((row - col) & 63)]
    rows |= rows_in(falling | (1 << row), length, is_exact)
    rising = board.lines[base + RISING + row + col]
    rows |= rows_in(rising | (1 << row), length, is_exact)
    return int(rows)


@kernel(TREE_BOARD, INT)
def open_region(boards: Record, cell: int) -> None:
    """Add the points within reach of a stone to the region, to which play is limited.

    Args:
        boards: record of the board.
        cell: cell of the stone, an index on the padded board.
    """
    board = boards[0]
    count = board.count
    for number in range(board.near_count):
        seen = cell + board.near[number]
        if board.is_known[seen] == 0:
            board.is_known[seen] = 1
            board.spots[count] = seen
            board.places[seen] = count
            count += 1
    board.opened[board.ply] = count - board.count
    board.count = count


@kernel(TREE_BOARD, INT, returns=INT)
def put_stone(boards: Record, cell: int) -> int:
    """Place a stone of the side to move and pass the turn to the other side.

    The region (the points near stones) grows. A stone outside of it cannot be taken back.

    Args:
        boards: record of the board.
        cell: the point as a cell, an index on the padded board.

    Returns:
        0 if the stone makes no winning row, else another number.
    """
    board = boards[0]
    if board.is_known[cell] == 0:
        board.is_known[cell] = 1
    else:
        place = board.places[cell]
        board.count -= 1
        last = board.spots[board.count]
        board.spots[place] = last
        board.places[last] = place
    rows = toggle(boards, board.side, cell)
    open_region(boards, cell)
    board.side = 1 - board.side
    board.ply += 1
    return rows


@kernel(TREE_BOARD, INT)
def lift_stone(boards: Record, cell: int) -> None:
    """Take back the last stone, which is on `cell`."""
    board = boards[0]
    board.ply -= 1
    board.side = 1 - board.side
    toggle(boards, board.side, cell)
    count = board.count
    for _ in range(board.opened[board.ply]):
        count -= 1
        board.is_known[board.spots[count]] = 0
    place = board.places[cell]
    last = board.spots[place]
    board.spots[count] = last
    board.places[last] = count
    board.spots[place] = cell
    board.count = count + 1
