"""The tool that makes small faults: what it edits and leaves alone, and what it says of a result."""

from __future__ import annotations

import ast
import importlib
import os
import subprocess
import sys

import pytest

from tests.check import ROOT
from tests.mutate.choice import ListError, equivalents, key_of, mirrored_tests, named, sampled
from tests.mutate.edits import edits_of
from tests.mutate.scratch import CAUGHT, HUNG, SURVIVED, Scratch, ToolError, dependents
from tests.mutate.spending import run_within

tool = importlib.import_module("tests.mutate.__main__")

SOURCE = '''"""Words: 1 < 2."""
LIMIT = 300

def least(values: list[int] | None, scale: float = 0.5) -> int:
    """Return 1 + 1, "or" else."""
    if not values or len(values) > 2:
        raise ValueError(f"expected {1 + 2}, found {values!r}")
    log.info("of %d", len(values) - 1)
    values.sort()
    first = min(values[0], -values[1])
    return first - LIMIT

class Sorts(Protocol):
    def sort(self, *, is_stable: bool = False) -> None: ...
'''


def test_what_the_code_does_is_edited_and_its_words_and_types_are_not():
    edits = edits_of("a.py", SOURCE)
    assert {(edit.line, edit.kind, edit.new) for edit in edits} == {
        (6, "and/or", "(not values and len(values) > 2)"),
        (6, "condition", "(values)"),
        (6, "condition", "(not (not values or len(values) > 2))"),
        (6, "comparison", "(len(values) >= 2)"),
        (6, "constant", "3"),
        (9, "deleted", "pass"),
        (10, "min/max", "(max(values[0], -values[1]))"),
        (10, "constant", "1"),
        (10, "constant", "2"),
        (10, "sign", "(values[1])"),
        (11, "operator", "(first + LIMIT)"),
        (11, "return", "return None"),
    }
    for edit in edits:
        assert ast.dump(ast.parse(edit.apply(SOURCE))) != ast.dump(ast.parse(SOURCE))
    with pytest.raises(ValueError, match="expected"):
        edits[0].apply(SOURCE[1:])


def test_the_same_seed_draws_the_same_and_another_file_changes_no_place():
    only = ("base",)
    drawn = [trial.name for trial in sampled(ROOT, 3, 8, only)]
    assert drawn == [trial.name for trial in sampled(ROOT, 3, 8, only)]
    assert drawn != [trial.name for trial in sampled(ROOT, 4, 8, only)]
    assert len({name.split(" ")[1] for name in drawn}) >= 6, "of many kinds"


def test_the_lists_fit_the_sources_and_every_named_fault_has_its_tests():
    trials = named(ROOT)
    assert len({trial.name for trial in trials}) == len(trials) >= 40
    for trial in trials:
        source = (ROOT / trial.edit.path).read_text(encoding="utf-8")
        compile(trial.edit.apply(source), trial.edit.path, "exec")
        assert trial.tests
    assert all(reason for reason in equivalents(ROOT).values())


def test_a_list_that_does_not_fit_is_an_error(monkeypatch, capsys):
    entry = {"name": "n", "path": "base/files.py", "old": "no such text", "new": "", "tests": []}
    monkeypatch.setattr("tests.mutate.choice._entries", lambda name: [entry])
    with pytest.raises(ListError, match="found it 0 times"):
        named(ROOT)
    assert tool.main(["--count", "0"]) == 2
    assert "expected its text once in base/files.py" in capsys.readouterr().out


def test_the_tests_of_the_mirrored_file_come_first_and_players_stay_among_themselves():
    assert mirrored_tests(ROOT, "base/files.py")[0] == "tests/base/test_files.py"
    chosen = mirrored_tests(ROOT, "ai/store/checkpoints.py")
    assert chosen[0] == "tests/ai/store/test_checkpoints.py"
    assert all(test.startswith("tests/ai/") for test in chosen)
    beside = mirrored_tests(ROOT, "scripts/gomoku/game/scoreboard.py")
    assert "tests/scripts/gomoku/game/test_known_games.py" in beside
    assert not any(test.startswith("tests/ai/") for test in beside)


def test_an_edit_is_made_in_a_copy_and_taken_back(tmp_path):
    """With a project of two files instead of the checkout's."""
    (tmp_path / "base").mkdir()
    (tmp_path / "base" / "one.py").write_text("def one():\n    return 1 + 1\n")
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    edit = edits_of("base/one.py", (tmp_path / "base" / "one.py").read_text())[0]
    with Scratch(tmp_path) as scratch:
        file = scratch.root / "base" / "one.py"
        before = file.read_bytes(), file.stat().st_mtime_ns
        with scratch._edited(tool.Trial("t", edit, ())):
            assert file.read_text() == edit.apply("def one():\n    return 1 + 1\n")
        assert (file.read_bytes(), file.stat().st_mtime_ns) == before
        folder = scratch.root
    assert not folder.exists()
    assert sorted(path.name for path in (tmp_path / "base").iterdir()) == ["one.py"]


