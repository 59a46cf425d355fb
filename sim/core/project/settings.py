"""User settings: theme, scale, keys; a TOML file in the data directory."""

from __future__ import annotations

import math
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import tomli_w

from base.files import atomic_write, read_regular, set_aside
from base.language.catalogs import LANGUAGES
from base.schema import Option, OptionError, OptionValue, options_of, setting
from base.values import JsonObject

FILE_NAME: Final = "settings.toml"
SCALES: Final = (0.75, 3.0)
LEAST_WINDOW: Final = (640, 360)
"""Smallest window, in pixels at scale 1, in which the whole user interface fits."""
REWIND_SECONDS: Final = (0.0, 3600.0)
SYSTEM: Final = "system"
"""The language, or the amount of motion, that follows the system's."""
LEAST_SCALE: Final = 0.5  # smaller text cannot be read


@dataclass(frozen=True)
class UserSettings:
    """Settings that the user chose in the window.

    Attributes:
        theme: dark, light or high-contrast.
        motion: whether things and the camera move on their way, "full" or "reduced"; "system"
            follows the system.
        captions: whether a line names what sounds.
        scale: size of text and widgets, 1 for normal; 0 follows the screen.
        layout: name of the panel layout.
        language: language of the window, a code such as "ko"; "system" follows the system.
        muted: whether sound is off.
        volume: loudness of all sounds, 0 to 1.
        tool_keys: whether W, E and R select moving, rotating and scaling in the Studio layout's
            view.
        step_milliseconds: maximum wall time per frame for fixed steps, in a window.
        move_step, turn_step, scale_step: steps of the handles while Ctrl is held: metres, degrees
            and a factor.
        rewind_seconds: length of the recorded past that can be rewound, in scene time; 0 for none.
        keys: key or chord by action name, where it differs from the default.
        folders: folder in which a file was chosen last, by the file's suffix.
        recent_folders: folders in which files were chosen, the latest first.
        scripts: what the user chose in scripts, by the keys that these declare with `preference`.
    """

    theme: str = setting("dark", choices=("dark", "light", "high-contrast"))
    motion: str = setting(SYSTEM, choices=(SYSTEM, "full", "reduced"))
    captions: bool = setting(False)
    scale: float = setting(0.0, minimum=SCALES[0], maximum=SCALES[1], besides=(0.0,))
    layout: str = setting("watch")
    language: str = setting(SYSTEM, choices=(SYSTEM, *LANGUAGES))
    muted: bool = setting(False)
    volume: float = setting(1.0, minimum=0.0, maximum=1.0)
    tool_keys: bool = setting(True)
    step_milliseconds: float = setting(12.0, minimum=1.0, maximum=1000.0)
    move_step: float = setting(0.25, minimum=0.0001, maximum=10000.0)
    turn_step: float = setting(15.0, minimum=0.001, maximum=180.0)
    scale_step: float = setting(0.1, minimum=0.0001, maximum=100.0)
    rewind_seconds: float = setting(30.0, minimum=REWIND_SECONDS[0], maximum=REWIND_SECONDS[1])
    keys: dict[str, str] = field(default_factory=dict)
    folders: dict[str, str] = field(default_factory=dict)
    recent_folders: tuple[str, ...] = ()
    scripts: dict[str, OptionValue] = field(default_factory=dict)


TABLES: Final = {"keys": "a chord such as control+s", "folders": "a path"}
"""Tables of texts in the settings file, with what each of their values is."""
MOST_FOLDERS: Final = 8  # recent ones


OPTIONS: Final[Mapping[str, Option]] = options_of(UserSettings)
"""The options of the settings file, by key; its tables and lists are not among them."""


