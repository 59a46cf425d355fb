"""Registry of games by name: those that Goishi includes, and those of a project.

A project lists them in `goishi.toml`. An m,n,k game (stones in a row) is described by the fields of
its `Rules`. For any other game an entry names its class, which derives from `ai.Game`, and the
fields of that class:

    [games.nine-in-a-box]
    size = 9
    win_length = 5
    description = "Five in a row on nine by nine."

    [games.othello]
    create = "scripts.othello:Othello"
    size = 6
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

from ai.game import EMPTY, WHITE, Game, Rules, RulesError, game_of
from ai.registry.info import open_project
from base.errors import GoishiError
from base.manifest import (
    FILE,
    ProjectError,
    check_keys,
    check_target,
    entries_of,
    read_tables,
    refuse,
)
from base.modules import maker_error
from base.spelling import one_of
from base.values import JsonObject

TABLE: Final = "games"
WINNERS: Final = {"nobody": EMPTY, "black": 1, "white": WHITE}
KEYS: Final[Mapping[str, type]] = {
    "size": int, "win_length": int, "rule": str, "exact": bool, "full_board_winner": str,
    "height": int, "gravity": bool, "description": str,
}  # fmt: skip


class UnknownGameError(LookupError):
    """No game has this name; the message lists those that exist.

    Attributes:
        expected: what was expected, in words.
    """

    def __init__(self, text: str, expected: str = "a known game") -> None:
        self.expected = expected
        super().__init__(text)


@dataclass(frozen=True, slots=True)
class GameInfo:
    """Entry of a game in the registry: name, description and rules."""

    name: str
    description: str
    described: Rules | JsonObject
    """The game's `Rules`; for a game that is not m,n,k, plain values for `ai.game.game_of`."""
    project: Path | None = None
    """Folder of the project that adds it, None for a shipped game."""

    @property
    def rules(self) -> Game:
        """The rules; imports the project's module if the game is a class of its scripts.

        Raises:
            ProjectError: the class cannot be found or created.
        """
        if isinstance(self.described, Rules):
            return self.described
        if self.project is not None:
            open_project(self.project)
        try:
            return game_of(self.described)
        except (RulesError, TypeError) as error:
            raise ProjectError(f"{FILE}:{TABLE}.{self.name}: {error}") from error
        except (GoishiError, KeyboardInterrupt):
            raise
        except BaseException as error:  # whatever the project's code raises
            found = maker_error(f"{FILE}:{TABLE}.{self.name}", error, self.project or Path())
            raise ProjectError(str(found)) from error

    def as_dict(self) -> dict[str, object]:
        """Return plain values for JSON: the entry of `games --json`."""
        return {
            "name": self.name,
            "description": self.description,
            "rules": (
                {
                    **asdict(self.described),
                    "rule": self.described.rule.value,
                    "exact": self.described.exact,
                }
                if isinstance(self.described, Rules)
                else self.described
            ),
            "project": None if self.project is None else str(self.project),
        }


_SHIPPED: Final = (
    GameInfo(
        "self-teaching",
        "The paper's Gomoku: seven by seven, a full board is White's.",
        Rules(7, 5, full_board_winner=WHITE),
    ),
    GameInfo("gomoku", "Five in a row on fifteen by fifteen; longer rows win, too.", Rules(15, 5)),
    GameInfo("exact-five", "Gomoku in which a row of six does not win.", Rules(15, 5, "standard")),
    GameInfo(
        "renju",
        "Gomoku in which Black has fouls and wins with exactly five.",
        Rules(15, 5, "renju"),
    ),
    GameInfo(
        "caro",
        "A row of exactly five wins, unless it is blocked at both ends.",
        Rules(15, 5, "caro"),
    ),
    GameInfo("tic-tac-toe", "Three in a row on three by three.", Rules(3, 3)),
    GameInfo(
        "connect-four",
        "Four in a row of discs that fall into seven columns.",
        Rules(7, 4, height=6, gravity=True),
    ),
)

GAMES: Final[Mapping[str, GameInfo]] = MappingProxyType({game.name: game for game in _SHIPPED})
"""Shipped games by name."""


def list_games(project: Path | None = None) -> list[GameInfo]:
    """Return the shipped games and those of a project.

    Raises:
        ProjectError: an entry of its file is invalid; says key, expected and found.
    """
    return [*GAMES.values(), *(read_games(project).values() if project is not None else ())]


def get_game(name: str, project: Path | None = None) -> GameInfo:
    """Return the game of this name.

    Raises:
        UnknownGameError: the name is unknown; the message lists the known ones.
        ProjectError: the project's file is invalid.
    """
    if name in GAMES:
        return GAMES[name]
    known = {game.name: game for game in list_games(project)}
    if name not in known:
        expected = one_of(known, name)
        raise UnknownGameError(f"expected {expected}; found {name!r}", expected)
    return known[name]


def open_games(project: Path) -> None:
    """Make a project's scripts importable in this process, if a game of the project needs them.

    A game needs them if its rules are a class of these scripts.

    Args:
        project: folder of the project.
    """
    with contextlib.suppress(ProjectError):
        if not all(isinstance(game.described, Rules) for game in read_games(project).values()):
            open_project(project)


def read_games(project: Path) -> dict[str, GameInfo]:
    """Return the games that a project adds, by name.

    Raises:
        ProjectError: an entry is invalid; says file, key, expected and found.
    """
    found: dict[str, GameInfo] = {}
    for name, entry in entries_of(read_tables(project), TABLE).items():
        key = f"{TABLE}.{name}"
        if name in GAMES:
            refuse(key, "a name that no shipped game has", name)
        if not isinstance(entry, dict):
            refuse(key, "a table such as {size = 9, win_length = 5}", entry)
        description = entry.get("description", "A project's game.")
        found[name] = GameInfo(name, description, _described(key, entry), project)
    return found


def _described(key: str, entry: JsonObject) -> Rules | JsonObject:
    values = {name: value for name, value in entry.items() if name != "description"}
    if "create" in values:
        check_target(f"{key}.create", values["create"], within="scripts.")
        return values
    check_keys(key, entry, KEYS)
    if "size" not in values:
        refuse(f"{key}.size", "how many points a side has, 3 to 22", "nothing")
    winner = values.pop("full_board_winner", "nobody")
    if winner not in WINNERS:
        refuse(f"{key}.full_board_winner", "nobody, black or white", winner)
    try:
        return Rules(full_board_winner=WINNERS[winner], **values)
    except RulesError as error:
        raise ProjectError(f"{FILE}:{key}.{error}") from None
