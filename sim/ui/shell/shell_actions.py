"""What keys and buttons of the window itself do."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from imgui_bundle import imgui

from sim.core.input.key_map import KeyAction
from sim.ui.shell.panel_menu import POPUP
from sim.ui.shell.toolbar import ToolButton

if TYPE_CHECKING:
    from sim.ui.shell.shell import Shell


def shell_actions(shell: Shell) -> list[tuple[KeyAction, Callable[[], object]]]:
    """Return what keys do, beside the studio's and the scripts'."""
    bar, camera = shell.playback, shell.view.camera
    actions: tuple[tuple[str, str, str, str, Callable[[], object]], ...] = (
        ("pause", "Pause or go on", "space", "Playback", bar.toggle),
        ("stop", "Stop: the scene as it was", "control+p", "Playback", bar.stop),
        ("step", "One step while paused", ".", "Playback", bar.step),
        ("faster", "Faster", "+", "Playback", lambda: bar.change_speed(2.0)),
        ("slower", "Slower", "-", "Playback", lambda: bar.change_speed(0.5)),
        ("keys", "This list of keys", "f1", "Window", lambda: shell.toggle("Keys")),
        ("watch", "Arrange to watch", "f3", "Window", lambda: shell.arrange("watch")),
        ("studio", "Arrange to edit", "f4", "Window", lambda: shell.arrange("studio")),
        ("rebuild", "Panels back to their places", "", "Window", shell.layout.rebuild),
        ("prompt", "Type Python", "f6", "Window", shell.focus_prompt),
        ("theme", "Dark or light", "f9", "Window", shell.other_theme),
        ("larger", "Larger text", "control+=", "Window", lambda: shell.zoom(0.25)),
        ("smaller", "Smaller text", "control+-", "Window", lambda: shell.zoom(-0.25)),
        ("home", "The view as at the start", "home", "View", camera.reset),
    )
    return [
        (KeyAction(f"studio.{name}", label, chord, group), run)
        for name, label, chord, group, run in actions
    ]


def shell_buttons(shell: Shell) -> list[ToolButton]:
    """Return the buttons at the right end of the bar."""
    return [
        ToolButton("studio.watch", "eye", "Arrange to watch", lambda: shell.arrange("watch"),
                   lambda: shell.layout.name == "watch"),
        ToolButton("studio.studio", "screwdriver-wrench", "Arrange to edit",
                   lambda: shell.arrange("studio"), lambda: shell.layout.name == "studio"),
        ToolButton("", "window-restore", "Panels", lambda: imgui.open_popup(POPUP)),
        ToolButton("studio.theme", "circle-half-stroke", "Dark or light", shell.other_theme),
        ToolButton("studio.keys", "keyboard", "Keys", lambda: shell.toggle("Keys")),
    ]  # fmt: skip
