"""Commands of a project that fail in odd ways: one line with its place, never a traceback."""

from __future__ import annotations

from pathlib import Path

import pytest

from base.errors import GoishiError
from sim.commands.cli.project_commands import run_entry
from sim.core.project.manifest import Entry

TEXT = """
class Odd(BaseException): ...
class Mute(Exception):
    def __str__(self):
        raise ValueError
def odd():
    raise Odd("odd")
def mute():
    raise Mute
def deep():
    deep()
"""
SAID = {
    "odd": "Odd: odd (scripts/c.py:7)",
    "mute": "Mute (its text raised ValueError) (scripts/c.py:9)",
    "deep": "RecursionError: maximum recursion depth exceeded (scripts/c.py:11)",
}


@pytest.mark.parametrize("name", SAID)
def test_whatever_a_command_raises_is_one_error(tmp_path: Path, name: str) -> None:
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "c.py").write_text(TEXT, encoding="utf-8")
    with pytest.raises(GoishiError) as caught:
        run_entry(tmp_path, Entry(name, f"scripts.c:{name}"), [])
    assert str(caught.value) == f"command {name}: {SAID[name]}"
