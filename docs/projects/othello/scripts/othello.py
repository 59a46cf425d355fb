"""Othello: a disc is played where it encloses discs of the other side, which turn over."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ai import BLACK, EMPTY, WHITE, Game, Outcome, Position, Termination

Stones = NDArray[np.int8]

STEPS = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if down or right]


@dataclass(frozen=True)
class Othello(Game):
    """Played until neither side encloses anything; who has more discs then wins."""

    size: int = 6

    def start(self) -> Stones:
        """Return `[A]` the four discs in the middle."""
        grid = np.zeros((self.size, self.size), np.int8)
        middle = slice(self.size // 2 - 1, self.size // 2 + 1)
        grid[middle, middle] = [[WHITE, BLACK], [BLACK, WHITE]]
        return grid.ravel()

    def legal(self, stones: Stones, color: int) -> NDArray[np.bool_]:
        """Return `[..., A]`: the empty points from which a side encloses discs."""
        size, most = self.size, self.size - 1
        grid = stones.reshape(-1, size, size)
        padded = np.pad(grid, ((0, 0), (most, most), (most, most)))
        own, others = padded == color, padded == -color
        legal = np.zeros(grid.shape, np.bool_)
        for down, right in STEPS:
            is_between = np.ones(grid.shape, np.bool_)  # only discs of the other side up to here
            for far in range(1, size):
                top, left = most + far * down, most + far * right
                seen = np.s_[:, top : top + size, left : left + size]
                legal |= is_between & own[seen] if far > 1 else False
                is_between &= others[seen]
        legal &= grid == EMPTY
        return legal.reshape(stones.shape)

    def apply(self, stones: Stones, move: int, color: int) -> Stones:
        """Return `[A]` the colors after a move: its disc, and those it encloses turned over."""
        after = stones.copy()
        after[move] = color
        grid = after.reshape(self.size, self.size)
        for down, right in STEPS:
            row, column = divmod(move, self.size)
            enclosed: list[tuple[int, int]] = []
            while self._is_inside(row := row + down, column := column + right):
                if grid[row, column] != -color:
                    break
                enclosed.append((row, column))
            else:
                continue  # the edge came first
            for point in enclosed if grid[row, column] == color else ():
                grid[point] = color
        return after

    def outcome(self, position: Position) -> Outcome | None:
        """Return who has more discs once neither side can play."""
        stones = np.array(position.stones, np.int8)
        if any(self.legal(stones, side).any() for side in (BLACK, WHITE)):
            return None
        return Outcome(int(np.sign(stones.sum())), Termination.SCORE)

    def _is_inside(self, row: int, column: int) -> bool:
        return 0 <= row < self.size and 0 <= column < self.size
