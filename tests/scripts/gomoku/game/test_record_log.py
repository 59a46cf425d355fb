"""Packed records come out as they went in, and take little memory."""

from __future__ import annotations

import tracemalloc

import pytest

from ai import BLACK, WHITE, Choice, GameRecord, OpeningKind, OpeningPhase, Rules
from scripts.gomoku.game.results import RecordLog

RULES = Rules(7, 5, full_board_winner=WHITE)


def made(game, **changed):
    values = {
        "rules": RULES, "moves": tuple(range(game % 40)), "winner": WHITE, "termination": "five",
        "game": game, "learner_color": WHITE, "opening": None,
    }  # fmt: skip
    return GameRecord(**{**values, **changed})


def test_records_are_a_sequence_of_what_was_added():
    opening = OpeningPhase(Rules(7, 5), OpeningKind.SWAP)
    for said in (0, 42, 1, Choice.BLACK):
        opening = opening.after(said)
    records = [
        made(1), made(2, winner=BLACK, moves=()), made(3, termination="resigned", winner=0),
        made(9, rules=Rules(9, 5), learner_color=BLACK, moves=(-1, 80, 2)), made(5, opening=opening),
    ]  # fmt: skip
    log = RecordLog()
    assert not log
    for record in records:
        log.append(record)
    assert list(log) == records
    assert [log[number] for number in range(-5, 5)] == records + records
    assert log[1:4] == records[1:4]
    assert log[::-2] == records[::-2]
    assert len(log) == 5
    assert list(log.moves) == [record.moves for record in records]
    assert log.moves[1:-1] == [record.moves for record in records[1:-1]]
    assert [log.winners[number] for number in range(-5, 5)] == 2 * [r.winner for r in records]
    assert log.wins == {BLACK: 1, WHITE: 3, 0: 1}
    assert log.plies == sum(len(record.moves) for record in records)
    for number in (5, -6):
        with pytest.raises(IndexError):
            log[number]


def test_a_thousand_games_take_less_than_two_hundred_thousand_bytes():
    moves = [tuple(range(number, number + 27)) for number in range(10)]
    log = RecordLog()
    tracemalloc.start()
    for game in range(1000):
        log.append(made(game, moves=moves[game % 10]))
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < 200_000


def test_a_column_grows_with_the_records_and_reads_no_others():
    log = RecordLog()
    moves = log.moves
    assert not moves
    log.append(made(7))
    log.append(made(3))
    assert len(moves) == 2
    assert moves[-1] == tuple(range(3))
    with pytest.raises(IndexError):
        moves[2]
