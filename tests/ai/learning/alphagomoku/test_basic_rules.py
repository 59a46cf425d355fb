"""Phase 1's positions are those of the document, on any board and for any row that wins."""

from __future__ import annotations

import numpy as np
import pytest

from ai.game import BLACK, WHITE, Rules, RulesError, board_of
from ai.game.lines import symmetries
from ai.learning.alphagomoku.basic_rules import basic_positions, split_basic_positions

BOARDS = (Rules(15), Rules(6, 4), Rules(9))


def boards_of(samples, rules):
    """The samples' stones as they lie, Black 1: `[N, n, n]`."""
    return (samples.stones * samples.color[:, None]).reshape(-1, rules.size, rules.size)


def rows_through(board, point, length):
    """The straight pieces of `length` through a point, as lists of points."""
    size = len(board)
    row, column = divmod(point, size)
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        for first in range(1 - length, 1):
            piece = [
                (row + down * (first + n), column + right * (first + n)) for n in range(length)
            ]
            if all(0 <= y < size and 0 <= x < size for y, x in piece):
                yield piece


def winning_points(board, color, length):
    """By brute force: the empty points on which a color makes a row."""
    size = len(board)
    return {
        point
        for point in range(size * size)
        if board.flat[point] == 0
        and any(
            all(board[place] == color for place in piece if place != divmod(point, size))
            for piece in rows_through(board, point, length)
        )
    }


@pytest.mark.parametrize("rules", BOARDS, ids=str)
def test_each_position_teaches_the_five_or_the_stop(rules):
    samples = basic_positions(rules, 8, 3)
    assert len(samples) == 8
    assert (samples.color == BLACK).sum() == 4
    length = rules.win_length
    for board, color, policy, value, last in zip(
        boards_of(samples, rules), samples.color, samples.policy, samples.value, samples.last,
        strict=True,
    ):  # fmt: skip
        target = int(policy.argmax())
        assert policy.sum() == policy[target] == 1.0
        black, white = winning_points(board, BLACK, length), winning_points(board, WHITE, length)
        assert board.flat[last] == -color
        assert board.sum() == (color == WHITE)  # whose turn it is
        if color == BLACK:
            assert value == 1.0
            assert target in black
            assert any(is_open_four(board, target, end, length) for end in black)
        else:
            assert value == 0.0
            assert black == {target}
            assert not white


def is_open_four(board, target, other, length):
    """Whether between two empty points there are exactly four black stones in a straight row."""
    size = len(board)
    (y, x), (v, u) = divmod(target, size), divmod(other, size)
    far = max(abs(v - y), abs(u - x))
    down, right = np.sign(v - y), np.sign(u - x)
    is_straight = (y + down * far, x + right * far) == (v, u)
    between = [board[y + down * step, x + right * step] for step in range(1, far)]
    return far == length and is_straight and all(stone == BLACK for stone in between)


def test_both_fives_come_and_both_kinds_of_block():
    samples = basic_positions(Rules(9), 80, 0)
    first_ends, blocks = [], []
    for board, color, policy in zip(
        boards_of(samples, Rules(9)), samples.color, samples.policy, strict=True
    ):
        target = int(policy.argmax())
        if color == BLACK:
            first_ends.append(target == min(winning_points(board, BLACK, 5)))
        else:
            blocks.append(blocked_by(board, target))
    assert 0.3 < np.mean(first_ends) < 0.7
    assert set(blocks) == {"stone", "edge"}


def blocked_by(board, stop):
    """What is behind the four that `stop` stops: a white stone or the edge."""
    row, column = divmod(stop, len(board))
    for down, right in [(y, x) for y in (-1, 0, 1) for x in (-1, 0, 1) if y or x]:
        places = [(row + down * step, column + right * step) for step in range(1, 6)]
        inside = [place for place in places if min(place) >= 0 and max(place) < len(board)]
        if len(inside) >= 4 and all(board[place] == BLACK for place in inside[:4]):
            if len(inside) == 4:
                return "edge"
            if board[inside[4]] == WHITE:
                return "stone"
    return "nothing"


def test_the_seed_says_it_all_and_positions_are_playable():
    one, again, other = (basic_positions(Rules(6, 4), 40, seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one.stones, again.stones)
    np.testing.assert_array_equal(one.policy, again.policy)
    assert (one.stones != other.stones).any()
    rules = Rules(6, 4)
    board = boards_of(one, rules)[0].ravel()
    black, white = np.flatnonzero(board == BLACK), np.flatnonzero(board == WHITE)
    moves = [int(point) for pair in zip(black, white, strict=False) for point in pair]
    moves += [int(point) for point in black[len(white) :]]
    position = board_of(rules, moves)
    assert position.outcome() is None
    assert position.to_move == one.color[0]


def test_held_out_positions_are_not_trained_on_in_any_symmetry():
    rules = Rules(4, 3)  # so few points that positions come again
    known, held = split_basic_positions(rules, 3_000, 1, held=0.2)
    assert len(known) == 2_400
    assert 0 < len(held) < 600  # some of the 600 were known
    seen = {stones.tobytes() for stones in known.stones}
    for image in symmetries(4):
        assert not seen & {stones.tobytes() for stones in held.stones[:, image]}


@pytest.mark.parametrize(
    "rules", [Rules(5, 5), Rules(7, 5, "standard"), Rules(15, 5, "renju"), Rules(7, 4, height=6)]
)
def test_other_games_are_refused(rules):
    with pytest.raises(RulesError, match="expected freestyle on a square board with a side longer"):
        basic_positions(rules, 2, 0)
