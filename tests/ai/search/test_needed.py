"""Needed moves against a count by the rules alone."""

from __future__ import annotations

import numpy as np
import pytest

from ai import Board, Rules, to_text
from ai.search.needed import SIGHT_OF_FIVES, SIGHT_OF_FOURS, SIGHT_OF_OWN_FOURS, NeededMoves


def rows_of(board, color):
    """Points where a side completes a row."""
    return {move for move in board.legal_moves if board.completes_row(move, color)}


def winning_fours(board):
    """Moves of the side to move after which it can complete a row at two points."""
    color, found = board.to_move, set()
    for move in list(board.legal_moves):
        board.push(move)
        if len(rows_of(board, color)) > 1:
            found.add(move)
        board.pop()
    return found


def counted(board, sight):
    """The needed moves, by trying everything."""
    own, other = board.to_move, -board.to_move
    found = rows_of(board, own) or rows_of(board, other)
    if found or sight < SIGHT_OF_OWN_FOURS:
        return found
    found = winning_fours(board)
    if found or sight < SIGHT_OF_FOURS:
        return found
    safe, is_threatened = set(), False
    for move in list(board.legal_moves):
        board.push(move)
        forced = rows_of(board, own)
        fours = winning_fours(board) & (forced or set(board.legal_moves))
        board.pop()
        is_threatened |= bool(fours)
        if not fours:
            safe.add(move)
    return safe if is_threatened and threatens(board) else set()


def threatens(board):
    """Whether the other side had a winning four if it were to move."""
    color = -board.to_move
    for move in list(board.legal_moves):
        stones = np.array(board.stones)
        stones[move] = color
        points = [
            point
            for point in np.flatnonzero(stones == 0)
            if has_row(stones, int(point), color, board.rules)
        ]
        if len(points) > 1:
            return True
    return False


def has_row(stones, point, color, rules):
    """Whether a stone completes a row, by looking along its four lines."""
    size = rules.size
    row, column = divmod(point, size)
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        length = 1
        for sign in (-1, 1):
            step = sign
            while (
                0 <= row + step * down < size
                and 0 <= column + step * right < size
                and stones[(row + step * down) * size + column + step * right] == color
            ):
                length += 1
                step += sign
        if length == rules.win_length or (length > rules.win_length and not rules.exact):
            return True
    return False


@pytest.mark.parametrize("rules", [Rules(6, 4), Rules(6, 4, "standard"), Rules(7, 5)], ids=str)
def test_needed_moves_are_those_of_the_rules(rules):
    needed, kinds = NeededMoves(rules), set()
    rng = np.random.default_rng(1)
    for number in range(24):
        board = Board(rules)
        while board.outcome() is None and board.ply < 6 + number % 12:
            board.play(int(rng.choice(list(board.legal_moves))))
        if board.outcome() is not None:
            continue
        for sight in (SIGHT_OF_FIVES, SIGHT_OF_OWN_FOURS, SIGHT_OF_FOURS):
            found, expected = needed.find(board, sight), counted(board, sight)
            assert set(found) == expected, (board, sight)
            assert list(found) == sorted(found)
            kinds.add(bool(found))
    assert kinds == {True, False}


def test_an_open_three_is_answered_at_its_ends():
    rules = Rules(9, 5)
    board = Board.from_moves("e5 a1 f5 a2 g5", rules)
    found = NeededMoves(rules).find(board, SIGHT_OF_FOURS)
    assert {to_text(move, 9) for move in found} == {"d5", "h5"}
    assert NeededMoves(rules).find(board, SIGHT_OF_FIVES) == ()
