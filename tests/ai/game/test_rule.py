"""The rule of a five: which rows win, its names, and files that say `exact`."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai.game import (
    BLACK,
    EMPTY,
    RULE_NAMES,
    WHITE,
    Board,
    GameRecord,
    Outcome,
    Rule,
    Rules,
    RulesError,
    Termination,
    ThreatKind,
    find_threats,
    game_of,
    rule_of,
)

STEPS = ((0, 1), (1, 0), (1, 1), (1, -1))


@st.composite
def boards(draw):
    rule = draw(st.sampled_from(RULE_NAMES))
    size = draw(st.integers(5, 9))
    board = Board(Rules(size, 5, rule))
    for number in draw(st.lists(st.integers(0, 10**6), min_size=8, max_size=60)):
        if board.outcome() is not None:
            break
        legal = list(board.legal_moves)
        near = [move for move in legal if move % size < 7 and move < 3 * size] or legal
        board.push(near[number % len(near)])
    return board


def slow_rows(board):
    """Return (color, points, whether both ends are the other color's) of every row of five on."""
    size = board.size
    grid = {(n // size, n % size): color for n, color in enumerate(board.stones)}
    for (row, col), color in grid.items():
        for down, right in STEPS:
            before = grid.get((row - down, col - right))
            if color == EMPTY or before == color:
                continue
            length = 0
            while grid.get((row + length * down, col + length * right)) == color:
                length += 1
            after = grid.get((row + length * down, col + length * right))
            if length >= 5:
                points = [(row + k * down) * size + col + k * right for k in range(length)]
                yield color, points, before == after == -color


def slow_wins(rule, color, length, is_blocked):
    return {
        "freestyle": True,
        "standard": length == 5,
        "renju": length == 5 or color == WHITE,
        "caro": length == 5 and not is_blocked,
    }[rule]


@settings(max_examples=60, deadline=None)
@given(boards())
def test_the_winner_is_whose_row_the_rule_counts(board):
    rule = board.rules.rule
    rows = [row for row in slow_rows(board) if slow_wins(rule, row[0], len(row[1]), row[2])]
    made = [row for row in rows if board.moves[-1] in row[1]]
    outcome = board.outcome()
    if outcome is not None and outcome.termination is Termination.FIVE:
        assert made
        assert outcome.winner == made[0][0]
        assert set(board.winning_line()) in [set(row[1]) for row in made]
    else:
        assert not made


@settings(max_examples=60, deadline=None)
@given(boards())
def test_a_threat_of_a_five_wins_when_it_is_played(board):
    if board.outcome() is not None:
        return
    fives = {(t.color, t.point) for t in find_threats(board.stones, board.rules)
             if t.kind is ThreatKind.FIVE}  # fmt: skip
    for color in (BLACK, WHITE):
        for point, held in enumerate(board.stones):
            if held == EMPTY:
                assert board.completes_row(point, color) == ((color, point) in fives)


CARO = {
    "free at both ends": ("b1 a2 c1 b2 d1 c2 e1 e2 f1", BLACK),
    "blocked at one end": ("b1 a1 c1 b2 d1 c2 e1 e2 f1", BLACK),
    "blocked at both ends": ("b1 a1 c1 g1 d1 c2 e1 e2 f1", None),
    "the edge blocks nothing": ("a1 f1 b1 b2 c1 c2 d1 e2 e1", BLACK),
    "six do not win": ("a1 a2 b1 b2 c1 c2 e1 e2 f1 g2 d1", None),
}


@pytest.mark.parametrize(("moves", "winner"), CARO.values(), ids=CARO)
def test_caro_by_hand(moves, winner):
    outcome = Board.from_moves(moves, Rules(9, 5, "caro")).outcome()
    assert outcome == (None if winner is None else Outcome(winner, Termination.FIVE))


def test_a_rule_is_its_name():
    assert RULE_NAMES == ("freestyle", "standard", "renju", "caro")
    assert [rule_of(name) for name in RULE_NAMES] == list(Rule)
    assert Rules(15, 5, "renju") == Rules(rule=Rule.RENJU)
    assert repr(Rules(rule="caro")) == (
        "Rules(size=15, win_length=5, rule='caro', full_board_winner=0, height=None, gravity=False)"
    )
    with pytest.raises(RulesError, match=r"expected one of freestyle, .*; found 'gomoku'"):
        Rules(rule="gomoku")
    with pytest.raises(RulesError, match=r"rule: expected one of .* found 3"):
        Rules(rule=3)


@pytest.mark.parametrize("rule", RULE_NAMES)
def test_rules_survive_json_processes_and_text(rule):
    rules = Rules(9, 5, rule, full_board_winner=WHITE)
    values = json.loads(json.dumps(rules.as_dict()))
    assert game_of(values) == rules
    assert game_of(values).rule is rules.rule
    assert ("rule" in values, "exact" in values) == ((rule in ("renju", "caro")),
                                                     rule in ("freestyle", "standard"))  # fmt: skip
    assert pickle.loads(pickle.dumps(rules)) == rules
    assert eval(repr(rules), {"Rules": Rules}) == rules
    assert replace(rules, size=10) == Rules(10, 5, rule, full_board_winner=WHITE)


def test_what_said_exact_means_the_same():
    assert game_of({"size": 15, "win_length": 5, "exact": True, "full_board_winner": 0}) == Rules(
        15, 5, "standard"
    )
    assert game_of({"size": 7, "exact": False}).rule is Rule.FREESTYLE
    assert Rules(15, 5, True) == Rules(15, 5, exact=True) == replace(Rules(), exact=True)
    assert [Rules(rule=rule).exact for rule in RULE_NAMES] == [False, True, False, True]
    with pytest.raises(RulesError, match="exact: expected none beside the rule renju"):
        Rules(rule="renju", exact=True)


def test_a_record_keeps_its_rule():
    board = Board.from_moves(CARO["free at both ends"][0], Rules(9, 5, "caro"))
    record = GameRecord.from_board(board, game=1)
    assert GameRecord.from_dict(json.loads(json.dumps(record.as_dict()))) == record


@pytest.mark.parametrize("size", [5, 22])
def test_boards_of_five_to_twenty_two(size):
    board = Board(Rules(size, 5))
    for move in (0, size * size - 1, size - 1):
        board.play(move)
    assert board.legal_moves.count() == size * size - 3
    assert board.to_text(size * size - 1) == f"{chr(ord('a') + size - 1)}1"
