"""Changes that wait for the next game, and the texts that people type into fields."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from scripts.gomoku.seats.pending import PendingChanges, RefusedError, clean_name, read_number

KEYS = st.sampled_from(["alpha", "records", "rate"])
OWNERS = st.sampled_from(["white", "black"])
VALUES = st.integers(0, 3)


class Declared:
    """A field, as far as reading a number goes."""

    def __init__(self, annotation, minimum=None, maximum=None):
        self.annotation = annotation
        self.minimum = minimum
        self.maximum = maximum


ALPHA = Declared(float, 0.0, 100.0)
RECORDS = Declared(int, 1, 50)
CAPACITY = Declared(int | None, 1, 4000)


class Waiting(RuleBasedStateMachine):
    """The pending changes beside a plain map of what should wait."""

    def __init__(self):
        super().__init__()
        self.pending = PendingChanges()
        self.current = {
            (owner, key): 0 for owner in ("white", "black") for key in ("alpha", "records", "rate")
        }
        self.model = {}

    @rule(owner=OWNERS, key=KEYS, value=VALUES)
    def propose(self, owner, key, value):
        present = self.current[owner, key]
        self.pending.propose(owner, key, value, current=present)
        self.model.pop((owner, key), None)
        if value != present:
            self.model[owner, key] = value

    @rule(owner=OWNERS, key=KEYS)
    def withdraw(self, owner, key):
        self.pending.withdraw(owner, key)
        self.model.pop((owner, key), None)

    @rule()
    def begin_game(self):
        taken = self.pending.take()
        assert {(owner, key): value for owner, key, value in taken} == self.model
        self.current |= self.model
        self.model = {}
        assert self.pending.take() == []

    @invariant()
    def waits_what_should(self):
        assert len(self.pending) == len(self.model)
        for owner, key in self.current:
            assert self.pending.has(owner, key) == ((owner, key) in self.model)
        for owner in ("white", "black"):
            expected = {key: value for (who, key), value in self.model.items() if who == owner}
            assert self.pending.of(owner) == expected


TestWaiting = Waiting.TestCase


@given(st.floats(0.0, 100.0))
def test_every_number_within_bounds_is_taken_as_it_is(number):
    assert read_number(ALPHA, repr(number)) == number
    assert read_number(ALPHA, f"  {number!r} ") == number


@given(st.integers(1, 50))
def test_whole_numbers_are_whole(number):
    value = read_number(RECORDS, str(number))
    assert value == number
    assert type(value) is int


@given(st.text(max_size=40))
def test_any_text_is_a_number_within_bounds_or_refused(text):
    try:
        value = read_number(ALPHA, text)
    except RefusedError:
        return
    assert math.isfinite(value)
    assert 0.0 <= value <= 100.0


@pytest.mark.parametrize(
    "text",
    ["", " ", "nan", "NaN", "inf", "-inf", "1e300", "1e999", "-1", "-0.5", "🙂", "٣", "1_0", "0x10",
     "5 5", "5,5", "none", "true", "9" * 5000, "1e", "--1", "\x00", "alpha"],
)  # fmt: skip
def test_nonsense_is_refused(text):
    with pytest.raises(RefusedError, match="expected a number from 0 to 100"):
        read_number(ALPHA, text)
    with pytest.raises(RefusedError, match="expected a whole number from 1 to 50"):
        read_number(RECORDS, text)


@pytest.mark.parametrize("text", ["2.5", "0", "51", "1e2"])
def test_a_whole_number_is_neither_broken_nor_out_of_bounds(text):
    with pytest.raises(RefusedError):
        read_number(RECORDS, text)


def test_none_is_for_fields_that_may_be_none():
    assert read_number(CAPACITY, "None") is None
    assert read_number(CAPACITY, "12") == 12


@given(st.text())
def test_a_name_is_one_short_printable_line(text):
    name = clean_name(text)
    assert len(name) <= 60
    assert name.isprintable()
    assert name == name.strip()


def test_everything_of_an_owner_is_taken_back_at_once():
    pending = PendingChanges()
    for owner, key in (("white", "alpha"), ("black", "elite"), ("white", "records")):
        pending.propose(owner, key, 2, current=1)
    revision = pending.revision
    pending.withdraw_all("white")
    assert pending.of("white") == {}
    assert pending.of("black") == {"elite": 2}
    assert pending.revision > revision
