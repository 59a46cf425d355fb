"""Whether anything that the panels show is other than when they were last drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sim.ui.shell.shell import Shell


class PanelChanges:
    """Remembers what the panels showed, and tells when that changed.

    What it looks at are numbers that grow with each change, not the things themselves: it is asked
    in every frame.
    """

    def __init__(self, shell: Shell) -> None:
        self._shell = shell
        self._seen: tuple[object, ...] = ()

    def take(self, now: float) -> bool:
        """Whether anything changed since the last time that anything had.

        Args:
            now: seconds of the wall's clock, by which the cursor of a text field blinks.
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
