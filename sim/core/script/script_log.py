"""`self.log`: a script's lines in the console."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sim.core.reporting.console import Level
    from sim.core.scene.scene_object import ComponentSlot


class Log:
    """Writes console lines on behalf of one component."""

    def __init__(self, slot: ComponentSlot) -> None:
        self._slot = slot

    def debug(self, text: str) -> None:
        """Add a line for the author of the script."""
        self._write("debug", text)

    def info(self, text: str) -> None:
        """Add a line."""
        self._write("info", text)

    def warning(self, text: str) -> None:
        """Add a warning."""
        self._write("warning", text)

    def error(self, text: str) -> None:
        """Add an error; the component goes on."""
        self._write("error", text)

    def python(self, source: str) -> None:
        """Add a line of Python that does what the user just did by hand."""
        self._slot.host.console.python(source)

    def _write(self, level: Level, text: str) -> None:
        slot = self._slot
        slot.host.console.write(
            level, str(text), source=slot.object.path, component=slot.class_name
        )
