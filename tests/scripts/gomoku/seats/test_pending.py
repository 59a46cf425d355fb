"""Changes that wait for the next game, and the names that people type."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from scripts.gomoku.seats.pending import PendingChanges, clean_name

KEYS = st.sampled_from(["alpha", "records", "rate"])
OWNERS = st.sampled_from(["white", "black"])
VALUES = st.integers(0, 3)


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
        taken = self.pending.pop_all()
        assert {(owner, key): value for owner, key, value in taken} == self.model
        self.current |= self.model
        self.model = {}
        assert self.pending.pop_all() == []

    @invariant()
    def waits_what_should(self):
        assert len(self.pending) == len(self.model)
        for owner, key in self.current:
            assert self.pending.has(owner, key) == ((owner, key) in self.model)
        for owner in ("white", "black"):
            expected = {key: value for (who, key), value in self.model.items() if who == owner}
            assert self.pending.of(owner) == expected


TestWaiting = Waiting.TestCase


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
