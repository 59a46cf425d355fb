"""Tournaments of a project's own game: the cube of docs/other_games.md."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest

from ai.arena.arena import run_arena, write_table
from ai.arena.tournament import Tournament, TournamentError, opening_positions
from ai.game import BLACK, EMPTY, WHITE, NotationError, Position, Termination, board_of, moves_of
from ai.players.base import Limit
from ai.registry.players import create_player, get_player_info, refusal_of
from ai.registry.project_games import get_game
from ai.runs.reading import read_games
from base.errors import UsageError
from base.files import SHIPPED_ROOT
from base.trust import trust_for_this_run
from sim.commands.arena import arena
from sim.commands.replay import chosen_game

pytestmark = pytest.mark.usefixtures("project_scripts")

PROJECT = SHIPPED_ROOT / "docs" / "projects" / "cube"
OTHELLO = SHIPPED_ROOT / "docs" / "projects" / "othello"
ROW = "1a1 4d1 1b1 4d2 1c1 4d3 1d1"
"""Black has four in a row on the first level."""


@pytest.fixture
def cube():
    trust_for_this_run(PROJECT)
    return get_game("cube", PROJECT).rules


def test_the_game_names_its_moves_and_draws_its_board(cube):
    position = Position.from_moves(ROW, cube)
    assert position.outcome().winner == BLACK
    assert position.outcome().termination is Termination.FIVE
    assert position.to_text(position.moves[-1]) == "1d1"
    assert eval(repr(position), {"Position": Position, type(cube).__name__: type(cube)}) == position
    assert str(position).splitlines()[:2] == [
        "level 1   level 2   level 3   level 4",
        "X X X X   . . . .   . . . .   . . . O",
    ]
    with pytest.raises(NotationError, match=r"move 2: expected level, column .* found 'b5'"):
        moves_of("1a1 b5", cube)


def test_names_are_inverses_and_turns_keep_the_rules(cube):
    assert moves_of(" ".join(map(cube.to_text, range(64))), cube) == tuple(range(64))
    assert moves_of("1a1, PASS", cube) == (0, -1)
    turns = cube.symmetries()
    assert turns.shape == (48, 64)
    assert turns[0].tolist() == list(range(64))
    rng = np.random.default_rng(3)
    stones = rng.integers(-1, 2, 64).astype(np.int8)
    stones[[0, 21, 42, 63]] = WHITE  # a diagonal of the cube
    for turn in turns:
        position = Position(cube)
        position.stones = np.where(np.isin(np.arange(64), np.flatnonzero(
            np.isin(turn, [0, 21, 42, 63]))), WHITE, EMPTY).tolist()  # fmt: skip
        assert cube.outcome(position).winner == WHITE


@pytest.mark.parametrize(
    ("name", "moves", "best"),
    [
        ("mcts", ROW[:-4], "1d1"),
        ("alpha-beta", ROW[:-4], "1d1"),
        ("alpha-beta", "1a1 4a1 1b1 4b1 2b2 4c1", "4d1"),
    ],
)
def test_it_completes_a_row_and_stops_one(cube, name, moves, best):
    position = board_of(cube, moves)
    before = position.copy()
    chosen = create_player(name, cube).choose(position, Limit(nodes=1500), np.random.default_rng(1))
    assert position == before
    assert position.to_text(chosen.move) == best
    assert chosen.explanation is not None


def test_it_passes_where_the_game_says_so():
    trust_for_this_run(OTHELLO)
    othello = get_game("othello", OTHELLO).rules
    for name in ("mcts", "alpha-beta"):
        player, position = create_player(name, othello), board_of(othello)
        rng = np.random.default_rng(2)
        while position.outcome() is None:
            position.play(player.choose(position, Limit(nodes=2), rng).move)


def test_openings_of_any_game_are_different_and_no_end(cube):
    found = opening_positions("balanced", cube, 6, seed=4)
    assert found == opening_positions("balanced", cube, 6, seed=4)
    assert len(set(found)) == 6
    assert {len(moves) for moves in found} == {3}
    assert {len(moves) for moves in opening_positions("first", cube, 2)} == {1}


def test_a_tournament_is_played_kept_and_read(cube, tmp_path):
    given = {"games": 2, "rules": cube, "nodes": 5, "project": PROJECT}
    tournament = Tournament(("random", "mcts"), **given)
    assert pickle.loads(pickle.dumps(tournament)) == tournament
    results = run_arena(tournament, tmp_path)
    assert [game["fault"] for game in results["games"]] == [None, None]
    line = json.loads((tmp_path / "games.jsonl").read_text().splitlines()[0])
    assert len(Position.from_moves(line["moves"], cube).moves) == line["plies"]
    assert [record.rules for record in read_games(tmp_path, PROJECT)] == [cube, cube]
    assert chosen_game(tmp_path, 2, PROJECT) == 2
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "Cube(size=4, height=16)" in page
    assert "<pre>level 1" in page
    assert "five in a row" not in page, "the game has rows of four"
    assert cube.to_text(line["moves"][0]) in page
    assert "Cube(size=4, height=16)" in write_table(tmp_path, None, tmp_path)
    more = Tournament(("random", "mcts"), **{**given, "games": 4})
    assert len(run_arena(more, tmp_path, resume=True)["games"]) == 4


def test_who_plays_only_rows_is_refused_in_one_line(cube):
    for name in ("cnn-lines", "ann-lines"):
        assert refusal_of(get_player_info(name), cube) == "", "the cube names its lines"
    for name in ("genetic", "one-ply", "pattern"):
        words = f"{name}: expected an m,n,k game, found Cube"
        assert refusal_of(get_player_info(name), cube).startswith(words)
        with pytest.raises(TournamentError, match=rf"^{words}"):
            Tournament(("random", name), rules=cube).entrants()
    with pytest.raises(TournamentError, match="mcts@level=2: level: expected an m,n,k game"):
        Tournament(("random", "mcts@level=2"), rules=cube).entrants()
    with pytest.raises(TournamentError, match="--opening: expected balanced, first or none"):
        Tournament(("random", "mcts"), rules=cube, opening="swap2")


def test_the_command_plays_a_game_by_its_name(tmp_path):
    given = {"games": 2, "nodes": 3, "project": PROJECT, "trust": True}
    assert arena(["random", "mcts"], game="cube", out=tmp_path / "a", **given) == 0
    with pytest.raises(UsageError, match=r"--game: expected .*cube.* found 'cubes'"):
        arena(["random", "mcts"], game="cubes", out=tmp_path / "b", **given)
    with pytest.raises(UsageError, match="--game: expected no --board beside it, found both"):
        arena(["random", "mcts"], game="cube", board=9, out=tmp_path / "b", **given)