class SettingsFile:
    """Reads and writes the settings file.

    Invalid entries are skipped, each with a sentence in `notes`; unknown tables are kept.

    Args:
        folder: the data directory; None to keep the settings in memory only.
    """

    def __init__(self, folder: Path | None) -> None:
        self.path = None if folder is None else folder / FILE_NAME
        self.notes: list[str] = []
        self._other: JsonObject = {}
        self._invalid: JsonObject = {}  # as they stand in the file
        self._is_whole = True
        self.values = self._read()

    def change(self, **values: Any) -> str:
        """Change settings and save them; return what the user should know, empty for nothing.

        A file that cannot be read is kept as `settings.toml.bad`. Invalid values stay in the file
        until they are changed.
        """
        self.values = replace(self.values, **values)
        if self.path is None:
            return ""
        self._invalid = {key: value for key, value in self._invalid.items() if key not in values}
        data = {
            **self._other,
            **{key: getattr(self.values, key) for key in OPTIONS},
            **({"recent_folders": list(self.values.recent_folders)} if self.values.folders else {}),
            "keys": dict(sorted(self.values.keys.items())),
            **({"folders": self.values.folders} if self.values.folders else {}),
            **(
                {"scripts": dict(sorted(self.values.scripts.items()))}
                if self.values.scripts
                else {}
            ),
            **self._invalid,
        }
        note = ""
        try:
            if not self._is_whole and os.path.lexists(self.path):
                kept = set_aside(self.path)
                note = f"{self.path}: expected readable settings; the file is kept as {kept}"
            self._is_whole = True
            atomic_write(self.path, tomli_w.dumps(data))
        except OSError as error:
            return f"{self.path}: expected to write the settings, found: {error.strerror}"
        return note

    def _read(self) -> UserSettings:
        if self.path is None or not self.path.exists():
            return UserSettings()
        try:
            data = tomllib.loads(read_regular(self.path).decode("utf-8-sig"))
        except (OSError, ValueError, RecursionError) as error:
            self._is_whole = False
            self.notes.append(f"{self.path}: expected settings in TOML, found: {error}")
            return UserSettings()
        plain = UserSettings()
        self._other = {key: value for key, value in data.items() if not hasattr(plain, key)}
        found = {key: self._checked(key, data[key]) for key in OPTIONS if key in data}
        keys, folders = (self._table(name, data.get(name, {})) for name in TABLES)
        recent = self._folders(data.get("recent_folders", []))
        return UserSettings(
            **found,
            keys=keys,
            folders=folders,
            recent_folders=recent,
            scripts=self._scripts(data.get("scripts", {})),
        )

    def _checked(self, key: str, value: object) -> Any:
        """Return a setting's value if it is valid, else the default, with a note for the user.

        Args:
            key: name of the setting.
            value: its value in the file.
        """
        option = OPTIONS[key]
        try:
            return option.check(value)
        except OptionError:
            self._invalid[key] = value
            self._note(key, option.expectation, value)
            return option.default

    def _table(self, name: str, value: object) -> dict[str, str]:
        """Return a table of texts, without its invalid values; each of them gets a note.

        Args:
            name: name of the table, one of `TABLES`.
            value: its value in the file.
        """
        if not isinstance(value, dict):
            self._invalid[name] = value
            kind = "chords" if name == "keys" else "paths"
            self._note(name, f"a table of {kind}", value)
            return {}
        good = {key: text for key, text in value.items() if isinstance(text, str)}
        for key in value.keys() - good.keys():
            self._note(f"{name}.{key}", TABLES[name], value[key])
        return good

    def _folders(self, value: object) -> tuple[str, ...]:
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return tuple(value[:MOST_FOLDERS])
        self._invalid["recent_folders"] = value
        self._note("recent_folders", "a list of paths", value)
        return ()

    def _scripts(self, value: object) -> dict[str, OptionValue]:
        """Return the plain values of the table of scripts; whether they fit, its reader checks."""
        if not isinstance(value, dict):
            self._invalid["scripts"] = value
            self._note("scripts", "a table of values", value)
            return {}
        return {
            key: item for key, item in value.items() if isinstance(item, bool | int | float | str)
        }

    def _note(self, key: str, expected: str, found: object) -> None:
        self.notes.append(f"{self.path}: {key}: expected {expected}, found {found!r}")


def usual_scale(height: int) -> float:
    """Return the default scale for a screen height in pixels: 1 up to 1200, 2 at 2400."""
    return max(1.0, min(SCALES[1], math.floor(height / 1200.0 * 4.0) / 4.0))


def fitting_scale(scale: float, size: tuple[int, int]) -> float:
    """Return a scale at which the user interface fits the window: `scale`, or a smaller one.

    Args:
        scale: the wanted scale, 1 for normal size.
        size: width and height of the window, in pixels.
    """
    limit = min(size[0] / LEAST_WINDOW[0], size[1] / LEAST_WINDOW[1])
    if scale <= limit:
        return scale
    return max(LEAST_SCALE, math.floor(limit * 20.0) / 20.0)
