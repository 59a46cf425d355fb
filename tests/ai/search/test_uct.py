from __future__ import annotations

import math
import time

import numpy as np
import pytest

from ai.evaluators.base import UniformEvaluator
from ai.game import Board, Rules, RulesError, from_text
from ai.kernels.tree.nodes import NODE
from ai.search.base import Limit
from ai.search.uct import Uct

FREESTYLE = Rules(15)
DROP = Rules(7, 4, height=6, gravity=True)


def search(tree, board, *, nodes=2000, seconds=None, seed=0):
    limit = Limit(seconds=seconds, nodes=nodes)
    return tree.search(board, UniformEvaluator(), limit, np.random.default_rng(seed))


@pytest.mark.parametrize(
    ("rules", "moves", "expected"),
    [
        (FREESTYLE, "g8 g1 h8 h2 i8 j3 j8 k4", {"f8", "k8"}),
        (FREESTYLE, "g8 g9 h8 h9 i8 i9 j8 j9 a1 f9", {"f8", "k8"}),
        (Rules(5, 4), "b2 a5 c2 c5 d2 e5", {"a2", "e2"}),
        (Rules(20, 5), "g8 g1 h8 h2 i8 j3 j8 k4", {"f8", "k8"}),
        (Rules(15, 5, exact=True), "g8 a1 h8 c1 i8 e1 j8 g1 l8 i1", {"f8"}),
    ],
    ids=str,
)
def test_it_finds_a_win_in_one_by_itself(rules, moves, expected):
    board = Board.from_moves(moves, rules)
    found = search(Uct(rules), board)
    assert board.to_text(found.move) in expected
    assert found.value > 0.5


def test_exp3_finds_it_more_slowly():
    board = Board.from_moves("g8 g1 h8 h2 i8 j3 j8 k4", FREESTYLE)
    found = search(Uct(FREESTYLE, selection="exp3"), board, nodes=10_000)
    assert board.to_text(found.move) in {"f8", "k8"}


@pytest.mark.parametrize(
    ("rules", "moves", "expected"),
    [
        (FREESTYLE, "g8 a1 h8 f8 i8 c1 j8", {"k8"}),
        (Rules(7, 4), "b2 b1 c2 a2 d2", {"e2"}),
        (Rules(3, 3), "a1 b2 c3 a3 c1", {"b1", "c2"}),
    ],
    ids=str,
)
def test_it_finds_the_only_defence_by_itself(rules, moves, expected):
    board = Board.from_moves(moves, rules)
    found = search(Uct(rules), board, nodes=5000)
    assert board.to_text(found.move) in expected


def test_tic_tac_toe_is_a_draw_from_every_first_move_on():
    rules = Rules(3, 3)
    tree, board = Uct(rules, cp=0.7), Board(rules)
    while board.outcome() is None:
        board.play(search(tree, board, nodes=4000, seed=board.ply).move)
    assert board.outcome().winner == 0


def test_the_result_is_whole():
    board = Board.from_moves("h8 i9 h9", FREESTYLE)
    found = search(Uct(FREESTYLE), board, nodes=3000)
    assert (found.nodes, int(found.visits.sum()), found.kept) == (3000, 3000, 0)
    visits = [item.visits for item in found.moves]
    assert visits == sorted(visits, reverse=True)
    assert found.moves[0].move == found.move == found.principal_variation[0]
    assert [line[0] for line in found.lines] == [item.move for item in found.moves[:3]]
    for line in found.lines:
        after = board.copy()
        for move in line:
            after.play(move)
    assert all(-1.0 <= item.value <= 1.0 for item in found.moves)
    assert found.depth >= 2


def test_the_tree_is_kept_where_the_position_follows():
    board, tree = Board.from_moves("h8 i9 h9", FREESTYLE), Uct(FREESTYLE)
    first = search(tree, board, nodes=3000)
    line = first.principal_variation
    assert len(line) >= 2
    for move in line[:2]:
        board.play(move)
    second = search(tree, board, nodes=500)
    assert 0 < second.kept < 3000
    assert int(second.visits.sum()) == second.kept + 500
    again = search(tree, board, nodes=500)
    assert again.kept == 0, "the same position begins anew: the generator decides alone"
    board.pop()
    assert search(tree, board, nodes=50).kept == 0
    fresh = Uct(FREESTYLE, keeps_tree=False)
    board = Board.from_moves("h8 i9 h9", FREESTYLE)
    search(fresh, board, nodes=3000)
    for move in line[:2]:
        board.play(move)
    assert search(fresh, board, nodes=500).kept == 0


