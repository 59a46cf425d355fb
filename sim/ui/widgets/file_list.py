"""A list of the folders and files at a typed path, from which one is chosen."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Final

from imgui_bundle import imgui

from base.files import path_of
from base.language.wording import dated, tr
from base.values import printable
from sim.ui.theme.theme import Theme, begin_flat_table, cut, icons, is_opened

MOST: Final = 1000
"""Maximum number of listed entries; the typed path says which ones."""
ROOM_FOR_TIME: Final = 360.0  # unscaled pixels: a list less wide shows names only
TIME_WIDTH: Final = 118.0  # unscaled pixels
ROWS: Final = int(
    imgui.TableFlags_.row_bg | imgui.TableFlags_.scroll_y | imgui.TableFlags_.borders_outer
)
ROW: Final = int(
    imgui.SelectableFlags_.span_all_columns | imgui.SelectableFlags_.allow_double_click
)


@dataclass(frozen=True)
class Listing:
    """The entries of a folder that fit a typed path.

    Attributes:
        folder: the folder.
        selected: name of the file that the path names; empty if it names none.
        folders: names of folders, sorted.
        files: names of files, sorted.
        times: when each file was changed, seconds since 1970, by name; unknown ones are missing.
        fault: why the folder cannot be listed; empty if it can.
        is_cut: whether there are more entries.
    """

    folder: Path
    selected: str = ""
    folders: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    times: Mapping[str, float] = field(default_factory=dict)
    fault: str = ""
    is_cut: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all entries in the order of the list."""
        return (*self.folders, *self.files)


def listing_of(
    typed: str,
    home: Path,
    suffixes: tuple[str, ...] = (),
    *,
    shows_hidden: bool = False,
    is_begin: bool = True,
) -> Listing:
    """Return the entries that fit a typed path.

    If the path is a folder or a file, its whole folder is listed. Else its last part is the
    beginning of the names that are listed. Hidden entries are also listed after a typed dot.

    Args:
        typed: the path as typed; empty for `home`.
        home: folder that is listed if nothing is typed, and that relative paths begin in.
        suffixes: suffixes of the files that are listed, in lower case; empty for all files.
        shows_hidden: whether entries are listed whose names begin with a dot.
        is_begin: whether the path's last part chooses what is listed. Else all entries of its
            folder are, as for the name of a new file.
    """
    path = home / path_of(typed) if typed.strip() else home
    begin, selected, folder = "", "", path
    with contextlib.suppress(OSError, ValueError):
        if path.is_file():
            folder, selected = path.parent, path.name
        elif not path.is_dir():
            folder, begin = path.parent, path.name
    begin = begin if is_begin else ""
    folders: list[str] = []
    files: list[str] = []
    times: dict[str, float] = {}
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                name = entry.name
                is_shown = shows_hidden or begin.startswith(".") or name == selected
                if (name.startswith(".") and not is_shown) or not _begins(name, begin):
                    continue
                if _is_folder(entry):
                    folders.append(name)
                elif not suffixes or name.lower().endswith(suffixes):
                    files.append(name)
                    with contextlib.suppress(OSError):
                        times[name] = entry.stat().st_mtime
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        return Listing(folder, fault=f"{folder}: {reason}")
    folders.sort(key=str.lower)
    files.sort(key=str.lower)
    shown = files[: max(0, MOST - len(folders))]
    is_cut = len(folders) + len(files) > MOST
    return Listing(folder, selected, tuple(folders[:MOST]), tuple(shown), times, "", is_cut)


def _begins(name: str, begin: str) -> bool:
    return name.lower().startswith(begin.lower())


def _is_folder(entry: os.DirEntry[str]) -> bool:
    with contextlib.suppress(OSError):
        return entry.is_dir()
    return False


def is_folder(path: Path) -> bool:
    """Return whether a path is a folder; one that cannot be looked at is none."""
    with contextlib.suppress(OSError, ValueError):
        return path.is_dir()
    return False


@dataclass(frozen=True)
class Clicked:
    """What a person has clicked in a list of files.

    Attributes:
        name: name of the entry.
        is_folder: whether it is a folder.
        is_chosen: whether it was a double click on a file, which chooses it.
    """

    name: str
    is_folder: bool
    is_chosen: bool = False


