"""Tic-tac-toe in a cube: four in a row win, in any of three directions and across."""

from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from ai import EMPTY, Game, Outcome, Position, Termination, lines_of_rows

SIDE = 4
LETTERS = "abcd"


@cache
def rows_of_four() -> NDArray[np.intp]:
    """Return `[76, 4]`: the points of each row of four in the cube."""
    rows = []
    for start in product(range(SIDE), repeat=3):
        for step in product((-1, 0, 1), repeat=3):
            points = np.array(start) + np.arange(SIDE)[:, None] * step
            if step > (0, 0, 0) and points.min() >= 0 and points.max() < SIDE:
                rows.append(points @ (SIDE * SIDE, SIDE, 1))
    return np.array(rows)


@cache
def turns_of_cube() -> NDArray[np.intp]:
    """Return `[48, 64]`: the points after each turn and reflection of the cube."""
    cube = np.arange(SIDE**3).reshape(SIDE, SIDE, SIDE)
    axes = [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]
    flips = [
        tuple(slice(None, None, sign) for sign in signs) for signs in product((1, -1), repeat=3)
    ]
    return np.array([cube.transpose(axis)[flip].ravel() for axis in axes for flip in flips])


@dataclass(frozen=True)
class Cube(Game):
    """The four levels of the cube lie one below the other: four columns and sixteen rows."""

    size: int = SIDE
    height: int = SIDE * SIDE

    def outcome(self, position: Position) -> Outcome | None:
        """Return who has four in a row, or a draw once the cube is full."""
        stones = np.array(position.stones, np.int8)
        sums = stones[rows_of_four()].sum(axis=1)
        for color in (1, -1):
            if (sums == SIDE * color).any():
                return Outcome(color, Termination.FIVE)
        return None if EMPTY in position.stones else Outcome(EMPTY, Termination.FULL)

    def lines(self) -> NDArray[np.intp]:
        """Return the rows through each point, for players that learn by lines."""
        return lines_of_rows(rows_of_four(), self.points)

    def symmetries(self) -> NDArray[np.intp]:
        """Return the 48 turns and reflections of the cube."""
        return turns_of_cube()

    def to_text(self, move: int) -> str:
        """Return level, column and row of a point, such as "2c4"."""
        level, row, column = np.unravel_index(move, (SIDE, SIDE, SIDE))
        return f"{level + 1}{LETTERS[column]}{row + 1}"

    def from_text(self, text: str) -> int:
        """Return the point of a text such as "2c4"."""
        names = [self.to_text(move) for move in range(self.points)]
        if text.lower() not in names:
            raise ValueError(f"expected level, column and row such as '2c4', found {text!r}")
        return names.index(text.lower())

    def diagram(self, stones: NDArray[np.int8]) -> str:
        """Return the four levels side by side."""
        levels = stones.reshape(SIDE, SIDE, SIDE)
        rows = [
            "   ".join(" ".join(".XO"[color] for color in level[row]) for level in levels)
            for row in range(SIDE)
        ]
        heads = "   ".join(f"level {level + 1}" for level in range(SIDE))
        return "\n".join([heads, *rows])
