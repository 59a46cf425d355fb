"""Files replaced as a whole or not at all; folders that can be written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from base import files
from base.files import (
    SHIPPED_ROOT,
    atomic_file,
    atomic_write,
    find_file,
    first_writable,
    is_of_python,
    path_of_uri,
    private_temporary_folder,
    read_regular,
    rename,
    set_aside,
)
from base.locks import RUN_LOCK, FolderLock
from base.storage.json_file import LinesFile


def test_half_an_address_names_no_file():
    assert path_of_uri("file://[1/a.sgf") == ""


def test_the_root_holds_what_starts_it_all():
    assert (SHIPPED_ROOT / "main.py").is_file()


@settings(deadline=None)
@given(content=st.one_of(st.binary(), st.text(st.characters(exclude_categories=["Cs"]))))
@pytest.mark.parametrize("sync", [False, True])
def test_what_was_written_is_read(tmp_path_factory, content, sync):
    path = tmp_path_factory.mktemp("atomic") / "file"
    for _ in range(2):
        atomic_write(path, content, sync=sync)
        assert path.read_bytes() == (content.encode() if isinstance(content, str) else content)
        assert os.listdir(path.parent) == ["file"]


@pytest.mark.parametrize("failing", ["open", "fsync", "replace"])
@pytest.mark.parametrize("is_there", [True, False])
def test_a_full_disk_leaves_the_old_file_and_no_other(tmp_path, monkeypatch, failing, is_there):
    path = tmp_path / "file"
    if is_there:
        path.write_bytes(b"old")

    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path if failing == "open" else os, failing, fail)
        with pytest.raises(OSError, match="No space left"):
            atomic_write(path, "new", sync=True)
    assert [item.read_bytes() for item in tmp_path.iterdir()] == ([b"old"] if is_there else [])


def test_a_text_that_is_no_unicode_is_refused(tmp_path):
    with pytest.raises(UnicodeEncodeError):
        atomic_write(tmp_path / "file", "\ud800")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_a_block_that_raises_replaces_nothing(tmp_path, error):
    path = tmp_path / "file"
    path.write_text("old")

    def write() -> None:
        with atomic_file(path) as new:
            new.write_text("half")
            assert path.read_text() == "old"
            raise error

    with pytest.raises(error):
        write()
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["file"]


def test_a_block_that_writes_nothing_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError), atomic_file(tmp_path / "file"):
        pass


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are of POSIX alone")
@pytest.mark.parametrize("sync", [False, True])
def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path, sync):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reading = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    atomic_write(path, "through", sync=sync)
    assert os.read(reading, 100) == b"through"
    os.close(reading)
    assert path.is_fifo()
    assert os.listdir(tmp_path) == ["pipe"]


def test_the_first_folder_that_can_be_made_is_taken(tmp_path):
    (tmp_path / "file").write_text("")
    blocked, fine, spare = tmp_path / "file" / "a", tmp_path / "b" / "c", tmp_path / "d"
    assert first_writable([blocked, fine, spare]) == fine
    assert fine.is_dir()
    assert not spare.exists()
    assert first_writable([blocked]) is None


@pytest.mark.skipif(os.name == "nt", reason="signals of other systems")
def test_what_a_killed_writer_left_goes_and_what_a_running_one_writes_stays(tmp_path):
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    lefts = [tmp_path / f".file.{dead.pid}.tmp", tmp_path / f".file.{dead.pid}.0a1b.tmp"]
    others = [
        tmp_path / f".file.{os.getppid()}.tmp",
        tmp_path / f".file.{os.getppid()}.0a1b.tmp",
        tmp_path / ".other.1.tmp",
        tmp_path / ".file.x.tmp",
    ]
    for path in (*lefts, *others):
        path.write_text("half")
    atomic_write(tmp_path / "file", "whole")
    assert not any(path.exists() for path in lefts)
    assert all(path.exists() for path in others)


def test_what_is_written_synced_is_on_the_disk_before_it_is_put_in_place(tmp_path, monkeypatch):
    path, told = tmp_path / "file", []
    path.write_text("old")
    fsync, replace = os.fsync, os.replace

    def synced(handle: int) -> None:
        told.append(("sync", os.fstat(handle).st_ino, os.fstat(handle).st_size))
        fsync(handle)

    def put(new: Path, old: Path) -> None:
        assert old.read_text() == "old", "until then the old file is whole"
        told.append(("put", new.stat().st_ino, new.stat().st_size))
        replace(new, old)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", put)
    atomic_write(path, "newer", sync=True)
    node = path.stat().st_ino
    assert told == [("sync", node, 5), ("put", node, 5)], "the file that was written, not a copy"


def test_a_file_is_replaced_by_the_one_that_the_block_wrote(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")
    with atomic_file(path) as new:
        assert new.parent == path.parent
        new.write_text("new")
        node = new.stat().st_ino
    assert (path.stat().st_ino, path.read_text()) == (node, "new")


def planted(folder: Path, name: str) -> Path:
    """Make a link of this name to a file of the user's; return that file."""
    own = folder / "own"
    own.write_text("the user's own")
    (folder / name).symlink_to(own)
    return own


