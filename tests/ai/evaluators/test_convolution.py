"""The document's convolutions, and the fast way that equals them."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from ai.evaluators.convolution import (
    FAST,
    TEXT_BOOK,
    ConvolutionEvaluator,
    constraint,
    filters_of,
    full_convolution,
    lengths_of,
    text_book_counts,
)
from ai.game import Board, Rules, RulesError
from ai.players.published.convolution import WEIGHTS_FILE, fitted_weights
from base.files import SHIPPED_ROOT

RULES = Rules(15, 5)
WEIGHTS = (18_400.0, 6_500.0, 690.0, 4.65)


def positions(rules, count, games=20):
    """Positions of random games, as many plies into each; wins do not end them."""
    rng = np.random.default_rng(7)
    left = count
    while left:
        board = Board(rules)
        for move in rng.permutation(rules.points)[: rules.points - 1]:
            board.push(int(move))
            if left and rng.random() < count / (games * rules.points):
                left -= 1
                yield board


def counts_of_windows(stones, win_length):
    """Count by windows that lack one stone: each completes at its only empty cell.

    Args:
        stones: `[N, n, n]` colors.
        win_length: gives the lengths.
    """
    number, size, _ = stones.shape
    lengths = lengths_of(win_length)
    counts = np.zeros((number, size, size, len(lengths)), np.int64)
    present = np.zeros((number, len(lengths)), np.int64)
    for index, length in enumerate(lengths):
        wide = size - length + 1
        for down, across, start in ((0, 1, 0), (1, 0, 0), (1, 1, 0), (1, -1, length - 1)):
            rows, cols = wide if down else size, wide if across else size
            cells = [
                (
                    slice(k * down, k * down + rows),
                    slice(start + k * across, start + k * across + cols),
                )
                for k in range(length)
            ]
            for sign in (1, -1):
                sums = sum((sign * stones)[:, r, c].astype(np.int64) for r, c in cells)
                present[:, index] += (sums == length).sum(axis=(1, 2))
                for r, c in cells:
                    lacks = (sums == length - 1) & (stones[:, r, c] == 0)
                    counts[:, r, c, index] += lacks
    counts += present[:, None, None, :]
    counts[stones != 0] = 0
    return counts.reshape(number, size * size, len(lengths))


def test_the_sixteen_filters_are_four_lines_of_each_length():
    filters = filters_of(5)
    assert [len(item) for item in filters] == [5] * 4 + [4] * 4 + [3] * 4 + [2] * 4
    assert [int(item.sum()) for item in filters] == [len(item) for item in filters]
    assert len({item.tobytes() for item in filters}) == 16
    assert np.array_equal(filters[6], np.eye(4))  # the third of the second row
    assert [len(item) for item in filters_of(3)] == [3] * 4 + [2] * 4


def test_figure_2_one_entry_of_the_full_convolution_tells_the_pattern():
    board = np.zeros((15, 15), np.float32)
    for step in range(4):
        board[5 + step, 6 + step] = 1.0
    board[5, 7] = board[6, 6] = board[9, 9] = -1.0
    found = full_convolution(board, filters_of(5)[6])
    assert found.shape == (18, 18)  # 15 + (a - 1)
    assert [tuple(map(int, place)) for place in np.argwhere(found == 4.0)] == [(8, 9)]
    by_hand = np.zeros((18, 18), np.float32)
    for step in range(4):
        by_hand[step : step + 15, step : step + 15] += board
    assert np.array_equal(found, by_hand)


def test_figure_3_the_constraint_on_15x15():
    table = constraint(15).reshape(15, 15)
    assert table[7, 7] == pytest.approx(14.142, abs=5e-4)
    assert table[0, 0] == pytest.approx(10 / np.sqrt(112.5))
    assert table[14, 14] == pytest.approx(10 / np.sqrt(84.5))
    assert table[7, 7] == table[7, 8] == table[8, 8] == table.max()
    assert np.array_equal(table, table.T)
    assert np.isfinite(constraint(8)).all()  # where a point lies at n/2 itself
    assert constraint(8).argmax() == 4 * 8 + 4


def test_the_fast_way_equals_the_windows_on_a_thousand_boards():
    evaluator = ConvolutionEvaluator(RULES, WEIGHTS)
    stones, counts = [], []
    for board in positions(RULES, 1000):
        stones.append(np.array(board.stones, np.int8).reshape(15, 15))
        counts.append(evaluator.counts(board))
    assert len(counts) == 1000
    assert np.array_equal(np.array(counts), counts_of_windows(np.array(stones), 5))


@pytest.mark.parametrize(
    ("rules", "boards"), [(RULES, 2), (Rules(6, 3), 4), (Rules(9, 7), 3)], ids=str
)
def test_the_fast_way_equals_the_text_book(rules, boards):
    fast, slow = (ConvolutionEvaluator(rules, WEIGHTS, method=item) for item in (FAST, TEXT_BOOK))
    for board in positions(rules, boards, games=1):
        assert np.array_equal(fast.counts(board), slow.counts(board))
        assert np.array_equal(fast.field(board), slow.field(board))


@pytest.mark.nightly
@pytest.mark.timeout(900)
def test_the_fast_way_equals_the_text_book_on_a_thousand_boards():
    fast = ConvolutionEvaluator(RULES, WEIGHTS)
    for board in positions(RULES, 1000):
        stones = np.array(board.stones, np.int8).reshape(15, 15)
        assert np.array_equal(fast.counts(board), text_book_counts(stones, 5))


def test_a_value_by_hand():
    board = Board.from_moves("h8 a1 j8 c1 k8 e1", RULES)  # three black stones with a gap at i8
    evaluator = ConvolutionEvaluator(RULES, WEIGHTS)
    gap, corner = (board.rules.size * 7 + 8, 14)
    counts = evaluator.counts(board)
    assert counts[corner].tolist() == [0, 0, 0, 1]
    assert counts[gap].tolist() == [0, 1, 2, 3]
    expected = (6_500.0 + 2 * 690.0 + 3 * 4.65) / 2 + 10 / np.sqrt(0.5**2 + 0.5**2)
    assert evaluator.field(board)[gap] == pytest.approx(expected)
    assert evaluator.field(board)[board.moves[0]] == 0.0
    assert int(evaluator.field(board).argmax()) in (gap, gap + 3, gap - 2)


def test_shares_leave_occupied_points_out():
    board = Board.from_moves("h8 i9 j8", RULES)
    policy = ConvolutionEvaluator(RULES, WEIGHTS).evaluate((board,)).policy[0]
    assert policy.sum() == pytest.approx(1.0, abs=1e-5)
    assert not policy[board.moves].any()


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="expected 4 weights, found 2"):
        ConvolutionEvaluator(RULES, (1.0, 2.0))
    with pytest.raises(ValueError, match="expected one of fast, text-book, found 'slow'"):
        ConvolutionEvaluator(RULES, WEIGHTS, method="slow")
    with pytest.raises(RulesError):
        ConvolutionEvaluator(Rules(7, 4, height=6), WEIGHTS)


def test_the_shipped_weights_say_how_they_were_made():
    shipped = json.loads((SHIPPED_ROOT / WEIGHTS_FILE).read_text(encoding="utf-8"))
    assert fitted_weights() == tuple(shipped["weights"])
    assert len(shipped["weights"]) == len(shipped["lengths"]) == 4
    assert all(
        low < high for high, low in zip(shipped["weights"], shipped["weights"][1:], strict=False)
    )
    card = shipped["card"]
    assert card["made_by"].startswith("python -m benchmarks.convolution_weights --seed")
    controls = {name: row for name, row in card["held_out"].items() if name != "fitted"}
    assert set(controls) == {"equal", "powers of ten", "shuffled 1", "shuffled 2", "shuffled 3"}
    for row in controls.values():
        assert row["fitted against it"]["wins"] >= row["fitted against it"]["losses"]


def test_players_load_opencv_only_where_the_text_book_is_asked_for():
    texts = {path.name: path.read_text("utf-8") for path in (SHIPPED_ROOT / "ai").rglob("*.py")}
    assert [
        name for name, text in texts.items() if re.search(r"^(import|from) cv2", text, re.M)
    ] == []
    evaluator = (SHIPPED_ROOT / "ai/evaluators/convolution.py").read_text("utf-8")
    assert re.search(r"^    import cv2", evaluator, re.M)
