"""`players`: who can sit down at a board."""

from __future__ import annotations

import json
import textwrap
from typing import Annotated, Any

import typer

from ai.players.registry import describe_players
from sim.commands.ending import say

TEXT_WIDTH = 96


def players(
    as_json: Annotated[
        bool, typer.Option("--json", help="Write everything as JSON, settings included.")
    ] = False,
) -> None:
    """List the players: name, description, source, boards and settings."""
    described = describe_players()
    if as_json:
        say(json.dumps(described, indent=2, ensure_ascii=False))
        return
    for player in described:
        _write(player)


def _write(player: dict[str, Any]) -> None:
    say(player["name"])
    _write_wrapped(player["description"], indent="    ")
    say(f"    source: {player['source']}")
    sizes = player["board_sizes"]
    say(f"    boards: {sizes['minimum']} to {sizes['maximum']}; {player['rules']}")
    for setting in player["settings"]:
        _write_wrapped(f"{setting['key']}={setting['default']}  {setting['help']}", indent="      ")
    say("")


def _write_wrapped(text: str, *, indent: str) -> None:
    for line in textwrap.wrap(text, TEXT_WIDTH - len(indent)):
        say(f"{indent}{line}")
