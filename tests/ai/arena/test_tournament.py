from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from ai.arena.tournament import OPENINGS, Entrant, Tournament, TournamentError, opening_positions
from ai.game import Rules, board_of
from ai.players.base import Limit

NINE = Rules(9, 5)
THREE = ("alpha-beta", "one-ply", "random")


def test_every_pair_plays_each_opening_with_both_colours():
    pairings = Tournament(THREE, games=6, rules=NINE, opening="first").pairings()
    assert [pairing.number for pairing in pairings] == list(range(1, 19))
    seats = Counter((pairing.black, pairing.white, pairing.opening) for pairing in pairings)
    assert set(seats.values()) == {1}
    assert len(seats) == 18
    assert all((white, black, opening) in seats for black, white, opening in seats)
    stones = {pairing.opening: pairing.moves for pairing in pairings}
    assert all(pairing.moves == stones[pairing.opening] for pairing in pairings)


def test_more_games_go_on_where_fewer_ended():
    few = Tournament(THREE, games=2, rules=NINE, opening="first")
    many = replace(few, games=6)
    assert many.pairings()[: len(few.pairings())] == few.pairings()
    assert not many.difference(few.as_dict())
    assert few.difference(many.as_dict())
    assert many.is_extension_of(few), "as scripts of before ask it"
    assert not few.is_extension_of(many)
    assert replace(many, seed=1).difference(few.as_dict())


def test_a_gauntlet_is_the_first_against_the_others():
    tournament = Tournament(THREE, games=2, rules=NINE, first_only=True)
    assert tournament.pairs == [("alpha-beta", "one-ply"), ("alpha-beta", "random")]


def test_plain_values_are_read_back():
    tournament = Tournament(THREE, games=4, rules=NINE, nodes=70, seed=3, opening="first")
    assert Tournament.from_dict(tournament.as_dict()) == tournament
    timed = Tournament(THREE, seconds=0.2, clock="cpu")
    assert Tournament.from_dict(timed.as_dict()).limit == Limit(seconds=0.2, on_processor=True)


def test_without_a_clock_each_player_has_its_own_budget():
    free = Tournament(THREE, clock="none")
    assert free.limit == Limit()
    assert Tournament.from_dict(free.as_dict()) == free
    with pytest.raises(TournamentError, match=r"--clock none: expected no --move-seconds"):
        Tournament(THREE, clock="none", nodes=5)


def test_an_outside_engine_is_timed_by_the_wall_alone():
    with pytest.raises(TournamentError, match=r"--clock cpu: expected .* found gomocup:mine"):
        Tournament(("random", "gomocup:mine"), clock="cpu")


def test_a_tournament_of_before_is_timed_by_the_wall():
    values = Tournament(THREE, seconds=0.2).as_dict()
    del values["clock"]
    assert Tournament.from_dict(values) == Tournament(THREE, seconds=0.2)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"players": ("random",)}, "two or more players, found 1"),
        ({"players": ("random", "random")}, "each player once, found random twice"),
        ({"games": 3}, "an even number .* found 3"),
        ({"games": 0}, "--games"),
        ({"opening": "clever"}, "--opening: expected .*balanced.* found 'clever'"),
        ({"seconds": 1.0, "nodes": 5}, "--move-seconds or --nodes, found both"),
        ({"seconds": -1.0}, "--move-seconds"),
        ({"nodes": 0}, "--nodes"),
        ({"clock": "sun"}, "--clock: expected .*wall.*cpu.* found 'sun'"),
        ({"opening": "long-pro", "rules": Rules(7, 5)}, "--opening: .* at least 9, found 7"),
    ],
)
def test_a_wrong_value_is_named(given, said):
    with pytest.raises(TournamentError, match=said):
        Tournament(**{"players": THREE, "rules": NINE, **given})


@pytest.mark.parametrize(
    ("label", "said"),
    [
        ("nobody", "expected one of .* found 'nobody'"),
        ("human", "a player that computes, found a person"),
        ("alpha-beta@depth", "KEY=VALUE after @, found 'depth'"),
        ("alpha-beta@depth=x", "depth"),
        ("alpha-beta@deep=3", "deep"),
        ("oracle", "oracle: expected a board from 3 to 8, found 15"),
    ],
)
def test_an_entrant_that_does_not_fit_is_named(label, said):
    with pytest.raises(TournamentError, match=said):
        Entrant.parse(label).seat(Rules(15, 5))


def test_settings_follow_the_name():
    entrant = Entrant.parse("alpha-beta@depth=2")
    assert (entrant.player, entrant.settings) == ("alpha-beta", {"depth": "2"})
    assert entrant.seat(NINE).name == "alpha-beta"


@pytest.mark.parametrize(
    ("label", "is_foreign"),
    [("mcts@cp=1", False), ("gomocup:mine", False), ("scripts.mine:create", True)],
)
def test_who_runs_code_of_a_project(label, is_foreign):
    assert Tournament(("random", label), rules=NINE).uses_project is is_foreign


def test_the_limit_is_half_a_second_unless_said():
    assert Tournament(THREE, rules=NINE).limit == Limit(seconds=0.5)
    assert Tournament(THREE, rules=NINE, nodes=9).limit == Limit(nodes=9)


@pytest.mark.parametrize("name", OPENINGS)
def test_openings_are_repeatable_and_legal(name):
    found = opening_positions(name, NINE, 3, seed=5)
    assert found == opening_positions(name, NINE, 3, seed=5)
    assert found[:2] == opening_positions(name, NINE, 2, seed=5)
    for moves in found:
        assert board_of(NINE, moves).outcome() is None
    stones = {"first": 1, "balanced": 3}.get(name, 0)
    assert [len(moves) for moves in found] == [stones] * 3


@pytest.mark.parametrize("size", [7, 9, 15])
def test_balanced_openings_are_of_different_shapes(size):
    rules = Rules(size, 5)
    found = opening_positions("balanced", rules, 24, seed=3)
    turned = rules.symmetries()
    boards = [np.array(board_of(rules, moves).stones, np.int8) for moves in found]
    shapes = {min(board[turn].tobytes() for turn in turned) for board in boards}
    assert len(shapes) == 24
    assert found != opening_positions("balanced", rules, 24, seed=4)
