"""Goishi for Python programs and notebooks: any scene is a training environment.

    import goishi
    env = goishi.make("scenes/cart_pole.scene.json")         # a gymnasium.Env
    envs = goishi.make_vec("scenes/cart_pole.scene.json", num_envs=64, workers=2)
    env = gymnasium.make("goishi/CartPole-v0")               # the shipped ones by name
    app = goishi.launch("scenes/bouncing_balls.scene.json")  # or connect(…) to one that runs

`import goishi` registers the shipped environments with Gymnasium; everything else is loaded when it
is first used. Goishi's own packages (`base`, `sim`, `ai`) are loaded under names inside `goishi`.
So they are no top-level modules of the program (`goishi/internal_imports.py`).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from goishi.internal_imports import OWN, open_internal_imports
from goishi.registration import register_all

if TYPE_CHECKING:
    from base.errors import (
        FieldError,
        GoishiError,
        GoneError,
        ResetNeededError,
        SceneFileError,
        UsageError,
        WorkerLostError,
        WorldError,
    )
    from base.policies.policy import Policy, load_policy
    from goishi.environment import SceneEnv
    from goishi.games import GameEnv, make_game
    from goishi.make_env import make, make_vec
    from goishi.parallel import SceneParallelEnv
    from goishi.remote import AppLostError, RunningApp, connect, launch
    from goishi.sb3 import Sb3VecEnv
    from goishi.vector import SceneVectorEnv

open_internal_imports()
register_all()
__getattr__, __dir__, __all__ = import_module(f"{OWN}.base.door").open_door(__name__, __file__)
