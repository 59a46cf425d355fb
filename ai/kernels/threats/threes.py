"""Wins by continuous threats ("VCT"): every attack threatens a five or a win by fours.

A four has one answer. A quiet attack, which makes no four, has several. The win is a tree in which
every answer loses. It is proven by depth-first proof-number search (Nagai 2002). The proof number
of a position estimates how many more positions must be shown to be won until it is proven. The
disproof number estimates how many must be shown not to be won until it is disproven.
"""

from __future__ import annotations

from typing import Final

from ai.kernels.clock import CLOCK, may_go_on
from ai.kernels.jit import INT, TABLE, Record, Table, kernel
from ai.kernels.layout import CLASSES, EMPTY_CELL, FIVE, FOUR, OPEN_THREE, POINTS, POSITION
from ai.kernels.moves import best_class, place, take_back
from ai.kernels.threats.answers import mark_answers
from ai.kernels.threats.fouls import end_stop, is_forbidden
from ai.kernels.threats.fours import find_fours, forced_point
from ai.kernels.threats.layout import (
    ENTRIES,
    FOURS,
    INFINITE,
    LEVELS,
    NUMBER_BITS,
    THREES,
    WIDTH,
)
from ai.kernels.threats.points import five_point, pass_turn

NUMBER_MASK: Final = (1 << NUMBER_BITS) - 1
HELD: Final = INFINITE << NUMBER_BITS
"""Packed proof and disproof number of a disproved position: the attacker does not win."""
OPEN: Final = (1 << NUMBER_BITS) | 1
"""Packed proof and disproof number of a new position about which nothing is known."""
OPEN_QUIET: Final = (2 << NUMBER_BITS) | 1
"""Packed proof and disproof number of a new position after an attack by an open three."""
OPEN_DISTANT: Final = (4 << NUMBER_BITS) | 1
"""Packed proof and disproof number of a new position after an attack weaker than an open three."""
NOT_SETTLED: Final = -1
SALT: Final = 0x2D358DCCAA6C78A5
"""Number that changes the table keys of positions in which White attacks.

One table holds the results of both attackers. The number keeps them apart.
"""
SLACK: Final = 4
"""Divisor that sets how long a move is searched before the next best one is tried.

The search of a move ends, at the latest, when its number exceeds that of the next best move by more
than that number / SLACK.
"""


@kernel(INT, returns=INT)
def proof_of(numbers: int) -> int:
    """Return the proof number of a packed pair; 0 means that the attacker wins.

    Args:
        numbers: proof and disproof number in one integer.
    """
    return numbers >> NUMBER_BITS


@kernel(INT, returns=INT)
def disproof_of(numbers: int) -> int:
    """Return the disproof number of a packed pair; for a won position, the plies until the five.

    Args:
        numbers: proof and disproof number in one integer.
    """
    return numbers & NUMBER_MASK


@kernel(INT, INT, returns=INT)
def packed(proof: int, disproof: int) -> int:
    """Return a proof and a disproof number packed into one integer."""
    return min(proof, INFINITE) << NUMBER_BITS | min(disproof, INFINITE)


@kernel(THREES, INT, INT, returns=INT)
def known(threes: Record, key: int, otherwise: int) -> int:
    """Return the packed proof and disproof number that the table holds for a position.

    Args:
        threes: record of the search for threes.
        key: key of the position in the table.
        otherwise: what to return if the table holds none.
    """
    three = threes[0]
    for index in range(2):
        slot = (key ^ index) & (ENTRIES - 1)
        if three.keys[slot] == key:
            found: int = three.numbers[slot]
            return found
    return otherwise


@kernel(THREES, INT, INT)
def remember(threes: Record, key: int, numbers: int) -> None:
    """Store a position's packed proof and disproof number in the table.

    Decided positions are kept longest.

    Args:
        threes: record of the search for threes.
        key: key of the position in the table.
        numbers: proof and disproof number in one integer.
    """
    three = threes[0]
    slot = key & (ENTRIES - 1)
    other = slot ^ 1
    old = three.numbers[slot]
    is_decided = proof_of(old) == 0 or disproof_of(old) == 0
    if three.keys[slot] != key and (
        three.keys[other] == key or (is_decided and three.keys[slot] != 0)
    ):
        slot = other
    three.keys[slot] = key
    three.numbers[slot] = numbers


