"""Players that a project's `goishi.toml` adds.

An entry is `name = "module:create"`, or a table with more:

    [players.pebble]
    create = "scripts.pebble:create"
    description = "Plays beside the last stone."
    sizes = [3, 15]
    settings.reach = {default = 1, minimum = 1, maximum = 5, help = "How far beside"}
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from ai.registry.info import ALL_RULES, ANY_GAME, ANY_RULES, FOUL_FREE, PlayerInfo
from base.manifest import (
    FILE,
    TARGET_FORM,
    ProjectError,
    check_keys,
    check_own_target,
    entries_of,
    read_tables,
    refuse,
    summary,
)
from base.schema import Option, OptionError

TABLE: Final = "players"
WORDS: Final = ("title", "short_name", "explains", "after_loss")
"""The words that people are shown for a player."""
KEYS: Final[Mapping[str, type]] = {
    "create": str, "learner": str, "description": str, "source": str, "rules": str,
    "supported_rules": list, "sizes": list, "other_games": bool, "any_game": bool, "settings": dict,
    **dict.fromkeys(WORDS, str),
}  # fmt: skip
SETTING_KEYS: Final = ("default", "minimum", "maximum", "choices", "help", "optional")


def read_players(project: Path, taken: Mapping[str, PlayerInfo]) -> dict[str, PlayerInfo]:
    """Return the players of a project by name, in the order of its file; none is imported.

    Args:
        project: the folder that holds `goishi.toml`.
        taken: the shipped players, whose names cannot be used.

    Raises:
        ProjectError: an entry does not fit; says file, key, expected and found.
    """
    found: dict[str, PlayerInfo] = {}
    for name, entry in entries_of(read_tables(project), TABLE).items():
        if name in taken:
            refuse(f"{TABLE}.{name}", "a name that no shipped player has", name)
        found[name] = _player(project, name, entry)
    return found


def _player(project: Path, name: str, entry: object) -> PlayerInfo:
    key = f"{TABLE}.{name}"
    if isinstance(entry, str):
        entry = {"create": entry}
        key_of_create = key
    else:
        key_of_create = f"{key}.create"
    if not isinstance(entry, dict):
        refuse(key, "module:name or a table", entry)
    check_keys(key, entry, KEYS)
    if "create" not in entry:
        refuse(key_of_create, TARGET_FORM, "nothing")
    factory = check_own_target(key_of_create, entry["create"], project)
    learner = entry.get("learner")
    described = summary(project, factory, or_module=True)
    return PlayerInfo(
        name=name,
        description=entry.get("description") or described or "A project's player.",
        source=entry.get("source") or factory.partition(":")[0],
        factory=factory,
        learner=learner and check_own_target(f"{key}.learner", learner, project),
        rules=entry.get("rules") or (ANY_GAME if entry.get("any_game") else ANY_RULES),
        **{key: entry[key] for key in WORDS if key in entry},
        supported_rules=_rules(
            f"{key}.supported_rules", entry.get("supported_rules", list(FOUL_FREE))
        ),
        sizes=_sizes(f"{key}.sizes", entry.get("sizes", [3, 22])),
        plays_other_games=entry.get("other_games", True),
        plays_any_game=entry.get("any_game", False),
        own_settings=tuple(
            _setting(f"{key}.settings.{name}", name, item)
            for name, item in entry.get("settings", {}).items()
        ),
        project=project.resolve(),
    )


def _rules(key: str, value: list[str]) -> tuple[str, ...]:
    if not value or not all(item in ALL_RULES for item in value):
        refuse(key, f"a list of {', '.join(ALL_RULES)}", value)
    return tuple(value)


def _sizes(key: str, value: list[int]) -> tuple[int, int]:
    is_pair = len(value) == 2 and all(type(item) is int for item in value)
    if not is_pair or not 3 <= value[0] <= value[1] <= 22:
        refuse(key, "[smallest, largest] from 3 to 22", value)
    return value[0], value[1]


def _setting(key: str, name: str, entry: object) -> Option:
    if not isinstance(entry, dict) or "default" not in entry:
        refuse(key, "a table with a default", entry)
    for item in entry:
        if item not in SETTING_KEYS:
            refuse(f"{key}.{item}", f"one of {', '.join(SETTING_KEYS)}", item)
    if not isinstance(entry["default"], bool | int | float | str):
        refuse(f"{key}.default", "a switch, a number or a text", entry["default"])
    for bound in ("minimum", "maximum"):
        if bound in entry and type(entry[bound]) not in (int, float):
            refuse(f"{key}.{bound}", "a number", entry[bound])
    if not isinstance(entry.get("choices", []), list):
        refuse(f"{key}.choices", "a list", entry["choices"])
    setting = Option(
        key=name,
        default=entry["default"],
        minimum=entry.get("minimum"),
        maximum=entry.get("maximum"),
        choices=tuple(entry.get("choices", ())),
        help=str(entry.get("help", "")),
        optional=bool(entry.get("optional", False)),
    )
    try:
        setting.resolve(setting.default)
    except OptionError as error:
        raise ProjectError(f"{FILE}:{key}.default: {error}") from None
    return setting
