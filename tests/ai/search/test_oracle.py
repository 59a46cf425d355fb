"""The oracle against a search that tries everything, and against what must hold."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ai import BLACK, WHITE, Board, GameRecord, Rules
from ai.game import RulesError, invert, symmetries
from ai.game.lines import windows
from ai.kernels.jit import fields_of
from ai.kernels.proof.layout import BLACK_SIDE, WHITE_SIDE, new_solver
from ai.kernels.proof.moves import put
from ai.kernels.proof.search import is_doubled
from ai.search.oracle import Oracle

ROOT = Path(__file__).parents[3]
SEVEN = Rules(7, 5, full_board_winner=WHITE)


def rules_of(size, win_length):
    return Rules(size, win_length, full_board_winner=WHITE)


class BruteForce:
    """Tries every move; remembers positions by their two sets of stones."""

    def __init__(self, rules):
        self.full = (1 << rules.points) - 1
        lines = windows(rules.size, rules.win_length)
        masks = [sum(1 << point for point in line) for line in lines]
        self.through = {
            1 << point: [mask for mask in masks if mask >> point & 1]
            for point in range(rules.points)
        }
        self.known = {}

    def winner(self, board):
        sets = [
            sum(1 << point for point, stone in enumerate(board.stones) if stone == color)
            for color in (BLACK, WHITE)
        ]
        return "black" if self.is_won_by_black(*sets, board.to_move == BLACK) else "white"

    def is_won_by_black(self, black, white, is_black_to_move):
        empty = self.full & ~(black | white)
        if not empty:
            return False
        key = (black, white)
        if key not in self.known:
            self.known[key] = self.search(black, white, empty, is_black_to_move)
        return self.known[key]

    def search(self, black, white, empty, is_black_to_move):
        own = black if is_black_to_move else white
        moves = [1 << point for point in range(empty.bit_length()) if empty >> point & 1]
        for move in moves:
            if any((own | move) & mask == mask for mask in self.through[move]):
                return is_black_to_move
        for move in moves:
            stones = (black | move, white) if is_black_to_move else (black, white | move)
            if self.is_won_by_black(*stones, not is_black_to_move) == is_black_to_move:
                return is_black_to_move
        return not is_black_to_move


def random_position(rules, empties, rng):
    """Play random moves that complete no line until `empties` points are left."""
    while True:
        board = Board(rules)
        while rules.points - board.ply > empties:
            for move in rng.permutation(list(board.legal_moves)).tolist():
                board.push(move)
                if not board.is_decided:
                    break
                board.pop()
            else:
                break
        else:
            return board


CASES = [
    # size, win length, most empties, positions
    (7, 5, 10, 260),
    (7, 4, 10, 260),
    (6, 4, 12, 120),
    (5, 4, 14, 120),
    (5, 3, 12, 60),
    (4, 3, 14, 60),
    (8, 5, 10, 60),
]


@pytest.mark.parametrize(("size", "win_length", "most", "count"), CASES)
def test_agrees_with_trying_everything(size, win_length, most, count):
    rules = rules_of(size, win_length)
    oracle, rng = Oracle(rules, table_bits=14), np.random.default_rng(size * 100 + win_length)
    sides, results = set(), []
    for _ in range(count):
        board = random_position(rules, int(rng.integers(1, most + 1)), rng)
        brute = BruteForce(rules)
        expected = brute.winner(board)
        verdict = oracle.solve(board)
        assert verdict.result == expected, repr(board)
        sides.add(board.to_move)
        results.append(expected)
        is_won = (expected == "black") == (board.to_move == BLACK)
        assert (verdict.best_move is not None) == is_won
        if is_won:
            with board.played(verdict.best_move):
                outcome = board.outcome()
                if outcome is None:
                    assert brute.winner(board) == expected, repr(board)
                else:
                    assert (outcome.winner == BLACK) == (expected == "black")
    assert sides == {BLACK, WHITE}
    assert len(set(results)) == 2 or win_length == 5


def test_the_whole_of_small_boards():
    for size, win_length in ((3, 3), (4, 3), (4, 4)):
        rules = rules_of(size, win_length)
        board = Board(rules)
        assert Oracle(rules).solve(board).result == BruteForce(rules).winner(board)


def image_of(board, permutation):
    turned = invert(permutation)
    return Board.from_moves([int(turned[move]) for move in board.moves], board.rules)


def test_the_eight_images_have_one_verdict():
    for rules, empties in ((SEVEN, 32), (rules_of(7, 4), 30), (rules_of(5, 4), 17)):
        oracle, rng = Oracle(rules, table_bits=16), np.random.default_rng(8)
        for _ in range(12):
            board = random_position(rules, empties, rng)
            results = {
                oracle.solve(image_of(board, permutation)).result
                for permutation in symmetries(rules.size)
            }
            assert len(results) == 1
            assert results != {"unknown"}


@pytest.mark.parametrize(
    ("black", "white", "kept"),
    [
        ((), (), [0, 1, 4]),
        ((0,), (), [0, 1, 2, 4, 5, 8]),
        ((4,), (1,), [0, 1, 3, 4, 6, 7]),
        ((0, 1), (), list(range(9))),
        ((4,), (0, 1), list(range(9))),
    ],
)
def test_a_candidate_is_left_out_only_where_the_position_is_its_own_image(black, white, kept):
    solver = new_solver(rules_of(3, 3))
    fields_of(solver).candidates[0] = (1 << 9) - 1
    for side, points in ((BLACK_SIDE, black), (WHITE_SIDE, white)):
        for point in points:
            put(solver, point, side)
    assert [point for point in range(9) if not is_doubled(solver, 0, point)] == kept


@pytest.mark.parametrize(("win_length", "empties"), [(5, 41), (5, 37), (4, 43)])
def test_a_proven_win_is_won_against_any_play(win_length, empties):
    rules, rng = rules_of(7, win_length), np.random.default_rng(empties)
    oracle, played = Oracle(rules, node_limit=50_000, table_bits=16), 0
    for _ in range(12):
        board = random_position(rules, empties, rng)
        winner = oracle.solve(board).result
        if winner == "unknown":
            continue
        played += 1
        color = BLACK if winner == "black" else WHITE
        while board.outcome() is None:
            if board.to_move == color:
                verdict = oracle.solve(board)
                if verdict.result == "unknown":
                    break
                assert verdict.result == winner, repr(board)
                board.play(verdict.best_move)
            else:
                board.play(int(rng.choice(list(board.legal_moves))))
        else:
            assert board.outcome().winner == color
    assert played > 4


def test_few_nodes_give_unknown_but_never_a_wrong_answer():
    rules, rng = rules_of(5, 4), np.random.default_rng(2)
    oracle = Oracle(rules, table_bits=12)
    asked = unknown = 0
    for _ in range(60):
        board = random_position(rules, 15, rng)
        known = oracle.solve(board)
        assert known.result != "unknown"
        for node_limit in (1, 2, 5, 20, 100):
            verdict = oracle.solve(board, node_limit=node_limit)
            asked += 1
            unknown += verdict.result == "unknown"
            assert verdict.result in ("unknown", known.result)
            if verdict.result == "unknown":
                assert verdict.best_move is None
                assert verdict.nodes >= node_limit
    assert 0 < unknown < asked


def test_a_small_table_changes_the_work_but_not_the_verdict():
    rules, rng = rules_of(6, 4), np.random.default_rng(3)
    small, large = Oracle(rules, table_bits=8), Oracle(rules, table_bits=16)
    for _ in range(40):
        board = random_position(rules, 18, rng)
        results = {oracle.solve(board).result for oracle in (small, large)}
        assert len(results - {"unknown"}) == 1


def test_the_same_question_gets_the_same_answer():
    oracle, rng = Oracle(SEVEN, node_limit=5_000, table_bits=14), np.random.default_rng(4)
    boards = [random_position(SEVEN, empties, rng) for empties in (40, 44, 47, 30, 46)]
    first = [oracle.solve(board) for board in boards]
    assert [oracle.solve(board) for board in reversed(boards)] == first[::-1]
    assert [
        Oracle(SEVEN, node_limit=5_000, table_bits=14).solve(board) for board in boards
    ] == first
    assert "unknown" in {verdict.result for verdict in first}


def test_the_board_is_left_alone():
    board = Board.from_moves("d4 d5 e4", SEVEN)
    before = board.copy()
    Oracle(SEVEN, node_limit=100).solve(board)
    assert (board, board.key, board.moves) == (before, before.key, before.moves)


def solve(moves, rules=SEVEN):
    board = Board.from_moves(moves, rules)
    verdict = Oracle(rules).solve(board)
    return verdict.result, None if verdict.best_move is None else board.to_text(verdict.best_move)


def test_a_five_is_taken():
    assert solve("b4 a1 c4 a2 d4 g7 e4 g1")[0] == "black"
    assert solve("b4 a1 c4 a2 d4 a3 g7 a4 g1") == ("white", "a5")


def test_an_open_four_wins_for_either_side():
    result, move = solve("c4 a1 d4 g7 e4 g1")
    assert (result, move in ("b4", "f4")) == ("black", True)
    assert solve("b4 a1 c4 g7 d4 g1 e4")[0] == "black"  # White cannot block both ends
    result, move = solve("a1 c4 g7 d4 a7 e4 g1")
    assert result == "white"


def test_two_fours_at_once_win():
    board = "c4 b4 d4 a1 e4 c1 f3 g7 f5 g1"  # f4 and f2: a row blocked at b4, a column
    assert solve(board)[0] == "black"


def test_a_dead_board_is_held_at_once():
    rules = rules_of(3, 3)
    board = Board.from_moves("b2 a1 a2 c2 b1 b3", rules)
    verdict = Oracle(rules).solve(board)
    assert verdict.result == "white"
    assert verdict.nodes < 10


def test_a_finished_game_costs_nothing():
    black = Board.from_moves("a1 a2 b1 b2 c1 c2 d1 d2 e1", SEVEN)
    verdict = Oracle(SEVEN).solve(black)
    assert (verdict.result, verdict.nodes, verdict.best_move) == ("black", 0, None)


def test_judging_finds_the_move_that_lost():
    # With ply 5 White ignores three in a row with both ends open; later moves lose nothing more.
    moves = "d4 d5 c4 a1 e4 a7 f4 g7 b4"
    record = GameRecord.from_board(Board.from_moves(moves, SEVEN), 1)
    judgement = Oracle(SEVEN).find_mistakes(record)
    assert judgement.mistakes == (5,)
    assert judgement.proven + judgement.unknown == judgement.examined
    assert judgement.examined >= 4


def test_defences_are_the_moves_after_which_black_cannot_win():
    rules = rules_of(4, 3)
    brute, oracle = BruteForce(rules), Oracle(rules, node_limit=100_000, table_bits=12)
    rng = np.random.default_rng(5)
    asked = 0
    while asked < 30:
        board = random_position(rules, 9, rng)
        if board.is_decided or board.to_move != WHITE:
            continue
        before = list(board.stones)
        expected = []
        for move in board.legal_moves:
            with board.played(move):
                if board.is_decided or brute.winner(board) == "white":
                    expected.append(move)
        assert list(oracle.defences(board)) == expected
        assert list(board.stones) == before
        asked += 1


def test_black_has_no_defences():
    rules = rules_of(4, 3)
    with pytest.raises(ValueError, match="expected a position with White to move"):
        Oracle(rules).defences(Board(rules))


def test_judgements_agree_with_trying_everything():
    rng, mistakes = np.random.default_rng(0), 0
    for rules in (rules_of(4, 4), rules_of(4, 3), rules_of(5, 4)):
        oracle, brute = Oracle(rules, table_bits=14), BruteForce(rules)
        for _ in range(8):
            board = Board(rules)
            while board.outcome() is None:
                board.push(int(rng.choice(list(board.legal_moves))))
            record = GameRecord.from_board(board, 1)
            judgement = oracle.find_mistakes(record)
            assert oracle.find_mistakes(record) == judgement
            late = [ply for ply in judgement.mistakes if ply >= rules.points - 14]
            assert judgement.unknown == 0
            assert late == expected_mistakes(record, brute, rules.points - 14)
            mistakes += len(late)
    assert mistakes > 5


def expected_mistakes(record, brute, first):
    def winner(plies):
        board = record.board(plies)
        outcome = board.outcome()
        if outcome is not None:
            return "black" if outcome.winner == BLACK else "white"
        return brute.winner(board)

    odd = [ply for ply in range(1, len(record.moves), 2) if ply >= first]
    return [ply for ply in odd if (winner(ply), winner(ply + 1)) == ("white", "black")]


@pytest.mark.parametrize(
    "rules",
    [
        Rules(7),
        Rules(9, 5, full_board_winner=WHITE),
        Rules(7, 5, True, WHITE),
        Rules(7, 5, False, BLACK),
    ],
    ids=str,
)
def test_other_rules_are_refused(rules):
    with pytest.raises(RulesError, match="expected a square board of at most 8"):
        Oracle(rules)


def test_wrong_limits_and_boards_are_refused():
    with pytest.raises(ValueError, match="node_limit: expected at least 1"):
        Oracle(SEVEN, node_limit=0)
    with pytest.raises(ValueError, match="table_bits: expected 8 to 20"):
        Oracle(SEVEN, table_bits=30)
    with pytest.raises(RulesError, match="expected Rules"):
        Oracle(SEVEN).solve(Board(Rules(7)))


PROGRAM = """
import json, sys
from ai.kernels import cache
cache.configure_environment(jit=sys.argv[1] == "compiled")
from ai import Board, Rules
from ai.kernels.jit import is_jit_enabled
from ai.search.oracle import Oracle

answers = []
for size, win_length, moves in (
    (7, 5, "d4 d5 c4 e4 c3 e5 c5 c6"),
    (7, 4, "d4 d5 c4 a1"),
    (8, 5, "d4 d5 e5 f6 h8 a1 h7 a8 h6"),
    (5, 4, "c3 b2"),
):
    rules = Rules(size, win_length, full_board_winner=-1)
    verdict = Oracle(rules, node_limit=400, table_bits=10).solve(Board.from_moves(moves, rules))
    answers.append([verdict.result, verdict.nodes, verdict.best_move])
json.dump([is_jit_enabled(), answers], sys.stdout)
"""


def answers_of(mode, directory):
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")
    }
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, mode],
        capture_output=True,
        text=True,
        env=environment | {"PYTHONPATH": str(ROOT)},
        cwd=directory,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_uncompiled_twin_visits_the_same_positions(tmp_path):
    compiled, twin = (answers_of(mode, tmp_path) for mode in ("compiled", "twin"))
    assert (compiled[0], twin[0]) == (True, False)
    assert compiled[1] == twin[1]
