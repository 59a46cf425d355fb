"""The manager: our own brain plays a whole game, and an engine that fails loses with the reason."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pytest

from ai.game import (
    BLACK,
    PASS,
    WHITE,
    Board,
    Choice,
    OpeningKind,
    OpeningPhase,
    Rules,
)
from ai.players.base import Limit
from ai.protocol.hosting.engine import STRAY_SECONDS, Engine, EngineLimits
from ai.protocol.hosting.player import EnginePlayer, create
from ai.protocol.hosting.process import EngineFault, EngineFaultError
from ai.protocol.messages import Coordinates, Swap
from ai.registry.engines import EngineEntry
from ai.registry.players import create_player
from ai.session.game import GameSession
from ai.session.opening import answer_opening
from base.schema import OptionError
from tests.ai.protocol.talk import Talk, spec_of

RULES = Rules(15)
QUICK = EngineLimits(turn_seconds=20, pause=0)
SHORT = EngineLimits(turn_seconds=0.02, tolerance=0.0, pause=0)


class Scripted:
    """An engine of a function: each line that it is told gives the lines that it says."""

    def __init__(self, says: Callable[[str], list[str]]) -> None:
        self.heard: list[str] = []
        self.times: list[float] = []
        self.is_killed = False
        self.takes = 0.0
        self._says = says
        self._lines: list[str] = []

    def send(self, line: str) -> None:
        self.heard.append(line)
        self.times.append(time.monotonic())
        self._lines += self._says(line)

    def receive(self, until: float) -> str | None:
        time.sleep(self.takes)
        return self._lines.pop(0) if self._lines else None

    def discard(self) -> None:
        self._lines.clear()

    def end(self, seconds: float) -> None:
        self.is_killed = True

    def kill(self) -> None:
        self.is_killed = True


def engine_of(link, limits: EngineLimits = QUICK, **entry) -> Engine:
    made = EngineEntry("fake", ("fake",), **entry)
    return Engine(made, limits, lambda entry, log: link() if isinstance(link, type) else link)


def answering(**replies: str) -> Scripted:
    """Return an engine that says OK to START and these replies to other commands."""

    def says(line: str) -> list[str]:
        word = line.partition(" ")[0]
        return replies.get(word, "OK" if word == "START" else "").split("|") if word in (
            *replies, "START"
        ) else []  # fmt: skip

    return Scripted(says)


@pytest.mark.parametrize("name", ["random", pytest.param("pattern", marks=pytest.mark.nightly)])
def test_our_own_brain_hosted_by_our_own_manager_plays_a_whole_game(name: str) -> None:
    talks: list[Talk] = []

    def start(entry, log) -> Talk:
        talks.append(Talk(spec_of(name)))
        return talks[-1]

    hosted = EnginePlayer(Engine(EngineEntry("own", ("own",)), QUICK, start), RULES)
    session = GameSession(RULES, seed=3)
    record = session.play_out(hosted, create_player("one-ply", RULES))
    assert record.termination == "five"
    assert session.forfeit == ""
    assert len(talks) == 1
    assert len(record.moves) >= 9
    hosted.close()
    assert not talks[0].thread.is_alive()


def test_an_engine_is_told_what_it_needs_and_no_more() -> None:
    link = answering(BEGIN="7,7", TURN="8,8", DONE="0,14")
    engine = engine_of(link, EngineLimits(turn_seconds=2, match_seconds=60, pause=0), memory=5)
    board = Board(RULES)
    board.push(engine.choose(board))
    board.push(0)
    board.push(engine.choose(board))
    assert [line for line in link.heard if not line.startswith("INFO time_left")] == [
        "START 15", "INFO rule 0", "INFO game_type 1", "INFO timeout_match 60000",
        "INFO max_memory 5242880", "INFO timeout_turn 2000", "BEGIN", "TURN 0,0",
    ]  # fmt: skip
    del link.heard[:]
    while board.ply:
        board.pop()
    for move in (30, 31, 32):
        board.push(move)
    assert engine.choose(board, 0.5) == 14 * 15
    assert [line for line in link.heard if line[:8] not in ("INFO rul", "INFO gam", "INFO max")] == [
        "START 15", "INFO timeout_match 60000", "INFO timeout_turn 500", "INFO time_left 60000", "BOARD",
        "0,2,2", "1,2,1", "2,2,2", "DONE",
    ]  # fmt: skip


def test_a_command_waits_until_an_engine_can_hear_after_its_move() -> None:
    link = answering(BEGIN="7,7", TURN="8,8")
    engine = engine_of(link, EngineLimits(turn_seconds=2, pause=0.05))
    board = Board(RULES)
    board.push(engine.choose(board))
    board.push(0)
    engine.choose(board)
    assert link.times[-1] - link.times[-2] >= 0.049


@pytest.mark.parametrize(
    ("replies", "fault", "text"),
    [
        ({"START": "ERROR too large"}, EngineFault.REFUSED, "expected OK after START"),
        (
            {"START": "hello|there"},
            EngineFault.START,
            "expected OK within 30 s, found only 'there'",
        ),
        ({"TURN": "15,3"}, EngineFault.ILLEGAL, "15,3: off the board"),
        ({"TURN": "0,0"}, EngineFault.ILLEGAL, "0,0: a stone"),
        ({"TURN": "7;7"}, EngineFault.GARBAGE, "found '7;7'"),
        ({"TURN": "1,1 2,2"}, EngineFault.GARBAGE, "expected one point, found 2"),
        ({"TURN": "SWAP"}, EngineFault.GARBAGE, "expected a move"),
        ({"TURN": "ERROR no idea"}, EngineFault.REFUSED, "found ERROR no idea"),
        ({}, EngineFault.TURN_TIME, "expected an answer within 0.02 s"),
    ],
)
def test_an_engine_that_fails_loses_with_the_reason_and_the_next_game_goes_on(
    replies: dict[str, str], fault: EngineFault, text: str
) -> None:
    links = [answering(**replies), answering(TURN="7,7", DONE="8,8")]
    started = iter(links)
    engine = Engine(EngineEntry("fake", ("fake",)), SHORT, lambda entry, log: next(started))
    hosted = EnginePlayer(engine, RULES)
    session = GameSession(RULES, moves=(0,))
    record = session.play_out(create_player("random", RULES), hosted)
    assert (record.winner, record.termination) == (BLACK, "resigned")
    assert session.forfeit.startswith(f"fake: {fault}: ")
    assert text in session.forfeit
    assert links[0].is_killed
    after = hosted.choose(Board.from_moves("a1", RULES), Limit(), np.random.default_rng(0))
    assert (after.move, after.forfeit) == (7 * 15 + 7, "")


def test_greetings_and_unknown_infos_are_forgiven_and_suggestions_played() -> None:
    link = answering(
        START="hello|MESSAGE hi|OK", INFO="UNKNOWN what", BEGIN="UNKNOWN INFO|SUGGEST 3,4",
        PLAY="3,4",
    )  # fmt: skip
    assert engine_of(link).choose(Board(RULES)) == 4 * 15 + 3
    assert link.heard[-1] == "PLAY 3,4"


def test_a_line_that_is_no_reply_is_passed_over_if_a_reply_follows(monkeypatch) -> None:
    stray = answering(BEGIN="-12 ev +v23 nd 55k|thinking ...|7,7")
    assert engine_of(stray).choose(Board(RULES)) == 7 * 15 + 7
    waited: list[float] = []

    def receive(until: float) -> str | None:
        waited.append(until - time.monotonic())
        return Scripted.receive(silent, until)

    silent = answering(BEGIN="thinking ...")
    monkeypatch.setattr(silent, "receive", receive)
    with pytest.raises(EngineFaultError, match="garbage: expected a reply such as 7,8, found 'thi"):
        engine_of(silent).choose(Board(RULES))
    assert waited[-2] > 15.0, "the time of its move"
    assert waited[-1] <= STRAY_SECONDS, "what comes later is not waited for"


def test_the_time_of_a_match_is_kept() -> None:
    for link in (answering(BEGIN="7,7"), answering()):  # too late, and not at all
        link.takes = 0.03  # two ticks of Windows' clock
        engine = engine_of(link, EngineLimits(match_seconds=1e-9, tolerance=0.0, turn_seconds=1))
        with pytest.raises(EngineFaultError, match="match time: expected"):
            engine.choose(Board(RULES))
        assert link.is_killed


def test_swap2_is_asked_plainly_first_then_with_colors() -> None:
    plain = answering(DONE="7,7 8,7 9,9")
    empty = engine_of(plain).swap2(Board(RULES))
    assert isinstance(empty, Coordinates)
    assert len(empty.points) == 3
    three = Board.from_moves("h8 j8 k10", RULES)
    assert engine_of(answering(DONE="SWAP")).swap2(three) == Swap()
    heard: list[str] = []

    def picky(line: str) -> list[str]:
        heard.append(line)
        if line == "START 15":
            return ["OK"]
        if line == "DONE":
            return ["8,8 9,8"] if heard[-2].count(",") == 2 else ["ERROR x,y,color wanted"]
        return []

    assert len(engine_of(Scripted(picky)).swap2(three).points) == 2
    assert heard[-4].endswith(",1")
    assert heard[-3].endswith(",2")
    for reply, text in (("SWAP", "garbage"), ("UNKNOWN", "refused"), ("7,7", "garbage")):
        with pytest.raises(EngineFaultError, match=text):
            engine_of(answering(DONE=reply)).swap2(Board(RULES))
    with pytest.raises(EngineFaultError, match="illegal move"):
        engine_of(answering(DONE="7,7")).swap2(three)


def opening_of(*said) -> tuple[OpeningPhase, Board]:
    phase, board = OpeningPhase(RULES, OpeningKind.SWAP2), Board(RULES)
    for step in said:
        phase = phase.after(step)
        if not isinstance(step, Choice):
            board.push(step)
    return phase, board


def test_a_match_in_swap2_asks_the_engine_by_swap2board() -> None:
    def asked(hosted, phase, board):
        return answer_opening(hosted, phase, board, Limit(seconds=9), np.random.default_rng(0))

    begins = EnginePlayer(engine_of(answering(DONE="7,7 8,7 9,9")), RULES)
    stones = asked(begins, *opening_of())
    assert stones == (112, 113, 144)
    swaps = EnginePlayer(engine_of(answering(DONE="SWAP")), RULES)
    assert asked(swaps, *opening_of(*stones)) == (Choice.BLACK,)
    stays = EnginePlayer(engine_of(answering(DONE="0,0")), RULES)
    phase, board = opening_of(*stones)
    assert asked(stays, phase, board) == (Choice.WHITE,)
    assert stays.choose(board, Limit(), np.random.default_rng(0)).move == 0
    more = EnginePlayer(engine_of(answering(DONE="1,0 2,0")), RULES)
    assert asked(more, phase, board) == (Choice.TWO_MORE,)
    assert asked(more, phase.after(Choice.TWO_MORE), board) == (1, 2)
    last = opening_of(*stones, Choice.TWO_MORE, 1, 2)
    ends = EnginePlayer(engine_of(answering(DONE="5,5")), RULES)
    assert asked(ends, *last) == (Choice.WHITE,)
    assert ends.choose(last[1], Limit(), np.random.default_rng(0)).move == 80


@pytest.mark.parametrize("reply", ["UNKNOWN", "ERROR no swap2 here"])
def test_an_engine_without_swap2_is_answered_for_in_one_clear_line(reply, caplog) -> None:
    hosted = EnginePlayer(engine_of(answering(DONE=reply, BEGIN="7,7", TURN="0,0")), RULES)
    phase, board = opening_of()
    said = answer_opening(hosted, phase, board, Limit(seconds=9), np.random.default_rng(0))
    assert len(said) == 3
    (told,) = [item.getMessage() for item in caplog.records]
    assert told.startswith("fake: refused: expected an answer to SWAP2BOARD, found ")
    assert told.endswith("; the opening swap2 is answered for it")
    assert hosted.choose(Board(RULES), Limit(), np.random.default_rng(0)).move == 112


def test_an_engine_that_fails_in_swap2_loses_by_its_first_move(caplog) -> None:
    hosted = EnginePlayer(engine_of(answering(DONE="SWAP", BEGIN="7,7")), RULES)
    phase, board = opening_of()
    assert len(answer_opening(hosted, phase, board, Limit(), np.random.default_rng(0))) == 3
    choice = hosted.choose(Board(RULES), Limit(), np.random.default_rng(0))
    assert choice.forfeit.startswith("fake: garbage: expected an answer to SWAP2BOARD, found ")


def test_an_engine_sits_only_where_it_plays() -> None:
    engine = Engine(EngineEntry("e", ("e",), rules=("freestyle",)))
    with pytest.raises(OptionError, match="gomocup:e: expected freestyle, found standard"):
        EnginePlayer(engine, Rules(15, exact=True))
    with pytest.raises(OptionError, match="five in a row"):
        EnginePlayer(engine, Rules(7, 4))
    with pytest.raises(RuntimeError, match="found no name of an engine"):
        create(RULES, {})


def test_a_session_knows_who_gave_up() -> None:
    session = GameSession(RULES, moves=(0,))
    hosted = EnginePlayer(engine_of(answering(TURN="ERROR")), RULES)
    choice = hosted.choose(session.board, Limit(), np.random.default_rng(0))
    assert choice.move == PASS
    assert session.gives_up(choice)
    assert session.resigned == WHITE
    assert session.record().winner == BLACK
