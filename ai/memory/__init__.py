"""Memories: of positions with labels, of line situations; and nearest-neighbour search.

The paper calls its memory of positions ANN (approximate nearest neighbour).
"""

from __future__ import annotations

from ai.memory.hnsw_index import HnswIndex
from ai.memory.index import ExactIndex, IndexHistory, NearestIndex, Neighbour
from ai.memory.index_kinds import AUTO, EXACT, HNSW, INDEX_KINDS, AutoIndex, create_index
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
    "AUTO",
    "DEFAULT_WIDTH",
    "EXACT",
    "HNSW",
    "INDEX_KINDS",
    "NOTHING",
    "AutoIndex",
    "Combination",
    "ExactIndex",
    "HnswIndex",
    "IndexHistory",
    "LineMemory",
    "LineNode",
    "LineReader",
    "MemoryNodes",
    "NearestIndex",
    "Neighbour",
    "Recall",
    "SituationMemory",
    "create_index",
]
