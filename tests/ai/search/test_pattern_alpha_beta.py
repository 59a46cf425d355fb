"""The alpha-beta search on the pattern core: what it must see, keep and say."""

from __future__ import annotations

import subprocess
import sys
import time
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai.evaluators.base import LineEvaluator
from ai.game import Board, Rules, RulesError
from ai.game.opening import centre_points
from ai.kernels.alpha_beta.order import packed_score
from ai.kernels.alpha_beta.search import evaluate
from ai.kernels.layout import CLASSES
from ai.kernels.position import KernelPosition
from ai.players.base import Limit
from ai.players.explanation import Opening
from ai.registry.players import create_player
from ai.search import alpha_beta, pattern_alpha_beta
from ai.search.fours import FourSearch
from ai.search.pattern_alpha_beta import (
    DROP_SHARE,
    SMALLEST,
    TEMPO,
    WEIGHTS,
    PatternAlphaBeta,
    supports,
)

FIFTEEN = Rules(15, 5)
STANDARD = Rules(15, 5, exact=True)
FEW = Limit(nodes=3000)


@cache
def search_of(rules):
    return PatternAlphaBeta(rules)


def search(board, limit=FEW, *, depth=40, seed=0):
    return search_of(board.rules).search(board, limit, np.random.default_rng(seed), depth=depth)


def random_board(rules, seed, plies):
    """Return an undecided board of stones in the middle 7x7 points."""
    rng, board, middle = np.random.default_rng(seed), Board(rules), rules.size // 2
    while board.ply < plies:
        row, col = (middle + int(rng.integers(-3, 4)) for _ in range(2))
        move = row * rules.size + col
        if board.stones[move] == 0:
            board.push(move)
            if board.outcome() is not None:
                board.pop()
                board.push(next(move for move in board.legal_moves if move % 4 == 0))
    return board


TACTICS = {
    "makes five": ("h8 a1 h9 a3 h10 a5 h11 a7", {"h7", "h12"}, 1.0),
    "makes five, not only stops one": ("h8 a1 h9 a2 h10 a3 h11 a4", {"h7", "h12"}, 1.0),
    "stops a five": ("h8 h7 h9 a1 h10 o15 h11", {"h12"}, None),
    "makes an open four": ("h8 a1 h9 c1 h10 e1", {"h7", "h11"}, 1.0),
    "stops an open three": ("h8 a1 h9 o1 h10", {"h7", "h11", "h6", "h12"}, None),
    "stops a split three": ("h8 a1 h9 o1 h11", {"h7", "h10", "h12"}, None),
    "makes five before it stops an open three": (
        "a1 h8 a2 h9 a3 h10 a4 c13", {"a5"}, 1.0,
    ),
    "four and three": ("f8 e8 g8 a1 h8 o1 i9 a15 i10 o15", {"i8"}, 1.0),
}  # fmt: skip


@pytest.mark.parametrize("limit", [Limit(nodes=1), FEW, Limit(seconds=0.001)], ids=str)
@pytest.mark.parametrize("case", TACTICS)
@pytest.mark.parametrize("rules", [FIFTEEN, STANDARD], ids=["freestyle", "standard"])
def test_it_plays_what_decides(rules, case, limit):
    moves, expected, value = TACTICS[case]
    board = Board.from_moves(moves, rules)
    if case == "four and three" and limit != FEW:
        return  # this one is not seen at once
    found = search(board, limit)
    assert board.to_text(found.move) in expected
    if value is not None and found.depth > 0:
        assert found.value == value
    assert limit.nodes is None or found.nodes <= limit.nodes


def test_six_is_no_five_under_the_standard_rule():
    moves = "h6 a1 h7 a3 h8 a5 h10 a7 h11 a9"  # h9 makes six in a row
    free, exact = (Board.from_moves(moves, rules) for rules in (FIFTEEN, STANDARD))
    assert free.to_text(search(free).move) == "h9"
    assert exact.to_text(search(exact).move) != "h9"


FIVE_FOURS = "f3 i12 k6 j6 m3 l3 m6 c13 g5 h5 c4 c6 l12 m10 k10 j3 k8 m4 m11 j4 i7 m13"  # Black wins by five fours


def test_a_win_by_five_fours_is_found_at_once():
    board = Board.from_moves(FIVE_FOURS, FIFTEEN)
    found = search(board)
    assert found.value == 1.0
    assert len(found.principal_variation) == 9
    assert found.scores == {found.move: alpha_beta.WIN - board.ply - 11}


