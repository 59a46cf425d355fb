"""How fast the genetic player moves, compiled and as the uncompiled twin.

    python -m benchmarks.genetic [--games 40] [--json OUT.json]

Each way runs in a process of its own and plays the same games against the random player on 7x7.
Prints the median and the 95th percentile of the CPU milliseconds that a move costs, explanation
included, and the ratio of the two ways. The exit code is 1 unless both play the same moves.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from base.files import SHIPPED_ROOT
from base.storage.json_file import write_json
from benchmarks.console import machine, parser_of

BUDGETS = ((10, 10), (50, 30))
TWIN_GAMES = 2
"""The twin is tens of times slower; the shared games are compared all the same."""


def measure(mode: str, games: int) -> dict[str, Any]:
    """Play `games` games in this process with compiled kernels or the twin."""
    from ai.kernels import cache

    cache.configure_environment(jit=mode == "compiled")  # before a kernel is imported
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
    words = [sys.executable, "-m", "benchmarks.genetic", "--child", mode, "--games", str(games)]
    done = subprocess.run(words, cwd=SHIPPED_ROOT, capture_output=True, text=True, check=True)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def main() -> int:
    """Run both ways, compare and print."""
    parser = parser_of(__doc__, games=40, json=Path)
    parser.add_argument("--child", choices=("compiled", "twin"), help="used by itself")
    options = parser.parse_args()
    if options.child:
        json.dump(measure(options.child, options.games), sys.stdout)
        return 0
    print(machine())
    run_child("compiled", 1)  # fills the kernel cache
    results = {
        "compiled": run_child("compiled", options.games),
        "twin": run_child("twin", min(options.games, TWIN_GAMES)),
    }
    print("  budget  compiled p50 / p95 ms    twin p50 / p95 ms  ratio  moves")
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
        write_json(options.json, results)
    return 0 if is_same else 1


if __name__ == "__main__":
    sys.exit(main())
