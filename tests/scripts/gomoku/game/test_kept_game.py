"""The unfinished game of one's own in its file: read as it was written, and never guessed."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai import BLACK, Choice, GameSession, OpeningKind, Rules
from scripts.gomoku.game.game_choices import GameChoices
from scripts.gomoku.game.game_clock import GameClock, TimeControl
from scripts.gomoku.game.kept_game import FILE, KeptGame

BASE = Rules(15, 5)


@settings(max_examples=40, deadline=None)
@given(
    kind=st.sampled_from(OpeningKind),
    draws=st.lists(st.tuples(st.integers(0, 10**6), st.booleans()), max_size=30),
    minutes=st.sampled_from((0.0, 3.0)),
)
def test_what_was_kept_goes_on_where_it_was(tmp_path_factory, kind, draws, minutes):
    choices = GameChoices(opening=kind.value, clock=TimeControl(minutes))
    session = GameSession(BASE, 1, seed=7, opening=kind)
    for draw, is_person in draws:
        if session.is_over:
            break
        offered = session.opening.choices or sorted(session.points)
        session.say((offered[draw % len(offered)],), is_person=is_person)
    clock = GameClock(choices.clock)
    clock.spend(BLACK, 12.5)
    kept = KeptGame(tmp_path_factory.mktemp("kept"))
    kept.write(choices, session, clock.as_list())
    found = kept.read()
    if not session.steps():
        assert found is None, "nothing has been played"
        return
    assert (found.choices, found.seed) == (choices, 7)
    if session.is_over:
        with pytest.raises(ValueError, match="not over"):
            found.session(BASE)
        return
    other = found.session(BASE)
    assert (other.board.moves, other.steps()) == (session.board.moves, session.steps())
    assert other.opening == session.opening
    assert other.next_seed == session.next_seed
    restored = GameClock(choices.clock)
    restored.set_left(found.left)
    assert restored.as_list() == clock.as_list()
    assert session.request_undo() is other.request_undo()


def test_a_game_of_other_rules_is_refused(tmp_path):
    session = GameSession(BASE)
    session.say((112, 113, Rules(15, 5).points - 1))
    kept = KeptGame(tmp_path)
    kept.write(GameChoices(), session, GameClock(TimeControl()).as_list())
    found = kept.read()
    with pytest.raises(ValueError, match="moves that its rules allow"):
        found.session(Rules(3, 3, height=4))


@pytest.mark.parametrize("edit", [
    lambda kept: kept.clear(),
    lambda kept: kept.update(format="goishi.own_game/9"),
    lambda kept: kept.update(steps=[["blue", True]]),
    lambda kept: kept.update(steps=[[1.5, True]]),
    lambda kept: kept.update(left=[[1.0, 0, -3.0], [1.0, 0, 0.0]]),
    lambda kept: kept.update(left=[[float("inf"), 0, 0.0], [1.0, 0, 0.0]]),
    lambda kept: kept["choices"].update(size=99),
    lambda kept: kept.pop("seed"),
])  # fmt: skip
def test_a_damaged_file_is_told_and_nothing_offered(tmp_path, edit):
    session = GameSession(BASE)
    session.say((112,))
    kept = KeptGame(tmp_path)
    kept.write(GameChoices(), session, GameClock(TimeControl()).as_list())
    values = json.loads((tmp_path / FILE).read_text())
    edit(values)
    (tmp_path / FILE).write_text(json.dumps(values))
    assert kept.read() is None
    assert not values or "expected an unfinished game" in kept.fault
    aside = tmp_path / f"{FILE}.bad"
    kept.forget()
    assert aside.exists() == bool(values)
    assert kept.fault == (f"{tmp_path / FILE}: it could not be read; it is kept as {aside}"
                          if values else "")  # fmt: skip
    assert not (tmp_path / FILE).exists()


def test_steps_hold_choices_and_say_who_made_them():
    session = GameSession(Rules(15, 5), opening=OpeningKind.SWAP)
    session.say((0, 1, 2), is_person=True)
    session.say((Choice.BLACK,))
    session.say((50,), is_person=True)
    assert session.steps() == [
        (0, True), (1, True), (2, True), (Choice.BLACK, False), (50, True),
    ]  # fmt: skip
    given = GameSession(Rules(9, 5), moves=(3, 4))
    given.say((5,))
    assert given.steps() == [(5, False)]
