"""A trained player for other programs: `python main.py export scripts/export/gomoku_player.py`.

The network in `gomoku_player.npz` taught itself on 7x7 in 300 games, as in the live scene. A run
of your own takes its place: `python -m ai.registry.freezing RUN gomoku_player.npz`.
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
    """Choose the point where the network wants its stone.

    Args:
        stones: the board row by row: 1 Black, -1 White, 0 empty.
        to_move: 1 Black, -1 White.

    Returns:
        The point, from 0 to 48.
    """
    return PLAYER.choose(stones, to_move)


@exported
def probabilities(stones: Stones, to_move: int) -> Annotated[NDArray[np.float32], Shape(49)]:
    """Tell what the network thinks of each point; occupied ones are among them.

    Args:
        stones: the board row by row: 1 Black, -1 White, 0 empty.
        to_move: 1 Black, -1 White.

    Returns:
        A number for each point, together 1.
    """
    return PLAYER.estimate(stones, to_move)


@exported
def winner(stones: Stones) -> int:
    """Tell who has five in a row.

    Args:
        stones: the board row by row: 1 Black, -1 White, 0 empty.

    Returns:
        1 Black, -1 White, 0 nobody.
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
