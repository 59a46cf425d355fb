from __future__ import annotations

import numpy as np

from ai.game import Rules
from ai.game.move import from_text
from ai.samples.move_frequencies import MoveSequence, count_moves

RULES = Rules(5, 4)


def game(text, first=1):
    return MoveSequence([from_text(word, 5) for word in text.split()], first)


def row_of(samples, stones):
    images = RULES.symmetries()
    least = min(stones[image].tobytes() for image in images)
    return [row.tobytes() for row in samples.stones].index(least)


def test_a_game_of_k_moves_gives_k_less_one_positions():
    samples = count_moves(RULES, [game("c3 b2 d4 a1")])
    assert (len(samples), samples.occurrences) == (3, 3)
    assert sorted(int(abs(row).sum()) for row in samples.stones) == [1, 2, 3]
    after_two = count_moves(RULES, [game("c3 b2 d4 a1", first=3)])
    assert [int(abs(row).sum()) for row in after_two.stones] == [3]


def test_stones_are_seen_by_the_side_to_move():
    samples = count_moves(RULES, [game("c3 b2 d4")])
    sums = {int(abs(row).sum()): int(row.sum()) for row in samples.stones}
    assert sums == {1: -1, 2: 0}
    first = samples.stones[[int(abs(row).sum()) for row in samples.stones].index(1)]
    assert first[12] == -1, "White sees Black's stone as the opponent's"


def test_equal_positions_are_merged_to_relative_frequencies():
    samples = count_moves(RULES, [game("c3 b2"), game("c3 b2"), game("c3 c2"), game("c3 d3")])
    assert (len(samples), samples.occurrences) == (1, 4)
    target = samples.targets(np.array([0]))[0]
    # b2 is a corner beside the centre, c2 and d3 are the same point turned.
    assert sorted(target[target > 0].tolist()) == [0.5, 0.5]


def test_turned_and_mirrored_games_are_the_same():
    plain = count_moves(RULES, [game("b2 c4 d1 e5")])
    mirrored = count_moves(RULES, [game("d2 c4 b1 a5")])
    np.testing.assert_array_equal(plain.stones, mirrored.stones)
    rows = np.arange(3)
    np.testing.assert_array_equal(plain.targets(rows), mirrored.targets(rows))


def test_what_is_known_is_left_out():
    known = count_moves(RULES, [game("c3 b2 d4")])
    both = count_moves(RULES, [game("c3 b2 a1 e5")])
    left = both.without(known)
    assert [int(abs(row).sum()) for row in left.stones] == [3]
    assert left.targets(np.array([0])).sum() == 1.0
    assert len(both.without(both)) == 0


def test_rows_keep_their_answers():
    samples = count_moves(RULES, [game("c3 b2 d4 a1 e5")])
    chosen = samples.at(np.array([2, 0]))
    np.testing.assert_array_equal(chosen.targets(np.arange(2)), samples.targets(np.array([2, 0])))
    assert row_of(samples, samples.stones[1]) == 1
