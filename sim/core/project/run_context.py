"""The run as scripts see it in `self.run`: options, sound, recording and how to end it."""

from __future__ import annotations

import contextlib
import datetime
import functools
import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, cast

from base.closed import close
from base.errors import UsageError
from base.files import resolve_in_project
from base.schema import OptionValue
from base.trust import may_import
from base.values import JsonObject
from sim.core.audio.sound_bank import AudioBackend, NullSound
from sim.core.project.manifest import Manifest
from sim.core.project.saves import FOLDER as SAVES_FOLDER
from sim.core.project.saves import Saves
from sim.core.project.scene_change import SceneChange, checked_change
from sim.core.project.scene_dir import SceneIdentity, scene_dir
from sim.core.project.script_preferences import ScriptPreferences

Mode = Literal["real-time", "exact"]
FOLDER = "recordings"
LONGEST_NAME = 60
SIDES = (16, 7680)  # pixels of a picture's side, least and most


@dataclass
class RecordingSettings:
    """Settings of a video recording.

    Attributes:
        mode: "real-time" records what the user sees. "exact" advances scene time by the same amount
            for each frame, however long the frame takes to draw.
        suffix: kind of file: .mp4, .webm, .avi, .mkv or .gif.
        width: maximum width in pixels; 0 for the window's.
        size: width and height in pixels, with black bars where needed; None to follow the window
            and `width`.
        longest: maximum length, seconds.
        has_panels: whether panels are recorded.
    """

    mode: Mode = "real-time"
    suffix: str = ".mp4"
    width: int = 0
    size: tuple[int, int] | None = None
    longest: float = 600.0
    has_panels: bool = True


def parse_size(text: str) -> tuple[int, int]:
    """Parse a size such as "1280x720" into width and height in pixels.

    Raises:
        ValueError: it is malformed, or no valid video size.
    """
    least, most = SIDES
    match = re.fullmatch(r"\s*(\d{1,5})\s*[x×*, ]\s*(\d{1,5})\s*", text)
    size = (int(match[1]), int(match[2])) if match else (0, 0)
    if not all(least <= side <= most and side % 2 == 0 for side in size):
        raise ValueError(
            f"size: expected WIDTHxHEIGHT, even numbers from {least} to {most}, found {text!r}"
        )
    return size


class RecorderDoor(Protocol):
    """The recorder as scripts see it: `self.run.recorder`."""

    @property
    def is_recording(self) -> bool:
        """Whether a recording is running."""
        ...

    def record_game(self, name: str) -> AbstractContextManager[Path | None]:
        """Return a context manager that records a video during its block.

        Args:
            name: beginning of the file's name.

        Returns:
            The context manager; it gives the path of the video, or None if recording is impossible.
        """
        ...


class NullRecorder:
    """The recorder of a run that draws nothing."""

    is_recording = False

    @contextlib.contextmanager
    def record_game(self, name: str) -> Iterator[Path | None]:
        """Record nothing; yields None."""
        yield None


def recording_path(folder: Path, name: str, suffix: str, now: datetime.datetime) -> Path:
    """Return the path of a recording that does not exist yet.

    For example `recordings/game_12_2025-01-31_18-05-09.mp4`.

    Args:
        folder: folder of the recordings.
        name: beginning of the file's name; characters other than letters, digits, - and _ are
            replaced.
        suffix: suffix of the file, such as ".mp4".
        now: date and time for the file's name.
    """
    plain = re.sub(r"[^\w-]+", "_", name).strip("_")[:LONGEST_NAME] or "goishi"
    stem = f"{plain}_{now:%Y-%m-%d_%H-%M-%S}"
    path = folder / f"{stem}{suffix}"
    number = 1
    while os.path.lexists(path):  # a link that leads nowhere would be written through
        number += 1
        path = folder / f"{stem}_{number}{suffix}"
    return path


