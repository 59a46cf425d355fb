"""`games`: list the games by name."""

from __future__ import annotations

import json
from pathlib import Path

from ai.game import Rules
from ai.registry.project_games import GameInfo, list_games
from sim.commands.cli.ending import echo
from sim.commands.cli.flags import command, switch
from sim.commands.players import PROJECT, listed_project


@command
def games(
    *, as_json: bool = switch("--json", "Write everything as JSON."), project: Path | None = PROJECT
) -> None:
    """List the games: name, description and rules.

    To play a game in a scene, set its name in the field game_name of the component Match.
    """
    listed = list_games(listed_project(project))
    if as_json:
        said = json.dumps([game.as_dict() for game in listed], indent=2, ensure_ascii=False)
        echo(said)
        return
    for game in listed:
        _write(game)


def _write(game: GameInfo) -> None:
    echo(game.name)
    echo(f"    {game.description}")
    if game.project is not None:
        echo(f"    project: {game.project}")
    rules = game.described
    if not isinstance(rules, Rules):
        echo("    rules: " + ", ".join(f"{key} {value}" for key, value in rules.items()))
        echo("")
        return
    exact = "exactly " if rules.rule in ("standard", "caro") else ""
    name = f" ({rules.rule})" if rules.has_fouls or rules.rule == "caro" else ""
    falling = ", stones fall" if rules.gravity else ""
    board = f"{rules.size} columns, {rules.rows} rows{falling}"
    full = {1: "Black's", -1: "White's"}.get(rules.full_board_winner, "nobody's")
    echo(
        f"    board: {board}; {exact}{rules.win_length} in a row win{name}; a full board is {full}"
    )
    echo("")
