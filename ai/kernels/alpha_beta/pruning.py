"""Pruning and reductions of the alpha-beta search, decided from one position and its evaluation."""

from __future__ import annotations

from typing import Final

from ai.kernels.alpha_beta.layout import (
    HOPE_SHIFT,
    LEVELS,
    LIKELY,
    LONGEST,
    OWN_FOURS,
    SCORE_BITS,
    TREE,
    WIDTH,
)
from ai.kernels.jit import INT, Record, kernel
from ai.kernels.layout import CLASSES, OPEN_FOUR, POINTS, POSITION

MATE: Final = LIKELY - LONGEST
"""Scores above it are wins, certain or likely; scores below its negative are losses."""
_MAKES_FOURS: Final = 15 << (OWN_FOURS - SCORE_BITS)


@kernel(POSITION, returns=INT)
def is_threatened(positions: Record) -> int:
    """Return 1 if the other side could make an open four with its next stone, else 0.

    Args:
        positions: the position.
    """
    position = positions[0]
    return 1 if position.points[(1 - position.side) * CLASSES + OPEN_FOUR] > 0 else 0


@kernel(POSITION, TREE, INT, INT, INT, returns=INT)
def is_good_enough(positions: Record, trees: Record, level: int, depth: int, beta: int) -> int:
    """Return 1 if a position needs no search because its evaluation is far above beta, else 0.

    Args:
        positions: the position.
        trees: record of the alpha-beta search.
        level: how many plies the position is below the root.
        depth: plies left to search.
        beta: upper end of the search window.
    """
    tree = trees[0]
    if tree.reverse == 0 or depth > tree.reverse_depth or beta > MATE or beta < -MATE:
        return 0
    is_safe = is_threatened(positions) == 0
    return 1 if is_safe and tree.likely[level] - tree.reverse * depth >= beta else 0


@kernel(TREE, INT, INT, INT, returns=INT)
def is_hopeless(trees: Record, level: int, depth: int, alpha: int) -> int:
    """Return 1 if the evaluation is so far below alpha that only fours can help, else 0.

    Args:
        trees: record of the alpha-beta search.
        level: how many plies the position is below the root.
        depth: plies left to search.
        alpha: lower end of the search window.
    """
    tree = trees[0]
    if tree.razor == 0 or depth > tree.razor_depth or alpha < -MATE:
        return 0
    return 1 if tree.likely[level] + tree.razor * depth <= alpha else 0