@kernel(POSITION, THREES, returns=INT)
def table_key(positions: Record, threes: Record) -> int:
    """Return the table's key of the position; it differs by which side attacks.

    Args:
        positions: the position.
        threes: record of the search for threes.
    """
    key: int = positions[0].key
    return key ^ SALT if threes[0].attacker == 1 else key


@kernel(POSITION, THREES, INT, returns=INT)
def key_after(positions: Record, threes: Record, move: int) -> int:
    """Return the table's key of the position that a move of the side to move leads to.

    Args:
        positions: the position.
        threes: record of the search for threes.
        move: the point.
    """
    position = positions[0]
    change: int = position.zobrist[position.side * POINTS + move] ^ position.zobrist_side
    return table_key(positions, threes) ^ change


@kernel(POSITION, THREES, INT, INT, INT, returns=INT)
def add_move(positions: Record, threes: Record, level: int, move: int, otherwise: int) -> int:
    """Add a move to a position's list, with the packed proof numbers of the position after it.

    Args:
        positions: the position before the move.
        threes: record of the search for threes.
        level: how many plies the position is below the root.
        move: the move.
        otherwise: packed numbers to use if the table holds none.

    Returns:
        1; 0 if the list is full.
    """
    three = threes[0]
    count = three.counts[level]
    if count >= WIDTH:
        return 0
    three.moves[level * WIDTH + count] = move
    three.proofs[level * WIDTH + count] = known(
        threes, key_after(positions, threes, move), otherwise
    )
    three.counts[level] = count + 1
    return 1


@kernel(POSITION, TABLE, THREES, FOURS, CLOCK, returns=INT)
def plies_by_fours(
    positions: Record, table: Table, threes: Record, fours: Record, clocks: Record
) -> int:
    """Return the plies of a win by fours of the side to move; 0 if none is found.

    The search plays at most `four_limit` fours, a number in the record `threes`. It leaves the
    moves of the win in `fours`.

    Args:
        positions: the position.
        table: lookup table of the patterns on lines (`ai.kernels.patterns`).
        threes: record of the search for threes.
        fours: memory of the search for fours.
        clocks: the budget of the move.
    """
    fours[0].nodes = 0
    fours[0].node_limit = threes[0].four_limit
    fours[0].is_cut = 0
    found = find_fours(positions, table, fours, clocks, 0)
    if found == 0 and fours[0].is_cut == 1 and may_go_on(clocks, 1) == 0:
        threes[0].is_cut = 1
    return found


@kernel(POSITION, TABLE, THREES, FOURS, CLOCK, INT, returns=INT)
def list_attacks(
    positions: Record, table: Table, threes: Record, fours: Record, clocks: Record, level: int
) -> int:
    """List the attacks in a position, unless the position is decided.

    If a five must be stopped, the move that stops it is the only attack.

    Args:
        positions: the position.
        table: lookup table of the patterns on lines (`ai.kernels.patterns`).
        threes: record of the search for threes.
        fours: memory of the search for fours.
        clocks: the budget of the move.
        level: how many plies the position is below the root.

    Returns:
        The packed proof numbers of a decided position, else NOT_SETTLED.
    """
    position = positions[0]
    side = position.side
    plies = plies_by_fours(positions, table, threes, fours, clocks)
    if plies > 0:
        return plies
    forced = forced_point(positions, table)
    if forced == -2 or level + 2 >= LEVELS:
        return HELD
    if forced >= 0:
        add_move(positions, threes, level, forced, OPEN)
        return NOT_SETTLED
    weakest = threes[0].weakest
    for move in range(position.size * position.size):
        if position.board[position.cells[move]] != EMPTY_CELL:
            continue
        best = best_class(positions, move, side)
        if best < weakest or is_forbidden(positions, table, move) == 1:
            continue
        otherwise = OPEN_QUIET if best == OPEN_THREE else OPEN_DISTANT
        add_move(positions, threes, level, move, OPEN if best >= FOUR else otherwise)
    return NOT_SETTLED


