"""The network whose weights are written from nodes, against the formula that it stands for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai.nets.architecture import HYBRID, Architecture, ArchitectureError, InferenceNetwork
from ai.nets.built import (
    CHOICES,
    FARTHEST,
    GAIN,
    MOST_MET,
    NEWEST,
    REST,
    check_form,
    choose_nodes,
    node_weights,
)
from ai.nets.features import PLANES, STATE_VECTOR, THREE_PLANES, StateEncoder

SHAPES = ((7, 7), (3, 3), (4, 5))
"""Columns and rows."""


def network_of(size: int, rows: int, *, units: int = 12) -> Architecture:
    hidden = (4, 2 * size * rows + 3, units)
    return Architecture(size, 2, hidden=hidden, height=rows)


def drawn_boards(rng: np.random.Generator, count: int, points: int) -> np.ndarray:
    return rng.choice(np.array([-1, 0, 0, 1], np.int8), (count, points))


def drawn_labels(rng: np.random.Generator, count: int, points: int) -> np.ndarray:
    labels = rng.integers(0, 3, (count, points)).astype(np.float32)
    labels[np.arange(count), rng.integers(points, size=count)] += 1
    return labels / labels.sum(axis=1, keepdims=True)


def answers(architecture: Architecture, weights, boards: np.ndarray) -> np.ndarray:
    encoder = StateEncoder(architecture.size, rows=architecture.rows, encoding=PLANES)
    return InferenceNetwork(architecture, weights).logits(encoder.features(boards))


def hat(boards, stones, labels, reach, rest) -> np.ndarray:
    """Return the scores by the formula, node by node."""
    squares = np.square(boards[:, None].astype(float) - stones[None]).sum(axis=2)  # [B, N]
    return rest + GAIN / reach * np.maximum(0.0, reach - squares) @ labels


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    shape=st.sampled_from(SHAPES),
    count=st.integers(0, 12),
    reach=st.floats(0.25, 40.0),
)
def test_the_network_answers_every_board_by_the_hat_kernel(seed, shape, count, reach):
    rng = np.random.default_rng(seed)
    architecture = network_of(*shape)
    points = architecture.points
    stones, labels = drawn_boards(rng, count, points), drawn_labels(rng, count, points)
    rest = REST * rng.random(points)
    weights = node_weights(architecture, stones, labels, reach=reach, rest=rest)
    near = stones[rng.integers(count, size=8)] if count else drawn_boards(rng, 8, points)
    near = near.copy()
    near[np.arange(8), rng.integers(points, size=8)] = rng.integers(-1, 2, 8)
    boards = np.concatenate([stones, near, drawn_boards(rng, 4, points)])
    found = answers(architecture, weights, boards)
    np.testing.assert_allclose(found, hat(boards, stones, labels, reach, rest), atol=2e-4)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), shape=st.sampled_from(SHAPES))
def test_each_node_is_answered_with_its_label(seed, shape):
    rng = np.random.default_rng(seed)
    architecture = network_of(*shape)
    stones = np.unique(drawn_boards(rng, 12, architecture.points), axis=0)
    points = rng.integers(architecture.points, size=len(stones))
    labels = np.eye(architecture.points, dtype=np.float32)[points]
    rest = REST * rng.random(architecture.points)
    weights = node_weights(architecture, stones, labels, reach=1.0, rest=rest)
    assert (answers(architecture, weights, stones).argmax(axis=1) == points).all()


def test_neurons_beyond_the_nodes_are_dead_and_far_boards_get_the_rest():
    rng = np.random.default_rng(3)
    architecture = network_of(7, 7)
    stones, labels = drawn_boards(rng, 5, 49), drawn_labels(rng, 5, 49)
    rest = REST * rng.random(49)
    weights = node_weights(architecture, stones, labels, reach=5.0, rest=rest)
    for name in ("hidden_3.kernel", "hidden_3.bias"):
        assert not weights[name][..., 5:].any()
        assert weights[name][..., :5].any(axis=0).all()
    assert not weights["output.kernel"][5:].any()
    empty = np.zeros((1, 49), np.int8)
    np.testing.assert_allclose(answers(architecture, weights, empty)[0], rest, rtol=1e-6)


def test_equal_arguments_give_equal_bytes():
    rng = np.random.default_rng(4)
    stones, labels = drawn_boards(rng, 9, 49), drawn_labels(rng, 9, 49)
    first, second = (
        node_weights(network_of(7, 7), stones, labels, reach=3.0, rest=np.zeros(49))
        for _ in range(2)
    )
    assert {name: array.tobytes() for name, array in first.items()} == {
        name: array.tobytes() for name, array in second.items()
    }


def test_the_published_network_can_be_written_on_7x7_and_not_on_9x9():
    check_form(Architecture(7, 2), PLANES)
    with pytest.raises(ArchitectureError, match=r"9x9 expects .* 162 or more .* found 49,128,516"):
        check_form(Architecture(9, 2), PLANES)
    check_form(Architecture(9, 2, hidden=(49, 162, 516)), PLANES)


@pytest.mark.parametrize("encoding", [STATE_VECTOR, THREE_PLANES])
def test_another_input_is_refused(encoding):
    with pytest.raises(ArchitectureError, match=f"input=planes, found input={encoding}"):
        check_form(Architecture(7, 2), encoding)


def test_another_layout_too_many_nodes_and_wrong_shapes_are_refused():
    with pytest.raises(ArchitectureError, match="found layout=hybrid"):
        check_form(Architecture(7, 2, HYBRID), PLANES)
    rng = np.random.default_rng(5)
    stones, labels = drawn_boards(rng, 13, 49), drawn_labels(rng, 13, 49)
    form, rest = network_of(7, 7), np.zeros(49)
    with pytest.raises(ArchitectureError, match="expected 13 or more neurons at last, found 12"):
        node_weights(form, stones, labels, reach=5.0, rest=rest)
    with pytest.raises(ValueError, match=r"expected nodes and labels \[N, 49\]"):
        node_weights(form, stones[:4], labels[:3], reach=5.0, rest=rest)
    with pytest.raises(ValueError, match="reach: expected a number above 0"):
        node_weights(form, stones[:4], labels[:4], reach=0.0, rest=rest)


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    count=st.integers(1, 14),
    units=st.integers(1, 14),
    choice=st.sampled_from(CHOICES),
)
def test_as_many_nodes_are_chosen_as_there_is_room_for(seed, count, units, choice):
    rng = np.random.default_rng(seed)
    stones = drawn_boards(rng, count, 9)
    counts, ages = rng.integers(1, 4, count), rng.permutation(count)
    rows = choose_nodes(stones, units, choice, counts=counts, ages=ages)
    assert len(rows) == len(set(rows)) == min(units, count)
    assert (np.diff(rows) > 0).all()
    if choice == NEWEST:
        assert (np.sort(ages[rows]) == np.arange(len(rows))).all()
    if choice == MOST_MET and len(rows) < count:
        left = np.setdiff1d(np.arange(count), rows)
        assert counts[rows].min() >= counts[left].max()


def test_the_farthest_nodes_cover_the_memory():
    stones = np.array([[0, 0, 0, 0], [0, 0, 0, 0], [1, 0, 0, 0], [-1, -1, -1, -1]], np.int8)
    ages = np.array([3, 2, 1, 0])
    rows = choose_nodes(stones, 2, FARTHEST, counts=np.ones(4, np.int64), ages=ages)
    assert rows.tolist() == [2, 3]
    three = choose_nodes(stones, 3, FARTHEST, counts=np.ones(4, np.int64), ages=ages)
    assert three.tolist() == [0, 2, 3]
    with pytest.raises(ValueError, match="expected one of newest"):
        choose_nodes(stones, 2, "oldest", counts=np.ones(4, np.int64), ages=ages)
