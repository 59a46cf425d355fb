"""The match of two versions of alpha-beta: repeatable, resumable, with an honest verdict."""

from __future__ import annotations

import argparse
import json

import pytest

from ai.game import Rules
from benchmarks import engine_match

NINE = Rules(9)


def test_an_opening_is_even_and_repeatable(monkeypatch):
    monkeypatch.setattr(engine_match, "LOOK", 30)
    drawn = engine_match.draw_opening(NINE, 1, 2)
    assert drawn == engine_match.draw_opening(NINE, 1, 2)
    assert drawn != engine_match.draw_opening(NINE, 1, 3)
    assert len(set(drawn)) == engine_match.STONES


@pytest.mark.parametrize(
    ("pairs", "verdict"),
    [
        ([[1.0, 0.5]] * 60, "stronger"),
        ([[0.0, 0.5]] * 60, "not stronger"),
        ([[1.0, 0.0]] * 3, "undecided"),
        ([], "undecided"),
    ],
)
def test_the_verdict_is_that_of_the_pairs(pairs, verdict):
    found = engine_match.verdict_of(pairs, (0.0, 30.0))
    assert found["verdict"] == verdict
    assert found["games"] == 2 * len(pairs) == found["won"] + found["drawn"] + found["lost"]
    assert found["low"] <= found["elo"] <= found["high"]
    json.dumps(found)


def play(tmp_path, *words):
    return engine_match.main(
        ["a try", "--nodes", "10", "--out", str(tmp_path), "--log", str(tmp_path / "log"), *words]
    )


def test_a_match_goes_on_where_it_was_broken_off(tmp_path, monkeypatch, capsys):
    numbers = []
    monkeypatch.setattr(
        engine_match, "draw_opening", lambda rules, seed, number, *referee: (number,)
    )
    monkeypatch.setattr(
        engine_match, "play_pair", lambda versions, rules, opening, *more: numbers.append(opening) or [1.0, 0.0]
    )  # fmt: skip
    play(tmp_path, "--games", "4", "--set", "razor=1")
    play(tmp_path, "--games", "6", "--set", "razor=1")
    assert numbers == [(0,), (1,), (2,)]
    lines = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    assert [line["games"] for line in lines] == [4, 6]
    assert lines[0]["set"] == {"razor": 1}
    assert lines[0]["bounds"] == [0.0, 30.0]
    assert "undecided" in capsys.readouterr().out
    with pytest.raises(SystemExit, match="expected the match"):
        play(tmp_path, "--games", "8", "--set", "razor=2")


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (engine_match.tuning_of, "razor"),
        (engine_match.tuning_of, "razor=much"),
        (engine_match.bounds_of, "30,0"),
        (engine_match.bounds_of, "5"),
        (engine_match.nodes_of, "0"),
        (engine_match.nodes_of, "10,many"),
        (engine_match.nodes_of, "10,7,5"),
    ],
)
def test_what_cannot_be_read_is_told(read, text):
    with pytest.raises(argparse.ArgumentTypeError, match="expected"):
        read(text)
    assert engine_match.tuning_of("a=1,b=-2") == {"a": 1, "b": -2}
    assert (engine_match.nodes_of("10"), engine_match.nodes_of("10,7")) == ((10, 10), (10, 7))
