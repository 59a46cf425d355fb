"""What is run by night: part by part, each in bounds, and the page says what came of it."""

from __future__ import annotations

import ast
import sys

import pytest

from tests import nightly
from tests.nightly import FAILED, LATE, MISSING, PAGE, PASSED, RESULTS, Part, Result

SOUND = Result("2026-01-02 03:04", "a machine", "abc", 1.5, "5 | 6 kills", PASSED)


def python(monkeypatch, *programs: str) -> Part:
    """Return a part whose commands are Python programs."""
    monkeypatch.setattr(nightly, "is_there", lambda name: name != "none")
    watched = nightly.watched

    def run(words, seconds):
        return watched([sys.executable, "-c", *words[2:]], seconds)

    monkeypatch.setattr(nightly, "watched", run)
    return Part("a", "does something", tuple((program,) for program in programs))


def test_the_page_agrees_with_the_results():
    page = PAGE.read_text(encoding="utf-8")
    assert nightly.rewritten(page, nightly.read()) == page, "python -m tests.check --nightly"
    assert page.count(nightly.BEGIN) == 1


def test_results_are_kept_and_those_of_other_parts_stay(tmp_path):
    path, page = tmp_path / "results.json", tmp_path / "page.md"
    page.write_text(f"# A\n\n{nightly.BEGIN}\noutdated\n{nightly.END}\nmore\n", encoding="utf-8")
    nightly.write({"kills": SOUND, "gone": SOUND}, path, page)
    assert nightly.read(path) == {"kills": SOUND}
    text = page.read_text(encoding="utf-8")
    assert (text[:4], text[-6:]) == ("# A\n", "\nmore\n")
    assert "outdated" not in text
    row = next(line for line in text.splitlines() if line.startswith("| `kills`"))
    assert row.endswith("| 2026-01-02 03:04 | a machine | 1.5 | 5 \\| 6 kills | passed |")
    assert "| `soak` | 5,000 games in a row: memory | – | – | – | – | not run yet |" in text


@pytest.mark.parametrize(
    ("programs", "verdict", "figures"),
    [
        (["print('one')", "print('two figures'); print()"], PASSED, "two figures"),
        (["print('one'); exit(3)", "print('two')"], FAILED, "one"),
        (
            ["import sys; sys.stderr.write('why\\n'); 1/0"],
            FAILED,
            "ZeroDivisionError: division by zero",
        ),
    ],
)
def test_a_part_has_a_verdict_and_figures(programs, verdict, figures, monkeypatch):
    result = nightly.run(python(monkeypatch, *programs), "abc")
    assert (result.verdict, result.figures, result.tree) == (verdict, figures, "abc")
    assert result.date.startswith("20")


def test_a_part_that_takes_too_long_is_killed_with_all_that_it_started(monkeypatch):
    program = (
        "import subprocess, sys\n"
        "print('begun', flush=True)\n"
        "subprocess.run([sys.executable, '-c', 'import time; time.sleep(60)'])"
    )  # its output ends when the last one that holds it has ended
    result = nightly.run(python(monkeypatch, program), "abc", longest=0.5)
    assert (result.verdict, result.figures) == (LATE, "begun")


def test_a_part_that_is_not_there_is_told_and_not_dated(monkeypatch, capsys, tmp_path):
    kept: list[dict[str, Result]] = []
    monkeypatch.setattr(nightly, "PARTS", (Part("a", "x", (("tests.no_such",),)),))
    monkeypatch.setattr(nightly, "write", lambda results: kept.append(dict(results)))
    assert nightly.main([]) == 1
    assert MISSING in capsys.readouterr().out
    assert kept == []


def test_parts_are_chosen_by_name_and_what_has_passed_is_left_out(monkeypatch, capsys):
    ran: list[str] = []
    monkeypatch.setattr(nightly, "tree_digest", lambda: "abc")
    monkeypatch.setattr(nightly, "read", lambda: {"kills": SOUND, "soak": SOUND})
    monkeypatch.setattr(nightly, "write", lambda results: None)
    monkeypatch.setattr(nightly, "run", lambda part, tree: ran.append(part.name) or SOUND)
    assert nightly.main(["kills", "laws"]) == 0
    assert ran == ["kills", "laws"]
    ran.clear()
    assert nightly.main(["kills", "laws", "--resume"]) == 0
    assert ran == ["laws"]
    assert nightly.main(["kisses"]) == 2
    assert "found kisses" in capsys.readouterr().err


def test_the_digest_of_the_tree_is_of_its_files(monkeypatch, tmp_path):
    assert len(nightly.tree_digest()) == 12
    assert nightly.tree_digest() == nightly.tree_digest()
    monkeypatch.setattr(nightly, "ROOT", tmp_path)
    assert nightly.tree_digest() == "none"


def test_every_benchmark_with_an_exit_code_is_a_part():
    run = {command[0] for part in nightly.PARTS for command in part.commands}
    judging = set()
    for path in (RESULTS.parents[1] / "benchmarks").glob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            is_main = isinstance(node, ast.FunctionDef) and node.name == "main"
            if is_main and isinstance(node.returns, ast.Name) and node.returns.id == "int":
                judging.add(f"benchmarks.{path.stem}")
    assert judging - run - set(nightly.BY_HAND) == set()
    assert len({part.name for part in nightly.PARTS}) == len(nightly.PARTS)
