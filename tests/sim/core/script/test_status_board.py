"""When the status bar has something new to show."""

from __future__ import annotations

from sim.core.script.panels import StatusBoard


def test_what_is_set_anew_or_cleared_is_a_revision_and_what_stays_is_none():
    board, seen = StatusBoard(), []
    for step in (
        lambda: board.set("a", "one"), lambda: board.set("a", "one"),
        lambda: board.set("a", "two"), lambda: board.set("a", "two", busy=True),
        lambda: board.clear("b"), lambda: board.clear("a"), lambda: board.clear("a"),
    ):  # fmt: skip
        step()
        seen.append(board.revision)
    assert seen == [1, 1, 2, 3, 3, 4, 4]
    assert not board.is_busy("a")