CROSSING_THREES = "h8 a1 h9 o1 i10 a15 j10 o15"  # Black wins by two open threes


def test_a_win_by_threes_is_found_at_the_root_where_that_is_asked_for():
    board = Board.from_moves(CROSSING_THREES, FIFTEEN)
    mine = PatternAlphaBeta(FIFTEEN, tuning={"threes": 10})
    for limit in (Limit(nodes=10_000), Limit(seconds=5.0), Limit()):
        mine.forget()
        found = mine.search(board, limit, np.random.default_rng(0))
        assert found.value == 1.0
        assert len(found.scores) == 1, "nothing else is searched"
        assert found.depth >= 5
        line = board.copy()
        for move in found.principal_variation:
            line.play(move)
    assert len(search(board, Limit(nodes=300)).scores) > 1, "by default it is not"


def test_looking_for_threes_counts_as_positions():
    board = random_board(FIFTEEN, 6, 10)
    spent = {}
    for threes in (0, 50):
        mine = PatternAlphaBeta(FIFTEEN, tuning={"threes": threes})
        spent[threes] = mine.search(board, Limit(nodes=600), np.random.default_rng(0))
    assert spent[50].nodes <= 601
    assert spent[50].visits.sum() < spent[0].visits.sum()


def test_the_other_sides_win_by_fours_is_stopped():
    board = Board.from_moves(FIVE_FOURS, FIFTEEN)
    board.pop()  # White to move now, m13 has not been played
    fours = FourSearch(FIFTEEN)
    assert fours.find(board, Limit(), color=-board.to_move).line
    for limit in (FEW, Limit(nodes=20_000)):
        found = search(board, limit)
        board.push(found.move)
        assert not fours.find(board, Limit()).line
        board.pop()


# White threatens to win by fours. To see after each move of Black whether it still does takes more
# than 3,000 positions.
MANY_FOURS = (
    "b9 k2 m2 j5 k6 g4 e12 j9 i3 f15 c8 j14 o4 j1 g3 d7 a5 e2 k13 f13 g2 m11 g5 j3 k3 h3 o3 m14 b2 "
    "o6 d14 h7 d15 e5 l7 a1"
)


@pytest.mark.parametrize(("share", "is_searched"), [(1.0, False), (DROP_SHARE, True)])
def test_dropping_moves_that_lose_by_fours_leaves_time_to_search(share, is_searched, monkeypatch):
    monkeypatch.setattr(pattern_alpha_beta, "DROP_SHARE", share)
    found = search(Board.from_moves(MANY_FOURS, FIFTEEN))
    assert (found.depth > 0) == is_searched
    assert found.nodes <= 3000


@pytest.mark.parametrize("rules", [Rules(9), FIFTEEN, STANDARD, Rules(22)], ids=str)
def test_a_result_is_whole_and_the_board_unchanged(rules):
    for seed, plies in enumerate((0, 1, 6, 18)):
        board = random_board(rules, seed, plies)
        before = board.copy()
        found, again = search(board), search(board)
        assert (board, board.moves, board.key) == (before, before.moves, before.key)
        assert (again.move, again.scores, again.nodes) == (found.move, found.scores, found.nodes)
        assert found.move in board.legal_moves
        assert set(found.scores) <= set(board.legal_moves)
        assert found.scores[found.move] == max(found.scores.values())
        assert found.policy.sum() == 1.0
        assert found.visits.sum() <= found.nodes <= 3000
        line = board.copy()
        for move in found.principal_variation:
            line.play(move)


def test_the_table_is_kept_within_a_game_and_forgotten_with_it():
    def game():
        mine, board = PatternAlphaBeta(FIFTEEN), random_board(FIFTEEN, 3, 4)
        rng = np.random.default_rng(0)
        moves = []
        for _ in range(6):
            moves.append(mine.search(board, FEW, rng).move)
            board.push(moves[-1])
        return mine, moves

    mine, moves = game()
    assert game()[1] == moves
    other = random_board(FIFTEEN, 4, 6)
    fresh = PatternAlphaBeta(FIFTEEN).search(other, FEW, np.random.default_rng(0))
    assert mine.search(other, FEW, np.random.default_rng(0)).scores == fresh.scores


def plain_score(board):
    """The evaluation, counted anew."""
    position = KernelPosition(board.rules)
    position.follow(board)
    total = TEMPO
    for side, values in zip((board.ply % 2, 1 - board.ply % 2), WEIGHTS, strict=True):
        total += sum(weight * position.count_points(side, kind) for kind, weight in values.items())
    return total


