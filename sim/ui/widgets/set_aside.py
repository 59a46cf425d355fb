"""What a panel shows in place of what failed: a component that is set aside, or a panel."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from imgui_bundle import imgui

from sim.core.reporting.console import Console, ConsoleRecord
from sim.core.reporting.failure_text import describe, user_traceback
from sim.core.reporting.python_text import called
from sim.core.scene.scene import ComponentSlot, SlotState
from sim.ui.theme.theme import Theme

BROKEN: Final = (SlotState.QUARANTINED, SlotState.PLACEHOLDER)
WIDTH = 360.0  # pixels of the text, at most
OpenAt = Callable[[str, int], object]


def is_set_aside(slot: ComponentSlot) -> bool:
    """Return whether a component failed and does not run until it is retried."""
    return slot.state in BROKEN


def retry(console: Console, slot: ComponentSlot) -> None:
    """Retry a component on behalf of the user: the console shows the Python line."""
    console.python(f"host.retry({called('scene.component', slot.id)})")
    slot.host.retry(slot)


def open_error(error: ConsoleRecord, project: Path, open_at: OpenAt) -> None:
    """Open the file of an error at its line; a path that is not absolute lies in the project."""
    path = Path(error.file)
    open_at(str(path if path.is_absolute() else project / path), error.line)


def draw_set_aside(
    theme: Theme, console: Console, slot: ComponentSlot, open_at: OpenAt | None = None
) -> None:
    """Draw why a component is set aside, and a button that retries it."""
    imgui.push_id(f"set aside {slot.id}")
    room = imgui.get_content_region_avail().x
    is_narrow = theme.px(80) < room < theme.px(WIDTH)
    imgui.push_text_wrap_pos(imgui.get_cursor_pos_x() + (room if is_narrow else theme.px(WIDTH)))
    imgui.text(f"{slot.title} of {slot.object.name} does not run.")
    if slot.error is not None:
        imgui.text_colored(theme.vector("red"), slot.error.text)
    imgui.pop_text_wrap_pos()
    if imgui.button("Retry"):
        retry(console, slot)
    error = slot.error
    if open_at is not None and error is not None and error.file:
        imgui.same_line()
        if imgui.button(f"Open at line {error.line}"):
            open_error(error, console.project, open_at)
    imgui.pop_id()


class PanelGuard:
    """Restores ImGui's stacks after an exception and reports it once."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.broken: dict[str, str] = {}

    @contextlib.contextmanager
    def panel(self, name: str) -> Iterator[None]:
        """Guard the drawing of a panel; after an exception the panel shows it until reset."""
        state = balance()
        try:
            yield
        except Exception as error:
            self.broken[name] = describe(error)
            details = user_traceback(error)
            text = f"panel {name}: {describe(error).splitlines()[0]}"
            self.console.add(ConsoleRecord("error", text, details=details))
        finally:
            restore(state)

    def is_broken(self, name: str) -> bool:
        """Draw the replacement of a broken panel; return whether it is broken."""
        if name not in self.broken:
            return False
        imgui.text_wrapped(f"This panel failed: {self.broken[name]}")
        if imgui.button("Show it again"):
            del self.broken[name]
        return name in self.broken


def balance() -> imgui.internal.ErrorRecoveryState:
    """Return the state of ImGui's stacks."""
    state = imgui.internal.ErrorRecoveryState()
    imgui.internal.error_recovery_store_state(state)
    return state


def restore(state: imgui.internal.ErrorRecoveryState) -> None:
    """Restore ImGui's stacks to a state."""
    imgui.internal.error_recovery_try_to_recover_state(state)
