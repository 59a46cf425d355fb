"""A script's file: refusals, atomic saving, and what happens to it behind our back."""

from __future__ import annotations

import os
import stat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.core.editing.source_file import (
    LARGEST_FILE,
    DiskState,
    SourceFile,
    SourceFileError,
    fault_of,
)


@pytest.fixture
def project(tmp_path):
    made = tmp_path / "project"
    (made / "scripts").mkdir(parents=True)
    return made


@pytest.fixture
def path(project):
    made = project / "scripts" / "stone.py"
    made.write_bytes(b"x = 1\n")
    return made


def touch_later(path, content):
    """Write as another program does, a while after."""
    before = path.stat().st_mtime_ns if path.exists() else 0
    path.write_bytes(content)
    os.utime(path, ns=(before + 10**9, before + 10**9))


@pytest.mark.parametrize(
    ("content", "saved"),
    [
        (b"a\nb\n", b"a\nb\n#\n"),
        (b"a\r\nb\r\n", b"a\r\nb\r\n#\r\n"),
        (b"\xef\xbb\xbfa\n", b"\xef\xbb\xbfa\n#\n"),
        ("ü😀".encode(), "ü😀#\n".encode()),
        (b"", b"#\n"),
    ],
)
def test_saving_keeps_line_ends_and_marks(path, project, content, saved):
    path.write_bytes(content)
    file = SourceFile(path, project)
    assert "\r" not in file.text
    file.save(file.text + "#\n")
    assert path.read_bytes() == saved
    assert file.disk_state() is DiskState.SAME
    assert [item.name for item in path.parent.iterdir()] == ["stone.py"]


def test_saving_keeps_the_mode(path, project):
    path.chmod(0o750)
    SourceFile(path, project).save("y = 2\n")
    assert stat.S_IMODE(path.stat().st_mode) == 0o750


def test_what_is_refused(path, project, tmp_path):
    outside = tmp_path / "outside.py"
    outside.write_text("x = 1\n")
    (path.parent / "link.py").symlink_to(outside)
    (path.parent / "large.py").write_bytes(b"#" * (LARGEST_FILE + 1))
    (path.parent / "latin.py").write_bytes(b"x = 1\n# \xe9\n")
    os.mkfifo(path.parent / "pipe.py")
    refused = {
        outside: "inside the project",
        "../outside.py": "inside the project",
        "scripts/link.py": "inside the project",
        "scripts/large.py": "at most 1000000 bytes, found 1000001",
        "scripts/latin.py": "latin.py:2: expected UTF-8, found the byte 0xe9",
        "scripts/nowhere.py": "could not be read",
        "scripts": "expected a file",
        "scripts/pipe.py": "expected a file",
    }
    for name, text in refused.items():
        with pytest.raises(SourceFileError, match=text):
            SourceFile(project / name, project)
    (path.parent / "full.py").write_bytes(b"#" * LARGEST_FILE)
    assert len(SourceFile("scripts/full.py", project).text) == LARGEST_FILE


def test_somebody_else_changes_the_file(path, project):
    file = SourceFile(path, project)
    touch_later(path, b"x = 1\n")
    assert file.disk_state() is DiskState.SAME
    touch_later(path, b"x = 2\n")
    assert file.disk_state() is DiskState.CHANGED
    file.keep_mine()
    assert file.disk_state() is DiskState.SAME
    touch_later(path, b"\xff")
    assert file.disk_state() is DiskState.CHANGED
    with pytest.raises(SourceFileError):
        file.read()
    assert file.text == "x = 1\n"
    path.unlink()
    assert file.disk_state() is DiskState.GONE
    file.save("back\n")
    assert path.read_text() == "back\n"


def test_a_save_that_fails_leaves_the_file(path, project, monkeypatch):
    file = SourceFile(path, project)
    path.chmod(0o444)
    assert not file.is_writable
    with pytest.raises(SourceFileError, match="read-only"):
        file.save("y = 2\n")
    path.chmod(0o644)

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(SourceFileError, match="No space left"):
        file.save("y = 2\n")
    assert path.read_text() == "x = 1\n"
    assert file.text == "x = 1\n"
    assert [item.name for item in path.parent.iterdir()] == ["stone.py"]


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("x = 1\ndef f(:\n", 2, 7),
        ("if x:\ny\n", 2, 1),
        ("'''", 1, 1),
        ("x = '\0'", 1, 1),
        ("(" * 400, 1, 200),
    ],
)
def test_a_fault_has_a_place(text, line, column):
    fault = fault_of(text, "stone.py")
    assert (fault.line, fault.column) == (line, column) or text.startswith("((")
    assert fault.end_column > fault.column
    assert fault.text


def test_sound_code_has_none_and_is_not_run():
    assert fault_of("raise SystemExit\nx = '\\d'\n", "stone.py") is None


@given(st.text())
def test_any_text_has_a_fault_or_none(text):
    fault = fault_of(text, "stone.py")
    assert fault is None or (fault.line >= 1 and fault.column >= 1)
