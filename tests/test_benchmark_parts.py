"""What the measuring programs share: command lines, tables, kept results, small projects."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.console import even, parser_of, settings_of, table
from benchmarks.games import KeptResults, Score, limit_of, points_text
from benchmarks.programs import grid_of_objects, write_project


def parse(*words: str):
    parser = parser_of(
        "What it measures.",
        games=(300, "of each"), seed=0, minutes=5.0, out=Path, seeds=[1, 2], keep=False, only=[str],
    )  # fmt: skip
    return parser.parse_args(words)


def test_a_flag_is_read_as_its_default_is():
    found = parse()
    assert (found.games, found.seed, found.minutes, found.out) == (300, 0, 5.0, None)
    assert (found.seeds, found.keep, found.only) == ([1, 2], False, None)
    found = parse("--games", "7", "--seed", "-1", "--minutes", "0.5", "--out", "a", "--keep",
                  "--seeds", "3", "4", "--only", "x", "y")  # fmt: skip
    assert (found.games, found.seed, found.minutes, found.out) == (7, -1, 0.5, Path("a"))
    assert (found.seeds, found.keep, found.only) == ([3, 4], True, ["x", "y"])


@pytest.mark.parametrize("words", [("--games", "0"), ("--games", "x"), ("--seeds", "0")])
def test_a_count_is_one_or_more(words, capsys):
    with pytest.raises(SystemExit, match="2"):
        parse(*words)
    assert "expected a whole number of 1 or more" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["3", "0", "many"])
def test_games_of_a_match_are_even(text):
    with pytest.raises(Exception, match="expected an even number, found"):
        even(text)
    assert even("4") == 4


def test_help_shows_what_is_measured(capsys):
    with pytest.raises(SystemExit, match="0"):
        parse("--help")
    said = capsys.readouterr().out
    assert "What it measures." in said
    assert "of each" in said


def test_words_of_a_match():
    assert settings_of(["alpha=5", "kernel=0,1"]) == {"alpha": "5", "kernel": "0,1"}
    assert limit_of("mcts=300")[1].nodes == 300
    assert limit_of("genetic@population=5=0.5s")[0] == "genetic@population=5"
    assert limit_of("one-ply")[1].nodes == 1
    assert points_text(15.0, 20) == "15 of 20 (53% to 89%)"
    assert str(Score.of([1.0, 0.0, 0.5, 1.0])) == "2 won, 1 drawn, 1 lost"
    assert table(("a", "b"), [("1", "")]) == "| a | b |\n|---|---|\n| 1 |  |"


def test_results_are_kept_and_read_again(tmp_path):
    kept = KeptResults(tmp_path / "new" / "games.jsonl")
    kept.add({"key": "one", "points": 0.5, "moves": [3]})
    again = KeptResults(tmp_path / "new" / "games.jsonl")
    assert "one" in again
    assert "two" not in again
    assert again.points("one") == 0.5
    KeptResults(None).add({"key": "one", "points": 1.0})


def test_a_small_project_is_written(tmp_path):
    objects = grid_of_objects(3, "scripts.many:One", lambda number: {"x": number})
    scene = write_project(tmp_path / "a", objects, {"many": "x = '\udcff'"}, {"seed": 4})
    found = json.loads(scene.read_text("utf-8"))
    assert found["settings"] == {"seed": 4}
    assert found["objects"]["obj_000002"]["components"] == {
        "cmp_000002": {"type": "scripts.many:One", "fields": {"x": 2}}
    }
    assert (tmp_path / "a" / "scripts" / "many.py").read_bytes() == b"x = '\xff'"
    assert grid_of_objects(1, "")["obj_000000"]["components"] == {}
