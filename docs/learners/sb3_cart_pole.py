"""Stable-Baselines3 learns a scene: its PPO balances the cart-pole, in a vector of copies.

    pip install -e .[sb3]
    python docs/learners/sb3_cart_pole.py [--steps 40000] [--seed 1]

Prints the mean return of 20 episodes, of 500 at most, before and after.
"""

from __future__ import annotations

import argparse

from stable_baselines3 import PPO
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.vec_env import VecMonitor

import goishi

SCENE = "goishi/CartPole-v0"
COPIES = 8
"""Scenes beside each other in this process, each a world of its own."""


def main() -> None:
    """Learn and tell."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--steps", type=int, default=40_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    copies = VecMonitor(goishi.Sb3VecEnv(goishi.make_vec(SCENE, COPIES)))
    model = PPO(
        "MlpPolicy", copies, n_steps=256, batch_size=256, n_epochs=10, learning_rate=1e-3,
        gamma=0.98, gae_lambda=0.8, seed=options.seed, device="cpu",
    )  # fmt: skip
    for when in ("before", "after"):
        if when == "after":
            model.learn(options.steps)
        returns, _ = evaluate_policy(model, copies, n_eval_episodes=20)
        print(f"return {when}: {returns:.1f}")  # noqa: T201
    copies.close()


if __name__ == "__main__":
    main()
