"""A trained player for other programs: `python main.py export scripts/export/gomoku_player.py`.

The network in `gomoku_player.npz` taught itself on 7x7 in 300 games, as in the live scene. To use a
run of your own instead: `python -m ai.registry.freezing RUN gomoku_player.npz`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ai import FrozenPlayer
from sim import Shape, exported

Stones: TypeAlias = Annotated[NDArray[np.int8], Shape(49)]

PLAYER = FrozenPlayer.load(Path(__file__).with_suffix(".npz"))


@exported
def choose(stones: Stones, to_move: int) -> int:
    """Return the point that the network chooses for the next stone.

    Args:
        stones: the board row by row: 1 Black, -1 White, 0 empty.
        to_move: side to move: 1 Black, -1 White.

    Returns:
        The point, 0 to 48, row by row.
    """
    return PLAYER.choose(stones, to_move)


@exported
def probabilities(stones: Stones, to_move: int) -> Annotated[NDArray[np.float32], Shape(49)]:
    """Return the network's probability for a stone on each point; occupied points are included.

    Args:
        stones: the board row by row: 1 Black, -1 White, 0 empty.
        to_move: side to move: 1 Black, -1 White.

    Returns:
        A number for each point; their sum is 1.
    """
    return PLAYER.estimate(stones, to_move)


@exported
def winner(stones: Stones) -> int:
    """Return which side has five in a row.

    Args:
        stones: the board row by row: 1 Black, -1 White, 0 empty.

    Returns:
        1 for Black, -1 for White, 0 for neither.
    """
    board = stones.reshape(7, 7).astype(np.int64)
    rows = [board[:, column : column + 3] for column in range(5)]
    columns = [board[row : row + 3] for row in range(5)]
    falling = [board[step : step + 3, step : step + 3] for step in range(5)]
    rising = [board[step : step + 3, 4 - step : 7 - step] for step in range(5)]
    for line in (rows, columns, falling, rising):
        sums = np.sum(line, axis=0)
        if np.any(np.abs(sums) == 5):
            return int(np.sign(sums[np.abs(sums) == 5][0]))
    return 0
