"""The learned part of the evaluation, computed from the lines through the empty points.

Each line through a point has a learned vector, found by its row number (`ai.kernels.line_codes`).
The vectors of the four lines through a point are added and pass a ReLU. The sum over all empty
points goes through a small network, the head. The idea of such a codebook is that of *Rapfi* (Jin
2025). All numbers are whole, so that incremental sums equal those computed from scratch. They are
kept as floats, in which the processor computes eight at a time: single precision holds whole
numbers up to 2^24 exactly, double precision up to 2^53.
"""

from __future__ import annotations

from typing import Final

from ai.kernels.alpha_beta.layout import (
    HEAD_SHIFT,
    MOST_UNITS,
    MOST_WIDE,
    STAGE_PLIES,
    STAGES,
    TREE,
    UNIT_SHIFT,
)
from ai.kernels.jit import INT, Record, kernel, unsigned
from ai.kernels.layout import BORDER, CELL_MASK, EMPTY_CELL, POSITION, STEPS
from ai.kernels.line_codes import KEYS, REACH

_KEY_MASK: Final = KEYS - 1
_ROW_MASK: Final = (1 << 12) - 1


@kernel(POSITION, returns=INT, is_inlined=True)
def bits_beyond(positions: Record) -> int:
    """Return the bits by which a line key is moved right, so that the row of the line is left.

    Under rules in which a longer row does not win, keys have one more neighbour on each side. The
    learned vectors do not know it.

    Args:
        positions: the position.
    """
    bits: int = 2 * (positions[0].reach - REACH)
    return bits


@kernel(POSITION, TREE, INT, INT, INT, is_inlined=True)
def add_point(positions: Record, trees: Record, cell: int, to: int, sign: int) -> None:
    """Add the learned vector of an empty point to the sums of a level, or subtract it.

    It is the ReLU of the sum of the learned vectors of the four lines through the point. A level is
    the number of plies below the root.

    Args:
        positions: the position.
        trees: record of the alpha-beta search.
        cell: the point as a cell, an index on the padded board.
        to: index in the record's `sums` where the numbers of the level begin.
        sign: 1 to add, -1 to subtract.
    """
    tree, keys, beyond = trees[0], positions[0].line_keys, bits_beyond(positions)
    vectors, rows, sums, zero = tree.vectors, tree.rows, tree.sums, tree.zero
    wide = 2 * tree.features
    first = unsigned((rows[(keys[cell * 4] >> beyond) & _KEY_MASK] & _ROW_MASK) * wide)
    second = unsigned((rows[(keys[cell * 4 + 1] >> beyond) & _KEY_MASK] & _ROW_MASK) * wide)
    third = unsigned((rows[(keys[cell * 4 + 2] >> beyond) & _KEY_MASK] & _ROW_MASK) * wide)
    fourth = unsigned((rows[(keys[cell * 4 + 3] >> beyond) & _KEY_MASK] & _ROW_MASK) * wide)
    into = unsigned(to)
    for at in range(unsigned(wide)):
        total = vectors[first + at] + vectors[second + at]
        total += vectors[third + at] + vectors[fourth + at]
        total = total if total > zero else zero
        sums[into + at] += total if sign > 0 else -total


@kernel(POSITION, TREE, INT, INT, INT, INT, is_inlined=True)
def change_point(
    positions: Record, trees: Record, cell: int, to: int, stale: int, fresh: int
) -> None:
    """Update the sums of a level after one line through an empty point has changed.

    The sums are the learned vectors of all empty points, added up. A level is the number of plies
    below the root.

    Args:
        positions: the position after the change.
        trees: record of the alpha-beta search.
        cell: the point as a cell, an index on the padded board.
        to: index in the record's `sums` where the numbers of the level begin.
        stale: number of the line's content before the change (row number, see
            `ai.kernels.line_codes`).
        fresh: number of the line's content after it.
    """
    tree, keys, beyond = trees[0], positions[0].line_keys, bits_beyond(positions)
    vectors, rows, sums, zero = tree.vectors, tree.rows, tree.sums, tree.zero
    wide = 2 * tree.features
    first = unsigned((rows[(keys[cell * 4] >> beyond) & _KEY_MASK] & _ROW_MASK) * wide)
    second = unsigned((rows[(keys[cell * 4 + 1] >> beyond) & _KEY_MASK] & _ROW_MASK) * wide)
    third = unsigned((rows[(keys[cell * 4 + 2] >> beyond) & _KEY_MASK] & _ROW_MASK) * wide)
    fourth = unsigned((rows[(keys[cell * 4 + 3] >> beyond) & _KEY_MASK] & _ROW_MASK) * wide)
    before = unsigned((stale & _ROW_MASK) * wide)
    after = unsigned((fresh & _ROW_MASK) * wide)
    into = unsigned(to)
    for at in range(unsigned(wide)):
        new = vectors[first + at] + vectors[second + at]
        new += vectors[third + at] + vectors[fourth + at]
        old = new - vectors[after + at] + vectors[before + at]
        new = new if new > zero else zero
        old = old if old > zero else zero
        sums[into + at] += new - old


