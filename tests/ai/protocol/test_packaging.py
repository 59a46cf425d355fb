"""What `brain --package` writes for managers on Windows."""

from __future__ import annotations

import io
import runpy
import sys
import zipfile
from pathlib import Path

import pytest

from ai.protocol.packaging import batch_text, find_starter, package, program_bytes


def test_a_batch_file_is_read_as_utf_8_where_it_has_to_be() -> None:
    assert batch_text(r"C:\py.exe 100%") == "@echo off\r\nC:\\py.exe 100%%\r\n"
    assert batch_text(r"C:\한글\py.exe").splitlines()[1] == "chcp 65001 >nul"


def test_a_program_is_the_starter_the_python_and_a_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    main = tmp_path / "엔진" / "main.py"
    main.parent.mkdir()
    main.write_text("import sys\nprint(sys.argv, sys.path[0])\n", "utf-8")
    made = program_bytes(b"MZ starter", [r"C:\my python\python.exe", str(main), "brain", "x"])
    begin, _, rest = made.partition(b"#!")
    line, _, packed = rest.partition(b"\n")
    assert (begin, line.decode()) == (b"MZ starter", r'"C:\my python\python.exe"')
    assert zipfile.ZipFile(io.BytesIO(packed)).namelist() == ["__main__.py"]
    module = tmp_path / "module.pyz"
    module.write_bytes(made)
    said = io.StringIO()
    monkeypatch.setattr(sys, "argv", [str(module), "--seed", "1"])
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "stdout", said)
    runpy.run_path(str(module), run_name="__main__")
    assert said.getvalue() == f"{[str(main), 'brain', 'x', '--seed', '1']} {main.parent}\n"


def test_windows_gets_a_program_and_a_batch_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    starter = tmp_path / "t64.exe"
    starter.write_bytes(b"MZ")
    words = [r"C:\py.exe", r"C:\goishi\main.py", "brain", "alpha-beta"]
    monkeypatch.setattr("ai.protocol.packaging.find_starter", lambda: starter)
    made = package(tmp_path / "a", "goishi-alpha-beta", "alpha-beta", words, system="nt")
    names = ["pbrain-goishi-alpha-beta.exe", "pbrain-goishi-alpha-beta.bat", "README.txt"]
    assert [path.name for path in made] == names
    assert "choose pbrain-goishi-alpha-beta.exe" in made[-1].read_text()
    assert "pbrain-goishi-alpha-beta.bat does the same" in made[-1].read_text()
    monkeypatch.setattr("ai.protocol.packaging.find_starter", lambda: None)
    made = package(tmp_path / "b", "goishi-alpha-beta", "alpha-beta", words, system="nt")
    assert [path.name for path in made] == names[1:]
    assert "choose pbrain-goishi-alpha-beta.bat" in made[-1].read_text()


def test_the_starter_of_pip_is_found() -> None:
    found = find_starter()
    assert found is None or found.read_bytes()[:2] == b"MZ"
