"""The dialog in which a person chooses a file to open, or where to save."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final, Protocol

from imgui_bundle import imgui

from base.files import path_of
from base.language.wording import tr
from sim.core.project.recent_scenes import SceneCard
from sim.core.script.file_question import FileQuestion
from sim.core.script.panels import FileOpener, PanelRegistry
from sim.ui.panels.dialogs import draw_modal
from sim.ui.theme.theme import Theme, cut, icons
from sim.ui.widgets.cards import CardPictures
from sim.ui.widgets.file_list import Clicked, FileList, is_folder, shown_name

HAS_DROPS: Final = sys.platform.startswith("linux")  # see sim.render.window.file_drop
HINT: Final = tr("name or path, or drop a file here") if HAS_DROPS else tr("name or path")
WIDTH: Final = 620.0  # unscaled pixels, as all lengths here
LIST_HEIGHTS: Final = (64.0, 260.0)
OTHER_HEIGHT: Final = 214.0  # of the window: all but the list
RECENT: Final = ((152.0, 132.0, 74.0), (102.0, 84.0, 48.0))
"""Height of what was opened last, and the size of a picture there: usual, and in a low window."""
SUFFIX_WIDTH: Final = 148.0
PLACES_WIDTH: Final = 150.0
MOST_LISTED_SUFFIXES: Final = 3
ALL_FILES: Final = tr("all files")
BY_MOUSE: Final = int(imgui.HoveredFlags_.no_nav_override)
ENTERED: Final = int(
    imgui.InputTextFlags_.enter_returns_true | imgui.InputTextFlags_.callback_history
)


class FolderMemory(Protocol):
    """Remembers in which folders files were chosen."""

    def folder_of(self, suffixes: tuple[str, ...]) -> Path:
        """Return the folder in which the dialog begins for files with these suffixes."""

    def recent_folders(self) -> list[Path]:
        """Return the folders in which files were chosen, the latest first."""

    def keep_folder(self, folder: Path, suffix: str) -> None:
        """Remember the folder in which a file with this suffix was chosen; "" for any suffix."""


class FileDialog:
    """Shows the folders of the disk while a script or a panel asks for a file.

    Args:
        panels: registry of the scripts' panels; it knows who asks.
        open_path: opens the file at a path; returns an error message, "" on success.
        memory: remembers the folders.
        pictures: draws the pictures of recent scenes; None to show none.

    Attributes:
        typed: text of the field: a name, or a path.
        message: error message about it; empty if there is none.
        replaced: path of what is there and would be replaced, while the dialog asks about it.
        new_folder: name of a folder that is about to be made; None while there is none.
    """

    def __init__(
        self,
        panels: PanelRegistry,
        open_path: Callable[[str], str],
        memory: FolderMemory,
        pictures: CardPictures | None = None,
    ) -> None:
        self.typed = ""
        self.message = ""
        self.replaced: Path | None = None
        self.new_folder: str | None = None
        self._panels = panels
        self._open_path = open_path
        self.memory = memory
        self._pictures = pictures
        self._files = FileList(Path.home())
        self._suffix = ""  # of the files that are listed; empty for all that fit, or all
        self._shows_all = False
        self._shown: FileOpener | FileQuestion | None = None
        self._wants_focus = False
        self._names: dict[str, str] = {}  # by how they are shown: names that are no valid text

    # -- what is asked ------------------------------------------------------------------------

    @property
    def folder(self) -> Path:
        """The folder whose entries are listed."""
        return self._files.found.folder

    @property
    def is_save(self) -> bool:
        """Whether a place to save is asked for."""
        return isinstance(self._shown, FileQuestion) and self._shown.is_save

    @property
    def _is_for_folder(self) -> bool:
        return isinstance(self._shown, FileQuestion) and self._shown.is_folder

    @property
    def _suffixes(self) -> tuple[str, ...]:
        return self._shown.suffixes if self._shown is not None else ()

    @property
    def _listed(self) -> tuple[str, ...]:
        """Suffixes of the files that are listed; empty for all."""
        if self._is_for_folder:
            return ("/",)  # no file's name ends so
        if self._shows_all:
            return ()
        return (self._suffix,) if self._suffix else self._suffixes

    @property
    def _empty(self) -> str:
        """Text of an empty list: what one can do there."""
        if not self._is_for_folder:
            return ""
        if not self.is_save:
            return tr("No folders here. Choose this one with the button below, or go to another")
        return tr("No folders here. Type a name below: the new folder is made here")

    def cancel(self) -> bool:
        """Close what is uppermost: a question in the dialog, or the dialog.

        Returns:
            Whether something was open.
        """
        if self._panels.asked_file is None:
            return False
        if self.replaced is not None or self.new_folder is not None:
            self.replaced = self.new_folder = None
            self._wants_focus = True
        else:
            self._panels.ask_file(None)
        return True

    def _begin(self, asked: FileOpener | FileQuestion) -> None:
        """Begin with the folder in which such a file was chosen last.

        Args:
            asked: what the file is for.
        """
        self.message, self._wants_focus, self._shows_all = "", True, False
        self.replaced = self.new_folder = None
        self._suffix = ""
        begin = asked.folder if isinstance(asked, FileQuestion) else None
        is_there = begin is not None and is_folder(begin)
        self._files.folder = (
            begin if begin is not None and is_there else self.memory.folder_of(asked.suffixes)
        )
        self._files.renew()
        self.typed = ""
        if isinstance(asked, FileQuestion) and asked.is_save:
            self.typed = asked.name
            fitting = [suffix for suffix in asked.suffixes if asked.takes(asked.name)]
            ends = [suffix for suffix in fitting if asked.name.lower().endswith(suffix)]
            self._suffix = next(iter(ends), asked.suffixes[0] if asked.suffixes else "")

    # -- answers ------------------------------------------------------------------------------

    def go_to(self, folder: Path) -> None:
        """List a folder; a typed name stays for what is saved there."""
        self._files.folder = folder
        self._files.renew()
        self.message = ""
        self.typed = os.path.basename(self.typed) if self.is_save else ""
        self._wants_focus = True

    def path(self) -> Path:
        """Return the path that the typed text means, with the chosen suffix for what is saved.

        For what is opened, a name without its suffix will do, or the beginning of the only name
        that is listed.
        """
        text = self._names.get(self.typed, self.typed)
        is_listed = text in self._files.found.names  # a listed name may have quotes or a tilde
        path = self._files.folder / (Path(text) if is_listed else path_of(text))
        suffixes = self._suffixes
        if not self.is_save:
            return path if is_listed or _is_there(path) else self._completed(path)
        if self._is_for_folder or not suffixes or is_folder(path):
            return path
        if path.name.lower().endswith(suffixes):
            return path
        return path.with_name(f"{path.name}{self._suffix or suffixes[0]}")

    def _completed(self, path: Path) -> Path:
        """Return the path that a beginning means; the same path if that is not clear."""
        names = self._files.found.names
        with_suffix = [
            name for name in map(f"{path.name}{{}}".format, self._suffixes) if name in names
        ]
        found = with_suffix or names
        is_clear = path.parent == self.folder and (with_suffix or len(names) == 1)
        return self.folder / found[0] if is_clear else path

    def accept(self) -> None:
        """Take the typed path; the dialog stays open if it cannot be taken, and says why."""
        self._wants_focus = True
        is_listed_meant = self._is_for_folder and not self.is_save
        if not self.typed.strip() and not is_listed_meant:
            return
        path = self.path() if self.typed.strip() else self.folder
        if is_folder(path) and not self._is_for_folder:
            self.go_to(path)
            self.typed = getattr(self._shown, "name", "") if self.is_save else ""
        elif self.is_save:
            self._save(path)
        else:
            self._finish(path, self._open_path(str(path)))

    def _save(self, path: Path) -> None:
        self.message = unsavable(path, is_for_folder=self._is_for_folder)
        is_new = isinstance(self._shown, FileQuestion) and self._shown.is_new
        if not self.message and _is_there(path) and is_new:
            self.message = tr("{path}: expected a new name, found one that is taken").format(
                path=path
            )
        elif not self.message and _is_there(path):
            self.replaced = path
        elif not self.message:
            self._give(path)

    def replace(self) -> None:
        """Save in the place of what is there."""
        path, self.replaced = self.replaced, None
        if path is not None:
            self._give(path)

    def _give(self, path: Path) -> None:
        if isinstance(self._shown, FileQuestion):
            asked = self._shown
            self._finish(path, asked.take(path))

    def _finish(self, path: Path, fault: str) -> None:
        """Close the dialog and remember the folder, unless the path was refused.

        Args:
            path: the chosen path.
            fault: why it was refused; empty if it was taken.
        """
        self.message = fault
        if fault:
            self._files.renew()
            return
        suffix = path.suffix.lower()
        ends = (item for item in self._suffixes if path.name.lower().endswith(item))
        self.memory.keep_folder(path.parent, next(ends, suffix if self._suffixes else ""))
        if self._panels.asked_file is self._shown:
            self._panels.ask_file(None)

    def make_folder(self) -> None:
        """Make a new folder in the one that is listed, and list it."""
        name, where = (self.new_folder or "").strip(), self.folder
        if not name:
            return
        self._wants_focus = True
        if Path(name).name != name:
            self.message = tr("expected a name without {sep}, found {name}").format(
                sep=os.sep, name=name
            )
            return
        try:
            (where / name).mkdir()
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            self.message = tr("{where}: no folder was made: {reason}").format(
                where=where / name, reason=reason
            )
            return
        self.new_folder = None
        self.go_to(where / name)

    # -- drawing ------------------------------------------------------------------------------

    def draw_window(self, theme: Theme, size: tuple[int, int]) -> None:
        """Draw the dialog, if a file is asked for, in the middle of a window.

        Args:
            theme: colours and sizes.
            size: width and height of the window, pixels.
        """
        asked = self._panels.asked_file
        if asked is None and self._shown is None:
            return
        title = (shown_name(asked.label) if asked is not None else "") + "###file"
        if asked is not None and asked is not self._shown:
            self._shown = asked
            self._begin(asked)
            imgui.open_popup(title)
        self._shown = asked
        least, most = map(theme.px, LIST_HEIGHTS)
        room = size[1] - theme.px(OTHER_HEIGHT)
        fitting = [form for form in RECENT if room - theme.px(form[0]) >= least]
        form = fitting[0] if fitting and self._recent else (0.0, 0.0, 0.0)
        height = min(max(room - theme.px(form[0]), least), most)

        def draw(theme: Theme) -> None:
            if form[0]:
                self._draw_recent(theme, *form[1:])
            self._draw(theme, height)

        draw_modal(theme, size, title, WIDTH, self._is_asked, draw)

    @property
    def _recent(self) -> tuple[SceneCard, ...]:
        is_shown = self._pictures is not None and isinstance(self._shown, FileQuestion)
        return self._shown.recent if is_shown and isinstance(self._shown, FileQuestion) else ()

    def _draw_recent(self, theme: Theme, width: float, height: float) -> None:
        """Draw what was opened last, with pictures; a click opens it.

        Args:
            theme: colours and sizes.
            width: width of a picture, unscaled pixels.
            height: height of a picture, unscaled pixels.
        """
        if self._pictures is None:
            return
        if height == RECENT[0][2]:
            imgui.text_colored(theme.vector("muted"), tr("Opened last"))
        size = theme.px(width), theme.px(height)
        chosen = self._pictures.draw_row(theme, self._recent, *size)
        imgui.dummy(imgui.ImVec2(0, theme.px(2)))
        if chosen is not None:
            self.typed = shown_name(str(chosen.path))
            self._finish(chosen.path, self._open_path(str(chosen.path)))

    def _is_asked(self) -> bool:
        return self._panels.asked_file is not None

    def _draw(self, theme: Theme, height: float) -> None:
        found = self._files.read(self.typed, self._listed, is_begin=not self.is_save)
        self._names = {shown_name(name): name for name in found.names if not name.isprintable()}
        is_asking = self.replaced is not None
        imgui.begin_disabled(is_asking)
        self._draw_places(theme)
        clicked = self._files.draw(theme, height, self._empty)
        is_entered = self._draw_name(theme)
        imgui.end_disabled()
        if clicked is not None:
            self._click(clicked)
        if self.message:
            theme.wrapped(self.message, "red")
        imgui.dummy(imgui.ImVec2(0, theme.px(2)))
        if is_asking:
            self._draw_question(theme)
        elif self.new_folder is not None:
            self._draw_new_folder(theme)
        else:
            self._draw_answers(is_entered or (clicked is not None and clicked.is_chosen))

    def _click(self, clicked: Clicked) -> None:
        self.message = ""
        if clicked.is_folder:
            self.go_to(self.folder / clicked.name)
        else:
            self._show_name(clicked.name)
            self._wants_focus = True

    def _show_name(self, name: str) -> None:
        """Write the name of a listed file into the field; the list stays as it is."""
        self._files.folder = self.folder
        self.typed = shown_name(name)
        place = self._files.place
        self._names[self.typed] = name
        if not self.is_save:
            self._files.renew()
            self._files.read(name, self._listed, is_begin=True)
        self._files.hold(self.typed, self._listed, is_begin=not self.is_save)
        self._files.place = place

    def _draw_places(self, theme: Theme) -> None:
        """Draw the row above the list: where the list is, and ways to other folders."""
        if imgui.button(f"{icons.ICON_FA_ARROW_UP}##up"):
            self.go_to(self.folder.parent)
        _tip(tr("The folder above"))
        imgui.same_line()
        if imgui.button(f"{icons.ICON_FA_HOUSE}##home"):
            self.go_to(Path.home())
        _tip(tr("Your home folder"))
        imgui.same_line()
        imgui.set_next_item_width(theme.px(PLACES_WIDTH))
        if imgui.begin_combo("##recent", tr("Recent folders")):
            for index, folder in enumerate(self.memory.recent_folders()):
                imgui.push_id(index)
                if imgui.selectable(_end_of(shown_name(str(folder)), theme.px(400)), False)[0]:
                    self.go_to(folder)
                imgui.pop_id()
            imgui.end_combo()
        if self.is_save:
            imgui.same_line()
            if imgui.button(f"{icons.ICON_FA_FOLDER_PLUS}##new"):
                self.new_folder, self._wants_focus = "", True
            _tip(tr("New folder here"))
        imgui.same_line()
        is_new, shows = imgui.checkbox(tr("Hidden"), self._files.shows_hidden)
        _tip(tr("List files and folders whose names begin with a dot"))
        if is_new:
            self._files.shows_hidden = shows
        imgui.push_style_color(imgui.Col_.text, theme.vector("muted"))
        where = shown_name(str(self.folder))
        imgui.text_unformatted(_end_of(where, imgui.get_content_region_avail().x))
        _tip(where)
        imgui.pop_style_color()

    def _draw_name(self, theme: Theme) -> bool:
        """Draw the field for the name, and the choice of suffixes; return whether Enter chose."""
        if self._wants_focus and self.new_folder is None and self.replaced is None:
            imgui.set_keyboard_focus_here()
            self._wants_focus = False
        has_suffixes = bool(self._suffixes) and not self._is_for_folder
        imgui.set_next_item_width(-theme.px(SUFFIX_WIDTH + 8) if has_suffixes else -1.0)
        hint = tr("name") if self.is_save else HINT
        if self._is_for_folder and not self.is_save:
            hint = tr("name or path; empty: the folder that is listed")
        before = self.typed
        is_entered, text = imgui.input_text_with_hint(
            "##path", hint, self.typed, ENTERED, self._on_arrow
        )
        if text != before and self.typed == before:
            self.typed, self.message = text, ""
        if has_suffixes:
            imgui.same_line()
            imgui.set_next_item_width(theme.px(SUFFIX_WIDTH))
            self._draw_suffixes()
        if is_entered and self._files.reached_folder:
            self.go_to(self.folder / self._files.reached_folder)
            return False
        return bool(is_entered)

    def _on_arrow(self, state: imgui.InputTextCallbackData) -> int:
        """Move through the list by the arrow keys while the field has the keyboard."""
        name = self._files.step(-1 if state.event_key == imgui.Key.up_arrow else 1)
        if name and not self._files.reached_folder:
            self._show_name(name)
            state.delete_chars(0, state.buf_text_len)
            state.insert_chars(0, self.typed)
        return 0

    def _draw_suffixes(self) -> None:
        suffixes = list(self._suffixes)
        if self.is_save:
            names, at = suffixes, suffixes.index(self._suffix) if self._suffix in suffixes else 0
        else:
            listed = " ".join(suffixes[:MOST_LISTED_SUFFIXES])
            names = [listed if len(suffixes) <= MOST_LISTED_SUFFIXES else f"{listed} …", ALL_FILES]
            at = int(self._shows_all)
        is_new, at = imgui.combo("##suffix", at, names)
        _tip(tr("Format of the file") if self.is_save else tr("Which files are listed"))
        if not is_new:
            return
        if self.is_save:
            self._change_suffix(suffixes[at])
        else:
            self._shows_all = bool(at)

    def _change_suffix(self, suffix: str) -> None:
        """Choose the suffix of what is saved; the typed name gets it, too."""
        ends = (item for item in self._suffixes if self.typed.lower().endswith(item))
        end = next(ends, "")
        if self.typed.strip():
            self.typed = f"{self.typed[: len(self.typed) - len(end)]}{suffix}"
        self._suffix = suffix

    def _draw_answers(self, is_chosen: bool) -> None:
        icon, word = icons.ICON_FA_FOLDER_OPEN, tr("Open")
        if self.is_save:
            icon, word = icons.ICON_FA_FLOPPY_DISK, tr("Save")
        elif isinstance(self._shown, FileQuestion):
            icon, word = icons.ICON_FA_CHECK, tr("Choose")
        if isinstance(self._shown, FileQuestion) and self._shown.verb:
            word = self._shown.verb
        if imgui.button(icon + "  " + word) or is_chosen:
            self.accept()
        imgui.same_line()
        if imgui.button(tr("Cancel")):
            self.cancel()

    def _draw_question(self, theme: Theme) -> None:
        """Ask whether what is there is to be replaced."""
        path = self.replaced
        if path is None:
            return
        name = cut(shown_name(path.name), imgui.get_content_region_avail().x * 0.5)
        is_dir = is_folder(path)
        words = tr("Files of the same names in it are replaced.") if is_dir else tr("Replace it?")
        theme.wrapped(tr("{name} is there already. {word}").format(name=name, word=words), "amber")
        if self._wants_focus:
            imgui.set_keyboard_focus_here()
            self._wants_focus = False
        if imgui.button(tr("Keep it")):
            self.cancel()
        _tip(tr("Go back and choose another name (Escape)"))
        imgui.same_line()
        label = tr("Save there") if is_dir else tr("Replace")
        if imgui.button(icons.ICON_FA_FLOPPY_DISK + "  " + label):
            self.replace()

    def _draw_new_folder(self, theme: Theme) -> None:
        if self._wants_focus:
            imgui.set_keyboard_focus_here()
            self._wants_focus = False
        imgui.set_next_item_width(theme.px(220))
        entered = int(imgui.InputTextFlags_.enter_returns_true)
        is_entered, self.new_folder = imgui.input_text_with_hint(
            "##folder", tr("name of the new folder"), self.new_folder or "", entered
        )
        imgui.same_line()
        if imgui.button(tr("Make")) or is_entered:
            self.make_folder()
        imgui.same_line()
        if imgui.button(tr("Cancel")):
            self.cancel()


def unsavable(path: Path, *, is_for_folder: bool = False) -> str:
    """Return why nothing can be saved at a path; empty if nothing is known against it.

    Args:
        path: the path.
        is_for_folder: whether a folder is to be written instead of a file.
    """
    above = path.parent
    if not is_folder(above):
        return tr("{above}: expected a folder, found {kind}").format(
            above=above, kind=tr("a file") if _is_there(above) else tr("none", "a folder")
        )
    if not os.access(above, os.W_OK):
        return tr(
            "{above}: expected a folder in which you may write, found one where you may not"
        ).format(above=above)
    if is_for_folder and _is_there(path) and not is_folder(path):
        return tr("{path}: expected a folder, found a file").format(path=path)
    return ""


def _is_there(path: Path) -> bool:
    """Return whether a path is taken: an empty folder is not."""
    with contextlib.suppress(OSError, ValueError):
        if path.is_dir():
            return any(path.iterdir())
        return os.path.lexists(path)
    return False


def _end_of(text: str, room: float) -> str:
    """Shorten a path to a width; what is left out stands at its beginning.

    Args:
        text: the path.
        room: available width, pixels.
    """
    if imgui.calc_text_size(text).x <= room:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high) // 2
        if imgui.calc_text_size(f"…{text[middle:]}").x <= room:
            high = middle
        else:
            low = middle + 1
    return "…" + text[low:]


def _tip(text: str) -> None:
    if imgui.is_item_hovered(BY_MOUSE):
        imgui.set_tooltip(text)
