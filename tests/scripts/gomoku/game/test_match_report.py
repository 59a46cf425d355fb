"""How a game ended, in words, and who wins when the board is full."""

from __future__ import annotations

from typing import Any

import pytest

from ai import WHITE, Board, Game, GameRecord, Outcome, PlayerInfo, Position, Rules
from scripts.gomoku.game.match_report import (
    describe_end,
    full_board_rule,
    legend_of,
    resumed_words,
    row_text,
)
from scripts.gomoku.game.results import MatchResults, RecordLog

TIC_TAC_TOE = Rules(3, 3)
WHITE_INFO = PlayerInfo(
    "cnn-ann-plus", "", "", title="self-teaching network", after_loss="retrains"
)


@pytest.mark.parametrize(
    ("rules", "moves", "words"),
    [
        (TIC_TAC_TOE, (0, 3, 1, 4, 2), "Black wins, three in a row"),
        (TIC_TAC_TOE, (0, 1, 2, 4, 3, 5, 7, 6, 8), "draw, full board"),
        (
            Rules(3, 3, full_board_winner=WHITE),
            (0, 1, 2, 4, 3, 5, 7, 6, 8),
            "White wins, full board",
        ),
    ],
)
def test_how_a_game_ended_is_told(rules: Rules, moves: tuple[int, ...], words: str) -> None:
    board = Board(rules)
    for move in moves:
        board.push(move)
    assert describe_end(GameRecord.from_board(board, 1)) == words


def test_who_wins_a_full_board_is_told_where_somebody_does() -> None:
    assert (
        full_board_rule(Rules(7, 5, full_board_winner=WHITE))
        == "If the board fills up, White wins."
    )
    assert full_board_rule(TIC_TAC_TOE) == ""


class Asked(RecordLog):
    """Records of which none may be made anew."""

    def __getitem__(self, index: Any) -> Any:
        raise AssertionError("a record is made again for each game")


def test_the_statistics_of_a_match_cost_the_same_after_each_game() -> None:
    results = MatchResults(lambda *values, **more: None)
    results.records = log = Asked()
    found = results.statistics(None)
    for moves in ((0, 3, 1, 4, 2), (0, 1, 2, 4, 3, 5, 7, 6, 8)):
        board = Board(TIC_TAC_TOE)
        for move in moves:
            board.push(move)
        log.append(GameRecord.from_board(board, 1))
    assert list(found["moves"]) == [(0, 3, 1, 4, 2), (0, 1, 2, 4, 3, 5, 7, 6, 8)]
    found = results.statistics(None)
    assert found["games"] == 2
    assert found["plies"] == 14
    assert found["results"] == {"black": 1, "white": 0, "draw": 1}
    assert list(found["winners"]) == ["black", "draw"]


@pytest.mark.parametrize(("games", "begins"), [(0, "starts"), (7, "began")])
def test_a_newcomer_is_told_that_white_knows_nothing_and_learns(games: int, begins: str) -> None:
    def legend(sides: dict[int, str], *, learns: bool = True) -> Any:
        return legend_of(
            sides, PlayerInfo("ga", "", "", title="genetic algorithm"), WHITE_INFO, TIC_TAC_TOE,
            "none", learns=learns, played=games,
        )  # fmt: skip

    title, (first, *_), _ = legend({1: "Black", -1: "White"})
    assert title == "Black: genetic algorithm · White: self-teaching network"
    assert first == f"White {begins} knowing nothing and learns from each loss."
    assert any("play Red or Yellow" in line for line in legend({1: "Red", -1: "Yellow"})[1])
    without = legend({1: "Black", -1: "White"}, learns=False)[1]
    assert not any("knowing nothing" in line for line in without)


def test_it_is_said_which_learner_goes_on_and_what_is_kept() -> None:
    others = ["ann", "cnn-ann-plus", "cnn-lines"]
    assert resumed_words("White", "cnn-lines", 0, others) == (
        "White is cnn-lines and learns from the games that are kept here; "
        "what ann and cnn-ann-plus learnt is kept"
    )
    assert resumed_words("Red", "ann", 3, []) == "Red is ann and goes on with what it learnt"


class Rods(Game):
    """A game with its own rules."""

    def outcome(self, position: Position) -> Outcome | None:
        return None


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        (TIC_TAC_TOE, "three in a row"),
        (Rules(9, 7), "7 in a row"),
        (Rules(), "five in a row"),
        (Rods(), "a winning row"),
    ],
)
def test_a_row_is_told_as_long_as_the_game_has_it(rules: Game, words: str) -> None:
    assert row_text(rules) == words
