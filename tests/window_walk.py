"""A walk through all that a window can show: panels, tabs, menus, lists, dialogs, in each language.

A `Walk` opens one view after the other, draws it in each language without the scene, and collects
what a `SeenTexts` says of its texts.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any

import pytest
from imgui_bundle import imgui

from ai import list_players
from base.language.catalogs import ENGLISH, LANGUAGES, use
from sim.testing import Pilot
from sim.ui.theme.text_calls import labelled
from tests.seen_texts import Seen, SeenTexts

SETTLE = 3
"""Drawings until new windows have their size and stand where they belong."""
POPUPS = ("begin_popup", "begin_popup_context_item", "begin_popup_context_window")
OWN_LETTERS = frozenset({"ja", "ko", "zh"})
"""Languages in which a word in Latin letters is a name, or was left in English."""
LAYOUTS = ("watch", "studio")
QUESTIONS = (
    "file.new_scene", "file.open", "file.save_as", "file.new_project", "file.new_script",
    "file.make_prefab", "file.import_asset", "file.export_scene", "file.export_picture",
)  # fmt: skip
"""Actions that ask for a file."""


class Walk:
    """Opens views of a window, and looks at each in some languages.

    Args:
        pilot: drives the app.
        patch: takes the place of ImGui's functions as long as the walk lasts.
        languages: codes of the languages.

    Attributes:
        faults: what was wrong with texts, by view and language; each once.
        english: texts with English words, by where they are seen in another language.
        count: how many texts were looked at.
    """

    def __init__(
        self, pilot: Pilot, patch: pytest.MonkeyPatch, languages: Sequence[str] = tuple(LANGUAGES)
    ) -> None:
        self.pilot, self.languages = pilot, languages
        self.shell: Any = pilot.app.shell
        self.faults: dict[str, str] = {}
        self.english: dict[str, str] = {}
        self.count = 0
        self._forced: set[str] = set()
        self._met: dict[str, bool] = {}  # menus by name, and whether they are new
        self._opened: dict[str, int] = {}  # frame in which a list was opened last, by its name
        self.texts = SeenTexts(patch)
        for name in POPUPS:
            patch.setattr(imgui, name, self._opening(getattr(imgui, name)))
        patch.setattr(imgui, "begin_menu", self._opening(imgui.begin_menu))
        patch.setattr(imgui, "collapsing_header", _unfolding(imgui.collapsing_header))

    def look(self, view: str) -> None:
        """Draw the window in each language, and note what is wrong with its texts.

        Args:
            view: what is shown, for the reader of a fault.
        """
        for language in self.languages:
            use(language)
            self.shell.layer.lay_out(least=SETTLE)
            self.texts.forget()
            self.shell.layer.lay_out(least=1)
            self.count += len(self.texts.found)
            for seen in self.texts.faults:
                self.faults.setdefault(str(seen), f"{view} ({language})")
            if language in OWN_LETTERS:
                for seen in self.texts.found:
                    if is_english(seen):
                        self.english.setdefault(seen.text, f"{view}, {seen.window}, {seen.kind}")
        use(ENGLISH)

    # -- what there is to open ----------------------------------------------------------------

    def panels(self, layouts: Iterable[str] = LAYOUTS) -> None:
        """Bring every panel to the front, and open every menu and list that is met."""
        for layout in layouts:
            self.shell.preferences.arrange(layout)
            registry = self.pilot.app.host.panels
            panels = (*self.shell.panels, *registry.panels)
            docked = [item.title for item in panels if not item.dock.startswith("overlay")]
            for title in dict.fromkeys(docked):
                self.shell.panel_windows.open_front(title)
                self.look(f"{layout}, {title}")
                self.lists(f"{layout}, {title}")
            self.look(f"{layout}, all panels")

    def lists(self, view: str) -> None:
        """Open each menu of the present view that was not looked at before, and each menu in it."""
        for name in self._new():
            self._forced = {name}
            self.look(f"{view}, menu {name}")
            for inner in self._new():
                self._forced = {name, inner}
                self.look(f"{view}, menu {name}, {inner}")
        self._forced = set()
        self.shell.layer.lay_out(least=2)

    def _new(self) -> list[str]:
        """Return the menus that were met since, and never before."""
        found = [name for name, is_new in self._met.items() if is_new]
        self._met.update(dict.fromkeys(found, False))
        return found

    def commands(self, *, but: Iterable[str] = ()) -> None:
        """Run each command of the scene's scripts, and look at what comes of it."""
        left_out = set(but)
        registry = self.pilot.app.host.panels
        for entry in list(registry.commands):
            if entry.name in left_out or entry not in registry.commands:
                continue
            self.shell.playback.run_command(entry)
            self.pilot.step(3)
            self.look(f"command {entry.name}")
            self.pilot.press("escape")
            self.pilot.step(2)

    def questions(self, names: Iterable[str] = QUESTIONS) -> None:
        """Open each dialog that asks for a file."""
        panels = self.pilot.app.host.panels
        panels.can_ask = True
        for name in names:
            self.shell.do(name)
            self.look(f"dialog {name}")
            panels.ask_file(None)
            self.shell.layer.lay_out(least=2)

    # -- how lists are opened -----------------------------------------------------------------

    def _opening(self, begin: Callable[..., bool]) -> Callable[..., bool]:
        @functools.wraps(begin)
        def begun(name: str = "", *args: Any, **options: Any) -> bool:
            key, frame = str(name).partition("##")[0], imgui.get_frame_count()
            self._met.setdefault(key, True)
            if key in self._forced and self._opened.get(key) != frame:
                self._opened[key] = frame
                imgui.open_popup(labelled(name))
            return bool(begin(name, *args, **options))

        return begun


