"""Other editors: which are found, what they are called with, and how a failure is told."""

from __future__ import annotations

import json
import os
import time

import pytest

from sim.core.editing.external_editor import ExternalEditors
from sim.core.reporting.console import Console

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the programs are shell scripts")


@pytest.fixture
def console():
    return Console(stderr=False)


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "bin with spaces"
    made.mkdir()
    return made


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "my script.py"
    path.write_text("x = 1\n", encoding="utf-8")
    return path


def program(folder, name, code=0):
    """Write a program that notes its arguments, then ends with `code`."""
    path = folder / name
    path.write_text(
        "#!/usr/bin/env python3\n"
        "import json, os, sys\n"
        f"out = {str(folder / 'called')!r}\n"
        "with open(out + '.part', 'w') as file:\n"
        "    json.dump([sys.argv[1:], os.getsid(0) == os.getpid()], file)\n"
        "os.rename(out + '.part', out)\n"
        f"sys.exit({code})\n",
        encoding="utf-8",
    )
    path.chmod(0o755)
    return path


def environment(folder, **more):
    return {"PATH": f"{folder}{os.pathsep}{os.defpath}", **more}


def called(folder):
    for _ in range(2000):
        if (folder / "called").exists():
            return json.loads((folder / "called").read_text())
        time.sleep(0.01)
    raise AssertionError("the program was not called")


def settled(editors):
    """Wait until every program that was started has ended."""
    for _ in range(2000):
        editors.poll()
        if not editors._started:
            return
        time.sleep(0.01)
    raise AssertionError("a program did not end")


CASES = {
    "pycharm": ({}, "PyCharm", ["--line", "7", "PATH"]),
    "code": ({}, "VS Code", ["-g", "PATH:7"]),
    "subl": ({"VISUAL": "subl --wait"}, "subl", ["--wait", "PATH:7"]),
    "gedit": ({"EDITOR": "gedit -s"}, "gedit", ["-s", "+7", "PATH"]),
    "kate": ({"EDITOR": "kate"}, "kate", ["-l", "7", "PATH"]),
    "leafpad": ({"EDITOR": "leafpad"}, "leafpad", ["PATH"]),
    "codium": ({"EDITOR": "codium"}, "VS Code", ["-g", "PATH:7"]),
}


@pytest.mark.parametrize("name", CASES)
def test_an_editor_opens_the_line(console, folder, script, name):
    more, label, arguments = CASES[name]
    program(folder, name)
    editors = ExternalEditors(console, environment(folder, **more))
    assert [editor.name for editor in editors.editors] == [label]
    assert editors.open(editors.editors[0], script, 7)
    given, is_detached = called(folder)
    assert given == [item.replace("PATH", str(script)) for item in arguments]
    assert is_detached
    settled(editors)
    assert not console.records


@pytest.mark.parametrize("value", ["nowhere", "vim", "nano -w", "emacs -nw", "'unclosed", "", "  "])
def test_what_is_not_there_or_needs_a_terminal_is_not_offered(console, folder, value):
    for name in ("vim", "nano", "emacs"):
        program(folder, name)
    assert ExternalEditors(console, environment(folder, VISUAL=value, EDITOR=value)).editors == []


def test_each_is_offered_once(console, folder):
    program(folder, "code")
    editors = ExternalEditors(console, environment(folder, VISUAL="code -w", EDITOR="code"))
    assert [editor.name for editor in editors.editors] == ["VS Code"]


def test_a_failure_is_a_console_line(console, folder, script):
    path = program(folder, "code", code=3)
    editors = ExternalEditors(console, environment(folder))
    editors.open(editors.editors[0], script, 1)
    settled(editors)
    assert [record.text for record in console.records] == [
        "VS Code: expected it to open the file, exit code 3"
    ]
    path.write_text("no program\n", encoding="utf-8")
    assert not editors.open(editors.editors[0], script, 1)
    assert "could not be started" in console.records[-1].text
    script.unlink()
    assert not editors.open(editors.editors[0], script, 1)
    assert "expected a file, found none" in console.records[-1].text
