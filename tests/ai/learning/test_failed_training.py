"""A training that does not hold its memory is noticed, repeated once, counted, and survived."""

from __future__ import annotations

import numpy as np
import pytest

from ai.experiments.cell import run_cell
from ai.experiments.configuration import CellConfiguration
from ai.experiments.controls import ControlLearner, order_weights
from ai.game import WHITE, Board, GameRecord, Rules
from ai.learning.learner import Trainers
from ai.learning.self_teaching import SelfTeachingLearner
from ai.nets.architecture import InferenceNetwork
from ai.nets.plan import TrainingPlan
from ai.nets.trainer import TrainedNetwork
from ai.store.checkpoints import LearnerCheckpoints

RULES = Rules(7, 5, full_board_winner=WHITE)
LOST = "d1 a1 d2 a2 d3 a3 d4 a4 d5"


class FakeTrainer:
    """Answers each plan with weights of its own making; keeps the plans."""

    def __init__(self, architecture, make) -> None:
        self.architecture = architecture
        self.make = make
        self.plans: list[TrainingPlan] = []
        self.network: InferenceNetwork | None = None

    def train(self, initial, plan, progress=None, *, is_enough, **_):
        self.plans.append(plan)
        weights = self.make(self, dict(initial), plan)
        self.network = InferenceNetwork(self.architecture, weights)
        return TrainedNetwork(weights, 1.0, 0.0, plan.steps)

    def answer(self, features):
        return self.network.logits(features)


class FakeTrainers(Trainers):
    def __init__(self, make) -> None:
        super().__init__()
        self.make = make
        self.made: FakeTrainer | None = None

    def of(self, architecture, batch):
        if self.made is None:
            self.made = FakeTrainer(architecture, self.make)
        return self.made


def untouched(trainer, initial, plan):
    """Training that does nothing: the optimiser's step is skipped."""
    return initial


def one_order(trainer, initial, plan):
    return order_weights(trainer.architecture, plan.targets.sum(axis=0))


def memorised(trainer, initial, plan):
    """A net that holds its one node: the label's order wherever it looks."""
    return order_weights(trainer.architecture, plan.targets[0])


def learner(make, **settings) -> tuple[SelfTeachingLearner, FakeTrainers]:
    trainers = FakeTrainers(make)
    built = SelfTeachingLearner("cnn-ann", RULES, settings, 3, trainers=trainers)
    assert built.observe(GameRecord.from_board(Board.from_moves(LOST, RULES), 1))
    return built, trainers


@pytest.mark.parametrize("make", [untouched, one_order])
def test_a_training_that_teaches_nothing_has_failed(make):
    built, trainers = learner(make)
    trained = built.train()
    assert trained.measures.held < 0.9
    statistics = built.statistics()
    assert statistics["failed"] == 1
    assert "lower `rate`" in statistics["advice"]
    assert len(trainers.made.plans) == 2, "repeated once"


def test_the_repetition_is_slower_and_longer_and_from_new_weights():
    starts = []

    def keep(trainer, initial, plan):
        starts.append(initial)
        return initial

    built, trainers = learner(keep)
    built.train()
    first, second = trainers.made.plans
    assert second.learning_rates.max() < first.learning_rates.max()
    assert second.steps > first.steps
    assert any((starts[0][name] != starts[1][name]).any() for name in starts[0])


def test_a_training_that_holds_is_not_repeated():
    built, trainers = learner(memorised, records=1)
    trained = built.train()
    assert trained.measures.held == 1.0
    assert len(trainers.made.plans) == 1
    assert (built.statistics()["failed"], built.statistics()["advice"]) == (0, None)


def test_the_better_of_two_failed_trainings_is_kept():
    made = iter([untouched, one_order])
    built, _ = learner(lambda *given: next(made)(*given))
    kept = built.train()
    held = kept.measures.held
    assert held == 0.25, "one of the four nodes has the label that comes first in the order"
    assert built.statistics()["failed"] == 1


def test_a_repetition_that_holds_is_no_failure():
    made = iter([untouched, memorised])
    built, _ = learner(lambda *given: next(made)(*given), records=1)
    assert built.train().measures.held == 1.0
    assert built.statistics()["failed"] == 0


def test_failures_outlive_a_checkpoint(tmp_path):
    built, _ = learner(untouched)
    built.train()
    LearnerCheckpoints(built, tmp_path).save()
    again = SelfTeachingLearner("cnn-ann", RULES, {}, 3)
    LearnerCheckpoints(again, tmp_path).load()
    assert again.statistics()["failed"] == 1
    assert again.statistics()["held"] == built.statistics()["held"]


def test_a_dead_network_stands_out_in_a_runs_summary(tmp_path):
    """What no test noticed once: a network that answers one order whatever it sees."""
    cell = CellConfiguration(games=12, seed=5, control="one-order")
    summary = run_cell(cell, tmp_path / "cell")
    assert summary["losses"] >= 5, "without losses there is nothing to see"
    assert summary["held"]["last"] < 0.5
    assert summary["held"]["failed"] >= summary["losses"] - 2
    assert summary["variety"] < 0.02
    assert len(set(summary["win_reasons"])) == 2


@pytest.mark.parametrize("control", ["untrained", "new-order"])
def test_controls_draw_anew_after_each_loss_and_the_same_for_the_same_seed(control):
    found = []
    for _ in range(2):
        built = ControlLearner("cnn-ann", RULES, {}, 3, control=control)
        built.observe(GameRecord.from_board(Board.from_moves(LOST, RULES), 1))
        found.append([dict(built.train().arrays) for _ in range(2)])
    for name in found[0][0]:
        assert (found[0][0][name] == found[1][0][name]).all()
    nets = [name for name in found[0][0] if not name.startswith("memory.")]
    assert any((found[0][0][name] != found[0][1][name]).any() for name in nets)


def test_an_order_is_answered_whatever_stands_on_the_board():
    built = ControlLearner("cnn-ann-plus", RULES, {}, 3, control="one-order")
    built.observe(GameRecord.from_board(Board.from_moves(LOST, RULES), 1))
    built.train()
    network = InferenceNetwork(built.architecture, built.weights().arrays)
    rng = np.random.default_rng(0)
    stones = rng.integers(-1, 2, (30, 49)).astype(np.int8)
    answers = network.logits(built.encoder.features(stones)).argmax(axis=1)
    assert len(set(answers.tolist())) == 1
