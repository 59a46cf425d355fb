from __future__ import annotations

import numpy as np
import pytest

from ai.game import BLACK, WHITE, Board, GameRecord, Rules, from_text
from ai.learning.learner import LearnerError
from ai.learning.self_teaching import SelfTeachingLearner, create, create_plus
from ai.nets.architecture import InferenceNetwork
from ai.registry.players import get_player_info, load_target
from ai.samples.proofs import SampleProver
from ai.store.checkpoints import LearnerCheckpoints
from base.schema import OptionError

RULES = Rules(7, 5, full_board_winner=WHITE)
LOST = "d1 a1 d2 a2 d3 a3 d4 a4 d5"
LOST_TOO = "c3 g1 d4 g2 e5 g3 f6 g4 b2"
WON = "d1 a1 d2 a2 d3 a3 g7 a4 g6 a5"

SHORT = {"epochs": 1, "least_steps": 1, "steps": 1}
"""For trainings that are to take no time: they do not hold, and are repeated at twice this length."""

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:keras")


def game(moves: str, number: int, *, learner_color: int = WHITE) -> GameRecord:
    board = Board.from_moves(moves, RULES)
    return GameRecord.from_board(board, number, learner_color)


def same(first, second) -> bool:
    return all((first[name] == second[name]).all() for name in first)


def answer(learner: SelfTeachingLearner, board: Board) -> int:
    network = InferenceNetwork(learner.architecture, learner.weights().arrays)
    stones = board.array().reshape(1, -1)
    logits = network.logits(learner.encoder.features(stones))[0]
    return int(np.where(stones[0] == 0, logits, -np.inf).argmax())


def test_the_registry_finds_the_learners():
    assert load_target(get_player_info("cnn-ann").learner) is create
    assert load_target(get_player_info("cnn-ann-plus").learner) is create_plus


def test_a_loss_is_walked_back_and_remembered_and_a_win_changes_nothing():
    learner = create(RULES, {"records": 3})
    assert not learner.observe(game(WON, 1))
    assert len(learner.memory) == 0
    assert learner.observe(game(LOST, 2))
    assert len(learner.memory) == 3
    assert learner.relearn_records == 3
    assert learner.games_learnt == 2


def test_a_game_given_up_is_counted_but_nothing_is_walked_back():
    learner = create_plus(RULES, {})
    board = Board.from_moves("d1 a1 d2 a2", RULES)
    assert not learner.observe(GameRecord.from_resignation(board, 3, loser=WHITE))
    assert learner.games_learnt == 3
    assert (len(learner.memory), learner.relearn_records) == (0, 0)


def test_a_game_that_is_known_is_not_learnt_twice():
    learner = create(RULES, {})
    assert learner.observe(game(LOST, 5))
    assert not learner.observe(game(LOST, 5))
    assert not learner.observe(game(LOST_TOO, 4))
    assert learner.relearn_records == 4


def test_the_same_game_again_is_combined_not_stored_anew():
    learner = create(RULES, {})
    learner.observe(game(LOST, 1))
    learner.observe(game(LOST, 2))
    assert (len(learner.memory), learner.relearn_records) == (4, 8)
    assert learner.memory.counts.tolist() == [2] * 4
    assert learner.statistics()["merged"] == 4


def test_without_alpha_nodes_equal_relearn_records():
    learner = create(RULES, {"alpha": None})
    learner.observe(game(LOST, 1))
    learner.observe(game(LOST, 2))
    statistics = learner.statistics()
    assert statistics["nodes"] == statistics["records"] == 8


@pytest.mark.parametrize("relearn", ["last-game", "never"])
def test_condition_a_keeps_no_memory(relearn):
    learner = create(RULES, {"relearn": relearn})
    assert learner.observe(game(LOST, 1)) == (relearn == "last-game")
    assert learner.statistics()["nodes"] == len(learner.memory) == 0
    assert learner.statistics()["records"] == 4


def test_training_on_nothing_is_refused():
    with pytest.raises(LearnerError, match="expected a lost game"):
        create(RULES, {}).train()


def test_a_game_by_other_rules_is_refused():
    with pytest.raises(LearnerError, match="expected a game by"):
        create(Rules(9), {}).observe(game(LOST, 1))


