"""Each table and figure of the studies has one command, and each command is one that is there."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from base.files import SHIPPED_ROOT
from base.storage.json_file import read_json
from benchmarks import study
from benchmarks.reproductions import Reproduction, reproductions

STUDIES = SHIPPED_ROOT / "docs" / "studies"
CHECK = "tests.check"
"""It runs whatever words it gets, so its words are not tried."""


def made_in(page: Path, name: str) -> set[str]:
    """Return the tables and pictures of a page, as `makes` names them."""
    found, heading, is_made = set(), "", False
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.S | re.M)
    for line in text.splitlines():
        heading = line.lstrip("# ") if line.startswith("#") else heading
        if mark := re.match(r"<!-- made: (\S+) -->", line):
            found.add(f"{name}/{mark[1]}")
        is_made = (is_made or bool(mark)) and not line.startswith("<!-- end")
        if re.fullmatch(r"\|[-| ]+\|", line) and not is_made:
            found.add(f"{name}#{heading}")
        found |= {f"{name}/{Path(path).name}" for path in re.findall(r"!\[[^]]*\]\((\S+)\)", line)}
    return found


def test_each_table_and_figure_of_the_studies_has_one_name() -> None:
    there = set().union(*(made_in(page, page.stem) for page in sorted(STUDIES.glob("*.md"))))
    for page in (SHIPPED_ROOT / "docs").glob("*.md"):
        marks = re.findall(r"^<!-- made: (\S+) -->", page.read_text("utf-8"), re.M)
        there |= {f"docs/{page.stem}/{mark}" for mark in marks}
    named = Counter(made for item in reproductions().values() for made in item.makes)
    assert {made: count for made, count in named.items() if count > 1} == {}, "made twice"
    assert there - set(named) == set(), "no command: add a block to benchmarks/studies.toml"
    assert set(named) - there == set(), "on no page: mend benchmarks/studies.toml"


def test_a_name_has_commands_or_says_why_it_has_none() -> None:
    for name, item in reproductions().items():
        assert item.commands or item.note, name
        assert bool(item.commands) == bool(item.hours), name
        assert item.puts or item.by_hand or item.note, f"{name}: how it comes into the page"
        assert set(item.needs) <= set(reproductions()), name
        assert ("{seed}" in "".join(item.commands)) == bool(item.seeds), name


def test_every_command_is_one_that_its_program_takes() -> None:
    """In a process of its own, which loads all programs and runs none."""
    commands = {
        tuple(study.words_of(command, Path("runs/study"), item.name))
        for item in reproductions().values()
        for command in (*item.steps(), *item.puts)
    }
    tried = [words for words in sorted(commands) if words[0] not in (study.COPY, CHECK)]
    assert len(tried) > 100
    done = subprocess.run(
        [sys.executable, "-m", "tests.parsed_commands"], cwd=SHIPPED_ROOT, timeout=110,
        input="\n".join(map(json.dumps, tried)), capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr


# -- the runner ----------------------------------------------------------------------------------

WRITE = "benchmarks.nothing {out}/%s"


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Two names, the second one in need of the first; commands are noted and not run."""
    items = {
        "one": Reproduction("one", ("a/b",), 1.0, commands=("benchmarks.a --out {out}",)),
        "two": Reproduction(
            "two", ("a/c",), 0.1, seeds=2, needs=("one",), by_hand=True,
            commands=("main.py b --seed {seed}", "benchmarks.search {runs}/one"),
            puts=("benchmarks.seeds --keep --out {out}",),
        ),
        "gone": Reproduction("gone", ("a/d",), note="The settings are no more."),
    }  # fmt: skip
    called: list[list[str]] = []

    def run_step(words: list[str], log: Path) -> int:
        called.append(words)
        return int(words[0] in ("benchmarks.search", "benchmarks.fails"))

    monkeypatch.setattr(study, "reproductions", lambda: items)
    monkeypatch.setattr(study, "run_step", run_step)
    monkeypatch.setattr(study.os, "nice", lambda _: 0)
    return called


def test_what_a_name_needs_comes_first_and_nothing_is_run_twice(
    ran: list[list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path.as_posix()
    assert study.main(["two", "--out", out]) == 0
    assert ran == [
        ["benchmarks.a", "--out", f"{out}/one"],
        ["main.py", "b", "--seed", "0"],
        ["main.py", "b", "--seed", "1"],
        ["benchmarks.search", f"{out}/one"],
        ["benchmarks.seeds", "--keep", "--out", f"{out}/two"],
    ]
    assert "by hand" in capsys.readouterr().out
    ran.clear()
    assert study.main(["two", "--out", out, "--check"]) == 0
    assert ran == [["benchmarks.seeds", "--keep", "--out", f"{out}/two", "--check"]]
    assert len(read_json(tmp_path / "two" / study.STEPS)["done"]) == 3


def test_a_step_that_fails_ends_the_run_and_is_run_again(
    ran: list[list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    fails = Reproduction(
        "x", (), 1.0, commands=("benchmarks.a", "benchmarks.fails", "benchmarks.b")
    )
    monkeypatch.setattr(study, "reproductions", lambda: {"x": fails})
    for expected in (2, 1):
        ran.clear()
        assert study.main(["x", "--out", str(tmp_path)]) == 1
        assert len(ran) == expected
    assert "x: step 2 ended with 1" in capsys.readouterr().err


def test_a_name_without_commands_says_why(
    ran: list[list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert study.main(["gone", "--out", str(tmp_path)]) == 1
    assert capsys.readouterr().err == "study: gone: The settings are no more.\n"
    assert ran == []


def test_names_and_commands_are_shown(
    ran: list[list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert study.main([]) == 0
    assert "| `two` | a/c | 6 min |" in capsys.readouterr().out
    assert study.main(["two", "--dry-run"]) == 0
    assert capsys.readouterr().out.splitlines()[1:3] == [
        "python -m benchmarks.a --out runs/study/one",
        "# two: a/c; 6 min",
    ]
    with pytest.raises(SystemExit, match="2"):
        study.main(["three"])
    assert ran == []


def test_a_step_is_shown_kept_and_its_end_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        study, "python_of", lambda _: [sys.executable, "-c", "print('found'); raise SystemExit(3)"]
    )
    assert study.run_step(["benchmarks.a"], tmp_path / "1.log") == 3
    assert "found" in capsys.readouterr().out
    assert (tmp_path / "1.log").read_text("utf-8") == "found\n"


def test_a_file_is_copied(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("new", encoding="utf-8")
    assert study.run_step([study.COPY, str(tmp_path / "a"), str(tmp_path / "b")], tmp_path) == 0
    assert (tmp_path / "b").read_text("utf-8") == "new"
