"""Fit the evaluation of `alpha-beta` by its own games; print the weights, and what they predict.

    python -m benchmarks.alpha_beta_weights [--games 1200] [--nodes 1500] [--seed 1]
        [--json OUT.json]

Games of the search against itself on 15x15, from openings of four random stones near the centre,
one move in ten drawn from its best ones. Of each position that no five and no open four settles,
the pattern core's counters of points are taken, and the game's result for the side to move; a
logistic regression (ridge, Newton's method) weighs them. Every fifth game is held out.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from ai.kernels import cache  # noqa: E402

cache.configure_environment(jit=True)

import numpy as np  # noqa: E402
from numpy.typing import NDArray  # noqa: E402

from ai.game import Board, Move, Rules  # noqa: E402
from ai.kernels.layout import FIVE, OPEN_FOUR, OPEN_TWO  # noqa: E402
from ai.kernels.position import KernelPosition  # noqa: E402
from ai.search.base import Limit  # noqa: E402
from ai.search.pattern_alpha_beta import PatternAlphaBeta  # noqa: E402
from benchmarks.arguments import at_least_one  # noqa: E402

RULES: Final = Rules(15)
CLASSES: Final = range(OPEN_TWO, OPEN_FOUR + 1)
SCALE: Final = 300.0
"""Score of a logit."""
RIDGE: Final = 100.0
WANDERS: Final = 0.1
"""Share of moves that are drawn."""
HELD_OUT: Final = 5


def opening(rng: np.random.Generator) -> Board:
    """Return four random stones among the middle 5x5 points."""
    board = Board(RULES)
    while board.ply < 4:
        move = int(rng.integers(5, 10)) * RULES.size + int(rng.integers(5, 10))
        if board.stones[move] == 0:
            board.push(move)
    return board


def features(position: KernelPosition, side: int) -> list[int] | None:
    """Return the counters as the evaluation takes them; None where the position is settled."""
    other = 1 - side
    if position.count_points(side, OPEN_FOUR) or any(
        position.count_points(each, FIVE) for each in (side, other)
    ):
        return None
    return [position.count_points(each, kind) for each in (side, other) for kind in CLASSES]


def play(nodes: int, rng: np.random.Generator) -> tuple[list[list[int]], list[float]]:
    """Play a game; return the positions' features and results, 1, 0.5 or 0, for who moved."""
    board, position, search = opening(rng), KernelPosition(RULES), PatternAlphaBeta(RULES)
    found: list[tuple[int, list[int]]] = []
    while board.outcome() is None:
        position.follow(board)
        counted = features(position, board.ply % 2)
        if counted is not None:
            found.append((board.to_move, counted))
        result = search.search(board, Limit(nodes=nodes), rng)
        move: Move = result.move
        if counted is not None and rng.random() < WANDERS:
            best = sorted(result.scores, key=lambda one: -result.scores[one])[:6]
            move = best[int(rng.integers(len(best)))]
        board.push(move)
    outcome = board.outcome()
    winner = 0 if outcome is None else outcome.winner
    return [row for _, row in found], [0.5 + 0.5 * winner * color for color, _ in found]


def fit(rows: NDArray[np.float64], results: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weights of a logistic regression, `[features]`."""
    weights = np.zeros(rows.shape[1])
    for _ in range(30):
        chances = 1.0 / (1.0 + np.exp(-rows @ weights))
        slope = rows.T @ (results - chances) - RIDGE * weights
        curve = (rows * (chances * (1.0 - chances))[:, None]).T @ rows + RIDGE * np.eye(
            len(weights)
        )
        step = np.linalg.solve(curve, slope)
        weights += step
        if np.abs(step).max() < 1e-6:
            break
    return weights


def loss(
    rows: NDArray[np.float64], results: NDArray[np.float64], weights: NDArray[np.float64]
) -> float:
    """Return the mean logarithmic loss."""
    chances = np.clip(1.0 / (1.0 + np.exp(-rows @ weights)), 1e-9, 1.0 - 1e-9)
    return float(-(results * np.log(chances) + (1.0 - results) * np.log(1.0 - chances)).mean())


def main(arguments: Sequence[str] | None = None) -> int:
    """Play, fit and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--games", type=at_least_one, default=1200)
    parser.add_argument("--nodes", type=at_least_one, default=1500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    rows: dict[bool, list[list[int]]] = {False: [], True: []}
    results: dict[bool, list[float]] = {False: [], True: []}
    for game in range(options.games):
        found, ends = play(options.nodes, np.random.default_rng((options.seed, game)))
        rows[game % HELD_OUT == 0] += [[*row, 1] for row in found]
        results[game % HELD_OUT == 0] += ends
    learnt, held_out = (
        (np.array(rows[key], np.float64), np.array(results[key])) for key in (False, True)
    )
    weights = fit(*learnt)
    scaled = np.round(weights * SCALE).astype(int).tolist()
    count = len(CLASSES)
    names = ("own points", "other points")
    table = {name: scaled[k * count : (k + 1) * count] for k, name in enumerate(names)}
    even = np.zeros_like(weights)
    print(f"{options.games} games, {len(learnt[0])} positions; {len(held_out[0])} held out")
    for name, values in table.items():
        print(f"{name:<14}{values}")
    print(f"tempo         {scaled[-1]}")
    print(f"loss {loss(*learnt, weights):.4f}, held out {loss(*held_out, weights):.4f}; "
          f"of even chances {loss(*held_out, even):.4f}")  # fmt: skip
    if options.json:
        text = json.dumps({"weights": table, "tempo": scaled[-1], "games": options.games})
        options.json.write_text(text + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
