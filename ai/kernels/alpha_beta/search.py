"""Principal variation search (Marsland, Campbell 1982) on the pattern core.

Negamax with a transposition table. Fives, forced answers and open four are settled without search
or depth; a search for continuous fours ends each line; late moves are searched less deep.
"""

from __future__ import annotations

from typing import Any, Final

from ai.kernels.alpha_beta.layout import (
    DEPTH_BITS,
    ENTRIES,
    EXACT,
    LEVELS,
    LOWER,
    MOVE_BITS,
    TREE,
    UNDECIDED,
    UPPER,
    WIDTH,
    WIN,
)
from ai.kernels.alpha_beta.order import list_moves, reward
from ai.kernels.clock import CLOCK, may_go_on
from ai.kernels.jit import INT, TABLE, ArrayType, Record, Table, kernel
from ai.kernels.layout import CLASSES, FIVE, FOUR, OPEN_FOUR, OPEN_TWO, POSITION
from ai.kernels.moves import place, take_back
from ai.kernels.threats.fours import find_fours
from ai.kernels.threats.layout import FOURS
from ai.kernels.threats.points import five_point

WORDS: Final = ArrayType("int64")
_MOVE_MASK: Final = (1 << MOVE_BITS) - 1
_DEPTH_MASK: Final = (1 << DEPTH_BITS) - 1


@kernel(POSITION, TREE, returns=INT)
def evaluate(positions: Record, trees: Record) -> int:
    """Return the score of a quiet position for the side to move: a weighted sum of counters."""
    position = positions[0]
    tree = trees[0]
    own = position.side * CLASSES
    other = CLASSES - own
    score: int = tree.tempo
    for line_class in range(OPEN_TWO, OPEN_FOUR + 1):
        score += tree.weights[line_class] * position.points[own + line_class]
        score += tree.weights[CLASSES + line_class] * position.points[other + line_class]
    return score


@kernel(POSITION, TREE, returns=INT)
def settled_score(positions: Record, trees: Record) -> int:
    """Return the score of a position that a five, an open four or a full board decides.

    `UNDECIDED`: it goes on.
    """
    position = positions[0]
    ply: int = position.ply
    own = position.side * CLASSES
    other = CLASSES - own
    if position.points[own + FIVE] > 0:
        return WIN - ply - 1
    if ply >= position.size * position.size:
        sign: int = trees[0].full_score if position.side == 0 else -trees[0].full_score
        return sign * (WIN - ply)
    if position.points[other + FIVE] > 1:
        answer = five_point(positions, 1 - position.side, -1)
        if five_point(positions, 1 - position.side, answer) >= 0:
            return ply + 2 - WIN
    elif position.points[other + FIVE] == 0 and position.points[own + OPEN_FOUR] > 0:
        return WIN - ply - 3
    return UNDECIDED


@kernel(POSITION, TABLE, TREE, FOURS, CLOCK, returns=INT)
def quiet_score(
    positions: Record, table: Table, trees: Record, fours: Record, clocks: Record
) -> int:
    """Return the score at the end of a line: a win by fours, else the evaluation."""
    position = positions[0]
    tree = trees[0]
    if tree.fours > 0 and position.points[position.side * CLASSES + FOUR] > 0:
        fours[0].nodes = 0
        fours[0].node_limit = tree.fours
        fours[0].is_cut = 0
        found = find_fours(positions, table, fours, clocks, 0)
        if found > 0:
            ply: int = position.ply
            return WIN - ply - found
    return evaluate(positions, trees)


@kernel(POSITION, WORDS, INT, INT, INT, INT)
def keep(positions: Record, words: Any, depth: int, score: int, bound: int, move: int) -> None:
    """Write an entry of the table, unless it holds a deeper one of the same position."""
    key = positions[0].key
    index = 2 * (key & (ENTRIES - 1))
    if words[index] == key and (words[index + 1] >> MOVE_BITS) & _DEPTH_MASK > depth:
        return
    words[index] = key
    entry = (score + WIN) << 2 | bound
    words[index + 1] = (entry << DEPTH_BITS | depth) << MOVE_BITS | (move + 1)


@kernel(INT, INT, INT, returns=INT)
def bound_of(score: int, alpha: int, beta: int) -> int:
    """Return what a score of a search within (alpha, beta) is."""
    if score >= beta:
        return LOWER
    return EXACT if score > alpha else UPPER


@kernel(INT, INT, INT, INT, returns=INT)
def score_from(entry: int, depth: int, alpha: int, beta: int) -> int:
    """Return the score of an entry that settles a search within (alpha, beta), or `UNDECIDED`."""
    if (entry >> MOVE_BITS) & _DEPTH_MASK < depth:
        return UNDECIDED
    score = (entry >> (MOVE_BITS + DEPTH_BITS + 2)) - WIN
    bound = (entry >> (MOVE_BITS + DEPTH_BITS)) & 3
    if bound == EXACT or (bound == LOWER and score >= beta) or (bound == UPPER and score <= alpha):
        return score
    return UNDECIDED


