"""The options of the `run` command: typed, checked, and described in one place.

The command line builds its flags from `RunOptions`, so a flag, its default and its help text are
written once.
"""

# ruff: noqa: RUF009 (`_flag` returns a dataclass field, which ruff cannot see)
from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from base.errors import UsageError
from base.files import SHIPPED_ROOT, find_file, from_home
from base.schema import OPTION, Option, OptionValue, options_of
from sim.core.files.scene_file import find_project
from sim.core.files.scene_settings import ERROR_POLICIES
from sim.core.project.scene_path import find_scene

DEFAULT_SCENE: Final = SHIPPED_ROOT / "scenes" / "self_teaching.scene.json"

QUALITIES: Final = ("auto", "low", "medium", "high")
VIDEO_SUFFIXES: Final = (".mp4", ".avi", ".webm", ".mkv", ".gif")
PICTURE_SUFFIXES: Final = (".png", ".jpg", ".jpeg")

_PATHS: Final = "scene video screenshot stats profile out data_dir project policy"
PATHS: Final = tuple(_PATHS.split())
"""Fields of `RunOptions` that are files or folders."""

SPEED_BOUNDS: Final = (1 / 32, 64.0)
WINDOW_BOUNDS: Final = (320, 200, 8192)  # least width, least height, most of both
LARGEST_SEED: Final = 2**63 - 1
DEFAULT_DEBUG_PORT: Final = 5678


@dataclass(frozen=True, slots=True)
class Flag(Option):
    """An option of the run with its form on the command line."""

    metavar: str = ""
    """Name of the option's value in the help, such as "DIR"; may be empty for a scene's option."""
    listed_by: str = ""
    """Command that lists the possible values, "players" or "games"; empty if there is none."""
    ends_run: bool = False
    """Whether a run with this option ends by itself."""
    excludes: tuple[str, ...] = ()
    """Keys of options that cannot be combined with this one."""

    @property
    def flag(self) -> str:
        """Name on the command line with its dashes, such as "--games"."""
        return f"--{self.key}"

    @property
    def usage(self) -> str:
        """The flag with the name of its value, such as "--games N"; a switch has no value."""
        return self.flag if self.value_kind is bool else f"{self.flag} {self.value_name}"

    @property
    def value_name(self) -> str:
        """Name of the option's value in the help."""
        return self.metavar or ("TEXT" if self.value_kind is str else "N")

    def _error(self, value: object) -> UsageError:
        """Return an error that says what the option expects and what was given.

        Args:
            value: the value, which does not fit.
        """
        return UsageError(f"{self.flag}: expected {self.expectation}, found {value!r:.80}")


def _flag(
    default: object,
    help: str,
    metavar: str = "",
    *,
    key: str = "",
    kind: type[int | str] | None = None,
    minimum: float | None = None,
    maximum: float | None = None,
    choices: tuple[str, ...] = (),
) -> Any:
    """Declare a field of `RunOptions` as a flag of the command line.

    Args:
        default: the field's default. A default of type int or str is also the flag's.
        help: text for the help of the command line.
        metavar: name of the value in the help, such as "DIR".
        key: name of the flag without its two dashes; empty for the field's name with dashes.
        kind: type by which values are checked; None for a flag with checks of its own.
        minimum: smallest value; None for no limit.
        maximum: largest value; None for no limit.
        choices: the possible values; empty for any.
    """
    plain = default if isinstance(default, int | str) else None
    flag = Flag(key, plain, minimum, maximum, choices, help, kind=kind, metavar=metavar)
    return field(default=default, metadata={OPTION: flag})


