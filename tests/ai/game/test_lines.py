"""The lines of a game: four through each point of a board, and those of a list of rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai.game import Rules, lines_of_rows
from ai.game.lines import DIRECTIONS


@given(st.integers(3, 9), st.integers(3, 9), st.integers(3, 6), st.data())
def test_a_line_leads_straight_away_from_its_point_to_the_edge(columns, rows, win_length, data):
    rules = Rules(columns, min(win_length, max(columns, rows)), height=rows)
    lines = rules.lines()
    assert lines.shape == (rules.points, 4, 2, rules.win_length - 1)
    point = data.draw(st.integers(0, rules.points - 1))
    direction = data.draw(st.integers(0, 3))
    for side, sign in enumerate((-1, 1)):
        row, column = divmod(point, columns)
        for found in lines[point, direction, side]:
            row += sign * DIRECTIONS[direction][0]
            column += sign * DIRECTIONS[direction][1]
            is_inside = 0 <= row < rows and 0 <= column < columns
            assert found == (row * columns + column if is_inside else rules.points)


def test_lines_cannot_be_changed_by_who_reads_them():
    with pytest.raises(ValueError, match="read-only"):
        Rules(7, 5).lines()[0, 0, 0, 0] = 1


@given(st.lists(st.permutations(range(8)).map(lambda order: tuple(order[:4])), min_size=1))
def test_each_point_of_a_row_sees_the_others_from_itself_outwards(rows):
    lines = lines_of_rows(np.array(rows), 8)
    seen = [
        (*before[::-1], point, *after)
        for point, found in enumerate(lines.tolist())
        for before, after in (
            ([p for p in sides[0] if p < 8], [p for p in sides[1] if p < 8]) for sides in found
        )
        if before or after
    ]
    assert sorted(seen) == sorted(row for row in rows for _ in row)
    assert lines.shape[1] == max(sum(point in row for row in rows) for point in range(8))
