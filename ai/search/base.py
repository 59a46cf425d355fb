"""What a search is asked and what it answers, whatever it searches by.

Every search is called as `search(board, evaluator, limit, rng, *, …)`: the position of a game that
goes on, unchanged on return; what judges the positions at which it stops; what it may cost; the
only source of randomness, consumed. Its own settings are keyword arguments with defaults.
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
    """What one move may cost; None: the player's own measure.

    The least that a player does (one genome, one look at the board) is done whatever the limit.
    """

    seconds: float | None = None
    """Wall seconds."""
    nodes: int | None = None
    """Positions looked at."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a search found for the side to move."""

    move: Move
    value: float
    """Expected result in [-1, 1] for the side to move."""
    policy: NDArray[np.float32]
    """`[A]` share of each move in the choice; sum 1."""
    visits: NDArray[np.int64]
    """`[A]` positions looked at below each move; zeros where a search does not tell them apart."""
    principal_variation: tuple[Move, ...]
    """The moves expected from here on, `move` first."""
    nodes: int
    """Positions looked at."""
