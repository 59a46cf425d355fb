"""The panel of preferences: the window's look, the sound, and what scripts keep for the user."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from imgui_bundle import imgui

from base.language.catalogs import LANGUAGES, system_language
from base.language.wording import tr, wording
from base.schema import Option, OptionValue
from sim.core.audio.sound_bank import AudioBackend
from sim.core.project.settings import SYSTEM
from sim.core.reporting.python_text import assigned, called
from sim.core.script.preferences import DeclaredPreference, preferences_of
from sim.ui.widgets.context import PanelUi

WIDTH = 228.0  # unscaled pixels of a widget
LANGUAGE_WORDS = "Language · Sprache · 言語 · 언어 · 语言"
"""Found by those who cannot read the window's present language."""
THEMES = {"dark": tr("Dark"), "light": tr("Light"), "high-contrast": tr("High contrast")}
MOTIONS = {SYSTEM: tr("As the system"), "full": tr("Full"), "reduced": tr("Reduced")}


class WindowPreferences(Protocol):
    """What the panel changes of the window."""

    @property
    def language(self) -> str:
        """The chosen language: a code, or "system"."""

    def set_language(self, name: str) -> None:
        """Show the window's texts in a language."""

    def set_theme(self, name: str) -> None:
        """Switch to the theme "dark", "light" or "high-contrast"."""

    @property
    def motion(self) -> str:
        """How much moves: "system", "full" or "reduced"."""

    def set_motion(self, name: str) -> None:
        """Choose how much moves."""

    @property
    def has_captions(self) -> bool:
        """Whether a line names what sounds."""

    def set_captions(self, is_on: bool) -> None:
        """Set whether a line names what sounds."""

    def keep(self, **values: object) -> None:
        """Save settings, given by name."""


