"""Which folders a new project may be made in."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from base.errors import UsageError
from sim.commands.new import new_project
from tests.command_line import run_here


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


class Full:
    """A file on a full disk."""

    def __init__(self, file) -> None:
        self.file = file

    def __enter__(self):
        return self

    def __exit__(self, *error) -> None:
        self.file.close()

    def write(self, text: str) -> None:
        self.file.write(text[:10])
        raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("was_there", [False, True])
@pytest.mark.parametrize("number", [1, 3])
def test_a_full_disk_leaves_no_half_of_a_project(tmp_path, capsys, monkeypatch, was_there, number):
    folder, real, opened = tmp_path / "garden", Path.open, []

    def open_full(path, mode="r", **words):
        file = real(path, mode, **words)
        if mode != "x":
            return file
        opened.append(path)
        return Full(file) if len(opened) == number else file

    if was_there:
        folder.mkdir()
    monkeypatch.setattr(Path, "open", open_full)
    code, out, error = run_here(capsys, "new", "project", str(folder))
    assert (code, out) == (1, "")
    assert error == (
        "goishi: NAME: expected a folder that a project can be written to, found "
        f"{folder}: No space left on device; nothing of it is left\n"
    )
    assert folder.exists() == was_there
    assert not was_there or list(folder.iterdir()) == []


def test_a_full_disk_leaves_no_half_of_a_script(tmp_path, capsys, monkeypatch):
    (tmp_path / "scenes").mkdir()
    real = Path.open

    def open_full(path, mode="r", **words):
        file = real(path, mode, **words)
        return Full(file) if mode == "x" else file

    monkeypatch.setattr(Path, "open", open_full)
    code, _, error = run_here(capsys, "new", "script", "leaf", "--project", str(tmp_path))
    path = tmp_path / "scripts" / "leaf.py"
    assert code == 1
    assert not path.exists()
    text = "expected the system to allow it, found: No space left on device"
    assert error == f"goishi: {path}: {text}\n"
