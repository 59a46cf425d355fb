"""A brain: every command, its limits, and 2,000 lines that no manager should send."""

from __future__ import annotations

import random
import threading
import time
from pathlib import Path

import pytest

from ai.protocol.brain import ROOM, BrainSpec, MemoryWatch
from ai.protocol.messages import About
from ai.protocol.time_control import MatchClock
from tests.ai.protocol.talk import Fixed, Talk, spec_of, spec_with


@pytest.fixture
def talk():
    made = Talk(spec_of("random"))
    yield made
    made.leave()


def point(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(",")))


def test_a_game_begins_goes_on_and_begins_again(talk: Talk) -> None:
    assert talk.ask("START 15") == "OK"
    first = point(talk.ask("BEGIN"))
    other = (7, 7) if first != (7, 7) else (8, 8)
    second = point(talk.ask(f"TURN {other[0]},{other[1]}"))
    assert len({first, other, second}) == 3
    assert talk.ask(f"TAKEBACK {second[0]},{second[1]}") == "OK"
    assert talk.ask("PLAY 0,0" if (0, 0) not in (first, other) else "PLAY 1,1") in ("0,0", "1,1")
    assert talk.ask("RESTART") == "OK"
    assert len(point(talk.ask("BEGIN"))) == 2
    assert talk.ask("RECTSTART 12,9") == "OK"
    column, row = point(talk.ask("BOARD", "0,0,1", "1,1,2", "DONE"))
    assert column < 12
    assert row < 9
    assert talk.ask("ABOUT") == 'name="random"'
    assert talk.ask("info evaluate 3,3", "nonsense").startswith("UNKNOWN")


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["BEGIN"], "ERROR BEGIN: expected START first"),
        (["START 2"], "ERROR size"),
        (["START 99"], "ERROR size"),
        (["RECTSTART 15"], "ERROR RECTSTART: expected width,height"),
        (["INFO rule 2", "START 15"], "ERROR rule: expected one of 0 (freestyle), 1 (standard)"),
    ],
)
def test_what_is_impossible_is_an_error(talk: Talk, lines: list[str], expected: str) -> None:
    assert talk.ask(*lines).startswith(expected)


def test_a_size_that_the_player_does_not_play_is_an_error() -> None:
    talk = Talk(spec_of("oracle"))
    assert talk.ask("START 15") == "ERROR oracle: expected a board from 3 to 8, found 15"
    talk.leave()


def test_a_player_that_cannot_be_made_says_so_and_a_quick_move_is_played() -> None:
    talk = Talk(spec_of("random", nonsense=1))
    assert talk.ask("START 15") == "OK"
    assert "nonsense" in talk.ask("BEGIN")
    assert talk.hear() == "7,7"
    talk.leave()


def test_a_move_is_out_in_time_whatever_the_player_does() -> None:
    gate = threading.Event()
    player = Fixed(gate)
    talk = Talk(spec_with(player))
    assert talk.ask("INFO timeout_turn 300", "START 15") == "OK"
    assert player.prepared.wait(30)
    started = time.monotonic()
    assert talk.ask("BEGIN") == "7,7"  # the quick move: the player still thinks
    took = time.monotonic() - started
    assert took >= 0.27
    assert all(limit.seconds <= 0.24 for limit in player.limits)
    gate.set()
    assert (
        talk.ask("INFO timeout_turn 60000", "TURN 0,0") == "1,0"
    )  # and what it found too late is never sent
    talk.leave()


class Planning(Fixed):
    """Plans its time."""

    plans_time = True
    best_now = None


def test_a_late_player_has_its_best_move_sent_and_sits_on() -> None:
    """A quick move was sent, and a new player made for the next one."""
    player = Planning(threading.Event())
    made = []
    talk = Talk(
        BrainSpec(lambda rules: made.append(player) or player, lambda rules: None, About({}))
    )
    talk.ask("INFO timeout_turn 300", "START 15")
    assert player.prepared.wait(30)
    player.best_now = 20
    assert talk.ask("BEGIN") == "5,1"
    player.gate.set()
    while not talk.brain._late.is_done:
        time.sleep(0.001)
    assert talk.ask("INFO timeout_turn 60000", "TURN 9,9") == "0,0"
    assert made == [player]
    talk.leave()


