"""One training by Stable-Baselines3 or CleanRL, for `benchmarks.learners`; it runs in their Python.

    python -m benchmarks.learners_outside SETUP.json RESULT.json

SETUP.json names the library, the method, the environment, steps, discount and seed. Everything else
is the library's default. CleanRL's file lies outside of this repository (`cleanrl` in SETUP.json).
It is run as it is, in Gymnasium's present version. What that needs is set: episodes begin anew in
the step that ends them, their last observation has its earlier name, and a wrapper needs no space.
Its log files are left out. The exit code is 3 if the library is not installed.

`played` measures frozen policies of all libraries, in the same episodes.
"""

from __future__ import annotations

import json
import runpy
import sys
import time
import types
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import gymnasium
import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
MISSING: Final = 3
EPISODES: Final = 100
FIRST_EPISODE: Final = 50_000
"""Seed of the first episode in which policies are measured; no training has it."""


class Logged(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Notes the return of each episode, and how many steps all copies had made by then.

    Args:
        env: the environment.
        told: gets (steps, return) of each episode.
        count: the steps of all copies, as its only item.
    """

    def __init__(self, env: Any, told: list[tuple[int, float]], count: list[int]) -> None:
        super().__init__(env)
        self._told, self._count, self._total = told, count, 0.0

    def reset(self, **given: Any) -> Any:
        """Begin an episode."""
        self._total = 0.0
        return self.env.reset(**given)

    def step(self, action: Any) -> Any:
        """Make a step, and note the end of an episode."""
        found = self.env.step(action)
        self._total += float(found[1])
        self._count[0] += 1
        if found[2] or found[3]:
            self._told.append((self._count[0], self._total))
        return found


def played(environment: str, choose: Callable[[Array], Any]) -> dict[str, float]:
    """Play whole episodes by a frozen policy; return mean, deviation and least of their returns.

    Args:
        environment: its Gymnasium id.
        choose: chooses the action for an observation.
    """
    env, returns = made(environment), []
    for episode in range(EPISODES):
        seen, _ = env.reset(seed=FIRST_EPISODE + episode)
        total, is_over = 0.0, False
        while not is_over:
            seen, reward, terminated, truncated, _ = env.step(choose(seen))
            total, is_over = total + float(reward), terminated or truncated
        returns.append(total)
    env.close()
    found = np.array(returns)
    numbers = {"mean": found.mean(), "deviation": found.std(), "least": found.min()}
    return {name: round(float(value), 3) for name, value in numbers.items()}


def made(environment: str) -> Any:
    """Return an environment by its id; ids of Goishi's begin with its name."""
    if environment.startswith("goishi/"):
        import goishi  # noqa: F401  # it registers them
    return gymnasium.make(environment)


def by_sb3(setup: dict[str, Any], told: list[tuple[int, float]]) -> Callable[[Array], Any]:
    """Train by Stable-Baselines3; return the frozen policy."""
    import stable_baselines3

    env = Logged(made(setup["environment"]), told, [0])
    kind = getattr(stable_baselines3, setup["method"].upper())
    model = kind("MlpPolicy", env, gamma=setup["gamma"], seed=setup["seed"], device="cpu")
    model.learn(setup["steps"])
    return lambda seen: model.predict(seen, deterministic=True)[0]


def by_cleanrl(setup: dict[str, Any], told: list[tuple[int, float]]) -> Callable[[Array], Any]:
    """Train by a file of CleanRL; return the frozen policy."""
    count = [0]

    def logged() -> Any:
        return Logged(made(setup["environment"]), told, count)

    class Copies(gymnasium.vector.SyncVectorEnv):
        """Copies whose episodes begin anew in the step that ends them."""

        def __init__(self, functions: Any) -> None:
            mode = gymnasium.vector.AutoresetMode.SAME_STEP
            super().__init__(functions, autoreset_mode=mode)

        def step(self, actions: Any) -> Any:
            *found, infos = super().step(actions)
            infos.pop("final_info", None)  # it is read in another form
            infos["final_observation"] = infos.get("final_obs")  # its earlier name
            return (*found, infos)

    gymnasium.register(id="Logged-v0", entry_point=lambda **_: logged())
    wrapper = gymnasium.wrappers.TransformObservation
    vars(gymnasium.vector)["SyncVectorEnv"] = Copies
    vars(gymnasium.wrappers)["TransformObservation"] = lambda env, function: wrapper(
        env, function, None
    )
    silent = types.ModuleType("torch.utils.tensorboard")
    vars(silent)["SummaryWriter"] = Silent
    sys.modules["torch.utils.tensorboard"] = silent
    file = Path(setup["cleanrl"])
    sys.path[:0] = [str(file.parent), str(file.parents[1])]
    sys.argv = [file.name, "--env-id", "Logged-v0", "--seed", str(setup["seed"]), "--no-cuda"]
    sys.argv += ["--gamma", str(setup["gamma"]), "--total-timesteps", str(setup["steps"])]
    names = runpy.run_path(str(file), run_name="__main__")
    return _frozen(names)


class Silent:
    """Takes what CleanRL writes for TensorBoard, and keeps nothing."""

    def __init__(self, *given: Any) -> None:
        pass

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *given: None


def _frozen(names: dict[str, Any]) -> Callable[[Array], Any]:
    """Return CleanRL's policy as a function, from the names that its file has defined."""
    torch: Any = import_module("torch")
    if "actor" in names:
        return lambda seen: (
            names["actor"].get_action(torch.Tensor(seen)[None])[2][0].detach().numpy()
        )
    agent = names["agent"]
    if "ppo_continuous" not in names["args"].exp_name:
        return lambda seen: int(agent.actor(torch.Tensor(seen)[None]).argmax())
    bounds = names["envs"].single_action_space
    moments = names["envs"].envs[0].get_wrapper_attr("obs_rms")

    def choose(seen: Array) -> Array:
        scaled = (seen - moments.mean) / np.sqrt(moments.var + 1e-8)
        rows = torch.Tensor(np.clip(scaled, -10, 10))[None]
        action = agent.actor_mean(rows)[0].detach().numpy()
        found: Array = np.clip(action, bounds.low, bounds.high).astype(np.float32)
        return found

    return choose


LIBRARIES: Final = {
    "Stable-Baselines3": ("stable_baselines3", by_sb3),
    "CleanRL": ("torch", by_cleanrl),
}


def main() -> int:
    """Train, measure, write; return the exit code."""
    given, result = map(Path, sys.argv[1:])
    setup = json.loads(given.read_text(encoding="utf-8"))
    package, train = LIBRARIES[setup["library"]]
    if find_spec(package) is None:
        return MISSING
    torch: Any = import_module("torch")
    torch.set_num_threads(1)
    told: list[tuple[int, float]] = []
    started, own = time.monotonic(), time.process_time()
    choose = train(setup, told)
    seconds, processor = time.monotonic() - started, time.process_time() - own
    found = {
        "seconds": round(seconds, 1),
        "processor_seconds": round(processor, 1),
        "trained": played(setup["environment"], choose),
        "episodes": told,
    }
    result.write_text(json.dumps(found), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
