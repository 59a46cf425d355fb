"""Real processes: each misbehaviour ends that engine, with all it has started, and nothing else."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

from ai.arena import game as arena_game
from ai.arena.arena import run_arena
from ai.arena.game import OverdueError
from ai.arena.tournament import Tournament
from ai.game import Board, Rules
from ai.protocol.hosting.engine import Engine, EngineLimits
from ai.protocol.hosting.process import DialogueLog, EngineFault, EngineFaultError, EngineProcess
from ai.registry.engines import VARIABLE, EngineEntry, declare_engines
from base.command_line import join_words

FAKE = Path(__file__).with_name("fake_engine.py")
ROOT = FAKE.parents[4]
BOARD = Board.from_moves("h8", Rules(15))
NOWHERE = re.escape(repr(str(Path("/no/such"))))


def command(kind: str) -> tuple[str, ...]:
    return (sys.executable, "-I", "-S", str(FAKE), kind)


def engine(kind: str, seconds: float = 20.0, **entry) -> Engine:
    limits = EngineLimits(turn_seconds=seconds, tolerance=0.0, pause=0)
    return Engine(EngineEntry(kind, command(kind), **entry), limits)


def has_ended(pid: int) -> bool:
    """Whether a killed process is gone, or waits for somebody to notice, within a bound."""
    until = time.monotonic() + 30
    while time.monotonic() < until:
        try:
            if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
                return True
        except psutil.NoSuchProcess:
            return True
        threading.Event().wait(0.01)
    return False


def children() -> set[int]:
    return {child.pid for child in psutil.Process().children(recursive=True)}


def test_a_real_engine_plays_and_a_flooding_one_is_ended_with_its_children(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ai.protocol.hosting.process.MOST_BYTES", 2**20)
    before = children()
    log = tmp_path / "new" / "dialogue.log"
    good = engine("orphan", log=log)
    assert good.choose(BOARD) == 0
    orphan = int(log.read_text().rpartition("child ")[2].split()[0])
    assert psutil.pid_exists(orphan)
    good.close()
    assert has_ended(orphan)
    flooding = engine("floods")
    with pytest.raises(EngineFaultError, match="flood: more than 1 MiB without a command"):
        flooding.choose(BOARD)
    assert children() <= before
    text = log.read_text()
    assert " > START 15\n" in text
    assert " < 0,0\n" in text


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("kind", "fault", "settings"),
    [
        ("sleeps", EngineFault.TURN_TIME, {}),
        ("floods", EngineFault.FLOOD, {}),
        ("shouts", EngineFault.FLOOD, {}),
        ("lies", EngineFault.ILLEGAL, {}),
        ("occupied", EngineFault.ILLEGAL, {}),
        ("garbage", EngineFault.GARBAGE, {}),
        ("refuses", EngineFault.REFUSED, {}),
        ("exits", EngineFault.EXITED, {}),
        ("crashes", EngineFault.EXITED, {}),
        ("binary", EngineFault.GARBAGE, {}),
        ("unended", EngineFault.TURN_TIME, {}),
        ("streams", EngineFault.FLOOD, {}),
        ("deaf", EngineFault.TURN_TIME, {}),
        ("silent", EngineFault.START, {"start_seconds": 0.3}),
        ("hungry", EngineFault.MEMORY, {"memory": 100}),
    ],
)
def test_every_misbehaviour_is_told_and_leaves_no_process(kind, fault, settings) -> None:
    before = children()
    one = engine(kind, 0.5 if fault is EngineFault.TURN_TIME else 20.0, **settings)
    with pytest.raises(EngineFaultError) as caught:
        one.choose(BOARD)
    assert caught.value.fault is fault
    assert children() <= before
    with pytest.raises(EngineFaultError):  # and it is started anew for the next question
        one.choose(BOARD)
    one.close()
    assert children() <= before


SAID = {
    "crashes": "exited: its process "
    + ("ended with code 11" if os.name == "nt" else "was ended by SIGSEGV"),
    "binary": "garbage: expected a reply such as 7,8, found '\\x00",
    "sleeps": "expected a move within 1.3 s, found none",
    "unended": "expected a move within 1.3 s, found none",
    "floods": "flood: more than 16 MiB without a command",
    "streams": "flood: more than 16 MiB without a command",
    "lies": "illegal move: expected an empty point, found 15,3: off the board",
    "exits": "exited: its process ended with code 3",
}
"""What a tournament's page says of each engine that fails."""


