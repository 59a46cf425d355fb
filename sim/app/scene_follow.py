"""How one scene of a run follows another, when a script has opened it."""

from __future__ import annotations

import contextlib
import math
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from base.temporary import new_folder
from base.values import JsonObject
from sim.core.host.scene_options import read_options
from sim.core.project.run_options import RunOptions, options_of_next
from sim.core.project.scene_change import SceneChange

if TYPE_CHECKING:
    from sim.core.script.hud import HudBoard

LEAST_SECONDS = 0.001  # that a scene has of a run whose time is over
LONGEST_FRAME = 0.1  # seconds of a fade that one frame passes, at most


@dataclass(frozen=True)
class Carried:
    """What a scene takes over from the one before it, or from whoever runs several.

    Attributes:
        given: what the script that opened the scene has given it, as JSON data.
        fade: real seconds in which the picture fades in.
        is_presenting: whether presentation mode is on.
        has_keys: whether the last click was into the view, so that the scene has its keys.
        saves_dir: folder of saved games of a run that keeps nothing else; None for the usual one.
    """

    given: JsonObject = field(default_factory=dict)
    fade: float = 0.0
    is_presenting: bool = False
    has_keys: bool = False
    saves_dir: Path | None = None

    @property
    def plain(self) -> Carried:
        """The same for a scene that no script has opened."""
        return Carried(saves_dir=self.saves_dir)


@contextlib.contextmanager
def kept_saves(options: RunOptions) -> Iterator[Carried]:
    """Return what the first scene of a run takes over, for as long as the run lasts.

    In a run with a temporary data directory, all its scenes share one temporary folder for saved
    games, which is removed at the end.

    Args:
        options: options of the run.
    """
    if not options.wants_temporary_data:
        yield Carried()
        return
    folder = new_folder()
    try:
        yield Carried(saves_dir=folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def options_after(options: RunOptions, change: SceneChange, passed: float) -> RunOptions:
    """Return the options of the scene that a script has opened.

    The run goes on: its time, its statistics, its screenshot and those of the scene's own options
    that the next scene has, too. A video and a folder of records end with the first scene.

    Args:
        options: options of the scene before.
        change: the change to the next scene.
        passed: seconds that the run has lasted, as --for counts them.
    """
    declared = read_options(change.path)
    kept = [name for name in options.script_options if name in declared]
    left = None if options.seconds is None else max(LEAST_SECONDS, options.seconds - passed)
    return replace(
        options_of_next(options, change.path, kept=kept),
        seconds=left,
        stats=options.stats,
        screenshot=options.screenshot,
        paused=False,
    )


class Fade:
    """Fades the picture out or in, by a black veil over the view; it follows real time.

    Args:
        board: the canvases over the view; it knows the veil.
        seconds: how long a fade in lasts that begins now; 0 for none.

    Attributes:
        rate: by how much the veil grows in a second; negative: fades in; 0: nothing changes.
    """

    def __init__(self, board: HudBoard, seconds: float = 0.0) -> None:
        self._board = board
        self.rate = -1.0 / seconds if seconds > 0.0 else 0.0
        if self.rate:
            board.darken(1.0)

    def begin_out(self, seconds: float) -> None:
        """Begin to fade out, from the present veil.

        Args:
            seconds: how long it lasts; 0 to be dark at once.
        """
        self.rate = 1.0 / seconds if seconds > 0.0 else math.inf

    def begin_in(self) -> None:
        """Show the picture again at once: the scene is not left after all."""
        self._board.darken(0.0)
        self.rate = 0.0

    def advance(self, seconds: float) -> None:
        """Advance by a frame's real seconds."""
        if self.rate:
            step = 1.0 if math.isinf(self.rate) else self.rate * min(seconds, LONGEST_FRAME)
            self._board.darken(self._board.veil + step)
            if self.rate < 0.0 and self._board.veil == 0.0:
                self.rate = 0.0

    @property
    def is_dark(self) -> bool:
        """Whether the picture has faded out."""
        return self.rate > 0.0 and self._board.veil == 1.0
