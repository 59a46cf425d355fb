"""In which folders a person has chosen files, kept in the user's settings."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from base.values import is_printable
from sim.core.project.settings import MOST_FOLDERS, SettingsFile

ANY_SUFFIX: Final = "any"
"""Kind of the files for which no suffix is asked."""


class ChosenFolders:
    """Remembers the last folder of each kind of file, and the recent folders.

    Args:
        settings: the settings file.
        warn: called with the text of an error of saving.
    """

    def __init__(self, settings: SettingsFile, warn: Callable[[str], object]) -> None:
        self._settings = settings
        self._warn = warn

    def folder_of(self, suffixes: Sequence[str]) -> Path:
        """Return the folder in which a file dialog begins: the last one for such files.

        Args:
            suffixes: suffixes of the files; empty for any.

        Returns:
            The folder, which is there. It is the home folder if none is known.
        """
        known = self._settings.values.folders
        places = [known[suffix] for suffix in suffixes or (ANY_SUFFIX,) if suffix in known]
        folders = map(Path, (*places, *self._settings.values.recent_folders))
        return next(filter(_is_folder, folders), Path.home())

    def last_of(self, kind: str) -> Path | None:
        """Return the folder that was kept for a kind; None if there is none, or it is gone.

        Args:
            kind: a suffix, or another name given to `keep_folder`.
        """
        kept = self._settings.values.folders.get(kind)
        return Path(kept) if kept is not None and _is_folder(Path(kept).parent) else None

    def recent_folders(self) -> list[Path]:
        """Return the folders in which files were chosen and that are still there, latest first."""
        return list(filter(_is_folder, map(Path, self._settings.values.recent_folders)))

    def keep_folder(self, folder: Path, suffix: str) -> None:
        """Save in which folder a file was chosen.

        Args:
            folder: the folder. One whose name is no valid text is not saved.
            suffix: suffix of the file; empty for none.
        """
        text, values = str(folder), self._settings.values
        if is_printable(text):
            recent = (text, *(item for item in values.recent_folders if item != text))
            fault = self._settings.change(
                folders={**values.folders, suffix or ANY_SUFFIX: text},
                recent_folders=recent[:MOST_FOLDERS],
            )
            if fault:
                self._warn(fault)


def _is_folder(path: Path) -> bool:
    with contextlib.suppress(OSError, ValueError):
        return path.is_dir()
    return False
