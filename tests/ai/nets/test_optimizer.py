"""The one training step: what it does to weights, what it remembers, and what was kept before."""

from __future__ import annotations

import numpy as np
import pytest

optimizer = pytest.importorskip("ai.nets.optimizer")
keras, tf = optimizer.keras, optimizer.tf

SLOPES = (np.array([2.0, -4.0], np.float32), np.array([[0.5]], np.float32))


def variables():
    return [keras.Variable(np.ones(slope.shape, np.float32)) for slope in SLOPES]


def stepping(weights, one):
    """Return a compiled step down two planes, whose slopes are always the same."""

    def loss_of():
        parts = [tf.reduce_sum(w * s) for w, s in zip(weights, SLOPES, strict=True)]
        return tf.add_n(parts), tf.constant(7.0)

    signature = [tf.TensorSpec([], tf.float32)]
    return tf.function(lambda rate: one.update(loss_of, rate), signature, autograph=False)


def values(weights):
    return [weight.numpy().copy() for weight in weights]


def test_momentum_takes_the_last_steps_again_each_at_its_own_rate():
    weights = variables()
    one = optimizer.Optimizer(weights, name="momentum", momentum=0.5)
    step = stepping(weights, one)
    loss, told = step(np.float32(0.1))
    assert (float(loss), float(told)) == (pytest.approx(-1.5), 7.0)
    for weight, slope in zip(values(weights), SLOPES, strict=True):
        np.testing.assert_allclose(weight, 1.0 - 0.1 * slope, rtol=1e-6)
    step(np.float32(0.2))
    for weight, slope in zip(values(weights), SLOPES, strict=True):
        np.testing.assert_allclose(weight, 1.0 - (0.1 + 0.05 + 0.2) * slope, rtol=1e-6)


def test_adams_first_step_is_the_rate_and_it_remembers_means():
    weights = variables()
    one = optimizer.Optimizer(weights)
    stepping(weights, one)(np.float32(0.01))
    for weight, slope in zip(values(weights), SLOPES, strict=True):
        np.testing.assert_allclose(weight, 1.0 - 0.01 * np.sign(slope), rtol=1e-4)
    state = one.state()
    assert sorted(state) == ["first.0", "first.1", "second.0", "second.1"]
    for number, slope in enumerate(SLOPES):
        np.testing.assert_allclose(state[f"first.{number}"], 0.1 * slope, rtol=1e-5)
        np.testing.assert_allclose(state[f"second.{number}"], 0.001 * slope**2, rtol=1e-4)


@pytest.mark.parametrize("name", ["adam", "momentum"])
def test_from_what_was_kept_it_goes_on_as_if_it_had_never_stopped(name):
    weights = variables()
    one = optimizer.Optimizer(weights, name=name)
    step = stepping(weights, one)
    for _ in range(3):
        step(np.float32(0.1))
    state, before = one.state(), values(weights)
    step(np.float32(0.1))
    after = values(weights)
    one.reset()
    assert all(not held.any() for held in one.state().values())
    for weight, value in zip(weights, before, strict=True):
        weight.assign(value)
    one.restore(state, 3, 0.1)
    step(np.float32(0.1))
    for found, expected in zip(values(weights), after, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_what_an_earlier_version_kept_of_momentum_is_the_sum_of_gradients():
    """It took steps of `rate * first`, where `first` became `momentum * first + gradient`."""
    weights = variables()
    one = optimizer.Optimizer(weights, name="momentum", momentum=0.9)
    kept = {f"first.{number}": 3.0 * slope for number, slope in enumerate(SLOPES)}
    one.restore(kept, 5, 0.25)
    for name, array in one.state().items():
        np.testing.assert_allclose(array, kept[name], rtol=1e-6)
    stepping(weights, one)(np.float32(0.25))
    for weight, slope in zip(values(weights), SLOPES, strict=True):
        np.testing.assert_allclose(weight, 1.0 - 0.25 * (0.9 * 3.0 + 1.0) * slope, rtol=1e-6)


def test_gradients_together_are_no_longer_than_their_bound():
    weights = variables()
    one = optimizer.Optimizer(weights, name="momentum", max_norm=1.0)
    stepping(weights, one)(np.float32(1.0))
    moved = np.concatenate([1.0 - weight.ravel() for weight in values(weights)])
    assert np.linalg.norm(moved) == pytest.approx(1.0, rel=1e-5)


def test_an_unknown_optimiser_and_a_state_of_other_shapes_are_refused():
    with pytest.raises(ValueError, match="optimizer: expected momentum or adam, found 'sgd'"):
        optimizer.Optimizer(variables(), name="sgd")
    one = optimizer.Optimizer(variables())
    with pytest.raises(ValueError, match="shape"):
        one.restore({"first.0": np.zeros(3, np.float32)}, 0)
