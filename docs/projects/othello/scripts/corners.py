"""A player of Othello that knows which points are worth having, and nothing else."""

from collections.abc import Mapping

import numpy as np

from ai import Game, Limit, MoveChoice, Position

WORTH = {(0, 0): 3, (0, 1): -1, (1, 1): -2}  # a corner; beside it, along the edge or across
EDGE = 1


class Corners:
    """Takes corners, then edges, keeps away from the points beside corners; draws among equals."""

    name = "corners"

    def choose(self, board: Position, limit: Limit, rng: np.random.Generator) -> MoveChoice:
        """Choose by the point alone, whatever it turns over."""
        points = list(board.legal_moves)
        worth = [self._worth(*divmod(point, board.size), board.size - 1) for point in points]
        best = [point for point, value in zip(points, worth, strict=True) if value == max(worth)]
        return MoveChoice(best[int(rng.integers(len(best)))])

    def _worth(self, row: int, column: int, last: int) -> int:
        near, far = sorted((min(row, last - row), min(column, last - column)))
        return WORTH.get((near, far), EDGE if near == 0 else 0)

    def close(self) -> None:
        """Nothing is held."""


def create(rules: Game, settings: Mapping[str, object]) -> Corners:
    """Build the player; called with the game and the settings."""
    return Corners()
