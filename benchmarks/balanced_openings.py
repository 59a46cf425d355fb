"""Find balanced openings of three stones: those that Black and White win about as often.

    python -m benchmarks.balanced_openings [--candidates N] [--games N] [--seed N]

Each candidate is a black, a white and a black stone within four points of the center of 15x15, with
White to move. The pattern player's point scores play it out freestyle against themselves. One move
in five is the second or third best point, so that no single line decides. Kept are those that Black
won in 47 to 53 % of the games (a draw is half a win). Prints the list of `ai/game/opening.py`: rows
and columns from the center, and Black's share.
"""

from __future__ import annotations

import numpy as np

from ai.evaluators.pattern import PatternEvaluator
from ai.game import BLACK, Board, Rules
from benchmarks.console import parser_of

SIZE = 15
REACH = 4
RULES = Rules(SIZE, 5)
VARIED = 0.2
KEPT = (0.47, 0.53)


def candidate(rng: np.random.Generator) -> tuple[tuple[int, int], ...]:
    """Draw three different points, as (row, column) from the centre; the first near it."""
    while True:
        stones = [_near(rng, reach) for reach in (2, REACH, REACH)]
        if len(set(stones)) == len(stones):
            return tuple(stones)


def _near(rng: np.random.Generator, reach: int) -> tuple[int, int]:
    row, column = rng.integers(-reach, reach + 1, 2)
    return int(row), int(column)


def play(opening: tuple[int, ...], evaluator: PatternEvaluator, rng: np.random.Generator) -> float:
    """Play one game; return 1 where Black won, 0 where White did, 0.5 for a draw."""
    board = Board.from_moves(opening, RULES)
    while board.outcome() is None:
        scores = evaluator.point_scores(board) + rng.random(RULES.points)
        ranked = np.argsort(-scores)
        place = int(rng.integers(1, 3)) if rng.random() < VARIED else 0
        move = int(ranked[min(place, len(board.stones) - board.ply - 1)])
        board.push(move)
    outcome = board.outcome()
    return 0.5 if outcome is None or outcome.is_draw else float(outcome.winner == BLACK)


def main() -> None:
    """Print the balanced ones of the candidates."""
    options = parser_of(__doc__, candidates=200, games=100, seed=1).parse_args()
    rng, evaluator = np.random.default_rng(options.seed), PatternEvaluator(RULES)
    for _ in range(options.candidates):
        stones = candidate(rng)
        middle = SIZE // 2
        moves = tuple((middle + row) * SIZE + middle + col for row, col in stones)
        few = np.mean([play(moves, evaluator, rng) for _ in range(options.games // 5)])
        if not 0.3 <= few <= 0.7:
            continue
        share = np.mean([play(moves, evaluator, rng) for _ in range(options.games)])
        if KEPT[0] <= share <= KEPT[1]:
            print(f"    {stones},  # {share:.2f}", flush=True)


if __name__ == "__main__":
    main()
