"""`players`: list the players."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import Final

from ai.registry.players import describe_players
from base.files import SHIPPED_ROOT
from base.manifest import find_manifest
from base.values import JsonObject
from sim.commands.cli.ending import echo
from sim.commands.cli.flags import command, flag, switch
from sim.commands.cli.project_option import project_above

TEXT_WIDTH: Final = 96

PROJECT: Final = flag(
    None,
    "--project DIR",
    "List those of this project, too [that of the current folder].",
    show_default=False,
)


@command
def players(
    *,
    as_json: bool = switch("--json", "Write everything as JSON, settings included."),
    project: Path | None = PROJECT,
) -> None:
    """List the players: name, description, source, boards and settings.

    Players of a project are declared in its goishi.toml; none of its code is run.
    """
    described = describe_players(listed_project(project))
    if as_json:
        echo(json.dumps(described, indent=2, ensure_ascii=False))
        return
    for player in described:
        _write(player)


def listed_project(given: Path | None) -> Path | None:
    """Return the project whose players and games are listed besides Goishi's own.

    Args:
        given: folder of the option `--project`; None to use the project around the current folder.

    Returns:
        Folder of the project; None if there is no project, or if it is Goishi's own.

    Raises:
        UsageError: the given folder is not inside a project.
    """
    if given is None:
        found = find_manifest(Path.cwd())
        return None if found == SHIPPED_ROOT else found
    return project_above(given)


def _write(player: JsonObject) -> None:
    echo(player["name"])
    _write_wrapped(player["description"], indent="    ")
    if player["project"]:
        echo(f"    project: {player['project']}")
    echo(f"    source: {player['source']}")
    sizes = player["board_sizes"]
    echo(f"    boards: {sizes['minimum']} to {sizes['maximum']}; {player['rules']}")
    if ready := player["ready_sizes"]:
        echo(f"    weights ship for boards of {', '.join(map(str, ready))}; others: weights=FILE")
    for setting in player["settings"]:
        _write_wrapped(f"{setting['key']}={setting['default']}  {setting['help']}", indent="      ")
    for level in player["levels"]:
        elo = "" if level["elo"] is None else f", Elo {level['elo']['elo']:.0f}"
        text = f"level {level['number']} ({level['word']}{elo}): {level['description']}"
        _write_wrapped(text, indent="      ")
    echo("")


def _write_wrapped(text: str, *, indent: str) -> None:
    for line in textwrap.wrap(text, TEXT_WIDTH - len(indent)):
        echo(f"{indent}{line}")
