from __future__ import annotations

import json

import pytest

from ai.game import BLACK, WHITE, Board, GameRecord, RecordError, Rules, Termination

RULES = Rules(3, 3, full_board_winner=WHITE)
WON = Board.from_moves([0, 3, 1, 4, 2], RULES)


def test_a_record_survives_json():
    record = GameRecord.from_board(WON, game=3)
    assert (record.winner, record.termination, record.learner_color) == (BLACK, "five", WHITE)
    assert record.outcome.termination is Termination.FIVE
    assert GameRecord.from_dict(json.loads(json.dumps(record.as_dict()))) == record


def test_a_record_gives_its_positions_back():
    record = GameRecord.from_board(WON, game=1)
    assert record.board() == WON
    assert record.board(2).moves == [0, 3]


def test_an_unfinished_game_is_no_record():
    with pytest.raises(RecordError, match="found one at ply 2"):
        GameRecord.from_board(Board.from_moves([0, 3], RULES), game=1)


def test_a_game_given_up_survives_json_and_is_lost_by_who_gave_up():
    board = Board.from_moves([0, 3, 1], RULES)
    record = GameRecord.from_resignation(board, game=2, loser=WHITE)
    assert record.outcome.termination is Termination.RESIGNED
    assert record.winner == BLACK
    assert GameRecord.from_dict(json.loads(json.dumps(record.as_dict()))) == record


@pytest.mark.parametrize(
    ("moves", "change"),
    [([0, 3, 1, 4, 2], {}), ([0, 3], {"winner": 0})],
    ids=["decided on the board", "no winner"],
)
def test_a_wrong_resignation_is_refused(moves, change):
    values = GameRecord.from_resignation(Board.from_moves([0, 3], RULES), 1, loser=BLACK).as_dict()
    with pytest.raises(RecordError, match="by 'resigned'"):
        GameRecord.from_dict(values | {"moves": moves} | change)


@pytest.mark.parametrize(("board", "loser"), [(WON, WHITE), (Board(RULES), 0)])
def test_only_a_side_of_a_game_that_goes_on_can_resign(board, loser):
    with pytest.raises(RecordError, match="expected a game that goes on"):
        GameRecord.from_resignation(board, 1, loser=loser)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"moves": [0, 0]}, "expected an empty point"),
        ({"moves": [0, 3]}, "expected None, found winner 1"),
        ({"moves": [0, 99]}, "found 99"),
        ({"winner": -1}, "found winner -1"),
        ({"termination": "full"}, "by 'full'"),
        ({"rules": {"size": 1}}, "size: expected"),
        ({"rules": 3}, "expected a game record"),
    ],
)
def test_a_record_that_breaks_its_rules_is_refused(change, fault):
    values = GameRecord.from_board(WON, game=1).as_dict() | change
    with pytest.raises(RecordError, match=fault):
        GameRecord.from_dict(values)


def test_a_missing_key_is_named():
    values = GameRecord.from_board(WON, game=1).as_dict()
    del values["game"]
    with pytest.raises(RecordError, match="expected the key 'game'"):
        GameRecord.from_dict(values)
