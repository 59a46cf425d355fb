"""Messages between the application and a worker that trains by PPO.

PPO, proximal policy optimisation, is a method of reinforcement learning.
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
    """Train the agents of a scene by PPO; continue the training that is in the folder, if any.

    The worker sends `PolicyLearnt` after each update, and `TrainingStopped` on an error.
    """

    scene: str
    environments: str
    """Function that creates the environments, "module:function"; called with (scene, copies)."""
    steps: int
    seed: int
    settings: Mapping[str, object]
    live: Mapping[str, float]
    """Current values of the settings that may change."""
    folder: str
    policies: str = ""
    """Who shares a policy: "shared", "teams" or "agents"; "" for a single agent."""
    is_self_play: bool = False
    """Whether the shared policy plays its past versions."""


@dataclass(frozen=True, slots=True)
class ChangePpo:
    """Change some settings from the next update on."""

    live: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class PausePpo:
    """Pause or resume the learning."""

    is_paused: bool


@dataclass(frozen=True, slots=True)
class PolicyLearnt:
    """An update is finished, or the training was started or restored."""

    lines: tuple[JsonObject, ...]
    """Measures of this update; after a restored training those of all updates so far."""
    policies: tuple[tuple[Policy, tuple[int, ...]], ...]
    """Each policy, with the indices of the agents that play it."""
    is_done: bool
    """Whether all updates are finished."""