@kernel(POSITION, TABLE, THREES, FOURS, CLOCK, INT, returns=INT)
def list_answers(
    positions: Record, table: Table, threes: Record, fours: Record, clocks: Record, level: int
) -> int:
    """List the answers that may stop an attack, unless the position is decided.

    Args:
        positions: the position.
        table: lookup table of the patterns on lines (`ai.kernels.patterns`).
        threes: record of the search for threes.
        fours: memory of the search for fours.
        clocks: the budget of the move.
        level: how many plies the position is below the root.

    Returns:
        The packed proof numbers of a decided position, else NOT_SETTLED.
    """
    position = positions[0]
    three = threes[0]
    defender = position.side
    if position.points[defender * CLASSES + FIVE] > 0:
        return HELD
    answer = five_point(positions, 1 - defender, -1)
    three.checked[level] = 1
    three.plies[level] = 1
    if answer >= 0:
        second = end_stop(positions, 1 - defender, answer)
        if is_forbidden(positions, table, answer) == 0:
            add_move(positions, threes, level, answer, OPEN)
        if second >= 0:
            add_move(positions, threes, level, second, OPEN)
        return NOT_SETTLED
    pass_turn(positions)
    plies = plies_by_fours(positions, table, threes, fours, clocks)
    pass_turn(positions)
    if plies < 3:
        return HELD
    mark_answers(positions, table, threes, fours, plies)
    three.plies[level] = plies
    three.checked[level] = 1 - max(position.has_fouls, position.has_blocks)
    for move in range(position.size * position.size):
        if three.marks[move] != three.mark or position.board[position.cells[move]] != EMPTY_CELL:
            continue
        if is_forbidden(positions, table, move) == 1:
            continue
        if add_move(positions, threes, level, move, OPEN) == 0:
            return HELD
    return NOT_SETTLED


@kernel(THREES, INT, returns=INT)
def sum_attacks(threes: Record, level: int) -> int:
    """Return the packed proof numbers of a position in which the attacker is to move.

    The attack to try next is chosen, too: the one with the smallest proof number.

    Args:
        threes: record of the search for threes.
        level: how many plies the position is below the root.
    """
    three = threes[0]
    least = INFINITE
    three.next_best[level] = INFINITE
    three.chosen[level] = -1
    total = 0
    for index in range(three.counts[level]):
        numbers = three.proofs[level * WIDTH + index]
        proof = proof_of(numbers)
        if proof == 0:
            three.chosen[level] = index
            return packed(0, disproof_of(numbers) + 1)
        total += disproof_of(numbers)
        if proof < least:
            three.next_best[level] = least
            least = proof
            three.chosen[level] = index
        else:
            three.next_best[level] = min(three.next_best[level], proof)
    return packed(least, total)


@kernel(THREES, INT, returns=INT)
def sum_answers(threes: Record, level: int) -> int:
    """Return the packed proof numbers of a position in which the defender is to move.

    The answer to try next is chosen, too: the one with the smallest disproof number. Answers that
    are known to lose are passed over.

    Args:
        threes: record of the search for threes.
        level: how many plies the position is below the root.
    """
    three = threes[0]
    least = INFINITE
    three.next_best[level] = INFINITE
    three.chosen[level] = -1
    total = 0
    plies = three.plies[level]
    for index in range(three.counts[level]):
        numbers = three.proofs[level * WIDTH + index]
        if proof_of(numbers) == 0:
            plies = max(plies, disproof_of(numbers))
            continue
        disproof = disproof_of(numbers)
        if disproof == 0:
            return HELD
        total += proof_of(numbers)
        if disproof < least:
            three.next_best[level] = least
            least = disproof
            three.chosen[level] = index
        else:
            three.next_best[level] = min(three.next_best[level], disproof)
    return packed(0, plies + 1) if total == 0 else packed(total, least)


@kernel(THREES, INT, INT, returns=INT)
def is_listed(threes: Record, level: int, move: int) -> int:
    """Return 1 if a move is in the list of a position, else 0.

    Args:
        threes: record of the search for threes.
        level: how many plies the position is below the root.
        move: the move.
    """
    three = threes[0]
    for index in range(three.counts[level]):
        if three.moves[level * WIDTH + index] == move:
            return 1
    return 0


@kernel(POSITION, TABLE, THREES, FOURS, CLOCK, INT, returns=INT)
def list_others(
    positions: Record, table: Table, threes: Record, fours: Record, clocks: Record, level: int
) -> int:
    """Add the legal answers that are not listed yet, except those that lose to fours.

    The level's `plies` becomes at least the length of the longest of these wins by fours.

    Args:
        positions: the position.
        table: lookup table of the patterns on lines (`ai.kernels.patterns`).
        threes: record of the search for threes.
        fours: memory of the search for fours.
        clocks: the budget of the move.
        level: how many plies the position is below the root.

    Returns:
        1; 0 if the list is full.
    """
    position = positions[0]
    three = threes[0]
    three.checked[level] = 1
    for move in range(position.size * position.size):
        if position.board[position.cells[move]] != EMPTY_CELL:
            continue
        if is_listed(threes, level, move) == 1 or is_forbidden(positions, table, move) == 1:
            continue
        place(positions, table, move)
        plies = plies_by_fours(positions, table, threes, fours, clocks)
        take_back(positions, table)
        three.plies[level] = max(three.plies[level], plies)
        if plies == 0 and add_move(positions, threes, level, move, OPEN) == 0:
            return 0
    return 1


