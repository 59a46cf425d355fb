"""`train ppo`: a policy for the agent of any scene, resumable at any moment.

What computes is imported when the command runs: every other command starts without it.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from base.errors import GoishiError, UsageError
from base.values import JsonObject
from sim.commands.cli.ending import PROGRAM, SUCCESS, say
from sim.commands.cli.output_folder import lock_out, writing_out
from sim.commands.learning.device import use_device
from sim.core.files.scene_file import find_project
from sim.core.project.trust import require_trust

if TYPE_CHECKING:
    from ai.learning.ppo.ppo import Settings
    from ai.learning.ppo.run import Plan, PpoRun
    from base.policies.policy import PlainSpace

STEPS: Final = 100_000
EVERY: Final = 5
"""Updates from line to line."""


@dataclass(frozen=True)
class Effort:
    """What a run may take: hours (None: any), processes, and episodes at the end."""

    hours: float | None
    jobs: int
    episodes: int


def option(flag: str, metavar: str, text: str) -> Any:
    """Return one option of the command line."""
    return typer.Option(flag, metavar=metavar, help=text)


Scene = Annotated[Path | None, option("--scene", "SCENE", "The scene, with one agent.")]
Steps = Annotated[int, option("--steps", "N", "Decisions to learn from, of all copies together.")]
Hours = Annotated[float | None, option("--hours", "H", "End earlier, after so many hours.")]
Jobs = Annotated[
    int, option("--jobs", "N", "Processes that step the scene; any number, the same run.")
]
Seed = Annotated[int, option("--seed", "N", "The training's seed.")]
Device = Annotated[str, option("--device", "NAME", "What trains: auto, cpu or gpu.")]
Episodes = Annotated[
    int, option("--episodes", "N", "Whole episodes on which the policy is measured at the end.")
]
Sets = Annotated[
    list[str] | None,
    option("--set", "KEY=VALUE", "Change a setting; repeatable. --set help lists them all."),
]
Out = Annotated[Path | None, option("--out", "DIR", "Folder of the run [runs/ppo_SCENE].")]
TrustIt = Annotated[
    bool, typer.Option("--trust", help="Run the scripts of a folder that you have not trusted.")
]
Resume = Annotated[bool, typer.Option("--resume", help="Go on with the training in the folder.")]


def train_ppo(
    scene: Scene = None,
    steps: Steps = STEPS,
    hours: Hours = None,
    jobs: Jobs = 1,
    seed: Seed = 0,
    device: Device = "auto",
    episodes: Episodes = 100,
    sets: Sets = None,
    out: Out = None,
    resume: Resume = False,
    trust: TrustIt = False,
) -> int:
    """Train a policy for the agent of a scene by proximal policy optimisation.

    Writes policy.npz, which `run SCENE --policy FILE` plays without TensorFlow, its card and
    metrics.jsonl into the folder. Killed at any moment, the same command with --resume goes on
    with the same numbers.
    """
    from ai.learning.ppo.ppo import OPTIONS

    if sets == ["help"]:
        for item in OPTIONS:
            say(f"{item.key:<15} {item.default!s:<8} {item.help}")
        return SUCCESS
    path = _scene(scene)
    given = _given(sets or [])
    _check(steps, hours, jobs, seed, episodes)
    require_trust(find_project(path), is_given=trust)
    spaces = _spaces(path)
    settings = _settings(spaces, given)
    if jobs > settings.envs:
        raise UsageError(f"--jobs: expected 1 to {settings.envs} (envs), found {jobs}")
    folder = out or Path("runs") / f"ppo_{path.name.removesuffix('.scene.json')}"
    with lock_out(folder):
        use_device(device)
        from ai.learning.ppo.run import Plan

        plan = Plan(path.name, steps, seed, settings)
        card = {"command": _command(plan, path, given)}
        _run(plan, path, folder, Effort(hours, jobs, episodes), card, resume=resume)
    return SUCCESS


def _scene(scene: Path | None) -> Path:
    if scene is None or not scene.is_file():
        found = "none" if scene is None else str(scene)
        raise UsageError(
            f"--scene: expected a file such as scenes/cart_pole.scene.json, found {found}"
        )
    return scene.resolve()


def _given(sets: list[str]) -> dict[str, object]:
    given: dict[str, object] = {}
    for text in sets:
        key, found, value = text.partition("=")
        if not found:
            raise UsageError(f"--set: expected KEY=VALUE, found {text!r}")
        given[key] = value
    return given


def _check(steps: int, hours: float | None, jobs: int, seed: int, episodes: int) -> None:
    for flag, value, least in (("--steps", steps, 1), ("--jobs", jobs, 1),
                               ("--seed", seed, 0), ("--episodes", episodes, 1)):  # fmt: skip
        if not least <= value < 2**31:
            raise UsageError(f"{flag}: expected a whole number of at least {least}, found {value}")
    if hours is not None and not 0.0 < hours <= 1e6:
        raise UsageError(f"--hours: expected a number above 0, found {hours:g}")


def _spaces(scene: Path) -> tuple[PlainSpace, PlainSpace]:
    """Return what the scene's agent observes and does.

    Raises:
        UsageError: it has no agent or several, or PPO cannot learn these.
        GoishiError: it cannot be opened.
    """
    from ai.learning.ppo.ppo import SpaceError, check_spaces
    from sim.app.copies import Copies

    with closing(Copies(scene, 1)) as one:
        spaces = one.spaces
    try:
        check_spaces(*spaces)
    except SpaceError as error:
        raise UsageError(f"{scene.name}: {error}") from None
    return spaces


def _settings(spaces: tuple[PlainSpace, PlainSpace], given: dict[str, object]) -> Settings:
    from ai.learning.ppo.ppo import Settings
    from base.schema import OptionError

    try:
        return Settings.of(spaces[1], given)
    except OptionError as error:
        raise UsageError(str(error)) from None


def _run(
    plan: Plan,
    scene: Path,
    folder: Path,
    effort: Effort,
    card: Mapping[str, object],
    *,
    resume: bool,
) -> None:
    """Train, measure, and tell."""
    from ai.learning.ppo.run import POLICY_FILE, PpoRun
    from ai.store.checkpoints import CheckpointError
    from ai.store.lines_file import LinesFileError
    from sim.app.stepping.crowd import Crowd

    started = time.monotonic()
    workers = effort.jobs if effort.jobs > 1 else 0
    with closing(Crowd(scene, plan.settings.envs, workers, {})) as crowd:
        run = PpoRun(plan, folder, crowd, lambda line: _tell(line, plan, started))
        try:
            with writing_out():
                run.prepare(resume=resume)
                _train(run, effort.hours)
                told = run.measure(effort.episodes, **card)
        except (CheckpointError, LinesFileError) as error:
            raise GoishiError(str(error)) from None
    _tell_card(told)
    say(f"policy in {folder / POLICY_FILE}")


def _train(run: PpoRun, hours: float | None) -> None:
    try:
        run.train(hours)
    finally:
        for message in run.messages:
            say(message)


def _command(plan: Plan, scene: Path, given: Mapping[str, object]) -> str:
    """Return the command that makes the same policy."""
    sets = "".join(f" --set {key}={value}" for key, value in given.items())
    shown = "/".join(scene.parts[-2:])
    return f"{PROGRAM} train ppo --scene {shown} --steps {plan.steps} --seed {plan.seed}{sets}"


def _tell(line: JsonObject, plan: Plan, started: float) -> None:
    """Write the line of an update, now and then, at once: a training is watched."""
    if line["update"] % EVERY and line["update"] != plan.updates:
        return
    gained = "–" if line["return"] is None else f"{line['return']:.1f}"
    say(
        f"{line['steps']:>9,} steps | return {gained:>8} ({line['episodes']} episodes) | entropy "
        f"{line['entropy']:.3f} | divergence {line['divergence']:.4f} | clipped "
        f"{line['clipped']:.1%} | {time.monotonic() - started:.0f} s"
    )
    sys.stdout.flush()


def _tell_card(card: JsonObject) -> None:
    frozen = card["frozen"]
    for name in ("trained", "untrained", "random"):
        found = frozen[name]
        say(
            f"{name:<10} return {found['mean']:.2f} ± {found['deviation']:.2f}, least "
            f"{found['least']:.2f}, over {frozen['episodes']} episodes"
        )
