"""Messages between the application and a worker that trains agents by PPO or SAC.

PPO (proximal policy optimisation) and SAC (soft actor-critic) are two methods of reinforcement
learning.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from base.policies.policy import Policy
    from base.values import JsonObject


@dataclass(frozen=True, slots=True)
class OpenPpo:
    """Train the agents of a scene; continue the training that is in the folder, if any.

    The worker sends `PolicyLearnt` after each update, and `TrainingStopped` on an error.
    """

    scene: str
    environments: str
    """Function that creates the environments, as "module:function".

    It is called with the scene and the number of its copies.
    """
    steps: int
    seed: int
    settings: Mapping[str, object]
    live: Mapping[str, float]
    """Values of the settings that may change during the training."""
    folder: str
    policies: str = ""
    """Which agents share a policy: all ("shared"), each team ("teams") or none ("agents").

    It is "" for a single agent.
    """
    is_self_play: bool = False
    """Whether the shared policy also plays against its own past versions."""
    method: str = "ppo"
    """The method of learning: "ppo" or "sac"."""


@dataclass(frozen=True, slots=True)
class ChangePpo:
    """Change some settings from the next update on."""

    live: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class PausePpo:
    """Pause the training if `is_paused` is True, else resume it."""

    is_paused: bool


@dataclass(frozen=True, slots=True)
class PolicyLearnt:
    """An update is finished, or the training was started or restored."""

    lines: tuple[JsonObject, ...]
    """Measures of this update; if a training was restored, those of all its updates so far."""
    policies: tuple[tuple[Policy, tuple[int, ...]], ...]
    """The policies, each with the indices of the agents that it acts for."""
    is_done: bool
    """Whether all updates are finished."""
