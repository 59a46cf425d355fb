"""The benchmark of the searches: the same loop in C, and the exit code."""

from __future__ import annotations

import json

import pytest

from ai.game import Rules
from ai.kernels.layout import POSITION
from benchmarks import search


def test_the_loop_in_c_makes_what_the_core_makes(tmp_path):
    in_c = search.c_pairs(tmp_path)
    if in_c is None:
        pytest.skip("there is no gcc")
    count, seconds, seconds_in_c = search.compare(search.random_board(Rules(15), 40), in_c, 1)
    assert count > 0
    assert min(seconds, seconds_in_c) > 0.0


def test_without_gcc_the_reason_is_told(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("shutil.which", lambda name: None)
    assert search.c_pairs(tmp_path) is None
    assert "there is no gcc" in capsys.readouterr().out


def test_the_declaration_in_c_has_every_field():
    header = search.c_header()
    assert all(f" {name}" in header for name in POSITION.names)


@pytest.mark.parametrize(("value", "code"), [(0.9, 0), (0.8, 1)])
def test_a_missed_goal_is_told_by_the_exit_code(value, code, monkeypatch, tmp_path, capsys):
    def core(rounds):
        yield search.Measure("pairs", 5.0 * rounds)
        yield search.Measure("share", value, "", 0.85)

    monkeypatch.setattr(search, "PARTS", {"core": core})
    out = tmp_path / "out.json"
    assert search.main(["--parts", "core", "--rounds", "2", "--json", str(out)]) == code
    said = capsys.readouterr().out
    assert ("missed: share" in said) == bool(code)
    assert json.loads(out.read_text())["measures"][1]["value"] == value


def test_an_unknown_part_is_refused(capsys):
    with pytest.raises(SystemExit):
        search.main(["--parts", "core,trees"])
    assert "expected some of core,tree,fours,alpha-beta, found 'trees'" in capsys.readouterr().err


def test_fours_and_alpha_beta_are_measured(monkeypatch):
    monkeypatch.setattr(search, "POSITIONS", 500)
    monkeypatch.setattr(search, "FOURS_LIMIT", 50)
    monkeypatch.setattr(search, "CROWDED", 3)
    found = {one.name: one for part in ("fours", "alpha-beta") for one in search.PARTS[part](1)}
    assert 0.0 < found["fours, 15x15: share won"].value < 1.0
    assert found["fours, 22x22: positions"].value > 0.0
    assert found["alpha-beta, 15x15, 4 stones: depth"].value >= 2.0
