"""Which moves of a position the alpha-beta search tries, and in which order."""

from __future__ import annotations

from typing import Final

from ai.kernels.alpha_beta.layout import (
    DOUBLE_FOUR,
    DOUBLE_THREE,
    FOUR_AND_THREE,
    HOPE_SHIFT,
    OTHER_FOURS,
    OTHER_THREES,
    OWN_FOURS,
    OWN_THREES,
    SCORE_BITS,
    TREE,
    WIDTH,
)
from ai.kernels.alpha_beta.learned import bits_beyond
from ai.kernels.jit import INT, TABLE, Record, Table, kernel
from ai.kernels.layout import CELL_MASK, EMPTY_CELL, POINTS, POSITION
from ai.kernels.line_codes import KEYS, ROWS
from ai.kernels.threats.fouls import is_forbidden, threatens_open_four

FIRST: Final = 1 << 22
"""Added to the score of the table's best move, so that it comes first."""
KILLER: Final = 3_000
_KEY_MASK: Final = KEYS - 1
_SCORE_MASK: Final = (1 << SCORE_BITS) - 1
_FOURS_MASK: Final = (15 << (OWN_FOURS - SCORE_BITS)) | (15 << (OTHER_FOURS - SCORE_BITS))


@kernel(POSITION, TREE, INT, INT, returns=INT, is_inlined=True)
def packed_score(positions: Record, trees: Record, move: int, side: int) -> int:
    """Return the packed score of a stone of `side` on an empty point.

    Args:
        positions: the position.
        trees: record of the alpha-beta search.
        move: the point.
        side: 0 for Black, 1 for White.

    Returns:
        The score, packed with counts of threats (see `ai.kernels.alpha_beta.layout`). 0 if the
        stone touches no pattern.
    """
    classes = positions[0].line_classes
    packed = trees[0].packed
    first = (positions[0].cells[move] & CELL_MASK) * 4
    total = 0
    for direction in range(4):
        total += packed[side * 256 + classes[first + direction]]
    return total


@kernel(POSITION, INT, returns=INT, is_inlined=True)
def touches_nothing(positions: Record, cell: int) -> int:
    """Return 1 if a stone on a cell would be part of no pattern and block none, else 0.

    Args:
        positions: the position.
        cell: the point as a cell, an index on the padded board.
    """
    classes = positions[0].line_classes
    first = cell * 4
    found = classes[first] | classes[first + 1] | classes[first + 2] | classes[first + 3]
    return 1 if found == 0 else 0


@kernel(INT, returns=INT)
def with_pairs(packed: int) -> int:
    """Return a move's plain score, plus the bonuses for making or preventing two threats at once.

    Args:
        packed: packed score of the move: the plain score and counts of threats.
    """
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


@kernel(INT, returns=INT)
def threats_of(packed: int) -> int:
    """Return a move's threat class, a number for the threats that it makes and prevents.

    Args:
        packed: packed score of the move.

    Returns:
        The class, from 0 to THREATS - 1.
    """
    found = min((packed >> OWN_FOURS) & 15, 2) * 27 + min((packed >> OWN_THREES) & 15, 2) * 9
    return found + min((packed >> OTHER_FOURS) & 15, 2) * 3 + min((packed >> OTHER_THREES) & 15, 2)


@kernel(POSITION, TREE, INT, INT, INT, returns=INT, is_inlined=True)
def hope_of(positions: Record, trees: Record, move: int, side: int, packed: int) -> int:
    """Return the learned logit of a move: the greater, the more likely the move is good.

    It is computed from the move's four lines and its threats, as a fixed-point number with
    HOPE_SHIFT fraction bits.

    Args:
        positions: the position.
        trees: record of the alpha-beta search.
        move: an empty point.
        side: side that would play there, 0 for Black, 1 for White.
        packed: packed score of the move.
    """
    tree, keys, beyond = trees[0], positions[0].line_keys, bits_beyond(positions)
    first = (positions[0].cells[move] & CELL_MASK) * 4
    total: int = tree.order_threats[threats_of(packed)]
    for direction in range(4):
        row = tree.rows[(keys[first + direction] >> beyond) & _KEY_MASK]
        total += tree.order_lines[side * ROWS + row]
    return total


