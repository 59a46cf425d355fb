"""User settings: theme, scale, keys; a TOML file in the data directory."""

from __future__ import annotations

import math
import tomllib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import tomli_w

from base.files import atomic_write
from base.values import JsonObject

FILE_NAME: Final = "settings.toml"
THEMES: Final = ("dark", "light")
SCALES: Final = (0.75, 3.0)
LEAST_WINDOW: Final = (640, 360)
"""Pixels of a window, divided by the scale, in which everything has room."""
LEAST_SCALE: Final = 0.5  # smaller text cannot be read
STEP_MILLISECONDS: Final = (1.0, 1000.0)
REWIND_SECONDS: Final = (0.0, 3600.0)


@dataclass(frozen=True)
class Settings:
    """Settings that the user chose in the window.

    Attributes:
        theme: dark or light.
        scale: size of text and widgets; 0 follows the screen.
        layout: name of the panel layout.
        muted: whether sound is off.
        wer_keys: whether W, E and R move, rotate and scale in the Studio layout's view.
        step_milliseconds: wall time that the fixed steps of a frame may take in a window.
        rewind_seconds: scene time that is kept to look back at; 0 keeps none.
        keys: chord by action, where it differs from the default.
    """

    theme: str = "dark"
    scale: float = 0.0
    layout: str = "watch"
    muted: bool = False
    wer_keys: bool = False
    step_milliseconds: float = 12.0
    rewind_seconds: float = 30.0
    keys: dict[str, str] = field(default_factory=dict)


class SettingsFile:
    """Reads and writes the settings; without a path they are kept in memory.

    Invalid entries are skipped, with a sentence each in `notes`; unknown tables are kept.
    """

    def __init__(self, folder: Path | None) -> None:
        self.path = None if folder is None else folder / FILE_NAME
        self.notes: list[str] = []
        self._other: JsonObject = {}
        self.values = self._read()

    def change(self, **values: Any) -> str:
        """Change settings and save them; return an error text, empty on success."""
        self.values = replace(self.values, **values)
        if self.path is None:
            return ""
        data = {
            **self._other,
            "theme": self.values.theme,
            "scale": self.values.scale,
            "layout": self.values.layout,
            "muted": self.values.muted,
            "wer_keys": self.values.wer_keys,
            "step_milliseconds": self.values.step_milliseconds,
            "rewind_seconds": self.values.rewind_seconds,
            "keys": dict(sorted(self.values.keys.items())),
        }
        try:
            atomic_write(self.path, tomli_w.dumps(data))
        except OSError as error:
            return f"{self.path}: expected to write the settings, found: {error.strerror}"
        return ""

    def _read(self) -> Settings:
        if self.path is None or not self.path.exists():
            return Settings()
        try:
            data = tomllib.loads(self.path.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            self.notes.append(f"{self.path}: expected settings in TOML, found: {error}")
            return Settings()
        self._other = {key: value for key, value in data.items() if not hasattr(Settings(), key)}
        usual = Settings()
        return Settings(
            theme=self._one_of(data, "theme", THEMES, usual.theme),
            scale=self._scale(data.get("scale", usual.scale)),
            layout=self._text(data, "layout", usual.layout),
            muted=self._flag(data, "muted", usual.muted),
            wer_keys=self._flag(data, "wer_keys", usual.wer_keys),
            step_milliseconds=self._number(
                data, "step_milliseconds", STEP_MILLISECONDS, usual.step_milliseconds
            ),
            rewind_seconds=self._number(
                data, "rewind_seconds", REWIND_SECONDS, usual.rewind_seconds
            ),
            keys=self._keys(data.get("keys", {})),
        )

    def _one_of(self, data: JsonObject, key: str, allowed: tuple[str, ...], usual: str) -> str:
        value = data.get(key, usual)
        if value in allowed:
            return str(value)
        self._complain(key, " or ".join(allowed), value)
        return usual

    def _text(self, data: JsonObject, key: str, usual: str) -> str:
        value = data.get(key, usual)
        if isinstance(value, str):
            return value
        self._complain(key, "a text", value)
        return usual

    def _flag(self, data: JsonObject, key: str, usual: bool) -> bool:
        value = data.get(key, usual)
        if isinstance(value, bool):
            return value
        self._complain(key, "true or false", value)
        return usual

    def _scale(self, value: object) -> float:
        low, high = SCALES
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if is_number and (value == 0 or low <= value <= high):  # type: ignore[operator]
            return float(value)  # type: ignore[arg-type]
        self._complain("scale", f"0 or {low:g} to {high:g}", value)
        return 0.0

    def _number(
        self, data: JsonObject, key: str, bounds: tuple[float, float], usual: float
    ) -> float:
        value, (low, high) = data.get(key, usual), bounds
        if isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high:
            return float(value)
        self._complain(key, f"{low:g} to {high:g}", value)
        return usual

    def _keys(self, value: object) -> dict[str, str]:
        if not isinstance(value, dict):
            self._complain("keys", "a table of chords", value)
            return {}
        good = {key: chord for key, chord in value.items() if isinstance(chord, str)}
        for key in value.keys() - good.keys():
            self._complain(f"keys.{key}", "a chord such as control+s", value[key])
        return good

    def _complain(self, key: str, expected: str, found: object) -> None:
        self.notes.append(f"{self.path}: {key}: expected {expected}, found {found!r}")


def usual_scale(height: int) -> float:
    """Return the default scale for a screen height in pixels: 1 up to 1200, 2 at 2400."""
    return max(1.0, min(SCALES[1], math.floor(height / 1200.0 * 4.0) / 4.0))


def fitting_scale(scale: float, size: tuple[int, int]) -> float:
    """Return `scale`, or the largest at which everything has room in a window of `size` pixels."""
    limit = min(size[0] / LEAST_WINDOW[0], size[1] / LEAST_WINDOW[1])
    if scale <= limit:
        return scale
    return max(LEAST_SCALE, math.floor(limit * 20.0) / 20.0)
