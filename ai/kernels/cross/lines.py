"""Patterns of whole lines, and the board's value, updated along the four lines of a changed point.

Each stone in a line has a class. It depends on the *windows* through the stone: `win_length` cells
in a row that hold no stone of the other side. For five in a row the classes are these:

- *win*: five stones.
- *H4*: `.XXXX.`. *C4*: four stones in a window.
- *H3*: one stone short of an H4. *M3*: one short of a C4.
- *H2*: one short of an H3. *M2*: one short of an M3.
- *S4, S3, S2*: four, three or two stones where no window fits.

The number of patterns of a class is the number of its stones divided by the stones of a pattern,
rounded up.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from ai.game.rules import MAX_SIZE
from ai.kernels.jit import INT, Record, kernel
from ai.kernels.layout import POINTS

WIN: Final = 1
H4: Final = 2
C4: Final = 3
H3: Final = 4
M3: Final = 5
H2: Final = 6
M2: Final = 7
S4: Final = 8
S3: Final = 9
S2: Final = 10
LINE_CLASSES: Final = 11
"""Number of classes; class 0 is a stone that is part of no pattern."""
LINES: Final = 2 * MAX_SIZE
"""Greatest number of lines in one direction."""
SLOTS: Final = 8
"""Greatest number of stones that a search can have placed and not yet taken back.

