"""Registers the shipped environments with Gymnasium; `import goishi` calls it.

Since version 1.0 Gymnasium does not find environments in installed packages by itself. The program
must import `goishi` first, or name it, as in `gymnasium.make("goishi:goishi/CartPole-v0")`.
"""

from __future__ import annotations

from typing import Final

from gymnasium.envs.registration import register, registry

SCENES: Final = {
    "goishi/CartPole-v0": "cart_pole",
    "goishi/Pendulum-v0": "pendulum",
    "goishi/Car-v0": "car",
    "goishi/Reacher-v0": "reacher",
    "goishi/Walker-v0": "walker",
    "goishi/BallTracker-v0": "ball_tracker",
}
"""Scene name of each shipped environment, by its Gymnasium id."""


MOST_STEPS: Final = {
    "cart_pole": 500,
    "pendulum": 200,
    "car": 600,
    "reacher": 100,
    "walker": 400,
    "ball_tracker": 100,
}
"""Steps after which an episode of each shipped scene is cut off, as its field says."""


def register_all() -> None:
    """Register the shipped environments with Gymnasium; a second call does nothing."""
    for name, scene in SCENES.items():
        if name not in registry:
            register(
                id=name,
                entry_point="goishi.make_env:make_shipped",
                vector_entry_point="goishi.make_env:make_shipped_vec",
                kwargs={"scene": scene},
                max_episode_steps=MOST_STEPS[scene],
            )
