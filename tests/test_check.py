"""The one verb for all checks: its groups of tests run two at a time, and none is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import check

WAITS = """
import pathlib, time

def test_waits():
    (pathlib.Path(__file__).parent / "{own}").touch()
    end = time.monotonic() + 60
    while not (pathlib.Path(__file__).parent / "{other}").exists():
        assert time.monotonic() < end, "{other} did not begin meanwhile"
        time.sleep(0.05)
"""


@pytest.fixture
def group(tmp_path: Path):
    """Make a group of one test that ends when that of another group has begun."""

    def make(own: str, other: str) -> check.Group:
        file = tmp_path / f"test_{own}.py"
        file.write_text(WAITS.format(own=own, other=other), encoding="utf-8")
        return own, ("-q", "-c", str(tmp_path / "none.ini"), "-p", "no:cacheprovider", str(file))

    (tmp_path / "none.ini").write_text("[pytest]\n", encoding="utf-8")
    return make


def test_groups_run_beside_the_first_one_and_all_are_told(group, monkeypatch, capfd):
    groups = (group("first", "third"), group("second", "first"), group("third", "second"))
    monkeypatch.setattr(check, "GROUPS", groups)
    found = check.tests([])
    assert sorted((name, code) for name, code, _ in found) == [
        ("first", 0), ("second", 0), ("third", 0),
    ]  # fmt: skip
    said = capfd.readouterr().out
    assert [said.count(f"=== pytest {name}\n") for name, _ in groups] == [1, 1, 1]
    assert said.count("1 passed") == 3


def test_a_group_that_fails_is_told_and_stops_no_other(group, monkeypatch, capfd):
    groups = (group("first", "second"), ("broken", ("no_such_file.py",)), group("second", "first"))
    monkeypatch.setattr(check, "GROUPS", groups)
    codes = {name: code for name, code, _ in check.tests([])}
    assert (codes["first"], codes["second"]) == (0, 0)
    assert codes["broken"] != 0
    assert "no_such_file.py" in capfd.readouterr().out


@pytest.mark.parametrize(
    ("words", "given"),
    [
        ([], ["-m", "not nightly"]),
        (["-k", "goban"], ["-m", "not nightly", "-k", "goban"]),
        (["--nightly"], []),
        (["--nightly", "-k", "goban"], ["-k", "goban"]),
        (["-m", "window"], ["-m", "window"]),
    ],
)
def test_what_repeats_at_length_runs_by_night(words, given, monkeypatch):
    asked: list[list[str]] = []
    monkeypatch.setattr(check, "CHECKS", ())
    monkeypatch.setattr(check, "tests", lambda arguments: asked.append(list(arguments)) or [])
    assert check.main(words) == 0
    assert asked == [given]
