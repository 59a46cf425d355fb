"""A scene with a picture, for a program that steps it, in a process of its own."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any, Literal

import numpy.typing as npt

from base.errors import GoishiError, UsageError
from base.schema import OptionValue
from sim.app.app import App
from sim.core.project.run_options import RunOptions
from sim.core.rewind.tape import Moment
from sim.core.tasks.clock import MAX_SPEED

MOST_BEHIND = 0.1  # seconds that are made up for where drawing took too long
ANY_LONG = 1e9  # seconds
Mode = Literal["rgb_array", "depth_array", "human"]


class DrawnWorld(App):
    """The app with one scene, stepped by a program one fixed step at a time.

    Args:
        scene: path of the scene file.
        seed: seed of the run; None for the scene's own.
        data_dir: an empty folder for files of its scripts.
        mode: "human" opens a window and runs in real time. The other modes draw into a buffer, as
            fast as possible.
        options: values of the options that its scripts declare, by name.

    Raises:
        UsageError: a window is wanted, but there is no screen.
        GoishiError: there is no OpenGL, or the scene cannot be opened.
    """

    def __init__(
        self,
        scene: Path,
        seed: int | None,
        data_dir: Path,
        mode: Mode,
        options: dict[str, OptionValue],
    ) -> None:
        from sim.render.window.display import DisplayError

        self.is_shown = mode == "human"
        run = RunOptions(
            scene=scene,
            seed=seed,
            data_dir=data_dir,
            headless=not self.is_shown,
            script_options=options,
            is_environment=True,
            graphics=True,
            panels=self.is_shown,
            speed=MAX_SPEED,
            seconds=None if self.is_shown else ANY_LONG,
        )
        try:
            super().__init__(run)
        except DisplayError as error:
            if not self.is_shown:
                raise
            found = str(error).partition(":")[0]
            raise UsageError(
                f"render_mode human: expected a screen, found: {found}; rgb_array needs none"
            ) from None
        self.agents = self.world.agents
        self._next = time.perf_counter()

    def awake(self) -> None:
        """Call `awake` and `start` of the scene's scripts, before the first frame."""
        self.world.awake()

    def frame(self) -> None:
        """Run one frame, which is one fixed step."""
        if self.is_shown:
            self.world.settle()
            self._show_frame()
            self.raise_failure()
        else:
            self.world.frame()

    def moment(self) -> Moment:
        """Return the scene as it is now."""
        return self.world.moment()

    def continue_from(self, moment: Moment) -> None:
        """Continue the scene from a recorded moment."""
        self.world.continue_from(moment)

    def raise_failure(self) -> None:
        """Raise a script's first error since the last call, if there was one.

        Raises:
            WorldError: a script failed.
        """
        self.world.raise_failure()

    def image(self, mode: Mode, size: tuple[int, int]) -> npt.NDArray[Any] | None:
        """Return what the scene's camera sees.

        Args:
            mode: "human", "rgb_array" or "depth_array".
            size: width and height of the picture, pixels.

        Returns:
            Colours or depths; None in mode "human", since the window shows the picture.
        """
        if mode == "human":
            return None
        width, height = size
        camera = self.scene.camera
        if mode == "depth_array":
            return camera.depth(width, height)
        return camera.image(width, height)

    def _show_frame(self) -> None:
        """Run one frame in the window, then sleep until the fixed step's real time has passed.

        Raises:
            GoishiError: the window was closed.
        """
        if self.run_context.stop_requested:
            raise GoishiError("render_mode human: expected a window, found it closed")
        dt, now = self.clock.fixed_dt, time.perf_counter()
        self._next = max(self._next + dt, now - MOST_BEHIND)
        if now < self._next:  # else drawing is too slow for every step: the app says when
            self.draw_next()
        super().frame()
        left = self._next - time.perf_counter()
        if left > 0:
            time.sleep(left)