LATE = ("sleeps", "unended")


@pytest.mark.parametrize(
    ("kinds", "seconds"),
    [
        pytest.param(["crashes", "binary"], 20.0, id="daily"),
        pytest.param(LATE, 0.3, id="late", marks=pytest.mark.nightly),
        pytest.param(
            [kind for kind in SAID if kind not in LATE], 20.0, id="all", marks=pytest.mark.nightly
        ),
    ],
)
def test_a_tournament_goes_on_past_every_engine_that_fails(
    kinds, seconds, tmp_path, monkeypatch
) -> None:
    monkeypatch.setenv(VARIABLE, "{}")
    declare_engines(f"{kind}={join_words(command(kind))}" for kind in kinds)
    before = children()
    names = ("random", *(f"gomocup:{kind}" for kind in kinds))
    tournament = Tournament(names, 2, Rules(15), seconds=seconds, first_only=True)
    results = run_arena(tournament, tmp_path)
    assert len(results["games"]) == 2 * len(kinds)
    for game in results["games"]:
        side = "black" if game["black"] != "random" else "white"
        kind = game[side].removeprefix("gomocup:")
        assert game["winner"] != side
        assert game["reason"] == ("time" if kind in LATE else "gave up")
        assert SAID[kind] in game["fault"]
    assert children() <= before


def test_what_breaks_off_a_wait_leaves_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arena_game, "AGAIN", 0.001)  # as if the machine were slow: amid the killing
    before = children()
    one = engine("sleeps")
    one.open(BOARD.rules)
    with pytest.raises(OverdueError), arena_game.within(0.05):
        one.choose(BOARD)
    one.close()
    assert children() <= before


@pytest.mark.nightly
def test_an_engine_that_never_answers_end_is_killed() -> None:
    before = children()
    one = engine("immortal")
    one.choose(BOARD)
    started = time.monotonic()
    one.close()
    assert time.monotonic() - started < 20
    assert children() <= before


@pytest.mark.nightly
def test_an_engine_ends_with_its_manager_however_that_ends(tmp_path: Path) -> None:
    told = tmp_path / "log"
    code = (
        "import os, time; from pathlib import Path\n"
        "from tests.ai.protocol.hosting.test_process import engine, BOARD\n"
        f"one = engine('orphan', log=Path({str(told)!r})); one.choose(BOARD); os.kill(os.getpid(), 9)"
    )
    manager = subprocess.run([sys.executable, "-c", code], cwd=ROOT, timeout=60, check=False)
    assert manager.returncode == -9
    orphan = int(told.read_text().rpartition("child ")[2].split()[0])
    assert has_ended(orphan)


@pytest.mark.nightly
def test_the_brain_command_plays_a_whole_game_as_a_process() -> None:
    words = (sys.executable, str(ROOT / "main.py"), "brain", "random", "--seed", "1")
    own = Engine(
        EngineEntry("own", words, start_seconds=60), EngineLimits(turn_seconds=20, pause=0)
    )
    board = Board(Rules(15))
    while board.outcome() is None:
        board.push(own.choose(board) if board.ply % 2 == 0 else next(iter(board.legal_moves)))
    own.close()
    assert board.ply > 8


@pytest.mark.parametrize(
    ("words", "folder", "expected"),
    [
        (("no-such-engine",), None, "expected a program that can be run, found 'no-such-engine'"),
        (("python3",), Path("/no/such"), f"expected a folder, found no folder {NOWHERE}"),
    ],
)
def test_an_engine_that_cannot_be_started_says_so(words, folder, expected) -> None:
    with pytest.raises(EngineFaultError, match=expected):
        EngineProcess("x", words, folder=folder)


def test_a_log_has_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ai.protocol.hosting.process.LARGEST", 300)
    log = DialogueLog(tmp_path / "log")
    for _ in range(20):
        log.received("x" * 5000)
    text = (tmp_path / "log").read_text()
    assert len(text) < 1500
    assert text.endswith("(the log is full)\n")
    DialogueLog(tmp_path / "log" / "no" / "folder").sent("is not an error")