def test_unknown_settings_are_refused_and_the_switches_belong_to_plus():
    with pytest.raises(OptionError, match="warm_start"):
        create(RULES, {"warm_start": True})
    create_plus(RULES, {"warm_start": False})


@pytest.mark.parametrize(
    ("name", "settings"), [("cnn-ann", {"least_steps": 300}), ("cnn-ann-plus", {})]
)
def test_after_training_the_winning_stone_is_prevented(name, settings):
    learner = SelfTeachingLearner(name, RULES, settings, seed=3)
    learner.observe(game(LOST, 1))
    trained = learner.train()
    assert (trained.network_id, learner.network_id, learner.retrains) == (1, 1, 1)
    assert trained.accuracy >= 0.9
    before_the_end = Board.from_moves(LOST.rsplit(" ", 1)[0].rsplit(" ", 1)[0], RULES)
    assert answer(learner, before_the_end) == from_text("d5", 7)


def test_the_paper_re_creates_the_network_and_plus_and_a_carried_one_go_on():
    tiny = {**SHORT, "rate": 1e-6, "enough": None}
    carried = create(RULES, {**tiny, "samples": "kept", "redraw": "carried"})
    for learner, is_far in (
        (create(RULES, {**SHORT, "least_steps": 3}), True), (carried, False), (create_plus(RULES, tiny), False),
    ):  # fmt: skip
        first = learner.weights().arrays
        learner.observe(game(LOST, 1))
        second = learner.train().arrays
        name = "hidden_1.kernel"
        assert (np.abs(second[name] - first[name]).max() > 0.05) == is_far


def test_the_same_seed_gives_the_same_networks_and_redraw_new_gives_others():
    def run(seed, **settings):
        learner = create(RULES, {**SHORT, "least_steps": 3, **settings}, seed)
        networks = [learner.weights().arrays]
        for number, moves in enumerate((LOST, LOST_TOO), start=1):
            learner.observe(game(moves, number))
            networks.append(learner.train().arrays)
        return networks

    first, again, other = run(1), run(1), run(2)
    assert all(same(*pair) for pair in zip(first, again, strict=True))
    assert not same(first[0], other[0])


def test_a_learner_on_black_learns_from_its_losses():
    learner = create_plus(RULES, {})
    assert not learner.observe(game(LOST, 1, learner_color=BLACK))
    assert learner.observe(game(WON, 2, learner_color=BLACK))
    board = Board.from_moves(WON.rsplit(" ", 2)[0], RULES)
    assert board.to_move == BLACK
    stones = -board.array().ravel()
    assert any((node == stones).all() for node in learner.memory.stones)


def test_plus_remembers_the_threats_of_won_games_without_retraining():
    calm = {"near_losses": False}
    with_wins, without = create_plus(RULES, calm), create_plus(RULES, {"win_records": False})
    for learner in (with_wins, without):
        assert not learner.observe(game("d3 a1 d4 a2 d5 a3 g7 a4 g6 a5", 1))
    assert len(with_wins.memory) > 0
    assert len(without.memory) == 0
    assert with_wins.relearn_records == 0


def test_a_threat_that_went_unanswered_is_trained_on_though_the_game_was_won():
    learner = create_plus(RULES, {**SHORT, "steps": 20})
    assert not learner.observe(game(WON, 1))
    assert learner.observe(game("d3 a1 d4 a2 d5 a3 g7 a4 g6 a5", 2))
    assert learner.train().measures.held is not None
    assert learner.relearn_records == 0


def test_the_solver_is_asked_only_where_it_is_wanted(monkeypatch):
    asked = []

    def lessons(self, record):
        asked.append(record.game)
        return []

    monkeypatch.setattr(SampleProver, "lessons", lessons)
    near_loss = "d3 a1 d4 a2 d5 a3 g7 a4 g6 a5"
    for settings in ({}, {"proofs": 50}, {"proofs": 50, "prove_wins": True}):
        learner = create_plus(RULES, settings)
        for number, moves in enumerate((LOST, near_loss, WON), start=1):
            learner.observe(game(moves, number))
        asked.append(0)
    assert asked == [0, 1, 2, 0, 1, 2, 3, 0]


def test_a_trainings_steps_follow_what_there_is_to_hold():
    learner = create_plus(RULES, {"cycle": 10, "steps": 640})
    learner.observe(game(LOST, 1))
    assert learner.train().steps < 640
    never = create_plus(RULES, {"cycle": 10, "steps": 70, "enough": None})
    never.observe(game(LOST, 1))
    assert never.train().steps == 70


