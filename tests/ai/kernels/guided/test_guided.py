"""The move network in kernels equals numpy's, and the guided tree does what it says."""

from __future__ import annotations

import numpy as np
import pytest

from ai.evaluators.move_net import MoveNetEvaluator
from ai.game import BLACK, WHITE, Board, Rules
from ai.game.move import parse_moves
from ai.kernels.clock import CLOCK
from ai.kernels.guided.layout import new_net, put_stones
from ai.kernels.guided.network import rank_points, share_points
from ai.kernels.guided.simulation import five_to_play, simulate
from ai.kernels.jit import fields_of, new_record, set_field
from ai.kernels.tree.layout import UNDECIDED, cell_of, new_tree_board, open_everywhere
from ai.kernels.tree.stones import put_stone
from ai.nets.architecture import DENSE, InferenceNetwork, draw_weights
from ai.nets.move_net import MoveNetwork, move_net_architecture
from ai.search.base import Limit
from ai.search.uct import GuidedUct, Uct
from base.policies.layers import softmax
from tests.ai.kernels.tree.plain_tree import random_board

WEIGHTS = {
    name: array * 3 for name, array in draw_weights(
        move_net_architecture(15), np.random.default_rng(7)
    ).items()
}  # fmt: skip
WEIGHTS |= {
    name: np.random.default_rng(8).normal(0, 0.2, array.shape).astype(np.float32)
    for name, array in WEIGHTS.items() if name.endswith("bias")
}  # fmt: skip
NETWORK = MoveNetwork(WEIGHTS)


def shares_by_numpy(board):
    """What the network says of the empty points, by `ai.nets.architecture`."""
    seen = np.array(board.stones, np.float32) * board.to_move
    network = InferenceNetwork(move_net_architecture(board.size), WEIGHTS)
    logits = network.logits(seen[None, :, None])
    return softmax(np.where(seen != 0, np.float32(-1e9), logits))[0]


