"""Guards the drawing of engine panels: an exception becomes a console line."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from imgui_bundle import imgui

from sim.core.reporting.console import Console, ConsoleRecord, describe, user_traceback


class Guard:
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
