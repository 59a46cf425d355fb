from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ai.game import Rules
from ai.learning.enhanced_training import (
    NodeSamples,
    SampleVariations,
    WarmCycles,
    fresh_plan,
    hard_rows,
    kept_plan,
    targets_of,
    warm_plan,
    with_kept,
)
from ai.nets.architecture import Architecture, InferenceNetwork, draw_weights
from ai.nets.features import PLANES, StateEncoder
from ai.players.learning_settings import LearningSettings
from ai.registry.players import get_player_info, resolve_settings

ENCODER = StateEncoder(3, encoding=PLANES)
ARCHITECTURE = Architecture(3, 2, hidden=(2, 3, 4))


def settings(name: str = "cnn-ann", **changes) -> LearningSettings:
    resolved = resolve_settings(get_player_info(name), {})
    return replace(LearningSettings.from_settings(resolved), **changes)


def samples(count: int = 5, latest: tuple[int, ...] = ()) -> NodeSamples:
    rng = np.random.default_rng(0)
    stones = rng.integers(-1, 2, (count, 9)).astype(np.int8)
    stones[:, 4] = 0
    labels = np.zeros((count, 9), np.float32)
    labels[:, 4] = 1.0
    return NodeSamples(stones, labels, np.array(latest, np.intp), Rules(3, 3))


def network() -> InferenceNetwork:
    return InferenceNetwork(ARCHITECTURE, draw_weights(ARCHITECTURE, np.random.default_rng(0)))


def test_combined_labels_are_normalised():
    some = samples(1)
    some.labels[0] = [3, 0, 0, 0, 1, 0, 0, 0, 0]
    assert targets_of(some, settings())[0, [0, 4]].tolist() == [0.75, 0.25]


def test_masked_points_lose_their_part_of_a_label():
    some = samples(1)
    some.stones[0], some.labels[0] = 0, 0
    some.stones[0, 0], some.labels[0, :2] = 1, (3.0, 1.0)
    masked = targets_of(some, settings(mask_occupied=True))[0]
    assert masked.tolist() == [0, 1, *[0] * 7]


def test_a_fresh_plan_takes_every_node_every_epoch():
    plan = fresh_plan(
        samples(5), ENCODER, settings(epochs=7, least_steps=1, batch=2), np.random.default_rng(0)
    )
    counted = np.bincount(plan.order.ravel(), weights=plan.weights.ravel(), minlength=5)
    assert counted.tolist() == [7.0] * 5
    assert plan.steps == 21
    assert not plan.occupied.any()


def test_a_small_memory_is_trained_for_the_least_number_of_steps():
    plan = fresh_plan(
        samples(5), ENCODER, settings(epochs=1, least_steps=50, batch=2), np.random.default_rng(0)
    )
    assert 50 <= plan.steps < 50 + 3


def test_a_warm_plan_has_the_same_length_whatever_the_memory_holds():
    chosen = settings("cnn-ann-plus", steps=9, batch=4)
    for count in (1, 5, 300):
        some = samples(count, latest=(0,))
        plan = warm_plan(some, ENCODER, chosen, np.random.default_rng(0))
        assert plan.order.shape == (9, 4)
        assert plan.features.shape == (36, 9, 2)


def test_without_rehearsal_only_the_latest_and_the_hard_are_trained():
    chosen = settings(
        "cnn-ann-plus", steps=30, symmetries=False, rehearsal=False, hard_examples=False
    )
    some = samples(50, latest=(3, 7))
    plan = warm_plan(some, ENCODER, chosen, np.random.default_rng(0))
    assert set(plan.order.ravel().tolist()) == {3, 7}
    mixed = replace(chosen, rehearsal=True)
    plan = warm_plan(some, ENCODER, mixed, np.random.default_rng(0))
    assert set(plan.order.ravel().tolist()) == set(range(50))


def test_hard_rows_are_those_answered_wrong():
    some = samples(20)
    answers = network().logits(ENCODER.features(some.stones)).argmax(axis=1)
    some.labels[:] = 0.0
    some.labels[np.arange(20), answers] = 1.0
    some.labels[6] = np.roll(some.labels[6], 1)
    found = hard_rows(some, ENCODER, settings(), np.random.default_rng(0), network().logits)
    assert found.tolist() == [6]


