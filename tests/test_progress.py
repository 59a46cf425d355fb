"""Progress of long commands: the first line at once, the time that is left, and no flood."""

from __future__ import annotations

import pytest

from ai.curriculum.run import TrainingBudget
from sim.commands.cli import progress
from sim.commands.cli.progress import TimeLeft, bar, left_text
from sim.commands.learning.alphagomoku import StageLines


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


def test_a_training_tells_at_once_then_its_time_left_then_now_and_again(
    clock: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    with bar("ppo", 60_000, "loading TensorFlow") as show:
        assert capsys.readouterr().err == "goishi: ppo: 0 of 60,000, loading TensorFlow\n"
        for step in range(0, 8001, 8):
            show(step, "first episodes")
            clock[0] += 0.01
        lines = capsys.readouterr().err.splitlines()
        assert lines == ["goishi: ppo: 800 of 60,000, first episodes, 74 s left"]
        clock[0] += 20.0
        show(30_000, "return 12.0")
        show(30_008, "return 12.0")
        assert capsys.readouterr().err == "goishi: ppo: 30,000 of 60,000, return 12.0, 30 s left\n"


def test_other_commands_stay_silent_for_a_while(
    clock: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    with bar("games", 10) as show:
        show(1, "played")
        clock[0] += 19.0
        show(2, "played")
        assert capsys.readouterr().err == ""
        clock[0] += 2.0
        show(3, "")
        assert capsys.readouterr().err == "goishi: games: 3 of 10, 74 s left\n"


def test_a_resumed_training_counts_from_where_it_goes_on(clock: list[float]) -> None:
    left = TimeLeft(1000)
    assert left.seconds(900) is None
    clock[0] += 10.0
    assert left.seconds(900) is None
    assert left.seconds(950) == pytest.approx(10.0)
    assert left.seconds(1010) == 0.0


def test_words_for_times() -> None:
    assert [left_text(seconds) for seconds in (0.0, 99.4, 100.0, 3599.0, 90_000.0)] == [
        "0 s left", "99 s left", "2 min left", "1 h 0 min left", "25 h 0 min left",
    ]  # fmt: skip


def test_a_training_of_alphagomoku_tells_its_stages_and_the_time_that_is_left(
    clock: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    told = StageLines(TrainingBudget(hours=0.5))
    told.stage("generation 1 mentor, games")
    told.games(4, 0)
    clock[0] += 60.0
    told.games(4, 0)
    by_games = StageLines(TrainingBudget(games=100))
    by_games.games(10, 0)
    clock[0] += 30.0
    by_games.games(10, 0)
    assert capsys.readouterr().err.splitlines() == [
        "goishi: alphagomoku: begins, 30 min left",
        "goishi: alphagomoku: generation 1 mentor, games, 30 min left",
        "goishi: alphagomoku: generation 1 mentor, games, 8 games, 29 min left",
        "goishi: alphagomoku: begins",
        "goishi: alphagomoku: begins, 20 games, 4 min left",
    ]