@kernel(TREE, INT, INT, INT, INT, INT, INT, INT, is_inlined=True)
def insert_move(
    trees: Record, level: int, count: int, width: int, move: int, score: int, kind: int, hope: int
) -> None:
    """Insert a move into a level's list, which is sorted by score, the best first.

    Args:
        trees: record of the alpha-beta search.
        level: plies below the root of the position whose list it is.
        count: moves already listed.
        width: greatest number of moves listed; the worst one drops out.
        move: the move.
        score: score to sort by.
        kind: counts of the fours and open threes of the move; 0 for a quiet move.
        hope: learned logit of the move.
    """
    tree = trees[0]
    first = level * WIDTH
    place_at = first + min(count, width - 1)
    if count < width or tree.orders[place_at] < score:
        while place_at > first and tree.orders[place_at - 1] < score:
            tree.orders[place_at] = tree.orders[place_at - 1]
            tree.moves[place_at] = tree.moves[place_at - 1]
            tree.kinds[place_at] = tree.kinds[place_at - 1]
            tree.hopes[place_at] = tree.hopes[place_at - 1]
            place_at -= 1
        tree.orders[place_at] = score
        tree.moves[place_at] = move
        tree.kinds[place_at] = kind
        tree.hopes[place_at] = hope


@kernel(TREE, INT, INT, INT, INT, returns=INT, is_inlined=True)
def remembered(trees: Record, level: int, side: int, move: int, last: int) -> int:
    """Return a move's bonus in the move ordering, which grows with the cutoffs it caused elsewhere.

    The bonus comes from killer moves, counter-moves and history scores.

    Args:
        trees: record of the alpha-beta search.
        level: how many plies the position is below the root.
        side: side to move, 0 for Black, 1 for White.
        move: the move.
        last: the other side's move before it; -1 for none.
    """
    tree = trees[0]
    score: int = tree.history[side * POINTS + move]
    is_counter = False
    if last >= 0:
        index = (side * POINTS + last) * POINTS + move
        score += tree.continuation[index] * tree.continuation_share // 8
        is_counter = tree.counters[side * POINTS + last] == move + 1
    if move == tree.killers[2 * level] or move == tree.killers[2 * level + 1]:
        score += KILLER
    elif is_counter:
        score += tree.counter
    return score


@kernel(POSITION, TABLE, TREE, INT, INT, returns=INT)
def list_free(positions: Record, table: Table, trees: Record, level: int, width: int) -> int:
    """List the first legal moves of a position in which no move touches a pattern.

    Args:
        positions: the position.
        table: lookup table of the patterns on lines (`ai.kernels.patterns`).
        trees: record of the alpha-beta search.
        level: how many plies the position is below the root.
        width: greatest number of moves.

    Returns:
        How many moves are listed.
    """
    position = positions[0]
    tree = trees[0]
    count = 0
    tree.is_whole[level] = 0
    for move in range(position.size * position.size):
        is_free = position.board[position.cells[move]] == EMPTY_CELL
        if is_free and count < width and is_forbidden(positions, table, move) == 0:
            place_at = level * WIDTH + count
            tree.moves[place_at] = move
            tree.orders[place_at] = 0
            tree.kinds[place_at] = 0
            tree.hopes[place_at] = 0
            count += 1
    return count


