"""The search protocol: limits and results.

Every search is called as `search(board, evaluator, limit, rng, *, …)`: the position of an
unfinished game, unchanged on return; the evaluator of leaf positions; the budget; the only
source of randomness, consumed. Further settings are keyword arguments with defaults.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ai.game import Move


@dataclass(frozen=True, slots=True)
class Limit:
    """Budget of one move; None: the player's default.

    A minimum (one genome, one look at the board) is done whatever the limit.
    """

    seconds: float | None = None
    """Seconds by the wall, or the processor's where `on_processor`."""
    nodes: int | None = None
    """Number of positions."""
    soft_seconds: float | None = None
    """Wall seconds that a move is to take as a rule; None: nothing is saved, `seconds` are used.
    What plans its time ends sooner where nothing is left to find, and later where it pays."""
    on_processor: bool = False
    """Whether seconds are those that this process computes, all its threads together: what else
    the machine does takes nothing away. A wait costs nothing then."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Result of a search for the side to move."""

    move: Move
    value: float
    """Expected result in [-1, 1] for the side to move."""
    policy: NDArray[np.float32]
    """`[A]` policy of the search; sum 1."""
    visits: NDArray[np.int64]
    """`[A]` positions searched below each move; zeros if the search does not count them."""
    principal_variation: tuple[Move, ...]
    """Principal variation, `move` first."""
    nodes: int
    """Number of positions searched."""
