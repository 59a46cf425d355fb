from __future__ import annotations

import os
import sqlite3

import pytest

from ai.game import WHITE, Board, GameRecord, Rules
from ai.store import runs
from ai.store.runs import RunStore, RunStoreError

RULES = Rules(7, 5, full_board_winner=WHITE)


def record(game: int) -> GameRecord:
    moves = "d1 a1 d2 a2 d3 a3 d4 a4 d5"
    return GameRecord.from_board(Board.from_moves(moves, RULES), game)


@pytest.fixture
def store(tmp_path):
    opened = RunStore.open(tmp_path / "deep" / "runs.sqlite")
    yield opened
    opened.close()


def test_games_come_back_with_everything(store):
    run = store.start_run({"seed": 1})
    store.record_game(
        run,
        record(1),
        network_id=3,
        details={"ranks": [1, 2]},
        explanations=[None, {"rank": 1}],
    )
    (game,) = store.games(run)
    assert game.record == record(1)
    assert (game.network_id, game.details) == (3, {"ranks": [1, 2]})
    assert store.explanations(run, 1) == [None, {"rank": 1}]
    assert store.explanations(run, 2) == []
    assert store.runs() == {run: {"seed": 1}}


def test_a_long_run_keeps_few_pages_of_its_database_in_memory(store):
    (kib,) = store._connection.execute("PRAGMA cache_size").fetchone()
    assert -512 <= kib < 0, "KiB, not pages"


def test_runs_are_kept_apart_and_asked_for_from_a_game_on(store):
    first, second = store.start_run({}), store.start_run({})
    for game in (1, 2, 3):
        store.record_game(first, record(game))
    store.record_game(second, record(7))
    assert [game.record.game for game in store.games(first, since=1)] == [2, 3]
    assert len(store.games()) == 4
    assert (store.last_game(first), store.last_game(second), store.last_game()) == (3, 7, 7)


def test_summaries_come_in_order_and_only_the_new_ones_are_asked_for(store):
    first, second = store.start_run({}), store.start_run({})
    store.record_game(second, record(2), details={"finished": "2026-01-02T03:04:05+00:00"})
    store.record_game(first, record(9), network_id=4, details={"beside": {"ply": 3}})
    kept = store.summaries()
    assert [(item.run_id, item.game) for item in kept] == [(first, 9), (second, 2)]
    assert [(item.network_id, item.is_beside) for item in kept] == [(4, True), (None, False)]
    assert kept[1].finished == "2026-01-02T03:04:05+00:00"
    assert kept[0].finished.startswith("20"), "the run's beginning stands in"
    assert {(item.winner, item.plies, item.termination) for item in kept} == {(1, 9, "five")}
    assert store.summaries((first, 9)) == kept[1:]
    assert store.summaries((second, 2)) == []


def test_one_game_is_read_by_its_number(store):
    run = store.start_run({})
    store.record_game(run, record(3), network_id=1)
    found = store.game(run, 3)
    assert found is not None
    assert found.record == record(3)
    assert store.game(run, 4) is None


def test_a_game_stored_again_replaces_the_old_one(store):
    run = store.start_run({})
    store.record_game(run, record(1), network_id=1)
    store.record_game(run, record(1), network_id=2)
    assert [game.network_id for game in store.games(run)] == [2]


def test_an_empty_store_has_no_games(store):
    assert store.last_game() == 0
    assert store.games() == []


def test_it_opens_again_and_a_reader_may_look_meanwhile(store):
    run = store.start_run({})
    store.record_game(run, record(1))
    reader = RunStore.open(store.path)
    assert reader.last_game(run) == 1
    reader.close()
    reader.close()


@pytest.mark.parametrize("content", [b"not a database at all" * 100, None])
def test_something_else_is_refused_by_name(tmp_path, content):
    path = tmp_path / "runs.sqlite"
    if content is None:
        with sqlite3.connect(path) as connection:
            connection.execute("CREATE TABLE other (x)")
        connection.close()
    else:
        path.write_bytes(content)
    with pytest.raises(RunStoreError, match=r"runs\.sqlite: expected a run database"):
        RunStore.open(path)


def test_a_newer_version_is_refused(tmp_path):
    path = tmp_path / "runs.sqlite"
    RunStore.open(path).close()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(RunStoreError, match="newer"):
        RunStore.open(path)


def test_a_write_that_fails_is_named_and_leaves_the_rest(store):
    run = store.start_run({})
    store.record_game(run, record(1))
    with pytest.raises(RunStoreError, match="cannot be written"):
        store.record_game(run + 1, object_without_a_run(), network_id="x")
    assert store.last_game(run) == 1


def object_without_a_run() -> GameRecord:
    return record(2)


def test_changes_come_back_by_game_and_a_database_without_any_has_none(store):
    run = store.start_run({})
    assert store.changes() == []
    later = {"game": 9, "key": "alpha", "from": 10.0, "to": None}
    first = {"game": 4, "key": "alpha", "from": 5.0, "to": 10.0}
    store.record_change(run, later)
    store.record_change(run, first)
    assert store.changes(run) == store.changes() == [first, later]
    assert store.changes(run + 1) == []


def test_a_change_that_cannot_be_read_is_named(store):
    run = store.start_run({})
    store.record_change(run, {"game": 1, "key": "alpha", "from": 1, "to": 2})
    store._connection.execute("UPDATE changes SET change = '[cut'")
    sound = {"game": 2, "key": "alpha", "from": 2, "to": 3}
    store.record_change(run, sound)
    assert store.changes() == store.changes() == [sound]
    (line,) = store.left_out
    assert line.startswith(f"{store.path}: a change at game 1 is left out, since it is damaged: ")