@dataclass(frozen=True)
class RunOptions:
    """Options of `python main.py run`.

    An option that is None is decided by the scene or by the kind of run. `script_options` has the
    values of options that the scene's scripts declare, by name without dashes; they are checked
    when the scene is open. Paths other than `scene` are absolute, since a script may change the
    current folder. `is_environment` is no flag: it is True if a program steps the scene.

    Raises:
        UsageError: a value is out of range, or two options exclude each other.
    """

    scene: Path = DEFAULT_SCENE
    headless: bool = _flag(
        False,
        "Draw offscreen instead of in a window. Needs --for, --remote, or an option of the scene "
        "that ends the run.",
    )
    graphics: bool = _flag(
        True, "No OpenGL at all, for servers. Implies --headless.", key="no-graphics"
    )
    window: tuple[int, int] = _flag((1280, 720), "Size of the picture in pixels [1280x720].", "WxH")
    quality: str = _flag(
        "auto",
        "auto, low, medium or high; auto measures at start [auto].",
        "NAME",
        kind=str,
        choices=QUALITIES,
    )
    speed: float | None = _flag(
        None,
        "1/32 to 64, or max: nothing waits, animations have no length [1 in a window, max with "
        "--headless].",
        "X",
    )
    seconds: float | None = _flag(
        None, "Run for this many seconds, then stop.", "SECONDS", key="for"
    )
    seed: int | None = _flag(
        None,
        "Make the run repeatable. Without --data-dir it starts with nothing learnt.",
        "N",
        kind=int,
        minimum=0,
        maximum=LARGEST_SEED,
    )
    video: Path | None = _flag(None, "Record a video, frame-exact, 30 frames a second.", "OUT.mp4")
    screenshot: Path | None = _flag(None, "Save the last frame before the end.", "OUT.png")
    stats: Path | None = _flag(None, "Write what happened and how long it took.", "OUT.json")
    profile: Path | None = _flag(
        None, "Write what each frame's time went into, as a Chrome trace.", "OUT.json"
    )
    out: Path | None = _flag(None, "Folder for the records of this run.", "DIR")
    data_dir: Path | None = _flag(
        None,
        "Folder for what is learnt [your user data folder; a temporary one with --headless or "
        "--seed].",
        "DIR",
    )
    fresh: bool = _flag(False, "Start from nothing instead of continuing what was learnt.")
    panels: bool = _flag(True, "Show the bare world, without panels.", key="no-ui")
    safe: bool = _flag(False, "Open the scene without running its scripts.")
    trust: bool = _flag(False, "Run the scripts of a project folder that you have not trusted yet.")
    project: Path | None = _flag(
        None,
        "Let a scene that ships with Goishi have the players and games of this project, too.",
        "DIR",
    )
    policy: Path | None = _flag(
        None, "Let the scene's agents play this policy, a file of train ppo or sac.", "FILE"
    )
    engine: tuple[str, ...] = _flag(
        (),
        "Declare an outside engine for this run: the player gomocup:NAME. May be given several "
        "times.",
        "NAME=COMMAND",
    )
    on_error: str | None = _flag(
        None,
        "What an error in a script does: isolate, pause or abort [the scene's setting].",
        "POLICY",
        kind=str,
        choices=ERROR_POLICIES,
    )
    debug: bool = _flag(False, "Let a debugger attach (debugpy, this machine only).")
    debug_port: int = _flag(
        DEFAULT_DEBUG_PORT,
        f"Port for the debugger [{DEFAULT_DEBUG_PORT}]. Implies --debug.",
        "N",
        kind=int,
        minimum=1024,
        maximum=65535,
    )
    debug_wait: bool = _flag(False, "Wait until the debugger has attached. Implies --debug.")
    remote: bool = _flag(
        False,
        "Let Python programs on this machine control the run. Prints the line to connect with.",
    )
    remote_port: int = _flag(
        0,
        "Port for remote control [a free one]. Implies --remote.",
        "N",
        kind=int,
        minimum=0,
        maximum=65535,
    )
    paused: bool = _flag(False, "Begin with time standing still.")
    script_options: Mapping[str, OptionValue] = field(default_factory=dict)
    is_environment: bool = False

    def __post_init__(self) -> None:
        """Apply what one option implies for others, and check all values."""
        for name in PATHS:
            path = getattr(self, name)
            if path is not None:
                is_scene = name == "scene"  # keeps its name in messages until it is open
                found = find_file if name == "policy" else from_home
                path = find_scene(path) if is_scene else found(path).absolute()
                object.__setattr__(self, name, path)
        if not self.graphics:
            object.__setattr__(self, "headless", True)
        if self.debug_wait or self.debug_port != DEFAULT_DEBUG_PORT:
            object.__setattr__(self, "debug", True)
        if self.remote_port:
            object.__setattr__(self, "remote", True)
        for name, flag in FLAGS.items():
            if flag.kind is not None:
                flag.check(getattr(self, name))
        self._check_sizes()
        self._check_files()
        self._check_together()

    @property
    def is_instant(self) -> bool:
        """Whether the run never waits and animations are at their end at once."""
        return math.isinf(self.effective_speed)

    @property
    def effective_speed(self) -> float:
        """Speed of the clock; infinite for a headless run if no speed was given, else 1.

        A run that records a video has speed 1 by default even if it is headless, since a video
        needs animations.
        """
        if self.speed is not None:
            return self.speed
        return math.inf if self.headless and self.video is None else 1.0

    @property
    def wants_temporary_data(self) -> bool:
        """Whether the run starts without learnt state and keeps none."""
        return self.data_dir is None and (self.headless or self.seed is not None)

    @property
    def has_end(self) -> bool:
        """Whether the engine's own options ask for an end, or for files that are written then."""
        written = (self.video, self.screenshot, self.stats, self.profile, self.out)
        is_bound = self.seconds is not None or self.on_error == "abort"
        return is_bound or any(path is not None for path in written)

    def _check_sizes(self) -> None:
        slowest, fastest = SPEED_BOUNDS
        is_sound = self.speed is None or slowest <= self.speed <= fastest or self.speed == math.inf
        if not is_sound:
            raise _usage("speed", "1/32 to 64, or max", self.speed)
        if self.seconds is not None and not 0 < self.seconds < math.inf:
            raise _usage("seconds", "more than 0 seconds", self.seconds)
        least_width, least_height, most = WINDOW_BOUNDS
        width, height = self.window
        if not (least_width <= width <= most and least_height <= height <= most):
            bounds = f"{least_width}x{least_height} to {most}x{most}"
            raise _usage("window", bounds, f"{width}x{height}")

    def _check_files(self) -> None:
        if self.video is not None and self.video.suffix.lower() not in VIDEO_SUFFIXES:
            raise _usage("video", f"a file ending in {_listed(VIDEO_SUFFIXES)}", str(self.video))
        if self.screenshot is not None and self.screenshot.suffix.lower() not in PICTURE_SUFFIXES:
            expected = f"a file ending in {_listed(PICTURE_SUFFIXES)}"
            raise _usage("screenshot", expected, str(self.screenshot))
        if self.policy is not None and not self.policy.is_file():
            raise _usage("policy", "a file that train ppo or sac has written", str(self.policy))

    def _check_together(self) -> None:
        if not self.graphics and (self.video or self.screenshot):
            flag = "--video" if self.video else "--screenshot"
            raise UsageError(f"{flag}: expected a picture, found --no-graphics")
        if self.safe and self.trust:
            raise UsageError("--trust: expected it or --safe, found both")
        if self.video is not None and self.speed == math.inf:
            raise UsageError("--video: expected --speed 1/32 to 64, found max (no animations)")


