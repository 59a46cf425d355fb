"""Principal variation search (Marsland, Campbell 1982) on positions with pattern counters.

Negamax with a transposition table. Fives and open fours are scored without a search, and forced
answers cost no depth. A search for continuous fours ends each line. Unpromising moves are reduced
or pruned (`pruning`).
"""

from __future__ import annotations

from typing import Any

from ai.kernels.alpha_beta.entries import (
    WORDS,
    bound_of,
    entry_bound,
    entry_of,
    entry_score,
    keep,
    move_of,
    score_from,
)
from ai.kernels.alpha_beta.layout import (
    EXACT,
    LEVELS,
    LIKELY,
    LONGEST,
    LOWER,
    SCALE_SHIFT,
    TREE,
    UNDECIDED,
    UPPER,
    WIDTH,
    WIN,
)
from ai.kernels.alpha_beta.learned import follow_move, learned_score, stage_of, sum_points
from ai.kernels.alpha_beta.order import list_moves, reward
from ai.kernels.alpha_beta.pruning import (
    MATE,
    is_good_enough,
    is_hopeless,
    is_skipped,
    null_depth,
    reduction_of,
)
from ai.kernels.clock import CLOCK, may_go_on
from ai.kernels.jit import INT, TABLE, Record, Table, kernel
from ai.kernels.layout import CLASSES, FIVE, FOUR, OPEN_FOUR, OPEN_TWO, POSITION
from ai.kernels.moves import place, take_back
from ai.kernels.threats.fouls import end_stop, is_forbidden
from ai.kernels.threats.fours import find_fours
from ai.kernels.threats.layout import FOURS
from ai.kernels.threats.points import five_point, pass_turn


@kernel(POSITION, TREE, returns=INT)
def score_patterns(positions: Record, trees: Record) -> int:
    """Return the weighted sum of the patterns, with a bonus for the turn.

    Args:
        positions: the position.
        trees: record of the alpha-beta search.
    """
    position = positions[0]
    tree = trees[0]
    own = position.side * CLASSES
    other = CLASSES - own
    score: int = tree.tempo
    for line_class in range(OPEN_TWO, OPEN_FOUR + 1):
        score += tree.weights[line_class] * position.points[own + line_class]
        score += tree.weights[CLASSES + line_class] * position.points[other + line_class]
    return score


@kernel(POSITION, TREE, INT, returns=INT)
def evaluate(positions: Record, trees: Record, level: int) -> int:
    """Return the evaluation of a quiet position for the side to move.

    It is a bonus for the turn, plus a weighted sum of the numbers of patterns that either side
    could make with one stone. The learned part is added if there is one, and the sum is scaled by
    the stage of the game. Below the root the learned part follows from the `sums` of the position
    one ply before (see `follow_move`). Those must have been computed before the last move.

    Args:
        positions: the position.
        trees: record of the alpha-beta search.
        level: how many plies the position is below the root.
    """
    score: int = score_patterns(positions, trees)
    if trees[0].learned == 1:
        if level == 0:
            sum_points(positions, trees, level)
        else:
            follow_move(positions, trees, level)
        stage = stage_of(positions)
        score += learned_score(positions, trees, level, stage)
        score = (score * trees[0].scales[stage]) >> SCALE_SHIFT
    return score


@kernel(POSITION, TREE, INT, INT, INT, returns=INT)
def lazy_score(positions: Record, trees: Record, depth: int, alpha: int, beta: int) -> int:
    """Return the evaluation of a leaf by its patterns alone, if the learned part cannot matter.

    That is so where the patterns alone lie outside of the window by the parameter `lazy`. If the
    other side threatens a five, moves are searched at a leaf, too, and the learned part is needed.

    Args:
        positions: the position.
        trees: record of the alpha-beta search.
        depth: plies left to search.
        alpha: lower end of the search window.
        beta: upper end of the search window.

    Returns:
        The score; `UNDECIDED` if the whole evaluation is needed.
    """
    tree = trees[0]
    threats = positions[0].points[(1 - positions[0].side) * CLASSES + FIVE]
    if tree.lazy == 0 or tree.learned == 0 or depth > 0 or threats > 0:
        return UNDECIDED
    score: int = score_patterns(positions, trees)
    score = (score * tree.scales[stage_of(positions)]) >> SCALE_SHIFT
    is_far = score - tree.lazy >= beta or score + tree.lazy <= alpha
    return score if is_far else UNDECIDED


