"""The learned part of the evaluation, computed from the lines through the empty points.

Each line through a point has a learned vector, found by its row number (`ai.kernels.line_codes`).
The vectors of the four lines through a point are added and pass a ReLU. The sum over all empty
points goes through a small network, the head. The idea of such a codebook is that of *Rapfi* (Jin
2025). All numbers are integers, so that incremental sums equal those computed from scratch.
"""

from __future__ import annotations

from typing import Final

from ai.kernels.alpha_beta.layout import FEATURES, HEAD_SHIFT, HIDDEN, TREE, UNIT_SHIFT, WIDE
from ai.kernels.jit import INT, Record, kernel
from ai.kernels.layout import BORDER, CELL_MASK, EMPTY_CELL, POSITION, STEPS
from ai.kernels.line_codes import KEYS, REACH

_KEY_MASK: Final = KEYS - 1
_ROW_MASK: Final = (1 << 12) - 1


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
    tree, keys = trees[0], positions[0].line_keys
    vectors, rows, sums = tree.vectors, tree.rows, tree.sums
    first = (rows[keys[cell * 4] & _KEY_MASK] & _ROW_MASK) * WIDE
    second = (rows[keys[cell * 4 + 1] & _KEY_MASK] & _ROW_MASK) * WIDE
    third = (rows[keys[cell * 4 + 2] & _KEY_MASK] & _ROW_MASK) * WIDE
    fourth = (rows[keys[cell * 4 + 3] & _KEY_MASK] & _ROW_MASK) * WIDE
    for at in range(WIDE):
        total = vectors[first + at] + vectors[second + at]
        total += vectors[third + at] + vectors[fourth + at]
        sums[to + at] += sign * max(total, 0)


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
    tree, keys = trees[0], positions[0].line_keys
    vectors, rows, sums = tree.vectors, tree.rows, tree.sums
    first = (rows[keys[cell * 4] & _KEY_MASK] & _ROW_MASK) * WIDE
    second = (rows[keys[cell * 4 + 1] & _KEY_MASK] & _ROW_MASK) * WIDE
    third = (rows[keys[cell * 4 + 2] & _KEY_MASK] & _ROW_MASK) * WIDE
    fourth = (rows[keys[cell * 4 + 3] & _KEY_MASK] & _ROW_MASK) * WIDE
    before = (stale & _ROW_MASK) * WIDE
    after = (fresh & _ROW_MASK) * WIDE
    for at in range(WIDE):
        new = vectors[first + at] + vectors[second + at]
        new += vectors[third + at] + vectors[fourth + at]
        old = new - vectors[after + at] + vectors[before + at]
        sums[to + at] += max(new, 0) - max(old, 0)


@kernel(POSITION, TREE, INT)
def sum_points(positions: Record, trees: Record, level: int) -> None:
    """Compute a level's sums: the learned vectors of all empty points, added from scratch.

    Args:
        positions: the position.
        trees: record of the alpha-beta search; its `sums` receive the result.
        level: how many plies the position is below the root.
    """
    position = positions[0]
    to = level * WIDE
    for at in range(WIDE):
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
    to = level * WIDE
    for at in range(WIDE):
        tree.sums[to + at] = tree.sums[to - WIDE + at]
    move = tree.played[level - 1]
    if move < 0:
        return
    cell = position.cells[move] & CELL_MASK
    stone = position.board[cell]
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
                key = position.line_keys[seen * 4 + direction] & _KEY_MASK
                shift = 2 * REACH - 1 - sign * (2 * distance - 1)
                fresh = tree.rows[key]
                stale = tree.rows[key ^ (stone << shift)]
                if fresh != stale:
                    change_point(positions, trees, seen, to, stale, fresh)


@kernel(POSITION, TREE, INT, returns=INT)
def learned_score(positions: Record, trees: Record, level: int) -> int:
    """Return the learned part of the evaluation for the side to move.

    Args:
        positions: the position.
        trees: record of the alpha-beta search; its `sums` of this level must be up to date.
        level: how many plies the position is below the root.
    """
    tree = trees[0]
    own = level * WIDE + positions[0].side * FEATURES
    other = level * WIDE + (1 - positions[0].side) * FEATURES
    total: int = tree.head_bias
    for at in range(FEATURES):
        total += tree.straight[at] * tree.sums[own + at]
        total += tree.straight[FEATURES + at] * tree.sums[other + at]
    for unit in range(HIDDEN):
        value = tree.hidden_biases[unit]
        for at in range(FEATURES):
            value += tree.hidden[unit * WIDE + at] * tree.sums[own + at]
            value += tree.hidden[unit * WIDE + FEATURES + at] * tree.sums[other + at]
        total += tree.head[unit] * (max(value, 0) >> HEAD_SHIFT)
    score: int = (total * tree.logit) >> (HEAD_SHIFT + UNIT_SHIFT)
    return score