def test_who_plans_its_time_is_told_both_limits_and_the_others_the_soft_one() -> None:
    for player, seconds in ((Planning(), 9.94), (Fixed(), 4.29)):
        talk = Talk(spec_with(player))
        said = ("INFO timeout_turn 10000", "INFO timeout_match 120000", "START 15")
        assert talk.ask(*said) == "OK"
        assert talk.ask("BEGIN") == "0,0"
        (limit,) = player.limits
        assert 0.8 * seconds < limit.seconds <= seconds
        assert (limit.soft_seconds is not None) == isinstance(player, Planning)
        assert limit.soft_seconds is None or 3.0 < limit.soft_seconds <= 4.29
        talk.leave()


def test_the_match_runs_down_where_no_time_left_is_told(monkeypatch) -> None:
    """Without it each move was given its share of the whole match."""
    spend = MatchClock.spend
    monkeypatch.setattr(MatchClock, "spend", lambda clock, _: spend(clock, 3.0))
    player = Fixed()
    talk = Talk(spec_with(player))
    talk.ask("INFO timeout_turn 100000", "INFO timeout_match 12000", "START 15")
    talk.ask("BEGIN")
    for row in range(1, 4):
        talk.ask(f"TURN {row},14")
    limits = [limit.seconds for limit in player.limits]
    assert limits == sorted(limits, reverse=True)
    assert limits[3] < limits[0] / 2.5
    talk.ask("TURN 9,9")
    assert len(player.limits) == 4, "nothing is left: the quick move"
    talk.leave()


def test_end_is_obeyed_while_the_player_thinks() -> None:
    player = Fixed(threading.Event())
    talk = Talk(spec_with(player))
    talk.ask("START 15")
    talk.say("BEGIN")
    assert player.begun.wait(30)
    assert talk.ask("TURN 3,3").startswith("ERROR TURN: expected it after the move")
    assert talk.ask("ABOUT") == 'name="fake"'
    assert talk.ask("START 15") == "OK"  # a new game drops the answer of the old one
    player.gate.set()
    assert talk.ask("TURN 9,9") == "0,0"
    talk.say("TURN 10,10")
    talk.leave()


def test_the_input_may_end_at_any_time() -> None:
    talk = Talk(spec_with(Fixed(threading.Event())))
    talk.ask("START 15")
    talk.say("BEGIN")
    talk.inbox.put_end()
    talk.thread.join(30)
    assert not talk.thread.is_alive()


def test_a_move_that_is_illegal_is_replaced() -> None:
    talk = Talk(spec_with(Fixed(move=112)))
    assert talk.ask("START 15") == "OK"
    assert talk.ask("TURN 7,7").startswith("MESSAGE the player wants to play 7,7")
    assert talk.hear() not in ("7,7", "")
    talk.leave()


def test_swap2_is_answered_in_each_of_its_three_cases() -> None:
    talk = Talk(spec_with(Fixed()))
    talk.ask("START 15")
    assert len(talk.ask("SWAP2BOARD", "DONE").split()) == 3
    three = ("SWAP2BOARD", "7,7", "8,7", "9,9")
    assert talk.ask(*three, "DONE") == "0,0"
    assert talk.ask(*three, "8,8", "8,6", "DONE") == "0,0"
    assert talk.ask(*three, "8,8", "DONE").startswith("ERROR SWAP2BOARD: expected 0, 3 or 5")
    assert talk.ask(*three[:3], "7,7", "DONE").startswith("ERROR SWAP2BOARD: expected an empty")
    assert talk.ask("BEGIN") == "0,0"  # it has not touched the board
    talk.leave()


def test_a_player_that_holds_too_much_memory_is_made_anew() -> None:
    held = [0]
    made = []

    def make(rules):
        made.append(Fixed())
        return made[-1]

    spec = spec_with(None)
    talk = Talk(type(spec)(make, spec.check_game, spec.metadata), MemoryWatch(lambda: held[0]))
    talk.ask("INFO max_memory 1000", "START 15")
    talk.ask("BEGIN")
    held[0] = ROOM + 1
    talk.ask("TURN 9,9")
    talk.ask("TURN 10,9")
    assert len(made) == 2
    assert made[0].is_closed
    talk.leave()


class Learnt(Fixed):
    """A player whose network is read from a folder."""

    def load_checkpoint(self, network_id: int, directory: Path) -> None:
        self.directory = directory


