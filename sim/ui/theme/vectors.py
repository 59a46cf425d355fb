"""ImGui's vectors, read by the numbers of their items."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def items_of(vector: Any) -> Iterator[Any]:
    """Yield the items of one of ImGui's vectors.

    `for item in vector` would do on Linux. In imgui-bundle's wheel for Windows all vectors share
    the iterator of the one that was iterated first, and yield items of its type.

    Args:
        vector: an `ImVector` of imgui-bundle.
    """
    return (vector[number] for number in range(len(vector)))