@kernel(POSITION, TABLE, TREE, INT, INT, INT, returns=INT)
def list_moves(
    positions: Record, table: Table, trees: Record, level: int, width: int, first: int
) -> int:
    """List the most promising moves of a position, the best first; return how many.

    Fouls are left out, so the list may be empty. If the other side threatens an open four, only
    moves that make or prevent a four are listed, and `width` is ignored. Moves that touch no
    pattern are listed only if there is no other move.

    The record's `is_whole` is 1 if every legal move that is not listed loses: there is none, or the
    other side answers it with an open four. In caro such a four may be stopped from farther away.
    In renju that of Black may become a foul. There only a list of all moves is whole.

    Args:
        positions: the position; neither side can make a five.
        table: lookup table of the patterns on lines (`ai.kernels.patterns`).
        trees: record of the alpha-beta search.
        level: how many plies the position is below the root.
        width: greatest number of moves.
        first: move that is listed first; -1 for none.
    """
    position = positions[0]
    tree = trees[0]
    side = position.side
    is_threatened = threatens_open_four(positions, table) == 1
    last = tree.played[level - 1] if level > 0 else -1
    count = hope = missed = 0
    tree.most_hope[level] = -(1 << 20)
    wanted = WIDTH if is_threatened else width
    for move in range(position.size * position.size):
        cell = position.cells[move] & CELL_MASK
        if position.board[cell] != EMPTY_CELL:
            continue
        if touches_nothing(positions, cell) == 1:
            missed += 1
            continue
        packed = packed_score(positions, trees, move, side)
        kind = packed >> SCORE_BITS
        if packed == 0 or (is_threatened and kind & _FOURS_MASK == 0):
            missed += 1
            continue
        if position.has_fouls == 1 and is_forbidden(positions, table, move) == 1:
            continue
        score = with_pairs(packed)
        if tree.policy > 0:
            hope = hope_of(positions, trees, move, side, packed)
            tree.most_hope[level] = max(tree.most_hope[level], hope)
            score += (hope * tree.policy >> HOPE_SHIFT) - (packed & _SCORE_MASK)
        score += FIRST if move == first else remembered(trees, level, side, move, last)
        insert_move(trees, level, count, wanted, move, score, kind, hope)
        count += 1
    is_cut = count > wanted
    count = min(count, wanted)
    may_fail = position.has_blocks == 1 or (position.has_fouls == 1 and side == 1)
    is_sure = is_threatened and not may_fail
    tree.is_whole[level] = 1 if not is_cut and (missed == 0 or is_sure) else 0
    if count == 0:
        count = list_free(positions, table, trees, level, width)
    return count


@kernel(INT, INT, returns=INT)
def nudged(value: int, bonus: int) -> int:
    """Return a move's history score after a bonus or a penalty.

    The result stays between -KILLER and KILLER.

    Args:
        value: the history score before.
        bonus: the bonus; negative for a penalty.
    """
    return value + bonus - value * abs(bonus) // KILLER


@kernel(TREE, INT, INT, INT, INT)
def change_history(trees: Record, side: int, last: int, move: int, bonus: int) -> None:
    """Add a bonus to both history scores of a move.

    One score is that of the move anywhere. The other is that of the move as an answer to `last`.

    Args:
        trees: record of the alpha-beta search.
        side: side that makes the move, 0 for Black, 1 for White.
        last: the other side's move before it; -1 for none.
        move: the move.
        bonus: the bonus; negative for a penalty.
    """
    tree = trees[0]
    index = side * POINTS + move
    tree.history[index] = nudged(tree.history[index], bonus)
    if last >= 0:
        index = (side * POINTS + last) * POINTS + move
        tree.continuation[index] = nudged(tree.continuation[index], bonus)


@kernel(POSITION, TREE, INT, INT, INT)
def reward(positions: Record, trees: Record, level: int, depth: int, place_at: int) -> None:
    """Remember a move that caused a cutoff, so that it is tried early in other positions.

    It becomes a killer move and the counter-move to the move before, and its history score rises.
    If the parameter `malus` is set, the moves that were tried before it get a penalty.

    Args:
        positions: the position before the move.
        trees: record of the alpha-beta search.
        level: how many plies the position is below the root.
        depth: plies left to search; a greater depth gives a greater bonus.
        place_at: place of the move in the level's list.
    """
    tree = trees[0]
    side = positions[0].side
    last = tree.played[level - 1] if level > 0 else -1
    move = tree.moves[level * WIDTH + place_at]
    if tree.killers[2 * level] != move:
        tree.killers[2 * level + 1] = tree.killers[2 * level]
        tree.killers[2 * level] = move
    if last >= 0:
        tree.counters[side * POINTS + last] = move + 1
    if tree.malus == 0:
        index = side * POINTS + move
        tree.history[index] = min(tree.history[index] + depth * depth, KILLER)
        return
    bonus = min(depth * depth * tree.malus, KILLER // 2)
    change_history(trees, side, last, move, bonus)
    for seen in range(place_at):
        change_history(trees, side, last, tree.moves[level * WIDTH + seen], -bonus)
