"""Scripts that stood elsewhere before: `scripts/moved.toml` says where they stand now.

Scenes and imports of users that name the old module go on working.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path

from base.errors import ScriptLoadError

FILE = "scripts/moved.toml"
TABLE = "modules"


def read_moved(root: Path) -> Mapping[str, str]:
    """Return the present name of each module that was moved, by its former name.

    Args:
        root: the folder that holds `scripts/`; empty where it has no such file.

    Raises:
        ScriptLoadError: the file is no TOML, or holds something else than names.
    """
    path = root / FILE
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        raise ScriptLoadError(f"{FILE}: expected a TOML file, found {error}") from error
    table = tables.get(TABLE, {})
    if not isinstance(table, dict) or not all(isinstance(new, str) for new in table.values()):
        raise ScriptLoadError(f"{FILE}:{TABLE}: expected module names by module names")
    return table
