"""The settings of the self-teaching learner, typed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Final

from ai.memory import DEFAULT_WIDTH
from base.schema import OptionValue

NODES: Final = "nodes"
KEPT: Final = "kept"


@dataclass(frozen=True, slots=True)
class LearningSettings:
    """Settings of the self-teaching learner; their meanings are in the player's settings."""

    records: int
    alpha: float | None
    relearn: str
    index: str
    capacity: int | None
    samples: str = NODES
    redraw: str = "new"
    epochs: int = 1
    least_steps: int = 1
    batch: int = 64
    rate: float = 0.001
    enough: float | None = None
    """Value of `held` at which a training ends early; None: never."""
    width: float = DEFAULT_WIDTH
    """Width of the kernel regression by which the memory answers."""
    warm_start: bool = False
    symmetries: bool = False
    mask_occupied: bool = False
    threat_labels: bool = False
    own_threats: bool = False
    win_records: bool = False
    rehearsal: bool = True
    hard_examples: bool = False
    steps: int = 60
    """Maximum number of steps of a warm training."""
    cycle: int | None = None
    """Steps after which a warm training checks `enough`; None: never."""
    near_losses: bool = False
    """Whether to train also after a won game in which a threat went unanswered."""
    variations: int = 0
    """Number of variations of each remembered threat state."""
    proofs: int | None = None
    """Node limit of the exact solver for each position of a game; None: it is not used."""
    prove_wins: bool = False
    """Whether the solver also analyses every won game."""

    @classmethod
    def from_settings(cls, settings: Mapping[str, OptionValue]) -> LearningSettings:
        """Select the learner's settings from a player's resolved settings.

        A player need not have each of them; what it has not has the default given here.
        """
        known = {item.name for item in fields(cls)}
        chosen: dict[str, Any] = {key: settings[key] for key in settings if key in known}
        return cls(**chosen)
