from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai.game import Rules
from ai.memory import LineMemory, LineReader
from ai.memory.lines import CLOSED, EMPTY_CELL, TAKEN, line_count, line_text

SEVEN = Rules(7, 5)
READER = LineReader.of(SEVEN)
BOARDS = st.lists(st.integers(-1, 1), min_size=49, max_size=49).map(
    lambda stones: np.array(stones, np.int8)
)


def label_at(point: int, points: int = 49) -> np.ndarray:
    label = np.zeros(points, np.float32)
    label[point] = 1.0
    return label


def by_hand(stones: np.ndarray, point: int, step: tuple[int, int]) -> list[int]:
    """The cells of one side of a line, walked cell by cell."""
    row, column = divmod(point, 7)
    found = []
    is_open = True
    for _ in range(READER.reach):
        row, column = row + step[0], column + step[1]
        inside = 0 <= row < 7 and 0 <= column < 7
        is_open = is_open and inside and stones[row * 7 + column] >= 0
        found.append(int(stones[row * 7 + column]) if is_open else CLOSED)
    return found


@given(BOARDS, st.integers(0, 48))
def test_cells_are_those_that_one_walks_along(stones, point):
    cells = READER.cells(stones[None])[0, point]
    for line, (down, right) in enumerate(((0, 1), (1, 0), (1, 1), (1, -1))):
        assert cells[line, 0].tolist() == by_hand(stones, point, (-down, -right))
        assert cells[line, 1].tolist() == by_hand(stones, point, (down, right))


@given(BOARDS)
def test_the_same_line_has_the_same_number_in_every_symmetry_of_the_board(stones):
    plain = np.sort(READER.codes(stones[None])[0], axis=-1)
    for image in SEVEN.symmetries():
        turned = np.sort(READER.codes(stones[image][None])[0], axis=-1)
        assert np.array_equal(turned, plain[image])


@given(BOARDS)
def test_a_number_gives_the_cells_back_from_one_end(stones):
    codes, cells = READER.codes(stones[None])[0], READER.cells(stones[None])[0]
    back = READER.decode(codes)
    forward = (back == cells).all(axis=(-1, -2))
    backward = (back[..., ::-1, :] == cells).all(axis=(-1, -2))
    assert (forward | backward).all()


@pytest.mark.parametrize("win_length", [3, 4, 5, 6, 8])
def test_each_number_is_one_situation(win_length):
    reader = LineReader.of(Rules(10, win_length))
    decoded = reader.decode(np.arange(len(reader)))
    assert len(reader) == line_count(reader.reach) == len(np.unique(decoded, axis=0))


def test_a_line_reads_as_text_from_the_point_outwards():
    cells = np.array([[TAKEN, TAKEN, EMPTY_CELL, CLOSED], [TAKEN, CLOSED, CLOSED, CLOSED]], np.int8)
    assert line_text(cells) == "|·xx?x|"


def test_an_empty_memory_rates_nothing_and_knows_no_line():
    memory = LineMemory(READER)
    assert not memory.scores(np.zeros((1, 49), np.int8)).any()
    assert memory.nearest(0) is None


def test_a_missed_point_is_rated_above_the_others_afterwards():
    stones = np.zeros(49, np.int8)
    stones[[21, 22, 23, 24]] = 1
    stones[[0, 6, 20]] = -1
    memory = LineMemory(READER)
    memory.add(stones, label_at(25), stones == 0)
    scores = np.where(stones == 0, memory.scores(stones[None])[0], -np.inf)
    assert scores.argmax() == 25
    turned = stones.reshape(7, 7).T.ravel()  # never met as a whole board
    scores = np.where(turned == 0, memory.scores(turned[None])[0], -np.inf)
    assert divmod(int(scores.argmax()), 7) == (4, 3)


@settings(max_examples=30)
@given(st.lists(BOARDS, min_size=1, max_size=5), st.integers(0, 3))
def test_hits_and_misses_are_counted_without_loss(boards, seed):
    rng = np.random.default_rng(seed)
    memory, hits, misses = LineMemory(READER), 0, 0
    for stones in boards:
        free = np.flatnonzero(stones == 0)
        if len(free):
            memory.add(stones, label_at(int(rng.choice(free))), stones == 0)
            hits, misses = hits + 4, misses + 4 * (len(free) - 1)
    nodes = [memory.node(number) for number in range(len(memory))]
    assert sum(node.hits for node in nodes) == hits
    assert sum(node.misses for node in nodes) == misses
    assert np.isfinite(memory.worths(np.arange(len(READER)))).all()


def test_without_width_an_unknown_line_is_worth_nothing():
    stones = np.zeros(49, np.int8)
    stones[[21, 22, 23]] = 1
    memory = LineMemory(READER, width=0.0)
    memory.add(stones, label_at(24), stones == 0)
    known = {int(code) for code in READER.codes(stones[None])[0][stones == 0].ravel()}
    unknown = [code for code in range(len(READER)) if code not in known]
    assert np.allclose(memory.worths(np.array(unknown)), 0.0)


def test_alpha_combines_near_lines_and_only_those():
    stones = np.zeros(49, np.int8)
    stones[[21, 22, 23]] = 1
    plain, merged, one = (LineMemory(READER, alpha=alpha) for alpha in (None, 1.5, 100.0))
    for memory in (plain, merged, one):
        memory.add(stones, label_at(24), stones == 0)
    assert len(plain) > len(merged) > len(one) == 1
    node, distance = merged.nearest(int(READER.codes(stones[None])[0, 24, 0]))
    assert distance == 0.0
    assert node.first_record == node.last_record == 0


def test_a_label_on_a_taken_point_teaches_nothing():
    stones = np.zeros(49, np.int8)
    stones[24] = 1
    memory = LineMemory(READER)
    memory.add(stones, label_at(24), stones == 0)
    assert memory.records == 0
    assert len(memory) == 0


@pytest.mark.parametrize(("width", "prior"), [(-1.0, 4.0), (1.0, 0.0)])
def test_impossible_settings_are_refused(width, prior):
    with pytest.raises(ValueError, match="expected width >= 0 and prior > 0"):
        LineMemory(READER, width=width, prior=prior)
