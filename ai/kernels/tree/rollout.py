"""Random rollouts (playouts): uniform draws from the region's empty points, until a row is made."""

from __future__ import annotations

from ai.kernels.jit import INT, Record, kernel
from ai.kernels.randomness import RANDOM
from ai.kernels.tree.layout import COLUMNS, FALLING, LINES, RISING, TREE_BOARD
from ai.kernels.tree.stones import rows_in


@kernel(TREE_BOARD, RANDOM, returns=INT)
def roll_out(boards: Record, randoms: Record) -> int:
    """Play random moves from the position to the end; return the winner.

    The region does not grow. If it is full without a winning row, that counts as a full board. The
    random numbers are those of `randomness.next_below`.

    Args:
        boards: record of the board.
        randoms: state of the random generator.

    Returns:
        0 for Black, 1 for White, NOBODY for a draw.
    """
    board, random = boards[0], randoms[0]
    for line in range(2 * LINES):
        board.drawn_lines[line] = board.lines[line]
    count = board.count
    for place in range(count):
        board.drawn_spots[place] = board.spots[place]
    length, is_exact = board.length, board.is_exact
    congruential, bits = random.congruential, random.xorshift
    side = board.side
    winner: int = board.full_winner
    while count > 0:
        congruential = (69069 * congruential + 12345) & 0xFFFFFFFF
        bits ^= (bits << 13) & 0xFFFFFFFF
        bits ^= bits >> 17
        bits ^= (bits << 5) & 0xFFFFFFFF
        place = (((congruential + bits) & 0xFFFFFFFF) * count) >> 32
        cell = board.drawn_spots[place]
        count -= 1
        board.drawn_spots[place] = board.drawn_spots[count]
        row, col = (cell >> 5) & 31, cell & 31
        base = (side & 1) * LINES
        index = base + row
        line = board.drawn_lines[index] | (1 << col)
        board.drawn_lines[index] = line
        rows = rows_in(line, length, is_exact)
        index = base + COLUMNS + col
        line = board.drawn_lines[index] | (1 << row)
        board.drawn_lines[index] = line
        rows |= rows_in(line, length, is_exact)
        index = base + FALLING + ((row - col) & 63)
        line = board.drawn_lines[index] | (1 << row)
        board.drawn_lines[index] = line
        rows |= rows_in(line, length, is_exact)
        index = base + RISING + row + col
        line = board.drawn_lines[index] | (1 << row)
        board.drawn_lines[index] = line
        rows |= rows_in(line, length, is_exact)
        if rows != 0:
            winner = side
            break
        side = 1 - side
    random.congruential, random.xorshift = congruential, bits
    return winner


@kernel(TREE_BOARD, RANDOM, INT, returns=INT)
def roll_out_often(boards: Record, randoms: Record, rollouts: int) -> int:
    """Play several random games from the position; return the side to move's wins minus losses.

    Args:
        boards: record of the board.
        randoms: state of the random generator.
        rollouts: number of games.
    """
    total = 0
    side = boards[0].side
    for _ in range(rollouts):
        winner = roll_out(boards, randoms)
        if winner < 2:
            total += 1 if winner == side else -1
    return total
