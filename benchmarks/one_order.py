"""How much of what White plays is one fixed order of the points, whatever the board holds.

    python -m benchmarks.one_order RUN [RUN …] [--games 200]

RUN is the folder of an `experiment`. For each run it prints the share of White's moves in the last
games that are the first free point of one order. The order is the best one that a greedy search
finds, so the true share is at least as large. A network that answers one order has learnt nothing
of the board, however many games it wins.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ai.game import GameRecord
from ai.runs.reading import read_games
from ai.samples.one_hot import learner_plies, stones_after
from benchmarks.console import parser_of


def moves_of(records: Iterable[GameRecord]) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
    """Return `[N, A]` the free points before each of the learner's moves, and `[N]` the moves."""
    free, moves = [], []
    for record in records:
        for ply in learner_plies(record):
            free.append(stones_after(record, ply) == 0)
            moves.append(record.moves[ply])
    return np.stack(free), np.array(moves, np.intp)


def explained(free: NDArray[np.bool_], moves: NDArray[np.intp]) -> float:
    """Return the share of moves that are the first free point of one order of the points.

    The next point of the order is that with the most moves, less the positions in which it was
    free and not played, among the positions that no earlier point has settled.

    Args:
        free: `[N, A]` points that could be played.
        moves: `[N]` the point that was played.
    """
    is_open = np.ones(len(moves), np.bool_)
    points = set(range(free.shape[1]))
    right = 0
    while points and is_open.any():
        played = np.bincount(moves[is_open], minlength=free.shape[1])
        could = free[is_open].sum(axis=0)
        point = max(points, key=lambda item: 2 * int(played[item]) - int(could[item]))
        settled = free[:, point] & is_open
        right += int((moves[settled] == point).sum())
        is_open &= ~settled
        points.remove(point)
    return right / len(moves)


def main(words: Sequence[str] | None = None) -> None:
    """Read the command line, print a line a run."""
    parser = parser_of(__doc__, games=200)
    parser.add_argument("runs", type=Path, nargs="+", metavar="RUN")
    options = parser.parse_args(words)
    for run in options.runs:
        free, moves = moves_of(read_games(run)[-options.games :])
        print(f"{run}: one order explains {explained(free, moves):.0%} of {len(moves)} moves")


if __name__ == "__main__":
    main()
