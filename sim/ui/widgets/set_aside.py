"""What a panel shows in place of a component that is set aside: why, and Retry."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from imgui_bundle import imgui

from sim.core.host.script_host import ScriptHost
from sim.core.reporting.python_text import called
from sim.core.scene.scene import ComponentSlot, SlotState
from sim.ui.theme.theme import Theme

BROKEN: Final = (SlotState.QUARANTINED, SlotState.PLACEHOLDER)
WIDTH = 360.0  # pixels of the text, at most
OpenAt = Callable[[str, int], object]


def is_set_aside(slot: ComponentSlot) -> bool:
    """Return whether a component failed and does not run until it is retried."""
    return slot.state in BROKEN


def retry(host: ScriptHost, slot: ComponentSlot) -> None:
    """Retry a component on behalf of the user: the console shows the Python line."""
    host.console.python(f"host.retry({called('scene.component', slot.id)})")
    host.retry(slot)


def draw_set_aside(
    theme: Theme, host: ScriptHost, slot: ComponentSlot, open_at: OpenAt | None = None
) -> None:
    """Draw why a component is set aside, and a button that retries it."""
    imgui.push_id(f"set aside {slot.id}")
    room = imgui.get_content_region_avail().x
    is_narrow = theme.px(80) < room < theme.px(WIDTH)
    imgui.push_text_wrap_pos(imgui.get_cursor_pos_x() + (room if is_narrow else theme.px(WIDTH)))
    imgui.text(f"{slot.class_name} of {slot.object.name} is set aside.")
    if slot.error is not None:
        imgui.text_colored(theme.vector("red"), slot.error.text)
    imgui.pop_text_wrap_pos()
    if imgui.button("Retry"):
        retry(host, slot)
    error = slot.error
    if open_at is not None and error is not None and error.file:
        imgui.same_line()
        if imgui.button(f"Open at line {error.line}"):
            path = Path(error.file)
            whole = path if path.is_absolute() else host.console.project / path
            open_at(str(whole), error.line)
    imgui.pop_id()
