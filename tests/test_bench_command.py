"""`bench`: tactical positions, speed, signature."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ai.bench import measure, versions
from ai.bench.suite import SuiteTask, read_suite, write_suite
from tests.command_line import run_here

PLAYED: set[str] = set()
"""Rules of the games that were played."""


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A suite of two positions, one with a wrong answer; what takes long is left out."""
    task = next(task for task in read_suite() if task.kind == "fours")
    wrong = SuiteTask("wrong", "quiet", task.rule, task.moves, ("a1",), 0)
    path = tmp_path / "suite.json"
    write_suite(path, [task, wrong])
    monkeypatch.setattr(measure, "rate", lambda learned: 1234.4)
    monkeypatch.setattr(measure, "depths_within", lambda seconds, learned: [11, 9])
    monkeypatch.setattr(measure, "signature", lambda learned: 78 if learned is None else 77)
    monkeypatch.setattr(versions, "rate_ratio", lambda one, other, rules: 0.947)
    PLAYED.clear()

    def play_pair(tunings, rules, *given):
        PLAYED.add(rules.rule.value)
        return [1.0, 0.5]

    monkeypatch.setattr(versions, "play_pair", play_pair)
    return path


def test_it_tells_what_was_solved(suite: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("bench", "--nodes", "300", "--suite", str(suite))
    code, out, _ = run_here(capsys, *words, "--json")
    found = json.loads(out)
    assert code == 0
    assert (found["solved"], found["tasks"]) == (1, 2)
    assert found["kinds"] == {"fours": [1, 1], "quiet": [0, 1]}
    assert [one["name"] for one in found["missed"]] == ["wrong"]
    assert (found["positions_a_cpu_second"], found["depth_in_a_second"]) == (1234, 9)
    assert found["depths_in_a_second"] == [11, 9]
    assert (found["signature"], found["evaluation"]) == (77, "shipped")
    against = {"won": 20, "drawn": 20, "lost": 0}
    assert found["against"] == {
        "version": 6,
        "rule": "standard",
        "rate_ratio": 0.947,
        "games": against,
        "elo": [191, 191, 191],
    }
    assert {"standard"} == PLAYED
    code, out, _ = run_here(
        capsys, *words, "--evaluation", "patterns", "--against", "4", "--rule", "renju"
    )
    assert code == 0
    assert "solved         1 of 2" in out
    assert {"standard", "renju"} == PLAYED
    assert "missed wrong: found" in out
    assert "positions of 8 quiet stones: 9 or more, 11 9" in out
    assert "signature: 78" in out
    assert "the rate as a ratio to version 4 (renju): 0.95" in out
    assert "against version 4 (renju) at equal time: +191 Elo (191 to 191), 20 won, 20 drawn" in out
    code, out, _ = run_here(capsys, *words, "--games", "0")
    assert code == 0
    assert "version 6 (standard): 0.95" in out
    assert "Elo" not in out


@pytest.mark.parametrize(
    "words",
    [
        ("--seconds", "0"),
        ("--nodes", "0"),
        ("--suite", "no.json"),
        ("--threes", "91"),
        ("--evaluation", "no.npz"),
        ("--against", "7"),
        ("--rule", "go"),
        ("--games", "7"),
    ],
)
def test_what_is_wrong_is_one_line(
    words: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, error = run_here(capsys, "bench", *words)
    assert code != 0
    assert out == ""
    assert error.count("\n") == 1
    assert "expected" in error