class _Folder:
    """A field with a path whose folder is made when the field is first read."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name, self._made = f"_{name}", f"_{name}_is_made"

    def __get__(self, instance: Any, owner: type) -> Path:
        if instance is None:
            raise AttributeError(self._name)  # so that the field has no default value
        path: Path = instance.__dict__[self._name]
        if not instance.__dict__.get(self._made):
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
            instance.__dict__[self._made] = True
        return path

    def __set__(self, instance: Any, path: Path) -> None:
        instance.__dict__[self._name] = path
        instance.__dict__[self._made] = False


@dataclass
class RunContext:
    """The present run: its options, output folders, statistics and end.

    Attributes:
        data_dir: folder for files of the scene; it is made when it is first asked for.
        seed: seed of the run's random generators; `seeded` says whether the user set it.
        seconds: duration of the run; None for no limit.
        graphics: whether there is OpenGL; False with --no-graphics.
        animated: whether animations take time; if False, they are at their end at once.
        reduces_motion: whether the user wants less motion: scripts then leave out flights,
            falls and showers.
        temporary_data: whether the data directory is deleted at the end.
        options: values that the user set for the scene's own options, by name without dashes.
        declared: names of all options that the scene's scripts declare.
        stats: additional values for the output of --stats.
        next_scene: the scene to open when this one has ended; None to end Goishi.
        recorder: records videos and screenshots; does nothing without graphics.
        manifest: entries of the project's `goishi.toml`; None if there is no project.
        given_project: the folder of --project, whose players and games a shipped scene can use.
        sound: audio backend; silent without a loudspeaker.
        preferences: what the user chose in scripts; `preference` declares such a value.
        policy: path of the policy file (--policy) for the scene's agents; None without.
        is_environment: whether a program outside steps the scene and a learner controls its agents.
        scene_id: id of the scene.
        is_known_scene: whether the user trusts the scene's project, or has opened the scene before.
        tell: called with each line for the user.
        is_remote: whether programs outside can control the scene (--remote).
        saves_dir: folder of the saved games of all projects; None for one in the data directory.
        given: what the scene was given by the script that has opened it, as JSON data.
        change: the scene that a script has asked to open next; None while none has.
        is_kept_open: whether the window stays when a script ends the run, until the app has
            decided; `asked_end` then has the script's exit code. None while no script has.
    """

    scene_path: Path
    project: Path
    data_dir: Path = cast("Path", _Folder())  # noqa: RUF009
    seed: int = 0
    seeded: bool = False
    seconds: float | None = None
    headless: bool = False
    graphics: bool = True
    animated: bool = True
    reduces_motion: bool = False
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
    preferences: ScriptPreferences = field(default_factory=ScriptPreferences)
    policy: Path | None = None
    is_environment: bool = False
    scene_id: str = ""
    is_known_scene: bool = True
    tell: Callable[[str], object] = bool
    is_remote: bool = False
    saves_dir: Path | None = None
    given: JsonObject = field(default_factory=dict)
    change: SceneChange | None = None
    is_kept_open: bool = False
    asked_end: int | None = None

    if not TYPE_CHECKING:  # scripts that declare no options of their own may ask for others' here

        def __getattr__(self, name: str) -> OptionValue:
            """Return the value of a scene's option by its name; None if the user did not set it.

            Raises:
                AttributeError: the scene declares no such option.
            """
            option = name.replace("_", "-")
            if option in self.__dict__.get("declared", ()):
                return self.options.get(option)
            raise AttributeError(f"the run has no {name!r}, and the scene no option --{option}")

    def startup(self, event: str, at: float | None = None) -> None:
        """Record when an event of the start-up happened, in seconds since the process began.

        Only the first call for an event counts.

        Args:
            event: name of the event, such as "window".
            at: when it happened, by `time.perf_counter`; None for now. A window that an earlier
                scene left open counts from now on.
        """
        passed = self.elapsed if at is None or at < self.started else at - self.started
        self.startup_seconds.setdefault(event, round(passed, 3))

    @property
    def offering(self) -> Path:
        """The folder of the project whose players and games the scene can use.

        This is the folder of --project if it was set, else the scene's own project.
        """
        return self.project if self.given_project is None else self.given_project

    @functools.cached_property
    def scene_dir(self) -> Path:
        """The scene's own folder in the data directory, for what it learns and for its games.

        Another scene never gets the same folder, not even a copy with the same id.
        """
        scene = SceneIdentity.of(self.scene_id, self.scene_path, self.project)
        folder, note = scene_dir(self.data_dir, scene, is_known=self.is_known_scene)
        if note:
            self.tell(note)
        return folder

    @functools.cached_property
    def saves(self) -> Saves:
        """The saved games of the scene's project."""
        folder = self.saves_dir or (self.other_data_dir or self.data_dir) / SAVES_FOLDER
        return Saves(folder, self.project)

    def open_scene(self, path: str, given: object, fade: float) -> None:
        """Ask for another scene of the project in place of this one; see `Scene.open`.

        Raises:
            UsageError: an argument does not fit, the file is missing or no valid scene, or a
                program steps the scene.
        """
        if self.is_environment:
            raise UsageError(
                "scene.open: expected a run of its own, found an environment, which is one scene"
            )
        if self.change is None:
            self.change = checked_change(
                self.project, path, given, fade, allows_missing=not self.headless
            )

    def file_named(self, path: str) -> Path:
        """Return the path of a file or folder that a field of the scene names.

        A scene from elsewhere may name only what lies inside its project. If the user trusts the
        project, it may name any path.

        Raises:
            UsageError: it leads out of the project, and the user does not trust the project.
        """
        if may_import(self.project):
            return Path(path)
        try:
            return resolve_in_project(self.project, path)
        except ValueError as error:
            raise UsageError(
                f"expected {error}, or any once you trust the project (docs/security.md), "
                f"found {path!r:.200}"
            ) from None

    @property
    def is_unattended(self) -> bool:
        """Whether neither a person nor another program can act on the scene.

        Only such a run ends by itself when what it runs for has failed.
        """
        return self.headless and not self.is_remote and not self.is_environment

    @property
    def stop_requested(self) -> bool:
        """Whether the run was asked to end."""
        return self.exit_code is not None

    @property
    def elapsed(self) -> float:
        """Wall seconds since the process began."""
        return time.perf_counter() - self.started

    def finish(self, code: int = 0) -> None:
        """End the run after this frame; code 0 never overrides an earlier failure.

        In a window with panels, which are an editor, the scene stops and the window stays.

        Args:
            code: exit code of the process; 0 for success.

        Raises:
            ValueError: the code is no whole number from 0 to 255.
        """
        if isinstance(code, bool) or not isinstance(code, int) or not 0 <= code <= 255:
            raise ValueError(f"finish: expected an exit code from 0 to 255, found {code!r}")
        if not self.is_kept_open or self.stop_requested:
            self.end(code)
        elif self.asked_end in (None, 0):
            self.asked_end = code

    def end(self, code: int = 0) -> None:
        """End the run after this frame, and the window with it, for the app or its user.

        Args:
            code: exit code of the process; 0 never overrides an earlier failure.
        """
        if self.exit_code in (None, 0):
            self.exit_code = code


close(RunContext)
