from __future__ import annotations

import numpy as np
import pytest

from ai.game import WHITE, Board, GameOverError, Rules, from_text, symmetries
from ai.learning.self_teaching import SelfTeachingLearner
from ai.memory import MemoryNodes
from ai.nets.architecture import WeightsError
from ai.players.base import Limit, LoadsWeights, Player
from ai.registry.players import create_player, get_player_info
from ai.store.checkpoints import LearnerCheckpoints
from base.schema import OptionError
from base.storage.card_file import CardFileError

RULES = Rules(7, 5, full_board_winner=WHITE)
NAMES = ("cnn-ann", "cnn-ann-plus")


def choose(player, board):
    return player.choose(board, Limit(), np.random.default_rng(0))


@pytest.mark.parametrize("name", NAMES)
def test_it_is_a_player_that_takes_weights(name):
    player = create_player(name, RULES)
    assert isinstance(player, Player)
    assert isinstance(player, LoadsWeights)
    assert player.name == name


@pytest.mark.parametrize("name", NAMES)
def test_a_choice_tells_probabilities_rank_and_masked_points(name):
    board = Board.from_moves("d4 d5 c4", RULES)
    choice = choose(create_player(name, RULES), board)
    explanation = choice.explanation
    assert choice.move in board.legal_moves
    assert sum(explanation["probabilities"]) == pytest.approx(1.0, abs=1e-5)
    assert explanation["masked"] == explanation["rank"] - 1
    better = [
        p for p in explanation["probabilities"] if p > explanation["probabilities"][choice.move]
    ]
    assert explanation["rank"] == 1 + len(better)
    assert "memory" not in explanation


@pytest.mark.parametrize("name", NAMES)
def test_without_weights_it_plays_the_initial_network_of_seed_0(name):
    board = Board.from_moves("d4", RULES)
    player = create_player(name, RULES)
    before = choose(player, board)
    for seed, is_same in ((0, True), (1, False)):
        player.load_weights(seed, SelfTeachingLearner(name, RULES, {}, seed).weights().arrays)
        after = choose(player, board).explanation
        assert (after["probabilities"] == before.explanation["probabilities"]) == is_same
        assert after["network_id"] == seed


def test_the_network_of_a_checkpoint_is_read(tmp_path):
    learner = SelfTeachingLearner("cnn-ann-plus", RULES, {}, seed=5)
    checkpoints = LearnerCheckpoints(learner, tmp_path)
    checkpoints.save()
    (checkpoint,) = checkpoints.store.listed()
    board = Board.from_moves("d4", RULES)
    handed, read = (create_player("cnn-ann-plus", RULES) for _ in range(2))
    handed.load_weights(9, learner.weights().arrays)
    read.load_checkpoint(9, checkpoint.directory)
    assert choose(read, board).policy.tolist() == choose(handed, board).policy.tolist()
    with pytest.raises(CardFileError):
        create_player("cnn-ann", RULES).load_checkpoint(9, checkpoint.directory)


def test_weights_that_do_not_fit_leave_the_player_as_it_was():
    player = create_player("cnn-ann-plus", RULES)
    board = Board.from_moves("d4", RULES)
    before = choose(player, board)
    with pytest.raises(WeightsError):
        player.load_weights(1, {})
    assert choose(player, board).move == before.move


def test_the_nearest_remembered_situation_is_told_and_does_not_touch_the_choice():
    player = create_player("cnn-ann-plus", RULES)
    board = Board.from_moves("d4", RULES)
    before = choose(player, board)
    trained = SelfTeachingLearner("cnn-ann-plus", RULES, {}).weights()
    trained.load_into(player)
    plain = choose(player, board)
    assert plain.explanation["memory"] == {"nodes": 0, "alpha": 0.5}
    stones = board.array().ravel().astype(np.int8)
    vector = SelfTeachingLearner("cnn-ann-plus", RULES, {}).encoder.vectors(stones[None])
    nodes = MemoryNodes(
        vectors=np.concatenate([vector + 3.0, vector]).astype(np.float32),
        labels=np.eye(49, dtype=np.float32)[[7, 9]] + np.eye(49)[[8, 8]] * 3,
        stones=np.stack([np.zeros(49), stones]).astype(np.float32),
        counts=np.array([5.0, 2.0], np.float32),
    )
    player.load_memory(nodes)
    told = choose(player, board)
    memory = told.explanation["memory"]
    labels = memory.pop("labels")
    assert (labels[8], labels[9], sum(labels)) == (0.75, 0.25, 1.0)
    assert memory.pop("stones") == board.stones
    recalled = memory.pop("recalled")
    assert [item["node"] for item in recalled] == [1, 0]
    assert recalled[0]["weight"] > recalled[1]["weight"]
    assert sum(item["weight"] for item in recalled) == pytest.approx(1.0)
    assert memory.pop("width") == 1.0
    assert memory == {"nodes": 2, "alpha": 0.5, "node": 1, "distance": 0.0, "count": 2}
    assert told.move == plain.move
    assert before.move in board.legal_moves


