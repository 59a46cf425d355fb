"""Samples turn as boards do; windows keep the last games; labels decay towards the start."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from ai.game import BLACK, EMPTY, WHITE, Rules
from ai.game.lines import symmetries
from ai.learning.alphagomoku.samples import (
    NO_MOVE,
    ReplayWindow,
    TrainingRecord,
    draw,
    one_hot_policies,
    samples_of,
)

RULES = Rules(5, 4)
MOVES = (0, 20, 1, 21, 2, 22, 3)  # Black has a row at once


def game(moves=MOVES, winner=BLACK, opening=0):
    return TrainingRecord(moves, winner, one_hot_policies(moves, 25, opening=opening))


def test_values_decay_towards_the_start_and_change_sign():
    samples = samples_of(RULES, game(), decay=0.9)
    expected = [0.9**left * (1 if left % 2 else -1) for left in range(7, 0, -1)]
    np.testing.assert_allclose(samples.value, expected, rtol=1e-6)
    drawn = samples_of(RULES, game(winner=EMPTY), decay=0.9)
    assert not drawn.value.any()


def test_values_that_the_player_told_stand_in_for_a_share_of_the_result():
    told = np.linspace(-1.0, 1.0, 5).astype(np.float32)
    given = dataclasses.replace(game(opening=2), values=told)
    result = samples_of(RULES, game(opening=2), decay=0.9).value
    for share in (0.0, 0.25, 1.0):
        samples = samples_of(RULES, given, decay=0.9, value_fraction=share)
        np.testing.assert_allclose(samples.value, (1 - share) * result + share * told, rtol=1e-6)
        assert samples.value.dtype == np.float32
    window = ReplayWindow(RULES, games=1, decay=0.9, value_fraction=1.0)
    window.add(given)
    np.testing.assert_array_equal(window.of(BLACK).value, told[::2])
    silent = samples_of(RULES, game(opening=2), decay=0.9, value_fraction=1.0)
    np.testing.assert_array_equal(silent.value, result)


def test_stones_are_those_of_the_side_to_move():
    samples = samples_of(RULES, game(opening=2), decay=1.0)
    assert len(samples) == 5
    assert samples.color.tolist() == [BLACK, WHITE, BLACK, WHITE, BLACK]
    assert samples.last.tolist() == [20, 1, 21, 2, 22]
    own, other = np.flatnonzero(samples.stones[1] == 1), np.flatnonzero(samples.stones[1] == -1)
    assert (own.tolist(), other.tolist()) == ([20], [0, 1])
    assert samples.policy.argmax(axis=1).tolist() == [1, 21, 2, 22, 3]
    assert samples_of(RULES, game(), decay=1.0).last[0] == NO_MOVE
    planes = samples.planes(5)
    assert planes.shape == (5, 5, 5, 3)
    assert planes[1, 4, 0].tolist() == [1, 0, 0]
    assert planes[1, 0, 1].tolist() == [0, 1, 1]


def test_all_parts_of_a_sample_turn_together():
    samples = samples_of(RULES, game(), decay=1.0)
    for image in symmetries(5):
        turned = samples.turned(np.tile(image, (len(samples), 1)))
        np.testing.assert_array_equal(turned.stones, samples.stones[:, image])
        assert turned.last[0] == NO_MOVE
        for row in range(1, len(samples)):
            assert turned.stones[row, turned.last[row]] == -1
            assert image[turned.last[row]] == samples.last[row]
            assert image[turned.policy[row].argmax()] == samples.policy[row].argmax()
    np.testing.assert_array_equal(samples.value, turned.value)


def test_a_window_forgets_the_oldest_game():
    window = ReplayWindow(RULES, games=2, decay=1.0)
    with pytest.raises(ValueError, match="expected a window with games"):
        window.of(BLACK)
    for first in (0, 5, 10):
        window.add(game((first, 24, first + 1, 23, first + 2, 22, first + 3)))
    assert (window.games, len(window)) == (2, 14)
    black = window.of(BLACK)
    assert len(black) == 8
    assert (black.color == BLACK).all()
    assert 0 not in black.policy.argmax(axis=1)
    window.add(game((15, 24, 16, 23, 17, 22, 18)))
    assert 15 in window.of(BLACK).policy.argmax(axis=1)  # what was joined before is not kept


def test_batches_are_even_and_of_all_symmetries():
    samples = samples_of(RULES, game(), decay=0.9).of(BLACK)
    drawn = draw(samples, 4_000, 5, np.random.default_rng(0))
    counts = np.unique(drawn.value, return_counts=True)[1]
    assert len(counts) == 4
    assert counts.min() > 850
    first = drawn.select(np.flatnonzero(drawn.last == NO_MOVE))
    corners = np.unique(first.policy.argmax(axis=1), return_counts=True)
    assert corners[0].tolist() == [0, 4, 20, 24]
    again = draw(samples, 4_000, 5, np.random.default_rng(0))
    np.testing.assert_array_equal(drawn.stones, again.stones)
