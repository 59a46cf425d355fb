"""Outside engines: programs of the user's own that play by the Gomocup protocol.

Only the user declares them: in `engines.toml` in the folder of the user's settings, or by
`--engine NAME=COMMAND` for one run. A scene or a project can name an engine, never declare one, so
that opening a file starts no program.

    [yixin]
    command = "/opt/yixin/engine"            # or a list of words; no shell reads it
    rules = ["freestyle", "standard"]
    memory = 350                             # megabytes
    seconds = 2.0                            # for a move, where nothing else is said
"""

from __future__ import annotations

import json
import math
import os
import re
import shlex
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NoReturn

import platformdirs

from ai.registry.info import PlayerInfo, UnknownPlayerError
from base.errors import UsageError
from base.manifest import ProjectError
from base.schema import Option
from base.values import JsonObject

PREFIX: Final = "gomocup:"
"""Of the names of players that are outside engines."""
FILE_NAME: Final = "engines.toml"
VARIABLE: Final = "GOISHI_ENGINES"
"""The environment variable by which a run's `--engine` reaches its workers."""
FACTORY: Final = "ai.protocol.hosting.player:create"
RULES: Final = ("freestyle", "standard", "renju", "caro")
NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}", re.ASCII)
NAME_WORDS: Final = "a name of letters, digits, '.', '_' and '-'"
KEYS: Final = ("command", "rules", "sizes", "memory", "seconds", "start_seconds", "folder", "log")


class EngineFileError(ProjectError):
    """The user's `engines.toml` does not fit; says file, key, expected and found."""


@dataclass(frozen=True, slots=True)
class EngineEntry:
    """A declared engine."""

    name: str
    command: tuple[str, ...]
    """Program and arguments."""
    rules: tuple[str, ...] = ("freestyle", "standard")
    """Names of the rules that it plays."""
    sizes: tuple[int, int] = (5, 20)
    """Smallest and largest board."""
    memory: int = 0
    """Megabytes that it may use with its children; 0: no limit."""
    seconds: float = 5.0
    """For a move whose limit nobody says."""
    start_seconds: float = 10.0
    """Until it has answered START."""
    folder: Path | None = None
    """Its working folder; None: the current one."""
    log: Path | None = None
    """File for the dialogue; None: none is kept."""
    declared_by: str = FILE_NAME

    @property
    def info(self) -> PlayerInfo:
        """The entry of the player that is this engine."""
        return PlayerInfo(
            name=PREFIX + self.name,
            description="An outside engine that speaks the Gomocup protocol.",
            source=f"{shlex.join(self.command)} ({self.declared_by})",
            factory=FACTORY,
            title=self.name,
            explains="",
            rules=f"{', '.join(self.rules)}; five in a row",
            supported_rules=self.rules,
            sizes=self.sizes,
            own_settings=(
                Option("engine", self.name, choices=(self.name,), help="which declared engine"),
            ),
        )


def engines_file() -> Path:
    """Return the user's file of engines; it need not exist."""
    return Path(platformdirs.user_config_dir("goishi", appauthor=False)) / FILE_NAME


def declared_engines() -> dict[str, EngineEntry]:
    """Return the declared engines by name; those of the command line win.

    Raises:
        EngineFileError: the file is no TOML, or an entry does not fit.
    """
    found = _of_file(engines_file())
    for name, command in _of_command_line().items():
        found[name] = EngineEntry(name, tuple(command), declared_by="--engine")
    return found


def get_engine(name: str) -> EngineEntry:
    """Return a declared engine.

    Raises:
        UnknownPlayerError: nobody has declared it; says where that is done.
        EngineFileError: the user's file does not fit.
    """
    declared = declared_engines()
    if name not in declared:
        known = f"declared: {', '.join(declared)}" if declared else "none is declared"
        raise UnknownPlayerError(
            f"{PREFIX}{name}: expected an engine that you have declared in {engines_file()} or by "
            f"--engine NAME=COMMAND ({known}), found {name!r}"
        )
    return declared[name]


def engine_info(player: str) -> PlayerInfo:
    """Return the entry of a player whose name begins with `PREFIX`.

    Raises:
        UnknownPlayerError: nobody has declared it.
        EngineFileError: the user's file does not fit.
    """
    return get_engine(player.removeprefix(PREFIX)).info


