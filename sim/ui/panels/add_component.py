"""The inspector's button that adds a component: by group, by search, or as a new script."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from imgui_bundle import imgui

from base.errors import GoishiError
from base.files import SHIPPED_ROOT
from base.language.wording import tr
from sim.core.components.components import MENU_GROUPS
from sim.core.host.script_loader import SHIPPED_PREFIX
from sim.core.project.manifest import Entry
from sim.core.reporting.python_text import called
from sim.core.scene.scene import SceneObject, class_words
from sim.ui.panels.edit_form import EditForm, tip_of_item
from sim.ui.theme.theme import Theme, icons

WIDTH: Final = 240.0  # unscaled pixels of the search field
POPUP, NAMING = "add", "new script"
OFFERED, SCRIPTS, COMMON = tr("This project"), tr("Scripts"), tr("Common scripts")


class AddComponent:
    """Draws the button, its menu, and the question for the name of a new script.

    Args:
        form: runs the edits and shows what was refused.
        project: the project's folder.
        offered: the components that the project lists in `goishi.toml`.
        say: prints the Python code that is equivalent to the user's action.

    Attributes:
        search: text by which the menu is searched.
        make_script: writes a new script of a name and opens it; returns its component's type. None
            if the project can have none.
    """

    def __init__(
        self,
        form: EditForm,
        project: Path,
        offered: tuple[Entry, ...],
        say: Callable[[str], object],
    ) -> None:
        self.form, self._say = form, say
        self.search = self.message = ""
        self.make_script: Callable[[str], str] | None = None
        self._project, self._offered = project, offered
        self._name = ""
        self._asks = self._wants_focus = False

    def draw(self, theme: Theme, obj: SceneObject) -> None:
        """Draw the button and its open menu for an object."""
        imgui.dummy(imgui.ImVec2(1, theme.px(4)))
        if imgui.button((icons.ICON_FA_PLUS + " " + tr("Add a component")), imgui.ImVec2(-1, 0)):
            self.search = ""
            imgui.open_popup(POPUP)
        self.form.say(theme, "add")
        if imgui.begin_popup(POPUP):
            imgui.set_next_item_width(theme.px(WIDTH))
            if imgui.is_window_appearing():
                imgui.set_keyboard_focus_here()
            flags = int(imgui.InputTextFlags_.enter_returns_true)
            is_entered, self.search = imgui.input_text_with_hint(
                "##search", tr("search"), self.search, flags
            )
            self._draw_types(obj)
            if is_entered:
                self._add_first(obj)
            imgui.separator()
            if self.make_script is not None:
                is_nothing = bool(self.search.strip()) and not self.found()
                is_chosen = imgui.menu_item(tr("New script…"), "", False)[0]
                if is_chosen or (is_entered and is_nothing):
                    self._asks = True
                    imgui.close_current_popup()
            imgui.end_popup()
        self._draw_naming(theme, obj)

    def _draw_types(self, obj: SceneObject) -> None:
        if self.search.strip():
            found = self.found()
            for name in found:
                self._draw_type(obj, name)
            if not found:
                imgui.text_disabled(tr("No match."))
            return
        for group, names in self.groups().items():
            if imgui.begin_menu(group):
                for name in names:
                    self._draw_type(obj, name)
                imgui.end_menu()

    def _draw_type(self, obj: SceneObject, name: str) -> None:
        if imgui.menu_item(f"{self._title(name)}##{name}", name, False)[0]:
            self.form.attempt("add", self.form.editor.add_component, obj, name)
        entry = self._entries.get(name)
        tip_of_item(entry.help if entry is not None else "")

    def _add_first(self, obj: SceneObject) -> None:
        """Add the first component that the search has found, if it has found any."""
        found = self.found() if self.search.strip() else []
        if found:
            self.form.attempt("add", self.form.editor.add_component, obj, found[0])
            imgui.close_current_popup()

    def _draw_naming(self, theme: Theme, obj: SceneObject) -> None:
        """Ask for the name of a new script; Enter writes it and adds its component.

        What was searched for and not found stands there already. After a name that is refused, the
        keyboard is in the field again.
        """
        if self._asks:
            name = "" if self.found() else self.search.strip()
            self._asks, self._name, self.message = False, name, ""
            self._wants_focus = True
            imgui.open_popup(NAMING)
        if not imgui.begin_popup(NAMING):
            return
        imgui.text(tr("Name of the new script"))
        if self._wants_focus:
            imgui.set_keyboard_focus_here()
            self._wants_focus = False
        imgui.set_next_item_width(theme.px(WIDTH))
        flags = int(imgui.InputTextFlags_.enter_returns_true)
        is_entered, self._name = imgui.input_text_with_hint(
            "##name", "falling_leaf", self._name, flags
        )
        imgui.same_line()
        if imgui.button(tr("Create")) or is_entered:
            self.create_script(obj, self._name.strip())
        if self.message:
            theme.wrapped(self.message, "red")
        imgui.end_popup()

    def create_script(self, obj: SceneObject, name: str) -> None:
        """Write a new script and add its component to an object; an error stays in `message`."""
        self.message = ""
        if self.make_script is None:
            return
        try:
            type_name = self.make_script(name)
            self._say(called("app.files.write_script", name))
            self.form.editor.add_component(obj, type_name)
        except (GoishiError, OSError, ValueError) as error:
            self.message = str(error)
            self._wants_focus = True
        else:
            self._name = ""
            imgui.close_current_popup()

    # -- what there is ------------------------------------------------------------------------

    @property
    def _entries(self) -> Mapping[str, Entry]:
        return {entry.target: entry for entry in self._offered}

    def _title(self, name: str) -> str:
        entry = self._entries.get(name)
        return entry.name if entry is not None else class_words(name)

    def found(self) -> list[str]:
        """Return the component types that fit `search`.

        The type whose title is the same comes first, then those whose titles begin so.
        """
        wanted = self.search.strip().lower()
        fitting = [
            name
            for group, names in self.groups().items()
            for name in names
            if wanted in f"{self._title(name)}  {name} {group}".lower()
        ]

        def distance(name: str) -> tuple[bool, bool]:
            title = self._title(name).lower()
            return title != wanted, not title.startswith(wanted)

        return sorted(fitting, key=distance)

    def groups(self) -> dict[str, list[str]]:
        """Return the component types by the heading under which the menu has them.

        First the types listed in the project's `goishi.toml`, then the other types of the project,
        the engine's, and the common types shipped with Goishi. No script is imported for it.
        """
        offered = [entry.target for entry in self._offered]
        own = [
            name
            for path in self.form.files((".py",), "scripts")
            for name in _classes_of(self._project, path)
            if name not in offered
        ]
        found = {OFFERED: offered, SCRIPTS: own}
        for group, kinds in MENU_GROUPS.items():
            found[group] = [f"sim:{kind.__name__}" for kind in kinds]
        found[COMMON] = self._common()
        return {group: names for group, names in found.items() if names}

    def component_types(self) -> list[str]:
        """Return the component types that can be added, in the order of the menu."""
        return [name for names in self.groups().values() for name in names]

    def _common(self) -> list[str]:
        if self._project.resolve() == SHIPPED_ROOT:
            return []
        found: list[str] = []
        for file in sorted((SHIPPED_ROOT / "scripts" / "common").glob("*.py")):
            path = file.relative_to(SHIPPED_ROOT).as_posix()
            found += [f"{SHIPPED_PREFIX}{name}" for name in _classes_of(SHIPPED_ROOT, path)]
        return found


def _classes_of(root: Path, path: str) -> list[str]:
    """Return the component types that a script file may define: its classes that have a base.

    Args:
        root: folder of the package.
        path: path of the file, relative to `root`.
    """
    module = path.removesuffix(".py").replace("/", ".")
    heads = (
        line.removeprefix("class ").partition("(")
        for line in (root / path).read_text(encoding="utf-8", errors="replace").splitlines()
        if line.startswith("class ")
    )
    return [f"{module}:{name.strip()}" for name, _, bases in heads if bases.rstrip(": )")]
