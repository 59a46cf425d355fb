"""The move network learns what its games say, and its scores are those of the document."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ai.experiments.move_net import MoveNetOrder, gather, train
from ai.formats import Ply, WrittenGame, write_game_file
from ai.game import BLACK, WHITE, Rules
from ai.learning.learner import Trainers
from ai.learning.move_net import MoveNetPlan, score_blind, score_move_net
from ai.nets.architecture import DENSE, InferenceNetwork, WeightsError, initial_weights
from ai.nets.move_net import OUTPUTS, load_move_net, move_net_architecture, save_move_net
from ai.nets.plan import TrainingPlan
from ai.registry.players import create_player
from ai.runs.reading import RunReadError
from ai.samples.move_frequencies import MoveSequence, count_moves
from base.schema import OptionError
from base.storage.card_file import CardFileError

RULES = Rules(7, 5)


def between(seed, triples):
    """A game of a stone anywhere, one two points from it, and one between, again and again."""
    rng = np.random.default_rng(seed)
    moves = []
    while len(moves) < 3 * triples:
        move = int(rng.integers(49))
        three = [move, move + 2, move + 1]
        if move % 7 < 5 and not set(three) & set(moves):
            moves += three
    return moves


def written(moves):
    plies = [Ply(move, BLACK if ply % 2 == 0 else WHITE) for ply, move in enumerate(moves)]
    return WrittenGame(RULES, tuple(plies))


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    file = tmp_path_factory.mktemp("games") / "games.sgf"
    write_game_file(file, [written(between(seed, 3)) for seed in range(60)])
    order = MoveNetOrder((file,), held=0.2, plan=MoveNetPlan(epochs=40, batch=32, rate=0.02))
    data = gather(order)
    told = []
    weights, card = train(order, data, lambda *step: told.append(step))
    return data, weights, card, told


def test_it_learns_more_than_its_controls(trained):
    data, _, card, told = trained
    assert (data.games, data.held_games) == (48, 12)
    shares = {name: score["share"] for name, score in card["on_held_out"].items()}
    assert shares["trained"] > 0.25
    others = {name: share for name, share in shares.items() if name != "trained"}
    assert set(others) == {"untrained", "most frequent point", "shuffled answers"}
    assert max(others.values()) < 0.6 * shares["trained"]
    assert card["on_held_out"]["trained"]["so"] > card["on_held_out"]["untrained"]["so"]
    assert told[-1][0] == "the control"
    assert told[-1][1] == told[-1][2]
    json.dumps(card)


@pytest.mark.parametrize("output", OUTPUTS)
def test_two_views_and_a_weight_are_trained_alike_each_time(tmp_path, output):
    file = tmp_path / "games.sgf"
    write_game_file(file, [written(between(seed, 3)) for seed in range(12)])
    plan = MoveNetPlan(epochs=2, batch=16, rate=0.02, views=2, decided=3.0, output=output)
    order = MoveNetOrder((file,), held=0.2, plan=plan, has_controls=False)
    data = gather(order)
    (weights, card), (again, _) = (train(order, data, lambda *_: None) for _ in range(2))
    for name, array in weights.items():
        np.testing.assert_array_equal(array, again[name])
    assert card["views"] == 2
    trainer = Trainers().of(move_net_architecture(7, 2, output), 16)
    features = data.held.stones[:4, :, None].astype(np.float32)
    trainer.train(weights, TrainingPlan(
        features, np.full((4, 49), 1 / 49, np.float32), np.zeros((4, 49), np.bool_),
        np.zeros((1, 16), np.int32), np.ones((1, 16), np.float32), np.zeros(1, np.float32),
    ))  # fmt: skip
    network = InferenceNetwork(move_net_architecture(7, 2, output), weights)
    np.testing.assert_allclose(trainer.answer(features), network.logits(features), atol=1e-4)


def test_a_network_with_a_dense_output_layer_learns_and_is_for_one_board(tmp_path):
    file = tmp_path / "games.sgf"
    write_game_file(file, [written(between(seed, 3)) for seed in range(60)])
    plan = MoveNetPlan(epochs=20, batch=32, rate=0.02, output=DENSE)
    weights, card = train(
        MoveNetOrder((file,), held=0.2, plan=plan, has_controls=False),
        gather(MoveNetOrder((file,), held=0.2)),
        lambda *_: None,
    )
    assert weights["policy.kernel"].shape == (4 * 49, 49)
    shares = {name: score["share"] for name, score in card["on_held_out"].items()}
    assert shares["trained"] > 2 * shares["untrained"]
    assert card["plan"]["output"] == DENSE
    net = tmp_path / "net.npz"
    save_move_net(net, weights, card)
    assert load_move_net(net).board == 7
    create_player("move-net", RULES, {"network": str(net)}).close()
    with pytest.raises(OptionError, match=r"network: expected one for 9x9, found .*for 7x7"):
        create_player("mcts-nn", Rules(9), {"network": str(net)})


def test_a_dense_output_layer_for_too_large_a_board_is_refused(tmp_path):
    weights = initial_weights(move_net_architecture(16, output=DENSE), 0)
    with pytest.raises(WeightsError, match=r"expected a board of at most 15x15, found .*\(1024,"):
        save_move_net(tmp_path / "net.npz", weights, {})
    weights = initial_weights(move_net_architecture(7, output=DENSE), 0)
    weights["policy.kernel"] = weights["policy.kernel"][:, :40]
    with pytest.raises(WeightsError, match=r"policy\.kernel: expected the shape \(144, 36\)"):
        save_move_net(tmp_path / "net.npz", weights, {})


def test_the_file_gives_back_weights_and_card(trained, tmp_path):
    _, weights, card, _ = trained
    file = tmp_path / "net.npz"
    save_move_net(file, weights, card)
    again = load_move_net(file)
    assert again.card == card
    for name, array in weights.items():
        np.testing.assert_array_equal(again.weights[name], array)


def test_scores_are_those_of_the_definition():
    samples = count_moves(RULES, [MoveSequence([24, 0, 48, 3])])
    weights = initial_weights(move_net_architecture(7), 0)
    for array in weights.values():
        array[:] = 0
    score = score_move_net(weights, samples)
    free = [48, 47, 46]  # the network is even: each empty point has the same share
    assert score.so == pytest.approx(np.mean([1 / count for count in free]), rel=1e-5)
    assert score.loss == pytest.approx(np.mean(np.log(free)), rel=1e-5)
    assert score.positions == 3
    assert score_blind(samples, samples).share > 0


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"no archive", "expected a network of move-net"),
        (b"", "expected a network of move-net"),
        (b"x" * (2 << 20), "found BadZipFile"),
    ],
)
def test_a_file_that_is_no_network_is_one_error(content, text, tmp_path):
    file = tmp_path / "net.npz"
    file.write_bytes(content)
    with pytest.raises(CardFileError, match=text):
        load_move_net(file)


def test_games_of_two_boards_are_refused(tmp_path):
    one, other = tmp_path / "one.sgf", tmp_path / "other.sgf"
    write_game_file(one, [written([0, 1, 2])])
    write_game_file(other, [WrittenGame(Rules(9), (Ply(0, BLACK), Ply(1, WHITE)))])
    with pytest.raises(RunReadError, match=r"other\.sgf: expected games of one board, 7x7, found"):
        gather(MoveNetOrder((one, other)))
    with pytest.raises(RunReadError, match="expected at least 2 games, one to hold out, found 1"):
        gather(MoveNetOrder((one,)))
    assert gather(MoveNetOrder((one,), held=0.0)).games == 1


def test_stones_of_an_opening_are_no_answers(tmp_path):
    game = WrittenGame(
        RULES, (Ply(3, WHITE), Ply(4, BLACK)), setup=((0, BLACK), (1, WHITE), (2, BLACK)),
        first=WHITE,
    )  # fmt: skip
    write_game_file(tmp_path / "set.sgf", [game])
    data = gather(MoveNetOrder((tmp_path / "set.sgf",), held=0.0))
    assert data.training.occurrences == 2