def declare_engines(texts: Iterable[str]) -> None:
    """Declare engines for this process and the workers that it starts.

    Args:
        texts: as on the command line, NAME=COMMAND each.

    Raises:
        UsageError: one does not fit.
    """
    commands: dict[str, list[str]] = dict(_of_command_line())
    for text in texts:
        name, _, command = text.partition("=")
        try:
            words = shlex.split(command)
        except ValueError:  # a quotation that does not end
            words = []
        if not NAME.fullmatch(name) or not words:
            raise UsageError(
                f"--engine: expected NAME=COMMAND with {NAME_WORDS}, found {text[:100]!r}"
            )
        commands[name] = words
    if commands:
        os.environ[VARIABLE] = json.dumps(commands)


def _of_command_line() -> dict[str, list[str]]:
    """Return the commands that `declare_engines` has kept."""
    kept: dict[str, list[str]] = json.loads(os.environ.get(VARIABLE) or "{}")
    return kept


def _of_file(path: Path) -> dict[str, EngineEntry]:
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        raise EngineFileError(f"{path}: expected engines in TOML, found: {error}") from None
    return {name: _entry(path, name, table) for name, table in tables.items()}


def _entry(path: Path, name: str, table: object) -> EngineEntry:
    reader = _Reader(path, name)
    if not NAME.fullmatch(name):
        reader.refuse("", NAME_WORDS, name)
    if not isinstance(table, dict):
        reader.refuse("", 'a table with command = "…"', table)
    for key in table:
        if key not in KEYS:
            reader.refuse(key, f"one of {', '.join(KEYS)}", table[key])
    usual = EngineEntry("", ())
    return EngineEntry(
        name=name,
        command=reader.command(table.get("command")),
        rules=reader.rules(table.get("rules", list(usual.rules))),
        sizes=reader.sizes(table.get("sizes", list(usual.sizes))),
        memory=int(reader.number(table, "memory", usual.memory, least=0)),
        seconds=reader.number(table, "seconds", usual.seconds, least=0.01),
        start_seconds=reader.number(table, "start_seconds", usual.start_seconds, least=0.1),
        folder=reader.path(table, "folder"),
        log=reader.path(table, "log"),
        declared_by=str(path),
    )


class _Reader:
    """Reads the values of an entry; each fault says where it is."""

    def __init__(self, path: Path, name: str) -> None:
        self._place = f"{path}: {name}"

    def refuse(self, key: str, expected: str, found: object) -> NoReturn:
        """Raise the error for a value that does not fit."""
        place = f"{self._place}.{key}" if key else self._place
        shown = "nothing" if found is None else f"{found!r:.100}"
        raise EngineFileError(f"{place}: expected {expected}, found {shown}")

    def command(self, value: object) -> tuple[str, ...]:
        """Read a command: a text, or the list of its words."""
        words: list[object] = []
        if isinstance(value, str):
            try:
                words = list(shlex.split(value))
            except ValueError:
                words = []
        elif isinstance(value, list):
            words = value
        if not words or not all(isinstance(word, str) and word for word in words):
            self.refuse("command", "a program with its arguments, or the list of them", value)
        return tuple(map(str, words))

    def rules(self, value: object) -> tuple[str, ...]:
        """Read a list of rules."""
        if not isinstance(value, list) or not value or not all(item in RULES for item in value):
            self.refuse("rules", f"a list of {', '.join(RULES)}", value)
        return tuple(value)

    def sizes(self, value: object) -> tuple[int, int]:
        """Read the smallest and the largest board."""
        is_pair = isinstance(value, list) and [type(item) for item in value] == [int, int]
        if not is_pair or not isinstance(value, list) or not 3 <= value[0] <= value[1] <= 100:
            self.refuse("sizes", "[smallest, largest] from 3", value)
        return value[0], value[1]

    def number(self, table: JsonObject, key: str, usual: float, *, least: float) -> float:
        """Read a number."""
        value = table.get(key, usual)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not least <= float(value) < math.inf:
            self.refuse(key, f"a number of at least {least:g}", value)
        return float(value)

    def path(self, table: JsonObject, key: str) -> Path | None:
        """Read a path, in which `~` is the home folder."""
        value = table.get(key)
        if value is not None and not (isinstance(value, str) and value):
            self.refuse(key, "a path", value)
        return None if value is None else Path(os.path.expanduser(value))


def engine_players() -> Mapping[str, PlayerInfo]:
    """Return the entries of the declared engines, by player's name.

    Raises:
        EngineFileError: the user's file does not fit.
    """
    infos = (engine.info for engine in declared_engines().values())
    return {info.name: info for info in infos}


__all__ = [
    "PREFIX",
    "EngineEntry",
    "EngineFileError",
    "declare_engines",
    "declared_engines",
    "engine_info",
    "engine_players",
    "engines_file",
    "get_engine",
]
