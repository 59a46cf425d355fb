"""Which moves are looked at, and in which order."""

from __future__ import annotations

from typing import Final

from ai.kernels.alpha_beta.layout import (
    OTHER_FOURS,
    OTHER_THREES,
    OWN_FOURS,
    OWN_THREES,
    SCORE_BITS,
    TREE,
    WIDTH,
)
from ai.kernels.jit import INT, Record, kernel
from ai.kernels.layout import CLASSES, EMPTY_CELL, OPEN_FOUR, POINTS, POSITION

DOUBLE_FOUR: Final = 60_000
FOUR_AND_THREE: Final = 40_000
DOUBLE_THREE: Final = 12_000
FIRST: Final = 1 << 22
"""Added to the move that the table holds for best."""
KILLER: Final = 3_000
_FOURS_MASK: Final = (15 << (OWN_FOURS - SCORE_BITS)) | (15 << (OTHER_FOURS - SCORE_BITS))


@kernel(POSITION, TREE, INT, INT, returns=INT)
def packed_score(positions: Record, trees: Record, move: int, side: int) -> int:
    """Return the packed score of a stone of `side` on an empty point; 0: it touches no pattern."""
    classes = positions[0].line_classes
    packed = trees[0].packed
    first = positions[0].cells[move] * 4
    total = 0
    for direction in range(4):
        total += packed[side * 256 + classes[first + direction]]
    return total


@kernel(INT, returns=INT)
def with_pairs(packed: int) -> int:
    """Return the score of a packed one, with what its patterns are worth together."""
    score = packed & ((1 << SCORE_BITS) - 1)
    fours = (packed >> OWN_FOURS) & 15
    threes = (packed >> OWN_THREES) & 15
    if fours >= 2:
        score += 2 * DOUBLE_FOUR
    elif fours == 1 and threes >= 1:
        score += 2 * FOUR_AND_THREE
    elif threes >= 2:
        score += 2 * DOUBLE_THREE
    fours = (packed >> OTHER_FOURS) & 15
    threes = (packed >> OTHER_THREES) & 15
    if fours >= 2:
        score += DOUBLE_FOUR
    elif fours == 1 and threes >= 1:
        score += FOUR_AND_THREE
    elif threes >= 2:
        score += DOUBLE_THREE
    return score


@kernel(TREE, INT, INT, INT, INT, INT)
def insert_move(trees: Record, level: int, count: int, width: int, move: int, score: int) -> None:
    """Insert a move by its score among the best `width` of a level."""
    tree = trees[0]
    first = level * WIDTH
    place_at = first + min(count, width - 1)
    if count >= width and tree.orders[place_at] >= score:
        return
    while place_at > first and tree.orders[place_at - 1] < score:
        tree.orders[place_at] = tree.orders[place_at - 1]
        tree.moves[place_at] = tree.moves[place_at - 1]
        place_at -= 1
    tree.orders[place_at] = score
    tree.moves[place_at] = move


@kernel(POSITION, TREE, INT, INT, INT, returns=INT)
def list_moves(positions: Record, trees: Record, level: int, width: int, first: int) -> int:
    """List the most promising moves of a level, the best first; return how many.

    Where the other side threatens an open four, only stones that make a four, or deny one, are
    listed, all of them. Stones that touch no pattern are listed only where no other is left.

    Args:
        positions: without a five to make or to stop.
        trees: of the search.
        level: of the position.
        width: moves, at most.
        first: move that goes first, -1 for none.
    """
    position = positions[0]
    tree = trees[0]
    side = position.side
    is_threatened = position.points[(1 - side) * CLASSES + OPEN_FOUR] > 0
    count = 0
    wanted = WIDTH if is_threatened else width
    for move in range(position.size * position.size):
        if position.board[position.cells[move]] != EMPTY_CELL:
            continue
        packed = packed_score(positions, trees, move, side)
        if packed == 0 or (is_threatened and (packed >> SCORE_BITS) & _FOURS_MASK == 0):
            continue
        score = with_pairs(packed) + tree.history[side * POINTS + move]
        if move == first:
            score += FIRST
        elif move == tree.killers[2 * level] or move == tree.killers[2 * level + 1]:
            score += KILLER
        insert_move(trees, level, count, wanted, move, score)
        count = min(count + 1, wanted)
    if count == 0:
        for move in range(position.size * position.size):
            if position.board[position.cells[move]] == EMPTY_CELL and count < width:
                insert_move(trees, level, count, width, move, 0)
                count += 1
    return count


@kernel(POSITION, TREE, INT, INT, INT)
def reward(positions: Record, trees: Record, level: int, depth: int, move: int) -> None:
    """Remember a move that caused a cut-off: as a killer and in the history."""
    tree = trees[0]
    if tree.killers[2 * level] != move:
        tree.killers[2 * level + 1] = tree.killers[2 * level]
        tree.killers[2 * level] = move
    index = positions[0].side * POINTS + move
    tree.history[index] = min(tree.history[index] + depth * depth, KILLER)
