"""Playing and stopping the scene for remote programs, as the studio's toolbar does."""

from __future__ import annotations

from sim.core.editing import Editor, PlaySession
from sim.core.reporting.console import Console
from sim.core.reporting.metrics import MetricStore
from sim.core.rewind.rewind import Rewind
from sim.core.scene.scene import Scene
from sim.core.tasks.clock import Clock


def open_session(
    scene: Scene, clock: Clock, console: Console, metrics: MetricStore, rewind: Rewind
) -> PlaySession:
    """Return a session that plays a scene without panels; call it before the first frame.

    Args:
        scene: the scene, as in its file.
        clock: its clock.
        console: where edits that are left out are reported.
        metrics: numbers that its scripts log.
        rewind: recording of its last seconds.
    """
    editor = Editor(scene, console, refuses=rewind.refusal)
    session = PlaySession(editor, clock, metrics)
    session.play()
    return session


class ScenePlayer:
    """Plays, stops and resets the scene.

    Args:
        session: the session of the window's toolbar, or one without panels.
        clock: the scene's clock.
        rewind: recording of the scene's last seconds; the past is left first.
    """

    def __init__(self, session: PlaySession, clock: Clock, rewind: Rewind) -> None:
        self._session, self._clock, self._rewind = session, clock, rewind

    def play(self) -> None:
        """Play the scene, or resume it."""
        self._rewind.live()
        self._clock.is_stopped = False
        self._session.play()

    def stop(self) -> None:
        """Stop the scene and restore it as it was before it played.

        What the user edited in the window since then is kept.
        """
        self._rewind.clear()
        if self._session.stop(keep=self._session.has_edits):
            self._clock.is_stopped = True

    def reset(self) -> None:
        """Restore the scene as it was before it played, paused at its beginning."""
        self.stop()
        self.play()
        self._clock.pause()
