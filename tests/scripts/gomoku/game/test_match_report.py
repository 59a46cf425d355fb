"""How a game ended, in words, and who wins when the board is full."""

from __future__ import annotations

import pytest

from ai import WHITE, Board, GameRecord, Rules
from scripts.gomoku.game.match_report import describe_end, full_board_rule

TIC_TAC_TOE = Rules(3, 3)


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
    assert full_board_rule(Rules(7, 5, full_board_winner=WHITE)) == "White wins a full board."
    assert full_board_rule(TIC_TAC_TOE) == ""
