"""A step lowers the loss of the document, and each network learns from its own side's moves."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from ai.game import BLACK, WHITE, Rules
from ai.learning.alphagomoku.basic_rules import basic_positions, split_basic_positions
from ai.learning.alphagomoku.measures import (
    right_in_basic_positions,
    score,
    shuffled_labels,
    shuffled_weights,
    sides_of_one_value,
)
from ai.learning.alphagomoku.training import (
    DeviceError,
    OptimizerConfig,
    PairTrainer,
    TrainState,
    new_pair,
    open_device,
    optimizer_arrays,
    optimizer_state,
)
from ai.nets.policy_value import (
    PolicyValueArchitecture,
    policy_value_model,
    set_arrays,
    with_new_value_head,
)
from ai.nets.policy_value_inference import PolicyValueNetwork

RULES = Rules(4, 3)
NET = PolicyValueArchitecture(4, filters=2, blocks=0)
RATE = 0.1


@pytest.fixture(scope="module")
def samples():
    return basic_positions(RULES, 40, 1)


@pytest.fixture(scope="module")
def loop():
    return PairTrainer(
        NET, OptimizerConfig(learning_rate=RATE, momentum=0.5, weight_decay=0.01, batch=8)
    )


def test_the_first_step_is_that_of_the_documents_loss(loop, samples, monkeypatch):
    batch = samples.of(BLACK).select(slice(0, 8))
    monkeypatch.setattr("ai.learning.alphagomoku.training.draw", lambda *words: batch)
    pair = new_pair(NET, 3, shares=False)
    for name in ("policy_out.bias", "value_out.bias"):
        pair.black[name][:] = 0.5  # so that the penalty is seen
    trained, losses = loop.train(TrainState(pair), lambda color: batch, 1, 0)
    model = policy_value_model(4, 2, 0)
    set_arrays(model, pair.black)
    logits, v = (np.array(found) for found in model(batch.planes(4), training=True))
    p = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    pi, z = batch.policy.astype(np.float64), batch.value
    assert losses["black"].policy == pytest.approx(-(pi * np.log(p)).sum(axis=1).mean(), rel=1e-4)
    assert losses["black"].value == pytest.approx(((z - v) ** 2).mean(), rel=1e-4)
    before, after = pair.black, trained.pair.black
    by_bias = (p - pi).mean(axis=0) + 2 * 0.01 * before["policy_out.bias"]
    moved = after["policy_out.bias"] - before["policy_out.bias"]
    np.testing.assert_allclose(moved, -RATE * by_bias, atol=1e-6)
    by_value = (2 * (v - z) * (1 - v**2)).mean() + 2 * 0.01 * before["value_out.bias"]
    moved = after["value_out.bias"] - before["value_out.bias"]
    np.testing.assert_allclose(moved, -RATE * by_value, atol=1e-6)
    again, _ = loop.train(TrainState(pair), lambda color: batch, 2, 0)  # momentum moves on
    step = again.pair.black["policy_out.bias"] - after["policy_out.bias"]
    assert not np.allclose(step, -RATE * by_bias, atol=1e-6)


def test_a_share_of_the_rate_is_a_share_of_the_step(loop, samples):
    pair, name = new_pair(NET, 3, shares=False), "policy_out.kernel"
    moved = []
    for share in (1.0, 0.25):
        trained, _ = loop.train(TrainState(pair), samples.of, 1, 0, learning_rate_scale=share)
        moved.append(trained.pair.black[name] - pair.black[name])
    assert np.abs(moved[0]).max() > 1e-4
    np.testing.assert_allclose(moved[1], 0.25 * moved[0], atol=1e-7)


def test_a_share_of_each_batch_is_rehearsed(loop, samples, monkeypatch):
    others = basic_positions(RULES, 40, 2)
    seen = []
    original = PairTrainer._one
    monkeypatch.setattr(
        PairTrainer, "_one", lambda *words: seen.append(words[1]) or original(*words)
    )
    pair = new_pair(NET, 3, shares=False)
    ones = dataclasses.replace(others, value=np.full(len(others), 0.25, np.float32))
    loop.train(TrainState(pair), samples.of, 2, 0, rehearsed=ones.of, rehearsal=0.25)
    assert len(seen) == 4, "two steps of each network"
    for batch in seen:
        assert len(batch) == 8
        assert (batch.value == np.float32(0.25)).sum() == 2
        assert len(set(batch.color.tolist())) == 1
    seen.clear()
    loop.train(TrainState(pair), samples.of, 1, 0, rehearsed=ones.of)
    assert all((batch.value != np.float32(0.25)).all() for batch in seen)


def test_what_the_optimiser_remembers_goes_on(loop, samples):
    first, _ = loop.train(TrainState(new_pair(NET, 3, shares=False)), samples.of, 2, 0)
    kept = TrainState(first.pair, optimizer_state(dict(optimizer_arrays(first))), first.steps)
    with_memory, _ = loop.train(kept, samples.of, 1, 1)
    same, _ = loop.train(first, samples.of, 1, 1)
    without, _ = loop.train(TrainState(first.pair), samples.of, 1, 1)
    name = "stem.kernel"
    np.testing.assert_array_equal(with_memory.pair.black[name], same.pair.black[name])
    assert (with_memory.pair.black[name] != without.pair.black[name]).any()
    assert (first.steps, same.steps) == (2, 3)


def test_each_network_learns_its_own_sides_moves(loop, samples):
    pair = new_pair(NET, 3, shares=False)
    trained, losses = loop.train(
        TrainState(pair), lambda color: samples.of(color if color == WHITE else 0), 1, 0
    )
    assert set(losses) == {"white"}
    assert trained.pair.black is pair.black
    assert (trained.pair.white["stem.kernel"] != pair.white["stem.kernel"]).any()
    shared = new_pair(NET, 3, shares=True)
    one, losses = loop.train(TrainState(shared), samples.of, 1, 0)
    assert one.pair.white is one.pair.black
    assert set(losses) == {"black"}


def test_other_optimisers_and_devices(samples):
    with pytest.raises(ValueError, match="optimizer: expected momentum or adam, found 'sgd'"):
        PairTrainer(NET, OptimizerConfig(optimizer="sgd"))
    with pytest.raises(DeviceError, match="expected auto, cpu or gpu, found 'tpu'"):
        open_device("tpu")
    adam = PairTrainer(
        NET, OptimizerConfig(learning_rate=0.01, optimizer="adam", weight_decay=0.0, batch=8)
    )
    pair = new_pair(NET, 3, shares=False)
    trained, _ = adam.train(TrainState(pair), samples.of, 1, 0)
    moved = trained.pair.black["policy_out.bias"] - pair.black["policy_out.bias"]
    np.testing.assert_allclose(np.abs(moved), 0.01, rtol=1e-2)  # Adam's first step: the rate


def test_scores_are_those_of_the_definition(samples):
    pair = new_pair(NET, 3, shares=False)
    for arrays in (pair.black, pair.white):
        for name in ("policy_out.kernel", "policy_out.bias", "value_out.kernel", "value_out.bias"):
            arrays[name][:] = 0.0
    black = samples.of(BLACK)
    found = score(pair, black, 4)
    free = (black.stones == 0).sum(axis=1)
    assert found.positions == 20
    assert found.loss == pytest.approx(np.log(free).mean(), rel=1e-3)
    assert found.error == pytest.approx(1.0)
    pair.black["policy_out.bias"][:] = black.policy[0].astype(np.float32) * 9
    assert score(pair, black.select(slice(0, 1)), 4).right == 1.0
    right = right_in_basic_positions(samples, RULES)
    assert (right.sum(axis=1)[samples.color == WHITE] == 1).all()
    assert (right >= (samples.policy > 0)).all()
    mixed = shuffled_labels(samples, 0)
    assert (mixed.value == samples.value).all()  # all attacks are worth 1, all defences 0
    assert (mixed.policy != samples.policy).any()
    other = shuffled_weights(pair, 0)
    assert sorted(other.black["stem.kernel"].ravel()) == sorted(pair.black["stem.kernel"].ravel())
    assert (other.black["stem.kernel"] != pair.black["stem.kernel"]).any()


def test_a_network_that_answers_one_value_is_found_and_its_head_drawn_anew(samples):
    pair = new_pair(NET, 3, shares=False)
    pair.black["value_conv.beta"][:] = 3.0
    pair.white["value_conv.beta"][:] = -9.0  # its one filter is below zero for every board
    of = {
        color: dataclasses.replace(
            samples.of(color), value=np.linspace(-1, 1, 20).astype(np.float32)
        )
        for color in (BLACK, WHITE)
    }
    assert sides_of_one_value(pair, of.__getitem__, 4) == ["white"]
    assert score(pair, of[WHITE], 4).spread == score(pair, samples, 4).spread == 0.0
    values = PolicyValueNetwork(pair.black, 4).evaluate(of[BLACK].planes(4))[1]
    assert score(pair, of[BLACK], 4).spread == pytest.approx(values.std()) != 0.0
    new = with_new_value_head(pair.white, NET, 8)
    assert {name for name in new if not np.array_equal(new[name], pair.white[name])} == {
        "value_conv.kernel", "value_conv.beta", "value_hidden.kernel", "value_out.kernel",
    }  # fmt: skip
    # where all positions are worth the same, one value is right
    assert sides_of_one_value(pair, samples.of, 4) == []


@pytest.mark.nightly
def test_phase_1_is_held_and_its_controls_hold_nothing():
    rules = Rules(6, 4)
    known, held = split_basic_positions(rules, 8_000, 1)
    net = PolicyValueArchitecture(6)
    trainer = PairTrainer(net, OptimizerConfig())
    fresh = TrainState(new_pair(net, 0, shares=False))
    right = right_in_basic_positions(held, rules)
    trained, _ = trainer.train(fresh, known.of, 100, 0)
    control, _ = trainer.train(fresh, shuffled_labels(known, 0).of, 100, 0)
    assert score(trained.pair, held, 6, right).right > 0.9
    for pair in (fresh.pair, control.pair, shuffled_weights(trained.pair, 0)):
        assert score(pair, held, 6, right).right < 0.3
