from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from ai.game import BLACK, WHITE, Board, Rules, symmetries
from ai.nets.features import (
    DEFAULT_KERNEL,
    PLANES,
    THREE_PLANES,
    KernelError,
    StateEncoder,
    learner_stones,
    parse_kernel,
)
from base.files import SHIPPED_ROOT

boards = st.lists(st.sampled_from([-1, 0, 1]), min_size=49, max_size=49).map(
    lambda values: np.array([values], np.int8)
)


def naive_convolution(board: np.ndarray, kernel: np.ndarray) -> np.ndarray:
    size, reach = len(board), len(kernel) // 2
    padded = np.pad(board.astype(float), reach)
    return np.array(
        [
            [(padded[r : r + len(kernel), c : c + len(kernel)] * kernel).sum() for c in range(size)]
            for r in range(size)
        ]
    )


@given(boards)
def test_state_vector_is_the_zero_padded_convolution(stones):
    encoder = StateEncoder(7)
    expected = naive_convolution(stones.reshape(7, 7), parse_kernel(DEFAULT_KERNEL))
    np.testing.assert_allclose(encoder.vectors(stones)[0], expected.ravel())


@given(hnp.arrays(np.int8, (1, 12), elements=st.integers(-1, 1)))
def test_a_board_that_is_no_square_is_convolved_row_by_row(stones):
    encoder = StateEncoder(4, rows=3)
    tall = np.zeros((7, 7), np.int8)  # nothing but empty points around it
    tall[:3, :4] = stones.reshape(3, 4)
    expected = naive_convolution(tall, parse_kernel(DEFAULT_KERNEL))[:3, :4]
    np.testing.assert_allclose(encoder.vectors(stones)[0], expected.ravel())


def test_an_unsymmetric_kernel_is_laid_on_as_it_is_written():
    encoder = StateEncoder(5, kernel="0,0,0;0,0,1;0,0,0")
    stones = np.zeros((1, 25), np.int8)
    stones[0, 12] = 1
    assert np.flatnonzero(encoder.vectors(stones)[0]).tolist() == [11]


@given(boards, st.integers(0, 7))
def test_the_default_state_vector_turns_with_the_board(stones, symmetry):
    encoder, table = StateEncoder(7), symmetries(7)[symmetry]
    np.testing.assert_allclose(encoder.vectors(stones[:, table]), encoder.vectors(stones)[:, table])


def test_planes_are_opponent_then_own():
    encoder = StateEncoder(3, encoding=PLANES)
    stones = np.array([[1, -1, 0, 0, 0, 0, 0, 0, 0]], np.int8)
    features = encoder.features(stones)
    assert features.shape == (1, 9, 2)
    assert features[0, :2].tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert features[0, 2:].sum() == 0.0


def test_a_third_plane_tells_empty_points_from_the_outside():
    encoder = StateEncoder(3, encoding=THREE_PLANES)
    stones = np.array([[1, -1, 0, 0, 0, 0, 0, 0, 0]], np.int8)
    assert encoder.features(stones)[0].argmax(axis=1).tolist() == [0, 1, *[2] * 7]
    assert (encoder.features(stones).sum(axis=2) == 1.0).all()


def test_a_learner_on_black_sees_mirrored_colors():
    board = Board.from_moves("d4 d5", Rules(7))
    assert (learner_stones(board, WHITE) == board.array().ravel()).all()
    assert (learner_stones(board, BLACK) == -board.array().ravel()).all()


@pytest.mark.parametrize("text", ["", "1,2", "1,2;3,4", "1,x,1;1,1,1;1,1,1", "0", "nan"])
def test_a_bad_kernel_is_refused_with_what_was_expected(text):
    with pytest.raises(KernelError, match="kernel: expected"):
        parse_kernel(text)


def test_an_unknown_encoding_is_refused():
    with pytest.raises(ValueError, match="'colour'"):
        StateEncoder(7, encoding="colour")


LOST = """
. X . . X . .
O . . O . . .
. . . O . . O
. X X . X X .
O . . O . . .
. . . O . . O
. . X . . X .
"""
"""A board that f1 takes for the empty one, as the study of self-teaching shows it."""


def rank_of(size: int, **settings: str) -> int:
    matrix = StateEncoder(size, **settings).vectors(np.eye(size * size, dtype=np.int8))
    return int(np.linalg.matrix_rank(matrix.astype(np.float64)))


def test_f1_is_singular_where_the_study_says_so():
    page = (SHIPPED_ROOT / "docs" / "studies" / "self_teaching.md").read_text("utf-8")
    assert "\n".join(LOST.split("\n")) in page
    assert [rank_of(size) for size in (7, 9, 15)] == [45, 80, 224]
    assert rank_of(7, kernel="0,1,0;1,2,1;0,1,0") == 49
    said = " ".join(page.split())
    assert "rank 45 of 49 (80 of 81 on 9x9, 224 of 225 on 15x15)" in said
    stones = np.array([{"X": 1, "O": -1, ".": 0}[cell] for cell in LOST.split()], np.int8)
    assert (np.count_nonzero(stones == 1), np.count_nonzero(stones == -1)) == (8, 8)
    assert not StateEncoder(7).vectors(stones[None]).any()
