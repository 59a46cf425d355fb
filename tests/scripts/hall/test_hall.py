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
