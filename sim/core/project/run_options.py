"""The options of the `run` command: typed, checked, and described in one place.

The command line builds its flags from `RunOptions` and `FLAGS`, so a flag, its default and
its help text are written once.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Final

from base.errors import UsageError
from base.files import SHIPPED_ROOT

DEFAULT_SCENE: Final = SHIPPED_ROOT / "scenes" / "self_teaching.scene.json"

QUALITIES: Final = ("auto", "low", "medium", "high")
ERROR_POLICIES: Final = ("isolate", "pause", "abort")
VIDEO_SUFFIXES: Final = (".mp4", ".avi", ".webm", ".mkv", ".gif")
PICTURE_SUFFIXES: Final = (".png", ".jpg", ".jpeg")

SPEED_BOUNDS: Final = (1 / 32, 64.0)
WINDOW_BOUNDS: Final = (320, 200, 8192, 8192)
LARGEST_SEED: Final = 2**63 - 1
DEFAULT_DEBUG_PORT: Final = 5678
OptionValue = str | int | float | bool
"""What an option of a scene's scripts can be."""


@dataclass(frozen=True)
class Flag:
    """How an option is shown on the command line."""

    name: str
    """The flag with its dashes, as in "--games"."""
    metavar: str
    """Placeholder of the value in the help text; empty for a switch."""
    help: str
    """One line of help; the default in brackets."""


FLAGS: Final = MappingProxyType(
    {
        "headless": Flag(
            "--headless",
            "",
            "Draw offscreen instead of in a window. Needs --for, or an option of the scene that "
            "ends the run.",
        ),
        "graphics": Flag("--no-graphics", "", "No OpenGL at all, for servers. Implies --headless."),
        "window": Flag("--window", "WxH", "Size of the picture in pixels [1280x720]."),
        "quality": Flag(
            "--quality", "NAME", "auto, low, medium or high; auto measures at start [auto]."
        ),
        "speed": Flag(
            "--speed",
            "X",
            "1/32 to 64, or max: nothing waits, animations have no length "
            "[1 in a window, max with --headless].",
        ),
        "seconds": Flag("--for", "SECONDS", "Run for this many seconds, then stop."),
        "seed": Flag(
            "--seed",
            "N",
            "Make the run repeatable. Without --data-dir it starts with nothing learnt.",
        ),
        "video": Flag("--video", "OUT.mp4", "Record a video, frame-exact, 30 frames a second."),
        "screenshot": Flag("--screenshot", "OUT.png", "Save the last frame before the end."),
        "stats": Flag("--stats", "OUT.json", "Write what happened and how long it took."),
        "out": Flag("--out", "DIR", "Folder for the records of this run."),
        "data_dir": Flag(
            "--data-dir",
            "DIR",
            "Folder for what is learnt [your user data folder; "
            "a temporary one with --headless or --seed].",
        ),
        "fresh": Flag("--fresh", "", "Start anew instead of going on with what was learnt."),
        "panels": Flag("--no-ui", "", "Show the bare world, without panels."),
        "safe": Flag("--safe", "", "Open the scene without running its scripts."),
        "on_error": Flag(
            "--on-error",
            "POLICY",
            "What an error in a script does: isolate, pause or abort [the scene's setting].",
        ),
        "debug": Flag("--debug", "", "Let a debugger attach (debugpy, this machine only)."),
        "debug_port": Flag(
            "--debug-port",
            "N",
            f"Port for the debugger [{DEFAULT_DEBUG_PORT}]. Implies --debug.",
        ),
        "debug_wait": Flag(
            "--debug-wait", "", "Wait until the debugger has attached. Implies --debug."
        ),
    }
)
"""Every field of `RunOptions` but the scene and its own options, as the command line has it."""


def from_home(path: Path) -> Path:
    """Return a path whose `~` is the home folder: an IDE's run configuration has no shell."""
    return Path(os.path.expanduser(path))