@kernel(POSITION, TREE, INT, INT, INT, INT, returns=INT)
def null_depth(
    positions: Record, trees: Record, level: int, depth: int, alpha: int, beta: int
) -> int:
    """Return the depth in plies of a search after a passed turn; -1: do not pass.

    This is for null-move pruning: if the score is at least beta even after passing, the position
    needs no search. The turn is passed only if beta is alpha + 1 and the evaluation is at least
    beta. Besides, the other side must not have just passed, nor threaten an open four.

    Args:
        positions: the position.
        trees: record of the alpha-beta search.
        level: how many plies the position is below the root.
        depth: plies left to search.
        alpha: lower end of the search window.
        beta: upper end of the search window.
    """
    tree = trees[0]
    if tree.null_depth == 0 or depth < tree.null_depth or beta - alpha > 1 or abs(beta) > MATE:
        return -1
    if tree.likely[level] < beta or tree.played[level - 1] < 0 or is_threatened(positions) == 1:
        return -1
    below: int = max(depth - 1 - tree.null_less - depth // tree.null_slope, 0)
    return below


@kernel(TREE, INT, INT, returns=INT)
def behind(trees: Record, level: int, place_at: int) -> int:
    """Return by how many whole logits a move is worse than the best move of its list.

    The best move is the one with the greatest learned logit. The result is 0 if the learned move
    ordering is off.

    Args:
        trees: record of the alpha-beta search.
        level: how many plies the position is below the root.
        place_at: place of the move in the level's list.
    """
    tree = trees[0]
    if tree.policy == 0:
        return 0
    gap: int = (tree.most_hope[level] - tree.hopes[level * WIDTH + place_at]) >> HOPE_SHIFT
    return gap


@kernel(TREE, INT, INT, INT, returns=INT)
def is_skipped(trees: Record, level: int, depth: int, place_at: int) -> int:
    """Return 1 if a move is skipped, else 0.

    A quiet move is skipped if many moves were tried before it, or if it cannot raise the score
    enough. A move that makes or prevents a threat is not, except by its place where the parameter
    `count_threats` says so. Fours are never skipped.

    Args:
        trees: record of the alpha-beta search; the level's moves are listed.
        level: how many plies the position is below the root.
        depth: plies left to search.
        place_at: place of the move in the level's list.
    """
    tree = trees[0]
    kind = tree.kinds[level * WIDTH + place_at]
    if place_at == 0 or tree.best[level] < -MATE or kind & _MAKES_FOURS != 0:
        return 0
    if kind != 0 and tree.count_threats == 0:
        return 0
    likely = tree.likely[level] + tree.futility * depth
    if kind == 0 and depth <= tree.futility_depth and likely <= tree.floors[level]:
        return 1
    if depth <= tree.count_depth:
        counted = place_at + ((behind(trees, level, place_at) * tree.policy_count) >> 1)
        places = tree.count_base + tree.count_step * depth
        if tree.count_worse > 0 and level >= 2 and tree.evals[level] <= tree.evals[level - 2]:
            places = places * tree.count_worse // 100
        if counted >= places:
            return 1
    return 0


@kernel(POSITION, TREE, INT, INT, returns=INT)
def quiet_change(positions: Record, trees: Record, level: int, place_at: int) -> int:
    """Return the change of a quiet move's reduction, in hundredths of a ply.

    It depends on how far the move's learned logit is below the best one, and on its history scores.
    A positive change means a shallower search.

    Args:
        positions: the position.
        trees: record of the alpha-beta search.
        level: how many plies the position is below the root.
        place_at: place of the move in the level's list.
    """
    tree = trees[0]
    less = 0
    if tree.policy > 0:
        gap = tree.most_hope[level] - tree.hopes[level * WIDTH + place_at]
        gap = min(gap, 8 << HOPE_SHIFT) - (tree.policy_even << HOPE_SHIFT)
        less += gap * tree.policy_less >> HOPE_SHIFT
    if tree.history_less > 0:
        side = positions[0].side
        move = tree.moves[level * WIDTH + place_at]
        known = tree.history[side * POINTS + move]
        last = tree.played[level - 1]
        if last >= 0:
            known += tree.continuation[(side * POINTS + last) * POINTS + move]
        less -= known * tree.history_less // 1000
    return less


@kernel(POSITION, TREE, INT, INT, INT, INT, returns=INT)
def reduction_of(
    positions: Record, trees: Record, level: int, depth: int, place_at: int, window: int
) -> int:
    """Return by how many plies the depth of a move's first search is reduced.

    Args:
        positions: the position before the move.
        trees: record of the alpha-beta search.
        level: how many plies the position is below the root.
        depth: plies left to search.
        place_at: place of the move in the level's list.
        window: beta minus alpha; 1 if the search only asks whether the score exceeds alpha.
    """
    tree = trees[0]
    if tree.is_reduced == 0:
        if depth < 3 or place_at < 3:
            return 0
        return 1 + (1 if place_at >= 8 else 0) + (1 if place_at >= 16 and depth >= 5 else 0)
    if depth < 2 or place_at < 1:
        return 0
    less = tree.reductions[min(depth, LEVELS - 1) * WIDTH + place_at]
    if tree.kinds[level * WIDTH + place_at] != 0:
        less -= 100
    else:
        less += quiet_change(positions, trees, level, place_at)
    if window > 1:
        less -= 100
    if level >= 2 and tree.evals[level] <= tree.evals[level - 2]:
        less += 50
    plies: int = min(max(less // 100, 0), depth - 1)
    return plies
