"""What a search is asked and what it answers, whatever it searches by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ai.evaluators.base import Evaluator
    from ai.game import Board, Move

EvaluatorT_contra = TypeVar("EvaluatorT_contra", bound="Evaluator", contravariant=True)


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


class Search(Protocol[EvaluatorT_contra]):
    """A search as a function; its own settings are keyword arguments with defaults."""

    def __call__(
        self, board: Board, evaluator: EvaluatorT_contra, limit: Limit, rng: np.random.Generator
    ) -> SearchResult:
        """Search a position.

        Args:
            board: position of a game that goes on; unchanged on return.
            evaluator: judges the positions at which the search stops.
            limit: what the search may cost.
            rng: draws among equal moves; consumed.
        """


__all__ = ["Limit", "Search", "SearchResult"]
