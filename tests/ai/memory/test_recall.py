from __future__ import annotations

import numpy as np
import pytest

from ai.memory import Recall

NODES = np.array([[0.0, 0.0, 0.0], [3.0, 0.0, 0.0], [0.0, 4.0, 0.0]], np.float32)
LABELS = np.array([[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 1.0, 3.0]], np.float32)


def test_a_node_at_distance_d_weighs_exp_of_minus_d_squared_over_two_h_squared():
    recall = Recall(NODES, LABELS, width=2.0)
    weights = recall.weights(np.zeros((1, 3), np.float32))[0]
    expected = np.exp(-np.array([0.0, 9.0, 16.0]) / 8.0)
    assert weights == pytest.approx(expected / expected.sum())


def test_the_answer_is_the_weighted_mean_of_normalised_labels():
    recall = Recall(NODES, LABELS, width=2.0)
    seen = np.array([[1.0, 1.0, 0.0]], np.float32)
    shares = LABELS / LABELS.sum(axis=1, keepdims=True)
    expected = recall.weights(seen) @ shares
    answer = np.exp(recall.scores(seen))
    assert answer / answer.sum() == pytest.approx(expected)


def test_a_far_node_decides_where_no_nearer_one_says_anything():
    """In plain sums the two far points would both be 0 and equal."""
    nodes = np.array([[0.0, 0.0, 0.0], [90.0, 0.0, 0.0], [80.0, 0.0, 0.0]], np.float32)
    recall = Recall(nodes, np.eye(3, dtype=np.float32), width=1.0)
    scores = recall.scores(np.zeros((1, 3), np.float32))[0]
    assert scores.argsort()[::-1].tolist() == [0, 2, 1]
    assert np.isfinite(scores).all()


def test_many_positions_are_compared_in_parts_with_the_same_scores(monkeypatch):
    rng = np.random.default_rng(0)
    recall = Recall(rng.normal(size=(40, 3)).astype(np.float32), np.ones((40, 3), np.float32))
    seen = rng.normal(size=(25, 3)).astype(np.float32)
    whole = recall.scores(seen)
    monkeypatch.setattr("ai.memory.situation_memory._MOST_PAIRS", 130)
    assert recall.scores(seen) == pytest.approx(whole)


def test_an_empty_memory_prefers_nothing():
    recall = Recall(np.zeros((0, 3), np.float32), np.zeros((0, 3), np.float32))
    assert len(recall) == 0
    assert len(np.unique(recall.scores(np.zeros((2, 3), np.float32)))) == 1
    assert recall.weights(np.zeros((2, 3), np.float32)).shape == (2, 0)


@pytest.mark.parametrize("width", [0.0, -1.0, float("nan")])
def test_a_width_that_is_none_is_refused(width):
    with pytest.raises(ValueError, match="width: expected a number above 0"):
        Recall(NODES, LABELS, width=width)


def test_nodes_and_labels_must_fit():
    with pytest.raises(ValueError, match="one shape"):
        Recall(NODES, LABELS[:2])
