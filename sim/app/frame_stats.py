"""Statistics of drawn frames, grouped by whether a worker was training."""

from __future__ import annotations

import math
from array import array

import numpy as np

PERCENTILES = {"p50": 50.0, "p95": 95.0, "p99": 99.0}


class FrameStats:
    """Milliseconds of every drawn frame, in two groups: idle, or while a worker trained."""

    def __init__(self) -> None:
        self._idle = array("d")
        self._training = array("d")

    @property
    def drawn(self) -> int:
        """Frames drawn so far."""
        return len(self._idle) + len(self._training)

    def add(self, seconds: float, *, training: bool) -> None:
        """Count one drawn frame that took `seconds` from its input to its picture."""
        (self._training if training else self._idle).append(seconds * 1000.0)

    def summary(self) -> dict[str, object]:
        """Return the keys `frames`, `frame_ms` and `frame_ms_training` of the stats file."""
        return {
            "frames": self.drawn,
            "frame_ms": percentiles(self._idle),
            "frame_ms_training": percentiles(self._training),
        }


def percentiles(milliseconds: array[float]) -> dict[str, float | None]:
    """Return p50, p95, p99 and max of `milliseconds`; None for each when there are none.

    >>> percentiles(array("d", [1.0, 2.0, 3.0]))["max"]
    3.0
    >>> percentiles(array("d"))["p50"] is None
    True
    """
    if not milliseconds:
        return {**dict.fromkeys(PERCENTILES), "max": None}
    values = np.frombuffer(milliseconds, dtype=np.float64)
    figures: dict[str, float | None] = {
        name: round(float(np.percentile(values, share)), 3) for name, share in PERCENTILES.items()
    }
    figures["max"] = round(float(np.max(values)), 3)
    return {name: value if math.isfinite(value or 0.0) else None for name, value in figures.items()}
