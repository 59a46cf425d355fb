"""RLlib learns a scene: its PPO balances the cart-pole, in processes of their own.

    pip install -e .[rllib]
    python docs/learners/rllib_cart_pole.py [--steps 60000] [--runners 1] [--seed 1]

Prints the mean return of the episodes, of 500 at most, as it learns. On a cluster that runs
(`ray start --address …`) the runners are spread over its machines, which need Goishi, too.
"""

from __future__ import annotations

import argparse
import os
from typing import Any

import gymnasium

# RLlib loads TensorFlow where it is installed, whose LLVM and that of PyTorch end the process
os.environ["RLLIB_TEST_NO_TF_IMPORT"] = "1"

import ray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.tune.registry import register_env

SCENE = "goishi:goishi/CartPole-v0"
COPIES = 4
"""Scenes of each runner, each a world of its own."""


def make(_config: dict[str, Any]) -> Any:
    """Return an environment; called in the runners' processes."""
    return gymnasium.make(SCENE)


def main() -> None:
    """Learn and tell."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--steps", type=int, default=60_000)
    parser.add_argument("--runners", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    ray.init(include_dashboard=False, log_to_driver=False)
    register_env("cart-pole", make)
    config = (
        PPOConfig()
        .environment("cart-pole")
        .env_runners(num_env_runners=options.runners, num_envs_per_env_runner=COPIES)
        .training(
            lr=1e-3,
            gamma=0.98,
            lambda_=0.8,
            num_epochs=10,
            minibatch_size=256,
            train_batch_size_per_learner=4000,
            vf_clip_param=100.0,
        )
        .debugging(seed=options.seed)
    )
    learner = config.build_algo()
    steps = 0
    while steps < options.steps:
        runners = learner.train()["env_runners"]
        steps = int(runners["num_env_steps_sampled_lifetime"])
        print(f"{steps:7,} steps: return {runners['episode_return_mean']:.1f}", flush=True)  # noqa: T201
    learner.stop()
    ray.shutdown()


if __name__ == "__main__":
    main()
