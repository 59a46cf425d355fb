"""External engines: programs of the user's own that play by the Gomocup protocol.

Only the user declares them: in `engines.toml` in the folder of the user's settings, or by `--engine
NAME=COMMAND` for one run. Scenes and projects can name an engine but not declare one, so that
opening a file never starts an unknown program.

    [yixin]
    command = "/opt/yixin/engine"            # or a list of words; it is not run by a shell
    rules = ["freestyle", "standard"]
    memory = 350                             # megabytes
    seconds = 2.0                            # per move, if the game sets no limit
"""

from __future__ import annotations

import json
import math
import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NoReturn

import platformdirs

from ai.registry.info import PlayerInfo, UnknownPlayerError
from base.command_line import join_words, split_words
from base.errors import UsageError
from base.files import read_regular
from base.manifest import ProjectError
from base.schema import Option
from base.spelling import nearest_first
from base.values import JsonObject

PREFIX: Final = "gomocup:"
"""Prefix of player names that stand for external engines, such as "gomocup:yixin"."""
FILE_NAME: Final = "engines.toml"
VARIABLE: Final = "GOISHI_ENGINES"
"""Environment variable that passes the engines of `--engine` to worker processes."""
FACTORY: Final = "ai.protocol.hosting.player:create"
RULES: Final = ("freestyle", "standard", "renju", "caro")
NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}", re.ASCII)
NAME_WORDS: Final = "a name of letters, digits, '.', '_' and '-'"
KEYS: Final = ("command", "rules", "sizes", "memory", "seconds", "start_seconds", "folder", "log")


class EngineFileError(ProjectError):
    """The user's `engines.toml` is invalid; says file, key, expected and found."""


@dataclass(frozen=True, slots=True)
class EngineEntry:
    """An external engine that the user has declared: its command and what it can play."""

    name: str
    command: tuple[str, ...]
    """Program and arguments."""
    rules: tuple[str, ...] = ("freestyle", "standard")
    """Names of the rules that the engine plays."""
    sizes: tuple[int, int] = (5, 20)
    """Sides of the smallest and the largest board that the engine plays, in points."""
    memory: int = 0
    """Memory limit of the engine and its child processes in MB; 0: no limit."""
    seconds: float = 5.0
    """Seconds per move if the game sets no limit."""
    start_seconds: float = 30.0
    """Seconds within which the engine must answer START."""
    folder: Path | None = None
    """Working folder of the engine; None: the current one."""
    log: Path | None = None
    """Path of a log file for all messages to and from the engine; None: no log."""
    declared_by: str = FILE_NAME

    @property
    def command_text(self) -> str:
        """Program and arguments as on a command line of this system."""
        return join_words(self.command)

    @property
    def info(self) -> PlayerInfo:
        """Entry of this engine in the registry of players."""
        return PlayerInfo(
            name=PREFIX + self.name,
            description="An outside engine that speaks the Gomocup protocol.",
            source=f"{self.command_text} ({self.declared_by})",
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


def engine_of(name: str, table: object) -> EngineEntry:
    """Return the engine that an entry of `engines.toml` declares.

    Args:
        name: name of the engine.
        table: the entry, as `tomllib` reads it.

    Raises:
        EngineFileError: the name or a value is invalid.
    """
    return _entry(engines_file(), name, table)


def engines_file() -> Path:
    """Return the path of the user's `engines.toml`, which need not exist."""
    return Path(platformdirs.user_config_dir("goishi", appauthor=False)) / FILE_NAME


def declared_engines() -> dict[str, EngineEntry]:
    """Return the declared engines by name; those of the command line take precedence.

    Raises:
        EngineFileError: the file is not TOML, or an entry is invalid.
    """
    found = _of_file(engines_file())
    for name, command in _of_command_line().items():
        found[name] = EngineEntry(name, tuple(command), declared_by="--engine")
    return found


def get_engine(name: str) -> EngineEntry:
    """Return a declared engine.

    Raises:
        UnknownPlayerError: the engine is not declared; says where to declare it.
        EngineFileError: the user's file is invalid.
    """
    declared = declared_engines()
    if name not in declared:
        known = (
            f"declared: {', '.join(nearest_first(declared, name))}"
            if declared
            else "none is declared"
        )
        raise UnknownPlayerError(
            f"{PREFIX}{name}: expected an engine that you have declared in {engines_file()} or by "
            f"--engine NAME=COMMAND ({known}), found {name!r}"
        )
    return declared[name]


def engine_info(player: str) -> PlayerInfo:
    """Return the entry of an external engine in the registry of players.

    Args:
        player: name of the player, with `PREFIX`.

    Raises:
        UnknownPlayerError: the engine is not declared.
        EngineFileError: the user's file is invalid.
    """
    return get_engine(player.removeprefix(PREFIX)).info


def declare_engines(texts: Iterable[str]) -> None:
    """Declare engines for this process and the workers that it starts.

    Args:
        texts: declarations of the form NAME=COMMAND.

    Raises:
        UsageError: a declaration is invalid.
    """
    commands: dict[str, list[str]] = dict(_of_command_line())
    for text in texts:
        name, _, command = text.partition("=")
        try:
            words = split_words(command)
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
    """Return the commands that `declare_engines` stored in the environment, by name."""
    kept: dict[str, list[str]] = json.loads(os.environ.get(VARIABLE) or "{}")
    return kept


def _of_file(path: Path) -> dict[str, EngineEntry]:
    try:
        tables = tomllib.loads(read_regular(path).decode("utf-8-sig"))
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
    """Reads the values of one engine's entry; an error names the file and the key."""

    def __init__(self, path: Path, name: str) -> None:
        self._place = f"{path}: {name}"

    def refuse(self, key: str, expected: str, found: object) -> NoReturn:
        """Raise EngineFileError for an invalid value.

        Args:
            key: key of the value; "" for the whole entry.
            expected: what should be there, in words.
            found: the value that is there.
        """
        place = f"{self._place}.{key}" if key else self._place
        shown = "nothing" if found is None else f"{found!r:.100}"
        raise EngineFileError(f"{place}: expected {expected}, found {shown}")

    def command(self, value: object) -> tuple[str, ...]:
        """Read a command: a string, or a list of words."""
        words: list[object] = []
        if isinstance(value, str):
            try:
                words.extend(split_words(value))
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
        """Return a number of the entry.

        Args:
            table: the entry.
            key: key of the number.
            usual: number to return if the key is missing.
            least: the smallest number allowed.
        """
        value = table.get(key, usual)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or not least <= float(value) < math.inf:
            self.refuse(key, f"a number of at least {least:g}", value)
        return float(value)

    def path(self, table: JsonObject, key: str) -> Path | None:
        """Return a path of the entry, in which `~` is the home folder; None if the key is missing.

        Args:
            table: the entry.
            key: key of the path.
        """
        value = table.get(key)
        if value is not None and not (isinstance(value, str) and value):
            self.refuse(key, "a path", value)
        return None if value is None else Path(os.path.expanduser(value))


def engine_players() -> Mapping[str, PlayerInfo]:
    """Return the registry entries of the declared engines, by the name of the player.

    Raises:
        EngineFileError: the user's file is invalid.
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
    "engine_of",
    "engine_players",
    "engines_file",
    "get_engine",
]
