"""The situation memory: remembered positions ("nodes") with labels, and nearest-neighbour search.

The paper calls it ANN (approximate nearest neighbour).
"""

from __future__ import annotations

from ai.memory.index import ExactIndex, NearestIndex, Neighbour, ProjectionIndex, create_index
from ai.memory.situation_memory import (
    DEFAULT_WIDTH,
    NOTHING,
    Combination,
    MemoryNodes,
    Recall,
    SituationMemory,
)

__all__ = [
    "DEFAULT_WIDTH",
    "NOTHING",
    "Combination",
    "ExactIndex",
    "MemoryNodes",
    "NearestIndex",
    "Neighbour",
    "ProjectionIndex",
    "Recall",
    "SituationMemory",
    "create_index",
]