Each one has a slot: memory for the values of the lines before it was placed.
"""

BOARD: Final = np.dtype(
    [
        ("stones", np.int64, POINTS),  # 0 empty, 1 Black, 2 White
        ("near", np.int64, POINTS),  # stones on the eight neighbours
        ("values", np.int64, LINE_CLASSES),  # of one pattern
        ("lengths", np.int64, LINE_CLASSES),  # stones in one pattern
        ("line_values", np.int64, 4 * LINES),  # [direction, line]: Black's minus White's
        ("kept", np.int64, SLOTS * 4 * LINES),  # [slot, …]: line values before a stone
        ("total", np.int64),  # of all lines
        ("size", np.int64),
        ("win_length", np.int64),
        ("is_exact", np.int64),
        ("scans_all", np.int64),  # 1: every line is scanned after each change
        ("scans", np.int64),  # lines scanned so far
        ("cells", np.int64, MAX_SIZE),  # of the line in hand
        ("most", np.int64, MAX_SIZE),  # stones in the fullest window through a cell, -1 for none
        ("most_open", np.int64, MAX_SIZE),  # the same of windows with both ends empty
        ("counted", np.int64, LINE_CLASSES),  # stones of each class
    ],
    align=True,
)
"""Record of a board with the values of its lines."""


@kernel(INT, INT, INT, returns=INT)
def line_of(size: int, move: int, direction: int) -> int:
    """Return the number of the line through a point in a direction.

    Args:
        size: points along a side of the board.
        move: the point.
        direction: 0 row, 1 column, 2 and 3 the diagonals; each direction counts its lines from 0.
    """
    row = move // size
    col = move % size
    if direction == 0:
        return row
    if direction == 1:
        return col
    if direction == 2:
        return col - row + size - 1
    return row + col


@kernel(BOARD, INT, INT, returns=INT)
def read_line(boards: Record, direction: int, line: int) -> int:
    """Copy the stones of a line to the record's `cells` and return the line's length.

    Args:
        boards: record of the board.
        direction: 0 row, 1 column, 2 and 3 the diagonals.
        line: number of the line in its direction, see `line_of`.
    """
    board = boards[0]
    size = board.size
    row = 0
    col = 0
    step = 1
    length: int = size
    if direction == 0:
        row = line
    elif direction == 1:
        col = line
        step = size
    elif direction == 2:
        shift = line - size + 1
        row = max(0, -shift)
        col = max(0, shift)
        length = size - max(row, col)
        step = size + 1
    else:
        row = max(0, line - size + 1)
        col = line - row
        length = col - row + 1
        step = size - 1
    move = row * size + col
    for index in range(length):
        board.cells[index] = board.stones[move]
        move += step
    return length


@kernel(BOARD, INT, INT, INT, returns=INT)
def count_window(boards: Record, start: int, end: int, stone: int) -> int:
    """Count a side's stones in a window of `cells`; -1 if a stone of the other side is in it.

    Args:
        boards: the board; `cells` hold a line.
        start: first index of the window.
        end: last index of the window.
        stone: 1 for Black, 2 for White.
    """
    cells = boards[0].cells
    count = 0
    for index in range(start, end + 1):
        if cells[index] == stone:
            count += 1
        elif cells[index] != 0:
            return -1
    return count


@kernel(BOARD, INT, INT, INT, INT, returns=INT)
def is_touched(boards: Record, start: int, end: int, length: int, stone: int) -> int:
    """Return 1 if a stone of the side is directly before or after a window, else 0.

    Args:
        boards: the board; `cells` hold a line.
        start: first index of the window.
        end: last index of the window.
        length: length of the line.
        stone: 1 for Black, 2 for White.
    """
    cells = boards[0].cells
    if start > 0 and cells[start - 1] == stone:
        return 1
    return 1 if end + 1 < length and cells[end + 1] == stone else 0


@kernel(BOARD, INT, INT)
def find_windows(boards: Record, length: int, stone: int) -> None:
    """Write to `most`, for each cell, the most stones of a side in one window through it.

    The same for open windows is written to `most_open`; -1 means that there is no window. An open
    window is one cell shorter and has an empty cell before and after it. Under the exact rule no
    further stone of the side may touch a window, nor the empty cells at the ends of an open one.

    Args:
        boards: the board; `cells` hold a line.
        length: length of the line.
        stone: 1 for Black, 2 for White.
    """
    board = boards[0]
    wide = board.win_length
    for index in range(length):
        board.most[index] = -1
        board.most_open[index] = -1
    for start in range(length - wide + 1):
        end = start + wide - 1
        count = count_window(boards, start, end, stone)
        if count < 1 or (
            board.is_exact == 1 and is_touched(boards, start, end, length, stone) == 1
        ):
            continue
        for index in range(start, end + 1):
            board.most[index] = max(board.most[index], count)
        if end + 1 < length and board.cells[start] == 0 and board.cells[end + 1] == 0:
            if board.is_exact == 1 and is_touched(boards, start, end + 1, length, stone) == 1:
                continue
            for index in range(start + 1, end + 1):
                board.most_open[index] = max(board.most_open[index], count)


@kernel(INT, INT, INT, returns=INT)
def live_class(win_length: int, most: int, most_open: int) -> int:
    """Return the class (kind of pattern) of a stone that has a window; 0 for no pattern.

    The class is a number of this module, such as `H3`.

    Args:
        win_length: stones in a row that win.
        most: most stones in a window through the stone.
        most_open: most stones in an open window through it, which has an empty cell at both ends;
            -1 for none.
    """
    if most >= win_length:
        return WIN
    missing = win_length - most
    if most < 2 or missing > 3:
        return 0
    if most_open == most:
        return 2 * missing
    return 2 * missing + 1


@kernel(BOARD, INT, INT)
def count_dead(boards: Record, length: int, stone: int) -> None:
    """Count a side's stones in stretches that are too short for a winning row.

    They are added to the record's `counted` as the classes S4, S3 and S2.

    Args:
        boards: record of the board; its `cells` hold a line.
        length: length of the line.
        stone: 1 for Black, 2 for White.
    """
    board = boards[0]
    start = 0
    while start < length:
        end = start
        count = 0
        while end < length and (board.cells[end] == 0 or board.cells[end] == stone):
            if board.cells[end] == stone:
                count += 1
            end += 1
        missing = board.win_length - count
        if end - start < board.win_length and count >= 2 and missing <= 3:
            board.counted[S4 + missing - 1] += count
        start = end + 1


@kernel(BOARD, INT, INT, returns=INT)
def side_value(boards: Record, length: int, stone: int) -> int:
    """Return the value of one side's patterns on one line.

    Args:
        boards: record of the board; its `cells` hold the line.
        length: length of the line.
        stone: 1 for Black, 2 for White.
    """
    board = boards[0]
    held = 0
    for index in range(length):
        if board.cells[index] == stone:
            held += 1
    if held < 2:
        return 0
    for line_class in range(LINE_CLASSES):
        board.counted[line_class] = 0
    find_windows(boards, length, stone)
    for index in range(length):
        if board.cells[index] == stone and board.most[index] >= 0:
            found = live_class(board.win_length, board.most[index], board.most_open[index])
            board.counted[found] += 1
    count_dead(boards, length, stone)
    value = 0
    for line_class in range(1, LINE_CLASSES):
        if board.counted[line_class] > 0:
            wanted = board.lengths[line_class]
            patterns = (board.counted[line_class] + wanted - 1) // wanted
            value += patterns * board.values[line_class]
    return value


@kernel(BOARD, INT, INT)
def scan_line(boards: Record, direction: int, line: int) -> None:
    """Find both sides' patterns on a line, and update the values of the line and the whole board.

    Args:
        boards: record of the board.
        direction: 0 row, 1 column, 2 and 3 the diagonals.
        line: number of the line in its direction, see `line_of`.
    """
    board = boards[0]
    board.scans += 1
    length = read_line(boards, direction, line)
    value = side_value(boards, length, 1) - side_value(boards, length, 2)
    index = direction * LINES + line
    board.total += value - board.line_values[index]
    board.line_values[index] = value


@kernel(BOARD)
def scan_board(boards: Record) -> None:
    """Find the rows of stones in every line of the board, and store their values in `boards`."""
    size = boards[0].size
    for direction in range(4):
        lines = size if direction < 2 else 2 * size - 1
        for line in range(lines):
            scan_line(boards, direction, line)


@kernel(BOARD, INT, INT)
def change_near(boards: Record, move: int, change: int) -> None:
    """Add `change` to the number of neighbouring stones of the eight points around a point.

    Args:
        boards: record of the board.
        move: the point.
        change: 1 after a stone was placed on the point, -1 after it was removed.
    """
    board = boards[0]
    size = board.size
    row = move // size
    col = move % size
    for other_row in range(max(0, row - 1), min(size, row + 2)):
        for other_col in range(max(0, col - 1), min(size, col + 2)):
            board.near[other_row * size + other_col] += change
    board.near[move] -= change


@kernel(BOARD, INT, INT, INT)
def put_stone(boards: Record, move: int, stone: int, slot: int) -> None:
    """Place a stone on an empty point, update the line values and save the former ones.

    The four lines through the point are scanned, or every line if the record's `scans_all` is 1.

    Args:
        boards: record of the board.
        move: the point.
        stone: 1 for Black, 2 for White.
        slot: number of the memory that saves the former line values, 0 to SLOTS - 1.
    """
    board = boards[0]
    board.stones[move] = stone
    change_near(boards, move, 1)
    kept = slot * 4 * LINES
    if board.scans_all == 1:
        for index in range(4 * LINES):
            board.kept[kept + index] = board.line_values[index]
        scan_board(boards)
        return
    for direction in range(4):
        line = line_of(board.size, move, direction)
        board.kept[kept + direction] = board.line_values[direction * LINES + line]
        scan_line(boards, direction, line)


@kernel(BOARD, INT, INT)
def restore_value(boards: Record, index: int, value: int) -> None:
    """Set a line's value back to a former one, and correct the board's value.

    Args:
        boards: record of the board.
        index: index of the line in `line_values`.
        value: the former value.
    """
    board = boards[0]
    board.total += value - board.line_values[index]
    board.line_values[index] = value


@kernel(BOARD, INT, INT)
def lift_stone(boards: Record, move: int, slot: int) -> None:
    """Remove a stone, and restore the line values that were saved when it was placed.

    No line is scanned. Stones must be removed in the reverse order in which they were placed.

    Args:
        boards: record of the board.
        move: the point of the stone.
        slot: the slot with which `put_stone` placed it.
    """
    board = boards[0]
    board.stones[move] = 0
    change_near(boards, move, -1)
    kept = slot * 4 * LINES
    if board.scans_all == 1:
        for index in range(4 * LINES):
            restore_value(boards, index, board.kept[kept + index])
        return
    for direction in range(4):
        index = direction * LINES + line_of(board.size, move, direction)
        restore_value(boards, index, board.kept[kept + direction])


@kernel(BOARD, INT)
def clear_point(boards: Record, move: int) -> None:
    """Remove a stone and scan the lines through its point again.

    Args:
        boards: record of the board.
        move: the point.
    """
    board = boards[0]
    board.stones[move] = 0
    change_near(boards, move, -1)
    for direction in range(4):
        scan_line(boards, direction, line_of(board.size, move, direction))


@kernel(BOARD, INT, INT, returns=INT)
def makes_row(boards: Record, move: int, stone: int) -> int:
    """Return 1 if the stone on a point is part of a row that wins, else 0.

    Args:
        boards: record of the board.
        move: the point.
        stone: 1 for Black, 2 for White.
    """
    board = boards[0]
    size = board.size
    for direction in range(4):
        row_step = 0 if direction == 0 else 1
        col_step = 1 if direction != 1 else 0
        if direction == 3:
            col_step = -1
        run = 1
        for sign in range(-1, 2, 2):
            row = move // size + sign * row_step
            col = move % size + sign * col_step
            while 0 <= row < size and 0 <= col < size and board.stones[row * size + col] == stone:
                run += 1
                row += sign * row_step
                col += sign * col_step
        if run == board.win_length or (run > board.win_length and board.is_exact == 0):
            return 1
    return 0
