"""The settings of the self-teaching learner, typed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, cast

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
    samples: str
    redraw: str
    epochs: int
    least_steps: int
    batch: int
    rate: float
    enough: float | None
    """Value of `held` at which a training ends early; None: never."""
    width: float
    """Width of the kernel regression by which the memory answers."""
    index: str
    capacity: int | None
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
        """Select the learner's settings from a player's resolved settings."""
        capacity = settings["capacity"]
        alpha = settings["alpha"]
        enough = settings.get("enough")
        return cls(
            records=cast("int", settings["records"]),
            alpha=None if alpha is None else float(alpha),
            relearn=cast("str", settings["relearn"]),
            samples=cast("str", settings.get("samples", NODES)),
            redraw=cast("str", settings.get("redraw", "new")),
            epochs=cast("int", settings.get("epochs", 1)),
            least_steps=cast("int", settings.get("least_steps", 1)),
            batch=cast("int", settings.get("batch", 64)),
            rate=cast("float", settings.get("rate", 0.001)),
            enough=None if enough is None else float(enough),
            width=float(settings.get("width") or DEFAULT_WIDTH),
            index=cast("str", settings["index"]),
            capacity=_optional_int(capacity),
            warm_start=bool(settings.get("warm_start", False)),
            symmetries=bool(settings.get("symmetries", False)),
            mask_occupied=bool(settings.get("mask_occupied", False)),
            threat_labels=bool(settings.get("threat_labels", False)),
            own_threats=bool(settings.get("own_threats", False)),
            win_records=bool(settings.get("win_records", False)),
            rehearsal=bool(settings.get("rehearsal", True)),
            hard_examples=bool(settings.get("hard_examples", False)),
            steps=cast("int", settings.get("steps", 60)),
            cycle=_optional_int(settings.get("cycle")),
            near_losses=bool(settings.get("near_losses", False)),
            variations=cast("int", settings.get("variations", 0)),
            proofs=_optional_int(settings.get("proofs")),
            prove_wins=bool(settings.get("prove_wins", False)),
        )


def _optional_int(value: OptionValue) -> int | None:
    """Return a whole number that may be missing: a setting without a default holds a float."""
    return None if value is None else int(value)