def test_with_every_switch_off_plus_is_the_paper():
    paper_settings = {
        setting.key: setting.default for setting in get_player_info("cnn-ann").settings
    }
    switches = (
        "warm_start",
        "symmetries",
        "mask_occupied",
        "threat_labels",
        "win_records",
        "rehearsal",
        "hard_examples",
        "own_threats",
        "near_losses",
        "play_symmetries",
        "prove_wins",
    )
    off = paper_settings | dict.fromkeys(switches, False) | SHORT | {"least_steps": 3}
    off |= {"variations": 0, "cycle": None, "layout": "conv-dense-dense"}
    paper = create(RULES, {**SHORT, "least_steps": 3})
    plus = create_plus(RULES, off)
    for learner in (paper, plus):
        learner.observe(game(LOST, 1))
    assert same(paper.train().arrays, plus.train().arrays)


def test_reset_forgets_everything():
    learner = create(RULES, SHORT)
    fresh = learner.weights().arrays
    learner.observe(game(LOST, 1))
    learner.train()
    learner.reset()
    assert same(fresh, learner.weights().arrays)
    assert learner.statistics()["records"] == learner.network_id == learner.games_learnt == 0


@pytest.mark.parametrize("size", [5, 9, 15])
def test_other_boards_are_learnt(size):
    rules = Rules(size, 3)
    learner = create_plus(rules, {**SHORT, "steps": 2, "hidden": "4,4,4"})
    moves = (0, 2 * size, 1, 2 * size + 1, 2)
    assert learner.observe(GameRecord.from_board(Board.from_moves(moves, rules), 1))
    assert learner.train().network_id == 1


class TestCheckpoints:
    def learner(self, seed=1, name="cnn-ann-plus", **settings):
        return SelfTeachingLearner(name, RULES, {**SHORT, "steps": 2, **settings}, seed)

    def test_a_learner_goes_on_from_a_checkpoint_as_if_it_had_never_stopped(self, tmp_path):
        straight, stopped = self.learner(), self.learner()
        for learner in (straight, stopped):
            learner.observe(game(LOST, 1))
            learner.train()
        LearnerCheckpoints(stopped, tmp_path).save()
        resumed = self.learner(seed=99)
        assert LearnerCheckpoints(resumed, tmp_path).load() is None
        assert resumed.statistics() == stopped.statistics() | {"last_distance": None}
        assert not resumed.observe(game(LOST, 1))
        for learner in (straight, resumed):
            assert learner.observe(game(LOST_TOO, 2))
        assert same(straight.train().arrays, resumed.train().arrays)

    def test_damage_falls_back_to_the_checkpoint_before(self, tmp_path):
        learner = self.learner()
        learner.observe(game(LOST, 1))
        LearnerCheckpoints(learner, tmp_path).save()
        learner.observe(game(LOST_TOO, 2))
        LearnerCheckpoints(learner, tmp_path).save()
        newest = max(tmp_path.rglob("network.weights.h5"))
        newest.write_bytes(newest.read_bytes()[:-50])
        resumed = self.learner()
        message = LearnerCheckpoints(resumed, tmp_path).load()
        assert "network.weights.h5: expected the checksum" in message
        assert resumed.games_learnt == 1

    def test_nothing_there_is_no_news(self, tmp_path):
        learner = self.learner()
        assert LearnerCheckpoints(learner, tmp_path / "nowhere").load() is None
        assert learner.games_learnt == 0

    def test_other_settings_have_folders_of_their_own(self, tmp_path):
        first, other = self.learner(), self.learner(hidden="8,8,8")
        for number, learner in enumerate((first, other), start=1):
            learner.observe(game(LOST, number))
            LearnerCheckpoints(learner, tmp_path).save()
        assert len(list(tmp_path.iterdir())) == 2
        again = self.learner()
        LearnerCheckpoints(again, tmp_path).load()
        assert again.games_learnt == 1
        LearnerCheckpoints(again, tmp_path).forget()
        untouched = self.learner(hidden="8,8,8")
        LearnerCheckpoints(untouched, tmp_path).load()
        assert untouched.games_learnt == 2