@kernel(POSITION, TABLE, THREES, FOURS, CLOCK, INT, returns=INT)
def expand(
    positions: Record, table: Table, threes: Record, fours: Record, clocks: Record, level: int
) -> int:
    """List the moves of a position, unless the position is decided.

    Args:
        positions: the position.
        table: lookup table of the patterns on lines (`ai.kernels.patterns`).
        threes: record of the search for threes.
        fours: memory of the search for fours.
        clocks: the budget of the move.
        level: how many plies the position is below the root.

    Returns:
        The packed proof numbers of a decided position, else NOT_SETTLED. OPEN if a limit ended the
        search.
    """
    three = threes[0]
    three.counts[level] = 0
    if may_go_on(clocks, 1) == 0:
        three.is_cut = 1
        return OPEN
    clocks[0].nodes += 1
    if positions[0].side == three.attacker:
        return list_attacks(positions, table, threes, fours, clocks, level)
    return list_answers(positions, table, threes, fours, clocks, level)


@kernel(POSITION, TABLE, THREES, FOURS, CLOCK, INT, returns=INT)
def numbers_of(
    positions: Record, table: Table, threes: Record, fours: Record, clocks: Record, level: int
) -> int:
    """Return a position's packed proof numbers from its moves, and choose the next move.

    If every listed answer loses, the other answers are listed, too, where they may matter.

    Args:
        positions: the position.
        table: lookup table of the patterns on lines (`ai.kernels.patterns`).
        threes: record of the search for threes.
        fours: memory of the search for fours.
        clocks: the budget of the move.
        level: how many plies the position is below the root.
    """
    three = threes[0]
    if positions[0].side == three.attacker:
        return sum_attacks(threes, level)
    found = sum_answers(threes, level)
    if proof_of(found) == 0 and three.checked[level] == 0:
        if list_others(positions, table, threes, fours, clocks, level) == 0:
            return HELD
        found = sum_answers(threes, level)
    return found


@kernel(POSITION, TABLE, THREES, FOURS, CLOCK, INT, INT, INT, returns=INT)
def prove(
    positions: Record,
    table: Table,
    threes: Record,
    fours: Record,
    clocks: Record,
    level: int,
    most_proof: int,
    most_disproof: int,
) -> int:
    """Search a position until it is decided or one of its proof numbers reaches a bound.

    If a listed attack wins, `chosen` of the level is its place in the list. After a win by fours
    alone the list is empty. If a limit ends the search (`is_cut`), results that are already decided
    remain valid.

    Args:
        positions: the position.
        table: lookup table of the patterns on lines (`ai.kernels.patterns`).
        threes: record of the search for threes.
        fours: memory of the search for fours.
        clocks: the budget of the move.
        level: how many plies the position is below the root.
        most_proof: proof number at which to stop.
        most_disproof: disproof number at which to stop.

    Returns:
        The position's proof and disproof number in one integer.
    """
    three = threes[0]
    key = table_key(positions, threes)
    found = expand(positions, table, threes, fours, clocks, level)
    is_open = found == NOT_SETTLED
    while is_open:
        found = numbers_of(positions, table, threes, fours, clocks, level)
        proof = proof_of(found)
        disproof = disproof_of(found)
        is_over = proof == 0 or proof >= most_proof or disproof >= most_disproof
        if is_over or disproof == 0 or three.is_cut == 1:
            break
        index = level * WIDTH + three.chosen[level]
        own = three.proofs[index]
        rest = three.next_best[level]
        if positions[0].side == three.attacker:
            top = min(most_proof, rest + rest // SLACK + 1)
            bottom = most_disproof - disproof + disproof_of(own)
        else:
            top = most_proof - proof + proof_of(own)
            bottom = min(most_disproof, rest + rest // SLACK + 1)
        place(positions, table, three.moves[index])
        three.proofs[index] = prove(positions, table, threes, fours, clocks, level + 1, top, bottom)
        take_back(positions, table)
    if three.is_cut == 0 or proof_of(found) == 0:
        remember(threes, key, found)
    return found
