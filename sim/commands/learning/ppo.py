"""`train ppo`: trains a policy for the agents of any scene; can be resumed at any moment.

Modules that compute are imported when the command runs, so that other commands start faster.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from base.errors import UsageError
from base.program import PROGRAM
from base.schema import OptionError
from base.storage.run_folder import writing_out
from base.values import JsonObject
from sim.commands.cli.cluster import (
    ADDRESS,
    BACKEND,
    RAY,
    SETTINGS,
    TRAINING_RESUME,
    TRAINING_SEED,
    check_cluster,
    check_hours,
    print_settings,
    use_device,
)
from sim.commands.cli.ending import SUCCESS, echo
from sim.commands.cli.flags import command, flag, settings_given, switch
from sim.core.files.scene_file import find_project
from sim.core.project.scene_path import require_scene
from sim.core.project.trust import require_no_unknown_code

if TYPE_CHECKING:
    from ai.learning.ppo.agents import TeamPlan
    from ai.learning.ppo.ppo import PpoSettings
    from ai.learning.ppo.run import Plan, PpoRun
    from sim.app.vector_world import VectorWorld

LARGEST: Final = 2**31 - 1
AT_LEAST_ONE: Final = "a whole number of at least 1"
STEPS: Final = flag(
    100_000,
    "--steps N",
    "Decisions to learn from, of all copies together.",
    1,
    LARGEST,
    expected=AT_LEAST_ONE,
)
JOBS: Final = flag(
    1,
    "--jobs N",
    "Processes that step the scene; any number, the same run.",
    1,
    LARGEST,
    expected=AT_LEAST_ONE,
)
EPISODES: Final = flag(
    100,
    "--episodes N",
    "Whole episodes on which the policy is measured at the end.",
    1,
    LARGEST,
    expected=AT_LEAST_ONE,
)
EVERY: Final = 5
"""After how many updates of the policy a line is printed."""


@dataclass(frozen=True)
class Effort:
    """Limits of a training, and where the copies of its scene run.

    Attributes:
        hours: maximum wall time in hours; None for no limit.
        jobs: number of processes that step the copies of the scene.
        episodes: number of episodes in which the finished policy is measured at the end.
        backend: "local" for processes of this machine, "ray" for a cluster.
        address: address of the Ray cluster; None: one is started on this machine.
    """

    hours: float | None
    jobs: int
    episodes: int
    backend: str = "local"
    address: str | None = None


@command
def train_ppo(
    *,
    scene: Path | None = flag(None, "--scene SCENE", "The scene, with one agent or several."),
    steps: int = STEPS,
    hours: float | None = flag(None, "--hours H", "End earlier, after so many hours."),
    jobs: int = JOBS,
    backend: str = BACKEND,
    address: str | None = ADDRESS,
    seed: int = replace(TRAINING_SEED, maximum=LARGEST, expected="a whole number of at least 0"),
    device: str = flag("auto", "--device NAME", "What trains: auto, cpu or gpu."),
    episodes: int = EPISODES,
    sets: list[str] | None = SETTINGS,
    out: Path | None = flag(None, "--out DIR", "Folder of the run [runs/ppo_SCENE]."),
    policies: str = flag(
        "shared",
        "--policies WHO",
        "Several agents: shared (one policy), teams or agents (one each).",
    ),
    self_play: bool = switch("--self-play", "Two teams: play past versions of the policy, too."),
    resume: bool = TRAINING_RESUME,
    trust: bool = switch("--trust", "Run the scripts of a folder that you have not trusted."),
) -> int:
    """Train policies for the agents of a scene by proximal policy optimisation.

    Writes policy.npz, its card and metrics.jsonl into the folder. `run SCENE --policy FILE` uses
    the policy without TensorFlow. If it was interrupted, the same command with --resume continues
    with the same numbers.
    """
    from ai.learning.ppo.agents import OPTIONS as TEAM_OPTIONS
    from ai.learning.ppo.ppo import OPTIONS
    from ai.learning.ppo.run import Plan, ppo_run

    if sets == ["help"]:
        print_settings((*OPTIONS, *TEAM_OPTIONS), 15, 8)
        return SUCCESS
    path = _scene(scene)
    given = settings_given(sets or ())
    check_hours(hours)
    check_cluster(backend, address)
    require_no_unknown_code(find_project(path), is_given=trust)
    settings, teams = _learnt(path, policies, given, is_self_play=self_play)
    if jobs > settings.envs:
        raise UsageError(f"--jobs: expected 1 to {settings.envs} (envs), found {jobs}")
    folder = out or Path("runs") / f"ppo_{path.name.removesuffix('.scene.json')}"
    with ppo_run(folder).claim():
        use_device(device)
        plan = Plan(path.name, steps, seed, settings)
        effort = Effort(hours, jobs, episodes, backend, address)
        card = {"command": _command(plan, path, given, teams)}
        _run(plan, teams, path, folder, effort, card, resume=resume)
    return SUCCESS


def _scene(scene: Path | None) -> Path:
    if scene is None:
        raise UsageError("--scene: expected a file such as scenes/cart_pole.scene.json, found none")
    return require_scene(scene, "--scene").resolve()


def _learnt(
    scene: Path, policies: str, given: Mapping[str, object], *, is_self_play: bool
) -> tuple[PpoSettings, TeamPlan]:
    """Return the settings with which PPO trains the agents of a scene.

    Args:
        scene: path of the scene file.
        policies: who has a policy: "shared" (one for all agents), "teams" or "agents" (one each).
        given: settings of the option `--set`, by key.
        is_self_play: whether the agents also play past versions of the policy.

    Returns:
        (settings of PPO, how several agents share policies).

    Raises:
        UsageError: the scene has no agent, PPO cannot learn its spaces, or a setting does not fit.
        GoishiError: the scene cannot be opened.
    """
    from ai.learning.ppo.agents import settings_of
    from ai.learning.ppo.ppo import SpaceError
    from sim.app.vector_world import VectorWorld

    with closing(VectorWorld(scene, 1)) as one:
        is_several = len(one.names) > 1
        is_alone = not (is_several or is_self_play or policies != "shared")
        try:
            found = settings_of(one, "" if is_alone else policies, given, is_self_play=is_self_play)
        except SpaceError as error:
            raise UsageError(f"{scene.name}: {error}") from None
        except OptionError as error:
            raise UsageError(str(error)) from None
    if not (is_several or is_alone):
        key = "--self-play" if is_self_play else "--policies"
        raise UsageError(f"{key}: expected a scene with several agents, found one in {scene.name}")
    return found


def _run(
    plan: Plan,
    teams: TeamPlan,
    scene: Path,
    folder: Path,
    effort: Effort,
    card: Mapping[str, object],
    *,
    resume: bool,
) -> None:
    """Train, measure the finished policy and print the results.

    Args:
        plan: settings of the training.
        teams: how several agents share policies.
        scene: path of the scene file.
        folder: folder of the run.
        effort: limits of the training, and where the copies of the scene run.
        card: further values for the card of the policy's file.
        resume: whether a training in the folder may be resumed.
    """
    from ai.learning.ppo.run import POLICY_FILE, PpoRun

    started = time.monotonic()
    with _opened(plan, scene, effort) as world:
        run = PpoRun(plan, folder, world, lambda line: _print_update(line, plan, started), teams)
        with writing_out():
            run.prepare(resume=resume)
            _train(run, effort.hours)
            told = run.measure(effort.episodes, **card)
    _print_card(told)
    is_one = teams.policies in ("", "shared")
    echo(f"policy in {folder / POLICY_FILE}" if is_one else f"policies in {folder}")


@contextmanager
def _opened(plan: Plan, scene: Path, effort: Effort) -> Iterator[VectorWorld]:
    """Context manager that opens the copies of the scene, and closes them at the end of its block.

    Args:
        plan: settings of the training, with the number of copies.
        scene: path of the scene file.
        effort: number of processes, and whether they run on this machine or a cluster.

    Yields:
        All copies as one `VectorWorld`.
    """
    from ai.runs.cluster import joined
    from sim.app.vector_world import VectorWorld

    with ExitStack() as stack:
        if effort.backend == RAY:
            ray = stack.enter_context(joined(effort.address))
            world = VectorWorld(scene, plan.settings.envs, effort.jobs, cluster=ray)
        else:
            workers = effort.jobs if effort.jobs > 1 else 0
            world = VectorWorld(scene, plan.settings.envs, workers)
        yield stack.enter_context(closing(world))


def _train(run: PpoRun, hours: float | None) -> None:
    try:
        run.train(hours)
    finally:
        for message in run.messages:
            echo(message)


def _command(plan: Plan, scene: Path, given: Mapping[str, object], teams: TeamPlan) -> str:
    """Return the command line that trains the same policy again, for the policy's card.

    Args:
        plan: settings of the training.
        scene: path of the scene file.
        given: settings of the option `--set`, by key.
        teams: how several agents share policies.
    """
    who = "" if teams.is_alone else f" --policies {teams.policies}"
    who += " --self-play" if teams.is_self_play else ""
    sets = "".join(f" --set {key}={value}" for key, value in given.items())
    shown = "/".join(scene.parts[-2:])
    return f"{PROGRAM} train ppo --scene {shown} --steps {plan.steps} --seed {plan.seed}{who}{sets}"


def _print_update(line: JsonObject, plan: Plan, started: float) -> None:
    """Print the metrics of an update, if its number is a multiple of `EVERY` or it is the last one.

    Args:
        line: metrics of the update.
        plan: settings of the training.
        started: `time.monotonic()` at the start of the training.
    """
    if line["update"] % EVERY and line["update"] != plan.updates:
        return
    gained = "–" if line["return"] is None else f"{line['return']:.1f}"
    echo(
        f"{line['steps']:>9,} steps | return {gained:>8} ({line['episodes']} episodes) | entropy "
        f"{line['entropy']:.3f} | divergence {line['divergence']:.4f} | clipped "
        f"{line['clipped']:.1%} | {time.monotonic() - started:.0f} s"
    )
    sys.stdout.flush()


def _print_card(card: JsonObject) -> None:
    frozen = card["frozen"]
    for name in ("trained", "untrained", "random", "script"):
        found = frozen.get(name)
        if found is None:
            continue
        echo(
            f"{name:<10} return {found['mean']:.2f} ± {found['deviation']:.2f}, least "
            f"{found['least']:.2f}, over {frozen['episodes']} episodes"
        )
    for title, match in frozen.get("matches", {}).items():
        echo(f"{title}: {match['won']:.0%} won, {match['drawn']:.0%} drawn of {match['episodes']}")
