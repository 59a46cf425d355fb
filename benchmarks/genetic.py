"""How fast the genetic player moves, compiled and as the uncompiled twin.

    python benchmarks/genetic.py [--games 40] [--json OUT.json]

Each way runs in a process of its own, plays the same games against the random
player on 7x7, and must play the same moves. Prints the median and the 95th
percentile of the CPU milliseconds that a move costs, explanation included,
and the ratio of the two ways.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
BUDGETS = ((10, 10), (50, 30))
TWIN_GAMES = 2
"""The twin is tens of times slower; the shared games are compared all the same."""


def measure(mode: str, games: int) -> dict[str, Any]:
    """Play `games` games in this process with compiled kernels or the twin."""
    sys.path.insert(0, str(ROOT))
    from ai.kernels import cache

    cache.configure_environment(jit=mode == "compiled")
    start = time.perf_counter()
    from ai import Rules, create_player

    rules = Rules(7, 5, full_board_winner=-1)
    create_player("genetic", rules)
    result: dict[str, Any] = {"start_seconds": time.perf_counter() - start, "budgets": {}}
    for population, generations in BUDGETS:
        settings = {"population": population, "generations": generations}
        result["budgets"][f"{population}x{generations}"] = play(rules, settings, games)
    return result


def play(rules: Any, settings: dict[str, int], games: int) -> dict[str, Any]:
    """Play games of the genetic player (Black) against the random one and time its moves."""
    import numpy as np

    from ai import Board, Limit, create_player

    black, white = create_player("genetic", rules, settings), create_player("random", rules)
    seconds, moves = [], []
    for game in range(games):
        board, rng = Board(rules), np.random.default_rng(game)
        while board.outcome() is None:
            player = white if board.ply % 2 else black
            start = time.process_time()
            choice = player.choose(board, Limit(), rng)
            if player is black and board.ply > 0:
                seconds.append(time.process_time() - start)
            board.play(choice.move)
        moves.append(list(board.moves))
    median, p95 = np.percentile(seconds, (50, 95)) * 1e3
    return {"p50_ms": median, "p95_ms": p95, "moves": moves}


def run_child(mode: str, games: int) -> dict[str, Any]:
    """Measure in a process of its own."""
    done = subprocess.run(
        [sys.executable, __file__, "--child", mode, "--games", str(games)],
        capture_output=True,
        text=True,
        check=True,
    )
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def main() -> int:
    """Run both ways, compare and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--games", type=int, default=40)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--child", choices=("compiled", "twin"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        json.dump(measure(options.child, options.games), sys.stdout)
        return 0
    run_child("compiled", 1)  # fills the kernel cache
    results = {
        "compiled": run_child("compiled", options.games),
        "twin": run_child("twin", min(options.games, TWIN_GAMES)),
    }
    print(
        f"{'budget':>8} {'compiled p50 / p95 ms':>22} {'twin p50 / p95 ms':>20} {'ratio':>6}  moves"
    )
    is_same = True
    for budget, compiled in results["compiled"]["budgets"].items():
        twin = results["twin"]["budgets"][budget]
        same = compiled.pop("moves")[: len(twin["moves"])] == twin.pop("moves")
        is_same = is_same and same
        compiled["ratio"] = twin["p50_ms"] / compiled["p50_ms"]
        print(
            f"{budget:>8} {compiled['p50_ms']:13.3f} / {compiled['p95_ms']:6.3f}"
            f" {twin['p50_ms']:11.2f} / {twin['p95_ms']:6.2f} {compiled['ratio']:6.0f}"
            f"  {'same' if same else 'DIFFERENT'}"
        )
    starts = [f"{mode} {result['start_seconds']:.2f} s" for mode, result in results.items()]
    print("start: " + ", ".join(starts))
    if options.json:
        options.json.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    return 0 if is_same else 1


if __name__ == "__main__":
    sys.exit(main())