@kernel(POSITION, TABLE, returns=INT)
def is_unstoppable(positions: Record, table: Table) -> int:
    """Return 1 if a five that the other side threatens cannot be stopped, else 0.

    That is so if two points make a five, or if the move that stops it is a foul. In caro, a stone
    at an end of the row may stop a five, too.

    Args:
        positions: the position, in which the other side threatens a five.
        table: lookup table of the patterns on lines (`ai.kernels.patterns`).
    """
    position = positions[0]
    other = 1 - position.side
    answer = five_point(positions, other, -1)
    if is_forbidden(positions, table, answer) == 1:
        return 1
    if position.points[other * CLASSES + FIVE] == 1 or end_stop(positions, other, answer) >= 0:
        return 0
    second = five_point(positions, other, answer)
    return 1 if second >= 0 and end_stop(positions, other, second) < 0 else 0


@kernel(POSITION, TABLE, TREE, returns=INT)
def settled_score(positions: Record, table: Table, trees: Record) -> int:
    """Return the score of a position that a five, an open four or a full board decides.

    Args:
        positions: the position.
        table: lookup table of the patterns on lines (`ai.kernels.patterns`).
        trees: record of the alpha-beta search.

    Returns:
        The score for the side to move; `UNDECIDED` if none of these decides it.
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
    if position.points[other + FIVE] > 0:
        return ply + 2 - WIN if is_unstoppable(positions, table) == 1 else UNDECIDED
    may_be_foul = position.has_fouls == 1 and position.side == 0
    if position.points[own + OPEN_FOUR] > 0 and not may_be_foul:
        return WIN - ply - 3
    return UNDECIDED


@kernel(POSITION, TABLE, FOURS, CLOCK, INT, returns=INT)
def score_by_fours(
    positions: Record, table: Table, fours: Record, clocks: Record, limit: int
) -> int:
    """Return the score of a win by continuous fours; `UNDECIDED` if none is found.

    Args:
        positions: the position; the side to move is the one that would win.
        table: lookup table of the patterns on lines (`ai.kernels.patterns`).
        fours: memory of the search for fours.
        clocks: the budget of the move.
        limit: greatest number of fours that this search may play; 0 for no search.
    """
    position = positions[0]
    own = position.side * CLASSES
    fours_left = position.points[own + FOUR]
    if position.has_fouls == 1:
        fours_left += position.points[own + OPEN_FOUR]
    if limit > 0 and fours_left > 0:
        fours[0].nodes = 0
        fours[0].node_limit = limit
        fours[0].is_cut = 0
        found = find_fours(positions, table, fours, clocks, 0)
        if found > 0:
            ply: int = position.ply
            return WIN - ply - found
    return UNDECIDED


@kernel(TREE, INT, INT)
def lead_line(trees: Record, level: int, move: int) -> None:
    """Set a level's principal variation (best line): a move, then the line of the next level.

    Args:
        trees: record of the alpha-beta search; its `lines` and `lengths` are changed.
        level: how many plies the position is below the root.
        move: the first move of the line.
    """
    tree = trees[0]
    tree.lines[level * LEVELS] = move
    length = min(tree.lengths[level + 1], LEVELS - 1)
    for place_at in range(length):
        tree.lines[level * LEVELS + 1 + place_at] = tree.lines[(level + 1) * LEVELS + place_at]
    tree.lengths[level] = length + 1


@kernel(TREE, INT, returns=INT)
def width_of(trees: Record, depth: int) -> int:
    """Return the greatest number of moves to search in a position.

    Args:
        trees: record of the alpha-beta search.
        depth: plies left to search.
    """
    tree = trees[0]
    width: int = min(tree.width_base + tree.width_step * depth, tree.width_most)
    return width


@kernel(TREE, INT, INT, returns=INT)
def likely_score(trees: Record, entry: int, evaluation: int) -> int:
    """Return the better estimate of a position's score: the evaluation or the table entry's score.

    Args:
        trees: record of the alpha-beta search.
        entry: packed table entry; -1 for none.
        evaluation: evaluation of the position.
    """
    if trees[0].is_table_used == 0 or entry < 0:
        return evaluation
    score = entry_score(entry)
    bound = entry_bound(entry)
    if abs(score) > MATE or (bound == LOWER and score <= evaluation):
        return evaluation
    return evaluation if bound == UPPER and score >= evaluation else score


@kernel(POSITION, TREE, WORDS, INT, INT, returns=INT)
def seen_depth(positions: Record, trees: Record, words: Any, depth: int, answer: int) -> int:
    """Return the depth to search to, one ply less if the table has no best move of the position.

    The depth stays the same if it is below the setting `blind_depth`, or if that setting is 0.

    Args:
        positions: the position.
        trees: record of the alpha-beta search.
        words: the transposition table.
        depth: plies left to search.
        answer: move that stops a five, for which the depth stays the same; -1 for none.
    """
    least = trees[0].blind_depth
    if least == 0 or depth < least or answer >= 0:
        return depth
    return depth - 1 if move_of(entry_of(positions, words)) < 0 else depth


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
    """Return a position's score if it can be had without searching moves, else `UNDECIDED`.

    Such a score comes from a decided position, the transposition table, pruning, a win by fours or
    the end of the depth. The evaluation of an undecided position is stored in the search's record.

    Args:
        positions: the position.
        table: lookup table of the patterns on lines (`ai.kernels.patterns`).
        trees: record of the alpha-beta search.
        fours: memory of the search for fours.
        words: the transposition table.
        clocks: the budget of the move.
        level: how many plies the position is below the root.
        depth: plies left to search.
        alpha: lower end of the search window.
        beta: upper end of the search window.
    """
    position = positions[0]
    tree = trees[0]
    score = settled_score(positions, table, trees)
    if score != UNDECIDED:
        return score
    score = lazy_score(positions, trees, depth, alpha, beta)
    tree.evals[level] = evaluate(positions, trees, level) if score == UNDECIDED else score
    evaluation: int = tree.evals[level]
    tree.likely[level] = evaluation
    if level + 2 >= LEVELS:
        return evaluation
    if position.points[(1 - position.side) * CLASSES + FIVE] > 0:
        return UNDECIDED
    entry = entry_of(positions, words)
    score = score_from(entry, max(depth, 0), alpha, beta)
    if score != UNDECIDED:
        return score
    tree.likely[level] = likely_score(trees, entry, evaluation)
    is_narrow = beta - alpha == 1
    if depth <= 0 or (is_narrow and is_hopeless(trees, level, depth, alpha) == 1):
        is_calm = depth <= 0 and tree.stand_pat == 1 and evaluation >= beta
        score = score_by_fours(positions, table, fours, clocks, 0 if is_calm else tree.fours)
        if score != UNDECIDED or depth <= 0:
            score = evaluation if score == UNDECIDED else score
            bound = bound_of(score, alpha, beta) if is_calm or tree.lazy > 0 else EXACT
            keep(positions, trees, words, 0, score, bound, -1)
            return score
        return int(tree.likely[level])
    if is_narrow and is_good_enough(positions, trees, level, depth, beta) == 1:
        return int(tree.likely[level])
    return score_by_fours(positions, table, fours, clocks, tree.inner_fours * depth)


@kernel(POSITION, TABLE, TREE, WORDS, INT, INT, INT, returns=INT)
def list_after(
    positions: Record,
    table: Table,
    trees: Record,
    words: Any,
    level: int,
    depth: int,
    answer: int,
) -> int:
    """List the moves of a position in the search's record and return how many.

    If the other side threatens a five, only the moves that stop it are listed.

    Args:
        positions: the position.
        table: lookup table of the patterns on lines (`ai.kernels.patterns`).
        trees: record of the alpha-beta search.
        words: the transposition table.
        level: how many plies the position is below the root.
        depth: plies left to search.
        answer: move that stops a five; -1 if no five threatens.
    """
    if answer >= 0:
        trees[0].is_whole[level] = 1
        trees[0].moves[level * WIDTH] = answer
        trees[0].kinds[level * WIDTH] = 1
        second = end_stop(positions, 1 - positions[0].side, answer)
        if second < 0:
            return 1
        trees[0].moves[level * WIDTH + 1] = second
        trees[0].kinds[level * WIDTH + 1] = 1
        return 2
    first = move_of(entry_of(positions, words))
    return list_moves(positions, table, trees, level, width_of(trees, depth), first)


@kernel(TREE, CLOCK, INT, INT, returns=INT)
def enter(trees: Record, clocks: Record, level: int, alpha: int) -> int:
    """Count a position in the budget and prepare the record for its search.

    Args:
        trees: record of the alpha-beta search; its `is_cut` is set if a limit ends the search.
        clocks: the budget of the move.
        level: how many plies the position is below the root.
        alpha: lower end of the search window.

    Returns:
        1; 0 if a limit ends the search.
    """
    tree = trees[0]
    tree.lengths[level] = 0
    tree.best[level] = -WIN
    tree.best_moves[level] = -1
    tree.floors[level] = alpha
    if may_go_on(clocks, 1) == 0:
        tree.is_cut = 1
        return 0
    clocks[0].nodes += 1
    return 1


@kernel(TREE, INT, INT, INT)
def note_score(trees: Record, level: int, move: int, score: int) -> None:
    """Store the score of a move as its position's result, if it is the best one so far.

    If it is also above the lower end of the search window, it raises that end. The principal
    variation (best line) of the position then begins with the move.

    Args:
        trees: record of the alpha-beta search.
        level: how many plies the position is below the root.
        move: the move.
        score: score of the move for the side that makes it.
    """
    tree = trees[0]
    if score > tree.best[level]:
        tree.best[level] = score
        tree.best_moves[level] = move
    if score > tree.floors[level]:
        tree.floors[level] = score
        lead_line(trees, level, move)


@kernel(TREE, INT)
def doubt_loss(trees: Record, level: int) -> None:
    """Make a level's loss a likely one if a move that was not searched might avoid it.

    Args:
        trees: record of the alpha-beta search; the level's moves were searched.
        level: how many plies the position is below the root.
    """
    tree = trees[0]
    is_lost = tree.best[level] < LONGEST - WIN
    if is_lost and tree.doubt == 1 and tree.is_whole[level] == 0:
        tree.best[level] += WIN - LIKELY


@kernel(POSITION, TREE, WORDS, INT, INT, INT, INT, INT)
def keep_level(
    positions: Record,
    trees: Record,
    words: Any,
    level: int,
    depth: int,
    answer: int,
    alpha: int,
    beta: int,
) -> None:
    """Store a position's result in the transposition table, unless its move was forced.

    A loss that is not certain is made a likely one before.

    Args:
        positions: the position.
        trees: record of the alpha-beta search.
        words: the transposition table.
        level: how many plies the position is below the root.
        depth: depth of the search in plies.
        answer: the forced move; -1 for none.
        alpha: lower end of the search window.
        beta: upper end of the search window.
    """
    tree = trees[0]
    doubt_loss(trees, level)
    if answer < 0:
        bound = bound_of(tree.best[level], alpha, beta)
        keep(positions, trees, words, depth, tree.best[level], bound, tree.best_moves[level])


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
    """Search `depth` plies below `level`; return the score for the side to move.

    It is exact within (alpha, beta), else a bound. It means nothing if `is_cut` is 1 afterwards.
    """
    tree = trees[0]
    if enter(trees, clocks, level, alpha) == 0:
        return 0
    score = known_score(positions, table, trees, fours, words, clocks, level, depth, alpha, beta)
    answer = five_point(positions, 1 - positions[0].side, -1)
    passed = null_depth(positions, trees, level, depth, alpha, beta) if answer < 0 else -1
    if score == UNDECIDED and passed >= 0:
        tree.played[level] = -1
        pass_turn(positions)
        score = -search(
            positions, table, trees, fours, words, clocks, level + 1, passed, -beta, -alpha
        )
        pass_turn(positions)
        score = beta if score >= beta else UNDECIDED
        tree.lengths[level] = 0
    if score != UNDECIDED or tree.is_cut == 1:
        return score
    depth = seen_depth(positions, trees, words, depth, answer)
    for at in range(list_after(positions, table, trees, words, level, depth, answer)):
        if is_skipped(trees, level, depth, at) == 1:
            continue
        less = reduction_of(positions, trees, level, depth, at, beta - alpha)
        below = depth if answer >= 0 else depth - 1
        move, floor = tree.moves[level * WIDTH + at], tree.floors[level]
        tree.played[level] = move
        place(positions, table, move)
        top = -beta if at == 0 else -floor - 1
        score = -search(
            positions, table, trees, fours, words, clocks, level + 1, below - less, top, -floor
        )
        if at > 0 and score > floor and (less > 0 or score < beta):
            score = -search(
                positions, table, trees, fours, words, clocks, level + 1, below, -beta, -floor
            )
        take_back(positions, table)
        if tree.is_cut == 1:
            return 0
        note_score(trees, level, move, score)
        if score >= beta:
            reward(positions, trees, level, depth, at)
            break
    keep_level(positions, trees, words, level, depth, answer, alpha, beta)
    found: int = tree.best[level]
    return found
