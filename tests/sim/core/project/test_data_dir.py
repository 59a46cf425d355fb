"""The data directory: one instance at a time, and nobody's files but our own are deleted."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from base.errors import UsageError
from sim.core.project.data_dir import (
    LOCK_NAME,
    MARKER_NAME,
    DataDirBusyError,
    DataDirError,
    DataDirLock,
    forget,
    learnt_entries,
    open_data_dir,
    user_cache_dir,
    user_data_dir,
)
from sim.core.project.run_context import RunContext

HOLDER = """
import sys
from pathlib import Path
from sim.core.project.data_dir import DataDirLock
lock = DataDirLock(Path(sys.argv[1]))
lock.acquire()
print("held", flush=True)
sys.stdin.read()
"""


def start_holder(folder: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(folder)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()


def test_the_lock_is_for_one(tmp_path: Path) -> None:
    with DataDirLock(tmp_path) as lock:
        assert lock.is_held
        with pytest.raises(DataDirBusyError, match=f"in use by process {os.getpid()}"):
            DataDirLock(tmp_path).acquire()
    assert not lock.is_held
    DataDirLock(tmp_path).acquire()


def test_the_lock_taken_twice_is_taken_once(tmp_path: Path) -> None:
    lock = DataDirLock(tmp_path)
    lock.acquire()
    lock.acquire()
    assert lock.is_held
    lock.release()
    assert not lock.is_held
    lock.release()
    with DataDirLock(tmp_path) as other:
        assert other.is_held


def test_another_process_is_named_and_its_death_frees_the_lock(tmp_path: Path) -> None:
    process = start_holder(tmp_path)
    try:
        with pytest.raises(DataDirBusyError) as caught:
            DataDirLock(tmp_path).acquire()
        assert caught.value.holder == process.pid
        assert isinstance(caught.value, UsageError)
    finally:
        end(process)
    with DataDirLock(tmp_path):
        assert int((tmp_path / LOCK_NAME).read_text(encoding="ascii")) == os.getpid()


def test_children_do_not_inherit_the_lock(tmp_path: Path) -> None:
    lock = DataDirLock(tmp_path)
    lock.acquire()
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        lock.release()
        assert child.poll() is None
        with DataDirLock(tmp_path) as other:
            assert other.is_held
    finally:
        child.kill()
        child.communicate()


def test_the_usual_directory_is_the_users(data_home: Path) -> None:
    with open_data_dir(None) as directory:
        assert directory.path == user_data_dir() == data_home / "goishi"
        assert not directory.temporary
        assert directory.note == ""
        assert (directory.path / MARKER_NAME).is_file()
    assert directory.path.is_dir()


def test_a_temporary_directory_goes_at_the_end(data_home: Path) -> None:
    with open_data_dir(None, temporary=True) as directory:
        assert directory.temporary
        (directory.path / "x").write_text("x", encoding="utf-8")
    assert not directory.path.exists()
    assert list(data_home.iterdir()) == []


def test_the_asked_one_wins_over_a_temporary_one(tmp_path: Path) -> None:
    with open_data_dir(tmp_path / "own", temporary=True) as directory:
        assert directory.path == tmp_path / "own"
        assert not directory.temporary


def test_a_second_window_goes_on_in_a_temporary_directory(data_home: Path) -> None:
    process = start_holder(data_home / "goishi")
    try:
        with open_data_dir(None) as directory:
            assert directory.temporary
            assert f"another Goishi (process {process.pid}) is using" in directory.note
            assert "keeps nothing" in directory.note
            assert directory.instead_of == data_home / "goishi", "whose runs can be read"
            assert directory.path.is_dir()
    finally:
        end(process)
    assert not directory.path.exists()


def test_an_asked_directory_that_is_busy_is_refused(tmp_path: Path) -> None:
    with open_data_dir(tmp_path), pytest.raises(DataDirBusyError), open_data_dir(tmp_path):
        pass


def test_an_asked_directory_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with (
        pytest.raises(DataDirError, match="--data-dir: expected a folder that can be written"),
        open_data_dir(tmp_path / "file" / "inside"),
    ):
        pass


def test_a_usual_directory_that_cannot_be_made_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "file"))
    monkeypatch.setenv("WIN_PD_OVERRIDE_LOCAL_APPDATA", str(tmp_path / "file"))
    with open_data_dir(None) as directory:
        assert directory.temporary
        assert "cannot be used" in directory.note


def test_an_error_inside_frees_the_directory(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), open_data_dir(tmp_path):
        _ = 1 / 0
    with open_data_dir(tmp_path):
        pass


def test_forget_deletes_what_was_learnt_and_nothing_else(tmp_path: Path) -> None:
    with open_data_dir(tmp_path):
        pass
    (tmp_path / "scn_aaa" / "learner").mkdir(parents=True)
    (tmp_path / "runs.sqlite3-wal").write_text("", encoding="utf-8")
    kept = [tmp_path / "layout.ini", tmp_path / "settings.toml", tmp_path / "letter.txt"]
    for path in kept:
        path.write_text("", encoding="utf-8")
    deleted = forget(tmp_path)
    assert deleted == [tmp_path / "runs.sqlite3-wal", tmp_path / "scn_aaa"]
    assert all(path.exists() for path in kept)
    assert not any(path.exists() for path in deleted)
    assert forget(tmp_path) == []


def test_forget_refuses_a_folder_that_is_not_ours(tmp_path: Path) -> None:
    (tmp_path / "scn_aaa").mkdir()
    with pytest.raises(DataDirError, match="expected a data folder of Goishi"):
        forget(tmp_path)
    assert (tmp_path / "scn_aaa").is_dir()


def test_forget_deletes_a_link_but_not_what_it_points_to(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "letter.txt").write_text("", encoding="utf-8")
    folder = tmp_path / "data"
    with open_data_dir(folder):
        (folder / "scn_aaa").symlink_to(other, target_is_directory=True)
    forget(folder)
    assert (other / "letter.txt").exists()
    assert not (folder / "scn_aaa").is_symlink()


def test_nothing_is_learnt_where_there_is_no_folder(tmp_path: Path) -> None:
    assert learnt_entries(tmp_path / "none") == []
    assert forget(tmp_path / "none") == []


def test_tests_never_see_the_real_folders() -> None:
    home = Path.home()
    for folder in (user_data_dir(), user_cache_dir()):
        assert home / ".local" not in folder.parents
        assert home / ".cache" not in folder.parents


def test_the_folder_of_a_run_is_made_when_it_is_first_asked_for(tmp_path):
    folder = tmp_path / "made late"
    run = RunContext(scene_path=tmp_path, project=tmp_path, data_dir=folder)
    assert not folder.exists()
    assert run.data_dir == folder
    assert folder.is_dir()
    with pytest.raises(TypeError, match="data_dir"):
        RunContext(scene_path=tmp_path, project=tmp_path)