FLAGS: Final[Mapping[str, Flag]] = MappingProxyType(
    {
        name: replace(flag, key=flag.key.replace("_", "-"))
        for name, flag in options_of(RunOptions).items()
    }
)
"""The flags, by name of the field of `RunOptions`."""


def offering_project(options: RunOptions) -> Path:
    """Return the folder of the project whose players and games a scene can use.

    This is the folder of --project for a scene shipped with Goishi, unless it is opened with
    --safe. For all other scenes it is the scene's own project.
    """
    own = find_project(options.scene)
    is_own = own != SHIPPED_ROOT or options.safe or options.project is None
    return own if is_own or options.project is None else options.project


def options_of_next(options: RunOptions, scene: Path, *, kept: Collection[str] = ()) -> RunOptions:
    """Return the options for a scene that is opened from another scene.

    Output files and the first scene's own options are dropped. In another project, --trust and
    --project are dropped too.

    Args:
        options: options of the run that ends.
        scene: path of the scene to open.
        kept: names of scene options to keep, because they end a headless run.
    """
    is_beside = find_project(scene) == find_project(options.scene)
    outputs = ("video", "screenshot", "stats", "profile", "out", "policy")
    no_outputs: dict[str, Any] = dict.fromkeys(outputs)
    return replace(
        options,
        scene=scene,
        **no_outputs,
        fresh=False,
        trust=options.trust and is_beside,
        project=options.project if is_beside else None,
        script_options={
            name: value for name, value in options.script_options.items() if name in kept
        },
    )


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
    return UsageError(f"{FLAGS[option].flag}: expected {expected}, found {shown}")


def _listed(names: tuple[str, ...]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}"


def check_options(options: RunOptions, declared: Mapping[str, Flag]) -> None:
    """Check the values given for a scene's own options, and that a headless run will end.

    Args:
        options: options of the run.
        declared: the scene's options, by name.

    Raises:
        UsageError: the scene has no such option, a value is invalid, two options exclude each
            other, or a headless run would never end.
    """
    for name, value in options.script_options.items():
        if name not in declared:
            raise UsageError(
                f"--{name}: expected a scene that has this option, found {options.scene.name}"
            )
        declared[name].check(value)
        other = next((key for key in declared[name].excludes if key in options.script_options), "")
        if other:
            raise UsageError(f"--{name}: expected no --{other} beside it, found both")
    has_end = (
        options.seconds is not None
        or options.remote
        or any(declared[name].ends_run for name in options.script_options)
    )
    if options.headless and not has_end:
        flag = "--headless" if options.graphics else "--no-graphics"
        ends = [option.usage for option in declared.values() if option.ends_run]
        expected = " or ".join([*ends, "--for SECONDS"])
        raise UsageError(f"{flag}: expected {expected} beside it (it has no end otherwise)")
