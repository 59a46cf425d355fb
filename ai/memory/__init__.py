"""Memories: of positions with labels, of line situations; and nearest-neighbour search.

The paper calls its memory of positions ANN (approximate nearest neighbour).
"""

from __future__ import annotations

from ai.memory.index import ExactIndex, NearestIndex, Neighbour, ProjectionIndex, create_index
from ai.memory.line_memory import LineMemory, LineNode
from ai.memory.lines import LineReader
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
    "LineMemory",
    "LineNode",
    "LineReader",
    "MemoryNodes",
    "NearestIndex",
    "Neighbour",
    "ProjectionIndex",
    "Recall",
    "SituationMemory",
    "create_index",
]
