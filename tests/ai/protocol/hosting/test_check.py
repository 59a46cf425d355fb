"""A check says in one line what an engine answered, or what was expected and found."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ai.protocol.hosting import check
from ai.protocol.hosting.check import check_engine
from ai.registry.engines import EngineEntry
from tests.ai.protocol.hosting.test_process import children, command


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "ABOUT_SECONDS", 0.2)


def test_a_sound_engine_says_who_it_is_and_makes_two_moves() -> None:
    before = children()
    found = check_engine(EngineEntry("x", command("named"), start_seconds=60), seconds=60)
    assert found.is_sound
    assert found.text.startswith("It calls itself Fake 1.2; on 15x15 it played a15 and c15, the f")
    small = EngineEntry("x", command("good"), sizes=(5, 7), start_seconds=60)
    assert "It does not say its name; on 7x7 it" in check_engine(small, seconds=60).text
    assert children() <= before


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (command("exits"), "exited: its process ended with code 3"),
        (command("garbage"), "garbage: expected a reply such as 7,8, found 'seven, please'"),
        (command("occupied"), "illegal move: expected an empty point, found 0,0: a stone"),
        (command("lies"), "illegal move: expected an empty point, found 15,3: off the board"),
        (command("refuses"), "refused: expected a move, found ERROR no idea"),
        ((sys.executable, "-I", "-S", "-c", "no"), "exited: its process ended with code 1 after \""),
        (("/nowhere/engine",), "start: expected a program that can be run, found '/nowhere/engine'"),
    ],
)  # fmt: skip
def test_each_fault_is_one_line_and_leaves_no_process(words, expected) -> None:
    before = children()
    found = check_engine(EngineEntry("x", words, start_seconds=60), seconds=60)
    assert not found.is_sound
    assert found.text.startswith(expected)
    assert "\n" not in found.text
    assert children() <= before


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (command("silent"), "start: expected OK within 0.5 s, found nothing"),
        ((sys.executable, "-I", "-S", "-c", "while True: print(input(), flush=True)"),
         "start: expected OK within 2 s, found only 'START 15'"),
    ],
)  # fmt: skip
def test_a_program_that_hangs_or_knows_no_protocol_is_given_up(words, expected) -> None:
    before = children()
    seconds = 0.5 if "0.5" in expected else 2.0
    assert check_engine(EngineEntry("x", words, start_seconds=seconds)).text == expected
    assert children() <= before


def test_a_move_that_comes_too_late_is_a_fault() -> None:
    found = check_engine(EngineEntry("x", command("sleeps"), start_seconds=60), seconds=0.1)
    assert found.text == (
        "turn time: expected an answer within 0.1 s and 1 s more, found nothing"
    )  # fmt: skip


@pytest.mark.skipif(sys.platform == "win32", reason="Windows runs a file by its suffix")
def test_a_file_that_is_no_program_is_told_apart(tmp_path: Path) -> None:
    text = tmp_path / "readme.txt"
    text.write_text("hello")
    assert "a file that may not be executed" in check_engine(EngineEntry("x", (str(text),))).text
    text.chmod(0o755)
    found = check_engine(EngineEntry("x", (str(text),), start_seconds=60)).text
    assert found.startswith("exited: its process ended with code 127 after '")
    assert "Exec format error" in found