@settings(max_examples=8, deadline=None)
@given(st.sampled_from([Rules(9), FIFTEEN, STANDARD]), st.integers(0, 10**6), st.integers(1, 20))
def test_a_search_leaves_the_core_as_it_was(rules, seed, plies):
    board, mine = random_board(rules, seed, plies), search_of(rules)
    mine.search(board, Limit(nodes=400), np.random.default_rng(0))
    position, anew = mine._position, KernelPosition(rules)
    anew.follow(board)
    assert (position.key, position.moves) == (anew.key, anew.moves)
    for name in ("points", "stones", "line_classes", "board", "side"):
        assert np.array_equal(getattr(position._fields, name), getattr(anew._fields, name)), name
    assert mine.score(board) == plain_score(board)
    assert evaluate(position.record, mine._record, 0) == mine.score(board)
    assert len(mine._fields.weights) == 2 * CLASSES


def test_a_move_that_touches_no_pattern_has_no_score():
    board, mine = Board.from_moves("h8", FIFTEEN), search_of(FIFTEEN)
    mine.score(board)
    scores = {
        board.to_text(move): packed_score(mine._position.record, mine._record, move, 1)
        for move in board.legal_moves
    }
    assert scores["a1"] == scores["j9"] == 0
    assert scores["h9"] > 0
    assert scores["i9"] > 0


