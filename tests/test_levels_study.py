"""The levels' study: its page is what is stored, of today's levels, and ratings rise with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from ai.arena.ratings import cross_table
from ai.players.levels import MEASURED
from base.storage.json_file import read_json
from benchmarks import levels
from benchmarks.study_tables import StudyError

is_measured = pytest.mark.skipif(not MEASURED.is_file(), reason="the levels are not measured yet")


@is_measured
def test_what_is_stored_is_of_the_levels_as_they_are_declared_today() -> None:
    stored = read_json(MEASURED)
    assert stored["declared"] == [levels.declared_of(label) for label in levels.levels()]
    assert set(stored["elo"]) == {*levels.YARDSTICKS, *levels.levels()}


@is_measured
def test_each_level_is_rated_above_the_one_below() -> None:
    assert levels.not_rising(read_json(MEASURED)) == []


def test_the_page_has_the_tables_of_what_is_stored(capsys: pytest.CaptureFixture[str]) -> None:
    assert levels.main(["--check"]) == 0
    assert capsys.readouterr().out == "nothing would change\n"


def test_a_group_is_played_resumed_and_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    group = levels.Group("alpha-beta@level=3", ("random",), 1)
    monkeypatch.setattr(levels, "groups", lambda: iter([group]))
    for _ in range(2):
        assert levels.main(["--out", str(tmp_path), "--games", "2"]) == 0
        assert capsys.readouterr().out == "alpha-beta@level=3: random 2-0-0\n"
    results = levels.results_in(tmp_path, group)
    assert cross_table((group.first, "random"), results)[group.first, "random"] == (2, 0, 0)
    with pytest.raises(StudyError, match=r"found none of one-ply, pattern, alpha-beta@level=1"):
        levels.measured(tmp_path)


def test_games_of_levels_that_are_declared_otherwise_are_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    group = levels.Group("mcts@level=1", ("mcts@level=2",), 1)
    before = group.folder
    monkeypatch.setattr(levels, "declared_of", lambda label: {"player": label, "nodes": 7})
    assert group.folder != before
