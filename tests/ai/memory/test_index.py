"""One suite for every index: what each of them promises, and what the approximate one does not."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai.memory import INDEX_KINDS, AutoIndex, ExactIndex, HnswIndex, create_index
from base.files import SHIPPED_ROOT

SMALL = 300
"""Numbers up to which the suite's third index is exact: a few vectors."""
MAKERS = {
    kind: (lambda dimension, kind=kind: create_index(kind, dimension)) for kind in INDEX_KINDS
}
MAKERS["auto, grown"] = lambda dimension: AutoIndex(dimension, largest=SMALL)
APPROXIMATE = ("hnsw", "auto, grown")
LEAST_RECALL = 0.95

every_index = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS.keys())
approximate = pytest.mark.parametrize(
    "make", [MAKERS[name] for name in APPROXIMATE], ids=APPROXIMATE
)


def random_situations(count: int, rng: np.random.Generator, dimension: int = 49) -> np.ndarray:
    return rng.integers(-20, 21, (count, dimension)).astype(np.float32)


def filled(make, vectors):
    index = make(vectors.shape[1])
    for vector in vectors:
        index.add(vector)
    return index


def distances(vectors, query):
    return np.linalg.norm(vectors.astype(np.float64) - query, axis=1)


def recall(index, vectors, queries) -> float:
    hits = [
        index.nearest(query).distance <= distances(vectors, query).min() + 1e-6 for query in queries
    ]
    return float(np.mean(hits))


@every_index
def test_an_empty_index_knows_no_neighbour(make):
    index = make(49)
    assert len(index) == 0
    assert index.nearest(np.zeros(49, np.float32)) is None
    assert index.vectors.shape == (0, 49)
    assert index.history is None


@every_index
@settings(max_examples=20)
@given(seed=st.integers(0, 2**32 - 1), count=st.integers(1, 120))
def test_the_distance_is_that_of_the_node_found_and_the_nearest_is_seldom_missed(make, seed, count):
    rng = np.random.default_rng(seed)
    vectors, queries = random_situations(count, rng, 9), random_situations(20, rng, 9)
    index = filled(make, vectors)
    assert len(index) == count
    np.testing.assert_array_equal(index.vectors, vectors)
    for query in queries:
        node, distance = index.nearest(query)
        assert distance == pytest.approx(distances(vectors, query)[node])
    assert recall(index, vectors, queries) >= LEAST_RECALL


@settings(max_examples=25)
@given(st.integers(0, 2**32 - 1), st.integers(1, 600))
def test_the_exact_index_agrees_with_comparing_everything_and_names_the_oldest(seed, count):
    rng = np.random.default_rng(seed)
    vectors, query = random_situations(count, rng, 3), random_situations(1, rng, 3)[0]
    found = filled(ExactIndex, vectors).nearest(query)
    assert found.node == int(np.argmin(distances(vectors, query)))
    assert found.distance == pytest.approx(distances(vectors, query).min())


@every_index
def test_a_stored_vector_is_its_own_neighbour_and_the_oldest_of_two_equals(make):
    vectors = random_situations(20, np.random.default_rng(0))
    index = filled(make, np.concatenate([vectors, vectors]))
    for node, vector in enumerate(vectors):
        assert index.nearest(vector) == (node, 0.0)


@approximate
def test_of_many_equal_vectors_one_is_found_though_not_always_the_oldest(make):
    vectors = np.repeat(random_situations(3, np.random.default_rng(0)), 100, axis=0)
    index = filled(make, vectors)
    for number in range(3):
        node, distance = index.nearest(vectors[100 * number])
        assert distance == 0.0
        assert node // 100 == number


@every_index
def test_a_replaced_vector_is_found_no_longer(make):
    vectors = random_situations(41, np.random.default_rng(0))
    index = filled(make, vectors[:40])
    index.replace(2, vectors[40])
    assert len(index) == 40
    assert index.nearest(vectors[40]) == (2, 0.0)
    assert index.nearest(vectors[2]).distance > 1.0
    np.testing.assert_array_equal(index.vectors[2], vectors[40])


@every_index
def test_a_vector_replaced_by_itself_again_and_again_stays(make):
    vectors = random_situations(12, np.random.default_rng(0))
    index = filled(make, vectors)
    for _ in range(40):
        index.replace(5, vectors[5])
    assert index.nearest(vectors[5]) == (5, 0.0)


@approximate
def test_replacing_more_than_there_are_keeps_recall_and_bounds_the_graph(make):
    rng = np.random.default_rng(3)
    vectors, queries = random_situations(4_000, rng), random_situations(100, rng)
    index, live = filled(make, vectors[:1000]), vectors[:1000].copy()
    for number, vector in enumerate(vectors[1000:]):
        live[number % 1000] = vector
        index.replace(number % 1000, vector)
    np.testing.assert_array_equal(index.vectors, live)
    assert recall(index, live, queries) >= LEAST_RECALL
    assert len(index.history.nodes) <= 1.3 * len(live)


