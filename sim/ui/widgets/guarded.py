"""Draws engine panels so that a fault in one is a console line, never the end of the app."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from imgui_bundle import imgui

from sim.core.reporting.console import Console, ConsoleRecord, describe, user_traceback


class Guard:
    """Keeps ImGui's stacks whole and says once what failed."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.broken: dict[str, str] = {}

    @contextlib.contextmanager
    def panel(self, name: str) -> Iterator[None]:
        """Run what draws a panel; an exception makes the panel say so until it is reset."""
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
        """Draw what is shown instead of a broken panel; tell whether it is one."""
        if name not in self.broken:
            return False
        imgui.text_wrapped(f"This panel failed: {self.broken[name]}")
        if imgui.button("Show it again"):
            del self.broken[name]
        return name in self.broken


def balance() -> imgui.internal.ErrorRecoveryState:
    """Return where ImGui's stacks stand."""
    state = imgui.internal.ErrorRecoveryState()
    imgui.internal.error_recovery_store_state(state)
    return state


def restore(state: imgui.internal.ErrorRecoveryState) -> None:
    """Bring ImGui's stacks back to where they stood."""
    imgui.internal.error_recovery_try_to_recover_state(state)
