"""The clock of a game: what passes, what is added, when a flag falls, and how long one may think."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai import BLACK, FIRST, SECOND, WHITE, Limit
from scripts.gomoku.game.game_choices import GameChoices, SeatChoice
from scripts.gomoku.game.game_clock import GRACE, GameClock, TimeControl
from scripts.gomoku.game.own_table import OwnClock
from sim import FieldError

CONTROLS = st.builds(
    TimeControl,
    st.sampled_from((0.5, 1.0, 10.0)),
    st.sampled_from((0.0, 2.0, 10.0)),
    st.integers(0, 3),
    st.sampled_from((5.0, 30.0)),
)


def test_increments_are_added_and_periods_pass_one_by_one():
    clock = GameClock(TimeControl(1.0, 5.0, 2, 10.0))
    assert clock.text(BLACK) == "1:00"
    assert not clock.spend(BLACK, 20.0)
    clock.move_made(BLACK)
    assert (clock.text(BLACK), clock.text(WHITE)) == ("0:45", "1:00")
    assert not clock.spend(BLACK, 52.0)
    assert clock.text(BLACK) == "0:03.0 (2)"
    clock.move_made(BLACK)
    assert clock.text(BLACK) == "0:10 (2)", "a move within a period costs nothing"
    assert not clock.spend(BLACK, 11.0)
    assert clock.text(BLACK) == "0:09.0 (1)"
    assert clock.text(BLACK, running=4.0) == "0:05.0 (1)"
    assert clock.spend(BLACK, 9.0)
    assert clock.fallen == BLACK
    assert not clock.spend(WHITE, 1000.0), "the game is over"


@given(CONTROLS, st.lists(st.floats(0.0, 40.0), max_size=30))
def test_a_flag_falls_exactly_when_all_time_has_passed(control, moves):
    clock, total = GameClock(control), GameClock(control).left(BLACK)
    for seconds in moves:
        left = clock.left(BLACK)
        assert clock.spend(BLACK, seconds) == (seconds >= left)
        if clock.fallen:
            assert clock.left(BLACK) == 0.0
            return
        assert clock.left(BLACK) <= total + 1e-6
        clock.move_made(BLACK)
        total = clock.left(BLACK)
        assert clock.left(WHITE) == GameClock(control).left(WHITE)


@given(CONTROLS, st.floats(0.0, 700.0), st.integers(1, 225), st.sampled_from((None, 0.1, 5.0)))
def test_a_player_that_keeps_to_its_limit_does_not_lose_on_time(control, spent, free, most):
    clock = GameClock(control)
    if clock.spend(WHITE, spent):
        return
    limit = clock.limit(WHITE, free, most)
    assert limit.seconds is not None
    assert most is None or limit.seconds <= most
    if clock.left(WHITE) > 0.2:
        assert not clock.spend(WHITE, limit.seconds)


def test_without_a_clock_the_chosen_thinking_time_is_the_limit():
    clock = GameClock(TimeControl())
    assert clock.limit(BLACK, 100) == Limit()
    assert clock.limit(BLACK, 100, 2.0) == Limit(seconds=2.0)
    assert not clock.spend(BLACK, 1e6)
    assert clock.text(BLACK) == ""


@pytest.mark.parametrize(
    ("control", "name"),
    [
        (TimeControl(minutes=-1.0), "minutes"),
        (TimeControl(increment=2.0), "increment"),
        (TimeControl(periods=101), "periods"),
        (TimeControl(periods=1, period=0.5), "period"),
    ],
)
def test_what_no_clock_has_is_refused_by_name(control, name):
    with pytest.raises(FieldError) as caught:
        control.check()
    assert caught.value.field == name


def test_a_player_is_charged_with_its_thinking_and_falls_only_when_it_is_overdue():
    seconds = [0.0]
    clock = OwnClock(TimeControl(1.0), lambda: seconds[0])

    def wait(count, *, is_paused=False):
        fallen = []
        for _ in range(round(count / 0.5)):
            seconds[0] += 0.5
            fallen.append(clock.tick(is_paused=is_paused))
        return next((item for item in fallen if item is not None), None)

    clock.begin_turn(SECOND, is_person=False)
    assert wait(40.0) is None
    assert clock.text(SECOND) == "0:20"
    assert not clock.end_turn(3.0)
    assert clock.text(SECOND) == "0:57", "the rest was the way of its answer"
    clock.begin_turn(SECOND, is_person=False)
    assert wait(500.0, is_paused=True) is None
    assert wait(57.0 + GRACE) is None
    assert wait(1.0) is SECOND
    clock = OwnClock(TimeControl(1.0), lambda: seconds[0])
    clock.begin_turn(FIRST, is_person=True)
    assert wait(59.5) is None
    assert wait(0.5) is FIRST


def test_a_window_that_stood_still_costs_nobody_a_game():
    seconds = [0.0]
    clock = OwnClock(TimeControl(1.0), lambda: seconds[0])
    clock.begin_turn(FIRST, is_person=True)
    seconds[0] += 3600.0
    assert clock.tick(is_paused=False) is None
    assert clock.text(FIRST) == "1:00"


@given(
    st.builds(
        GameChoices,
        st.builds(SeatChoice, st.sampled_from(("you", "mcts")), st.integers(0, 10)),
        st.builds(SeatChoice, st.just("random")),
        st.integers(3, 22),
        st.sampled_from(("freestyle", "renju")),
        clock=CONTROLS,
        takes_back=st.booleans(),
    )
)
def test_choices_come_back_from_their_plain_values(choices):
    assert GameChoices.from_dict(choices.as_dict()) == choices
    assert choices.changed.changed == choices


def test_a_refused_choice_leaves_the_old_one():
    choices = GameChoices()
    for key, value in (("size", 30), ("rule", "go"), ("white_level", 11), ("nothing", 1)):
        with pytest.raises(FieldError):
            choices.with_value(key, value)
    assert choices.with_value("white_level", 3).white.words == "you, level 3"
    assert choices.with_value("clock", [5.0, 2.0, 0, 30.0]).clock.text == "5 min + 2 s"
