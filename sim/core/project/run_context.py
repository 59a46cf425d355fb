"""The run as scripts see it."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from base.schema import OptionValue
from sim.core.audio.sound_bank import AudioBackend, NullSound
from sim.core.project.manifest import Manifest
from sim.core.project.recording import NullRecorder, RecorderDoor


@dataclass
class RunContext:
    """The present run: its options, output folders, statistics and end.

    Attributes:
        seed: the run's seed; `seeded` tells whether the user gave it.
        seconds: duration of the run, None for no limit.
        graphics: False where there is no OpenGL at all.
        animated: False where animations have no length.
        temporary_data: the data directory is deleted at the end.
        options: given values of the scene's options, by name without dashes.
        declared: names of all options of the scene.
        stats: additional values for the output of --stats.
        next_scene: the scene to open when this one has ended, None to end Goishi.
        recorder: records videos and screenshots; a stub without graphics.
        manifest: what the project's `goishi.toml` offers; nothing of it is imported.
        given_project: the folder of --project, where a shipped scene may use what it offers.
        sound: audio backend; silent without a loudspeaker.
        policy: the file of --policy, which the scene's agents play; None without.
        is_environment: the scene is stepped from outside, and a learner steers its agents.
    """

    scene_path: Path
    project: Path
    data_dir: Path
    seed: int = 0
    seeded: bool = False
    seconds: float | None = None
    headless: bool = False
    graphics: bool = True
    animated: bool = True
    out: Path | None = None
    temporary_data: bool = True
    other_data_dir: Path | None = None
    fresh: bool = False
    options: dict[str, OptionValue] = field(default_factory=dict)
    declared: frozenset[str] = frozenset()
    stats: dict[str, object] = field(default_factory=dict)
    started: float = field(default_factory=time.perf_counter)
    startup_seconds: dict[str, float] = field(default_factory=dict)
    exit_code: int | None = None
    next_scene: Path | None = None
    recorder: RecorderDoor = field(default_factory=NullRecorder)
    sound: AudioBackend = field(default_factory=NullSound)
    manifest: Manifest | None = None
    given_project: Path | None = None
    policy: Path | None = None
    is_environment: bool = False

    if not TYPE_CHECKING:  # scripts that declare no options of their own may ask for others' here

        def __getattr__(self, name: str) -> OptionValue:
            """Return the value of a scene's option, None if it was not given."""
            option = name.replace("_", "-")
            if option in self.__dict__.get("declared", ()):
                return self.options.get(option)
            raise AttributeError(f"the run has no {name!r}, and the scene no option --{option}")

    def startup(self, event: str) -> None:
        """Record the time of a start-up event, seconds since the process began; only the first."""
        self.startup_seconds.setdefault(event, round(self.elapsed, 3))

    @property
    def offering(self) -> Path:
        """The project whose players and games the scene can use: its own, or that of --project."""
        return self.project if self.given_project is None else self.given_project

    @property
    def stop_requested(self) -> bool:
        """Whether the run was asked to end."""
        return self.exit_code is not None

    @property
    def elapsed(self) -> float:
        """Wall seconds since the process began."""
        return time.perf_counter() - self.started

    def finish(self, code: int = 0) -> None:
        """Ask the run to end after this frame; success never overrides an earlier failure.

        Raises:
            ValueError: the code is no whole number from 0 to 255.
        """
        if isinstance(code, bool) or not isinstance(code, int) or not 0 <= code <= 255:
            raise ValueError(f"finish: expected an exit code from 0 to 255, found {code!r}")
        if self.exit_code in (None, 0):
            self.exit_code = code
