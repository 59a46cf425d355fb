"""The user's preferences applied to the window: theme, text scale, keys and panel layout."""

from __future__ import annotations

from collections.abc import Callable

from base.language.catalogs import use, wanted_language
from base.language.wording import tr
from sim.core.project.settings import (
    LEAST_WINDOW,
    SCALES,
    SYSTEM,
    SettingsFile,
    fitting_scale,
    usual_scale,
)
from sim.core.project.system_motion import system_reduces_motion
from sim.core.reporting.console import Console
from sim.core.script.panels import StatusBoard
from sim.render.window.display import Display
from sim.ui.theme.theme import PALETTES, Theme
from sim.ui.widgets.layout import ARRANGEMENTS, PanelLayout

SCALE_LINE = "scale"  # of the status bar


class Preferences:
    """Changes the user's preferences and saves them.

    Args:
        settings: the settings file.
        display: the window; its size limits the text scale.
        console: receives errors of saving.
        status: shows a note if the text is smaller than the user wants.

    Attributes:
        theme: colours and scale of the user interface.
        layout: positions of the panels; saved beside the settings file.
        on_change: called after every change.
        on_motion: called with whether motion is reduced, when the user chooses that.
    """

    def __init__(
        self, settings: SettingsFile, display: Display, console: Console, status: StatusBoard
    ) -> None:
        self._settings = settings
        self._display = display
        self._console = console
        self._status = status
        self.on_change: Callable[[], object] = bool
        self.on_motion: Callable[[bool], object] = bool
        self._system_reduces: bool | None = None
        values = settings.values
        use(wanted_language(values.language))
        self.theme = Theme(values.theme, self._scale())
        folder = settings.path and settings.path.parent
        self.layout = PanelLayout(self.theme, folder, tell=console.warning)
        if values.layout in ARRANGEMENTS:
            self.layout.name = values.layout

    def arrange(self, name: str) -> None:
        """Switch to another panel layout."""
        self.layout.choose(name)
        self.keep(layout=name)

    def set_theme(self, name: str) -> None:
        """Switch to another theme: "dark", "light" or "high-contrast"."""
        self.theme.apply(name, self.theme.scale)
        self.keep(theme=name)

    def next_theme(self) -> None:
        """Switch to the next theme: dark, light, high contrast."""
        names = [*PALETTES]
        self.set_theme(names[(names.index(self.theme.name) + 1) % len(names)])

    @property
    def motion(self) -> str:
        """How much moves: "full", "reduced", or "system" to follow the system."""
        return self._settings.values.motion

    @property
    def reduces_motion(self) -> bool:
        """Whether flights of the camera, falling pieces and the like are left out."""
        chosen = self._settings.values.motion
        is_asked = chosen == SYSTEM and not self._display.is_offscreen
        if is_asked and self._system_reduces is None:
            self._system_reduces = system_reduces_motion()
        return chosen == "reduced" or (chosen == SYSTEM and bool(self._system_reduces))

    def set_motion(self, name: str) -> None:
        """Choose how much moves: "full", "reduced" or "system"."""
        self.keep(motion=name)
        self.on_motion(self.reduces_motion)

    @property
    def has_captions(self) -> bool:
        """Whether a line at the view's edge names what sounds."""
        return self._settings.values.captions

    def set_captions(self, is_on: bool) -> None:
        """Set whether a line at the view's edge names what sounds."""
        self.keep(captions=bool(is_on))

    @property
    def language(self) -> str:
        """The language that the user has chosen: a code, or "system"."""
        return self._settings.values.language

    def set_language(self, name: str) -> None:
        """Show the window's texts in a language, from the next frame on.

        Args:
            name: its code, such as "ko"; "system" follows the system.
        """
        self.keep(language=name)
        use(wanted_language(name))
        self.layout.rebuild()

    @property
    def has_wer_keys(self) -> bool:
        """Whether W, E and R choose the tools move, rotate and scale in the Studio layout."""
        return self._settings.values.tool_keys

    def set_wer_keys(self, is_on: bool) -> None:
        """Set whether W, E and R choose the tools move, rotate and scale in the Studio layout."""
        self.keep(tool_keys=bool(is_on))

    def set_scale(self, scale: float) -> None:
        """Set the scale of text and widgets and save it.

        Args:
            scale: 1 for the usual size; 0 chooses the scale by the window's height.
        """
        self.keep(scale=scale and min(SCALES[1], max(SCALES[0], scale)))
        self.theme.apply(self.theme.name, self._scale())
        self.layout.rebuild()

    def zoom(self, step: float) -> str:
        """Change the scale of text and widgets, unless the window is too small for the new scale.

        Args:
            step: added to the scale.

        Returns:
            Message why the scale was not changed; "" if it was.
        """
        wanted = min(SCALES[1], self.theme.scale + step)
        if step > 0 and fitting_scale(wanted, self._display.size) < wanted:
            least = "x".join(f"{side * wanted:g}" for side in LEAST_WINDOW)
            return tr(
                "Text stays at {scale:g} %: {wanted:g} % needs a window of at least {least} pixels"
            ).format(scale=100 * self.theme.scale, wanted=100 * wanted, least=least)
        self.set_scale(self.theme.scale + step)
        return ""

    def fit_scale(self) -> None:
        """Limit the scale to what fits the window; the status bar shows when it is limited."""
        scale, wanted = self._scale(), self._wanted_scale
        limited = tr("Text {scale:g} %: the window is too small for {wanted:g} %").format(
            scale=100 * scale, wanted=100 * wanted
        )
        self._status.set(SCALE_LINE, limited if scale < wanted else "")
        if scale != self.theme.scale:
            self.theme.apply(self.theme.name, scale)
            self.layout.rebuild()

    def keep(self, **values: object) -> None:
        """Save settings, given by name; an error is printed to the console."""
        self.on_change()
        fault = self._settings.change(**values)
        if fault:
            self._console.error(fault)

    def _scale(self) -> float:
        return fitting_scale(self._wanted_scale, self._display.size)

    @property
    def _wanted_scale(self) -> float:
        return self._settings.values.scale or usual_scale(self._display.size[1])
