"""Which folders a new project may be made in."""

from __future__ import annotations

import pytest

from base.errors import UsageError
from sim.commands.new import new_project


def test_a_new_or_an_empty_folder_takes_a_project_and_nothing_else_does(tmp_path, capsys):
    (tmp_path / "empty").mkdir()
    for name in ("empty", "fresh"):
        new_project(tmp_path / name)
        assert list((tmp_path / name / "scenes").iterdir())
    (tmp_path / "file").write_text("x")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("x")
    for name in ("file", "full"):
        with pytest.raises(UsageError, match=r"NAME: expected an? (empty )?folder, found"):
            new_project(tmp_path / name)
    assert (tmp_path / "full" / "mine.txt").read_text() == "x"