def test_the_first_move_leaves_nothing_outside_the_region_of_the_stones():
    board, tree = Board(FREESTYLE), Uct(FREESTYLE)
    search(tree, board, nodes=5000)
    for move in ("g7", "f6"):  # h9 is beside the centre, where the first stone was searched
        board.play(from_text(move, 15))
    for seed in range(3):
        found = search(tree, board, nodes=5000, seed=seed)
        points = [item.move for item in found.moves]
        near = {
            (row + down) * 15 + column + right
            for row, column in (divmod(move, 15) for move in board.moves)
            for down in (-1, 0, 1)
            for right in (-1, 0, 1)
        }
        assert sorted(points) == sorted(near - set(board.moves))
        for move in (found.move, min(near - set(board.moves) - {found.move})):
            board.push(move)


def test_memory_is_bounded_and_what_follows_finds_room():
    board, tree = Board.from_moves("h8 i9 h9", FREESTYLE), Uct(FREESTYLE, memory=1)
    capacity = (1 << 20) // (2 * NODE.itemsize)
    kept = []
    for _ in range(4):
        found = search(tree, board, nodes=3000)
        assert int(found.visits.sum()) == found.kept + 3000
        assert tree.used <= capacity
        kept.append(found.kept)
        for move in found.principal_variation[:2]:
            board.play(move)
    assert all(kept[1:]), "the part below the moves was kept"


def test_a_limit_of_a_millisecond_or_a_node_gives_a_move():
    board = Board.from_moves("h8 i9", FREESTYLE)
    tree = Uct(FREESTYLE)
    for limit in ({"seconds": 0.001, "nodes": None}, {"seconds": 0.0, "nodes": None}, {"nodes": 1}):
        found = search(tree, board, **limit)
        assert found.move in board.legal_moves
        assert found.nodes >= 1
    assert search(tree, board, nodes=1).nodes == 1


def test_no_time_is_spent_after_the_stop():
    board, tree = Board.from_moves("h8 i9 h9 g9", FREESTYLE), Uct(FREESTYLE)
    search(tree, board, nodes=10)  # its memory is there
    late, nodes = [], []
    for _ in range(5):
        start = time.perf_counter()
        nodes.append(search(tree, board, nodes=None, seconds=0.02).nodes)
        late.append(time.perf_counter() - start - 0.02)
    assert max(nodes) > 1, "a busy machine may give a turn no time, but not each of five"
    assert min(late) < 0.05
    assert min(late) > -0.005


def test_settings_and_rules_that_do_not_fit_are_refused():
    with pytest.raises(RulesError, match="expected a square board without gravity"):
        Uct(DROP)
    for name, value, text in (
        ("cp", -0.1, "cp: expected at least 0, found -0.1"),
        ("gamma", 0.0, "gamma: expected above 0, at most 1, found 0.0"),
        ("memory", 0, "memory: expected at least 1 MiB, found 0"),
        ("region", 9, "region: expected 1 to 4, found 9"),
        ("selection", "puct", "selection: expected 'ucb' or 'exp3', found 'puct'"),
    ):
        with pytest.raises(ValueError, match=text):
            Uct(FREESTYLE, **{name: value})
    with pytest.raises(RulesError, match="expected Rules"):
        search(Uct(FREESTYLE), Board(Rules(9)))


def test_more_exploration_spreads_the_visits():
    board = Board.from_moves("h8 i9 h9", FREESTYLE)
    spread = []
    for cp in (0.05, 3.0):
        shares = search(Uct(FREESTYLE, cp=cp), board, nodes=4000).policy
        spread.append(-sum(share * math.log(share) for share in shares.tolist() if share > 0))
    assert spread[0] < spread[1]
