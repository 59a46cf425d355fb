"""Results by opponent, and who played Black in each record."""

from __future__ import annotations

from types import SimpleNamespace

from ai import BLACK, FIRST, SECOND, WHITE, Board, GameRecord, Rules
from scripts.gomoku.game.match_report import winning_seat
from scripts.gomoku.game.results import LeagueTable, RecordLog


def test_results_are_counted_by_member_and_the_last_twenty_apart() -> None:
    table = LeagueTable()
    for game in range(30):
        table.add("oracle", BLACK if game < 15 else WHITE)
    table.add("pattern", 0)
    for nobody in (None, "human", "genetic", ["oracle"]):
        table.add(nobody, WHITE)
    assert table.as_dict() == {
        "pattern": {"games": 1, "white": 0, "black": 0, "draw": 1, "last": 1, "last_white": 0},
        "oracle": {
            "games": 30, "white": 15, "black": 15, "draw": 0, "last": 20, "last_white": 15,
        },
    }  # fmt: skip
    assert table.of("alpha-beta").games == 0
    assert "alpha-beta" not in table.as_dict()


def test_a_log_knows_who_of_a_league_played_each_game() -> None:
    log = RecordLog()
    record = GameRecord.from_resignation(Board(Rules(3, 3)), 1, loser=WHITE)
    log.append(record)
    assert (log.has_opponents, list(log.opponents)) == (False, [None])
    for name in ("oracle", "pattern", "oracle"):
        log.append(record, name)
    assert (log.has_opponents, log.opponents[:]) == (True, [None, "oracle", "pattern", "oracle"])
    assert log.opponents[-1] == "oracle"


def test_after_a_swap_a_win_is_that_of_who_sits_at_the_seat():
    """The first person plays White then: a black win is the second one's, at White's seat."""
    for person, winner, seat in ((SECOND, BLACK, WHITE), (FIRST, WHITE, BLACK), (None, 0, 0)):
        record = SimpleNamespace(winning_person=person, winner=winner)
        assert winning_seat(record) == seat