@every_index
def test_filling_at_once_gives_the_same_index_as_adding_one_by_one(make):
    rng = np.random.default_rng(4)
    vectors, more = random_situations(2000, rng), random_situations(200, rng)
    single, whole = filled(make, vectors), make(49)
    whole.fill(vectors)
    for vector in more:  # what follows is the same, too
        assert single.nearest(vector) == whole.nearest(vector)
        assert single.add(vector) == whole.add(vector)


@every_index
@settings(max_examples=10)
@given(seed=st.integers(0, 2**32 - 1), replaced=st.integers(1, 400))
def test_vectors_and_history_bring_the_same_index_back(make, seed, replaced):
    rng = np.random.default_rng(seed)
    vectors = random_situations(200 + replaced, rng, 9)
    index = filled(make, vectors[:200])
    for vector in vectors[200:]:
        index.replace(int(rng.integers(200)), vector)
    twin = make(9)
    twin.fill(index.vectors, index.history)
    for query in random_situations(50, rng, 9):
        assert twin.nearest(query) == index.nearest(query)
        assert twin.add(query) == index.add(query)
        index.replace(3, query)
        twin.replace(3, query)


ANSWERS = """
import numpy as np
from ai.memory import AutoIndex, HnswIndex
rng = np.random.default_rng(5)
for index in (HnswIndex(49), AutoIndex(49, largest=300)):
    for vector in rng.integers(-20, 21, (1500, 49)).astype(np.float32):
        index.add(vector)
    print([index.nearest(query) for query in rng.integers(-9, 10, (100, 49)).astype(np.float32)])
"""


def test_two_processes_give_the_same_answers():
    found = {
        subprocess.run(
            [sys.executable, "-c", ANSWERS],
            cwd=SHIPPED_ROOT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for _ in range(2)
    }
    assert len(found) == 1
    assert len(found.pop()) > 1000


def test_auto_is_exact_up_to_its_size_and_a_graph_above():
    index = AutoIndex(3, largest=30)
    vectors = random_situations(12, np.random.default_rng(0), 3)
    for number, vector in enumerate(vectors, 1):
        index.add(vector)
        assert index.is_exact == (number <= 10)
    np.testing.assert_array_equal(index.vectors, vectors)
    whole = AutoIndex(3, largest=30)
    whole.fill(vectors[:10])
    assert whole.is_exact
    assert create_index("auto", 49).is_exact


def test_numbers_too_large_for_the_graph_are_still_compared_exactly():
    vectors = np.array([[1e5, 0.0], [2e5, 0.0], [-1e6, 3.0]], np.float32)
    index = filled(HnswIndex, vectors)
    assert index.nearest(vectors[2]) == (2, 0.0)
    assert index.nearest(vectors[1]) == (1, 0.0)


def graph_bits(index: HnswIndex) -> int:
    return 8 if str(index._graph.dtype).endswith("I8") else 16


def test_whole_numbers_take_a_byte_each_until_another_one_comes():
    rng = np.random.default_rng(6)
    vectors, queries = random_situations(400, rng), random_situations(50, rng)
    index = filled(HnswIndex, vectors)
    assert graph_bits(index) == 8
    for other in (0.5, 128.0, -1e5):
        mixed = filled(HnswIndex, vectors)
        vector = np.full(49, other, np.float32)
        assert mixed.add(vector) == 400
        assert graph_bits(mixed) == 16
        assert mixed.nearest(vector) == (400, 0.0)
        whole = HnswIndex(49)
        whole.fill(mixed.vectors)
        assert graph_bits(whole) == 16
        for query in queries:
            assert mixed.nearest(query) == whole.nearest(query)
        assert recall(mixed, vectors, queries) >= LEAST_RECALL


def test_once_nothing_but_whole_numbers_is_left_they_take_a_byte_again():
    vectors = random_situations(700, np.random.default_rng(7))
    index = filled(HnswIndex, vectors[:100] + 0.5)
    assert graph_bits(index) == 16
    for number, vector in enumerate(vectors):
        index.replace(number % 100, vector)
        twin = HnswIndex(49)
        twin.fill(index.vectors, index.history)
        assert graph_bits(twin) == graph_bits(index)
        assert twin.nearest(vector) == index.nearest(vector)
    assert graph_bits(index) == 8


def test_a_query_may_have_other_numbers_than_the_graph():
    vectors = random_situations(300, np.random.default_rng(8))
    index = filled(HnswIndex, vectors)
    node, distance = index.nearest(vectors[7] + np.float32(0.25))
    assert (node, distance) == (7, pytest.approx(0.25 * 7))
    assert index.nearest(np.full(49, 1e5, np.float32)) is not None


def test_an_unknown_kind_is_refused():
    with pytest.raises(ValueError, match="'tree'"):
        create_index("tree", 49)