@dataclass(frozen=True)
class RunOptions:
    """Options of `python main.py run`.

    `FLAGS` describes each option. None leaves an option to the scene or the kind of run.
    `script_options` are those that the scene's scripts declare, by name without dashes; they are
    checked when the scene is open.

    Raises:
        UsageError: a value is out of range, or two options exclude each other.
    """

    scene: Path = DEFAULT_SCENE
    headless: bool = False
    graphics: bool = True
    window: tuple[int, int] = (1280, 720)
    quality: str = "auto"
    speed: float | None = None
    seconds: float | None = None
    seed: int | None = None
    video: Path | None = None
    screenshot: Path | None = None
    stats: Path | None = None
    out: Path | None = None
    data_dir: Path | None = None
    fresh: bool = False
    panels: bool = True
    safe: bool = False
    on_error: str | None = None
    debug: bool = False
    debug_port: int = DEFAULT_DEBUG_PORT
    debug_wait: bool = False
    script_options: Mapping[str, OptionValue] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Apply what one option implies for others, and check all values."""
        for name in ("scene", "video", "screenshot", "stats", "out", "data_dir"):
            path = getattr(self, name)
            if path is not None:
                object.__setattr__(self, name, from_home(path))
        if not self.graphics:
            object.__setattr__(self, "headless", True)
        if self.debug_wait or self.debug_port != DEFAULT_DEBUG_PORT:
            object.__setattr__(self, "debug", True)
        self._check_numbers()
        self._check_names()
        self._check_together()

    @property
    def is_instant(self) -> bool:
        """Whether time is instant: no waiting, animations have no length."""
        return math.isinf(self.effective_speed)

    @property
    def effective_speed(self) -> float:
        """Speed of the clock: the given one, else infinite when headless, else 1.

        A video needs animations, so it runs at 1 unless another speed was asked for.
        """
        if self.speed is not None:
            return self.speed
        return math.inf if self.headless and self.video is None else 1.0

    @property
    def wants_temporary_data(self) -> bool:
        """Whether the run starts without learnt state and keeps none."""
        return self.data_dir is None and (self.headless or self.seed is not None)

    def _check_numbers(self) -> None:
        slowest, fastest = SPEED_BOUNDS
        if self.speed is not None and not (
            slowest <= self.speed <= fastest or self.speed == math.inf
        ):
            raise _usage("speed", "1/32 to 64, or max", self.speed)
        if self.seconds is not None and not 0 < self.seconds < math.inf:
            raise _usage("seconds", "more than 0 seconds", self.seconds)
        if self.seed is not None and not 0 <= self.seed <= LARGEST_SEED:
            raise _usage("seed", "a whole number from 0 to 2**63 - 1", self.seed)
        if not 1024 <= self.debug_port <= 65535:
            raise _usage("debug_port", "1024 to 65535", self.debug_port)
        least_width, least_height, most_width, most_height = WINDOW_BOUNDS
        width, height = self.window
        if not (least_width <= width <= most_width and least_height <= height <= most_height):
            bounds = f"{least_width}x{least_height} to {most_width}x{most_height}"
            raise _usage("window", bounds, f"{width}x{height}")

    def _check_names(self) -> None:
        if self.quality not in QUALITIES:
            raise _usage("quality", _listed(QUALITIES), self.quality)
        if self.on_error is not None and self.on_error not in ERROR_POLICIES:
            raise _usage("on_error", _listed(ERROR_POLICIES), self.on_error)
        if self.video is not None and self.video.suffix.lower() not in VIDEO_SUFFIXES:
            raise _usage("video", f"a file ending in {_listed(VIDEO_SUFFIXES)}", str(self.video))
        if self.screenshot is not None and (self.screenshot.suffix.lower() not in PICTURE_SUFFIXES):
            expected = f"a file ending in {_listed(PICTURE_SUFFIXES)}"
            raise _usage("screenshot", expected, str(self.screenshot))

    def _check_together(self) -> None:
        if not self.graphics and (self.video or self.screenshot):
            flag = "--video" if self.video else "--screenshot"
            raise UsageError(f"{flag}: expected a picture, found --no-graphics")
        if self.video is not None and self.speed == math.inf:
            raise UsageError("--video: expected --speed 1/32 to 64, found max (no animations)")


def options_of_next(options: RunOptions, scene: Path, *, kept: Collection[str] = ()) -> RunOptions:
    """Return the options for a scene opened from another one.

    Output files and options of the first scene are dropped.

    Args:
        options: options of the run that ends.
        scene: the scene to open.
        kept: scene options to keep: those that end a headless run.
    """
    return replace(
        options, scene=scene, video=None, screenshot=None, stats=None, out=None, fresh=False,
        script_options={
            name: value for name, value in options.script_options.items() if name in kept
        },
    )  # fmt: skip


def parse_speed(text: str) -> float:
    """Parse a speed: "max", "2", "0.25" or "1/4".

    Raises:
        UsageError: `text` is none of these.
    """
    if text.strip().lower() == "max":
        return math.inf
    match = re.fullmatch(r"\s*(\d+(?:\.\d*)?|\.\d+)(?:\s*/\s*(\d+))?\s*", text)
    if match is None or (match[2] is not None and int(match[2]) == 0):
        raise _usage("speed", "1/32 to 64, or max", text)
    return float(match[1]) / int(match[2] or 1)


def parse_window(text: str) -> tuple[int, int]:
    """Parse a window size such as "1280x720" into width and height.

    Raises:
        UsageError: `text` is not of this form.
    """
    match = re.fullmatch(r"\s*(\d{1,6})\s*[xX×]\s*(\d{1,6})\s*", text)
    if match is None:
        raise _usage("window", "WIDTHxHEIGHT, as in 1280x720", text)
    return int(match[1]), int(match[2])


def _usage(option: str, expected: str, found: object) -> UsageError:
    shown = repr(found) if isinstance(found, str) else str(found)
    return UsageError(f"{FLAGS[option].name}: expected {expected}, found {shown}")


def _listed(names: tuple[str, ...]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}"
