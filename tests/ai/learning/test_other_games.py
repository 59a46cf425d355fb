"""The one learner plays three games: what holds of it in each, and what gravity adds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai.game import BLACK, WHITE, Board, GameRecord, Rules, from_text, playable
from ai.learning.learner import Trainers
from ai.learning.self_teaching import SelfTeachingLearner, create, create_plus
from ai.nets.architecture import InferenceNetwork
from ai.samples.one_hot import walk_back
from ai.samples.threats import (
    OPPONENT,
    OWN,
    double_points,
    safe_points,
    threat_label,
    threat_lessons,
    winning_points,
)
from ai.store.checkpoints import LearnerCheckpoints

CONNECT_FOUR = Rules(7, 4, height=6, gravity=True)
GAMES = {
    "tic-tac-toe": (Rules(3, 3), "b2 a2 a3 c3 c1"),
    "connect-four": (CONNECT_FOUR, "c1 a1 d1 g1 e1 a2 f1"),
    "gomoku": (Rules(7, 5, full_board_winner=WHITE), "d1 a1 d2 a2 d3 a3 d4 a4 d5"),
}
TRAINERS = Trainers()

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:keras")


def lost(game, number=1):
    rules, moves = GAMES[game]
    record = GameRecord.from_board(Board.from_moves(moves, rules), number)
    assert record.winner == BLACK
    return record


def position(*, black, white):
    """Return `[A]` a position of Connect Four as White sees it."""
    stones = np.zeros(CONNECT_FOUR.points, np.int8)
    for texts_of, color in ((black, OPPONENT), (white, OWN)):
        stones[[from_text(text, 7, 6) for text in texts_of.split()]] = color
    return stones


def texts(points, rules=CONNECT_FOUR):
    return {Board(rules).to_text(int(move)) for move in np.flatnonzero(points)}


@pytest.mark.parametrize("name", ["cnn-ann", "cnn-ann-plus"])
@pytest.mark.parametrize("game", GAMES)
def test_after_training_the_stone_that_won_is_prevented(game, name):
    rules, _ = GAMES[game]
    learner = SelfTeachingLearner(name, rules, {}, seed=3, trainers=TRAINERS)
    assert learner.observe(lost(game))
    assert not learner.observe(lost(game)), "known already"
    trained = learner.train()
    assert trained.network_id == 1
    before = Board.from_moves(lost(game).moves[:-2], rules)
    stones = np.array(before.stones, np.int8)
    network = InferenceNetwork(learner.architecture, trained.arrays)
    answers = network.logits(learner.encoder.features(stones[None]))[0]
    move = int(np.where(playable(stones, rules), answers, -np.inf).argmax())
    assert winning_points(stones[None], OPPONENT, rules)[0][move], "a point where Black wins"


@pytest.mark.parametrize("game", GAMES)
def test_what_is_learnt_is_kept_in_a_folder_of_its_own_game(game, tmp_path):
    rules, _ = GAMES[game]
    learner = create_plus(rules, {}, seed=1)
    learner.observe(lost(game))
    LearnerCheckpoints(learner, tmp_path).save()
    twin = create_plus(rules, {}, seed=9)
    assert LearnerCheckpoints(twin, tmp_path).load() is None
    assert (twin.games_learnt, len(twin.memory)) == (1, len(learner.memory))
    assert np.array_equal(twin.memory.stones, learner.memory.stones)
    folders = {
        LearnerCheckpoints(create_plus(each, {}), tmp_path).store.directory
        for each, _ in GAMES.values()
    }
    assert len(folders) == 3
    twisted = create_plus(Rules(rules.size, rules.win_length, gravity=True), {})
    assert LearnerCheckpoints(twisted, tmp_path).store.directory not in folders


@st.composite
def games_of(draw):
    rules = draw(st.sampled_from([CONNECT_FOUR, Rules(5, 3, height=4, gravity=True), Rules(3, 3)]))
    board = Board(rules)
    for number in draw(st.lists(st.integers(0, 99), min_size=50, max_size=50)):
        if board.outcome() is not None:
            break
        legal = list(board.legal_moves)
        board.play(legal[number % len(legal)])
    return board


@settings(max_examples=60, deadline=None)
@given(games_of(), st.booleans())
def test_every_lesson_can_be_played(board, with_own):
    if board.outcome() is None:
        return
    record = GameRecord.from_board(board, 1)
    lessons = threat_lessons(record, with_own=with_own)
    if record.winner == BLACK:
        lessons += walk_back(record, 50)
    for stones, label in lessons:
        assert label.sum() == pytest.approx(1.0)
        assert playable(stones, record.rules)[label > 0].all()


@settings(max_examples=40, deadline=None)
@given(games_of())
def test_winning_points_are_the_moves_that_win(board):
    if board.outcome() is not None:
        board.pop()
    stones = np.array(board.stones, np.int8)
    for color in (OPPONENT, OWN):
        found = winning_points(stones[None], color, board.rules)[0]
        expected = {move for move in board.legal_moves if board.completes_row(move, color)}
        assert set(np.flatnonzero(found).tolist()) == expected


def test_a_stone_that_stood_on_the_reply_is_left_out():
    """Black's c3 stands on the reply c2, its d3 on d2: White could not have played there."""
    board = Board.from_moves("a1 b1 c1 d1 b2 c2 c3 d2 d3 g1 d4", CONNECT_FOUR)
    lessons = walk_back(GameRecord.from_board(board, 1), 9)
    found = [(int(np.count_nonzero(stones)), texts(label)) for stones, label in lessons]
    assert found == [(9, {"d4"}), (3, {"b2"}), (1, {"c1"})]
    assert len(walk_back(GameRecord.from_board(board, 1), 2)) == 2


def test_two_points_on_top_of_each_other_are_a_double():
    """With c2 Black wins on d2 (a2 to d2) and on d3 (b1 to e4); only d2 can be played."""
    stones = position(black="a2 b2 b1 e4", white="a1 c1 d1 e1 e2 e3")
    assert texts(double_points(stones, OPPONENT, CONNECT_FOUR)) == {"c2"}
    after = stones.copy()
    after[from_text("c2", 7, 6)] = OPPONENT
    assert texts(winning_points(after[None], OPPONENT, CONNECT_FOUR)[0]) == {"d2"}
    assert texts(threat_label(stones, CONNECT_FOUR)) == {"c2"}
    without = position(black="a2 b2 b1", white="a1 c1 d1 e1 e2 e3 e4")
    assert "c2" not in texts(double_points(without, OPPONENT, CONNECT_FOUR))


def test_a_point_below_the_opponents_is_not_safe():
    """Black holds a2, b2 and c2: White on d1 would lift it to d2."""
    stones = position(black="a2 b2 c2", white="a1 b1 c1")
    safe = {"a3", "b3", "c3", "e1", "f1", "g1"}
    assert texts(safe_points(stones, CONNECT_FOUR)) == safe
    assert texts(threat_label(stones, CONNECT_FOUR)) == safe
    assert not safe_points(np.zeros(42, np.int8), CONNECT_FOUR).any(), "nothing to be said"


def test_a_draw_is_no_loss():
    rules = Rules(3, 3)
    board = Board.from_moves([4, 0, 8, 2, 1, 7, 3, 5, 6], rules)
    assert board.outcome().is_draw
    learner = create(rules, {})
    assert not learner.observe(GameRecord.from_board(board, 1))
    assert len(learner.memory) == 0
