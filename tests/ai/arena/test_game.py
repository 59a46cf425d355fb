from __future__ import annotations

import pytest

from ai.arena.game import play_game
from ai.arena.tournament import Tournament
from ai.game import PASS, Choice, Rules, board_of
from ai.players.base import MoveChoice
from tests.ai.arena import fakes

NINE = Rules(9, 5)
HERE = "tests.ai.arena.fakes"


def first_game(*players, **values):
    tournament = Tournament(players, games=2, rules=NINE, **values)
    return play_game(tournament, tournament.pairings()[0])


def test_a_game_is_legal_and_the_same_again():
    line = first_game("one-ply", "random", nodes=10)
    assert line == {**first_game("one-ply", "random", nodes=10), "seconds": line["seconds"]}
    board = board_of(NINE, line["moves"])
    assert board.outcome() is not None
    assert line["fault"] is None
    assert {1: "black", -1: "white", 0: "draw"}[board.outcome().winner] == line["winner"]
    assert line["plies"] == len(line["moves"])
    assert line["moves"][:3] == list(Tournament(("one-ply", "random"), games=2, rules=NINE)
                                     .pairings()[0].moves)  # fmt: skip


@pytest.mark.parametrize(
    ("fake", "reason", "said"),
    [
        ("Fake", "error", "OSError: the pen is broken"),
        ("Liar", "illegal move", "expected a legal move"),
        ("Sleeper", "time", "expected a move within 0.5 s, found 9.0 s"),
    ],
)
def test_a_fault_loses_the_game_and_says_why(fake, reason, said):
    line = first_game(f"{HERE}:{fake}", "random")
    assert (line["winner"], line["reason"]) == ("white", "resigned")
    assert line["fault"]["reason"] == reason
    assert said in line["fault"]["text"]
    assert f"{HERE}:{fake}" in line["fault"]["text"]
    assert board_of(NINE, line["moves"]).outcome() is None


def test_a_wait_costs_nothing_where_the_processor_is_the_clock(monkeypatch):
    monkeypatch.setattr("ai.arena.game.TOLERANCE", 0.0)
    monkeypatch.setattr("ai.arena.game.HANG_SECONDS", 0.3)
    monkeypatch.setattr("ai.arena.game.CLOSE_SECONDS", 0.05)
    line = first_game(f"{HERE}:Waits", "random", seconds=0.01, clock="cpu")
    assert line["fault"]["text"].endswith("expected a move within 0.3 s, found none; it hangs")


@pytest.mark.parametrize("fake", ["Loops", "Waits"])
def test_one_that_hangs_loses_and_the_tournament_goes_on(fake, monkeypatch):
    monkeypatch.setattr("ai.arena.game.TOLERANCE", 0.05)
    monkeypatch.setattr("ai.arena.game.CLOSE_SECONDS", 0.05)
    line = first_game(f"{HERE}:{fake}", "random", seconds=0.05)
    assert (line["winner"], line["reason"], line["plies"]) == ("white", "resigned", 6)
    assert line["fault"] == {
        "reason": "time",
        "text": f"{HERE}:{fake}: expected a move within 0.1 s, found none; it hangs",
    }
    assert board_of(NINE, line["moves"]).outcome() is None
    after = first_game("one-ply", "random", nodes=10)
    assert after["fault"] is None


def test_one_that_hangs_without_a_time_of_its_own_loses(monkeypatch):
    monkeypatch.setattr("ai.arena.game.HANG_SECONDS", 0.2)
    monkeypatch.setattr("ai.arena.game._seated", lambda tournament, label: fakes.Loops(None, None))
    line = first_game("random", "one-ply", nodes=10)
    assert line["fault"]["text"] == "one-ply: expected a move within 0.2 s, found none; it hangs"


def test_one_that_gives_up_loses_and_says_why(monkeypatch):
    def gives_up(self, board, limit, rng):
        return MoveChoice(PASS, forfeit="the engine has exited")

    monkeypatch.setattr(fakes.Fake, "choose", gives_up)
    line = first_game(f"{HERE}:Fake", "random")
    assert (line["winner"], line["reason"], line["plies"]) == ("white", "resigned", 4)
    assert line["fault"] == {
        "reason": "gave up", "text": f"{HERE}:Fake: the engine has exited",
    }  # fmt: skip


def test_one_that_cannot_be_made_loses(monkeypatch):
    monkeypatch.setattr(fakes.Absent, "made", 2)
    line = first_game("random", f"{HERE}:Absent")
    assert (line["winner"], line["fault"]["reason"]) == ("black", "error")
    assert "no chair" in line["fault"]["text"]
    assert line["plies"] == 3


@pytest.mark.parametrize("opening", ["pro", "swap2"])
def test_an_opening_is_played_and_a_swap_changes_who_sits_there(opening):
    """Whoever chose what, all is legal and the same again."""
    tournament = Tournament(
        ("one-ply", "random"), games=2, rules=Rules(11, 5), nodes=5, opening=opening
    )
    lines = [play_game(tournament, pairing) for pairing in tournament.pairings()]
    for line, pairing in zip(lines, tournament.pairings(), strict=True):
        assert line["fault"] is None
        assert board_of(tournament.rules, line["moves"]).outcome() is not None
        seats, named = (line["black"], line["white"]), (pairing.black, pairing.white)
        assert set(seats) == set(named)
        if opening == "pro":
            assert seats == named
            assert line["moves"][0] == 60
            assert max(abs(line["moves"][2] // 11 - 5), abs(line["moves"][2] % 11 - 5)) > 2
    assert lines == [
        {**play_game(tournament, pairing), "seconds": line["seconds"]}
        for line, pairing in zip(lines, tournament.pairings(), strict=True)
    ]


def test_who_took_black_in_a_swap_is_told_as_black(monkeypatch):
    monkeypatch.setattr(
        "ai.arena.game.answer_opening",
        lambda player, phase, *rest: (Choice.BLACK,) if phase.choices else (0, 1, 2),
    )
    line = first_game("one-ply", "random", nodes=5, opening="swap")
    assert (line["black"], line["white"]) == ("random", "one-ply")
    assert line["moves"][:3] == [0, 1, 2]
    assert line["fault"] is None


def test_one_that_breaks_the_opening_loses(monkeypatch):
    monkeypatch.setattr("ai.arena.game.answer_opening", lambda *given: (0, 0, 2))
    line = first_game("one-ply", "random", nodes=5, opening="swap")
    assert line["fault"]["reason"] == "illegal move"
    assert line["winner"] == ("white" if line["black"] == "one-ply" else "black")
