from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ai.memory.growing_array import GrowingArray

PARTS = st.lists(st.integers(0, 700), max_size=6)


@given(PARTS)
def test_rows_come_back_in_order_whether_singly_or_together(counts):
    array, expected = GrowingArray((2,), np.float32), []
    for number, count in enumerate(counts):
        rows = [[number, place] for place in range(count)]
        expected += rows
        if number % 2:
            array.extend(np.array(rows, np.float32).reshape(-1, 2))
        else:
            for row in rows:
                assert array.append(row) == len(array) - 1
    assert len(array) == len(expected)
    np.testing.assert_array_equal(array.rows, np.array(expected, np.float32).reshape(-1, 2))


def test_rows_can_be_replaced_by_some_of_its_own_and_cleared():
    array = GrowingArray((), np.int64)
    array.extend(range(600))
    array.replace_all(array.rows[array.rows % 2 == 1])
    assert array.rows.tolist() == list(range(1, 600, 2))
    array.rows[0] = 7
    assert array.rows[0] == 7
    array.clear()
    assert len(array) == 0
    assert array.append(3) == 0
