"""The archive on a full disk: what is there is read, and what comes later is kept again."""

from __future__ import annotations

from ai import RunStore, RunStoreError
from ai.game import BLACK, Board, GameRecord, Rules
from tests.sim.core.stage import Stage

ARCHIVE = "goishi:scripts.gomoku.game.archive:Archive"
RULES = Rules(7, 5, full_board_winner=-1)
BOARD = Board.from_moves("a1 a7 b1 b7 c1 c7 d1 d7 e1", RULES)


def record(game: int) -> GameRecord:
    made = GameRecord.from_board(BOARD, game)
    assert made.winner == BLACK
    return made


def opened(stage: Stage, folder):
    """Open a scene of one archive, and return it awake."""
    slot = stage.open_one(ARCHIVE, data_dir=folder)
    stage.app.frame()
    return slot.instance


def fill_disk(patch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RunStoreError("runs.sqlite3: cannot be written: database or disk is full")

    for name in ("start_run", "record_game"):
        patch.setattr(RunStore, name, fail)


def test_of_a_damaged_database_the_whole_games_are_shown(stage, tmp_path):
    archive = opened(stage, tmp_path / "data")
    for game in range(1, 5):
        archive.keep(record(game), network_id=1, details={})
    archive.store._connection.execute("UPDATE games SET record = '[' WHERE game = 2")
    stage.app.close()
    archive = opened(stage, tmp_path / "data")
    assert [item.record.game for item in archive.earlier_games()] == [1, 3, 4]
    assert [item.game for item in archive.summaries((0, 0))] == [1, 3, 4]
    (line,) = stage.lines("warning")
    assert "game 2 of run 1 is left out, since it is damaged" in line


def test_games_of_before_are_there_while_the_disk_is_full(stage, tmp_path, monkeypatch):
    archive = opened(stage, tmp_path / "data")
    for game in range(1, 14):
        archive.keep(record(game), network_id=1, details={})
    stage.app.close()
    with monkeypatch.context() as patch:
        fill_disk(patch)
        archive = opened(stage, tmp_path / "data")
        assert [item.record.game for item in archive.earlier_games()] == [*range(1, 14)]
        archive.keep(record(14), network_id=1, details={})
    archive.keep(record(15), network_id=1, details={})
    stored = [(item.run_id, item.record.game) for item in archive.store.games()]
    assert stored == [*((1, game) for game in range(1, 14)), (2, 15)]
    told = [line.text for line in stage.app.console.records if line.level == "error"]
    assert len(told) == 1, "told once, for the start and for the game that is not kept"
    assert sum(line.count for line in stage.app.console.records if line.level == "error") == 2
