"""The menu of the view: its sides, its projection, how fast it flies, and the steps of Ctrl."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from imgui_bundle import imgui

from base.language.wording import tr
from sim.core.editing import Editor
from sim.core.project.settings import UserSettings
from sim.core.reporting.python_text import assigned, called
from sim.render.view.camera_rig import FLY_SPEEDS, SIDES, CameraRig
from sim.ui.shell.toolbar import MenuEntry, ToolMenu
from sim.ui.theme.theme import Theme
from sim.ui.widgets.selection import Selection

FIELD: Final = 110.0  # unscaled pixels of a number
STEPS: Final = {
    "move": (tr("Move"), "%.4g m", 0.005), "rotate": (tr("Turn"), tr("%.4g degrees"), 0.25),
    "scale": (tr("Scale"), "%.4g", 0.002),
}  # fmt: skip
"""Label, format, and change per pixel of each tool's step."""
SIDE_WORDS: Final = {
    "front": tr("front", "a side"), "back": tr("back", "a side"),
    "right": tr("right", "a side"), "left": tr("left", "a side"),
    "top": tr("top", "a side"), "bottom": tr("bottom", "a side"),
}  # fmt: skip
LIMITS: Final = {"move": (0.0001, 10000.0), "rotate": (0.001, 180.0), "scale": (0.0001, 100.0)}
SETTINGS: Final = {"move": "move_step", "rotate": "turn_step", "scale": "scale_step"}
LOGARITHMIC: Final = int(imgui.SliderFlags_.logarithmic)

SIDE_VIEWS = {
    "front": tr("View from the front"), "back": tr("View from the back"),
    "right": tr("View from the right"), "left": tr("View from the left"),
    "top": tr("View from the top"), "bottom": tr("View from the bottom"),
}  # fmt: skip
"""Names of the views from the six sides."""


class ViewMenu:
    """The lines of the menu of the view that are more than commands.

    Args:
        selection: has the steps of the handles, and their axes.
        camera: camera of the view.
        keep: saves settings, given by name.
        say: prints the Python code that is equivalent to the user's action.
        theme: sizes.
    """

    def __init__(
        self,
        selection: Selection,
        camera: CameraRig,
        keep: Callable[..., object],
        say: Callable[[str], object],
        theme: Theme,
    ) -> None:
        self._selection, self._camera = selection, camera
        self._keep, self._say, self._theme = keep, say, theme

    def menu(self) -> ToolMenu:
        """Return the menu."""
        sides = (
            MenuEntry(f"studio.view_{side}", tr("From the {side}").format(side=SIDE_WORDS[side]))
            for side in SIDES
        )
        entries = (
            *sides,
            MenuEntry("studio.parallel", tr("Parallel or perspective")),
            MenuEntry("studio.focus", tr("Focus on the object (F)"), begins_group=True),
            MenuEntry("studio.home", tr("Reset view")),
            MenuEntry("", tr("Steps while Ctrl is held"), more=self.draw_steps, begins_group=True),
            MenuEntry("", tr("Flying"), more=self.draw_flying),
        )
        tip = tr("Where the view is seen from, and the steps of the handles")
        return ToolMenu(tr("View"), tip, entries)

    def set_step(self, tool: str, step: float) -> None:
        """Set the step of a tool's handles while Ctrl is held, and save it.

        Args:
            tool: "move", "rotate" or "scale".
            step: metres, degrees, or a factor.
        """
        low, high = LIMITS[tool]
        step = min(high, max(low, float(step)))
        self._selection.steps[tool] = step
        self._keep(**{SETTINGS[tool]: step})

    def draw_steps(self) -> None:
        """Draw the steps of the handles, and along which axes they stand."""
        for tool in STEPS:
            self._draw_step(tool)
        label, is_local = tr("Handles along the object's axes"), self._selection.is_local
        changed, is_local = imgui.checkbox(label, is_local)
        if changed:
            self._selection.is_local = is_local
            self._say(assigned("shell.studio.selection.is_local", is_local))

    def draw_flying(self) -> None:
        """Draw how fast the camera flies, and the keys for it."""
        imgui.text_disabled(tr("Hold the right button and W, A, S, D, Q or E; Shift is faster"))
        imgui.set_next_item_width(self._theme.px(FIELD))
        camera = self._camera
        changed, speed = imgui.slider_float(
            tr("Speed"), camera.fly_speed, *FLY_SPEEDS, "%.3g m/s", LOGARITHMIC
        )
        if changed:
            camera.fly_speed = min(FLY_SPEEDS[1], max(FLY_SPEEDS[0], speed))
        if imgui.is_item_deactivated_after_edit():
            self._say(assigned("view.camera.fly_speed", round(camera.fly_speed, 3)))

    def _draw_step(self, tool: str) -> None:
        label, form, speed = STEPS[tool]
        imgui.set_next_item_width(self._theme.px(FIELD))
        step = self._selection.steps[tool]
        changed, new = imgui.drag_float(label, step, speed, *LIMITS[tool], form)
        if changed:
            low, high = LIMITS[tool]
            self._selection.steps[tool] = min(high, max(low, float(f"{new:.4g}")))
        if imgui.is_item_deactivated_after_edit():
            self.set_step(tool, self._selection.steps[tool])
            self._say(called("shell.view_menu.set_step", tool, self._selection.steps[tool]))


def steps_of(values: UserSettings) -> dict[str, float]:
    """Return the steps of the handles that the user chose, by tool."""
    return {tool: getattr(values, name) for tool, name in SETTINGS.items()}


def edit_menu(editor: Editor, selection: Selection) -> ToolMenu:
    """Return the menu of edits.

    Args:
        editor: makes the edits.
        selection: the selected objects.
    """

    def has_choice() -> bool:
        return bool(selection.objects)

    entries = (
        MenuEntry("studio.undo", tr("Undo"), is_enabled=lambda: editor.can_undo),
        MenuEntry("studio.redo", tr("Redo"), is_enabled=lambda: editor.can_redo),
        MenuEntry("studio.cut", tr("Cut"), is_enabled=has_choice, begins_group=True),
        MenuEntry("studio.copy", tr("Copy"), is_enabled=has_choice),
        MenuEntry(
            "studio.paste", tr("Paste"), tr("Beside the chosen object, or as a component of it")
        ),
        MenuEntry("studio.paste_below", tr("Paste as children"), is_enabled=has_choice),
        MenuEntry("studio.duplicate", tr("Duplicate"), is_enabled=has_choice),
        MenuEntry("studio.rename", tr("Rename"), is_enabled=has_choice, begins_group=True),
        MenuEntry("studio.delete", tr("Delete"), is_enabled=has_choice),
        MenuEntry("studio.none", tr("Deselect"), is_enabled=has_choice),
    )
    return ToolMenu(tr("Edit"), tr("Undo, copy and paste"), entries)
