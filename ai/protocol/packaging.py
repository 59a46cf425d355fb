"""Package a player as an engine for Gomocup managers: a launcher `pbrain-NAME` and a README."""

from __future__ import annotations

import importlib.util
import os
import platform
import re
import tempfile
import zipapp
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from ai.game import Rule, Rules
from ai.protocol.table import bits_of
from base.command_line import join_words
from base.files import atomic_write
from base.program import PROGRAM
from base.storage.run_folder import require_empty
from base.temporary import own_prefix

README_FILE: Final = "README.txt"
README: Final = """\
{name}: a brain for Gomocup managers (Piskvork and others)
{line}

{launcher} starts the player "{player}" of Goishi:

    {command}

Use
---
- Piskvork: menu Players, choose {launcher} for a player.{other}
- Other managers: give them the path of {launcher} as the command of the engine.
- By hand: start it and type START 15, then BEGIN. It answers OK and a move. END leaves.

The launcher stands for this machine: it holds the paths of its Python and of Goishi, so make it
anew (`{program} brain {player} --package DIR`) where either has moved. This folder can be
moved and renamed; the file must go on to begin with pbrain-.

Run `{program} warm` once: without it the player computes on slower code, and says so.

Rules
-----
Five in a row by these rules (INFO rule):

{rules}

It answers ERROR where it does not play the rule or the size that is asked for.

Memory and time
---------------
It keeps the limits that the manager sets (INFO timeout_turn, timeout_match, time_left,
max_memory) and writes no files. Python, its libraries and the compiled kernels take about
{base} MB, what the player keeps comes on top{memory}. Give it a max_memory of
{wanted} MB or more, or none. The page docs/gomocup.md tells the rest.
"""
STARTERS: Final = {"amd64": "t64.exe", "x86_64": "t64.exe", "arm64": "t64-arm.exe"}
"""Names of pip's starters of console programs, by processor."""
BASE_MEMORY: Final = 180
"""Megabytes that a brain uses before its first move, rounded up."""
ROOM: Final = 200
"""Megabytes that games may use beyond `BASE_MEMORY`, without the player's own tables."""


def package(
    folder: Path,
    name: str,
    player: str,
    words: Sequence[str],
    *,
    rules: Sequence[Rule] = tuple(Rule),
    table: int = 0,
    system: str = os.name,
) -> list[Path]:
    """Write the launcher of an engine and its README into a folder.

    Args:
        folder: target folder; created if missing.
        name: name of the engine; its letters, digits, '-' and '_' form the file's name.
        player: name of the player on the command line.
        words: words of the command that the launcher runs, starting with the path of Python.
        rules: rules that the player supports.
        table: megabytes of the player's transposition table, 0 for none.
        system: "posix" for a shell script, "nt" for a .bat file, and an .exe file where pip has
            brought the starter for it.

    Returns:
        The written files, the launcher first.

    Raises:
        RunFolderError: the folder holds other files than such a package.
        OSError: the files cannot be written.
    """
    require_empty(folder, "--package", holds=_is_package)
    folder.mkdir(parents=True, exist_ok=True)
    safe = re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-")
    command = join_words(words, is_windows=system == "nt")
    programs = _write_programs(folder / f"pbrain-{safe}", words, command, system)
    readme = folder / README_FILE
    text = README.format(
        program=PROGRAM,
        name=f"pbrain-{safe}",
        line="=" * 60,
        launcher=programs[0].name,
        other=f" {programs[1].name} does the same." if len(programs) > 1 else "",
        player=player,
        command=command,
        base=BASE_MEMORY,
        wanted=BASE_MEMORY + ROOM + table,
        rules="\n".join(f"- {bits_of(Rules(15, 5, rule))}  {rule.value}" for rule in rules),
        memory=f", {table} MB for its positions" if table else "",
    )
    atomic_write(readme, text)
    return [*programs, readme]


def _write_programs(stem: Path, words: Sequence[str], command: str, system: str) -> list[Path]:
    """Write what a manager starts, and return the paths, the best one first.

    Args:
        stem: path of the files, without a suffix.
        words: words of the command.
        command: the same as a command line.
        system: as for `package`.
    """
    if system != "nt":
        script = stem.with_name(f"{stem.name}.sh")
        atomic_write(script, f"#!/bin/sh\nexec {command}\n")
        script.chmod(0o755)
        return [script]
    batch, program = stem.with_name(f"{stem.name}.bat"), stem.with_name(f"{stem.name}.exe")
    atomic_write(batch, batch_text(command))
    starter = find_starter()
    if starter is None:
        return [batch]
    atomic_write(program, program_bytes(starter.read_bytes(), words))
    return [program, batch]


def batch_text(command: str) -> str:
    """Return the content of a .bat file that runs a command; other alphabets are read as UTF-8.

    Args:
        command: a command line of Windows.
    """
    page = "" if command.isascii() else "chcp 65001 >nul\r\n"
    return f"@echo off\r\n{page}{command.replace('%', '%%')}\r\n"


def program_bytes(starter: bytes, words: Sequence[str]) -> bytes:
    """Return an .exe file that runs a Python program, as pip makes them for console commands.

    It is the starter, then a line with the path of Python, then a zip file with a module.

    Args:
        starter: content of pip's `t64.exe`.
        words: path of Python, path of the program, its arguments.
    """
    python, program, *arguments = words
    module = (
        "import runpy, sys\n"
        f"sys.argv = [{program!r}, *{arguments!r}, *sys.argv[1:]]\n"
        f"sys.path[0] = {os.path.dirname(program)!r}\n"
        f"runpy.run_path({program!r}, run_name='__main__')\n"
    )
    quoted = f'"{python}"' if " " in python else python
    with tempfile.TemporaryDirectory(prefix=own_prefix()) as name:
        folder, packed = Path(name, "program"), Path(name, "program.pyz")
        folder.mkdir()
        (folder / "__main__.py").write_text(module, encoding="utf-8")
        zipapp.create_archive(folder, packed, quoted)
        return starter + packed.read_bytes()


def find_starter() -> Path | None:
    """Return the path of pip's starter of programs for this processor; None if there is none."""
    found = importlib.util.find_spec("pip")
    name = STARTERS.get(platform.machine().lower())
    if name is None or found is None or not found.submodule_search_locations:
        return None
    path = Path(found.submodule_search_locations[0], "_vendor", "distlib", name)
    return path if path.is_file() else None


def _is_package(folder: Path) -> bool:
    """Return whether a folder holds a package, recognised by the first line of its README."""
    try:
        first = (folder / README_FILE).read_text("utf-8").partition("\n")[0]
    except (OSError, ValueError):
        return False
    return first.startswith("pbrain-") and first.endswith(README.partition("\n")[0][6:])