def test_a_learner_reads_its_network_from_the_folder_of_info(tmp_path: Path) -> None:
    player = Learnt()
    talk = Talk(spec_with(player))
    talk.ask(f"INFO folder {tmp_path}", "START 15", "BEGIN")
    assert talk.hear() == "0,0"
    assert not hasattr(player, "directory")  # it holds none
    (tmp_path / "network.weights.h5").touch()
    assert talk.ask("INFO rule 1", "RESTART", "BEGIN") == "OK"  # a player for other rules
    assert talk.hear() == "0,0"
    assert player.directory == tmp_path
    talk.leave()


def test_a_player_that_never_ends_leaves_quick_moves_at_once() -> None:
    gate = threading.Event()
    talk = Talk(spec_with(Fixed(gate)))
    talk.ask("INFO timeout_turn 60", "START 15")
    heard = [talk.ask("BEGIN"), *(talk.ask(f"TURN {x},0") for x in range(3))]
    assert len({*heard, "0,0", "1,0", "2,0"}) == 7
    gate.set()
    talk.leave()


def test_two_thousand_wrong_lines_are_answered_and_a_legal_game_follows(talk: Talk) -> None:
    dice = random.Random(4)
    wrong = [
        "BEGIN 3", "TURN", "TURN a,b", "TURN 99,99", "TURN 7;7", "TURN -1,2", "START", "START -3",
        "START 1", "START 1000", "RECTSTART 4", "TAKEBACK 1,1", "TAKEBACK x", "PLAY", "PLAY 99,1",
        "HELLO", "7,7", "DONE", "OK", "%s%n",
        "\x00\x7f", "é" * 70, "A" * 9000, "SWAP2BOARD 3", "ABOUT you", "END now", "RESTART 1",
    ]  # fmt: skip
    for _ in range(2000):
        talk.say(
            dice.choice(wrong)
            if dice.random() < 0.7
            else "".join(chr(dice.randrange(33, 500)) for _ in range(dice.randrange(1, 60)))
        )
    for _ in range(2000):
        assert talk.hear().startswith(("ERROR ", "UNKNOWN "))
    assert talk.replies.empty()
    assert talk.ask("BOARD", "1,1", "DONE").startswith("ERROR BOARD")
    assert talk.ask("BOARD", "7,7,2", "7,7,1", "8,8,2", "DONE").startswith("ERROR BOARD")
    assert talk.ask("START 15") == "OK"
    stones = {point(talk.ask("BEGIN"))}
    for x in range(4):
        if (x, 0) not in stones:
            stones |= {(x, 0), point(talk.ask(f"TURN {x},0"))}
    assert all(0 <= x < 15 and 0 <= y < 15 for x, y in stones)


def test_two_thousand_lines_out_of_order_leave_the_game_as_it_is(talk: Talk) -> None:
    dice = random.Random(5)
    assert talk.ask("START 15") == "OK"
    own = point(talk.ask("BEGIN"))
    other = (0, 0) if own != (0, 0) else (1, 1)
    reply = talk.ask(f"TURN {other[0]},{other[1]}")
    last, taken = point(reply), f"{other[0]},{other[1]}"
    free = next(f"{x},14" for x in range(15) if (x, 14) not in (own, last))
    wrong = [
        ("BEGIN",), (f"TURN {taken}",), (f"TURN {reply}",), ("TURN 15,0",), (f"PLAY {taken}",),
        (f"TAKEBACK {taken}",), (f"TAKEBACK {free}",), ("START 4",), ("RECTSTART 15,99",),
        ("DONE",), ("BOARD", free, "DONE"), ("BOARD", f"{taken},1", f"{taken},2", "DONE"),
        ("BOARD", "TURN 7,7", "BEGIN", "DONE"), ("BOARD", f"{free},3", "DONE"),
        ("SWAP2BOARD", taken, taken, free, "DONE"), ("SWAP2BOARD", free, "DONE"),
        ("BOARD", "0,0,1", "RESTART now"), ("ABOUT 1",),
    ]  # fmt: skip
    for _ in range(2000):
        talk.say(*dice.choice(wrong))
    for _ in range(2000):
        assert talk.hear().startswith(("ERROR ", "UNKNOWN "))
    assert talk.replies.empty()
    assert talk.ask(f"TAKEBACK {reply}", f"TAKEBACK {taken}") == talk.hear() == "OK"
    assert talk.ask(f"TAKEBACK {own[0]},{own[1]}", "BEGIN") == "OK"
    assert len(point(talk.hear())) == 2


