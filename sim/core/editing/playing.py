"""Play, pause and stop: what a scene did while it ran is taken back when it stops."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

from sim.core.editing.editor import Editor
from sim.core.editing.session import Snapshot

if TYPE_CHECKING:
    from sim.core.host.script_host import ScriptHost


class PlayState(enum.StrEnum):
    """What a scene is doing."""

    STOPPED = "stopped"
    """time stands still, the scene is as its file has it"""
    PLAYING = "playing"
    PAUSED = "paused"


class PlaySession:
    """Lets a scene run, and brings it back.

    Scripts do as they like with the running scene; what the file has is changed by edits alone.
    So nothing but the edits made by hand can outlive a stop, and only where that is wanted.
    """

    def __init__(self, host: ScriptHost, editor: Editor) -> None:
        self.host = host
        self.editor = editor
        self._begun: Snapshot | None = None
        self._time = 0.0

    @property
    def state(self) -> PlayState:
        """Whether the scene is stopped, plays, or is paused."""
        if self._begun is None:
            return PlayState.STOPPED
        return PlayState.PAUSED if self.host.clock.paused else PlayState.PLAYING

    @property
    def has_edits(self) -> bool:
        """Whether anything of the file was edited by hand since play began."""
        return self._begun is not None and self.editor.differs_from(self._begun)

    def play(self) -> None:
        """Let time go on; from a stop, remember what the scene is like."""
        if self._begun is None:
            self._begun = self.editor.moment()
            self._time = self.host.clock.time
        self.host.clock.resume()

    def pause(self) -> None:
        """Let time stand still; `play` goes on."""
        if self._begun is not None:
            self.host.clock.pause()

    def stop(self, *, keep: bool = False) -> bool:
        """Bring the scene back to what it was when play began; tell whether it played.

        Objects and components have the ids they had, and all scripts start anew.

        Args:
            keep: keep the edits made by hand since then, which can still be undone. What scripts
                did goes in any case.
        """
        if self._begun is None:
            return False
        if not keep:
            self.editor.bring_back(self._begun)
        self._begun = None
        self.host.clock.pause()
        self.host.clock.rewind(self._time)
        self.editor.rebuild("Stop")
        return True
