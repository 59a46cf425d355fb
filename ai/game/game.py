"""What any game is: the protocol that session, workers, learners and the board view rely on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ai.game.symmetry import grid_symmetries

if TYPE_CHECKING:
    from ai.game.outcome import Outcome
    from ai.game.position import Position

Color: TypeAlias = int
"""BLACK, WHITE, or EMPTY where nobody is meant."""

Move: TypeAlias = int
"""A point as a number: `row * size + col`, row 0 at the far side (the top, under gravity); PASS."""

BLACK: Final = 1
"""The side that moves first, and its stones."""
WHITE: Final = -1
"""The other side, and its stones."""
EMPTY: Final = 0
"""A point without a stone; nobody."""
PASS: Final = -1
"""The move of a side that can play no point: it counts as a ply, and the other side is to move."""


class Game(Protocol):
    """Two sides take turns at playing a point of a grid; Black begins.

    A game of one's own derives from it, as a frozen dataclass with the field `size`, and says at
    least how it ends. What can be played depends on the stones and the side to move alone. A side
    passes where it can play no point, and only there.

    Attributes:
        size: columns, 3 to 22.
        height: rows, 3 to 22, where the board is no square; None: as many as columns.
    """

    __slots__ = ()
    size: int
    height: int | None = None

    @property
    def rows(self) -> int:
        """Points along the other side: rows, where `size` counts the columns."""
        return self.size if self.height is None else self.height

    @property
    def points(self) -> int:
        """Number of points on the board, A: also the moves that a network ranks."""
        return self.size * (self.size if self.height is None else self.height)

    def start(self) -> NDArray[np.int8]:
        """Return `[A]` the colors that lie on the board before the first move."""
        return np.zeros(self.points, np.int8)

    def legal(self, stones: NDArray[np.int8], color: Color) -> NDArray[np.bool_]:
        """Return `[..., A]`: which points a side can play, the end of the game left aside.

        Args:
            stones: `[..., A]` colors, of many positions at once.
            color: BLACK or WHITE, the side to move.
        """
        free: NDArray[np.bool_] = stones == EMPTY
        return free

    def apply(self, stones: NDArray[np.int8], move: Move, color: Color) -> NDArray[np.int8]:
        """Return `[A]` the colors after a move, in a new array.

        Args:
            stones: `[A]` colors before it; unchanged on return.
            move: a legal point, never PASS.
            color: the side that plays it.
        """
        after = stones.copy()
        after[move] = color
        return after

    def outcome(self, position: Position) -> Outcome | None:
        """Return how the game ended, None while it goes on: then a side can play or pass."""
        ...

    def encode(self, stones: NDArray[np.int8], color: Color) -> NDArray[np.int8]:
        """Return `[..., A]` what a learner of one side sees: the other's stones 1, its own -1.

        Args:
            stones: `[..., A]` colors.
            color: the learner's.
        """
        return stones * np.int8(-color)

    def symmetries(self) -> NDArray[np.intp]:
        """Return `[S, A]` permutations that `legal` and `apply` commute with, the identity first.

        `stones[symmetries()[s]]` is the board under symmetry s, see `ai.game.symmetries`. All of
        the grid, where a game does not say otherwise; the start need not be symmetric.
        """
        return grid_symmetries(self.size, self.rows)

    def stones_after(self, moves: Sequence[Move]) -> NDArray[np.int8]:
        """Return `[A]` the colors after legal moves from the start."""
        stones, color = self.start(), BLACK
        for move in moves:
            stones = stones if move == PASS else self.apply(stones, move, color)
            color = -color
        return stones

    def as_dict(self) -> dict[str, object]:
        """Return plain values for JSON; `ai.game.game_of` reads them.

        The key "create" says which class of a project's scripts it is.
        """
        kind = type(self)
        fields = {name: getattr(self, name) for name in getattr(kind, "__dataclass_fields__", ())}
        return {"create": f"{kind.__module__}:{kind.__qualname__}", **fields}


__all__ = ["BLACK", "EMPTY", "PASS", "WHITE", "Color", "Game", "Move"]