WRONG = ["[cut", "", "{}", "3", "null", '{"moves": [0, 0]}', "[" * 100_000, "\ud7ff"]


@pytest.mark.parametrize("column", ["record", "details"])
@pytest.mark.parametrize("content", WRONG)
def test_of_a_damaged_database_the_games_that_are_whole_are_read(store, column, content):
    run = store.start_run({})
    for number in (1, 2, 3):
        store.record_game(run, record(number))
    store._connection.execute(f"UPDATE games SET {column} = ? WHERE game = 2", (content,))
    is_whole = column == "details" and content.startswith("{")
    assert [item.record.game for item in store.games()] == ([1, 2, 3] if is_whole else [1, 3])
    assert {item.game for item in store.summaries()} >= {1, 3}
    for line in store.left_out:
        assert line.startswith(
            f"{store.path}: game 2 of run {run} is left out, since it is damaged"
        )
        assert len(line) < 600
        assert "\n" not in line
    assert len(store.left_out) >= (not is_whole)
    store._connection.execute("UPDATE games SET record = '[' WHERE game <> 2")
    if not is_whole:
        with pytest.raises(RunStoreError, match="is left out, since it is damaged"):
            store.games()


def test_of_a_file_with_overwritten_pages_both_ends_are_read(tmp_path):
    path = tmp_path / "runs.sqlite"
    made = RunStore.open(path)
    run = made.start_run({})
    for number in range(1, 301):
        made.record_game(run, record(number), details={"note": "x" * 900})
    made.close()
    content = bytearray(path.read_bytes())
    middle = len(content) // 2 // 4096 * 4096
    content[middle : middle + 40 * 4096] = b"\xff" * (40 * 4096)
    path.write_bytes(content)
    store = RunStore.open(path)
    numbers = [item.record.game for item in store.games()]
    listed = [item.game for item in store.summaries()]
    assert listed == numbers == sorted(numbers)
    assert numbers[0] == 1
    assert numbers[-1] == 300
    assert 200 < len(numbers) < 300
    assert any("what stands between game" in line for line in store.left_out)
    assert all("is left out, since it is damaged: " in line for line in store.left_out)
    store.close()


def test_measures_come_back_by_game_each_as_the_latest_run_left_it(store):
    assert store.measures() == []
    first, second = store.start_run({}), store.start_run({})
    store.record_measures(first, 3, {"loss": 0.5, "nodes": 12.0})
    store.record_measures(first, 1, {"loss": 0.9})
    store.record_measures(second, 3, {"loss": 0.25})
    assert store.measures() == [(1, "loss", 0.9), (3, "loss", 0.25), (3, "nodes", 12.0)]
    store._connection.execute("DROP TABLE measures; ")
    assert store.measures() == []


def state_of(folder):
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.iterdir()}


def foreign(path):
    """Make a database of another program, which does not write ahead."""
    connection = sqlite3.connect(path)
    connection.executescript("CREATE TABLE bookmarks (url TEXT); INSERT INTO bookmarks VALUES (1);")
    connection.close()


REFUSED = [
    (name, opening)
    for opening in (RunStore.open, RunStore.open_to_read)
    for name in ("foreign", "empty", "text", "folder", "pipe")
    if (name, opening) != ("empty", RunStore.open)  # SQLite makes an empty file first
]


@pytest.mark.parametrize(("name", "opening"), REFUSED)
def test_what_is_no_run_database_is_refused_and_unchanged(tmp_path, name, opening):
    path = tmp_path / "there" / "x.sqlite3"
    path.parent.mkdir()
    if name == "foreign":
        foreign(path)
    elif name == "folder":
        path.mkdir()
    elif name == "pipe":
        os.mkfifo(path)
    else:
        path.write_text("" if name == "empty" else "some text of the user's, more than a header")
    before = None if name in ("folder", "pipe") else state_of(path.parent)
    with pytest.raises(RunStoreError, match="expected a run database, found"):
        opening(path)
    assert before is None or state_of(path.parent) == before
    assert len(list(path.parent.iterdir())) == 1


@pytest.mark.parametrize("is_running", [True, False])
def test_a_run_is_read_without_a_change_to_its_folder(tmp_path, is_running):
    writing = RunStore.open(tmp_path / "runs.sqlite3")
    run = writing.start_run({"seed": 1})
    writing.record_game(run, record(1))
    if not is_running:
        writing.close()
    assert (tmp_path / "runs.sqlite3-wal").exists() is is_running
    before = state_of(tmp_path)
    reading = RunStore.open_to_read(tmp_path / "runs.sqlite3")
    assert [item.record.game for item in reading.games()] == [1]
    with pytest.raises(RunStoreError, match="cannot be written"):
        reading.start_run({})
    reading.close()
    assert state_of(tmp_path) == before
    writing.close()


def test_a_database_is_not_written_through_a_link(tmp_path):
    RunStore.open(tmp_path / "own.sqlite3").close()
    (tmp_path / "runs.sqlite3").symlink_to(tmp_path / "own.sqlite3")
    (tmp_path / "other.sqlite3-wal").symlink_to(tmp_path / "nothing")
    for name in ("runs.sqlite3", "other.sqlite3"):
        with pytest.raises(RunStoreError, match="a link to"):
            RunStore.open(tmp_path / name)
    assert not (tmp_path / "nothing").exists()


def test_a_folder_that_may_not_be_written_is_said_so(tmp_path, monkeypatch):
    def refuse(path, first=""):
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr(runs, "_connect", refuse)
    monkeypatch.setattr(runs.os, "access", lambda path, mode: False)
    with pytest.raises(RunStoreError, match=r"found a folder that may not be written to$"):
        RunStore.open(tmp_path / "runs.sqlite")
