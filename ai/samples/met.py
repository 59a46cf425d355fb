"""The positions in which the learner was to move, and its last answer in each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ai.game import GameRecord
from ai.samples.one_hot import learner_plies, stones_after

MOST: Final = 20_000
"""Positions kept; the oldest give way."""
MET: Final = "met"
PLAYED: Final = "played"
"""Names of the arrays in a checkpoint."""


class MetPositions:
    """Distinct positions with the learner to move, from its perspective, the oldest first."""

    def __init__(self, points: int, *, most: int = MOST) -> None:
        """Start empty.

        Args:
            points: number of points of the board, A.
            most: maximum number of positions.
        """
        self._points = points
        self._most = most
        self._known: dict[bytes, int] = {}

    def __len__(self) -> int:
        return len(self._known)

    def meet(self, record: GameRecord) -> None:
        """Add the positions of a game; a known one gets the new answer."""
        for ply in learner_plies(record):
            self._known[stones_after(record, ply).tobytes()] = record.moves[ply]
        for key in list(self._known)[: max(len(self._known) - self._most, 0)]:
            del self._known[key]

    def clear(self) -> None:
        """Delete all positions."""
        self._known.clear()

    @property
    def stones(self) -> NDArray[np.int8]:
        """`[M, A]` the positions, the oldest first."""
        return np.frombuffer(b"".join(self._known), np.int8).reshape(-1, self._points)

    @property
    def played(self) -> NDArray[np.intp]:
        """`[M]` the point that was last played in each."""
        return np.fromiter(self._known.values(), np.intp, len(self._known))

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """Return the complete state as arrays, for a file; the inverse of `restore`."""
        return {MET: self.stones, PLAYED: self.played} if self._known else {}

    def restore(self, arrays: Mapping[str, NDArray[np.generic]]) -> None:
        """Restore the state of `arrays`; missing arrays give an empty state.

        Raises:
            ValueError: the arrays do not fit each other or the board.
        """
        stones = np.asarray(arrays.get(MET, np.zeros((0, self._points))), np.int8)
        played = np.asarray(arrays.get(PLAYED, np.zeros(0)), np.intp)
        if stones.shape != (len(played), self._points):
            raise ValueError(
                f"{MET}: expected the shape {(len(played), self._points)}, found {stones.shape}"
            )
        if len(played) and not 0 <= played.min() <= played.max() < self._points:
            raise ValueError(f"{PLAYED}: expected points below {self._points}, found others")
        self._known = {row.tobytes(): int(move) for row, move in zip(stones, played, strict=True)}
