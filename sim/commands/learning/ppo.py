"""`train ppo` and `train sac`: policies for the agents of any scene; can be resumed at any moment.

Modules that compute are imported when the command runs, so that other commands start faster.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
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
    check_device,
    check_hours,
    print_settings,
    use_device,
)
from sim.commands.cli.ending import SUCCESS, echo
from sim.commands.cli.flags import command, flag, settings_given, switch
from sim.commands.cli.progress import TimeLeft, bar, left_text
from sim.core.files.scene_file import find_project
from sim.core.project.scene_path import require_scene
from sim.core.project.trust import require_no_unknown_code

if TYPE_CHECKING:
    from ai.learning.ppo.agents import TeamPlan
    from ai.learning.ppo.method import LearnerSettings, Method
    from ai.learning.ppo.run import Plan, PolicyRun
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
HOURS: Final = flag(None, "--hours H", "End earlier, after so many hours.")
SEED: Final = replace(TRAINING_SEED, maximum=LARGEST, expected="a whole number of at least 0")
DEVICE: Final = flag("auto", "--device NAME", "What trains: auto, cpu or gpu.")
TRUST: Final = switch("--trust", "Run the scripts of a folder that you have not trusted.")
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


@dataclass(frozen=True)
class Order:
    """What a command asks for: a training of a scene.

    Attributes:
        method: the method of learning.
        scene: path of the scene; None if it was not given.
        steps: number of decisions to learn from.
        seed: the training's seed.
        sets: texts KEY=VALUE of the option `--set`.
        out: folder of the run; None for one by the scene's name.
        policies: who has a policy: "shared" (one for all agents), "teams" or "agents" (one each).
        is_self_play: whether the agents also play past versions of the policy.
        is_resumed: whether a training in the folder may be resumed.
        is_trusted: whether the scene's scripts may run.
        device: what trains.
    """

    method: Method
    scene: Path | None
    steps: int
    seed: int
    sets: tuple[str, ...]
    out: Path | None
    is_resumed: bool
    is_trusted: bool
    device: str
    policies: str = "shared"
    is_self_play: bool = False


@command
def train_ppo(
    *,
    scene: Path | None = flag(None, "--scene SCENE", "The scene, with one agent or several."),
    steps: int = STEPS,
    hours: float | None = HOURS,
    jobs: int = JOBS,
    backend: str = BACKEND,
    address: str | None = ADDRESS,
    seed: int = SEED,
    device: str = DEVICE,
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
    trust: bool = TRUST,
) -> int:
    """Train policies for the agents of a scene by proximal policy optimisation.

    Writes policy.npz, its card and metrics.jsonl into the folder. `run SCENE --policy FILE` uses
    the policy without TensorFlow. If it was interrupted, the same command with --resume continues
    with the same numbers.
    """
    from ai.learning.ppo.agents import OPTIONS
    from ai.learning.ppo.ppo import PPO

    if sets == ["help"]:
        print_settings((*PPO.options, *OPTIONS), 15, 8)
        return SUCCESS
    order = Order(
        PPO, scene, steps, seed, tuple(sets or ()), out, resume, trust, device, policies, self_play
    )
    return _carry_out(order, Effort(hours, jobs, episodes, backend, address))


@command
def train_sac(
    *,
    scene: Path | None = flag(
        None, "--scene SCENE", "The scene, with one agent whose actions are bounded numbers."
    ),
    steps: int = STEPS,
    hours: float | None = HOURS,
    jobs: int = JOBS,
    backend: str = BACKEND,
    address: str | None = ADDRESS,
    seed: int = SEED,
    device: str = DEVICE,
    episodes: int = EPISODES,
    sets: list[str] | None = SETTINGS,
    out: Path | None = flag(None, "--out DIR", "Folder of the run [runs/sac_SCENE]."),
    resume: bool = TRAINING_RESUME,
    trust: bool = TRUST,
) -> int:
    """Train a policy for the agent of a scene by soft actor-critic.

    It needs fewer steps of the scene than `train ppo`, and more time for each. Its files are those
    of `train ppo`. `run SCENE --policy FILE` uses the policy without TensorFlow. If it was
    interrupted, the same command with --resume continues with the same numbers.
    """
    from ai.learning.sac.sac import SAC

    if sets == ["help"]:
        print_settings(SAC.options, 15, 8)
        return SUCCESS
    order = Order(SAC, scene, steps, seed, tuple(sets or ()), out, resume, trust, device)
    return _carry_out(order, Effort(hours, jobs, episodes, backend, address))


def _carry_out(order: Order, effort: Effort) -> int:
    """Check what was asked for, then train; return the exit code."""
    from ai.learning.ppo.run import Plan, training_folder

    path = _scene(order.scene)
    given = settings_given(order.sets)
    check_hours(effort.hours)
    check_cluster(effort.backend, effort.address)
    check_device(order.device)
    require_no_unknown_code(find_project(path), is_given=order.is_trusted)
    settings, teams = _learnt(path, order, given)
    if effort.jobs > settings.envs:
        raise UsageError(f"--jobs: expected 1 to {settings.envs} (envs), found {effort.jobs}")
    name = order.method.name
    folder = order.out or Path("runs") / f"{name}_{path.name.removesuffix('.scene.json')}"
    with training_folder(folder, order.method).claim():
        plan = Plan(path.name, order.steps, order.seed, settings)
        card = {"command": _command(name, plan, path, given, teams)}
        _run(plan, teams, path, folder, effort, card, order)
    return SUCCESS


def _scene(scene: Path | None) -> Path:
    if scene is None:
        raise UsageError("--scene: expected a file such as scenes/cart_pole.scene.json, found none")
    return require_scene(scene, "--scene").resolve()


def _learnt(
    scene: Path, order: Order, given: Mapping[str, object]
) -> tuple[LearnerSettings, TeamPlan]:
    """Return the settings with which the agents of a scene are trained.

    Args:
        scene: path of the scene file.
        order: what the command asks for.
        given: settings of the option `--set`, by key.

    Returns:
        (settings of the method, how several agents share policies).

    Raises:
        UsageError: the scene has no agent, the method cannot learn its spaces, or a setting does
            not fit.
        GoishiError: the scene cannot be opened.
    """
    from ai.learning.ppo.agents import settings_of
    from ai.learning.ppo.method import SpaceError
    from sim.app.vector_world import VectorWorld

    policies, is_self_play = order.policies, order.is_self_play
    with closing(VectorWorld(scene, 1)) as one:
        is_several = len(one.names) > 1
        is_alone = not (is_several or is_self_play or policies != "shared")
        try:
            found = settings_of(
                one,
                "" if is_alone else policies,
                given,
                is_self_play=is_self_play,
                method=order.method,
            )
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
    order: Order,
) -> None:
    """Train, measure the finished policy and print the results.

    Args:
        plan: settings of the training.
        teams: how several agents share policies.
        scene: path of the scene file.
        folder: folder of the run.
        effort: limits of the training, and where the copies of the scene run.
        card: further values for the card of the policy's file.
        order: what the command asks for.
    """
    with bar(order.method.name, plan.total, "loading TensorFlow") as show:
        use_device(order.device)
        from ai.learning.ppo.run import POLICY_FILE, PolicyRun

        told = Told(plan, show)
        with _opened(plan, scene, effort) as world:
            run = PolicyRun(
                plan,
                folder,
                world,
                told.update,
                teams,
                method=order.method,
                stepped=told.step,
            )
            with writing_out():
                run.prepare(resume=order.is_resumed)
                _train(run, effort.hours)
                show(plan.total, f"playing {effort.episodes} episodes of each player")
                card = run.measure(effort.episodes, **card)
    _print_card(card)
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


def _train(run: PolicyRun, hours: float | None) -> None:
    try:
        run.train(hours)
    finally:
        for message in run.messages:
            echo(message)


def _command(
    method: str, plan: Plan, scene: Path, given: Mapping[str, object], teams: TeamPlan
) -> str:
    """Return the command line that trains the same policy again, for the policy's card.

    Args:
        method: name of the method of learning.
        plan: settings of the training.
        scene: path of the scene file.
        given: settings of the option `--set`, by key.
        teams: how several agents share policies.
    """
    who = "" if teams.is_alone else f" --policies {teams.policies}"
    who += " --self-play" if teams.is_self_play else ""
    sets = "".join(f" --set {key}={value}" for key, value in given.items())
    shown = "/".join(scene.parts[-2:])
    steps = f"--steps {plan.steps} --seed {plan.seed}"
    return f"{PROGRAM} train {method} --scene {shown} {steps}{who}{sets}"


class Told:
    """Tells how a training goes on: its steps to the progress bar, its updates as lines.

    Args:
        plan: settings of the training.
        show: shows the number of steps and a note.
    """

    def __init__(self, plan: Plan, show: Callable[[int, str], None]) -> None:
        self._plan, self._show = plan, show
        self._left = TimeLeft(plan.total)
        self._note = "first episodes"

    def step(self, steps: int) -> None:
        """Show the number of steps so far."""
        self._left.seconds(steps)
        self._show(steps, self._note)

    def update(self, line: JsonObject) -> None:
        """Print the metrics of an update, if `EVERY` divides its number or it is the last one.

        Args:
            line: metrics of the update.
        """
        gained = "–" if line["return"] is None else f"{line['return']:.1f}"
        self._note = f"return {gained}"
        if line["update"] % EVERY and line["update"] != self._plan.updates:
            return
        seconds = self._left.seconds(line["steps"])
        left = "" if seconds is None else f" | {left_text(seconds)}"
        echo(
            f"{line['steps']:>9,} steps | return {gained:>8} ({line['episodes']} episodes) | "
            f"{_measures(line)}{left}"
        )
        sys.stdout.flush()


def _measures(line: JsonObject) -> str:
    """Return in words what an update of PPO or SAC measured."""
    entropy = f"entropy {line['entropy']:.3f}"
    if "temperature" in line:
        return f"{entropy} | temperature {line['temperature']:.4f} | value {line['value']:.1f}"
    return f"{entropy} | divergence {line['divergence']:.4f} | clipped {line['clipped']:.1%}"


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
