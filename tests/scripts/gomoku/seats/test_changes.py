"""What was changed on the way, in words and as marks."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scripts.gomoku.seats.pending import caption, changes_between, describe, marks_of, new_change

SETTINGS = st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 3))


@given(SETTINGS, SETTINGS, st.integers(1, 1000))
def test_changes_lead_from_the_one_to_the_other(before, after, game):
    changes = changes_between(game, before, after)
    reached = dict(before)
    for change in changes:
        assert change["game"] == game
        assert reached[change["key"]] == change["from"] != change["to"]
        reached[change["key"]] = change["to"]
    assert {key: reached[key] for key in before.keys() & after.keys()} == {
        key: after[key] for key in before.keys() & after.keys()
    }


def test_a_change_is_said_in_few_words():
    assert describe(new_change(7, "alpha", 5.0, 10.0)) == "alpha 5 → 10"
    assert describe(new_change(7, "alpha", 0.5, None)) == "alpha 0.5 → none"
    assert describe(new_change(7, "warm_start", True, False)) == "warm_start on → off"
    assert describe(new_change(9, "roll back", 8, 4)) == "back to game 4"
    assert describe(new_change(9, "training", "on", "paused")) == "training paused"


def test_one_mark_a_game_and_one_caption_a_replayed_game():
    changes = [
        new_change(7, "alpha", 5.0, 10.0),
        new_change(12, "records", 1, 4),
        new_change(12, "rate", 0.004, 0.01),
    ]
    assert marks_of(changes) == [(7.0, "alpha 5 → 10"), (12.0, "records 1 → 4, rate 0.004 → 0.01")]
    assert caption(changes, 7) == "alpha 5 → 10 from this game"
    assert caption(changes, 8) == ""


def test_many_changes_of_one_game_are_counted():
    changes = [new_change(3, f"setting number {index}", 0, 1) for index in range(4)]
    assert marks_of(changes) == [(3.0, "setting number 0 0 → 1 (+3)")]