class PreferencesPanel:
    """Lists what the user can choose for all scenes.

    Args:
        window: changes the window's look, and saves.
        sound: returns the audio output.
        scripts: returns the scripts of the scene.
        do: runs an action by its name.
        say: called with the Python code that is equivalent to the user's action.
    """

    def __init__(
        self,
        window: WindowPreferences,
        sound: Callable[[], AudioBackend],
        scripts: Callable[[], Iterable[object]],
        do: Callable[[str], object],
        say: Callable[[str], object],
    ) -> None:
        self._window = window
        self._sound = sound
        self._scripts = scripts
        self._do = do
        self._say = say

    def draw(self, ui: PanelUi) -> None:
        """Draw the sections with their widgets."""
        if ui.section(tr("Window")):
            self._draw_window(ui)
        if ui.section(tr("Sound")):
            self._draw_sound(ui)
        group = ""
        is_open = True
        for item in preferences_of(self._scripts()):
            if item.declared.group != group:
                group = item.declared.group
                is_open = ui.section(group)
            if is_open:
                self._draw_preference(ui, item)

    def _draw_window(self, ui: PanelUi) -> None:
        self._draw_language(ui)
        name = ui.theme.name
        self._name(ui, tr("Colours of the window"))
        if imgui.begin_combo("##colours", THEMES.get(name, name)):
            for theme, title in THEMES.items():
                if imgui.selectable(title, theme == name)[0]:
                    self._say(called("shell.preferences.set_theme", theme))
                    self._window.set_theme(theme)
            imgui.end_combo()
        self._draw_motion(ui)
        self._name(ui, tr("Text size: {scale:g} %").format(scale=100 * ui.theme.scale))
        for label, action in ((tr("Smaller"), "studio.smaller"), (tr("Larger"), "studio.larger")):
            if ui.button(label):
                self._do(action)
            imgui.same_line()
        imgui.new_line()

    def _draw_language(self, ui: PanelUi) -> None:
        """Draw the choice of a language; each is written in itself, and the word in all scripts."""
        self._name(ui, LANGUAGE_WORDS)
        system = tr("As the system: {language}").format(language=LANGUAGES[system_language()])
        titles = {SYSTEM: system, **LANGUAGES}
        chosen = self._window.language
        if imgui.begin_combo("##language", titles[chosen]):
            for name, title in titles.items():
                if imgui.selectable(title, name == chosen)[0]:
                    self._say(called("shell.preferences.set_language", name))
                    self._window.set_language(name)
            imgui.end_combo()
        ui.tip(tr("Language of the window; logs, the command line and files stay English"))

    def _draw_motion(self, ui: PanelUi) -> None:
        self._name(ui, tr("Motion"))
        chosen = self._window.motion
        if imgui.begin_combo("##motion", MOTIONS[chosen]):
            for name, title in MOTIONS.items():
                if imgui.selectable(title, name == chosen)[0]:
                    self._say(called("shell.preferences.set_motion", name))
                    self._window.set_motion(name)
            imgui.end_combo()
        ui.tip(tr("Reduced: no flights of the camera, and things lie at once where they are put"))

    def _draw_sound(self, ui: PanelUi) -> None:
        sound = self._sound()
        changed, is_on = imgui.checkbox(tr("Sound"), not sound.muted)
        if changed:
            self._say(assigned("app.run_context.sound.muted", not is_on))
            sound.muted = not is_on
            self._window.keep(muted=not is_on)
        changed, is_on = imgui.checkbox(tr("Captions"), self._window.has_captions)
        if changed:
            self._say(called("shell.preferences.set_captions", is_on))
            self._window.set_captions(is_on)
        ui.tip(tr("A line at the view's edge names what sounds, even while sound is off"))
        self._name(ui, tr("Volume"))
        changed, percent = imgui.slider_int("##volume", round(100 * sound.volume), 0, 100, "%d %%")
        if changed:
            sound.volume = min(100, max(0, percent)) / 100.0
        if imgui.is_item_deactivated_after_edit():
            self._say(assigned("app.run_context.sound.volume", sound.volume))
            self._window.keep(volume=sound.volume)

    def _draw_preference(self, ui: PanelUi, item: DeclaredPreference) -> None:
        option, value = item.declared.option, getattr(item.script, item.name)
        chosen: OptionValue
        if option.value_kind is bool:
            changed, chosen = imgui.checkbox(item.declared.title + "##" + option.key, bool(value))
        else:
            self._name(ui, item.declared.title)
            changed, chosen = _widget(option, value)
        ui.tip(option.help)
        if changed:
            self._say(assigned(f"{item.script.expression}.{item.name}", chosen))
            setattr(item.script, item.name, chosen)

    def _name(self, ui: PanelUi, text: str) -> None:
        """Draw the name of a widget, which follows on a line of its own."""
        ui.text(text, "muted")
        imgui.set_next_item_width(min(ui.theme.px(WIDTH), imgui.get_content_region_avail().x))


def shown(value: OptionValue) -> str:
    """Return a value as words for the user: "high-contrast" as "High contrast"."""
    text = str(value).replace("-", " ")
    return wording(text[:1].upper() + text[1:])


def _widget(option: Option, value: OptionValue) -> tuple[bool, OptionValue]:
    """Draw the widget of an option that is no switch; return whether it changed, and the value."""
    name = f"##{option.key}"
    if option.choices:
        chosen = value
        if imgui.begin_combo(name, shown(value)):
            for choice in option.choices:
                if imgui.selectable(shown(choice), choice == value)[0]:
                    chosen = choice
            imgui.end_combo()
        return chosen != value, chosen
    if option.value_kind is str:
        changed, text = imgui.input_text(name, str(value))
        return bool(changed), text
    number = float(value) if isinstance(value, int | float) else 0.0
    low = option.minimum if option.minimum is not None else number - 1.0
    high = option.maximum if option.maximum is not None else number + 1.0
    if option.value_kind is int:
        changed, whole = imgui.slider_int(name, int(number), int(low), int(high))
        return bool(changed), min(int(high), max(int(low), whole))
    changed, real = imgui.slider_float(name, number, low, high)
    return bool(changed), min(high, max(low, real))
