"""Find the nine quiet positions of eight stones in which `bench` measures depth.

    python -m benchmarks.quiet_positions [--count N]

From each balanced opening in turn the engine plays itself, 10,000 positions a move, until there are
eight stones. Kept are the first positions in which a search of a million positions finds no win,
and a value of at most a half for either side. A search ends as soon as a win is proven, so a
decided position measures no depth. Prints the list of `ai/bench/measure.py`, with the value and the
depth of that search. What it finds depends on the engine; the list stays.
"""

from __future__ import annotations

import numpy as np

from ai.bench.measure import FIFTEEN
from ai.game import Board, balanced_stones
from ai.players.alpha_beta import evaluation_of
from ai.search.base import Limit
from ai.search.pattern_alpha_beta import PatternAlphaBeta
from benchmarks.console import parser_of

STONES = 8
PLAYED = 10_000
JUDGED = 1_000_000
EVEN = 0.5


def main() -> None:
    """Print the first quiet positions."""
    options = parser_of(__doc__, count=9).parse_args()
    evaluation = evaluation_of("shipped")
    kept = opening = 0
    while kept < options.count:
        rng = np.random.default_rng(opening)
        board = Board.from_moves(balanced_stones(FIFTEEN, opening), FIFTEEN)
        while board.ply < STONES:
            search = PatternAlphaBeta(FIFTEEN, evaluation=evaluation)
            board.push(search.search(board, Limit(nodes=PLAYED), rng).move)
        search = PatternAlphaBeta(FIFTEEN, evaluation=evaluation)
        found = search.search(board, Limit(nodes=JUDGED), rng)
        text = " ".join(board.to_text(move) for move in board.moves)
        is_kept = found.nodes >= JUDGED // 2 and abs(found.value) <= EVEN
        word = "kept" if is_kept else "left"
        print(f'{opening:3} "{text}", value {found.value:+.2f}, depth {found.depth}, {word}')
        kept += is_kept
        opening += 1


if __name__ == "__main__":
    main()
