"""Small words that tests of several rooms share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from sim.testing import Pilot


def silent(_: object) -> None:
    """Take a report and do nothing."""


def same(first: Mapping[str, np.ndarray], second: Mapping[str, np.ndarray]) -> bool:
    """Whether two networks have the same weights to the bit."""
    return first.keys() == second.keys() and all((first[k] == second[k]).all() for k in first)


def errors(pilot: Pilot) -> list[str]:
    """Return the errors in the console of an app."""
    return [str(item) for item in pilot.app.console.records if item.level == "error"]


def place(obj: Any) -> np.ndarray:
    """Return where an object is in the world."""
    return np.asarray(obj.transform.world_position, dtype=float)
