from __future__ import annotations

import json
import shlex
import sys
from dataclasses import replace
from html import escape
from html.parser import HTMLParser

import pytest

from ai.arena import arena as module
from ai.arena.arena import read_tournament, results_in, run_arena
from ai.arena.page import page_of
from ai.arena.tournament import Tournament, TournamentError
from ai.game import Rules
from ai.runs.reading import read_games
from base.locks import FolderBusyError, FolderLock
from base.storage.json_file import LinesFileError
from base.storage.run_folder import RunFolderError

SMALL = Tournament(("one-ply", "random", "alpha-beta@depth=1"), games=4, rules=Rules(7, 4),
                   nodes=20, seed=2)  # fmt: skip


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    out = tmp_path_factory.mktemp("arena")
    seen = []
    results = run_arena(SMALL, out, report=lambda *told: seen.append(told))
    return out, results, seen


def untimed(results):
    return {**results, "seconds": None}


def test_all_games_are_played_and_told(finished):
    out, results, seen = finished
    assert [told[:2] for told in seen] == [(done, 12) for done in range(13)]
    assert json.loads((out / "results.json").read_text()) == results
    assert len(results["games"]) == 12
    assert set(results["pairs"]) == {
        "one-ply|random",
        "one-ply|alpha-beta@depth=1",
        "random|alpha-beta@depth=1",
    }
    assert all(sum(counts) == 4 for counts in results["pairs"].values())
    assert results["elo"]["one-ply"][0] > results["elo"]["random"][0]
    assert all(results["seconds"][name] >= 0.0 for name in SMALL.players)


def test_stones_of_the_opening_took_no_time(finished):
    lines = [
        {
            "game": number, "black": black, "white": white, "opening": 0, "winner": "draw",
            "reason": "full", "fault": None, "plies": 7, "moves": list(range(7)),
            "seconds": {"black": 4.0, "white": 4.0},
        }
        for number, (black, white) in enumerate((SMALL.players[:2], SMALL.players[1::-1]), 1)
    ]  # fmt: skip
    found = results_in(SMALL, lines)["seconds"]
    assert found == {"one-ply": 2.0, "random": 2.0, "alpha-beta@depth=1": None}


def test_its_games_can_be_replayed(finished):
    out, _results, _ = finished
    records = read_games(out)
    assert [record.game for record in records] == list(range(1, 13))
    assert {record.rules for record in records} == {SMALL.rules}


def test_broken_off_in_a_line_and_resumed_it_is_the_same(finished, tmp_path):
    _out, results, _ = finished
    with pytest.raises(KeyboardInterrupt):
        run_arena(SMALL, tmp_path, report=interrupt_after(5))
    path = tmp_path / "games.jsonl"
    assert path.read_bytes().count(b"\n") == 5
    with path.open("ab") as file:
        file.write(b'{"game": 6, "bla')
    with pytest.raises(RunFolderError, match="add --resume"):
        run_arena(SMALL, tmp_path)
    again = run_arena(SMALL, tmp_path, resume=True)
    assert untimed(again) == untimed(results)


def interrupt_after(count):
    def report(done, games, line):
        if done == count:
            raise KeyboardInterrupt

    return report


def test_two_at_a_time_play_the_same_games(finished, tmp_path):
    assert untimed(run_arena(SMALL, tmp_path, jobs=2)) == untimed(finished[1])


def test_more_games_are_added(finished, tmp_path):
    few = replace(SMALL, games=2)
    run_arena(few, tmp_path)
    before = (tmp_path / "games.jsonl").read_text()
    results = run_arena(SMALL, tmp_path, resume=True)
    assert untimed(results) == untimed(finished[1])
    assert (tmp_path / "games.jsonl").read_text().startswith(before)
    assert read_tournament(tmp_path) == SMALL
    with pytest.raises(RunFolderError, match="this tournament's folder, found another"):
        run_arena(few, tmp_path, resume=True)


def test_another_folder_is_left_alone(tmp_path):
    (tmp_path / "run.json").write_text('{"format": "goishi.experiment/1", "config": {}}')
    with pytest.raises(RunFolderError, match=r"goishi.arena/1.*goishi.experiment/1"):
        run_arena(SMALL, tmp_path, resume=True)
    with FolderLock(tmp_path / "busy"), pytest.raises(FolderBusyError):
        run_arena(SMALL, tmp_path / "busy")


@pytest.mark.parametrize(
    ("line", "error", "said"),
    [
        ("{}", LinesFileError, r"games.jsonl:1: expected the key 'game'"),
        ('{"game": 1, "winner": "black", "reason": "five", "plies": 1, "moves": [1], "ranks": [],'
         ' "ann_nodes": 0, "relearn_records": 0, "black": "random", "white": "x", "opening": 0}',
         TournamentError, "found game 1 of random and x"),
    ],
)  # fmt: skip
def test_a_strange_line_is_named(tmp_path, line, error, said):
    values = {"format": module.FORMAT, "config": SMALL.as_dict()}
    (tmp_path / "run.json").write_text(json.dumps(values))
    (tmp_path / "games.jsonl").write_text(line + "\n")
    with pytest.raises(error, match=said):
        run_arena(SMALL, tmp_path, resume=True)


def test_a_sequential_test_ends_the_match_early(tmp_path):
    match = Tournament(
        ("one-ply", "random"), games=100, rules=Rules(7, 4), nodes=5, opening="first"
    )
    results = run_arena(match, tmp_path, bounds=(0.0, 200.0))
    assert results["sprt"]["verdict"] == "stronger"
    assert 4 < len(results["games"]) < 60
    again = run_arena(match, tmp_path, bounds=(0.0, 200.0), resume=True)
    assert again == results, "decided: nothing more is played"
    with pytest.raises(TournamentError, match="--sprt: expected two players, found 3"):
        run_arena(SMALL, tmp_path / "other", bounds=(0.0, 50.0))


def test_without_ray_it_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(TournamentError, match=r"pip install 'ray~=2\.60\.0'"):
        run_arena(SMALL, tmp_path, backend="ray")
    assert not (tmp_path / "run.json").exists()


@pytest.mark.nightly
def test_a_cluster_plays_the_same_games(finished, tmp_path):
    assert untimed(run_arena(SMALL, tmp_path, backend="ray")) == untimed(finished[1])


class Reader(HTMLParser):
    """Collects the tags that are open and the text."""

    def __init__(self):
        super().__init__()
        self.open, self.text = [], []

    def handle_starttag(self, tag, attrs):
        if tag not in ("meta", "circle", "path", "rect"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in ("circle", "path", "rect"):
            assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def test_the_page_is_sound_and_says_it_all(finished):
    out, results, _ = finished
    page = (out / "index.html").read_text(encoding="utf-8")
    reader = Reader()
    reader.feed(page)
    assert reader.open == []
    text = "".join(reader.text)
    assert page.count("<svg") == 12
    assert page.count("<circle") == sum(game["plies"] for game in results["games"])
    for name in SMALL.players:
        assert f"{round(results['elo'][name][0])}" in text
        assert name in text
    assert f"python main.py replay {out} --game 12" in text
    spaced = page_of(SMALL, results, folder="my games")
    assert f"replay {escape(shlex.quote('my games'))} --game 12" in spaced
    assert "http" not in page, "nothing is loaded from elsewhere"


def test_names_are_text_on_the_page(tmp_path):
    label = "one-ply@attention=<b>"
    values = module.results_in(replace(SMALL, players=(label, "random")), [])
    page = page_of(replace(SMALL, players=(label, "random")), values)
    assert "<b>" not in page.replace("<b style", "")
    assert "&lt;b&gt;" in page
