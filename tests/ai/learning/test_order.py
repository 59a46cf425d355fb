"""The learned order of moves: what it learns from, its controls, its integers in the kernel."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ai.game import Board, Rule, Rules
from ai.kernels.alpha_beta import layout
from ai.kernels.alpha_beta.order import list_moves
from ai.kernels.jit import fields_of
from ai.kernels.line_codes import CODES, blank_codes
from ai.learning.evaluation import order as learned
from ai.learning.evaluation.positions import RULES, Positions, PositionsError
from ai.nets.evaluation import (
    NAMES,
    LearnedEvaluation,
    LearnedOrder,
    load_evaluation,
    quantise,
    save_evaluation,
    shapes_of,
    shipped_evaluation,
)
from ai.players.base import Limit
from ai.registry.players import create_player
from ai.search.pattern_alpha_beta import PLAIN, TUNING, VERSION, VERSIONS, PatternAlphaBeta
from base.storage.card_file import CardFileError


def positions_of(boards, moves, score=0):
    """Return positions with the moves that are best in them, each of a game of its own."""
    stones = np.array([board.stones for board in boards]).astype(np.int16)
    count = len(boards)
    return Positions(
        {"nodes": 1},
        np.where(stones < 0, 2, stones).astype(np.uint8),
        np.array([board.ply % 2 for board in boards], np.uint8),
        np.full(count, score, np.int32), np.array(moves, np.int16), np.zeros(count, np.int8),
        np.arange(count, dtype=np.int32),
    )  # fmt: skip


def random_boards(count, seed=0, plies=4):
    """Return boards with stones near the centre, nothing decided."""
    rng, found = np.random.default_rng(seed), []
    middle = [7 * 15 + 7 + 15 * row + col for row in range(-4, 5) for col in range(-4, 5)]
    while len(found) < count:
        board = Board.from_moves(rng.permutation(middle)[:plies].tolist(), RULES)
        if board.outcome() is None:
            found.append(board)
    return found


def listed(search, board):
    """Return the moves that the kernel lists for a position, and their learned logits."""
    search._position.follow(board)
    count = list_moves(search._position.record, search._position.table, search._record, 0, 96, -1)
    fields = fields_of(search._record)
    return [int(move) for move in fields.moves[:count]], [
        int(hope) for hope in fields.hopes[:count]
    ]


def search_with(order, rules=RULES):
    evaluation = replace(shipped_evaluation(), order=order)
    return PatternAlphaBeta(rules, evaluation=evaluation, memory=1)


def random_order(seed=0):
    rng = np.random.default_rng(seed)
    lines = rng.normal(0.0, 1.0, CODES)
    lines[blank_codes()] = 0.0
    return lines, rng.normal(0.0, 1.0, layout.THREATS)


def is_quiet(board):
    search = PatternAlphaBeta(RULES, memory=1)
    search._position.follow(board)
    counted = ((0, 6), (1, 6), (0, 5), (1, 5))
    return not any(search._position.count_points(*each) for each in counted)


@pytest.mark.parametrize("rule", ["standard", "renju", "caro"])
def test_a_lines_logit_is_the_same_under_every_rule(rule):
    order = LearnedOrder.quantised(random_order()[0], np.zeros(layout.THREATS))
    other = Rules(15, 5, Rule(rule))
    one_search, two_search = search_with(order), search_with(order, other)
    for board in random_boards(20):
        one = dict(zip(*listed(one_search, board), strict=True))
        two = dict(
            zip(*listed(two_search, Board.from_moves(list(board.moves), other)), strict=True)
        )
        shared = one.keys() & two.keys()
        assert len(shared) > 5
        assert len({one[move] for move in shared}) > 1
        assert all(one[move] == two[move] for move in shared)


def test_the_kernels_integers_are_near_the_float_logits():
    lines, threats = random_order()
    search = search_with(LearnedOrder.quantised(lines, threats))
    boards = [board for board in random_boards(30) if is_quiet(board)]
    assert len(boards) >= 10
    for board in boards:
        moves, hopes = listed(search, board)
        choices = learned.choices_of(positions_of([board], moves[:1]))
        assert len(choices) == 1
        assert len(choices.threats) == len(moves)
        floats = learned.logits_of(lines, threats, choices)
        empty = [move for move in range(RULES.points) if move in set(moves)]
        by_move = dict(zip(moves, hopes, strict=True))
        found = np.array([by_move[move] for move in empty]) / LearnedOrder.unit
        assert np.abs(found - floats).max() < 5 * 0.5 / LearnedOrder.unit + 1e-9
        assert np.ptp(floats) > 1.0


def test_the_static_score_is_the_kernels_order_without_it():
    search = PatternAlphaBeta(RULES, memory=1)
    for board in (board for board in random_boards(20, 1) if is_quiet(board)):
        moves, hopes = listed(search, board)
        choices = learned.choices_of(positions_of([board], moves[:1]))
        orders = [int(score) for score in fields_of(search._record).orders[: len(moves)]]
        assert sorted(choices.static.tolist()) == sorted(orders)
        assert set(hopes) == {0}


def test_it_learns_what_it_can_know_and_its_controls_do_not():
    rng = np.random.default_rng(3)
    lines = rng.normal(0.0, 2.0, CODES)
    lines[blank_codes()] = 0.0
    boards = [board for board in random_boards(250, 4) if is_quiet(board)]
    moves = []
    teacher = search_with(LearnedOrder.quantised(lines, np.zeros(layout.THREATS)))
    for board in boards:
        candidates, hopes = listed(teacher, board)
        moves.append(candidates[int(np.argmax(hopes))])
    positions = positions_of(boards, moves)
    plan = learned.OrderPlan(10, 0.05)
    _, card = learned.train_order(positions, plan)
    assert card["positions"] + card["held_out"] == len(boards)
    controls = [card[f"{name}_first_1"] for name in ("static", "untrained", "shuffled")]
    assert card["first_1"] > 2 * max(controls)
    assert card["loss"] < card["even_loss"]
    with pytest.raises(PositionsError, match="at least 2 games, found those of 1"):
        learned.train_order(positions.only(positions.game == 3), plan)


def test_the_same_positions_teach_the_same():
    boards = [board for board in random_boards(30, 4) if is_quiet(board)]
    positions = positions_of(boards, [listed(search_with(None), board)[0][1] for board in boards])
    (order, card), (again, same) = (
        learned.train_order(positions, learned.OrderPlan(2, 0.05)) for _ in range(2)
    )
    assert card == same
    assert np.array_equal(order.lines, again.lines)
    assert np.any(order.lines)


def test_ties_count_for_their_share():
    choices = learned.choices_of(positions_of(random_boards(1, 5), [0]))
    assert len(choices) == 0
    board = random_boards(1, 6, 4)[0]
    moves, _ = listed(PatternAlphaBeta(RULES, memory=1), board)
    choices = learned.choices_of(positions_of([board], moves[:1]))
    count = len(choices.threats)
    assert learned.accuracy_of(np.zeros(count), choices) == pytest.approx(1 / count)
    assert learned.accuracy_of(np.zeros(count), choices, 5) == pytest.approx(5 / count)
    assert learned.loss_of(np.zeros(count), choices) == pytest.approx(np.log(count))


def test_won_positions_teach_no_order():
    board = random_boards(1, 6, 4)[0]
    moves, _ = listed(PatternAlphaBeta(RULES, memory=1), board)
    assert len(learned.choices_of(positions_of([board], moves[:1], 999_990))) == 0


def test_a_file_keeps_the_order_and_may_lack_it(tmp_path):
    rng = np.random.default_rng(7)
    shapes = shapes_of(8, 8)
    arrays = quantise({name: rng.normal(0.0, 0.1, shapes[name]) for name in NAMES})
    order = LearnedOrder.quantised(*random_order(8))
    with_it, without = LearnedEvaluation(arrays, {}, order), LearnedEvaluation(arrays)
    assert with_it.digest != without.digest
    path = tmp_path / "evaluation.npz"
    save_evaluation(path, without)
    assert load_evaluation(path).order is None
    save_evaluation(path, with_it)
    found = load_evaluation(path).order
    assert np.array_equal(found.lines, order.lines)
    assert np.array_equal(found.threats, order.threats)
    save_evaluation(path, replace(with_it, order=LearnedOrder(order.lines[1:], order.threats)))
    with pytest.raises(CardFileError, match="not integers of"):
        load_evaluation(path)
    with pytest.raises(ValueError, match="order: expected numbers within 16 bits"):
        LearnedOrder.quantised(np.full(CODES, 200.0), np.zeros(layout.THREATS))


def test_what_ships_has_an_order_that_beats_its_controls():
    evaluation = shipped_evaluation()
    assert evaluation.order is not None
    card = evaluation.card["order"]
    assert isinstance(card, dict)
    assert card["first_1"] > card["static_first_1"] > card["shuffled_first_1"]


def test_a_version_is_chosen_and_the_one_before_looks_at_moves_without_the_order():
    board = Board.from_moves("h8 h9 i8 i9 j10 k6", Rules(15))
    new, old, default, plain = (
        create_player("alpha-beta", RULES, settings)
        .choose(board, Limit(nodes=2_000), np.random.default_rng(0))
        .explanation["scores"]
        for settings in (
            {"version": VERSION},
            {"version": 5},
            {},
            {"version": 5, "evaluation": "patterns"},
        )
    )
    assert new == default
    assert len({str(scores) for scores in (new, old, plain)}) == 3


def test_without_what_was_learned_the_search_is_the_version_before():
    board = Board.from_moves("h8 i9 g9 h10 i10 g7 j7 f10", RULES)

    def nodes(evaluation, tuning):
        search = PatternAlphaBeta(RULES, evaluation=evaluation, memory=1, tuning=tuning)
        return search.search(board, Limit(), np.random.default_rng(0), depth=6).nodes

    shipped = shipped_evaluation()
    assert nodes(None, {}) == nodes(None, VERSIONS[PLAIN]) == nodes(shipped, {"learned": 0})
    assert nodes(None, {}) != nodes(None, {**TUNING, "policy": 0})
    assert nodes(shipped, {}) != nodes(shipped, VERSIONS[PLAIN])
