"""How fast scenes are as training environments, beside Gymnasium's own cart-pole in the same run.

    python -m benchmarks.environments [--steps N] [--rounds N]

Measured are

- an empty scene in the app's own loop at maximum speed, without graphics;
- the shipped cart-pole alone, in vectors of 64 in this process and in two others, and what the
  environment costs over stepping its scene;
- Gymnasium's `CartPole-v1`, which has no scene, no bodies and no picture: one in a loop,
  `SyncVectorEnv` 64, `AsyncVectorEnv` 8;
- the walker, nine bodies and eight motors, with a decision at each fixed step, and as it ships, at
  each second one. Beside it stands what Bullet takes alone for the same bodies, all awake: the
  walker cannot be faster;
- pictures of 64 x 64 pixels: a step and `render()` of one environment, drawn by the processor, and
  steps of the ball tracker, whose agent sees 32 x 32 pixels by a `CameraSensor`.

One step is one step of one agent, with `observe` and `act` in Python and random actions, and one
fixed step of the scene. Prints steps a second of wall time, and a second of processor time of all
processes that take part: other programs slow the first, not the second. All run in turn in each
round, and the median of the rounds counts. The exit code is 1 if a goal is missed.
"""

from __future__ import annotations

import json
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium
import numpy as np
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv

import goishi
from benchmarks.console import machine, parser_of, verdict
from benchmarks.programs import write_project
from sim.app.app import App
from sim.app.episodes import Episodes
from sim.core.scene.scene import Scene
from sim.testing import run_options

SHIPPED = goishi.internal_imports.ROOT / "scenes"
CART_POLE = SHIPPED / "cart_pole.scene.json"
COPIES, WORKERS, ASYNC = 64, 2, 8
WALKER_SCENE = SHIPPED / "walker.scene.json"
TRACKER_SCENE = SHIPPED / "ball_tracker.scene.json"
EMPTY_GOAL, CART_GOAL, WALKER_GOAL, OVERHEAD_GOAL = 5_000.0, 40_000.0, 5_000.0, 0.2
PICTURE_GOAL, PIXELS = 300.0, (64, 64)
WALKER_SHARE = 10  # a step of it takes so many times longer: fewer are made
PICTURE_SHARE = 100
WALKER_STEPS = 3  # of Bullet's in each of its scene's
TWO_CORES = 2.0
Loop = Callable[[int], int]
"""Makes about so many steps; returns how many."""


class Rate(NamedTuple):
    """Steps a second."""

    wall: float
    processor: float