def test_info_is_never_answered_and_numbers_are_read_as_managers_write_them(talk: Talk) -> None:
    wrong = ["INFO", "INFO timeout_turn never", "INFO time_left soon", "INFO rule nan", "INFO rule"]
    wrong += ["INFO max_memory inf", f"INFO timeout_turn {'9' * 9000}", "INFO x", "INFO rule 1,0"]
    assert talk.ask(*wrong, "START 15") == "OK"
    talk.say("INFO timeout_turn 1000.0", "INFO max_memory 3.5e8", "INFO timeout_match -5", *wrong)
    assert len(point(talk.ask("BEGIN"))) == 2
    info = talk.brain._table.info
    assert (info.timeout_turn, info.max_memory, info.timeout_match) == (1000, 350_000_000, 0)
    assert talk.replies.empty()


def test_start_is_answered_when_the_player_is_loaded() -> None:
    gate = threading.Event()
    player = Fixed()

    def make(rules):
        assert gate.wait(30)
        return player

    spec = spec_with(None)
    talk = Talk(type(spec)(make, spec.check_game, spec.metadata))
    talk.say("START 15", "INFO timeout_turn 50", "BEGIN")
    time.sleep(0.3)
    assert talk.replies.empty(), "not even a quick move"
    gate.set()
    assert [talk.hear(), talk.hear()] == ["OK", "0,0"], "the player's own move, however short"
    talk.leave()


def test_a_player_that_loads_too_long_is_not_waited_for(monkeypatch) -> None:
    monkeypatch.setattr("ai.protocol.brain.LOAD_SECONDS", 0.05)
    gate = threading.Event()
    spec = spec_with(None)
    talk = Talk(type(spec)(lambda rules: gate.wait(30) and Fixed(), spec.check_game, spec.metadata))
    assert talk.ask("INFO timeout_turn 50", "START 15") == "OK"
    assert talk.ask("BEGIN") == "7,7"
    gate.set()
    talk.leave()


def test_end_and_the_end_of_the_input_are_obeyed_while_the_player_is_loaded() -> None:
    gate, spec = threading.Event(), spec_with(None)
    talk = Talk(type(spec)(lambda rules: gate.wait(30) and Fixed(), spec.check_game, spec.metadata))
    talk.say("START 15", "BEGIN")
    talk.leave()
    assert not talk.thread.is_alive()
    gate.set()


def test_the_player_for_the_rule_of_info_is_loaded_before_its_first_move() -> None:
    made = []
    spec = spec_with(None)
    talk = Talk(
        type(spec)(lambda rules: made.append(rules) or Fixed(), spec.check_game, spec.metadata)
    )
    assert talk.ask("START 15") == "OK"
    talk.say("INFO rule 4", *[f"INFO rule {number % 2}" for number in range(100)], "INFO rule 4")
    assert talk.ask("ABOUT") == 'name="fake"'
    while len(made) < 2:
        time.sleep(0.001)
    assert [rules.rule for rules in made] == ["freestyle", "renju"]
    assert talk.ask("BEGIN") == "0,0"
    assert len(made) == 2
    talk.leave()


class Thoughtful(Fixed):
    """Ponders until it is told to stop."""

    def __init__(self) -> None:
        super().__init__()
        self.pondered: list[tuple[int, bool]] = []
        self.awake, self.ended = threading.Event(), threading.Event()

    def ponder(self, board, stop) -> None:
        self.awake.set()
        while not stop.is_set:
            time.sleep(0.001)
        self.pondered.append((board.ply, True))
        self.ended.set()


def test_a_brain_ponders_until_the_next_line_where_it_may() -> None:
    player = Thoughtful()
    talk = Talk(BrainSpec(lambda rules: player, lambda rules: None, About({}), 1, True))
    assert talk.ask("INFO timeout_turn 60000", "START 15") == "OK"
    first = talk.ask("BEGIN")
    assert player.awake.wait(30)
    assert not player.ended.is_set(), "nobody has told it to stop"
    assert talk.ask("TURN 9,9") != first
    assert player.ended.wait(30)
    assert player.pondered == [(1, True)]
    talk.leave()
    deadline = time.monotonic() + 30
    while len(player.pondered) < 2 and time.monotonic() < deadline:
        time.sleep(0.001)
    assert player.pondered == [(1, True), (3, True)], "END ends it, too"


def test_a_brain_that_may_not_does_not_ponder() -> None:
    player = Thoughtful()
    talk = Talk(spec_with(player))
    talk.ask("START 15")
    talk.ask("BEGIN")
    talk.ask("TURN 9,9")
    assert not player.awake.is_set()
    talk.leave()