@pytest.mark.parametrize("size", [3, 7, 15, 22])
def test_shares_equal_those_of_numpy(size):
    rules = Rules(size, min(size, 5))
    evaluator = MoveNetEvaluator(rules, NETWORK)
    for plies in (1, size * size // 3, size * size // 2):
        board = random_board(rules, plies, np.random.default_rng(plies))
        shares = evaluator.shares(board)
        np.testing.assert_allclose(shares, shares_by_numpy(board), atol=1e-6)
        assert shares.max() > 1.5 * shares[shares > 0].min(), "the network tells points apart"
        assert shares.sum() == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize("size", [7, 15])
def test_two_views_add_the_scores_of_the_mirror_image(size):
    rules = Rules(size, 5)
    evaluator = MoveNetEvaluator(rules, MoveNetwork(WEIGHTS, {"views": 2}))
    board = random_board(rules, size * size // 3, np.random.default_rng(size))
    shares = evaluator.shares(board)
    seen = np.array(board.stones, np.float32) * board.to_move
    network = InferenceNetwork(move_net_architecture(size, 2), WEIGHTS)
    logits = network.logits(seen[None, :, None])
    expected = softmax(np.where(seen != 0, np.float32(-1e9), logits))[0]
    np.testing.assert_allclose(shares, expected, atol=1e-6)
    mirrored = [size * row + size - 1 - column for row in range(size) for column in range(size)]
    turned = Board.from_moves([mirrored[move] for move in board.moves], rules)
    np.testing.assert_allclose(evaluator.shares(turned), shares[mirrored], atol=1e-6)
    assert not np.allclose(shares, MoveNetEvaluator(rules, NETWORK).shares(board), atol=1e-4)


@pytest.mark.parametrize("views", [1, 2])
@pytest.mark.parametrize("size", [7, 15])
def test_a_dense_output_layer_equals_that_of_numpy(size, views):
    rules, rng = Rules(size, 5), np.random.default_rng(size)
    architecture = move_net_architecture(size, views, DENSE)
    weights = {name: array * 9 for name, array in draw_weights(architecture, rng).items()}
    weights["policy.bias"] = rng.normal(0, 0.2, size * size).astype(np.float32)
    network = MoveNetwork(weights, {"views": views})
    assert network.board == size
    board = random_board(rules, size * size // 3, rng)
    shares = MoveNetEvaluator(rules, network).shares(board)
    seen = np.array(board.stones, np.float32) * board.to_move
    logits = InferenceNetwork(architecture, weights).logits(seen[None, :, None])
    expected = softmax(np.where(seen != 0, np.float32(-1e9), logits))[0]
    np.testing.assert_allclose(shares, expected, atol=1e-6)
    assert shares.max() > 1.5 * shares[shares > 0].min(), "the network tells points apart"


def test_an_empty_board_gives_all_to_the_middle():
    shares = MoveNetEvaluator(Rules(9), NETWORK).shares(Board(Rules(9)))
    assert shares.argmax() == 40
    assert shares.sum() == shares[40] == 1.0


def test_moves_above_the_threshold_come_in_order():
    rules = Rules(9)
    net = new_net(rules, WEIGHTS)
    board = random_board(rules, 11, np.random.default_rng(1))
    put_stones(net, np.array(board.stones, np.int8), 9)
    best = share_points(net, board.to_move)
    fields = fields_of(net)
    shares = np.array(fields.shares[:81], np.float64)
    for threshold in (0.0, 0.01, 0.02, 0.9):
        count = rank_points(net, threshold)
        found = [int(move) for move in fields.order[:count]]
        expected = sorted(np.flatnonzero(shares > threshold), key=lambda move: -shares[move])
        assert found == (expected or [best])


def records_of(board):
    """The records of a search in a position."""
    record, net = new_tree_board(board.rules, 1), new_net(board.rules, WEIGHTS)
    open_everywhere(record, board.rules)
    for move in board.moves:
        put_stone(record, cell_of(move, board.size))
    put_stones(net, np.array(board.stones, np.int8), board.size)
    return record, net


@pytest.mark.parametrize("rules", [Rules(7, 4), Rules(6, 5, full_board_winner=WHITE)], ids=str)
def test_a_simulation_plays_the_likeliest_point_for_both(rules):
    for plies in (3, 8, 14):
        board = random_board(rules, plies, np.random.default_rng(plies))
        record, net = records_of(board)
        before = list(fields_of(net).stones)
        winner = simulate(record, net, new_record(CLOCK))
        assert list(fields_of(net).stones) == before
        assert fields_of(record).ply == board.ply
        while board.outcome() is None:
            board.push(int(shares_by_numpy(board).argmax()))
        assert winner == {BLACK: 0, WHITE: 1, 0: 2}[board.outcome().winner]


def test_with_fives_first_a_five_is_made_and_else_stopped():
    rules = Rules(9)
    own = Board.from_moves("a1 a9 b1 b9 c1 c9 d1 d9", rules)  # both have a four
    record, net = records_of(own)
    set_field(net, "fives_first", 1)
    assert five_to_play(record, net) == cell_of(parse_moves("e1", 9)[0], 9), "Black wins at once"
    assert simulate(record, net, new_record(CLOCK)) == 0
    assert fields_of(net).simulated == 1
    other = Board.from_moves("a1 a9 b1 b9 c1 c9 i5 d9", rules)
    assert five_to_play(*records_of(other)) == cell_of(parse_moves("e9", 9)[0], 9), (
        "White's is stopped"
    )
    assert five_to_play(*records_of(Board.from_moves("e5", rules))) == 0


def test_a_stopped_simulation_decides_nothing():
    board = random_board(Rules(7), 4, np.random.default_rng(0))
    record, net = records_of(board)
    clock = new_record(CLOCK)
    set_field(clock, "is_stopped", 1)
    assert simulate(record, net, clock) == UNDECIDED
    assert fields_of(record).ply == 4


def test_the_tree_holds_likely_moves_alone():
    rules = Rules(9)
    board = random_board(rules, 8, np.random.default_rng(3))
    shares = shares_by_numpy(board)
    tree = GuidedUct(rules, NETWORK, threshold=0.02, memory=1)
    found = tree.search(board, None, Limit(nodes=40), np.random.default_rng(0))
    assert found.nodes == found.visits.sum() == 40
    likely = set(np.flatnonzero(shares > 0.02).tolist())
    assert 1 < len(likely) < 20
    assert {item.move for item in found.moves} == likely
    first = tree.search(board, None, Limit(nodes=1), np.random.default_rng(0))
    assert first.move == shares.argmax(), "the likeliest child is tried first"
    assert isinstance(tree, Uct)


def test_the_tree_is_kept_and_time_is():
    rules = Rules(9)
    board = random_board(rules, 8, np.random.default_rng(3))
    tree = GuidedUct(rules, NETWORK, threshold=0.9, memory=1)
    found = tree.search(board, None, Limit(nodes=60), np.random.default_rng(0))
    for move in found.principal_variation[:2]:
        board.push(move)
    again = tree.search(board, None, Limit(seconds=0.0), np.random.default_rng(0))
    assert again.kept > 0
    assert again.nodes <= 1
    assert again.move in board.legal_moves


def test_a_threshold_that_does_not_fit_is_refused():
    with pytest.raises(ValueError, match=r"threshold: expected 0 to 1, found 1\.5"):
        GuidedUct(Rules(9), NETWORK, threshold=1.5)
