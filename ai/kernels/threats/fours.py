"""Wins by continuous fours on any board: every attack threatens five, every answer is forced.

A four has one answer, so a win is one line of play. Positions without a win are stored, since the
same fours in another order lead to them again.
"""

from __future__ import annotations

from ai.kernels.clock import CLOCK, may_go_on
from ai.kernels.jit import INT, TABLE, Record, Table, kernel
from ai.kernels.layout import CELL_MASK, CLASSES, EMPTY_CELL, FIVE, FOUR, OPEN_FOUR, POSITION
from ai.kernels.moves import place, take_back
from ai.kernels.threats.fouls import end_stop, is_forbidden
from ai.kernels.threats.layout import FAILED, FOURS, MAX_FOURS
from ai.kernels.threats.points import five_beside, five_point, point_of


@kernel(POSITION, FOURS, INT, returns=INT)
def win_at_once(positions: Record, fours: Record, level: int) -> int:
    """Return whether the side to move wins at once, and put the winning move into `line`.

    Returns:
        Plies of the win: 1 for a five, 3 for an open four. 0 if fours may be tried, -1 if none can
        be made.
    """
    position = positions[0]
    own = position.side * CLASSES
    if position.points[own + FIVE] > 0:
        fours[0].line[2 * level] = five_point(positions, position.side, -1)
        return 1
    if position.points[own + FOUR] + position.points[own + OPEN_FOUR] == 0:
        return -1
    is_threatened = position.points[(1 - position.side) * CLASSES + FIVE] > 0
    may_be_foul = position.has_fouls == 1 and position.side == 0
    if position.points[own + OPEN_FOUR] > 0 and not is_threatened and not may_be_foul:
        fours[0].line[2 * level] = point_of(positions, position.side, OPEN_FOUR, -1)
        return 3
    return 0


@kernel(POSITION, TABLE, returns=INT)
def forced_point(positions: Record, table: Table) -> int:
    """Return where the side to move must stop a five.

    Args:
        positions: the position.
        table: lookup table of the patterns on lines (`ai.kernels.patterns`).

    Returns:
        The point; -1 if no five threatens, -2 if the five cannot be stopped.
    """
    other = 1 - positions[0].side
    forced = five_point(positions, other, -1)
    if forced >= 0 and five_point(positions, other, forced) >= 0:
        return -2
    if forced >= 0 and is_forbidden(positions, table, forced) == 1:
        return -2
    return forced


@kernel(FOURS, CLOCK, returns=INT)
def may_play(fours: Record, clocks: Record) -> int:
    """Count one more four that the search plays, if the limits allow it.

    Args:
        fours: record of the search for fours.
        clocks: the budget of the move.

    Returns:
        1 if it is allowed; otherwise 0, and the record's `is_cut` is set.
    """
    four = fours[0]
    if four.nodes >= four.node_limit or may_go_on(clocks, 1) == 0:
        four.is_cut = 1
        return 0
    four.nodes += 1
    clocks[0].nodes += 1
    return 1


@kernel(POSITION, INT, returns=INT, is_inlined=True)
def fours_at(positions: Record, move: int) -> int:
    """Return in how many directions the side to move makes a four or more on a point.

    Args:
        positions: the position.
        move: the point; with a stone on it the result is 0.
    """
    position = positions[0]
    cell = position.cells[move] & CELL_MASK
    shift = 4 * position.side
    found = 0
    if position.board[cell] == EMPTY_CELL:
        for direction in range(4):
            line_class = (position.line_classes[cell * 4 + direction] >> shift) & 15
            found += 1 if line_class >= FOUR else 0
    return found


@kernel(POSITION, TABLE, FOURS, INT, INT, returns=INT)
def find_after(positions: Record, table: Table, fours: Record, level: int, move: int) -> int:
    """Judge a four that was just made, and put it and its answer into the record's `line`.

    The four wins if two points complete the five, or if its only answer is a foul. In caro, a four
    that can be stopped at the end of its row counts as no threat.

    Args:
        positions: the position after the four.
        table: lookup table of the patterns on lines (`ai.kernels.patterns`).
        fours: record of the search for fours.
        level: number of fours before this one.
        move: point of the four.

    Returns:
        3 if it wins, 0 if it threatens nothing, -2 if it has one answer and the search may
        continue.
    """
    position = positions[0]
    four = fours[0]
    side = 1 - position.side
    four.line[2 * level] = move
    answer = five_beside(positions, move, side, -1)
    if answer < 0:
        answer = five_point(positions, side, -1)
    if answer < 0 or end_stop(positions, side, answer) >= 0:
        return 0
    four.line[2 * level + 1] = answer
    if position.points[position.side * CLASSES + FIVE] > 0:
        return -2
    second = five_beside(positions, move, side, answer)
    if second >= 0 and end_stop(positions, side, second) < 0:
        return 3
    return 3 if is_forbidden(positions, table, answer) == 1 else -2


@kernel(POSITION, FOURS, INT)
def note_failure(positions: Record, fours: Record, was_cut: int) -> None:
    """Store that a position has no win by continuous fours, unless a limit left something out.

    Args:
        positions: the position.
        fours: record of the search for fours; its `is_cut` speaks of this position only, and then
            of the ones before, too.
        was_cut: 1 if a limit left something out before.
    """
    four = fours[0]
    if four.is_cut == 0:
        four.failed[positions[0].key & (FAILED - 1)] = positions[0].key
    four.is_cut = max(four.is_cut, was_cut)


@kernel(POSITION, TABLE, FOURS, CLOCK, INT, returns=INT)
def find_fours(positions: Record, table: Table, fours: Record, clocks: Record, level: int) -> int:
    """Return the plies of a win by continuous fours of the side to move; 0 if none is found.

    The record's `line` receives the win, from index 2 * `level` on. If no win is found and a limit
    left something out, `is_cut` is 1.

    Args:
        positions: the position; unchanged afterwards.
        table: lookup table of the patterns on lines (`ai.kernels.patterns`).
        fours: record of the search for fours.
        clocks: the budget of the move.
        level: number of fours already played.
    """
    position = positions[0]
    four = fours[0]
    found = win_at_once(positions, fours, level)
    if found != 0:
        return max(found, 0)
    forced = forced_point(positions, table)
    if forced == -2 or four.failed[position.key & (FAILED - 1)] == position.key:
        return 0
    if level + 1 >= MAX_FOURS:
        four.is_cut = 1
        return 0
    was_cut = four.is_cut
    four.is_cut = 0
    own = position.side * CLASSES
    left = position.points[own + FOUR] + position.points[own + OPEN_FOUR]
    first = max(forced, 0)
    last = forced + 1 if forced >= 0 else position.size * position.size
    for move in range(first, last):
        if left <= 0:
            break
        made = fours_at(positions, move)
        left -= made
        if made == 0 or is_forbidden(positions, table, move) == 1:
            continue
        if may_play(fours, clocks) == 0:
            break
        place(positions, table, move)
        found = find_after(positions, table, fours, level, move)
        if found == -2:
            place(positions, table, four.line[2 * level + 1])
            found = find_fours(positions, table, fours, clocks, level + 1)
            found = found + 2 if found > 0 else 0
            take_back(positions, table)
        take_back(positions, table)
        if found > 0:
            return found
    note_failure(positions, fours, was_cut)
    return 0