@kernel(TREE, INT, INT)
def lead_line(trees: Record, level: int, move: int) -> None:
    """Make a move and the line of the next level the line of a level."""
    tree = trees[0]
    tree.lines[level * LEVELS] = move
    length = min(tree.lengths[level + 1], LEVELS - 1)
    for place_at in range(length):
        tree.lines[level * LEVELS + 1 + place_at] = tree.lines[(level + 1) * LEVELS + place_at]
    tree.lengths[level] = length + 1


@kernel(INT, returns=INT)
def width_of(depth: int) -> int:
    """Return how many moves are looked at."""
    return min(8 + 4 * depth, 28)


@kernel(INT, INT, returns=INT)
def reduction_of(depth: int, place_at: int) -> int:
    """Return by how many plies less deep a move is searched at first."""
    if depth < 3 or place_at < 3:
        return 0
    return 1 + (1 if place_at >= 8 else 0) + (1 if place_at >= 16 and depth >= 5 else 0)


@kernel(POSITION, TABLE, TREE, FOURS, WORDS, CLOCK, INT, INT, INT, INT, returns=INT)
def known_score(
    positions: Record,
    table: Table,
    trees: Record,
    fours: Record,
    words: Any,
    clocks: Record,
    level: int,
    depth: int,
    alpha: int,
    beta: int,
) -> int:
    """Return the score that needs no moves, of a decided position, the table or a line's end.

    `UNDECIDED`: the moves are to be searched, as where a five is to be stopped.
    """
    position = positions[0]
    score = settled_score(positions, trees)
    if score != UNDECIDED:
        return score
    if level + 2 >= LEVELS:
        return evaluate(positions, trees)
    if position.points[(1 - position.side) * CLASSES + FIVE] > 0:
        return UNDECIDED
    index = 2 * (position.key & (ENTRIES - 1))
    if words[index] == position.key:
        score = score_from(words[index + 1], max(depth, 0), alpha, beta)
        if score != UNDECIDED:
            return score
    if depth > 0:
        return UNDECIDED
    score = quiet_score(positions, table, trees, fours, clocks)
    keep(positions, words, 0, score, EXACT, -1)
    return score


@kernel(POSITION, TREE, WORDS, INT, INT, INT, returns=INT)
def list_after(
    positions: Record, trees: Record, words: Any, level: int, depth: int, answer: int
) -> int:
    """List the moves of a level; the only one where a five is to be stopped. Return how many."""
    position = positions[0]
    if answer >= 0:
        trees[0].moves[level * WIDTH] = answer
        return 1
    index = 2 * (position.key & (ENTRIES - 1))
    first = (words[index + 1] & _MOVE_MASK) - 1 if words[index] == position.key else -1
    return list_moves(positions, trees, level, width_of(depth), first)


@kernel(POSITION, TABLE, TREE, FOURS, WORDS, CLOCK, INT, INT, INT, INT, returns=INT)
def search(
    positions: Record,
    table: Table,
    trees: Record,
    fours: Record,
    words: Any,
    clocks: Record,
    level: int,
    depth: int,
    alpha: int,
    beta: int,
) -> int:
    """Return the score for the side to move; exact within (alpha, beta), else a bound.

    Where `is_cut` is 1 afterwards, the score means nothing. A forced answer costs no depth.
    """
    tree = trees[0]
    tree.lengths[level] = 0
    if may_go_on(clocks, 1) == 0:
        tree.is_cut = 1
        return 0
    clocks[0].nodes += 1
    best = known_score(positions, table, trees, fours, words, clocks, level, depth, alpha, beta)
    if best != UNDECIDED:
        return best
    answer = five_point(positions, 1 - positions[0].side, -1)
    count = list_after(positions, trees, words, level, depth, answer)
    below = depth if answer >= 0 else depth - 1
    best, best_move, floor = -WIN, -1, alpha
    for place_at in range(count):
        move = tree.moves[level * WIDTH + place_at]
        less = reduction_of(depth, place_at)
        place(positions, table, move)
        top = -beta if place_at == 0 else -floor - 1
        score = -search(
            positions, table, trees, fours, words, clocks, level + 1, below - less, top, -floor
        )
        if place_at > 0 and score > floor and (less > 0 or score < beta):
            score = -search(
                positions, table, trees, fours, words, clocks, level + 1, below, -beta, -floor
            )
        take_back(positions, table)
        if tree.is_cut == 1:
            return 0
        if score > best:
            best, best_move = score, move
        if score > floor:
            floor = score
            lead_line(trees, level, move)
        if score >= beta:
            reward(positions, trees, level, depth, move)
            break
    if answer < 0:
        keep(positions, words, depth, best, bound_of(best, alpha, beta), best_move)
    return best
