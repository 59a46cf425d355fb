from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai.memory.index import ExactIndex, ProjectionIndex, create_index


def random_situations(count: int, rng: np.random.Generator) -> np.ndarray:
    return rng.normal(scale=8.0, size=(count, 49)).astype(np.float32)


@pytest.mark.parametrize("kind", ["exact", "projection"])
def test_an_empty_index_knows_no_neighbour(kind):
    index = create_index(kind, 49, near=5.0)
    assert len(index) == 0
    assert index.nearest(np.zeros(49, np.float32)) is None


@given(st.integers(0, 2**32 - 1), st.integers(1, 600))
def test_the_exact_index_agrees_with_comparing_everything(seed, count):
    rng = np.random.default_rng(seed)
    vectors = rng.integers(-20, 21, (count, 9)).astype(np.float32)
    index = ExactIndex(9)
    for vector in vectors:
        index.add(vector)
    query = rng.integers(-20, 21, 9).astype(np.float32)
    distances = np.linalg.norm(vectors - query, axis=1)
    found = index.nearest(query)
    assert found.node == int(np.argmin(distances))
    assert found.distance == pytest.approx(distances.min())


@pytest.mark.parametrize("kind", ["exact", "projection"])
def test_a_stored_vector_is_its_own_neighbour_and_the_oldest_of_equals(kind):
    index = create_index(kind, 49, near=5.0)
    vectors = random_situations(20, np.random.default_rng(0))
    for vector in (*vectors, *vectors):
        index.add(vector)
    for node, vector in enumerate(vectors):
        assert index.nearest(vector) == (node, 0.0)


@pytest.mark.parametrize("kind", ["exact", "projection"])
def test_a_replaced_vector_is_found_no_longer(kind):
    index = create_index(kind, 49, near=5.0)
    vectors = random_situations(5, np.random.default_rng(0))
    for vector in vectors[:4]:
        index.add(vector)
    index.replace(2, vectors[4])
    assert index.nearest(vectors[4]) == (2, 0.0)
    old = index.nearest(vectors[2])
    assert old is None or old.distance > 1.0
    assert (index.vectors[2] == vectors[4]).all()


def test_the_projection_index_seldom_misses_a_near_neighbour():
    rng = np.random.default_rng(1)
    vectors = random_situations(3000, rng)
    exact, hashed = ExactIndex(49), create_index("projection", 49, near=5.0)
    for vector in vectors:
        exact.add(vector)
        hashed.add(vector)
    noise = rng.normal(size=(500, 49))
    noise *= 4.0 / np.linalg.norm(noise, axis=1, keepdims=True)  # within an alpha of 5
    queries = (vectors[rng.integers(3000, size=500)] + noise).astype(np.float32)
    hits = sum(exact.nearest(query) == hashed.nearest(query) for query in queries)
    assert hits / 500 >= 0.95


def test_the_projection_index_looks_at_a_small_part():
    rng = np.random.default_rng(2)
    index = ProjectionIndex(49, width=20.0)
    for vector in random_situations(3000, rng):
        index.add(vector)
    sizes = [len(bucket) for table in index._tables for bucket in table.values()]
    assert max(sizes) < 1500


def test_an_unknown_kind_is_refused():
    with pytest.raises(ValueError, match="'tree'"):
        create_index("tree", 49, near=5.0)


def test_what_was_replaced_leaves_no_bucket_behind():
    rng = np.random.default_rng(5)
    index = ProjectionIndex(49, width=2.0)
    index.add(rng.normal(size=49).astype(np.float32))
    for _ in range(20):
        index.replace(0, rng.normal(size=49).astype(np.float32))
    assert {len(table) for table in index._tables} == {1}
