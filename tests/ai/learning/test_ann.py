from __future__ import annotations

import numpy as np
import pytest

from ai.game import WHITE, Board, GameRecord, Rules, from_text
from ai.learning.ann import AnnLearner, create
from ai.learning.learner import LearnerError
from ai.players.base import Limit
from ai.registry.players import create_player, get_player_info, load_target, resolve_settings
from ai.store.checkpoints import LearnerCheckpoints
from base.schema import OptionError

RULES = Rules(7, 5, full_board_winner=WHITE)
LOST = "d1 a1 d2 a2 d3 a3 d4 a4 d5"
LOST_TOO = "c3 g1 d4 g2 e5 g3 f6 g4 b2"


def game(moves: str, number: int) -> GameRecord:
    return GameRecord.from_board(Board.from_moves(moves, RULES), number)


def taught(*games: str, **settings: object) -> AnnLearner:
    learner = create(RULES, settings)
    for number, moves in enumerate(games, start=1):
        assert learner.observe(game(moves, number))
        learner.train()
    return learner


def answer(learner: AnnLearner, moves: str) -> str:
    player = create_player("ann", RULES)
    trained = learner.weights()
    trained.load_into(player)
    board = Board.from_moves(moves, RULES)
    return board.to_text(player.choose(board, Limit(), np.random.default_rng(0)).move)


def test_the_registry_finds_the_learner():
    assert load_target(get_player_info("ann").learner) is create


def test_a_remembered_situation_is_answered_with_the_stone_that_black_placed_there():
    learner = taught(LOST)
    assert answer(learner, "d1 a1 d2 a2 d3 a3 d4") == "d5"
    assert learner.statistics()["held"] == 1.0


def test_where_the_nearest_label_is_occupied_the_next_nearest_node_answers():
    learner = taught(LOST)
    moves = "d1 d5 d2 a2 d3 a3 d4"  # as before the last stone, but d5 is White's already
    assert answer(learner, moves) not in ("d5", "d4", "d3", "d2")


def test_an_empty_memory_plays_no_row():
    """Free points in the order of their numbers make a five along the edge in five moves."""
    player = create_player("ann", RULES)
    board = Board(RULES)
    played = []
    for black in ("g7", "f5", "e7", "c5", "g3"):
        board.push(from_text(black, 7))
        choice = player.choose(board, Limit(), np.random.default_rng(0))
        again = player.choose(board, Limit(), np.random.default_rng(1))
        assert choice.move == again.move, "the position decides"
        played.append(choice.move)
        board.push(choice.move)
    assert played != sorted(played)
    assert max(played) > 10


def test_the_whole_memory_is_kept_or_the_last_game_alone():
    assert len(taught(LOST, LOST_TOO).memory) == 8
    last = taught(LOST, LOST_TOO, relearn="last-game")
    assert len(last.memory) == 4
    assert answer(last, "c3 g1 d4 g2 e5 g3 f6") == "b2"


def test_a_checkpoint_brings_the_memory_back(tmp_path):
    learner = taught(LOST, LOST_TOO)
    LearnerCheckpoints(learner, tmp_path).save()
    again = create(RULES, {})
    assert LearnerCheckpoints(again, tmp_path).load() is None
    assert again.weights().network_id == 2
    assert answer(again, "d1 a1 d2 a2 d3 a3 d4") == "d5"
    store = next(tmp_path.glob("ann-*/[0-9]*"))
    player = create_player("ann", RULES)
    player.load_checkpoint(2, store)
    board = Board.from_moves("d1 a1 d2 a2 d3 a3 d4", RULES)
    choice = player.choose(board, Limit(), np.random.default_rng(0))
    assert choice.move == from_text("d5", 7)


def test_shuffled_labels_are_those_of_other_nodes():
    learner = AnnLearner("ann", RULES, {}, control="shuffled-labels")
    learner.observe(game(LOST, 1))
    learner.train()
    plain, shuffled = learner.memory.labels, learner.weights().memory.labels
    assert sorted(map(tuple, plain)) == sorted(map(tuple, shuffled))
    again = learner.weights().memory.labels
    assert (shuffled == again).all(), "drawn once for each lesson"


def test_random_labels_are_free_points_drawn_once_for_each_record():
    def labels(seed: int) -> np.ndarray:
        learner = AnnLearner("ann", RULES, {}, seed, control="random-labels")
        learner.observe(game(LOST, 1))
        return learner.memory.labels

    real = taught(LOST).memory
    assert (labels(1) == labels(1)).all()
    assert (labels(1) != labels(2)).any()
    assert (labels(1) != real.labels).any()
    assert (labels(1).sum(axis=1) == 1.0).all()
    assert not labels(1)[real.stones != 0].any()


def test_a_control_that_needs_a_network_is_refused():
    with pytest.raises(
        OptionError, match="--control: expected none, shuffled-labels, random-labels"
    ):
        AnnLearner("ann", RULES, {}, control="untrained")


def test_there_is_nothing_to_train_on_before_a_loss():
    with pytest.raises(LearnerError, match="expected a lost game"):
        create(RULES, {}).train()


@pytest.mark.parametrize("name", ["ann", "cnn-ann", "cnn-ann-plus"])
def test_stored_settings_with_the_former_projection_index_open_as_auto(name):
    info = get_player_info(name)
    stored = {"index": "projection", "alpha": "5"}
    assert resolve_settings(info, stored)["index"] == "auto"
    assert resolve_settings(info, {"index": "exact"})["index"] == "exact"
    assert resolve_settings(info, {})["index"] == "auto"
    with pytest.raises(OptionError, match="index: expected one of auto, exact, hnsw, found 'tree'"):
        resolve_settings(info, {"index": "tree"})


def test_a_checkpoint_written_with_the_projection_index_goes_on():
    learner = taught(LOST, LOST_TOO, index="exact")
    twin = create(RULES, {"index": "projection"})
    twin.restore(learner.state())
    learner.change_settings({"index": "projection"})
    assert learner.settings == twin.settings
    for name, array in learner.memory.arrays().items():
        np.testing.assert_array_equal(twin.memory.arrays()[name], array)
    assert answer(twin, "d1 a1 d2 a2 d3 a3 d4") == "d5"


def test_the_three_indexes_learn_the_same_from_a_few_games():
    found = [taught(LOST, LOST_TOO, index=index).state() for index in ("auto", "exact", "hnsw")]
    assert found[0].values.keys() == found[2].values.keys()
    for other in found[1:]:
        for name, array in found[0].memory.items():
            np.testing.assert_array_equal(other.memory[name], array)


def test_a_large_memory_is_measured_by_fewer_of_its_positions(monkeypatch):
    learner = taught(LOST, LOST_TOO)
    test = learner.held_test(learner._samples())
    assert len(test) == len(learner.memory)
    assert test.at_most(len(test)) is test
    cut = test.at_most(3)
    assert cut.states.tolist() == test.states[[0, (len(test) - 1) // 2, len(test) - 1]].tolist()
    monkeypatch.setattr("ai.learning.ann._EXAMINED_PAIRS", 1)
    monkeypatch.setattr("ai.learning.ann._LEAST_EXAMINED", 3)
    learner.train()
    assert learner.statistics()["held"] == 1.0
    assert learner.statistics()["agrees"] is None
    assert learner.statistics()["variety"] > 0