def main() -> int:
    """Read the command line, measure, print; 1 where a goal is missed."""
    parser = parser_of(__doc__, steps=(20_000, "of one loop in a round"), rounds=5)
    options = parser.parse_args()
    print(machine(f"gymnasium {gymnasium.__version__}"))
    with ExitStack() as closing:
        loops = dict(opened(closing))
        found: dict[str, list[Rate]] = {name: [] for name in loops}
        for loop in loops.values():
            loop(options.steps // 10)  # warm
        for number in range(options.rounds):
            names = list(loops)
            for name in names[::-1] if number % 2 else names:
                found[name].append(measured(loops[name], options.steps))
    rates = {name: median(items) for name, items in found.items()}
    for name, rate in rates.items():
        a_processor_second = f"{rate.processor:9,.0f} a processor second"
        print(f"{name:>44}: {rate.wall:9,.0f} steps a second, {a_processor_second}")
    return 0 if all(list(judged(rates, found))) else 1


def judged(rates: dict[str, Rate], found: dict[str, list[Rate]]) -> Iterator[bool]:
    """Print each goal and how it came out; yield whether it is met."""
    yield report_goal("empty scene, a second of wall time", rates[EMPTY].wall, EMPTY_GOAL)
    for name, many, goal in (("cart-pole", MANY, CART_GOAL), ("walker", WALKERS, WALKER_GOAL)):
        both = TWO_CORES * rates[many].processor
        what = f"{name}, {COPIES} copies, {WORKERS} workers, a second of wall time"
        yield report_goal(what, rates[many].wall, goal)
        print(f"        the same with two free cores (twice a processor second): {both:,.0f}")
    alone, together = (1e6 / rates[name].processor for name in (BULLET, WALKER))
    print(
        f"  walker, a step: {together:,.0f} µs of a processor, of which Bullet alone takes "
        f"{alone:,.0f} ({alone / together:.0%})"
    )
    yield report_goal(
        "cart-pole, pictures of 64 x 64, a second of wall time", rates[PICTURES].wall, PICTURE_GOAL
    )
    for name, scene in ((ALONE, SCENE), (HERE, SCENES)):
        pairs = zip(found[scene], found[name], strict=True)
        over = float(np.median([bare.processor / one.processor - 1 for bare, one in pairs]))
        said = verdict(over <= OVERHEAD_GOAL)
        print(f"  {name} over its scene: {over:+.1%} (goal <= {OVERHEAD_GOAL:.0%}: {said})")
        yield over <= OVERHEAD_GOAL


def report_goal(what: str, value: float, goal: float) -> bool:
    """Print a goal and how it came out."""
    print(f"  {what}: {value:,.0f} (goal >= {goal:,.0f}: {verdict(value >= goal)})")
    return value >= goal


def measured(loop: Loop, steps: int) -> Rate:
    """Run a loop once."""
    wall, busy = time.perf_counter(), processor_seconds()
    done = loop(steps)
    return Rate(done / (time.perf_counter() - wall), done / max(1e-9, processor_seconds() - busy))


def processor_seconds() -> float:
    """Return the processor time of this process and of those that it has started."""
    here = resource.getrusage(resource.RUSAGE_SELF)
    return here.ru_utime + here.ru_stime + sum(map(seconds_of, children()))


def children() -> list[int]:
    """Return the numbers of the processes that this one has started and that run."""
    found = []
    for task in Path("/proc/self/task").iterdir():
        found += [int(item) for item in (task / "children").read_text().split()]
    return found


def seconds_of(pid: int) -> float:
    """Return a process's processor time."""
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e9
    except OSError:
        return 0.0


def median(rates: list[Rate]) -> Rate:
    """Return the medians."""
    return Rate(*(float(np.median(part)) for part in zip(*rates, strict=True)))


# -- what is measured ---------------------------------------------------------------------------

EMPTY = "empty scene, the app's loop"
SCENE = "cart-pole, its scene alone"
SCENES = f"cart-pole, {COPIES} scenes in turn"
ALONE = "cart-pole, one environment"
HERE = f"cart-pole, vector of {COPIES} in this process"
MANY = f"cart-pole, vector of {COPIES} in {WORKERS} processes"
WALKER = "walker, one environment"
WALKER_SHIPPED = "walker, two fixed steps a decision"
WALKERS = f"walker, vector of {COPIES} in {WORKERS} processes"
BULLET = "walker's bodies, Bullet alone"
PICTURES = "cart-pole, with a picture of 64 x 64"
WALKS = "walker, with a picture of 64 x 64"
TRACKER = "ball tracker, which sees 32 x 32"
GYM_ONE = "Gymnasium's CartPole-v1, one"
GYM_SYNC = f"Gymnasium's, SyncVectorEnv {COPIES}"
GYM_ASYNC = f"Gymnasium's, AsyncVectorEnv {ASYNC}"


def opened(closing: ExitStack) -> Iterator[tuple[str, Loop]]:
    """Open what is measured; yield each loop."""
    folder = Path(closing.enter_context(tempfile.TemporaryDirectory()))
    empty = write_project(folder / "empty")
    app = App(run_options(scene=empty, headless=True, graphics=False, seed=1, seconds=1e6))
    closing.callback(app.close)
    yield EMPTY, partial(frames_of, app)
    crowd = [Episodes.of_scene(CART_POLE) for _ in range(COPIES)]
    for episodes in crowd:
        closing.callback(episodes.close)
    yield SCENE, partial(steps_of_scenes, crowd[:1])
    yield SCENES, partial(steps_of_scenes, crowd)
    yield ALONE, partial(steps_of_one, ready(closing, goishi.make(CART_POLE)))
    makers: dict[str, Callable[[], Any]] = {
        HERE: lambda: goishi.make_vec(CART_POLE, COPIES),
        MANY: lambda: goishi.make_vec(CART_POLE, COPIES, workers=WORKERS),
        GYM_SYNC: lambda: SyncVectorEnv([gym_one] * COPIES),
        GYM_ASYNC: lambda: AsyncVectorEnv([gym_one] * ASYNC),
    }
    for name, make in makers.items():
        yield name, partial(steps_of_vector, ready(closing, make()))
    yield from opened_walkers(closing, folder)
    for name, scene in ((PICTURES, CART_POLE), (WALKS, WALKER_SCENE)):
        drawn = ready(closing, goishi.make(scene, render_mode="rgb_array", size=PIXELS))
        yield name, partial(steps_with_pictures, drawn)
    yield TRACKER, partial(steps_with_pictures, ready(closing, goishi.make(TRACKER_SCENE)))
    yield GYM_ONE, partial(steps_of_one, ready(closing, gym_one()))


def opened_walkers(closing: ExitStack, folder: Path) -> Iterator[tuple[str, Loop]]:
    """Open the walker, alone and in a vector; yield each loop."""
    document = json.loads(WALKER_SCENE.read_text("utf-8"))
    walker = document["objects"]["obj_back000001"]["components"]["cmp_walker0001"]
    walker["fields"]["decision_every"] = 1
    each = folder / "walker.scene.json"
    each.write_text(json.dumps(document), "utf-8")
    for name, copies, workers, scene in (
        (WALKER, 1, 0, each),
        (WALKER_SHIPPED, 1, 0, WALKER_SCENE),
        (WALKERS, COPIES, WORKERS, each),
    ):
        vector = ready(closing, goishi.make_vec(scene, copies, workers=workers))
        yield name, partial(steps_of_vector, vector)
    episodes = Episodes.of_scene(WALKER_SCENE)
    closing.callback(episodes.close)
    episodes.reset(1)
    for action in np.random.default_rng(1).uniform(-1.0, 1.0, (20, 5)):
        episodes.step([action])
    yield BULLET, partial(steps_of_bullet, episodes.world.scene)


def ready(closing: ExitStack, environment: Any) -> Any:
    """Begin an environment's first episode; it is closed with the others."""
    closing.callback(environment.close)
    environment.reset(seed=1)
    return environment


def gym_one() -> Any:
    """Return Gymnasium's own cart-pole."""
    return gymnasium.make("CartPole-v1", disable_env_checker=True)


def frames_of(app: App, steps: int) -> int:
    """Run frames as `App.run` does at maximum speed."""
    for _ in range(steps):
        begun = time.perf_counter()
        app.frame()
        app._pacing.rest(begun)
    return steps


def steps_of_scenes(crowd: list[Episodes], steps: int) -> int:
    """Step scenes themselves in turn: actions are put where their agents take them."""
    for episodes in crowd:
        episodes.reset()
    parts = [(item.agents[0], item.world.frame, item.world.agents.begin) for item in crowd]
    rounds = max(1, steps // len(crowd))
    for actions in np.random.default_rng(1).integers(0, 2, (rounds, len(crowd))).tolist():
        for (seat, frame, begin), action in zip(parts, actions, strict=True):
            if seat.is_done:
                begin()
            seat.given = action
            frame()
    return rounds * len(crowd)


def steps_of_one(environment: Any, steps: int) -> int:
    """Step one environment by random actions; a reset counts as no step."""
    actions = np.random.default_rng(1).integers(0, 2, steps).tolist()
    for action in actions:
        _, _, ended, cut, _ = environment.step(action)
        if ended or cut:
            environment.reset()
    return steps


def steps_of_vector(vector: Any, steps: int) -> int:
    """Step a vector by random actions."""
    copies, space = int(vector.num_envs), vector.single_action_space
    is_walker = bool(space.shape)
    rounds = max(1, steps // (WALKER_SHARE if is_walker else 1) // copies)
    rng, shape = np.random.default_rng(1), (rounds, copies, *space.shape)
    moves = rng.uniform(-1.0, 1.0, shape).astype(np.float32) if is_walker else None
    for row in rng.integers(0, 2, shape) if moves is None else moves:
        vector.step(row)
    return rounds * copies


def steps_with_pictures(environment: Any, steps: int) -> int:
    """Step an environment by random actions, and take its picture after each; 1 % of `steps`."""
    rounds = max(1, steps // PICTURE_SHARE)
    for _ in range(rounds):
        _, _, ended, cut, _ = environment.step(environment.action_space.sample())
        if environment.render_mode is not None:
            environment.render()
        if ended or cut:
            environment.reset()
    return rounds


def steps_of_bullet(scene: Scene, steps: int) -> int:
    """Let Bullet alone step a scene's bodies, as often as a step of the scene does."""
    from panda3d.core import TransformState  # after the scene has loaded it, as it has to be

    physics: Any = scene.physics
    world, each = physics._world, scene.settings.fixed_dt / WALKER_STEPS
    nodes = [body.node for body in physics._bodies.values() if body.is_dynamic]
    rounds = max(1, steps // WALKER_SHARE)
    for _ in range(rounds):
        for node in nodes:
            node.set_active(True, True)
        for _ in range(WALKER_STEPS):
            world.do_physics(each, 0)
        TransformState.garbage_collect()
    return rounds


if __name__ == "__main__":
    sys.exit(main())
