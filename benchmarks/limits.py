"""By how much each player oversteps a limit of seconds.

    python -m benchmarks.limits [--seconds 0.05 0.2] [--moves 20] [--json OUT.json]

Mid-game positions on 15x15 (the oracle: 8x8, the largest it plays), with settings under which a
move would take far longer. Prints the median, the 95th percentile and the greatest overshoot in
milliseconds, below zero where the player was done before; 50 ms are allowed.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from pathlib import Path
from typing import Final

from ai.kernels import cache

cache.configure_environment(jit=True)

import numpy as np  # noqa: E402

from ai import PLAYERS, WHITE, Board, Limit, Rules, create_player  # noqa: E402

LONG: Final[dict[str, dict[str, int | None]]] = {
    "genetic": {"population": 256, "generations": 1024, "patience": 1024},
    "alpha-beta": {"depth": 40, "nodes": None},
    "oracle": {"nodes": 10_000_000, "population": 256, "generations": 1024, "patience": 1024},
}


def positions(rules: Rules, moves: int) -> list[Board]:
    """Return positions of random play that nobody has won."""
    rng = np.random.default_rng(0)
    found = []
    for number in range(moves):
        board = Board(rules)
        while board.ply < rules.points * (1 + number % 5) // 10:
            board.push(int(rng.choice(list(board.legal_moves))))
            if board.outcome() is not None:
                board.pop()
        found.append(board)
    return found


def overshoot(name: str, seconds: float, moves: int) -> list[float]:
    """Return the seconds over the limit of each move."""
    size = max(PLAYERS[name].ready_sizes, default=15)
    rules = Rules(8, 5, full_board_winner=WHITE) if name == "oracle" else Rules(size, 5)
    player = create_player(name, rules, LONG.get(name, {}))
    boards = positions(rules, moves)
    player.choose(boards[0], Limit(seconds=seconds), np.random.default_rng(0))
    found = []
    for number, board in enumerate(boards):
        start = time.perf_counter()
        player.choose(board, Limit(seconds=seconds), np.random.default_rng(number))
        found.append(time.perf_counter() - start - seconds)
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seconds", type=float, nargs="+", default=[0.05, 0.2])
    parser.add_argument("--moves", type=int, default=20)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    machine = (
        f"{platform.platform()}, {platform.machine()}, {os.cpu_count()} CPUs, load "
        f"{os.getloadavg()[0]:.1f}, Python {platform.python_version()}"
    )
    print(machine)
    print(f"{'player':>14} {'limit s':>8} {'median ms':>10} {'p95 ms':>8} {'most ms':>8}")
    results: dict[str, object] = {"machine": machine}
    for name in PLAYERS:
        if name == "human":
            continue
        for seconds in options.seconds:
            median, p95, most = (
                np.percentile(overshoot(name, seconds, options.moves), (50, 95, 100)) * 1e3
            )
            print(f"{name:>14} {seconds:8.3f} {median:10.1f} {p95:8.1f} {most:8.1f}", flush=True)
            results[f"{name} {seconds}"] = {"p50_ms": median, "p95_ms": p95, "most_ms": most}
    if options.json:
        options.json.write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
