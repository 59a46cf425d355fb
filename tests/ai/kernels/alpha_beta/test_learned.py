"""The learned part of the evaluation: a plain twin, level by level as from scratch, and its codes."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from ai.game import Board, Rule, Rules
from ai.kernels.alpha_beta.layout import LEVELS, MOST_WIDE, STAGE_PLIES, STAGES
from ai.kernels.alpha_beta.learned import sum_points
from ai.kernels.alpha_beta.search import evaluate
from ai.kernels.line_codes import CODES, KEYS, ROWS, blank_codes, code_table, row_table
from ai.kernels.moves import place, take_back
from ai.kernels.threats.points import pass_turn
from ai.nets.evaluation import LearnedEvaluation, shapes_of
from ai.search.base import Limit
from ai.search.pattern_alpha_beta import LOGIT, VERSIONS, PatternAlphaBeta

RULES = Rules(15)
OUTSIDE = 3


SMALL, WIDE = (8, 8), (32, 32)
"""Features and hidden units."""


def made_up(seed=0, sizes=SMALL, *, has_stages=False):
    """Return an evaluation of random integers, blank lines worth nothing."""
    rng, shapes = np.random.default_rng(seed), shapes_of(*sizes)
    vectors = rng.integers(-200, 200, shapes["vectors"])
    vectors[blank_codes()] = 0
    most = {"hidden": 900, "hidden_biases": 1 << 20, "head": 900, "straight": 90}
    most |= {"head_bias": 1 << 20}
    if has_stages:
        most |= {"stage_hidden": 1 << 20, "stage_bias": 1 << 20}
    numbers = {name: np.array(rng.integers(-one, one, shapes[name])) for name, one in most.items()}
    if has_stages:
        numbers["stage_scale"] = rng.integers(50, 400, STAGES)
    return LearnedEvaluation({"vectors": vectors, **numbers})


def neighbours(board, point, step):
    """Return the four contents ahead of a point: 0, 1 Black, 2 White, 3 outside."""
    size = board.rules.size
    row, col = divmod(point, size)
    found = []
    for _ in range(4):
        row, col = row + step[0], col + step[1]
        is_inside = 0 <= row < size and 0 <= col < size
        stone = board.stones[row * size + col] if is_inside else 0
        found.append(stone % 3 if is_inside else OUTSIDE)
    return found


def key_of(behind, ahead):
    return sum(one << (2 * at) for at, one in enumerate([*behind[::-1], *ahead]))


def plain_score(board, evaluation):
    """Return the learned part for the side to move, as the module's docstring says it."""
    arrays, (black, white), rows = evaluation.arrays, code_table(), row_table()
    sums = np.zeros((2, evaluation.features), np.int64)
    for point in range(board.rules.points):
        if board.stones[point] != 0:
            continue
        lines = [
            rows[key_of(neighbours(board, point, (-row, -col)), neighbours(board, point, (row, col)))]
            for row, col in ((0, 1), (1, 0), (1, 1), (1, -1))
        ]  # fmt: skip
        for side, codes in enumerate((black, white)):
            sums[side] += np.maximum(arrays["vectors"][codes[lines]].sum(axis=0), 0)
    side = board.ply % 2
    inputs = np.concatenate([sums[side], sums[1 - side]])
    stage = min(board.ply // STAGE_PLIES, STAGES - 1)
    biases, bias = arrays["hidden_biases"], arrays["head_bias"]
    if "stage_bias" in arrays:
        biases, bias = biases + arrays["stage_hidden"][stage], bias + arrays["stage_bias"][stage]
    units = np.maximum(arrays["hidden"] @ inputs + biases, 0) >> 12
    total = bias + arrays["straight"] @ inputs + arrays["head"] @ units
    return int(total * LOGIT) >> 19


def learned(rules=RULES, evaluation=None):
    return PatternAlphaBeta(
        rules, tuning={"learned": 1}, evaluation=evaluation or made_up(), memory=1
    )


def random_moves(rng, count, rules=RULES):
    return [int(move) for move in rng.permutation(rules.points)[:count]]


@pytest.mark.parametrize(("size", "sizes", "rule"), [
    (9, SMALL, "freestyle"), (15, SMALL, "freestyle"), (15, WIDE, "freestyle"),
    (22, (5, 3), "freestyle"), (15, SMALL, "standard"), (15, SMALL, "renju"), (15, SMALL, "caro"),
])  # fmt: skip
@pytest.mark.parametrize("has_stages", [False, True])
def test_the_kernel_computes_what_the_twin_does(size, sizes, rule, has_stages):
    rules, evaluation = Rules(size, 5, Rule(rule)), made_up(0, sizes, has_stages=has_stages)
    search, plain = learned(rules, evaluation), PatternAlphaBeta(rules, memory=1)
    rng = np.random.default_rng(1)
    for count in (0, 1, 6, 25, 60, 79):
        board = Board(rules)
        for move in random_moves(rng, count, rules):
            board.push(move)
        stage = min(count // STAGE_PLIES, STAGES - 1)
        scale = int(evaluation.arrays["stage_scale"][stage]) if has_stages else 256
        twin = plain.score(board) + plain_score(board, evaluation)
        assert search.score(board) == (twin * scale) >> 8


def sums_of(search, level):
    return list(search._fields.sums[level * MOST_WIDE : (level + 1) * MOST_WIDE])


@pytest.mark.parametrize(
    ("sizes", "rule"),
    [(SMALL, "freestyle"), (WIDE, "freestyle"), (SMALL, "standard"), (SMALL, "renju")],
)
def test_level_by_level_it_is_what_it_is_from_scratch(sizes, rule):
    rules = Rules(15, 5, Rule(rule))
    search, rng = learned(rules, made_up(0, sizes)), np.random.default_rng(2)
    position, table = search._position.record, search._position.table
    trees, played = search._record, search._fields.played
    for _ in range(4):
        order = random_moves(rng, 40)
        search._position.follow_moves(order[:10])
        evaluate(position, trees, 0)
        for level, move in enumerate(order[10:], start=1):
            is_passed = rng.random() < 0.1
            played[level - 1] = -1 if is_passed else move
            pass_turn(position) if is_passed else place(position, table, move)
            evaluate(position, trees, level)
            sum_points(position, trees, LEVELS - 1)
            assert sums_of(search, level) == sums_of(search, LEVELS - 1)
        for level in range(len(order) - 10, 0, -1):
            is_passed = played[level - 1] < 0
            pass_turn(position) if is_passed else take_back(position, table)
        sum_points(position, trees, LEVELS - 1)
        assert sums_of(search, 0) == sums_of(search, LEVELS - 1)


def test_every_symmetry_is_worth_the_same():
    board = Board(RULES)
    moves = random_moves(np.random.default_rng(3), 20)
    for move in moves:
        board.push(move)
    search = learned()
    score = search.score(board)
    for image in RULES.symmetries():
        turned = Board(RULES)
        for move in moves:
            turned.push(int(image[move]))
        assert search.score(turned) == score


def test_a_row_says_what_both_sides_see():
    rows, (black, white) = row_table(), code_table()
    assert (int(rows.max()) + 1, len(rows)) == (ROWS, KEYS)
    assert set(black.tolist()) == set(white.tolist()) == set(range(CODES))
    behind, ahead = (1, 0, 2, 1), (0, 2, 0, 0)
    row = rows[key_of(behind, ahead)]
    assert row == rows[key_of((1, 0, 2, 2), ahead)]  # beyond the other color
    assert row != rows[key_of((1, 1, 2, 1), ahead)]
    assert black[row] == black[rows[key_of(ahead, behind)]]  # mirrored
    swapped = [(0, 2, 1, 3)[one] for one in behind], [(0, 2, 1, 3)[one] for one in ahead]
    assert white[row] == black[rows[key_of(*swapped)]]
    blank = {
        int(black[rows[key_of(one, two)]])
        for one, two in product([(0, 0, 0, 0), (0, 3, 3, 3), (3, 3, 3, 3)], repeat=2)
    }
    assert blank_codes()[list(blank)].all()
    assert int(blank_codes().sum()) == 15


@pytest.mark.parametrize("rule", ["standard", "renju", "caro"])
def test_the_version_before_knew_it_in_freestyle_alone(rule):
    for rules, is_known in ((Rules(15, 5, Rule(rule)), False), (RULES, True)):
        board = Board.from_moves("h8 h9 i8 i9 j10", rules)
        old = PatternAlphaBeta(rules, tuning=VERSIONS[6], evaluation=made_up(), memory=1)
        plain = PatternAlphaBeta(rules, memory=1)
        assert (old.score(board) != plain.score(board)) == is_known
        assert learned(rules).score(board) != plain.score(board)
        found = [
            search.search(board, Limit(nodes=600), np.random.default_rng(0))
            for search in (old, plain)
        ]
        assert (found[0].scores == found[1].scores) != is_known


def test_the_same_limit_searches_alike_with_it():
    board = Board.from_moves("h8 h9 i8 i9 j10", RULES)
    one, two = (
        learned().search(board, Limit(nodes=800), np.random.default_rng(seed)) for seed in (1, 2)
    )
    assert (one.move, one.scores, one.nodes) == (two.move, two.scores, two.nodes)
    plain = PatternAlphaBeta(RULES, memory=1).search(
        board, Limit(nodes=800), np.random.default_rng(1)
    )
    assert plain.scores != one.scores
