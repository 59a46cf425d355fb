"""What scripts may know of the run they are part of."""

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
    """The run: its options, where it may write, what it reports, and how it ends.

    Attributes:
        seed: the run's seed; `seeded` tells whether the user gave it.
        seconds: how long to run, None for no end.
        graphics: False where there is no OpenGL at all.
        animated: False where animations have no length.
        temporary_data: the data directory is thrown away at the end.
        options: the options of the scene that were given, by their names without dashes.
        declared: the names of all options that the scene has.
        stats: what is written by --stats beside the engine's own keys.
        next_scene: the scene to open when this one has ended, None to end Goishi.
        recorder: films and takes screenshots, where there is a picture.
        manifest: what the project's `goishi.toml` offers; nothing of it is imported.
        sound: plays the sounds of the bank, where there is a loudspeaker.
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

    if not TYPE_CHECKING:  # scripts that declare no options of their own may ask for others' here

        def __getattr__(self, name: str) -> OptionValue:
            """Return an option of the scene, None where it was not given."""
            option = name.replace("_", "-")
            if option in self.__dict__.get("declared", ()):
                return self.options.get(option)
            raise AttributeError(f"the run has no {name!r}, and the scene no option --{option}")

    def startup(self, event: str) -> None:
        """Note that `event` happened now, seconds after the process began; the first one counts."""
        self.startup_seconds.setdefault(event, round(self.elapsed, 3))

    @property
    def stop_requested(self) -> bool:
        """True once somebody asked the run to end."""
        return self.exit_code is not None

    @property
    def elapsed(self) -> float:
        """Wall seconds since the process began."""
        return time.perf_counter() - self.started

    def finish(self, code: int = 0) -> None:
        """Ask the run to end after this frame; a failure is never overwritten by success.

        Raises:
            ValueError: the code is no whole number from 0 to 255.
        """
        if isinstance(code, bool) or not isinstance(code, int) or not 0 <= code <= 255:
            raise ValueError(f"finish: expected an exit code from 0 to 255, found {code!r}")
        if self.exit_code in (None, 0):
            self.exit_code = code
