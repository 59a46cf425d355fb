"""List of runs that can be replayed, in the data folder, the latest first."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

MOST = 8
DATABASE = "runs.sqlite3"


@dataclass(frozen=True)
class RunCard:
    """A run in the list: its folder, and the name of its scene."""

    folder: Path
    name: str
    played: str

    @property
    def label(self) -> str:
        """Text in the list."""
        return f"{self.name}  ·  {self.played}"


def recent_runs(data_dir: Path, project: Path) -> list[RunCard]:
    """Return the latest runs in a data folder.

    Args:
        data_dir: the data folder, with a folder for each scene.
        project: the project, for the scenes' names.
    """
    found = []
    for database in data_dir.glob(f"scn_*/{DATABASE}"):
        try:
            found.append((database.stat().st_mtime, database.parent))
        except OSError:
            continue
    names = dict(_scene_names(project))
    return [
        RunCard(folder, names.get(folder.name, folder.name), f"{_moment(seconds)}")
        for seconds, folder in sorted(found, reverse=True)[:MOST]
    ]


def _moment(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds).astimezone():%Y-%m-%d %H:%M}"


def _scene_names(project: Path) -> Iterator[tuple[str, str]]:
    for path in project.glob("scenes/*.scene.json"):
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
            yield str(data["id"]), str(data.get("name", path.name.partition(".")[0]))
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            continue


__all__ = ["RunCard", "recent_runs"]
