"""`brain`: a player that speaks the Gomocup protocol on standard input and output."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from ai.game import Rule, Rules
from ai.registry.players import (
    UnknownPlayerError,
    check_game,
    create_player,
    get_player_info,
    resolve_settings,
)
from base.errors import UsageError
from base.files import SHIPPED_ROOT
from base.program import PROGRAM
from base.schema import OptionError
from sim.commands.cli.ending import SUCCESS, echo
from sim.commands.cli.flags import command, flag, settings_given, switch
from sim.commands.players import PROJECT, listed_project
from sim.core.project.trust import require_trust

if TYPE_CHECKING:
    from ai.registry.info import PlayerInfo

HUMAN: Final = "human"
USUAL_SIZE: Final = 15
ORIGIN: Final = {"author": "Goishi", "country": "-", "www": "-"}


@command
def brain(
    player: Annotated[str, typer.Argument(metavar="PLAYER", help="A name that `players` lists.")],
    *,
    settings: list[str] | None = flag(
        None, "--set KEY=VALUE", "A setting of the player, as `players` lists them."
    ),
    seed: Annotated[
        int | None, typer.Option("--seed", metavar="N", min=0, help="Make its games repeatable.")
    ] = None,
    ponder: bool = switch("--ponder", "Think on while the other side does, if the player can."),
    engine: list[str] | None = flag(
        None, "--engine NAME=COMMAND", "Declare an engine, for gomocup:NAME."
    ),
    package: Path | None = flag(
        None,
        "--package DIR",
        "Write a launcher for managers such as Piskvork into DIR instead.",
        show_default=False,
    ),
    project: Path | None = PROJECT,
    trust: bool = switch("--trust", "Run a player of a project you have not trusted yet."),
) -> int:
    """Play as a Gomocup brain: commands on standard input, replies on standard output.

    Managers such as Piskvork start it; by hand, type START 15, BEGIN, and END to leave.
    """
    from ai.registry.engines import declare_engines

    declare_engines(engine or ())
    folder = listed_project(project)
    info, given = _asked_for(player, settings or [], folder)
    if info.project is not None:
        require_trust(info.project, is_given=trust)
    if package is not None:
        words = _words(player, settings or [], engine, folder, seed)
        words += ["--ponder"] if ponder else []
        words += ["--trust"] if trust else []
        return _write_package(package, info, given, words)
    return _play(info, given, seed, folder, is_pondering=ponder)


def _asked_for(
    player: str, settings: list[str], project: Path | None
) -> tuple[PlayerInfo, dict[str, str]]:
    """Return the player's entry in the list of players, and the settings that the user gave.

    Args:
        player: name of the player.
        settings: texts KEY=VALUE of the option `--set`.
        project: folder of a project with players of its own; None for none.

    Returns:
        (entry, values of the settings as text by key). The settings have been checked.

    Raises:
        UsageError: there is no such player, or it has no such setting.
    """
    try:
        info = get_player_info(player, project)
    except UnknownPlayerError as error:
        raise UsageError(f"PLAYER: {error}") from None
    if player == HUMAN:
        raise UsageError("PLAYER: expected one that computes, found 'human'")
    given = settings_given(settings)
    try:
        if given:
            resolve_settings(info, given)
    except ValueError as error:
        raise UsageError(f"--set: {error}") from None
    return info, given


def _play(
    info: PlayerInfo,
    given: dict[str, str],
    seed: int | None,
    project: Path | None,
    *,
    is_pondering: bool,
) -> int:
    from ai.kernels.cache import configure_environment, is_compiled
    from ai.protocol.serving import redirect_stdout

    writing = redirect_stdout()
    is_fast = is_compiled()
    configure_environment(jit=is_fast)
    if not is_fast:
        sys.stderr.write(f"goishi: no compiled kernels yet: {PROGRAM} warm\n")
    from ai.protocol.brain import BrainSpec
    from ai.protocol.messages import About
    from ai.protocol.serving import serve
    from sim.commands.cli.application import version

    spec = BrainSpec(
        make_player=lambda rules: create_player(info.name, rules, given, project=project),
        check_game=lambda rules: check_game(info, rules, given),
        metadata=About({"name": f"Goishi {info.name}", "version": version(), **ORIGIN}),
        seed=seed,
        is_pondering=is_pondering,
    )
    serve(spec, 0, writing)
    sys.stderr.flush()
    os._exit(SUCCESS)  # a player that still thinks is not waited for


def _words(
    player: str,
    settings: list[str],
    engines: list[str] | None,
    project: Path | None,
    seed: int | None,
) -> list[str]:
    """Return the command line that starts this player as a brain, word by word.

    Paths in it are absolute, so that it works in any folder.

    Args:
        player: name of the player.
        settings: texts KEY=VALUE of the option `--set`.
        engines: texts NAME=COMMAND of the option `--engine`; None for none.
        project: folder of the project; None for none.
        seed: seed of the player's games; None for a new one each time.
    """
    words = [sys.executable, str(SHIPPED_ROOT / "main.py"), "brain", player]
    for key, values in (("--set", settings), ("--engine", engines or [])):
        for value in values:
            words += [key, value]
    if seed is not None:
        words += ["--seed", str(seed)]
    if project is not None:
        words += ["--project", str(project.resolve())]
    return words


def _write_package(folder: Path, info: PlayerInfo, given: dict[str, str], words: list[str]) -> int:
    from ai.protocol.packaging import package

    rules = [rule for rule in Rule if _plays(info, rule, given)]
    memory = resolve_settings(info, given).get("memory", 0)
    table = memory if isinstance(memory, int) else 0
    name = f"goishi-{info.name}"
    for file in package(folder, name, info.name, words, rules=rules, table=table):
        echo(str(file))
    return SUCCESS


def _plays(info: PlayerInfo, rule: Rule, given: dict[str, str]) -> bool:
    """Return whether a player can play a rule on a board of 15 x 15 points.

    Args:
        info: the player's entry in the list of players.
        rule: the rule.
        given: settings of the player by key.
    """
    try:
        check_game(info, Rules(USUAL_SIZE, 5, rule), given)
    except OptionError:
        return False
    return True
