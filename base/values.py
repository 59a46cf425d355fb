"""Type names for values that come from JSON and TOML files."""

from __future__ import annotations

from typing import Any, TypeAlias

JsonObject: TypeAlias = dict[str, Any]
"""An object of a JSON or TOML file; its values are checked where they are read."""
