"""What the hall does first: with fakes, without an app."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from scripts.hall.hall import Hall


@pytest.mark.parametrize("is_paused", [False, True])
def test_every_board_is_opened_and_the_status_says_that_they_learn(is_paused):
    sent, opened, told = [], [], []

    async def until(test):
        opened.append("waits")

    async def finish():
        opened.append("finished")

    link = SimpleNamespace(send=sent.append)
    hall = SimpleNamespace(
        processes=1, boards=["a", "b"], nice=5, slot=None, links=[], is_paused=is_paused,
        workers=SimpleNamespace(open=lambda *words, **options: link), _open_again=None, handle="take",
        _open=lambda board, fresh: opened.append((board, fresh)), run=SimpleNamespace(fresh=True),
        status=SimpleNamespace(set=lambda *words, **options: told.append((words, options))),
        until=until, _finish=finish,
    )  # fmt: skip
    running = Hall.play(hall)
    with pytest.raises(StopIteration):
        running.send(None)
    assert opened == [("a", True), ("b", True), "waits", "finished"]
    assert told == [(("training", "2 boards learn"), {"busy": True})]
    assert len(sent) == is_paused
    assert hall.links == [link]
    assert link.on_message == "take"


@pytest.mark.parametrize(("ready", "games", "is_paused", "says"), [
    (0, 0, False, "Starting 2 workers: 0 of 3 boards are ready"),
    (2, 0, False, "Starting 2 workers: 2 of 3 boards are ready"),
    (3, 0, False, "Waiting for the first game: each takes some seconds"),
    (3, 1, False, ""),
    (0, 0, True, ""),
])  # fmt: skip
def test_it_says_what_it_waits_for(ready, games, is_paused, says):
    boards = [
        SimpleNamespace(base=0 if number < ready else None, stopped="", games=games)
        for number in range(3)
    ]
    hall = SimpleNamespace(boards=boards, links=[1, 2], is_paused=is_paused)
    assert Hall.waiting_for.fget(hall) == says


def test_another_attempt_has_other_dice_and_a_folder_of_its_own():
    from scripts.hall.board import HallBoard

    board = SimpleNamespace(records=4, alpha=5.0, further="", seed=3, player="ann", session=1)
    first, second = (HallBoard.configuration(board, None, "10x10", number) for number in (1, 2))
    assert (first["seed"], second["seed"]) == (3, 1003)
    assert HallBoard.folder_name(board, first) != HallBoard.folder_name(board, second)
    assert HallBoard.configuration(board, None, "10x10") == first
