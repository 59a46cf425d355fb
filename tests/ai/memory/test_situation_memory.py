from __future__ import annotations

import numpy as np
import pytest

from ai.memory.situation_memory import MemoryFileError, SituationMemory


def vector(*values: float) -> np.ndarray:
    return np.array([*values, *[0.0] * (4 - len(values))], np.float32)


def label(point: int) -> np.ndarray:
    return np.eye(4, dtype=np.float32)[point]


STONES = np.zeros(4, np.int8)


def test_near_situations_are_combined_and_far_ones_are_nodes_of_their_own():
    memory = SituationMemory(4, alpha=5.0)
    first = memory.combine(vector(0.0), label(0), STONES)
    near = memory.combine(vector(4.9), label(1), STONES)
    again = memory.combine(vector(0.0), label(1), STONES)
    far = memory.combine(vector(20.0), label(2), STONES)
    assert (first.has_merged, near.has_merged, far.has_merged) == (False, True, False)
    assert (first.distance, near.distance) == (float("inf"), pytest.approx(4.9))
    assert (near.node, again.node, far.node) == (0, 0, 1)
    assert memory.labels.tolist() == [[1, 2, 0, 0], [0, 0, 1, 0]]
    assert memory.counts.tolist() == [3, 1]
    assert memory.hits.tolist() == [0.0, 20.0]
    assert (memory.added, memory.merged, len(memory)) == (4, 2, 2)


def test_a_distance_of_exactly_alpha_is_no_longer_near():
    memory = SituationMemory(4, alpha=5.0)
    memory.combine(vector(0.0), label(0), STONES)
    assert not memory.combine(vector(5.0), label(1), STONES).has_merged


def test_a_node_keeps_the_vector_that_made_it():
    memory = SituationMemory(4, alpha=5.0)
    for step in range(4):
        memory.combine(vector(3.0 * step), label(0), STONES)
    assert memory.vectors[:, 0].tolist() == [0.0, 6.0]


def test_without_alpha_nothing_is_merged():
    memory = SituationMemory(4, alpha=None)
    for _ in range(3):
        memory.combine(vector(1.0), label(0), STONES)
    assert len(memory) == memory.added == 3
    assert memory.merged == 0


def test_a_full_memory_replaces_its_oldest_node():
    memory = SituationMemory(4, alpha=0.5, capacity=2)
    for value in (1.0, 2.0, 1.0, 3.0, 4.0):
        memory.combine(vector(value), label(0), STONES)
    assert memory.vectors[:, 0].tolist() == [3.0, 4.0]
    assert len(memory) == 2


def test_ages_count_the_newer_nodes_also_where_old_ones_were_replaced():
    memory = SituationMemory(4, alpha=0.5, capacity=3)
    assert memory.ages.tolist() == []
    ages = []
    for value in (1.0, 2.0, 3.0, 2.0, 4.0, 5.0):
        memory.combine(vector(value), label(0), STONES)
        ages.append(memory.ages.tolist())
    assert ages == [[0], [1, 0], [2, 1, 0], [2, 1, 0], [0, 2, 1], [1, 0, 2]]


@pytest.mark.parametrize("index", ["exact", "hnsw", "auto"])
def test_arrays_bring_everything_back(index):
    memory = SituationMemory(4, alpha=2.0, index=index)
    rng = np.random.default_rng(0)
    for _ in range(50):
        memory.combine(rng.integers(0, 9, 4).astype(np.float32), label(rng.integers(4)), STONES)
    twin = SituationMemory(4, alpha=2.0, index=index)
    twin.restore(memory.arrays())
    for name, array in memory.arrays().items():
        np.testing.assert_array_equal(twin.arrays()[name], array)
    query = vector(3.0, 3.0, 3.0, 3.0)
    assert twin.combine(query, label(0), STONES) == memory.combine(query, label(0), STONES)


@pytest.mark.parametrize("name", ["vectors", "labels", "stones", "counts", "hits", "totals"])
def test_arrays_that_do_not_fit_are_refused_and_nothing_changes(name):
    memory = SituationMemory(4, alpha=2.0)
    memory.combine(vector(1.0), label(1), STONES)
    good = memory.arrays()
    without = {key: value for key, value in good.items() if key != name}
    cut = good | {name: good[name][:0]}
    for bad in (without, cut):
        with pytest.raises(MemoryFileError, match="memory: expected"):
            memory.restore(bad)
    assert len(memory) == 1


def test_numbers_that_are_none_are_refused():
    memory = SituationMemory(4, alpha=2.0)
    memory.combine(vector(1.0), label(1), STONES)
    arrays = memory.arrays()
    arrays["vectors"][0, 0] = np.nan
    with pytest.raises(MemoryFileError, match="NaN"):
        memory.restore(arrays)


def filled(alpha, values, **options) -> SituationMemory:
    memory = SituationMemory(4, alpha=alpha, **options)
    for point, value in enumerate(values):
        memory.combine(vector(value), label(point % 4), STONES)
    return memory


@pytest.mark.parametrize("index", ["exact", "hnsw", "auto"])
def test_another_alpha_keeps_the_nodes_and_holds_from_now_on(index):
    memory = filled(0.5, [0.0, 2.0, 4.0])
    before = memory.arrays()
    memory.reconfigure(alpha=5.0, index=index)
    for name, array in memory.arrays().items():
        np.testing.assert_array_equal(array, before[name])
    assert memory.combine(vector(6.0), label(0), STONES).has_merged
    memory.reconfigure(alpha=0.5, index="exact")
    assert not memory.combine(vector(6.0), label(0), STONES).has_merged
    assert memory.counts.tolist() == [1, 1, 2, 1]


