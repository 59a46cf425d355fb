"""Winograd's convolutions equal plain ones."""

from __future__ import annotations

import numpy as np
import pytest

from ai.evaluators.policy_value import PolicyValueEvaluator
from ai.game import Board, Rules, invert
from ai.kernels.winograd import tiles
from ai.kernels.winograd.tiles import join, spread, tiles_along, transform_kernel
from ai.nets import policy_value_inference
from ai.nets.policy_value import NetworkPair, PolicyValueArchitecture, initial_arrays
from ai.nets.policy_value_inference import PolicyValueNetwork

RNG = np.random.default_rng(0)


def uncompiled(function):
    """The twin of a kernel: the same source, run by Python."""
    return getattr(function, "py_func", function)


def convolved(spread_tiles, join_tiles, size, channels, has_shortcut):
    """A random convolution: by the kernels, and point by point in double precision."""
    along = tiles_along(size)
    wide = 4 * along + 2
    image, found = np.zeros((2, wide, wide, channels), np.float32)
    image[1 : size + 1, 1 : size + 1] = RNG.normal(size=(size, size, channels))
    weights = RNG.normal(0.0, 0.2, (3, 3, channels, channels)).astype(np.float32)
    bias = RNG.normal(size=channels).astype(np.float32)
    rows = np.zeros(6 * wide * channels, np.float32)
    places = np.zeros((36, along * along, channels), np.float32)
    room = np.zeros(24 * along * along * channels, np.float32)
    spread_tiles(image.reshape(-1), rows, places.reshape(-1), along, channels)
    products = places @ transform_kernel(weights)
    shortcut = image.reshape(-1) if has_shortcut else np.zeros(1, np.float32)
    join_tiles(products.reshape(-1), room, bias, shortcut, found.reshape(-1), size, channels)
    board = slice(1, size + 1)
    plain = np.zeros((size, size, channels)) + bias
    for down in range(3):
        for across in range(3):
            part = image[down : down + size, across : across + size].astype(float)
            plain += part @ weights[down, across].astype(float)
    if has_shortcut:
        plain += image[board, board]
    assert not found[0].any()
    assert not found[size + 1 :].any()
    return found[board, board], np.maximum(plain, 0.0)


@pytest.mark.parametrize("size", [3, 4, 11, 15, 22])
@pytest.mark.parametrize("has_shortcut", [False, True])
def test_a_convolution_is_that_of_the_definition(size, has_shortcut):
    found, plain = convolved(spread, join, size, 8, has_shortcut)
    np.testing.assert_allclose(found, plain, atol=2e-5)


def test_the_twin_computes_the_same(monkeypatch):
    monkeypatch.setattr(tiles, "transform_back", uncompiled(tiles.transform_back))
    found, plain = convolved(uncompiled(spread), uncompiled(join), 5, 2, True)
    np.testing.assert_allclose(found, plain, atol=2e-5)


@pytest.mark.parametrize("pooled", [False, True])
def test_a_network_answers_alike_by_both_ways_and_in_any_batch(pooled, monkeypatch):
    arrays = initial_arrays(PolicyValueArchitecture(15, is_pooled=pooled), 3)
    planes = (RNG.random((5, 15, 15, 3)) < 0.3).astype(np.float32)
    fast = PolicyValueNetwork(arrays, 15)
    monkeypatch.setattr(policy_value_inference, "WINOGRAD_FROM", 99)
    plain = PolicyValueNetwork(arrays, 15)
    assert type(fast._tower) is not type(plain._tower)
    for network in (fast, plain):
        logits, values = network.evaluate(planes)
        for at in range(5):
            alone, value = network.evaluate(planes[at : at + 1])
            assert (alone[0] == logits[at]).all(), "to the last bit"
            assert value[0] == values[at]
    found, other = fast.evaluate(planes), plain.evaluate(planes)
    np.testing.assert_allclose(found[0], other[0], atol=1e-5)
    np.testing.assert_allclose(found[1], other[1], atol=1e-5)


def test_a_turned_position_has_the_same_value_on_the_large_board():
    rules = Rules(15)
    arrays = initial_arrays(PolicyValueArchitecture(15), 3)
    arrays["value_out.kernel"] *= np.float32(20.0)
    pair = NetworkPair(arrays, arrays)
    board = Board.from_moves("h8 i9 h9 j7 c3", rules)
    images = []
    for image in rules.symmetries():
        images.append(Board(rules))
        for move in board.moves:
            images[-1].push(int(invert(image)[move]))
    averaged = PolicyValueEvaluator(rules, pair, is_averaged=True).evaluate(images).value
    assert np.ptp(averaged) <= 1e-5
    assert np.ptp(PolicyValueEvaluator(rules, pair).evaluate(images).value) > 1e-3
