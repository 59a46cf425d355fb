"""Games to learn from: run folders, tournaments and run databases, beside game files."""

from __future__ import annotations

import json

import pytest

from ai.arena.arena import run_arena
from ai.arena.tournament import Tournament
from ai.experiments.move_net import read_learnt_games
from ai.game import WHITE, GameRecord, OpeningKind, OpeningPhase, Rules, board_of
from ai.runs.reading import RunReadError
from ai.store.runs import RunStore

RULES = Rules(9, 5)
MOVES = ([40, 41, 49, 50, 58], [0, 1, 2, 3], [8, 7, 6])


def record(number, rules=RULES, opening=None):
    return GameRecord(rules, tuple(MOVES[number - 1]), WHITE, "resigned", number, opening=opening)


def run_folder(folder, size=9, **config):
    """Write a run's files as an experiment does."""
    folder.mkdir()
    (folder / "run.json").write_text(json.dumps({"config": {"size": size, **config}}))
    lines = [
        {
            "game": number, "winner": "white", "reason": "resigned", "plies": len(moves),
            "moves": moves, "ranks": [], "ann_nodes": 0, "relearn_records": 0,
        }
        for number, moves in enumerate(MOVES, start=1)
    ]  # fmt: skip
    (folder / "games.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return folder


def database(path, *records):
    path.parent.mkdir(exist_ok=True)
    store = RunStore.open(path)
    run = store.start_run({})
    for item in records:
        store.record_game(run, item)
    store.close()
    return path


def test_a_run_folder_and_a_database_hold_the_same_games(tmp_path):
    expected = [(tuple(moves), 1) for moves in MOVES]
    folder = run_folder(tmp_path / "run")
    file = database(tmp_path / "data" / "runs.sqlite3", record(2), record(1), record(3))
    for path in (folder, file, file.parent):
        rules, games = read_learnt_games([path])
        assert rules.size == 9
        assert [(tuple(game.moves), game.first) for game in games] == expected
    assert len(read_learnt_games([folder, file])[1]) == 6


def test_stones_of_an_opening_are_no_answers(tmp_path):
    opening = OpeningPhase(RULES, OpeningKind.SWAP, (40, 41, 49))
    opening = opening.after(opening.choices[0])
    file = database(tmp_path / "data" / "runs.sqlite3", record(1, opening=opening), record(2))
    assert [game.first for game in read_learnt_games([file])[1]] == [3, 1]


@pytest.mark.parametrize(("opening", "first"), [("balanced", 3), ("first", 1), ("swap2", 5)])
def test_nor_are_those_of_a_tournament(tmp_path, opening, first):
    tournament = Tournament(("random", "random@"), 2, RULES, opening, nodes=1)
    run_arena(tournament, tmp_path)
    rules, games = read_learnt_games([tmp_path])
    assert rules == RULES
    assert [game.first for game in games] == [first, first]
    assert all(board_of(RULES, game.moves).ply > 5 for game in games)


def test_games_of_another_board_are_named(tmp_path):
    folder = run_folder(tmp_path / "run", 15)
    file = database(tmp_path / "data" / "runs.sqlite3", record(1))
    with pytest.raises(RunReadError, match=r"run: expected games of one board, 9x9, found 15x15"):
        read_learnt_games([file, folder])
