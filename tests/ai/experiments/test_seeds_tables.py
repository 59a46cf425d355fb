"""The documents' experiments: played as tournaments, told in a study, no number by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ai import Rules
from ai.arena.tournament import Entrant, Tournament
from benchmarks import seeds
from benchmarks.study_tables import StudyError

TINY = seeds.Part(
    "table-3", "a place", "1 : 2",
    Tournament(("one-ply", "random", "alpha-beta"), 2, Rules(5, 4), nodes=20, first_only=True),
)  # fmt: skip


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    out = tmp_path_factory.mktemp("seeds")
    seeds.play(TINY, out, jobs=1)
    return out, seeds.read_part(TINY, out)


def study_of(**parts):
    return {"format": seeds.FORMAT, "parts": parts}


def test_what_was_played_is_taken_in(played):
    _, found = played
    assert (found["games"], found["planned"], found["faults"]) == (4, 4, 0)
    assert set(found["pairs"]) == {"one-ply|random", "one-ply|alpha-beta"}
    assert sum(sum(counts) for counts in found["pairs"].values()) == 4


def test_a_part_goes_on_where_it_stands_and_nothing_is_played_twice(played, capsys):
    out, found = played
    before = (out / "table-3" / "games.jsonl").read_bytes()
    seeds.play(TINY, out, jobs=1)
    assert (out / "table-3" / "games.jsonl").read_bytes() == before
    assert seeds.read_part(TINY, out)["pairs"] == found["pairs"]
    seeds.play(replace(TINY, tournament=replace(TINY.tournament, games=4)), out, jobs=1)
    assert seeds.read_part(TINY, out)["games"] == 8


def test_nothing_is_taken_where_nothing_was_played(tmp_path):
    assert seeds.read_part(TINY, tmp_path) is None


def test_the_tables_count_for_the_first_player():
    found = {
        "games": 24, "planned": 24, "config": {"nodes": None, "seconds": 0.5},
        "pairs": {"minimax-q|random": [12, 0, 0], "minimax-q|pattern": [1, 2, 9]},
    }  # fmt: skip
    study = study_of(**{"table-3": found})
    assert "| all | 13 | 2 | 9 |" in seeds.opponents(study)
    assert "Won to lost: 13 : 9, ratio 1.444." in seeds.opponents(study)
    row = next(line for line in seeds.overview(study).splitlines() if "`table-3`" in line)
    assert "14 of 24: 58.3%" in row
    assert "38.8% to 75.5%" in row, "Wilson's interval of 14 of 24"
    assert "planned" not in row


def test_a_part_that_was_not_finished_or_not_played_says_so():
    found = {"games": 10, "planned": 100, "config": {"nodes": 1000, "seconds": None},
             "pairs": {"mcts-nn@network=earlier|mcts": [9, 0, 1]}}  # fmt: skip
    text = seeds.overview(study_of(**{"equal-iterations": found}))
    assert "1,000 iterations, 10 games (planned: 100)" in text
    assert text.count("not played yet") == len(seeds.PARTS) - 2
    assert seeds.everybody(study_of()) == seeds.opponents(study_of()) == "Not played yet."


def test_the_settings_stand_below_the_reports_own_sum():
    found = {"games": 24, "planned": 24, "config": {"nodes": None, "seconds": 0.1},
             "pairs": {"minimax-q@depth=1|random": [12, 0, 0],
                       "minimax-q@depth=1|pattern": [1, 2, 9]}}  # fmt: skip
    study = study_of(**{"table-3-depth-1": found})
    rows = seeds.settings_of_q(study).splitlines()[2:]
    assert "| 41 : 103 | 0 | 28.5% | 21.7% to 36.3% | 0.398 (0.278 to 0.571) | 144 |" in rows[0]
    assert rows[1].startswith("| as it ships | not played yet |")
    assert rows[2].startswith("| `depth=1` | 13 : 9 | 2 | 58.3% | 38.8% to 75.5% | 1.444 (")
    assert len(rows) == 1 + len(seeds.Q_SETTINGS)
    columns = seeds.opponents_at_settings(study).splitlines()
    assert columns[0] == "| points of 12 against | `depth=1` |"
    assert "| `pattern` | 2 |" in columns
    assert "| `mcts` | – |" in columns


def test_the_cross_table_is_from_each_players_side():
    found = {"games": 4, "planned": 4, "config": {"nodes": 10, "seconds": None},
             "elo": {"a": [1400, 1300, 1500], "b": [1600, 1500, 1700]},
             "seconds": {"a": 0.5, "b": None}, "pairs": {"a|b": [1, 0, 3]}}  # fmt: skip
    rows = seeds.everybody(study_of(roster=found)).splitlines()
    assert rows[2] == "| `b` | 1600 (1500 to 1700) | 0.00 | – | 3 of 4 |"
    assert rows[3] == "| `a` | 1400 (1300 to 1500) | 0.50 | 1 of 4 | – |"


def test_every_part_can_be_played():
    assert len({part.name for part in seeds.EVERY_PART}) == len(seeds.EVERY_PART)
    for part in seeds.PARTS:
        part.tournament.entrants()
    for part in seeds.Q_PARTS:  # the opponents are those of table-3
        Entrant.parse(part.tournament.players[0])
    assert len(seeds.OPPONENTS) == 12, "as many as in the report"


def test_the_page_holds_what_the_study_says():
    assert seeds.main(["--check"]) == 0
    with pytest.raises(StudyError, match="marks"):
        seeds.rewritten("no marks", study_of())


def test_what_was_played_is_looked_at_without_being_taken(monkeypatch, played, capsys):
    out, _ = played
    monkeypatch.setattr(seeds, "PARTS", (TINY, *seeds.PARTS[1:]))
    before = seeds.STUDY.read_bytes(), seeds.PAGE.read_bytes()
    assert seeds.main(["table-3", "--out", str(out), "--keep", "--check"]) == 1
    assert "| `alpha-beta` |" in capsys.readouterr().out
    assert (seeds.STUDY.read_bytes(), seeds.PAGE.read_bytes()) == before


@pytest.mark.parametrize("words", [[], ["nothing", "--out", "x"], ["--keep", "--check"]])
def test_wrong_words_are_one_line(words, capsys):
    with pytest.raises(SystemExit, match="2"):
        seeds.main(words)
    assert "expected" in capsys.readouterr().err


def test_a_folder_of_another_tournament_is_refused(played, capsys):
    out, _ = played
    assert seeds.main(["table-3", "--out", str(out)]) == 2
    assert "another" in capsys.readouterr().err
