"""Byte code of scripts is kept, is the script's own, and a damaged entry is compiled anew."""

from __future__ import annotations

import os
import sys

import pytest

from base import byte_code
from base.byte_code import SUFFIX, compiled
from base.modules import ScriptPackage, _compiled

SOURCE = b"def answer():\n    return 42\n" + b"# a comment that makes it long\n" * 10


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr("platformdirs.user_cache_dir", lambda *words, **more: str(tmp_path / "own"))
    byte_code.cache_folder.cache_clear()
    _compiled.cache_clear()
    yield tmp_path / "own" / byte_code.FOLDER
    byte_code.cache_folder.cache_clear()
    _compiled.cache_clear()


@pytest.fixture
def compilations(monkeypatch):
    """The files that are compiled."""
    files, plain = [], byte_code._compile

    def noted(source, file, flags):
        files.append(file)
        return plain(source, file, flags)

    monkeypatch.setattr(byte_code, "_compile", noted)
    return files


def answer_of(code):
    space = {}
    exec(code, space)
    return space["answer"]()


def test_the_same_script_is_compiled_once(folder, compilations):
    for _ in range(3):
        code = compiled(SOURCE, "scripts/one.py", 0)
        assert (answer_of(code), code.co_filename) == (42, "scripts/one.py")
    assert compilations == ["scripts/one.py"]
    assert len(list(folder.glob(f"*{SUFFIX}"))) == 1


@pytest.mark.parametrize("change", ["text", "file", "flags", "version"])
def test_what_differs_is_another_entry(folder, compilations, change, monkeypatch):
    import __future__

    compiled(SOURCE, "scripts/one.py", 0)
    source, file, flags = SOURCE, "scripts/one.py", 0
    if change == "text":
        source = SOURCE.replace(b"42", b"43")
    elif change == "file":
        file = "scripts/two.py"
    elif change == "flags":
        flags = __future__.annotations.compiler_flag
    else:
        monkeypatch.setattr(sys, "version", "another")
    code = compiled(source, file, flags)
    assert answer_of(code) == (43 if change == "text" else 42)
    assert (len(compilations), code.co_filename) == (2, file)


@pytest.mark.parametrize(
    "content", [b"", b"x" * 10, b"\0" * 32 + b"\xe3\xff\xff\xff\xff", None], ids=repr
)
def test_a_damaged_entry_is_compiled_anew(folder, compilations, content):
    compiled(SOURCE, "scripts/one.py", 0)
    (entry,) = folder.glob(f"*{SUFFIX}")
    whole = entry.read_bytes()
    entry.write_bytes(whole[:-5] if content is None else content)
    assert answer_of(compiled(SOURCE, "scripts/one.py", 0)) == 42
    assert len(compilations) == 2
    assert entry.read_bytes() == whole


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_a_folder_that_others_may_write_is_not_read(folder, compilations):
    compiled(SOURCE, "scripts/one.py", 0)
    folder.chmod(0o777)
    byte_code.cache_folder.cache_clear()
    for _ in range(2):
        assert answer_of(compiled(SOURCE, "scripts/one.py", 0)) == 42
    assert len(compilations) == 3


@pytest.mark.skipif(os.name == "nt", reason="modes of other systems")
def test_it_is_kept_where_the_users_group_may_write_what_is_new(folder, compilations):
    before = os.umask(0o002)
    try:
        for _ in range(2):
            compiled(SOURCE, "scripts/one.py", 0)
            byte_code.cache_folder.cache_clear()
    finally:
        os.umask(before)
    assert len(compilations) == 1
    assert folder.stat().st_mode & 0o777 == 0o700


def test_the_oldest_entries_go(folder, monkeypatch):
    monkeypatch.setattr(byte_code, "MOST_ENTRIES", 2)
    for number in range(4):
        compiled(SOURCE, f"scripts/{number}.py", 0)
        entry = max(folder.glob(f"*{SUFFIX}"), key=lambda path: path.stat().st_mtime_ns)
        os.utime(entry, (number, number))
    byte_code.cache_folder.cache_clear()
    assert len(list(byte_code.cache_folder().glob("*"))) == 2


def test_a_projects_folder_is_neither_written_nor_read(folder, tmp_path, compilations):
    project = tmp_path / "project"
    (project / "scripts").mkdir(parents=True)
    (project / "scripts" / "one.py").write_bytes(SOURCE)
    for number in range(2):
        package = ScriptPackage(project, f"p{number}")
        package.builtins["__import__"] = __import__
        code = package._code(project / "scripts" / "one.py", SOURCE)
        assert answer_of(code) == 42
        _compiled.cache_clear()
    assert len(compilations) == 1
    assert [path.name for path in (project / "scripts").iterdir()] == ["one.py"]
