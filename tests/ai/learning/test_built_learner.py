"""The learner that writes its memory into the network's weights."""

from __future__ import annotations

import numpy as np
import pytest

from ai.experiments.controls import ControlLearner
from ai.game import WHITE, Board, GameRecord, Rules
from ai.learning.learner import LearnerError, Trainers
from ai.learning.self_teaching import SelfTeachingLearner
from ai.nets.architecture import InferenceNetwork
from ai.nets.built import GAIN
from ai.nets.trainer import TrainedNetwork
from ai.store.checkpoints import LearnerCheckpoints
from base.schema import OptionError

RULES = Rules(7, 5, full_board_winner=WHITE)
LOST = ("d1 a1 d2 a2 d3 a3 d4 a4 d5", "c3 g1 d4 g2 e5 g3 f6 g4 b2", "a7 g1 b6 g2 c5 g3 d4 g4 e3")
BUILT = {"redraw": "built", "input": "planes", "hidden": "2,98,40"}


class NoTrainers(Trainers):
    """Says when a training loop is asked for."""

    def of(self, architecture, batch):
        raise AssertionError("nothing is to be trained")


class KeptTrainer:
    """Keeps what a training was given, and returns its first weights."""

    def __init__(self, architecture) -> None:
        self.architecture = architecture
        self.given = []

    def train(self, initial, plan, progress=None, **_):
        self.given.append((dict(initial), plan))
        return TrainedNetwork(dict(initial), 0.5, 1.0, plan.steps)

    def answer(self, features):
        return InferenceNetwork(self.architecture, self.given[-1][0]).logits(features)


class KeptTrainers(Trainers):
    def __init__(self) -> None:
        super().__init__()
        self.made = None

    def of(self, architecture, batch):
        if self.made is None:
            self.made = KeptTrainer(architecture)
        return self.made


def game(moves: str, number: int) -> GameRecord:
    return GameRecord.from_board(Board.from_moves(moves, RULES), number)


def taught(learner, games: int = 3):
    for number, moves in enumerate(LOST[:games], start=1):
        assert learner.observe(game(moves, number))
        learner.train()
    return learner


def learner(seed: int = 1, *, trainers=None, name: str = "cnn-ann", **settings):
    trainers = NoTrainers() if trainers is None else trainers
    return SelfTeachingLearner(name, RULES, {**BUILT, **settings}, seed, trainers=trainers)


def test_the_network_answers_the_memory_with_its_labels_and_nothing_is_trained():
    own = taught(learner())
    trained = own.weights()
    assert (trained.network_id, trained.steps, trained.measures.held) == (3, 0, 1.0)
    network = InferenceNetwork(own.architecture, trained.arrays)
    logits = network.logits(own.encoder.features(own.memory.stones))
    assert (logits.argmax(axis=1) == own.memory.labels.argmax(axis=1)).all()
    assert logits.max() >= GAIN
    own.prepare()  # loads no training loop


def test_equal_seeds_give_equal_networks_and_others_differ_where_no_node_is_near():
    first, again, other = (taught(learner(seed)).weights().arrays for seed in (1, 1, 2))
    assert all((first[name] == again[name]).all() for name in first)
    differ = {name for name in first if (first[name] != other[name]).any()}
    assert differ == {"output.bias"}


def test_a_network_that_is_too_small_holds_the_newest_and_says_so():
    own = taught(learner(hidden="2,98,4"))
    trained = own.weights()
    network = InferenceNetwork(own.architecture, trained.arrays)
    logits = network.logits(own.encoder.features(own.memory.stones))
    right = logits.argmax(axis=1) == own.memory.labels.argmax(axis=1)
    assert right[np.argsort(own.memory.ages)[:4]].all()
    assert trained.measures.held < 0.9
    assert own.statistics()["failed"] > 0
    assert "4 neurons for" in own.advice()
    assert "enlarge `hidden`" in own.statistics()["advice"]


def test_the_last_lost_game_alone_is_written_too():
    own = taught(learner(relearn="last-game"))
    assert own.weights().measures.held == 1.0
    written = own.weights().arrays["hidden_3.bias"]
    assert written[:4].tolist() == [3.0 - stones for stones in (7, 5, 3, 1)], "the last one first"
    assert not written[4:].any()


def test_gradient_steps_begin_with_the_built_weights():
    plain, trainers = taught(learner(), 1), KeptTrainers()
    further = learner(trainers=trainers, gradient_steps=7)
    assert further.observe(game(LOST[0], 1))
    trained = further.train()
    ((initial, plan),) = trainers.made.given
    assert plan.steps == trained.steps == 7
    assert all((initial[name] == array).all() for name, array in plain.weights().arrays.items())
    kept = learner(trainers=trainers, gradient_steps=5, samples="kept")
    assert kept.observe(game(LOST[0], 1))
    assert kept.train().steps == 5


def test_a_failed_training_is_not_repeated_from_drawn_weights():
    trainers = KeptTrainers()
    own = learner(trainers=trainers, gradient_steps=3, hidden="2,98,1")
    assert own.observe(game(LOST[0], 1))
    own.train()
    assert len(trainers.made.given) == 1
    assert own.failed == 1


def test_what_cannot_be_written_is_refused_with_what_was_expected():
    with pytest.raises(OptionError, match="expects input=planes, found input=state-vector"):
        learner(input="state-vector")
    with pytest.raises(OptionError, match="98 or more neurons in the second layer"):
        learner(hidden="49,97,516")
    with pytest.raises(OptionError, match="expects layout=conv-dense-dense, found layout=hybrid"):
        learner(name="cnn-ann-plus")
    own = SelfTeachingLearner("cnn-ann", RULES, {"hidden": "2,98,40"})
    with pytest.raises(OptionError, match="expects input=planes"):
        own.change_settings({"hidden": "2,98,40", "redraw": "built"})
    assert own.settings.redraw == "new"
    with pytest.raises(LearnerError, match="settings of the same network"):
        learner().change_settings({**BUILT, "hidden": "2,98,50"})


@pytest.mark.parametrize("size", [9, 15])
def test_other_boards_are_written_where_the_layers_are_large_enough(size):
    rules = Rules(size, 3)
    settings = {**BUILT, "hidden": f"2,{2 * size * size},8"}
    own = SelfTeachingLearner("cnn-ann", rules, settings, trainers=NoTrainers())
    moves = (0, 2 * size, 1, 2 * size + 1, 2)
    assert own.observe(GameRecord.from_board(Board.from_moves(moves, rules), 1))
    assert own.train().measures.held == 1.0


def test_a_learner_goes_on_from_a_checkpoint_as_if_it_had_never_stopped(tmp_path):
    straight, stopped = taught(learner(), 2), taught(learner(), 2)
    LearnerCheckpoints(stopped, tmp_path).save()
    again = learner()
    LearnerCheckpoints(again, tmp_path).load()
    for own in (straight, again):
        own.observe(game(LOST[2], 3))
        own.train()
    first, second = straight.weights().arrays, again.weights().arrays
    assert all((first[name] == second[name]).all() for name in first)


@pytest.mark.parametrize("control", ["random-labels", "shuffled-labels", "untrained", "one-order"])
def test_every_control_goes_with_it(control):
    own = ControlLearner("cnn-ann", RULES, BUILT, 1, control=control, trainers=NoTrainers())
    plain, spoilt = taught(learner()), taught(own)
    assert (plain.memory.stones == spoilt.memory.stones).all()
    assert (plain.memory.labels != spoilt.memory.labels).any() == (control == "random-labels")
    first, second = (item.weights().arrays["output.kernel"] for item in (plain, spoilt))
    assert (first != second).any()
