"""Settings of the user that outlive a run: a small TOML file of plain values."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable
from pathlib import Path

FILE_NAME = "settings.toml"
Value = bool | int | float | str


class UserSettings:
    """Values by name, written as soon as they change.

    A file that cannot be read is left alone until a value changes, and said once; one that cannot
    be written keeps its values for this run.
    """

    def __init__(self, path: Path, *, warn: Callable[[str], None]) -> None:
        self.path = path
        self._warn = warn
        self._values: dict[str, Value] = {}
        try:
            found = tomllib.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return
        except (OSError, ValueError) as error:
            warn(f"{path}: expected settings, found: {error}; the usual ones are used")
            return
        self._values = {k: v for k, v in found.items() if isinstance(v, bool | int | float | str)}

    def get_flag(self, name: str, default: bool = False) -> bool:
        """Return a yes or no; the default where it is missing or of another kind."""
        value = self._values.get(name, default)
        return value if isinstance(value, bool) else default

    def set(self, name: str, value: Value) -> None:
        """Keep a value."""
        if self._values.get(name) == value and name in self._values:
            return
        self._values[name] = value
        lines = [f"{key} = {_toml(item)}\n" for key, item in sorted(self._values.items())]
        temporary = self.path.with_name(f".{self.path.name}.{os.getpid()}.tmp")
        try:
            temporary.write_text("".join(lines), encoding="utf-8")
            os.replace(temporary, self.path)
        except OSError as error:
            self._warn(f"{self.path}: settings cannot be kept: {error.strerror or error}")


def _toml(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        escaped = "".join(
            f"\\u{ord(letter):04x}" if ord(letter) < 32 or letter in '"\\' or ord(letter) == 127
            else letter
            for letter in value
        )  # fmt: skip
        return f'"{escaped}"'
    return repr(value)


__all__ = ["FILE_NAME", "UserSettings"]