@kernel(POSITION, TREE, INT)
def sum_points(positions: Record, trees: Record, level: int) -> None:
    """Compute a level's sums: the learned vectors of all empty points, added from scratch.

    Args:
        positions: the position.
        trees: record of the alpha-beta search; its `sums` receive the result.
        level: how many plies the position is below the root.
    """
    position = positions[0]
    to = level * MOST_WIDE
    for at in range(2 * trees[0].features):
        trees[0].sums[to + at] = 0
    for move in range(position.size * position.size):
        cell = position.cells[move] & CELL_MASK
        if position.board[cell] == EMPTY_CELL:
            add_point(positions, trees, cell, to, 1)


@kernel(POSITION, TREE, INT)
def follow_move(positions: Record, trees: Record, level: int) -> None:
    """Compute a level's sums of learned vectors from those of the position one ply before.

    The sums of that position must be up to date. After a passed turn they are only copied.

    Args:
        positions: the position after the move.
        trees: record of the alpha-beta search; its `sums` receive the result.
        level: how many plies the position after the move is below the root, at least 1.
    """
    position = positions[0]
    tree = trees[0]
    to = level * MOST_WIDE
    last = unsigned(to - MOST_WIDE)
    first = unsigned(to)
    for at in range(unsigned(2 * tree.features)):
        tree.sums[first + at] = tree.sums[last + at]
    move = tree.played[level - 1]
    if move < 0:
        return
    cell = position.cells[move] & CELL_MASK
    stone = position.board[cell]
    beyond = bits_beyond(positions)
    add_point(positions, trees, cell, to, -1)
    for direction in range(4):
        for sign in range(-1, 2, 2):
            seen = cell
            for distance in range(1, REACH + 1):
                seen = (seen + sign * STEPS[direction]) & CELL_MASK
                content = position.board[seen]
                if content == BORDER:
                    break
                if content != EMPTY_CELL:
                    continue
                key = (position.line_keys[seen * 4 + direction] >> beyond) & _KEY_MASK
                shift = 2 * REACH - 1 - sign * (2 * distance - 1)
                fresh = tree.rows[key]
                stale = tree.rows[key ^ (stone << shift)]
                if fresh != stale:
                    change_point(positions, trees, seen, to, stale, fresh)


@kernel(POSITION, returns=INT)
def stage_of(positions: Record) -> int:
    """Return the stage of the game, from 0 to STAGES - 1, by the number of stones.

    Args:
        positions: the position.
    """
    stage: int = min(positions[0].ply // STAGE_PLIES, STAGES - 1)
    return stage


@kernel(POSITION, TREE, INT, INT, returns=INT)
def learned_score(positions: Record, trees: Record, level: int, stage: int) -> int:
    """Return the learned part of the evaluation for the side to move.

    Args:
        positions: the position.
        trees: record of the alpha-beta search; its `sums` of this level must be up to date.
        level: how many plies the position is below the root.
        stage: stage of the game.
    """
    tree = trees[0]
    sums, values, hidden, straight = tree.sums, tree.values, tree.hidden, tree.straight
    half, units = unsigned(tree.features), unsigned(tree.units)
    own = unsigned(level * MOST_WIDE + positions[0].side * tree.features)
    other = unsigned(level * MOST_WIDE + (1 - positions[0].side) * tree.features)
    biases = unsigned(stage * MOST_UNITS)
    for unit in range(units):
        values[unit] = tree.hidden_biases[biases + unit]
    direct = 0.0
    for at in range(half):
        first, second = sums[own + at], sums[other + at]
        direct += straight[at] * first + straight[half + at] * second
        row = at * unsigned(MOST_UNITS)
        below = (half + at) * unsigned(MOST_UNITS)
        for unit in range(units):
            values[unit] += hidden[row + unit] * first + hidden[below + unit] * second
    total = int(tree.head_biases[stage]) + int(direct)
    for unit in range(units):
        total += tree.head[unit] * (max(int(values[unit]), 0) >> HEAD_SHIFT)
    score: int = (total * tree.logit) >> (HEAD_SHIFT + UNIT_SHIFT)
    return score
