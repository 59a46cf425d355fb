"""What a method of learning is for a training: a learner, its settings, and the spaces it learns.

`ai/learning/ppo/ppo.py` and `ai/learning/sac/sac.py` are methods; `run.py` is the training of
either. N counts the environments of a learner.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias, TypeVar

from numpy.typing import NDArray

from base.policies.policy import PlainSpace, Policy
from base.schema import Option, OptionValue

Array: TypeAlias = NDArray[Any]
Step: TypeAlias = tuple[Array, Array, Array, Array]
"""Results of a step of N environments: (observations, rewards, terminated, truncated).

Observations are `[N, …]`, the others `[N]`. After the end of an episode the next step starts a new
episode and ignores the action. If an agent is done before the others in its scene, its rows are not
valid until the others are done, too.
"""


class SpaceError(ValueError):
    """The method cannot learn with these observation and action spaces, agents or teams."""


class Experience(Protocol):
    """Protocol of what a learner lives through between two updates.

    Attributes:
        returns: sum of the rewards of each episode that ended in it.
        lengths: number of steps of each of these episodes.
    """

    returns: list[float]
    lengths: list[int]


Kept = TypeVar("Kept", bound=Experience)


class Learner(Protocol[Kept]):
    """Protocol of a learner that trains a policy; it plays between updates.

    Attributes:
        done: number of updates so far.
        action_space: action space of its agents.
    """

    done: int
    action_space: PlainSpace

    def begin(self, observations: Array) -> None:
        """Prepare for new episodes that start with the observations `[N, …]`."""

    def open_rollout(self) -> Kept:
        """Return an empty experience, to be filled step by step."""

    def choose(self, kept: Kept, t: int) -> Array:
        """Choose the actions `[N, …]` of step `t`, and keep them."""

    def record(self, kept: Kept, t: int, step: Step) -> None:
        """Keep the results of step `t`."""

    def close_rollout(self, kept: Kept) -> None:
        """Complete an experience after its last step."""

    def update(self, kept: Kept) -> dict[str, float]:
        """Learn from an experience; return measures by name."""

    def steer(self, rate: float | None, clip: float | None) -> None:
        """Change settings of the running training; None leaves one as it is."""

    def policy(self, **card: object) -> Policy:
        """Return the current policy, with more entries for its card."""

    def state(self) -> dict[str, Array]:
        """Return the state as arrays by name; running episodes are not part of it."""

    def restore(self, arrays: Mapping[str, Array]) -> None:
        """Restore what `state` returned."""

    def episodes(self) -> dict[str, Array]:
        """Return what is known of the running episodes, as arrays by name."""

    def restore_episodes(self, arrays: Mapping[str, Array]) -> None:
        """Restore what `episodes` returned."""


class LearnerSettings(Protocol):
    """Protocol of a method's settings; they are frozen dataclasses.

    Attributes:
        envs: environments side by side.
        horizon: steps of each between two updates.
    """

    @property
    def envs(self) -> int:
        """Number of environments."""

    @property
    def horizon(self) -> int:
        """Number of steps of each environment between two updates."""

    @property
    def batch(self) -> int:
        """Number of steps between two updates, of all environments together."""

    def as_dict(self) -> dict[str, OptionValue]:
        """Return plain values for JSON."""


@dataclass(frozen=True, slots=True)
class Method:
    """A method of learning.

    Attributes:
        name: its name on the command line.
        format: format name and version of its runs' folders.
        options: its settings, as options for forms and command lines.
        settings: makes the settings from an action space and given values.
        check: raises `SpaceError` for an observation and an action space that it cannot learn.
        learner: makes a learner from both spaces, the settings, a seed, the number of updates and
            the folder of the run.
        has_several: whether it trains several agents.
    """

    name: str
    format: str
    options: tuple[Option, ...]
    settings: Callable[[PlainSpace, Mapping[str, object]], LearnerSettings]
    check: Callable[[PlainSpace, PlainSpace], None]
    learner: Callable[[PlainSpace, PlainSpace, Any, int, int, Path], Learner[Any]]
    has_several: bool


def collect(
    learners: Sequence[Learner[Kept]],
    horizon: int,
    act: Callable[[Sequence[Array]], Sequence[Step]],
) -> list[Kept]:
    """Play `horizon` steps in all environments; return each learner's experience.

    Args:
        learners: the learners, each with N environments of its own; `begin` was called on each.
        horizon: number of steps.
        act: function that steps all environments. It is called with a list of the learners' actions
            and returns a list of their results.
    """
    rollouts = [learner.open_rollout() for learner in learners]
    for t in range(horizon):
        actions = [one.choose(kept, t) for one, kept in zip(learners, rollouts, strict=True)]
        for one, kept, step in zip(learners, rollouts, act(actions), strict=True):
            one.record(kept, t, step)
    for one, kept in zip(learners, rollouts, strict=True):
        one.close_rollout(kept)
    return rollouts
