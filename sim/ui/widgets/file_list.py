"""A list of the folders and files at a typed path, from which a path is chosen by mouse."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from imgui_bundle import imgui

from base.files import path_of
from sim.ui.theme.theme import Theme, icons

HEIGHT: Final = 190.0  # unscaled pixels
MOST: Final = 1000
"""Maximum number of listed entries; the typed path says which ones."""


@dataclass(frozen=True)
class Listing:
    """The entries of a folder that fit a typed path.

    Attributes:
        folder: the folder.
        selected: name of the file that the path names; empty if it names none.
        folders: names of folders, sorted.
        files: names of files, sorted.
        fault: why the folder cannot be listed; empty if it can.
        is_cut: whether there are more entries.
    """

    folder: Path
    selected: str = ""
    folders: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    fault: str = ""
    is_cut: bool = False


def listing_of(typed: str, home: Path, suffixes: tuple[str, ...] = ()) -> Listing:
    """Return the entries that fit a typed path.

    If the path is a folder or a file, its whole folder is listed. Else its last part is the
    beginning of the names that are listed. Hidden entries are listed only after a typed dot.

    Args:
        typed: the path as typed; empty for `home`.
        home: folder that is listed if nothing is typed, and that relative paths begin in.
        suffixes: suffixes of the files that are listed, in lower case; empty for all files.
    """
    path = home / path_of(typed) if typed.strip() else home
    begin, selected, folder = "", "", path
    with contextlib.suppress(OSError, ValueError):
        if path.is_file():
            folder, selected = path.parent, path.name
        elif not path.is_dir():
            folder, begin = path.parent, path.name
    folders: list[str] = []
    files: list[str] = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if not _fits(entry.name, begin, selected):
                    continue
                if _is_folder(entry):
                    folders.append(entry.name)
                elif not suffixes or entry.name.lower().endswith(suffixes):
                    files.append(entry.name)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        return Listing(folder, fault=f"{folder}: {reason}")
    folders.sort(key=str.lower)
    files.sort(key=str.lower)
    shown = files[: max(0, MOST - len(folders))]
    is_cut = len(folders) + len(files) > MOST
    return Listing(folder, selected, tuple(folders[:MOST]), tuple(shown), "", is_cut)


def _fits(name: str, begin: str, selected: str) -> bool:
    is_hidden = name.startswith(".") and not begin.startswith(".") and name != selected
    return not is_hidden and name.lower().startswith(begin.lower())


def _is_folder(entry: os.DirEntry[str]) -> bool:
    with contextlib.suppress(OSError):
        return entry.is_dir()
    return False


class FileList:
    """Draws the entries at a typed path; clicks change the path.

    Attributes:
        home: folder that is listed while nothing is typed.
    """

    def __init__(self, home: Path) -> None:
        self.home = home
        self._asked: tuple[str, tuple[str, ...]] | None = None
        self._listing = Listing(home)

    def renew(self) -> None:
        """Read the folder again at the next drawing."""
        self._asked = None

    def draw(self, theme: Theme, typed: str, suffixes: tuple[str, ...]) -> tuple[str, bool]:
        """Draw the list.

        Args:
            theme: colours and sizes.
            typed: the path as typed.
            suffixes: suffixes of the files that are listed; empty for all files.

        Returns:
            The path, which a click has changed, and whether a double click has chosen it.
        """
        if self._asked != (typed, suffixes):
            self._asked, self._listing = (typed, suffixes), listing_of(typed, self.home, suffixes)
        found, is_chosen = self._listing, False
        if imgui.button(f"{icons.ICON_FA_ARROW_UP}##up"):
            typed = _as_folder(found.folder.parent)
        if imgui.is_item_hovered():
            imgui.set_tooltip("The folder above")
        imgui.same_line()
        imgui.align_text_to_frame_padding()
        imgui.text_colored(theme.vector("muted"), str(found.folder))
        imgui.begin_child("files", imgui.ImVec2(0, theme.px(HEIGHT)), imgui.ChildFlags_.borders)
        for name in found.folders:
            if imgui.selectable(f"{icons.ICON_FA_FOLDER}  {name}##{name}/", False)[0]:
                typed = _as_folder(found.folder / name)
        flags = int(imgui.SelectableFlags_.allow_double_click)
        for name in found.files:
            label = f"{icons.ICON_FA_FILE}  {name}##{name}"
            if imgui.selectable(label, name == found.selected, flags)[0]:
                typed = str(found.folder / name)
                is_twice = imgui.is_mouse_double_clicked(imgui.MouseButton_.left)
                is_chosen = is_twice and name == found.selected  # the first click may open a folder
        theme.wrapped(_note_of(found), "muted")
        imgui.end_child()
        return typed, is_chosen


def _as_folder(path: Path) -> str:
    """Return a folder's path with a separator at its end, ready for a name to be typed."""
    return os.path.join(path, "")


def _note_of(found: Listing) -> str:
    if found.fault:
        return found.fault
    if found.is_cut:
        return "There are more: type the beginning of the name"
    return "" if found.folders or found.files else "Nothing here fits"
