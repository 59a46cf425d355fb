"""Parses commands without running them: `python -m tests.parsed_commands`, a command a line on stdin.

A line is the words as JSON. A program's parser reads its words, and there the program ends. Prints
what a parser refuses, a line each.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import json
import sys
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import typer

OTHERS = ("stable_baselines3", "ray", "torch", "tree")
"""Packages that are not among the requirements: programs that need them are not looked at."""


class Parsed(Exception):
    """A parser took all words."""


def fault_of(words: Sequence[str], commands: Any) -> str:
    """Return what is wrong with a command, empty where nothing is."""
    program, *rest = words
    try:
        if program == "main.py":
            parse_main(commands, rest)
            check_settings(rest)
            return ""
        module = importlib.import_module(program)
        if hasattr(module, "__path__"):
            module = importlib.import_module(f"{program}.__main__")
        if "parse_args(" not in inspect.getsource(module):
            return f"{' '.join(words)}: it has no parser"
        sys.argv = [program, *rest]
        (module.main(rest) if module.main.__code__.co_argcount else module.main())
    except Parsed:
        return ""
    except ModuleNotFoundError as error:
        return "" if error.name in OTHERS else f"{program}: {error}"
    except (SystemExit, Exception) as error:
        return f"{' '.join(words)}: {error!r}"
    return f"{' '.join(words)}: it has no parser"


def parse_main(command: Any, words: Sequence[str]) -> None:
    """Let the command line's own parser read words.

    Raises:
        Exception: it refuses them.
    """
    while hasattr(command, "commands"):
        name, *words = words
        command = command.commands[name]
    command.make_context(command.name, list(words))


def check_settings(words: Sequence[str]) -> None:
    """Look at the settings of players and trainings, which a command reads when it runs.

    Raises:
        Exception: one is unknown, or has no such value.
    """
    from ai.arena.tournament import Tournament
    from ai.curriculum.settings import Curriculum
    from ai.game import Rules
    from ai.registry.players import PLAYERS, resolve_settings
    from benchmarks.console import settings_of

    given = settings_of(word for flag, word in pairwise(words) if flag == "--set")
    if words[0] in ("grid", "experiment"):
        resolve_settings(PLAYERS[words[words.index("--player") + 1]], given)
    elif words[0] == "arena":
        names = [word for word in words[1:] if word.partition("@")[0] in PLAYERS]
        stored = [name for name in names if "runs/" not in name]  # the others are made by then
        if len(stored) > 1:
            Tournament(tuple(stored), 2, Rules(15, 5), nodes=10).entrants()
    elif words[:2] == ["train", "alphagomoku"]:
        size = int(words[words.index("--board") + 1])
        Curriculum.of(Rules(size, 5), 1, given)


def main() -> int:
    """Read commands, print faults, return 1 where there are some."""
    from sim.commands.cli.application import build_application

    read = argparse.ArgumentParser.parse_args

    def parse_args(parser: argparse.ArgumentParser, *args: Any, **more: Any) -> Any:
        read(parser, *args, **more)
        raise Parsed

    argparse.ArgumentParser.parse_args = parse_args  # type: ignore[method-assign,assignment]
    commands = typer.main.get_command(build_application())
    lines = [json.loads(line) for line in sys.stdin]
    faults = [fault for words in lines if (fault := fault_of(words, commands))]
    sys.stdout.write("\n".join(faults))
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
