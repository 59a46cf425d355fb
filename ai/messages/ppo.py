"""Messages between the application and a learner by PPO."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from base.policies.policy import Policy
    from base.values import JsonObject


@dataclass(frozen=True, slots=True)
class OpenPpo:
    """Learn to steer the agents of a scene by PPO; go on with what the folder holds.

    Answered, unasked, with `PolicyLearnt` for each update, and `TrainingStopped` where it cannot.
    """

    scene: str
    environments: str
    """`module:function`, called as `function(scene, copies)`: returns the environments."""
    steps: int
    seed: int
    settings: Mapping[str, object]
    live: Mapping[str, float]
    """The settings that may change, as they are wanted now."""
    folder: str
    policies: str = ""
    """Of several agents who shares one: "shared", "teams" or "agents"; empty for one agent."""
    is_self_play: bool = False
    """Whether the policy that all share plays its own past."""


@dataclass(frozen=True, slots=True)
class ChangePpo:
    """Change settings that may change, from the next update on."""

    live: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class PausePpo:
    """Pause or resume the learning."""

    is_paused: bool


@dataclass(frozen=True, slots=True)
class PolicyLearnt:
    """An update is done, or the training has begun or was taken up."""

    lines: tuple[JsonObject, ...]
    """The metrics of this update; of all so far, where it was taken up."""
    policies: tuple[tuple[Policy, tuple[int, ...]], ...]
    """Each, with the agents that play it: their places among those of the scene."""
    is_done: bool
    """Whether all updates are."""