def test_symmetries_turn_state_and_label_together():
    chosen = settings("cnn-ann-plus", steps=20, batch=8)
    some = samples(6, latest=(0,))
    some.labels[:] = some.stones == 1  # a label that the stones tell
    sums = np.maximum(some.labels.sum(axis=1), 1e-9)
    unmasked = replace(chosen, mask_occupied=False)
    plan = warm_plan(some, ENCODER, unmasked, np.random.default_rng(0))
    assert ((plan.targets > 0) == (plan.features[..., 0] > 0)).all()
    assert sums.min() > 0
    assert len(np.unique(plan.features.reshape(len(plan.features), -1), axis=0)) > 6


@pytest.mark.parametrize("name", ["cnn-ann", "cnn-ann-plus"])
def test_plans_depend_on_the_generator_alone(name):
    def plan(seed):
        rng = np.random.default_rng(seed)
        some, chosen = samples(30, latest=(1,)), settings(name)
        if chosen.warm_start:
            return warm_plan(some, ENCODER, chosen, rng)
        return fresh_plan(some, ENCODER, chosen, rng)

    assert (plan(1).order == plan(1).order).all()
    assert (plan(1).features == plan(1).features).all()


class TestKeptAnswers:
    """Nodes, and the answers that are to stay everywhere else."""

    def kept(self, **settings):
        stones = np.zeros((2, 49), np.int8)
        stones[0, 0], stones[1, 1] = 1, 1
        labels = np.zeros((2, 49), np.float32)
        labels[0, [5, 0]], labels[1, 6] = 1.0, 1.0  # 0 is occupied in the first state
        samples = NodeSamples(stones, labels, np.array([1]), Rules(7, 5))
        met = np.zeros((3, 49), np.int8)
        met[0, 0], met[1, 2], met[2, 3] = 1, 1, 1  # the first is a node
        whole = with_kept(samples, met, np.array([9, 10, 11]))
        resolved = resolve_settings(get_player_info("cnn-ann"), {"steps": 200, **settings})
        learning = LearningSettings.from_settings(resolved)
        plan = kept_plan(whole, 2, StateEncoder(7), learning, np.random.default_rng(0))
        return whole, plan

    def test_what_the_memory_says_goes_before_what_was_played(self):
        whole, _ = self.kept()
        assert len(whole) == 4
        assert whole.labels.argmax(axis=1).tolist() == [5, 6, 10, 11]

    def test_labels_on_occupied_points_are_left_out(self):
        whole, plan = self.kept()
        assert whole.labels[0, 0] == 0.0
        assert plan.targets[0].tolist() == np.eye(49)[5].tolist()
        assert plan.occupied[0, 0]

    def test_half_of_the_samples_are_nodes_and_the_latest_come_more_often(self):
        _, plan = self.kept()
        counts = np.bincount(plan.order.ravel(), minlength=4) / plan.order.size
        assert counts[:2].sum() == pytest.approx(0.5, abs=0.02)
        assert counts[1] == pytest.approx(0.15 + 0.175, abs=0.02)
        assert plan.steps == 200
        assert plan.learning_rates.argmax() < 20
        assert plan.learning_rates[-1] == pytest.approx(0.0002)

    def test_before_any_other_position_there_are_the_nodes_alone(self):
        stones = np.zeros((1, 49), np.int8)
        samples = NodeSamples(stones, np.eye(1, 49, dtype=np.float32), np.array([0]), Rules(7, 5))
        whole = with_kept(samples, stones[:0], np.zeros(0, np.intp))
        learning = LearningSettings.from_settings(resolve_settings(get_player_info("cnn-ann"), {}))
        plan = kept_plan(whole, 1, StateEncoder(7), learning, np.random.default_rng(0))
        assert set(plan.order.ravel().tolist()) == {0}


