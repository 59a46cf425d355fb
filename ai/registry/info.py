"""`PlayerInfo`: what is known about a player without importing it, and its import."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Final, cast

from ai.registry.modules import open_project, place_of, why_not_found
from base.errors import ScriptLoadError
from base.schema import Option

ANY_GAME: Final = "any game"
ANY_RULES: Final = "freestyle or standard, any win length, any board, with or without gravity"
ALL_RULES: Final = ("freestyle", "standard", "renju", "caro")
"""The names of `ai.game.Rule`, known here without importing numpy."""
FOUL_FREE: Final = ("freestyle", "standard")
"""The rules that need no knowledge of fouls or of blocked rows: a player's that claims none."""


class UnknownPlayerError(LookupError):
    """No player has this name, or its `module:callable` is not found; the message says which."""


@dataclass(frozen=True, slots=True)
class PlayerInfo:
    """A player's registry entry, known without importing the player."""

    name: str
    description: str
    source: str
    """Source of the method, such as a paper."""
    factory: str = ""
    """`"module:callable"`, called with (rules, settings)."""
    title: str = ""
    """What an audience is told it is, as in "genetic algorithm"; its name where empty."""
    short_name: str = ""
    """What panels call it, where its name says too little; its name where empty."""
    explains: str = "choice"
    """What its explanation shows: "network", "memory", "plans" …; empty for nothing."""
    after_loss: str = ""
    """What it does after a loss, where it learns: "looks back over the game and remembers"."""
    learner: str | None = None
    """`"module:callable"` of its learner, None if it does not learn."""
    rules: str = ANY_RULES
    """Rules it plays, in words."""
    supported_rules: tuple[str, ...] = FOUL_FREE
    """Names of the rules of a five that it plays; others are refused."""
    sizes: tuple[int, int] = (3, 22)
    """Smallest and largest board."""
    ready_sizes: tuple[int, ...] = ()
    """Boards for which its weights ship; on others it needs its setting `weights`. Empty: all."""
    plays_other_games: bool = True
    """Whether it also plays rectangular boards and games with gravity."""
    plays_any_game: bool = False
    """Whether it also plays games that are no m,n,k at all."""
    settings_from: str | None = None
    """`"module:name"` of its tuple of settings."""
    own_settings: tuple[Option, ...] = ()
    """Its settings, if they are declared in a project's file."""
    project: Path | None = None
    """Folder of the project that adds it, None for a shipped player."""

    def __post_init__(self) -> None:
        """Let the name stand for the words that are not given."""
        for key in ("title", "short_name"):
            object.__setattr__(self, key, getattr(self, key) or self.name)

    @property
    def settings(self) -> tuple[Option, ...]:
        """The player's settings, imported if need be."""
        if self.settings_from is None:
            return self.own_settings
        return cast("tuple[Option, ...]", load_target(self.settings_from))

    def load(self, target: str) -> object:
        """Import the object that `"module:name"` names, project scripts included.

        Raises:
            UnknownPlayerError: there is no such module or name.
        """
        if self.project is not None:
            open_project(self.project)
        return load_target(target)

    def as_dict(self) -> dict[str, object]:
        """Return plain values for JSON: the entry of `players --json`."""
        return {
            "name": self.name,
            "description": self.description,
            "source": self.source,
            "learns": self.learner is not None,
            "rules": self.rules,
            "supported_rules": list(self.supported_rules),
            "board_sizes": {"minimum": self.sizes[0], "maximum": self.sizes[1]},
            "ready_sizes": list(self.ready_sizes),
            "settings": [setting.as_dict() for setting in self.settings],
            "project": None if self.project is None else str(self.project),
        }


def load_target(target: str) -> object:
    """Import the object that `"module:name"` names.

    Raises:
        UnknownPlayerError: there is no such module or name.
    """
    module_name, _, attribute = target.partition(":")
    try:
        module = import_module(module_name)
    except (ModuleNotFoundError, ScriptLoadError) as error:
        raise UnknownPlayerError(_fault_of_import(target, error)) from error
    try:
        return getattr(module, attribute)
    except AttributeError as error:
        raise UnknownPlayerError(
            f"expected 'module:callable', found {target!r}: {error}"
        ) from error


def _fault_of_import(target: str, error: ModuleNotFoundError | ScriptLoadError) -> str:
    """Return which module is missing: the target's, or one that it imports, and where."""
    place = place_of(error)
    return f"{target!r}: {f'{place}: ' if place else ''}{why_not_found(error)}"
