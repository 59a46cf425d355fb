"""The board of a brain, its rules and its time: impossible commands change nothing."""

import pytest

from ai.game import Board, Rules, RulesError
from ai.protocol.messages import CommandError, Info, Owner, Point, Stone
from ai.protocol.table import GameTable, bits_of, rule_name, rules_of

OWN, OTHER = Owner.OWN, Owner.OPPONENT


def table(size: int = 15) -> GameTable:
    made = GameTable(lambda rules: None)
    made.start(size, size)
    return made


def test_the_rule_bits_are_rules_and_back() -> None:
    for bits, name in ((0, "freestyle"), (1, "standard"), (4, "renju"), (9, "caro")):
        rules = rules_of(bits, 15, 12)
        assert rules == Rules(15, 5, name, height=12)
        assert (bits_of(rules), rule_name(rules)) == (bits, name)
    assert rules_of(8, 15, 15) == rules_of(9, 15, 15), "managers send either"
    for bits in (2, 3, 5, 99):
        with pytest.raises(RulesError, match=f"rule: expected one of .*; found {bits}"):
            rules_of(bits, 15, 15)
    with pytest.raises(RulesError, match="five in a row"):
        bits_of(Rules(3, 3))


def test_x_is_the_column_and_y_the_row() -> None:
    position = table().turn(Point(3, 11))
    assert position.moves == [11 * 15 + 3]


def test_a_position_is_built_whoever_began() -> None:
    one = table()
    black = one.set_board([Stone(Point(0, 0), OWN), Stone(Point(5, 5), OTHER)])
    assert (black.moves, black.to_move) == ([0, 80], 1)
    white = one.set_board(
        [Stone(Point(0, 0), OTHER), Stone(Point(2, 0), OTHER), Stone(Point(1, 0), OWN)]
    )
    assert (white.moves, white.to_move) == ([0, 1, 2], -1)


@pytest.mark.parametrize(
    ("stones", "expected"),
    [
        ([(0, 0, 1)], "expected as many stones"),
        ([(0, 0, 2), (1, 0, 2)], "expected as many stones"),
        ([(0, 0, 1), (0, 0, 2)], "expected an empty point"),
        ([(15, 0, 1), (0, 0, 2)], "expected a point of the 15x15 board, found 15,0"),
        ([(0, 0, 3)], "found 3"),
        ([(x, y, 1 + y) for x in range(5) for y in (0, 1)], "after the end"),
    ],
)
def test_a_board_that_is_no_position_changes_nothing(stones, expected: str) -> None:
    one = table()
    one.turn(Point(7, 7))
    with pytest.raises(CommandError, match=expected):
        one.set_board([Stone(Point(x, y), Owner(who)) for x, y, who in stones])
    assert one.position is not None
    assert one.position.moves == [112]


def test_moves_are_taken_back_and_forced() -> None:
    one = table()
    one.play(Point(7, 7))
    with pytest.raises(CommandError, match="TAKEBACK: expected the last move 7,7, found 7,8"):
        one.take_back(Point(7, 8))
    one.take_back(Point(7, 7))
    assert one.begin().ply == 0
    with pytest.raises(CommandError, match="TAKEBACK"):
        one.take_back(Point(7, 7))


def test_a_rule_that_comes_late_counts_all_the_same() -> None:
    one = table()
    one.info = one.info.with_info(Info("rule", "1"))
    assert one.turn(Point(0, 0)).rules == Rules(15, 5, exact=True)
    one.info = one.info.with_info(Info("rule", "2"))
    with pytest.raises(CommandError, match="rule: expected one of"):
        one.turn(Point(1, 1))


def test_nothing_is_possible_before_start() -> None:
    one = GameTable(lambda rules: None)
    for command in (one.restart, one.begin, lambda: one.turn(Point(0, 0))):
        with pytest.raises(CommandError, match="expected START first"):
            command()
    with pytest.raises(CommandError, match="size: expected an int from 3"):
        one.start(2, 2)


def test_an_end_by_the_opponent_is_refused_and_not_played() -> None:
    one = table()
    one.set_board([Stone(Point(x, y), Owner(2 - y)) for x in range(4) for y in (0, 1)])
    one.play(Point(9, 9))
    with pytest.raises(CommandError, match="expected a game that goes on"):
        one.turn(Point(4, 0))
    assert one.position is not None
    assert one.position.ply == 9


def test_the_board_is_that_of_the_rules() -> None:
    one = GameTable(lambda rules: None)
    one.start(12, 9)
    assert isinstance(one.position, Board)
    assert (one.position.rules.size, one.position.rules.rows) == (12, 9)
