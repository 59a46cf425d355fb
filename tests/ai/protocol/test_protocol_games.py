"""Games over the protocol: what is counted, and that a run goes on; at length, by night."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import deque
from pathlib import Path

import pytest

from ai.game import Rules
from ai.players.base import MoveChoice
from ai.protocol.table import bits_of
from benchmarks import protocol_games
from benchmarks.programs import MAIN
from benchmarks.protocol_games import BRAIN, SLEEPER, Program, play_game, prepare, summary


class Scripted:
    """A program that answers what it was given, then the first free point of a row."""

    def __init__(self, *answers: str) -> None:
        self.answers = deque(answers)
        self.told: list[str] = []

    def tell(self, line: str) -> None:
        self.told.append(line)

    def ask(self, line: str) -> tuple[str, float]:
        self.told.append(line)
        return (self.answers.popleft() if self.answers else ""), 0.16

    def memory(self) -> int:
        return 5 << 20


class Silent(Scripted):
    def __init__(self, words) -> None:
        super().__init__()

    def __enter__(self):
        return self

    def __exit__(self, *words) -> None: ...


def test_a_game_says_what_went_wrong_and_how_late_each_move_was() -> None:
    rules = Rules(15, 5, "standard")
    brain = Scripted("OK", "0,0", "15,0")
    game = play_game(brain, Scripted(*[""] * 9), 2, rules, 100, 350)
    assert game["fault"] == "illegal: 15,0"
    assert game["over"] == [60.0, 60.0]
    assert "INFO rule 1" in brain.told
    board = next(line for line in brain.told if line.startswith("BOARD"))
    assert board.count(",1\r\n") == board.count(",2\r\n") == 2
    assert brain.told[-1].startswith("TURN ")
    assert play_game(Scripted("OK", "0,0"), Scripted(""), 3, rules, 100, 350)["fault"] == "crash"
    assert play_game(Scripted("ERROR"), Scripted(), 0, rules, 100, 350)["fault"] == "start"


def test_a_program_of_yours_has_as_much_time_for_a_move() -> None:
    limits = []

    class Outside:
        name = "outside"

        def choose(self, board, limit, rng):
            limits.append(limit.seconds)
            return MoveChoice(next(iter(board.legal_moves)))

        def close(self) -> None: ...

    brain = Scripted("OK", "0,0")
    game = play_game(brain, Scripted(""), 0, Rules(15), 250, 350, Outside())
    assert game["fault"] == "crash"
    assert limits == [0.25]


def test_a_fault_of_the_other_program_is_not_the_brains() -> None:
    class Broken:
        def choose(self, board, limit, rng):
            return MoveChoice(-1, forfeit="no reply")

    game = play_game(Scripted("OK", "0,0"), Scripted(""), 0, Rules(15), 100, 350, Broken())
    assert (game["fault"], game["forfeit"], game["is_won"]) == ("", "no reply", True)
    assert summary([game]).startswith("1 games (1 won, 1 by faults of the other program), 1 moves")


def test_what_a_tournament_would_punish_is_counted() -> None:
    games = [
        {"fault": "", "over": [-5.0, 51.0, 201.0], "control": [0.5], "memory": 7 << 20,
         "is_won": True},
        {"fault": "illegal: x", "over": [1.0], "control": []},
        {"fault": "crash", "over": [], "control": [70.0]},
    ]  # fmt: skip
    assert summary(games).splitlines() == [
        "3 games (1 won), 4 moves: 1 illegal, 1 crashes, at most 7 MiB",
        "moves: 4, over the time 3, by 50 ms 2, by 200 ms 1; median +26.0 ms, latest +201.0 ms",
        "the sleeping control: 2, over the time 2, by 50 ms 1, by 200 ms 0; "
        "median +35.2 ms, latest +70.0 ms",
    ]


def test_a_run_goes_on_where_it_was_broken_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    played = []

    def play(brain, control, number, rules, ms, memory, outside):
        assert outside is None
        played.append((number, rules.rule.value))
        return {"fault": "", "over": [0.0], "control": []}

    monkeypatch.setattr(protocol_games, "play_game", play)
    monkeypatch.setattr(protocol_games, "Program", Silent)
    monkeypatch.setattr(protocol_games.subprocess, "run", lambda *words, **more: None)
    out = tmp_path / "new" / "games.jsonl"
    assert protocol_games.main(["--games", "2", "--out", str(out)]) == 0
    assert protocol_games.main(["--games", "5", "--out", str(out)]) == 0
    names = ["freestyle", "freestyle", "standard", "standard", "freestyle"]
    assert played == list(enumerate(names))
    assert len([json.loads(line) for line in out.read_text().splitlines()]) == 5
    assert capsys.readouterr().out.splitlines()[-2].startswith("5 games")


@pytest.mark.parametrize("engine", ["", "mine.exe --fast"])
def test_an_outside_program_plays_each_rule_and_is_closed(
    engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    played, closed = [], []

    class Outside:
        def __init__(self, name, rules) -> None:
            self.place = (name, rules.rule.value)

        def close(self) -> None:
            closed.append(self.place)

    def play(brain, control, number, rules, ms, memory, outside):
        played.append(outside and outside.place)
        return {"fault": "", "over": [0.0], "control": []}

    monkeypatch.setenv("GOISHI_ENGINES", "")
    monkeypatch.setattr(protocol_games, "play_game", play)
    monkeypatch.setattr(protocol_games, "create_player", Outside)
    monkeypatch.setattr(protocol_games, "Program", Silent)
    monkeypatch.setattr(protocol_games.subprocess, "run", lambda *words, **more: None)
    out = str(tmp_path / "games.jsonl")
    words = ["--engine", engine] if engine else []
    assert protocol_games.main([*words, "--games", "4", "--out", out]) == 0
    places = [("gomocup:opponent", rule) for rule in ("freestyle", "standard")] if engine else []
    assert sorted(closed) == places
    assert played == ([places[0]] * 2 + [places[1]] * 2 if engine else [None] * 4)
    with pytest.raises(SystemExit, match="expected games against 'other'"):
        protocol_games.main(["--engine", "other", "--games", "5", "--out", out])


@pytest.mark.nightly
def test_a_whole_game_at_a_tenth_of_a_second_a_move() -> None:
    with Program(BRAIN) as brain, Program([sys.executable, "-c", SLEEPER]) as control:
        prepare(brain)
        game = play_game(brain, control, 0, Rules(15), 100, 350 << 20)
    print(summary([game]))  # noqa: T201  # beside the control's: the machine's own delays
    assert game["fault"] == ""
    assert len(game["over"]) >= 3
    assert game["control"]
    assert max(game["over"]) < 10_000.0, "a hang; a machine at rest stays within 50 ms"
    assert game["memory"] < 350 << 20


@pytest.mark.nightly
def test_games_of_changing_rules_take_no_more_and_more_memory() -> None:
    """Each game of another rule has another player, whose tables the system is to have back."""
    stones = "BOARD\r\n7,7,1\r\n8,8,2\r\n6,8,1\r\n5,7,2\r\nDONE"
    held = []
    subprocess.run([sys.executable, MAIN, "warm"], check=True)
    with Program(BRAIN) as brain:
        prepare(brain)
        for rule in 6 * ("freestyle", "standard", "renju", "caro"):
            assert brain.ask("START 15")[0] == "OK"
            brain.tell(f"INFO rule {bits_of(Rules(15, 5, rule))}")
            brain.tell("INFO timeout_turn 100")
            assert brain.ask(stones)[0]
            assert brain.ask(stones)[0]
            held.append(brain.memory())
    assert max(held) < min(held) + (64 << 20), "it grew by 170 MiB while nothing was given back"
