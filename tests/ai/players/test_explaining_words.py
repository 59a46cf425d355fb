"""Numbers and lists in words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai.players.view import compact_number, joined, ordinal, percent, short_number


@pytest.mark.parametrize(
    ("number", "text"),
    [(1, "first"), (2, "second"), (3, "third"), (4, "4th"), (11, "11th"), (12, "12th"),
     (13, "13th"), (21, "21st"), (22, "22nd"), (42, "42nd"), (101, "101st"), (111, "111th"),
     (112, "112th")],
)  # fmt: skip
def test_ordinals(number, text):
    assert ordinal(number) == text


def test_numbers_are_short():
    assert [percent(share) for share in (0.0, 0.0004, 0.0123, 0.0999, 0.41, 1.0)] == [
        "0 %", "< 0.1 %", "1.2 %", "10 %", "41 %", "100 %",
    ]  # fmt: skip
    assert [short_number(value) for value in (0.0, 0.004, 0.43, 12.3, 350.2, -12_345.0, 1e5)] == [
        "0", "0", "0.43", "12", "350", "-12,300", "100,000",
    ]  # fmt: skip
    assert [joined(items) for items in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == [
        "", "a", "a and b", "a, b and c",
    ]  # fmt: skip


@given(st.floats(allow_nan=False, allow_infinity=False, width=32))
def test_a_number_is_never_long(value):
    assert len(short_number(value)) <= 8


def test_scores_are_short():
    values = (14.142, 0.94, 690.4, 6_500.0, -80_020.0, 1_234_567.0, 999.7, -45.5, 0.0)
    texts = ("14", "0.9", "690", "6.5k", "-80k", "1.2M", "1.0k", "-46", "0")
    assert tuple(map(compact_number, values)) == texts
