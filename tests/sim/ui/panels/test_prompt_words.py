"""What the prompt puts in for a name that was begun."""

from __future__ import annotations

import pytest

from sim.ui.panels.prompt import _inserted, _shared


@pytest.mark.parametrize(
    ("names", "shared"),
    [(["scene", "screen"], "sc"), (["a"], "a"), (["a", "b"], ""), ([], ""), (["ab", "abc"], "ab")],
)
def test_what_all_names_begin_with(names, shared):
    assert _shared(names) == shared


def test_a_piece_takes_the_place_of_what_was_begun_and_the_rest_stays():
    assert _inserted("scene", "print(sc.x)", 8, 2) == ("print(scene.x)", 11)
    assert _inserted("a", "", 0, 0) == ("a", 1)
