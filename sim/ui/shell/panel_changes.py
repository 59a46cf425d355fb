"""Detection of changes that the panels must show."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sim.ui.shell.shell import Shell


class PanelChanges:
    """Detects changes in what the panels show.

    It compares revision numbers instead of contents, because it is called in every frame.
    """

    def __init__(self, shell: Shell) -> None:
        self._shell = shell
        self._seen: tuple[object, ...] = ()

    def take(self, now: float) -> bool:
        """Return whether anything changed since the last call that returned True.

        Args:
            now: wall time in seconds, for the blinking of a text cursor.
        """
        seen = self._look(now)
        if seen == self._seen:
            return False
        self._seen = seen
        return True

    def _look(self, now: float) -> tuple[object, ...]:
        shell, host = self._shell, self._shell.host
        busy = tuple(int(line.seconds) for line in host.status.lines.values() if line.busy)
        blink = int(now * 30) if shell.backend.io.want_text_input else 0
        return (
            host.status.revision, host.metrics.revision, host.panels.revision,
            host.console.revision, host.clock.paused, host.clock.speed, busy,
            host.is_held, len(shell.overlays.toasts), shell.overlays.shows_legend,
            shell.display.size, blink,
            host.scene.structure_revision if shell.layout.name == "studio" else 0,
            *shell.studio.watched(now),
        )  # fmt: skip


__all__ = ["PanelChanges"]
