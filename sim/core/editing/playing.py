"""Play, pause and stop: stopping restores the scene as it was before play."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

from sim.core.editing.editor import Editor
from sim.core.editing.session import Snapshot

if TYPE_CHECKING:
    from sim.core.host.script_host import ScriptHost


class PlayState(enum.StrEnum):
    """Whether the scene is stopped, playing or paused."""

    STOPPED = "stopped"
    """time stands still, the scene is as its file has it"""
    PLAYING = "playing"
    PAUSED = "paused"


class PlaySession:
    """Plays, pauses and stops a scene.

    Scripts change the running scene only; the authored scene is changed by edits alone. So nothing
    but edits made by hand can outlive a stop, and only if asked to.
    """

    def __init__(self, host: ScriptHost, editor: Editor) -> None:
        self.host = host
        self.editor = editor
        self._begun: Snapshot | None = None
        self._time = 0.0

    @property
    def state(self) -> PlayState:
        """The play state."""
        if self._begun is None:
            return PlayState.STOPPED
        return PlayState.PAUSED if self.host.clock.paused else PlayState.PLAYING

    @property
    def has_edits(self) -> bool:
        """Whether the authored scene was edited since play began."""
        return self._begun is not None and self.editor.differs_from(self._begun)

    def play(self) -> None:
        """Start or resume; from a stop, take a snapshot of the scene first."""
        if self._begun is None:
            self._begun = self.editor.moment()
            self._time = self.host.clock.time
        self.host.clock.resume()

    def pause(self) -> None:
        """Pause the scene's time; `play` resumes."""
        if self._begun is not None:
            self.host.clock.pause()

    def stop(self, *, keep: bool = False) -> bool:
        """Restore the scene of when play began; return whether it was playing or paused.

        Objects and components have the ids they had, all scripts start anew, and so do metrics.

        Args:
            keep: keep the edits made by hand since then, still undoable. Changes by scripts are
                lost in any case.
        """
        if self._begun is None:
            return False
        if not keep:
            self.editor.bring_back(self._begun)
        self._begun = None
        self.host.clock.pause()
        self.host.clock.rewind(self._time)
        self.host.metrics.clear_all()
        self.editor.rebuild("Stop")
        return True