def test_no_name_of_a_temporary_file_can_be_known_before(tmp_path):
    own = planted(tmp_path, f".file.{os.getpid()}.tmp")
    names = set()
    for _ in range(3):
        with atomic_file(tmp_path / "file") as new:
            names.add(new.name)
            new.write_text("new")
    assert len(names) == 3
    assert own.read_text() == "the user's own"
    assert (tmp_path / "file").read_text() == "new"


def test_a_planted_link_is_replaced_and_never_written_through(tmp_path):
    own = planted(tmp_path, "file")
    atomic_write(tmp_path / "file", "new")
    assert not (tmp_path / "file").is_symlink()
    (tmp_path / "device").symlink_to("/dev/null")
    atomic_write(tmp_path / "device", "new")
    assert (tmp_path / "device").read_text() == "new"
    assert own.read_text() == "the user's own"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are of POSIX alone")
def test_a_pipe_that_nobody_reads_is_an_error_and_no_wait(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="a pipe that nobody reads"):
        atomic_write(tmp_path / "pipe", "new")
    with pytest.raises(OSError, match="a pipe, no file"):
        read_regular(tmp_path / "pipe")
    with pytest.raises(OSError, match="a device, no file"):
        read_regular(Path("/dev/zero"))
    with pytest.raises(OSError, match="a folder, no file"):
        read_regular(tmp_path)


def test_files_that_are_changed_in_place_are_no_links(tmp_path):
    own = planted(tmp_path, "games.jsonl")
    with pytest.raises(OSError, match="a link to"):
        LinesFile(tmp_path / "games.jsonl")
    (tmp_path / RUN_LOCK).symlink_to(own)
    with pytest.raises(OSError, match="a link to"):
        FolderLock(tmp_path).acquire()
    assert own.read_text() == "the user's own"


def test_an_ordinary_file_is_read_up_to_its_limit(tmp_path):
    (tmp_path / "file").write_bytes(b"12345")
    assert read_regular(tmp_path / "file", 5) == b"12345"
    with pytest.raises(OSError, match="a file of more than"):
        read_regular(tmp_path / "file", 4)
    with pytest.raises(FileNotFoundError):
        read_regular(tmp_path / "none")


def test_files_that_cannot_be_read_are_kept_each_under_a_name_of_its_own(tmp_path):
    for number in range(3):
        (tmp_path / "file").write_text(str(number))
        set_aside(tmp_path / "file")
    kept = ("file.bad", "file.bad-2", "file.bad-3")
    assert [(tmp_path / name).read_text() for name in kept] == ["0", "1", "2"]


@pytest.mark.skipif(os.name == "nt", reason="rights of POSIX, may not be had elsewhere")
def test_a_cache_in_the_temporary_folder_is_not_shared(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    folder = private_temporary_folder()
    assert folder.stat().st_mode & 0o077 == 0
    assert private_temporary_folder() == folder
    folder.chmod(0o777)
    with pytest.raises(OSError, match="another user's folder"):
        private_temporary_folder()
    folder.rmdir()
    (tmp_path / "planted").mkdir()
    folder.symlink_to(tmp_path / "planted")
    with pytest.raises(OSError, match="another user's folder"):
        private_temporary_folder()


def test_windows_waits_for_a_file_that_a_program_has_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target = tmp_path / "new", tmp_path / "old"
    source.write_text("new")
    tries = []
    replace = os.replace

    def refuse_twice(one: Path, other: Path) -> None:
        tries.append(one)
        if len(tries) < 3:
            raise PermissionError(13, "in use")
        replace(str(one), str(other))

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", refuse_twice)
        patched.setattr(os, "name", "posix")
        with pytest.raises(PermissionError):
            rename(source, target)
        tries.clear()
        patched.setattr(os, "name", "nt")
        rename(source, target)
    assert (len(tries), target.read_text()) == (3, "new")


def test_pythons_own_files_and_packages_are_told_from_code_of_people(monkeypatch):
    def paths(text: str) -> str:
        return text.replace("/", os.sep)

    assert is_of_python(json.__file__)
    assert is_of_python(pytest.__file__)
    mine = SHIPPED_ROOT / "scripts" / "gomoku" / "match.py"
    assert not is_of_python(str(mine))
    assert not is_of_python(paths("/home/me/lib/python/mine.py"))
    assert is_of_python(paths("/home/me/.venv/lib/site-packages/numpy/linalg.py"))
    assert is_of_python(paths(f"{SHIPPED_ROOT}/.venv/Lib/site-packages/numpy/linalg.py"))
    installed = paths("/usr/lib/python3.11/site-packages/goishi/shipped/")
    monkeypatch.setattr(files, "OWN_FOLDER", installed)
    monkeypatch.setattr(files, "LIBRARY_FOLDER", paths("/usr/lib/python3.11/"))
    assert not is_of_python(f"{installed}scripts{os.sep}mine.py"), "a package holds it"
    assert is_of_python(paths("/usr/lib/python3.11/json/encoder.py"))


def test_a_file_that_ships_is_found_from_any_folder_and_ones_own_comes_first(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = Path("assets/recorded/alpha_beta.sgf")
    assert find_file(name) == SHIPPED_ROOT / name
    assert find_file(Path("docs/projects/othello")) == SHIPPED_ROOT / "docs/projects/othello"
    name.parent.mkdir(parents=True)
    name.write_text("(;)")
    assert find_file(name) == name
    for other in ("nowhere.sgf", "x" * 5000, str(tmp_path / "nowhere")):
        assert find_file(Path(other)) == Path(other)