class FileList:
    """Draws the entries at a typed path.

    Attributes:
        folder: folder in which relative paths begin, and that is listed while nothing is typed.
        shows_hidden: whether entries are listed whose names begin with a dot.
        found: the entries that are listed.
        place: index of the entry that the arrow keys have reached; -1 for none.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.shows_hidden = False
        self.found = Listing(folder)
        self.place = -1
        self._asked: tuple[object, ...] = ()
        self._is_new_place = False

    def renew(self) -> None:
        """Read the folder again at the next drawing."""
        self._asked = ()

    def read(self, typed: str, suffixes: tuple[str, ...], *, is_begin: bool) -> Listing:
        """Return the entries that fit a typed path; the disk is read only if they may differ.

        Args:
            typed: the path as typed.
            suffixes: suffixes of the files that are listed; empty for all files.
            is_begin: see `listing_of`.
        """
        asked = (typed, self.folder, suffixes, self.shows_hidden, is_begin)
        if self._asked != asked:
            self._asked, self.place = asked, -1
            self.found = listing_of(
                typed, self.folder, suffixes, shows_hidden=self.shows_hidden, is_begin=is_begin
            )
        return self.found

    def hold(self, typed: str, suffixes: tuple[str, ...], *, is_begin: bool) -> None:
        """Keep the listed entries for another typed path, such as the name of one of them.

        Args:
            typed: the path as it is now.
            suffixes: suffixes of the files that are listed.
            is_begin: see `listing_of`.
        """
        self._asked = (typed, self.folder, suffixes, self.shows_hidden, is_begin)

    def step(self, steps: int) -> str:
        """Move by some entries, as the arrow keys do; return the name of the reached entry.

        Args:
            steps: number of entries; negative for up.
        """
        names = self.found.names
        if not names:
            return ""
        at = self.place + steps if self.place >= 0 or steps > 0 else len(names) - 1
        self.place = min(max(at, 0), len(names) - 1)
        self._is_new_place = True
        return names[self.place]

    @property
    def reached_folder(self) -> str:
        """Name of the folder that the arrow keys have reached; empty if they have reached none."""
        folders = self.found.folders
        return folders[self.place] if 0 <= self.place < len(folders) else ""

    def draw(self, theme: Theme, height: float, empty: str = "") -> Clicked | None:
        """Draw the list; return what was clicked, None without a click.

        Args:
            theme: colours and sizes.
            height: height of the list, pixels.
            empty: text of an empty list; "" for the usual one.
        """
        found, clicked = self.found, None
        has_times = imgui.get_content_region_avail().x > theme.px(ROOM_FOR_TIME)
        if not begin_flat_table("files", 1 + has_times, ROWS, height):
            return None
        imgui.table_setup_column(tr("Name"), int(imgui.TableColumnFlags_.width_stretch))
        if has_times:
            fixed = int(imgui.TableColumnFlags_.width_fixed)
            imgui.table_setup_column(tr("Changed"), fixed, theme.px(TIME_WIDTH))
        count = len(found.folders)
        clipper = imgui.ListClipper()
        clipper.begin(len(found.names))
        if self.place >= 0:
            clipper.include_item_by_index(self.place)
        while clipper.step():
            for index in range(clipper.display_start, clipper.display_end):
                name, is_dir = found.names[index], index < count
                if self._draw_row(theme, index, name, is_dir=is_dir, has_times=has_times):
                    is_twice = is_opened()
                    # the first click of the two may have opened a folder
                    is_same = not is_dir and name == found.selected
                    clicked = Clicked(name, is_dir, is_twice and is_same)
        clipper.end()
        if note := _note_of(found, empty):
            imgui.table_next_row()
            imgui.table_next_column()
            theme.wrapped(printable(note), "red" if found.fault else "muted")
        imgui.end_table()
        return clicked

    def _draw_row(
        self, theme: Theme, index: int, name: str, *, is_dir: bool, has_times: bool
    ) -> bool:
        """Draw one entry; return whether it was clicked.

        Args:
            theme: colours and sizes.
            index: index of the entry.
            name: its name.
            is_dir: whether it is a folder.
            has_times: whether there is a column for the time of its last change.
        """
        imgui.table_next_row()
        imgui.table_next_column()
        icon = icons.ICON_FA_FOLDER if is_dir else icons.ICON_FA_FILE
        is_there = index == self.place or (not is_dir and name == self.found.selected)
        shown = cut(f"{icon}  {shown_name(name)}", imgui.get_content_region_avail().x)
        label = shown.replace("##", "#")  # ImGui shows nothing after two of them
        is_clicked = bool(imgui.selectable((f"{label}###{index}"), is_there, ROW)[0])
        if label != f"{icon}  {name}" and imgui.is_item_hovered():
            imgui.set_tooltip(shown_name(name))
        if index == self.place and self._is_new_place:
            imgui.set_scroll_here_y(0.5)
            self._is_new_place = False
        if has_times:
            imgui.table_next_column()
            if not is_dir and name in self.found.times:
                imgui.text_colored(theme.vector("muted"), _time_text(self.found.times[name]))
        return is_clicked


def shown_name(name: str) -> str:
    r"""Return a file's name as it can be shown: what is no printable character is replaced.

    >>> shown_name("two\nlines.sgf")
    'two?lines.sgf'
    """
    if name.isprintable():
        return name  # a `Wording` stays one
    return "".join(letter if letter.isprintable() else "?" for letter in printable(name))


def _time_text(seconds: float) -> str:
    """Return a file's time as local date and time; empty for one that no calendar has."""
    with contextlib.suppress(OverflowError, OSError, ValueError):
        return dated(datetime.fromtimestamp(seconds))
    return ""


def _note_of(found: Listing, empty: str) -> str:
    if found.fault:
        return found.fault
    if found.is_cut:
        return tr("There are more: type the beginning of the name")
    if found.names:
        return ""
    return empty or tr("No folder here, and no file of this kind")
