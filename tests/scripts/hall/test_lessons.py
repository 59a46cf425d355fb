"""What the hall says of a board whose training failed: with fakes, without workers."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from ai.messages import GameLearnt
from scripts.hall.board import HallBoard
from scripts.hall.hall import Hall
from scripts.hall.panel import cells_of

ADVICE = "the training failed: the network answers 62% of what it was taught; lower `rate`"


class FakeBoard:
    """A board as far as a lesson and its row in the table go."""

    session, games, losses, share, stopped, is_done, pace = 3, 9, 4, 0.5, "", False, 0.0
    object = SimpleNamespace(name="Board 3")
    learnt = retrains = 0
    records, title, merging = 1, "board 3", "none"
    retrain_seconds = 0.0
    needs_plate = False
    advice, held = HallBoard.advice, HallBoard.held
    on_learnt = HallBoard.on_learnt

    def __init__(self) -> None:
        self.statistics: dict = {}


def lesson(game, held, *, seconds=0.2):
    failed = held is not None and held < 0.9
    statistics = {"nodes": 7, "held": held, "failed": 1, "advice": ADVICE if failed else None}
    return GameLearnt(3, game, seconds, statistics)


@pytest.fixture
def hall():
    logged, warned = [], []
    return SimpleNamespace(
        logged=logged,
        warned=warned,
        log=SimpleNamespace(warning=warned.append),
        metrics=SimpleNamespace(log=lambda name, value, step: logged.append((name, value, step))),
    )


def test_a_failed_training_is_one_warning_with_board_and_game(hall):
    board = FakeBoard()
    for message in (lesson(8, 0.62), lesson(9, 0.62, seconds=None), lesson(10, 0.98)):
        Hall._on_lesson(hall, message, board)
    assert hall.warned == [f"Board 3, game 8: {ADVICE}"], "a game that was not trained on says none"
    assert hall.logged == [("held/03", 0.62, 8), ("held/03", 0.98, 10)]
    assert board.needs_plate, "its plate says so, or no longer"


@pytest.mark.parametrize(
    ("held", "expected"),
    [(0.62, ("62%", "amber")), (0.98, ("98%", "text")), (None, ("–", "text"))],
)
def test_the_row_of_a_board_says_what_is_held_orange_where_it_failed(hall, held, expected):
    board = FakeBoard()
    Hall._on_lesson(hall, lesson(8, held), board)
    cell = cells_of(board)[6]
    assert (cell.text, cell.color) == expected
    assert cell.tip == (ADVICE.replace("`", "") if expected[1] == "amber" else "")
