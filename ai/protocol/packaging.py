"""Package a player as an engine for Gomocup managers: a launcher `pbrain-NAME` and a README."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from ai.game import Rule, Rules
from ai.protocol.table import bits_of
from base.files import atomic_write
from base.program import PROGRAM
from base.storage.run_folder import require_empty

README_FILE: Final = "README.txt"
README: Final = """\
{name}: a brain for Gomocup managers (Piskvork and others)
{line}

{launcher} starts the player "{player}" of Goishi:

    {command}

Use
---
- Piskvork: menu Players, choose {launcher} for a player. On Windows it is a .bat file.
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
        system: "posix" for a shell script, "nt" for a .bat file.

    Returns:
        The written files, the launcher first.

    Raises:
        RunFolderError: the folder holds other files than such a package.
        OSError: the files cannot be written.
    """
    require_empty(folder, "--package", holds=_is_package)
    folder.mkdir(parents=True, exist_ok=True)
    safe = re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-")
    launcher = folder / f"pbrain-{safe}{'.bat' if system == 'nt' else '.sh'}"
    if system == "nt":
        command = subprocess.list2cmdline(words).replace("%", "%%")
        atomic_write(launcher, f"@echo off\r\n{command}\r\n")
    else:
        command = shlex.join(words)
        atomic_write(launcher, f"#!/bin/sh\nexec {command}\n")
        launcher.chmod(0o755)
    readme = folder / README_FILE
    text = README.format(
        program=PROGRAM,
        name=f"pbrain-{safe}",
        line="=" * 60,
        launcher=launcher.name,
        player=player,
        command=command,
        base=BASE_MEMORY,
        wanted=BASE_MEMORY + ROOM + table,
        rules="\n".join(f"- {bits_of(Rules(15, 5, rule))}  {rule.value}" for rule in rules),
        memory=f", {table} MB for its positions" if table else "",
    )
    atomic_write(readme, text)
    return [launcher, readme]


def _is_package(folder: Path) -> bool:
    """Return whether a folder holds a package, recognised by the first line of its README."""
    try:
        first = (folder / README_FILE).read_text("utf-8").partition("\n")[0]
    except (OSError, ValueError):
        return False
    return first.startswith("pbrain-") and first.endswith(README.partition("\n")[0][6:])