def _unfolding(draw: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(draw)
    def drawn(*args: Any, **options: Any) -> Any:
        imgui.set_next_item_open(True, int(imgui.Cond_.always))
        return draw(*args, **options)

    return drawn


NAMES = re.compile(
    r"(?<![A-Za-z])(Goishi|AlphaGomoku|Gomoku|Renju|Gomocup|Elo|Python|TensorFlow|TensorBoard|Keras|OpenGL|"
    r"OpenCV|PettingZoo|Minimax-Q|Alpha-Beta|PPO|CNN|ANN|UCT|GPU|CPU|SGF|PNG|JPEG|AI|3D|RigidBody|"
    r"mp4|webm|avi|mkv|gif|x|F\d+|Ctrl|Shift|Alt|Esc|Escape|Tab|Space|Enter|Home|End|Delete|WASD|"
    r"Backspace|Page up|Page down|Left|Right|Up|Down|Num|MB|GB|kB|ms|px|fps|debug|English|Deutsch|"
    r"Language|Sprache|[Ss]wap2?|[Ll]ong-?[Pp]ro|[Pp]ro|Caro)(?![A-Za-z])"
)
"""Names, units and keys, which are the same in every language."""
CODE = re.compile(r"[\w~]*(?:[./:_\\-][\w()=]+)+|\b\w+\([^)]*\)|\.\w+|>>> .*|Python: .*|`[^`]*`")
"""Paths, suffixes, names of players, and Python."""
COMPONENT = re.compile(r"  (sim|scripts|goishi)[:.]")
"""In a line of the menu of components: its class comes before its name."""
ROOMS_OF_NAMES = (
    "###Hierarchy",
    "###Inspector",
    "###Assets",
    "###Script",
    "###Console",
    "###file/",
    "###Menu_",
)
"""Windows whose texts are names of objects, fields, components, files, or lines of the console."""


@cache
def names_of_players() -> re.Pattern[str]:
    """Return the names of the players, of the project's panels and of jobs that take long."""
    names = [info.name for info in list_players()]
    return re.compile(
        r"(?<![A-Za-z])("
        + "|".join((*map(re.escape, names), "Engines", "pairings"))
        + r")(?![A-Za-z])"
    )


def is_english(seen: Seen) -> bool:
    """Whether a text in a language with letters of its own has words that nobody translated."""
    if not seen.is_marked and any(room in seen.window for room in ROOMS_OF_NAMES):
        return False
    if COMPONENT.search(seen.text):
        return False
    text = names_of_players().sub("", NAMES.sub("", CODE.sub("", seen.text)))
    return bool(re.search(r"[A-Za-z]{2}", text))