def test_a_smaller_bound_drops_the_oldest_and_a_greater_one_goes_on_with_them():
    memory = filled(0.5, [1.0, 2.0, 3.0, 4.0, 5.0], capacity=4)
    assert memory.vectors[:, 0].tolist() == [5.0, 2.0, 3.0, 4.0]
    memory.reconfigure(alpha=0.5, capacity=3)
    assert memory.vectors[:, 0].tolist() == [3.0, 4.0, 5.0]
    memory.combine(vector(6.0), label(0), STONES)
    assert memory.vectors[:, 0].tolist() == [6.0, 4.0, 5.0]
    memory.reconfigure(alpha=0.5, capacity=4)
    memory.combine(vector(7.0), label(0), STONES)
    memory.combine(vector(8.0), label(0), STONES)
    assert sorted(memory.vectors[:, 0].tolist()) == [5.0, 6.0, 7.0, 8.0]


def test_a_full_memory_from_an_older_file_goes_on_with_its_oldest_node():
    memory = filled(0.5, [1.0, 2.0, 3.0], capacity=2)
    arrays = memory.arrays()
    del arrays["oldest"]
    twin = SituationMemory(4, alpha=0.5, capacity=2)
    twin.restore(arrays)
    for one in (memory, twin):
        one.combine(vector(4.0), label(0), STONES)
    np.testing.assert_array_equal(twin.vectors, memory.vectors)
    assert twin.vectors[:, 0].tolist() == [3.0, 4.0]


def test_a_file_with_more_nodes_than_the_bound_keeps_the_newest():
    twin = SituationMemory(4, alpha=0.5, capacity=2)
    twin.restore(filled(0.5, [1.0, 2.0, 3.0]).arrays())
    assert twin.vectors[:, 0].tolist() == [2.0, 3.0]


def test_an_oldest_node_that_is_not_there_is_refused():
    arrays = filled(0.5, [1.0, 2.0]).arrays()
    for wrong in (np.array([2]), np.array([-1]), np.array([0, 1])):
        with pytest.raises(MemoryFileError, match="oldest"):
            SituationMemory(4, alpha=0.5).restore({**arrays, "oldest": wrong})


def test_an_older_file_says_by_its_counts_which_node_gives_way_first():
    memory = SituationMemory(4, alpha=None, capacity=3)
    assert memory._oldest_in({}) == 0
    for number in range(5):
        memory.combine(vector(20.0 * number), label(0), STONES)
        expected = (number + 1) % 3 if number >= 2 else 0
        assert memory._oldest_in({}) == expected
    assert memory._oldest_in({"oldest": np.array([1])}) == 1


def test_arrays_are_copies_that_later_situations_do_not_change():
    memory = filled(5.0, [0.0])
    before = (memory.stones, memory.labels, memory.counts, memory.hits)
    memory.combine(vector(1.0), label(3), STONES)
    assert [array.sum() for array in before] == [0.0, 1.0, 1.0, np.inf]


@pytest.mark.parametrize("index", ["exact", "hnsw", "auto"])
def test_a_bounded_memory_from_a_file_goes_on_as_if_it_had_never_stopped(index):
    rng = np.random.default_rng(0)
    states = rng.integers(-9, 10, (900, 4)).astype(np.float32)
    memory = SituationMemory(4, alpha=1.5, index=index, capacity=150)
    for state in states[:600]:
        memory.combine(state, label(0), STONES)
    twin = SituationMemory(4, alpha=1.5, index=index, capacity=150)
    twin.restore(memory.arrays())
    for state in states[600:]:
        assert twin.combine(state, label(1), STONES) == memory.combine(state, label(1), STONES)
    for name, array in memory.arrays().items():
        np.testing.assert_array_equal(twin.arrays()[name], array)


def test_the_history_of_another_memory_is_refused():
    memory = filled(None, [1.0, 2.0, 3.0, 4.0], index="hnsw", capacity=3)
    good = memory.arrays()
    nodes, replaced = good["index_nodes"], good["index_replaced"]
    assert nodes.tolist() == [-1, 1, 2, 0]
    assert replaced[:, 0].tolist() == [1.0]
    for bad in (
        {"index_nodes": nodes[1:]},
        {"index_nodes": np.array([-1, 1, 2, 2])},
        {"index_nodes": np.array([-1, 1, 2, 9])},
        {"index_nodes": nodes[None]},
        {"index_replaced": replaced[:0]},
        {"index_replaced": replaced * np.nan},
    ):
        with pytest.raises(MemoryFileError, match="memory: expected"):
            memory.restore(good | bad)
    assert len(memory) == 3
    exact = SituationMemory(4, alpha=None, index="exact", capacity=3)
    exact.restore(good)
    assert exact.vectors[:, 0].tolist() == [4.0, 2.0, 3.0]


def test_an_approximate_index_never_merges_what_is_alpha_away():
    rng = np.random.default_rng(1)
    memory = SituationMemory(9, alpha=5.0, index="hnsw")
    for state in rng.integers(-9, 10, (600, 9)).astype(np.float32):
        combination = memory.combine(state, np.eye(9, dtype=np.float32)[0], np.zeros(9, np.int8))
        found = np.linalg.norm(memory.vectors[combination.node] - state)
        assert found == pytest.approx(combination.distance if combination.has_merged else 0.0)
        assert combination.has_merged == (combination.distance < 5.0)
    assert memory.merged + len(memory) == memory.added