@pytest.mark.parametrize("left", [1, 2, 5])
def test_the_last_points_of_a_board_are_played(left):
    rules = Rules(9, 5, full_board_winner=-1)
    board = Board(rules)
    points = [(row, col) for row in range(9) for col in range(9)]
    colors = [[], []]
    for row, col in points:
        colors[(col // 2 + row) % 2].append(row * 9 + col)
    while board.ply < rules.points - left:
        side = colors[board.ply % 2] or colors[1 - board.ply % 2]
        board.push(side.pop())
    assert board.outcome() is None
    while board.outcome() is None:
        found = search(board)
        assert found.move in board.legal_moves
        board.play(found.move)


@pytest.mark.parametrize("seconds", [0.05, 0.15])
def test_the_time_is_used_and_kept(seconds):
    board = random_board(FIFTEEN, 11, 6)
    mine = PatternAlphaBeta(FIFTEEN)
    mine.search(board, Limit(nodes=10), np.random.default_rng(0))
    late = []
    for _ in range(3):
        start = time.perf_counter()
        mine.search(board, Limit(seconds=seconds), np.random.default_rng(0))
        late.append(time.perf_counter() - start - seconds)
    assert min(late) < 0.05
    assert max(late) > -0.01, "it thinks as long as it may"


def test_which_games_are_searched_so():
    assert supports(FIFTEEN)
    assert supports(STANDARD)
    assert supports(Rules(SMALLEST))
    assert supports(Rules(15, 5, "renju"))
    assert supports(Rules(15, 5, "caro"))
    for rules in (
        Rules(7), Rules(3, 3), Rules(15, 6), Rules(15, 4, "caro"),
        Rules(9, 5, height=8, gravity=True),
    ):  # fmt: skip
        assert not supports(rules)
        with pytest.raises(RulesError, match="expected five in a row"):
            PatternAlphaBeta(rules)
    with pytest.raises(RulesError, match="expected Rules"):
        search_of(FIFTEEN).search(Board(STANDARD), FEW, np.random.default_rng(0))


@pytest.mark.parametrize("rules", [Rules(7, 5), Rules(3, 3), Rules(7, 4, height=6, gravity=True)])
def test_small_games_are_searched_as_before(rules):
    """The player of today draws what the search of boards draws from the same seed."""
    board = Board.from_moves("b1 c1", rules)
    limit = Limit(nodes=3000)
    found = alpha_beta.search(board, LineEvaluator(rules), limit, np.random.default_rng(7), depth=9)
    for settings_of in ({}, {"depth": 9, "nodes": 3000}):
        player = create_player("alpha-beta", rules, settings_of)
        choice = player.choose(board, Limit(), np.random.default_rng(7))
        assert (choice.move, choice.value) == (found.move, found.value)
        assert choice.explanation["depth"] == found.depth


@pytest.mark.parametrize("rules", [FIFTEEN, Rules(7)], ids=str)
def test_the_players_settings_bound_it(rules):
    board = random_board(rules, 1, 4)
    for settings_of, limit, nodes in (
        ({}, Limit(), 10_000),
        ({"nodes": 500}, Limit(), 501),
        ({"nodes": 500}, Limit(nodes=200), 201),
        ({"nodes": None, "depth": 1}, Limit(), 10_000),
        ({"nodes": 500, "threes": 20}, Limit(), 501),
    ):
        player = create_player("alpha-beta", rules, settings_of)
        choice = player.choose(board, limit, np.random.default_rng(0))
        assert choice.explanation["nodes"] <= nodes
        assert choice.explanation["depth"] <= settings_of.get("depth", 40)


def test_the_first_stone_is_explained_as_an_opening():
    player = create_player("alpha-beta", FIFTEEN)
    choice = player.choose(Board(FIFTEEN), Limit(nodes=1), np.random.default_rng(0))
    assert isinstance(choice.explanation, Opening)
    assert choice.move in centre_points(15)


class _Steps:
    """A clock of fixed seconds a look, in place of `time`."""

    def __init__(self, step):
        self.step, self.now = step, 0.0

    def monotonic(self):
        self.now += self.step
        return self.now


def test_a_soft_limit_leaves_time_for_later_moves(monkeypatch):
    """Without one the search looks until the hard limit."""
    board = random_board(FIFTEEN, 6, 6)
    full = search(board, Limit(nodes=60_000), depth=8)
    soft = Limit(seconds=1000.0, nodes=60_000, soft_seconds=1.0)
    monkeypatch.setattr("ai.search.base.time", _Steps(0.06))  # a depth takes some looks
    found = search(board, soft, depth=8)
    assert 2 <= found.depth < full.depth
    assert found.nodes < full.nodes
    monkeypatch.setattr("ai.search.base.time", _Steps(0.0001))
    assert search(board, soft, depth=8).depth == full.depth


@pytest.mark.parametrize("case", ["stops a five", "makes an open four"])
def test_what_is_forced_or_won_takes_no_time(case):
    moves, _, _ = TACTICS[case]
    soft = Limit(seconds=60.0, nodes=500_000, soft_seconds=50.0)
    assert search(Board.from_moves(moves, FIFTEEN), soft).nodes < 2_000


def test_the_best_move_so_far_can_be_asked_for_while_it_searches(monkeypatch):
    mine, board = PatternAlphaBeta(FIFTEEN), random_board(FIFTEEN, 6, 6)
    seen = []
    narrow = PatternAlphaBeta._narrow
    monkeypatch.setattr(
        PatternAlphaBeta,
        "_narrow",
        lambda one, depth: (seen.append(one.best_now), narrow(one, depth)),
    )
    found = mine.search(board, FEW, np.random.default_rng(0), depth=4)
    assert len(seen) == 4
    assert set(seen) <= set(found.scores)
    assert mine.best_now is None, "it is that of a running search"


RENJU, CARO = Rules(15, 5, "renju"), Rules(15, 5, "caro")


@pytest.mark.parametrize("rules", [RENJU, CARO], ids=str)
def test_renju_and_caro_are_searched_by_their_own_rules(rules):
    for seed, plies in enumerate((4, 9, 14)):
        board = random_board(rules, seed, plies)
        found = search(board, Limit(nodes=800))
        assert set(found.scores) <= set(board.legal_moves)
        line = board.copy()
        for move in found.principal_variation:
            line.play(move)


def test_white_wins_where_blacks_only_defence_is_a_foul():
    """White's four at g8 is stopped at h8 alone, where Black would make a row of six."""
    moves = "h5 a1 h6 a15 h7 o1 h9 e8 h10 f8 c8 d8 a7"
    board = Board.from_moves(moves, RENJU)
    found = search(board)
    assert (board.to_text(found.move), found.value) == ("g8", 1.0)
    board.push(found.move)
    assert search(board).value == -1.0
    assert search(Board.from_moves(board.moves, FIFTEEN)).value != -1.0, "there it makes five"


def test_the_kernels_of_the_search_for_threes_are_loaded_where_it_is_asked_for():
    told = (
        "import sys; from ai.game import Rules; from ai.search.pattern_alpha_beta import *;"
        "loaded = lambda: 'ai.kernels.threats.threes' in sys.modules;"
        "PatternAlphaBeta(Rules(15, 5)); before = loaded();"
        "PatternAlphaBeta(Rules(15, 5), tuning={'threes': 10}); print(before, loaded())"
    )
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]
