"""The columns of a search: as tall as their points were visited."""

from __future__ import annotations

import numpy as np
import pytest

from ai.messages import SearchGrown
from scripts.alphagomoku.front import LEAST, TALLEST, columns_of, search_marks


def test_a_column_is_as_tall_as_its_share_and_seldom_visited_points_have_none():
    prior = np.full(9, 1 / 9, np.float32)
    for visits, expected in (
        ([100, 50, 3, 0, 0, 0, 0, 0, 1], [TALLEST, TALLEST / 2, 0.057]),
        ([0, 0, 0, 0, 7, 0, 0, 0, 0], [TALLEST]),
    ):
        found = SearchGrown((), sum(visits), np.array(visits), prior, prior, 0.0, ())
        columns = columns_of(found)
        assert [column.height for column in columns] == pytest.approx(expected, abs=1e-9)
        assert min(visits[column.point] for column in columns) > LEAST * max(visits)


def test_the_expected_line_begins_with_the_side_to_move():
    prior = np.full(9, 1 / 9, np.float32)
    found = SearchGrown((4,), 3, np.zeros(9, np.int64), prior, prior, 0.0, (0, 1, 2, 3, 5))
    marks = search_marks(3, found)
    assert [(ghost.point, ghost.color) for ghost in marks.ghosts] == [
        (0, -1),
        (1, 1),
        (2, -1),
        (3, 1),
    ]
    assert not marks.top.is_empty
