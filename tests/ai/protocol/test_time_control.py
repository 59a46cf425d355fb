"""The time of a move and of a match, on a fake clock: never over, and no later move starved."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ai.protocol.messages import CommandError, Info
from ai.protocol.time_control import (
    FLOOR,
    LATENCY,
    MOST_MOVES,
    Deadline,
    ManagerInfo,
    MatchClock,
    MoveBudget,
)


def told(**values: int) -> ManagerInfo:
    info = ManagerInfo()
    for key, value in values.items():
        info = info.with_info(Info(key, str(value)))
    return info


def test_the_time_of_a_move_is_the_tighter_limit() -> None:
    info = told(timeout_turn=5000, timeout_match=90_000)
    assert info.budget(200, 9.0).soft == pytest.approx(9 / 25)
    assert info.budget(20, 9.0).soft == pytest.approx(9 / 8)
    assert info.budget(200, 90.0) == MoveBudget(3.6, 5.0)
    assert info.budget(200, 900.0) == MoveBudget(5.0, 5.0)
    assert info.budget(200, None) == MoveBudget(5.0, 5.0)
    assert told(timeout_turn=0).budget(200, None) == MoveBudget(0.05, 0.05)
    assert info.budget(9, -0.07) == MoveBudget(0.0, 0.0)
    assert ManagerInfo(timeout_turn=10**17).budget(9, None).hard == 1e6


def test_what_info_says_is_read() -> None:
    info = told(timeout_turn=5000)
    assert info.with_info(Info("colour", "red")) == info
    assert info.with_info(Info("folder", "/x y")).folder == "/x y"
    for value in ("", "soon", "1,0", "nan", "inf", "9" * 400):
        with pytest.raises(CommandError, match="INFO timeout_turn: expected a number"):
            info.with_info(Info("timeout_turn", value))
    for value, number in (("1000.0", 1000), ("3.5e3", 3500), ("-5", 0), ("9" * 40, 10**15)):
        assert info.with_info(Info("timeout_turn", value)).timeout_turn == number
    assert info.with_info(Info("time_left", "-5")).time_left == -5


@pytest.mark.parametrize("seconds", [0.01, 0.05, 0.1, 0.5, 30.0])
def test_a_search_ends_before_its_answer_is_due(seconds: float) -> None:
    deadline = Deadline.within(MoveBudget(seconds / 2, seconds))
    sends = deadline.sends - deadline.began
    assert seconds / 2 <= deadline.search_seconds < sends < seconds
    assert sends - deadline.search_seconds < 0.05
    assert deadline.soft_seconds == seconds / 2
    assert deadline.is_planned
    assert not Deadline.within(MoveBudget(seconds, seconds)).is_planned
    assert seconds < 0.2 or sends >= seconds - 0.0201


def test_the_time_that_is_left_is_told_or_counted() -> None:
    info, clock = told(timeout_match=10_000), MatchClock()
    assert MatchClock().left(ManagerInfo()) is None
    assert clock.left(info) == 10.0
    clock.spend(1.0 - LATENCY)
    assert clock.left(info) == pytest.approx(9.0)
    clock.spend(2.0 - LATENCY)
    assert clock.left(info) == pytest.approx(7.0), "nobody says what is left: it is counted"
    info = info.with_info(Info("time_left", "6500"))
    clock.note(Info("time_left", "6500"))
    clock.note(Info("timeout_turn", "5"))
    assert clock.left(info) == 6.5
    clock.spend(0.5 - LATENCY)
    assert clock.left(info) == pytest.approx(6.0), "what was told once is not told again"
    info = clock.begin_game(info)
    assert clock.left(info) == 10.0, "it was of the game before"
    info = info.with_info(Info("time_left", "4000"))
    clock.note(Info("time_left", "4000"))
    assert clock.left(clock.begin_game(info)) == 4.0, "it was told for the game that begins"


@given(
    match=st.integers(1, 400_000),
    turn=st.integers(0, 20_000),
    size=st.integers(5, 15),
    tells=st.lists(st.booleans(), min_size=1, max_size=6),
    uses=st.lists(st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0, 1.0, 1.0]), min_size=1, max_size=9),
)
@settings(max_examples=15, deadline=None)
def test_whatever_the_moves_use_the_match_is_kept_and_later_moves_get_their_share(
    match: int, turn: int, size: int, tells: list[bool], uses: list[float]
) -> None:
    info, clock = told(timeout_turn=turn, timeout_match=match), MatchClock()
    used, points = 0.0, size * size
    share = min(FLOOR, match / 1000 / MOST_MOVES, max(turn / 1000, 0.05))
    for number in range((points + 1) // 2):
        if tells[number % len(tells)]:  # the manager's clock, which may be of whole milliseconds
            left = Info("time_left", str(int(match - used * 1000)))
            info = info.with_info(left)
            clock.note(left)
        budget = info.budget(points - 2 * number, clock.left(info))
        assert 0.0 <= budget.soft <= budget.hard <= max(turn / 1000, 0.05)
        if number < MOST_MOVES:
            assert budget.soft >= share / 4 - 0.002, (number, budget)
        took = budget.hard * uses[number % len(uses)]
        used += took
        clock.spend(took - LATENCY)  # the clock's own pessimism aside
        assert used <= match / 1000 + 1e-9


def test_moves_that_use_all_they_may_leave_their_share_to_the_later_ones() -> None:
    info, left, soft = told(timeout_turn=10**6, timeout_match=6_000), 6.0, []
    for number in range(60):
        budget = info.budget(225 - 2 * number, left)
        soft.append(budget.soft)
        left -= budget.hard
    assert min(soft[:30]) >= FLOOR / 3
    assert min(soft) > 0.003
