"""Vectors of a scene's copies for Stable-Baselines3, which is loaded with this module alone.

    import goishi
    from stable_baselines3 import SAC

    copies = goishi.Sb3VecEnv(goishi.make_vec("scenes/pendulum.scene.json", num_envs=8))
    model = SAC("MlpPolicy", copies)

`import goishi` does not need the package; the first use of `Sb3VecEnv` does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Discrete

from base.errors import UsageError
from goishi.spaces import Space
from goishi.vector import SceneVectorEnv

PACKAGE = "stable_baselines3"
Array = npt.NDArray[Any]
Indices: TypeAlias = int | Iterable[int] | None

if find_spec(PACKAGE) is not None:
    from stable_baselines3.common.vec_env import VecEnv
else:

    class VecEnv:  # type: ignore[no-redef]
        """Stands in for the base class where Stable-Baselines3 is not installed."""


class Sb3VecEnv(VecEnv):  # type: ignore[misc]  # a class of another package
    """Copies of a scene as a `VecEnv` of Stable-Baselines3.

    An episode that has ended begins anew in the same step, as Stable-Baselines3 expects. The infos
    of that step hold the last observation (`terminal_observation`). They also say whether the
    episode was cut off (`TimeLimit.truncated`). Whole numbers of a `Discrete` space begin at 0
    here, whatever they begin at in the scene.

    Args:
        envs: the copies, from `goishi.make_vec`; `close` closes them.

    Attributes:
        envs: the copies.

    Raises:
        UsageError: the package stable-baselines3 is not installed.
    """

    def __init__(self, envs: SceneVectorEnv) -> None:
        if VecEnv.__module__ == __name__:
            raise UsageError(
                "Sb3VecEnv: expected the package stable-baselines3, found none: "
                "pip install stable-baselines3"
            )
        self.envs = envs
        self._seen, self._done = envs.single_observation_space, envs.single_action_space
        super().__init__(envs.num_envs, _from_zero(self._seen), _from_zero(self._done))
        self._actions: Array | None = None

    # -- stepping -----------------------------------------------------------------------------

    def reset(self) -> Any:
        """Begin an episode in each copy; return the observations.

        Seeds given to `seed` are used once.

        Raises:
            UsageError: options were set; scenes have none at a reset.
            GoishiError: as of `SceneVectorEnv.reset`.
        """
        if any(self._options):
            raise UsageError(f"set_options: expected no options, found {self._options!r:.60}")
        is_seeded = any(seed is not None for seed in self._seeds)
        seen, infos = self.envs.reset(seed=list(self._seeds) if is_seeded else None)
        self.reset_infos = _by_copy(infos, self.num_envs)
        self._reset_seeds()
        self._reset_options()
        return self._observed(seen)

    def step_async(self, actions: Array) -> None:
        """Keep the actions `[num_envs, …]` for `step_wait`."""
        found = np.asarray(actions, self._done.dtype)
        self._actions = found + self._done.start if isinstance(self._done, Discrete) else found

    def step_wait(self) -> tuple[Any, Array, Array, list[dict[str, Any]]]:
        """Step all copies; copies whose episode has ended begin a new one.

        Returns:
            Observations, rewards `[num_envs]`, whether episodes have ended `[num_envs]`, and an
            info for each copy.

        Raises:
            GoishiError: as of `SceneVectorEnv.step`.
        """
        seen, rewards, terminated, truncated, told = self.envs.step(self._actions)
        infos, done = _by_copy(told, self.num_envs), terminated | truncated
        for row, info in enumerate(infos):
            info["TimeLimit.truncated"] = bool(truncated[row] and not terminated[row])
        if done.any():
            last = self._observed(seen)
            seen, begun = self.envs.reset(options={"reset_mask": done})
            of_reset = _by_copy(begun, self.num_envs)
            for row in np.flatnonzero(done).tolist():
                infos[row]["terminal_observation"] = _row(last, row)
                self.reset_infos[row] = of_reset[row]
        return self._observed(seen), rewards.astype(np.float32), done, infos

    def close(self) -> None:
        """Close the copies."""
        self.envs.close()

    def _observed(self, seen: Any) -> Any:
        return seen - self._seen.start if isinstance(self._seen, Discrete) else seen

    # -- what Stable-Baselines3 asks of environments ---------------------------------------------

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """Return an attribute for each of some copies; all copies have the same.

        Args:
            attr_name: name of the attribute.
            indices: numbers of the copies; None for all.

        Raises:
            AttributeError: the copies have no such attribute.
        """
        own = {"observation_space": self._seen, "action_space": self._done, "render_mode": None}
        value = own[attr_name] if attr_name in own else getattr(self.envs, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        """Refuse: attributes of copies are not set from outside.

        Raises:
            UsageError: always.
        """
        raise UsageError(
            f"set_attr: expected options of make_vec, found {attr_name}, set in copies that run"
        )

    def env_method(
        self, method_name: str, *method_args: Any, indices: Indices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Refuse: copies have no methods of their own.

        Raises:
            UsageError: always.
        """
        raise UsageError(
            f"env_method: expected none, as copies have no methods, found {method_name}"
        )

    def env_is_wrapped(self, wrapper_class: type, indices: Indices = None) -> list[bool]:
        """Return False for each of some copies: nothing is wrapped around them."""
        return [False for _ in self._get_indices(indices)]


def _from_zero(space: Space) -> Space:
    """Return a space whose whole numbers begin at 0; others as they are."""
    return Discrete(int(space.n)) if isinstance(space, Discrete) else space


def _row(seen: Any, row: int) -> Any:
    """Return the observation of one copy."""
    return {name: part[row] for name, part in seen.items()} if isinstance(seen, dict) else seen[row]


def _by_copy(infos: Mapping[str, Any], count: int) -> list[dict[str, Any]]:
    """Return the infos of each copy, from the form of Gymnasium's vector environments.

    Args:
        infos: values of all copies by key; those under `_key` say which copies have the key.
        count: number of copies.
    """
    found: list[dict[str, Any]] = [{} for _ in range(count)]
    for key, values in infos.items():
        if key.startswith("_") and key.removeprefix("_") in infos:
            continue
        parts = _by_copy(values, count) if isinstance(values, dict) else values
        for row in np.flatnonzero(infos.get(f"_{key}", np.ones(count, bool))).tolist():
            found[row][key] = parts[row]
    return found
