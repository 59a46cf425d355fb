"""Temporary folders of processes that were killed."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from base import temporary
from base.files import SHIPPED_ROOT


def left_by_a_dead_process(folder) -> str:
    """Let a process make a folder and die; return the name of the folder."""
    text = "import os; from base.temporary import new_folder; print(new_folder(), flush=True)"
    text += "; os._exit(1)"
    said = subprocess.run(
        [sys.executable, "-c", text], cwd=SHIPPED_ROOT, stdout=subprocess.PIPE, text=True,
        env={**os.environ, "TMPDIR": str(folder)},
    ).stdout  # fmt: skip
    return Path(said.strip()).name


@pytest.mark.skipif(os.name == "nt", reason="a process's end is not told there")
def test_what_dead_processes_left_is_removed_and_nothing_else(tmp_path):
    dead = left_by_a_dead_process(tmp_path)
    assert (tmp_path / dead).is_dir()
    (tmp_path / dead / "file").write_text("x")
    others = [tmp_path / f"{temporary.own_prefix()}mine", tmp_path / "goishi-1234-abc"]
    others.append(tmp_path / dead.replace("goishi-", "goishi-00000000-", 1))
    for folder in others:
        folder.mkdir()
    kept = tmp_path / "kept"
    kept.mkdir()
    link = tmp_path / f"{dead}link"
    link.symlink_to(kept)
    assert temporary.remove_dead(tmp_path) == [tmp_path / dead]
    assert sorted(tmp_path.iterdir()) == sorted([*others, kept, link])


def test_a_new_folder_removes_those_of_the_dead_first(tmp_path):
    left_by_a_dead_process(tmp_path)
    newest = left_by_a_dead_process(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [newest]


def test_names_are_never_the_same():
    assert temporary.unused_folder() != temporary.unused_folder()


def test_a_process_that_ends_at_once_removes_its_own_and_no_others(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    own = temporary.new_folder()
    (own / "saves").mkdir()
    (tmp_path / f"{temporary.own_prefix()}picture.png").write_bytes(b"1")
    other = tmp_path / "goishi-of-mine"
    other.mkdir()
    temporary.remove_own()
    assert list(tmp_path.iterdir()) == [other]