@pytest.mark.parametrize(
    ("states", "code", "share"),
    [
        ([CAUGHT] * 18 + [HUNG, SURVIVED], 0, "95.0%"),
        ([CAUGHT] * 18 + [SURVIVED] * 2, 1, "90.0%"),
        ([CAUGHT] * 9 + ["equivalent"] * 9, 0, "100.0%"),
    ],
)
def test_the_share_decides_and_survivors_are_named(states, code, share, capsys):
    found = {f"edit {number}": (state, "t") for number, state in enumerate(states)}
    assert tool.report(found, 7, len(found)) == code
    said = capsys.readouterr().out
    assert f"{share} told" in said
    assert said.count("survived: edit") == states.count(SURVIVED)


class Fake:
    """A copy in which the second edit survives, and all others are caught."""

    tried: list[tuple[str, tuple[str, ...]]]
    teller = "tests/test_mutate.py::test_x"

    def __init__(self, root, number=0):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def compile(self):
        pass

    def try_out(self, trial, likely=()):
        self.tried.append((trial.name, likely))
        return (SURVIVED, "") if trial.name == "t1" else (CAUGHT, self.teller)


@pytest.fixture
def fake(tmp_path, monkeypatch):
    monkeypatch.setattr(tool, "Scratch", Fake)
    monkeypatch.setattr(tool, "KEPT", tmp_path)
    monkeypatch.setattr(Fake, "tried", [], raising=False)
    return [tool.Trial(f"t{number}", edit, ("x",)) for number, edit in enumerate(sampled_edits())]


def names():
    return [name for name, _ in Fake.tried]


def test_a_run_goes_on_with_what_is_not_known_and_tries_survivors_again(fake, tmp_path):
    tool.try_all(fake[:2], is_resumed=False)
    with (tmp_path / "mutations.jsonl").open("a") as file:
        file.write('["cut')
    found = tool.try_all(fake, is_resumed=True)
    assert names() == ["t0", "t1", "t2", "t1"]
    assert [state for state, _ in found.values()].count(CAUGHT) == 2


def test_the_test_that_told_is_asked_first_and_its_change_makes_a_result_unknown(fake, monkeypatch):
    tool.try_all(fake[:1], is_resumed=False)
    tool.try_all(fake[:1], is_resumed=True)
    assert Fake.tried == [("t0", ())]
    monkeypatch.setattr(tool.Results, "_key", lambda self, trial: "another source")
    tool.try_all(fake[:1], is_resumed=True)
    assert Fake.tried[1:] == [("t0", (Fake.teller,))]
    monkeypatch.undo()


def test_in_many_copies_each_edit_is_tried_once_and_none_after_the_end(fake, capsys):
    found = tool.try_all(fake, is_resumed=False, jobs=3)
    assert sorted(names()) == ["t0", "t1", "t2"]
    assert tool.try_all(fake, is_resumed=False, jobs=2, end=0.0) == {}
    assert tool.report({name: found[name] for name in ("t0", "t2")}, 7, 3) == 1
    assert "100.0% told; 1 not tried yet" in capsys.readouterr().out


def test_a_copy_that_fails_is_an_error(fake, monkeypatch):
    def fail(self):
        raise ToolError("expected kernels that compile")

    monkeypatch.setattr(Fake, "compile", fail)
    with pytest.raises(ToolError, match="kernels"):
        tool.try_all(fake, is_resumed=False, jobs=2)


def test_a_limit_is_of_processor_seconds_of_all_processes(tmp_path, monkeypatch):
    monkeypatch.setattr("tests.mutate.spending.MOST_WALL", 1000.0)
    busy = "while True: pass"
    child = f"import subprocess, sys; subprocess.run([sys.executable, '-c', '{busy}'])"
    for text, seconds, code in ((child, 0.3, None), ("raise SystemExit(3)", 60.0, 3)):
        ended, spent = run_within(
            [sys.executable, "-c", text], seconds, folder=tmp_path, environment=os.environ
        )
        assert ended == code
        assert (spent >= seconds) is (code is None)
    monkeypatch.setattr("tests.mutate.spending.MOST_WALL", 4.0)
    ended, spent = run_within(
        [sys.executable, "-c", "import time; time.sleep(1e6)"], 0.1, folder=tmp_path,
        environment=os.environ,
    )  # fmt: skip
    assert ended is None, "one that waits spends nothing, and ends all the same"


def sampled_edits():
    return [trial.edit for trial in sampled(ROOT, 0, 3, ("base",))]


def test_a_kernel_is_compiled_anew_with_those_that_import_it():
    stale = dependents(ROOT, "ai/kernels/moves.py")
    assert {"moves", "evolution"} <= stale
    assert "randomness" not in stale
    assert dependents(ROOT, "ai/kernels/greedy.py") >= {"greedy"}


def test_a_reason_is_found_by_the_lines_text():
    trial = sampled(ROOT, 0, 1, ("base/files.py",))[0]
    path, line, what = key_of(ROOT, trial.edit)
    assert path == "base/files.py"
    assert line in (ROOT / path).read_text(encoding="utf-8")
    assert what.startswith(f"{trial.edit.kind}: ")
