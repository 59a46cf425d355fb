"""A folder that the user names is written to only where it is empty, or holds what may go on."""

from __future__ import annotations

from pathlib import Path

import pytest

from base.errors import UsageError
from base.locks import FolderLock
from base.storage.run_folder import RunFolder, RunFolderError, claim, writing_out
from tests.command_line import ROOT, run_here

COMMANDS = {
    "arena": ("arena", "random", "one-ply", "--games", "2", "--out"),
    "experiment": ("experiment", "--games", "1", "--out"),
    "grid": ("grid", "--games", "1", "--out"),
    "alphagomoku": ("train", "alphagomoku", "--games", "1", "--out"),
    "ppo": ("train", "ppo", "--scene", str(ROOT / "scenes/cart_pole.scene.json"), "--out"),
    "evaluation": ("train", "evaluation", "--games", "1", "--data"),
    "patterns": ("train", "patterns", "--games", "1", "--data"),
    "run": ("run", str(ROOT / "scenes/hello.scene.json"), "--no-graphics", "--headless", "--for",
            "1", "--out"),
    "export": ("export", str(ROOT / "scripts/export/gomoku_player.py"), "--out"),
    "brain": ("brain", "random", "--package"),
    "project": ("new", "project"),
}  # fmt: skip
"""The commands that write into a folder, up to its name."""
RESUMED = ("arena", "experiment", "grid", "alphagomoku", "ppo")
FILES = ("index.html", "results.json", "grid.json", "games.jsonl", "README.txt", "export.json")
"""What some of them write, by a stranger."""
by_command = pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b""
        for path in folder.rglob("*")
    }


def refused(words: tuple[str, ...], folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """Return the one line in which a command refuses a folder, which is as it was."""
    before = contents(folder)
    code, out, error = run_here(capsys, *words, str(folder))
    assert (code, out) == (2, "")
    assert len(error.splitlines()) == 1
    assert str(folder) in error
    assert contents(folder) == before
    return error


@by_command
def test_a_strangers_folder_is_refused_and_left_as_it_was(
    words: tuple[str, ...],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("WIN_PD_OVERRIDE_LOCAL_APPDATA", str(tmp_path / "data"))
    folder = tmp_path / "mine"
    folder.mkdir()
    for name in FILES:
        (folder / name).write_text("mine")
    flag = words[-1] if words[-1].startswith("--") else "NAME"
    said = f"goishi: {flag}: expected an empty folder, found files in {folder}\n"
    assert refused(words, folder, capsys) == said
    for name in FILES:
        (folder / name).unlink()
    (folder / "notes.txt").write_text("mine")
    assert refused(words, folder, capsys) == said


@pytest.mark.parametrize("name", RESUMED)
def test_resuming_makes_no_strangers_folder_ones_own(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    words = (*COMMANDS[name][:-1], "--resume", "--out")
    assert "--out: expected an empty folder, found files in" in refused(words, tmp_path, capsys)


@pytest.mark.parametrize("name", [name for name in RESUMED if name != "grid"])
def test_another_kind_of_run_is_refused(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    RunFolder(tmp_path, "another/1", "run").open({"seed": 1}, resume=False)
    said = refused((*COMMANDS[name][:-1], "--resume", "--out"), tmp_path, capsys)
    assert "expected a" in said
    assert "'s folder, found" in said
    assert "found 'another/1'" in said


def test_a_folder_that_cannot_be_made_is_told_with_its_name(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match=r"--out: expected a folder .*, found .*file.*: "):
        claim(tmp_path / "file" / "run", bool)
    with pytest.raises(UsageError, match="No space left"), writing_out():
        raise OSError(28, "No space left", "a")


def test_one_that_can_is_locked_until_it_is_given_back(tmp_path: Path) -> None:
    with claim(tmp_path / "run", bool):
        assert (tmp_path / "run").is_dir()
        with pytest.raises(Exception, match="run"):
            claim(tmp_path / "run", bool)
    with claim(tmp_path / "run", bool):
        pass


def test_a_refused_folder_is_not_locked(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("")
    with pytest.raises(RunFolderError):
        claim(tmp_path, lambda folder: False)
    with FolderLock(tmp_path):
        pass
