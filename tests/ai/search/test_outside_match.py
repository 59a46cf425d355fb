"""Matches with a program from outside: kept, resumed and counted; turning moves of lost games."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ai.game import Board, Rules
from base.storage.json_file import read_lines
from benchmarks import engine_match, outside_match, turning_moves

FAKE = Path(__file__).parents[1] / "protocol" / "hosting" / "fake_engine.py"
RULES = Rules(15)


@pytest.fixture(autouse=True)
def _undeclared(monkeypatch):
    monkeypatch.delenv("GOISHI_ENGINES", raising=False)
    monkeypatch.setattr(
        outside_match,
        "draw_opening",
        lambda rules, seed, number, *referee: (112, 113, 97, 127, number),
    )


def play(tmp_path, kind="good", games=2, *more):
    words = shlex.join([sys.executable, "-I", "-S", str(FAKE), kind])
    return outside_match.main(
        ["fake", "--engine", words, "--nodes", "60", "--games", str(games), "--out", str(tmp_path),
         "--evaluation", "patterns", *more]
    )  # fmt: skip


def test_games_are_kept_resumed_and_counted(tmp_path, capsys):
    path = tmp_path / "fake.jsonl"
    assert play(tmp_path) == 0
    first = path.read_bytes()
    assert play(tmp_path) == 0
    assert path.read_bytes() == first, "nothing is left to play"
    assert play(tmp_path, games=4) == 0
    assert path.read_bytes().startswith(first)
    head, *games = read_lines(path)
    assert (head["name"], head["nodes"], head["evaluation"]) == ("fake", 60, "patterns")
    assert [(game["game"], game["color"]) for game in games] == [(0, 0), (1, 1), (2, 0), (3, 1)]
    for game in games:
        board = Board.from_moves(game["moves"], RULES)
        assert board.outcome().winner == (1, -1)[game["color"]]
        assert game["points"] == 1.0, "the fake plays the first free points"
        assert len(game["scores"]) == len(game["depths"]) > 0
    assert (games[2]["opening"], games[2]["moves"][4]) == (5, 1)
    capsys.readouterr()
    assert outside_match.main(["--table", str(tmp_path)]) == 0
    assert "| fake | 60 | 4 | 4, 0, 0 | 100% (51% to 100%) |" in capsys.readouterr().out


def test_an_old_match_goes_on_as_one_without_a_look(tmp_path):
    path = tmp_path / "fake.jsonl"
    assert play(tmp_path) == 0
    head, *games = read_lines(path)
    assert head.pop("look") == 0
    path.write_text("".join(json.dumps(line) + "\n" for line in (head, *games)))
    assert play(tmp_path) == 0
    with pytest.raises(SystemExit, match="expected the match"):
        play(tmp_path, "good", 2, "--look", "900")


def test_by_time_the_file_says_how_quiet_the_machine_was(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(outside_match, "LEAST_QUIET", 0.0)
    assert play(tmp_path, "good", 2, "--move-seconds", "0.05") == 0
    head, *games = read_lines(tmp_path / "fake.jsonl")
    assert head["move_seconds"] == 0.05
    for game in games:
        assert game["slowest"] > 0.0 <= game["positions a second"]
        assert 0.0 < game["quiet"] <= 1.05
    capsys.readouterr()
    assert outside_match.main(["--table", str(tmp_path)]) == 0
    assert "| fake | 0.05 s | 2 |" in capsys.readouterr().out


def test_a_game_on_a_busy_machine_is_played_again_and_the_match_then_given_up(
    tmp_path, monkeypatch
):
    played, plain = [], outside_match.play_game
    monkeypatch.setattr(outside_match, "LEAST_QUIET", 2.0)
    monkeypatch.setattr(
        outside_match, "play_game", lambda *given: played.append(given[3]) or plain(*given)
    )
    with pytest.raises(SystemExit, match="expected a quiet machine"):
        play(tmp_path, "good", 2, "--move-seconds", "0.05")
    assert played == [0] * outside_match.TRIES
    assert len(read_lines(tmp_path / "fake.jsonl")) == 1, "such games are not kept"
    played.clear()
    assert play(tmp_path / "nodes") == 0
    assert played == [0, 1], "positions do not hang on the machine"


def test_an_opening_is_even_to_the_referee_too(monkeypatch):
    asked = []

    class Referee:
        def forget(self):
            asked.append([])

        def search(self, board, limit, rng):
            asked[-1] = (board.moves, limit.nodes)
            return SimpleNamespace(value=(0.9, -0.4, 0.1)[len(asked) - 1])

    found = engine_match.draw_opening(RULES, 3, 1, Referee(), 777)
    assert [nodes for _, nodes in asked] == [777] * 3
    assert tuple(asked[-1][0]) == found
    assert found != engine_match.draw_opening(RULES, 3, 1)


def test_a_fault_of_the_program_is_a_win_and_is_said(tmp_path):
    assert play(tmp_path, "garbage") == 1
    games = read_lines(tmp_path / "fake.jsonl")[1:]
    assert all(game["points"] == 1.0 and "seven" in game["fault"] for game in games)


def test_the_games_of_another_match_are_left_alone(tmp_path):
    (tmp_path / "fake.jsonl").write_text('{"name": "other"}\n')
    with pytest.raises(SystemExit, match="expected the match"):
        play(tmp_path)


@pytest.mark.parametrize(("words", "told"), [
    ([], "expected a NAME, declared or with --engine COMMAND"),
    (["--engine", "x"], "expected a NAME, declared or with --engine COMMAND"),
    (["fake"], "expected an engine that you have declared in "),
    (["fake", "--engine", " "], "expected NAME=COMMAND"),
    (["fake", "--engine", "x", "--rule", "renju"], "expected the rule freestyle or standard"),
])  # fmt: skip
def test_a_match_needs_a_name_and_a_program_that_plays_the_rule(words, told, tmp_path, capsys):
    with pytest.raises(SystemExit):
        outside_match.main([*words, "--out", str(tmp_path)])
    assert told in capsys.readouterr().err


@pytest.mark.parametrize(
    ("share", "elo"), [(0.5, 0), (0.75, 191), (1.0, 798), (0.0, -798), (0.999, 798)]
)
def test_a_share_of_the_points_is_a_difference_in_elo(share, elo):
    assert round(outside_match.elo_of(share)) == elo


@given(st.integers(1, 60), st.data())
def test_halving_finds_the_last_turn_that_is_not_lost(turns, data):
    last, asked = data.draw(st.integers(0, turns - 1)), []
    found = turning_moves.turning_point(lambda turn: asked.append(turn) or turn > last, turns)
    assert found == last
    assert len(asked) <= 1 + turns.bit_length()


def test_a_game_that_is_lost_from_the_first_turn_has_no_turning_move():
    assert turning_moves.turning_point(lambda turn: True, 9) is None


def judge_of(moves, *, verdicts, depth=9, own=0):
    """Return a judge of a game with one turn, its last move, whose verdicts are given by ply."""
    board = Board.from_moves(moves, RULES)
    game = {
        "game": 0, "color": own, "opening": board.ply - 1, "moves": list(board.moves),
        "scores": [40], "depths": [depth], "points": 0.0,
    }  # fmt: skip

    def search(position, limit, rng):
        score = verdicts[position.ply]
        return SimpleNamespace(scores={7: score}, move=7, depth=9)

    searcher = SimpleNamespace(search=search, forget=lambda: None)
    return turning_moves.Judge(game, RULES, searcher, 100)


@pytest.mark.parametrize(
    ("moves", "own", "depth", "score", "cause"),
    [
        ("h8 a1 h9 a3 h10 o15 b7 n3", 1, 9, 0, "fours"),  # an open four comes
        ("h8 a1 h9 a3 h10 o15 b7 n3", 1, 0, 0, "budget"),
        ("h8 h9 i8 n14 h7 c3 i7 c13", 1, 9, 0, "threes"),  # two open threes come
        ("h8 a1 k10 o15", 1, 9, 950_000, "threats"),
        ("h8 a1 k10 o15", 1, 9, 300, "evaluation"),
    ],
)
def test_the_cause_is_the_first_that_fits(moves, own, depth, score, cause):
    judge = judge_of(moves, verdicts=dict.fromkeys(range(30), score), depth=depth, own=own)
    assert turning_moves.cause_of(judge, 0, 100) == cause


def test_a_forced_answer_is_judged_by_what_follows_it():
    board = Board.from_moves("h8 a1 h9 a3 h10 a5 h11 h12", RULES)
    asked = []

    def search(position, limit, rng):
        asked.append(position.ply)
        is_forced = position.ply == board.ply
        return SimpleNamespace(scores={7: 500}, move=7, depth=0 if is_forced else 9)

    game = {
        "game": 0, "color": 0, "opening": board.ply, "moves": [*board.moves, 7],
        "scores": [500], "depths": [0], "points": 0.0,
    }  # fmt: skip
    searcher = SimpleNamespace(search=search, forget=lambda: None)
    judge = turning_moves.Judge(game, RULES, searcher, 100)
    assert judge.verdict(board.ply) == turning_moves.Verdict(-500, 7, 10, is_forced=True)
    assert asked == [board.ply, board.ply + 1]
    assert judge.cost(0) == pytest.approx(0.0), "there was no other move"
    assert turning_moves.cause_of(judge, 0, 100) != "budget"


def test_a_loss_that_the_limit_sees_a_turn_later_is_the_horizon():
    judge = judge_of("h8 a1 k10 o15", verdicts={4: 300, 5: -2000}, own=1)
    judge.game["moves"].append(20)
    assert turning_moves.cause_of(judge, 0, 100) == "horizon"


def test_a_game_that_was_lost_at_once_was_lost_in_the_opening():
    judge = judge_of("h8 a1 k10 o15", verdicts=dict.fromkeys(range(9), -950_000), own=1)
    line = turning_moves.line_of(judge, "fake", 100, 2)
    assert (line["cause"], "turn" in line) == ("opening", False)


def test_what_a_move_costs_is_the_chance_before_less_the_chance_after():
    judge = judge_of("h8 a1 k10 o15", verdicts={3: 0, 4: 300}, own=1)
    line = turning_moves.line_of(judge, "fake", 100, 2)
    assert line["costs"] == {"0": 0.231}
    assert (line["ply"], line["better"], line["cause"]) == (3, 7, "evaluation")
    assert "| evaluation | 1 | 100% | 1 | 3 | 23% | +3% |" in turning_moves.table_of([line])


def test_lost_games_are_judged_once_and_their_positions_written(tmp_path, monkeypatch, capsys):
    board = Board.from_moves("h8 a1 h9 a3 h10 o15 b7 n3 h11 n4 h12", RULES)
    head = {
        "name": "fake",
        "rule": "freestyle",
        "evaluation": "patterns",
        "tuning": {},
        "nodes": 50,
    }
    game = {
        "game": 3, "color": 1, "opening": 5, "moves": list(board.moves), "points": 0.0,
        "scores": [-900_000, 0, -999_000], "depths": [9, 9, 9],
    }  # fmt: skip
    lines = [head, game, {**game, "game": 4, "points": 1.0}]
    path, out = tmp_path / "fake.jsonl", tmp_path / "turning.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    words = [str(path), "--factor", "2", "--out", str(out)]
    kept = tmp_path / "positions.json"
    assert turning_moves.main([*words, "--positions", str(kept)]) == 0
    (line,) = read_lines(out)
    assert line["game"] == 3
    assert (line["cause"] == "fours") == bool(json.loads(kept.read_text()))
    before = out.read_bytes()
    monkeypatch.setattr(turning_moves, "line_of", lambda *arguments: pytest.fail("judged again"))
    assert turning_moves.main(words) == 0
    assert out.read_bytes() == before
    capsys.readouterr()
    assert turning_moves.main(["--table", str(out)]) == 0
    assert line["cause"] in capsys.readouterr().out