def test_cycles_double_until_all_steps_are_used():
    chosen = settings("cnn-ann-plus", steps=100, cycle=10, batch=4)
    cycles = WarmCycles(samples(9), ENCODER, chosen, np.random.default_rng(0))
    logits = network().logits
    plans = [cycles.first(logits)]
    while (plan := cycles.next(logits)) is not None:
        plans.append(plan)
    assert [plan.steps for plan in plans] == [10, 10, 20, 40, 20]
    assert all(plan.learning_rates.argmax() < plan.steps - 1 for plan in plans)
    assert all(plan.learning_rates[-1] < plan.learning_rates.max() / 2 for plan in plans)


def test_without_cycles_a_warm_training_is_one():
    chosen = settings("cnn-ann-plus", steps=60, cycle=None)
    cycles = WarmCycles(samples(9), ENCODER, chosen, np.random.default_rng(0))
    assert cycles.first(network().logits).steps == 60
    assert cycles.next(network().logits) is None


def test_later_cycles_take_the_hard_ones_more_often_and_turn_fewer():
    chosen = settings("cnn-ann-plus", steps=640, cycle=20, batch=8, mask_occupied=False)
    some = samples(40)
    answers = network().logits(ENCODER.features(some.stones)).argmax(axis=1)
    some.labels[:] = 0.0
    some.labels[np.arange(40), answers] = 1.0
    some.labels[6] = np.roll(some.labels[6], 1)
    cycles = WarmCycles(some, ENCODER, chosen, np.random.default_rng(0))
    plans = [cycles.first(network().logits)]
    while (plan := cycles.next(network().logits)) is not None:
        plans.append(plan)
    hard = ENCODER.features(some.stones[6:7])[0]
    shares = [np.mean((plan.features == hard).all(axis=(1, 2))) for plan in plans]
    assert shares[0] < 0.1
    assert shares[-1] > 0.2


def test_half_of_what_has_variations_gives_way_to_them():
    chosen = settings("cnn-ann-plus", steps=50, batch=8, symmetries=False, mask_occupied=False)
    some = samples(2)
    varied = np.ones((3, 9), np.int8)
    labels = np.full((3, 9), 1 / 9, np.float32)
    both = replace(some, variations=SampleVariations(varied, labels, np.array([0, 3, 3])))
    plan = warm_plan(both, ENCODER, chosen, np.random.default_rng(0))
    rows = plan.order.ravel()
    assert set(rows.tolist()) == {0, 1, 2, 3, 4}
    assert 0.4 < np.mean(rows[rows != 1] >= 2) < 0.6
    assert (plan.features[2:] == ENCODER.features(varied)).all()


@pytest.mark.parametrize("turned", [0.0, 1.0])
def test_a_warm_plan_holds_every_node_and_the_latest_and_the_hard_more_often(turned):
    """Node n has n stones, which no symmetry changes."""
    stones = np.zeros((9, 9), np.int8)
    for count in range(9):
        stones[count, :count] = 1
    labels = np.eye(9, dtype=np.float32)[[8] * 9]
    some = NodeSamples(stones, labels, np.array([7]), Rules(3, 3))
    chosen = settings("cnn-ann-plus", steps=200, batch=16, variations=0)
    plan = warm_plan(
        some,
        ENCODER,
        chosen,
        np.random.default_rng(0),
        hard=np.array([2]),
        symmetry_fraction=turned,
    )
    seen = plan.features[plan.order.ravel()].sum(axis=(1, 2)).astype(int)
    shares = np.bincount(seen, minlength=9) / len(seen)
    rehearsed = (1 - 0.25 - 0.35) / 9
    expected = np.full(9, rehearsed) + 0.25 * (np.arange(9) == 7) + 0.35 * (np.arange(9) == 2)
    assert shares == pytest.approx(expected, abs=0.02)
    assert (plan.targets[plan.order.ravel()].sum(axis=1) == 1).all()


def test_a_warm_training_takes_its_latest_from_the_game_that_was_lost():
    chosen = settings("cnn-ann-plus", steps=50, batch=16, symmetries=False, hard_examples=False)
    cycles = WarmCycles(samples(40, latest=(31,)), ENCODER, chosen, np.random.default_rng(0))
    plan = cycles.first(lambda features: np.zeros((len(features), 9), np.float32))
    assert np.mean(plan.order == 31) == pytest.approx(0.25 + 0.75 / 40, abs=0.05)
