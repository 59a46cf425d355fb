from __future__ import annotations

import json

import pytest

from ai.experiments.cell import run_cell
from ai.experiments.configuration import CellConfiguration, ConfigurationError, Opponents
from ai.session.league import MEMBERS, member_of
from base.storage.json_file import read_lines


def league(games: int = 6, **changes) -> CellConfiguration:
    return CellConfiguration(
        player="ann", games=games, seed=4, opponents="league", randomness="fresh", **changes
    )


def test_in_each_round_every_member_plays_once_in_the_seeds_order():
    games = [member_of(3, game) for game in range(1, 51)]
    rounds = [tuple(games[first : first + 5]) for first in range(0, 50, 5)]
    assert all(sorted(names) == sorted(MEMBERS) for names in rounds)
    assert len(set(rounds)) > 1
    assert games == [member_of(3, game) for game in range(1, 51)]
    assert games != [member_of(4, game) for game in range(1, 51)]


def test_a_member_begins_each_game_anew():
    opponents = Opponents(league())
    known = [opponents.of(game) for game in range(1, 11)]
    assert len({id(player) for player in known}) == 10, "it would remember what it searched before"


def test_each_member_is_built_once_for_its_game_and_is_who_it_says():
    opponents = Opponents(league())
    for game in range(1, 11):
        name, player = opponents.name_of(game), opponents.of(game)
        assert player.name == (name if name in ("pattern", "alpha-beta", "oracle") else "genetic")
        assert opponents.of(game) is player


def test_without_a_league_one_opponent_plays_and_no_line_names_it(tmp_path):
    cell = CellConfiguration(player="ann", games=1)
    opponents = Opponents(cell)
    assert opponents.name_of(1) is None
    assert opponents.of(1) is opponents.of(2)
    assert "opponents" not in cell.as_dict()
    run_cell(cell, tmp_path / "cell")
    assert "opponent" not in read_lines(tmp_path / "cell" / "games.jsonl")[0]


def test_a_league_is_written_down_and_gone_on_with(tmp_path):
    run_cell(league(7), tmp_path / "whole")
    run_cell(league(3), tmp_path / "broken")
    run_cell(league(7), tmp_path / "broken", resume=True)
    names = ("whole", "broken")
    first, second = ((tmp_path / name / "games.jsonl").read_bytes() for name in names)
    assert first == second
    lines = read_lines(tmp_path / "whole" / "games.jsonl")
    assert [line["opponent"] for line in lines] == [member_of(4, game) for game in range(1, 8)]
    config = json.loads((tmp_path / "whole" / "run.json").read_text())["config"]
    assert CellConfiguration.from_dict(config) == league(7, settings=config["settings"])


def test_held_out_games_are_played_against_each_member(tmp_path):
    found = run_cell(league(1), tmp_path / "cell", held_out_games=1)["held_out"]
    assert tuple(found) == MEMBERS


def test_other_words_are_refused():
    with pytest.raises(ConfigurationError, match="--opponents: expected one of genetic, league"):
        CellConfiguration(opponents="everybody")