def test_colors_are_mirrored_for_a_learner_on_black():
    player = create_player("cnn-ann-plus", RULES)
    as_white = choose(player, Board.from_moves("d4 a1 c3", RULES))  # X d4 c3, O a1
    # The same stones with the colors exchanged and Black to move: O d4 c3, X a1.
    as_black = choose(player, Board.from_moves("a1 d4 g7 c3", RULES))
    assert as_white.explanation["probabilities"] != as_black.explanation["probabilities"]
    mirrored = Board(RULES)
    for text, color in (("d4", -1), ("c3", -1), ("a1", 1)):
        mirrored.stones[from_text(text, 7)] = color
    mirrored.moves = [from_text(text, 7) for text in ("a1", "d4", "c3")]
    mirrored._lines = [(), (), ()]
    mirrored.to_move = 1
    assert choose(player, mirrored).explanation["probabilities"] == pytest.approx(
        as_white.explanation["probabilities"]
    )


@pytest.mark.parametrize("name", NAMES)
def test_a_game_that_is_over_is_refused(name):
    board = Board.from_moves("d1 a1 d2 a2 d3 a3 d4 a4 d5", RULES)
    with pytest.raises(GameOverError):
        choose(create_player(name, RULES), board)


def test_bad_text_settings_are_usage_errors():
    with pytest.raises(OptionError, match="kernel"):
        create_player("cnn-ann", RULES, {"kernel": "1,2"})
    with pytest.raises(OptionError, match="hidden"):
        create_player("cnn-ann", RULES, {"hidden": "1,2"})


def test_plus_has_every_setting_of_the_paper_and_switches_of_its_own():
    paper = {setting.key for setting in get_player_info("cnn-ann").settings}
    plus = {setting.key for setting in get_player_info("cnn-ann-plus").settings}
    assert paper < plus
    assert {
        "warm_start",
        "symmetries",
        "mask_occupied",
        "threat_labels",
        "win_records",
        "rehearsal",
        "hard_examples",
    } <= plus - paper


@pytest.mark.parametrize("size", [5, 9, 15])
@pytest.mark.parametrize("name", NAMES)
def test_other_boards_are_played(name, size):
    rules = Rules(size, 5)
    board = Board.from_moves([size + 1], rules)
    assert choose(create_player(name, rules), board).move in board.legal_moves


def test_a_remembered_situation_is_told_in_the_colors_of_the_board():
    rules = Rules(7, 5)
    board = Board.from_moves("d4 d5", rules)  # Black to move, so d5 is the opponent's
    player = create_player("cnn-ann-plus", rules)
    seen = -board.array().ravel().astype(np.int8)
    vectors = SelfTeachingLearner("cnn-ann-plus", rules, {}).encoder.vectors(seen[None])
    player.load_memory(MemoryNodes(vectors, stones=seen[None].astype(np.float32)))
    memory = choose(player, board).explanation["memory"]
    assert memory["distance"] == 0.0
    assert memory["stones"] == board.stones
    assert "labels" not in memory


def test_the_mean_over_all_symmetries_turns_with_the_board():
    rules = Rules(5, 4)
    player = create_player("cnn-ann-plus", rules, {"play_symmetries": True})
    alone = create_player("cnn-ann-plus", rules, {"play_symmetries": False})
    moves = (0, 7, 3, 16)
    answers = []
    for image in symmetries(5):
        board = Board(rules)
        for move in moves:
            board.push(int(np.flatnonzero(image == move)[0]))
        policy = choose(player, board).policy
        assert policy.sum() == pytest.approx(1.0, abs=1e-5)
        turned = np.zeros(25)
        turned[image] = policy
        answers.append(turned)
        if image[1] == 1:
            assert not np.allclose(choose(alone, board).policy, policy)
    assert np.allclose(answers, answers[0], atol=1e-6)


def test_a_new_network_has_no_memory_until_it_is_handed_over():
    player = create_player("cnn-ann-plus", RULES)
    trained = SelfTeachingLearner("cnn-ann-plus", RULES, {}).weights()
    board = Board.from_moves("d4", RULES)
    trained.load_into(player)
    assert "memory" in choose(player, board).explanation
    player.load_weights(1, trained.arrays)
    assert "memory" not in choose(player, board).explanation


def test_nodes_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match="one length"):
        MemoryNodes(np.zeros((2, 49), np.float32), counts=np.ones(3, np.float32))
