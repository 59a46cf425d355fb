"""How much of a script's locals stands in an error."""

from __future__ import annotations

import sys
from types import SimpleNamespace

from sim.core.reporting.failure_text import LONGEST_LOCAL, MOST_LOCALS, _brief, _locals_of


class Asks:
    def ask(self, question):
        return question(), None


def test_so_many_locals_are_told_and_no_more():
    frame = SimpleNamespace(f_locals={f"name_{n}": n for n in range(MOST_LOCALS + 3)})
    told = _locals_of(frame, Asks())
    assert told == [f"      name_{n} = {n}" for n in range(MOST_LOCALS)]


def test_a_long_local_is_shortened_to_the_letter():
    fits, cut = "x" * (LONGEST_LOCAL - 2), "x" * (LONGEST_LOCAL - 1)
    assert _brief(fits, Asks()) == repr(fits)
    assert _brief(cut, Asks()) == repr(cut)[: LONGEST_LOCAL - 1] + "…"
    assert sys.getsizeof(_brief(cut * 99, Asks())) < 4 * LONGEST_LOCAL + 100
