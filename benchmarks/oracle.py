"""What the oracle proves on 7x7, and what that costs.

    python -m benchmarks.oracle [--games 24] [--json OUT.json]

Positions come from games of the genetic player as Black against itself and against the random
player. For each number of stones it prints the share proven within 20,000 and 200,000 positions
visited, who wins, and the median positions and wall seconds to the proof (or to the limit).

Then it compares the oracle with two plain searches, in the same process, on positions with few
empty points: one that tries every move (with a memory of positions), and a naive alpha-beta without
memory. Both are Python, so the ratio of positions says more than that of seconds. All must give the
same answers, or it ends with an error. The exit code is 0 otherwise.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ai import BLACK, WHITE, Board, Limit, Rules, create_player
from ai.game.lines import windows
from ai.search.oracle import Oracle
from base.storage.json_file import write_json
from benchmarks.console import machine, parser_of
from benchmarks.timing import timed

RULES = Rules(7, 5, full_board_winner=WHITE)
STONES = (0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 30)
LIMITS = (20_000, 200_000)
EMPTY_POINTS = (8, 10, 12)
MOST_WITHOUT_MEMORY = 10
COMPARED = 12
"""Positions of each number of empty points that the plain searches are given."""


class PlainSearch:
    """Tries every move, stops at the first that wins; optionally remembers positions."""

    def __init__(self, rules: Rules, *, remembers: bool) -> None:
        """Make the windows' masks through each point."""
        self.full = (1 << rules.points) - 1
        masks = [
            sum(1 << point for point in line) for line in windows(rules.size, rules.win_length)
        ]
        self.through = [
            [mask for mask in masks if mask >> point & 1] for point in range(rules.points)
        ]
        self.known: dict[tuple[int, int], bool] | None = {} if remembers else None
        self.nodes = 0

    def winner(self, board: Board) -> str:
        """Return "black" or "white"."""
        black, white = (
            sum(1 << point for point, stone in enumerate(board.stones) if stone == color)
            for color in (BLACK, WHITE)
        )
        is_black = board.to_move == BLACK
        own, others = (black, white) if is_black else (white, black)
        return "black" if self._wins(own, others, is_black=is_black) == is_black else "white"

    def _wins(self, own: int, others: int, *, is_black: bool) -> bool:
        """Tell whether the side to move wins."""
        self.nodes += 1
        if own | others == self.full:
            return not is_black
        if self.known is not None and (own, others) in self.known:
            return self.known[own, others]
        wins = False
        for point, masks in enumerate(self.through):
            after = own | 1 << point
            if (own | others) >> point & 1:
                continue
            is_line = any(after & mask == mask for mask in masks)
            if is_line or not self._wins(others, after, is_black=not is_black):
                wins = True
                break
        if self.known is not None:
            self.known[own, others] = wins
        return wins


def positions(games: int) -> dict[int, list[Board]]:
    """Play games and return their positions by number of stones."""
    found: dict[int, list[Board]] = {stones: [] for stones in STONES}
    rng = np.random.default_rng(1)
    black = create_player("genetic", RULES)
    for opponent in ("genetic", "random"):
        white = create_player(opponent, RULES)
        for _ in range(games // 2):
            board = Board(RULES)
            while board.outcome() is None:
                if board.ply in found and (board.ply > 0 or not found[0]):
                    found[board.ply].append(board.copy())
                board.play((white if board.ply % 2 else black).choose(board, Limit(), rng).move)
    return found


def measure(boards: list[Board], oracle: Oracle) -> dict[str, Any]:
    """Solve positions of one number of stones."""
    solved = [timed(partial(oracle.solve, board), time.perf_counter) for board in boards]
    seconds, verdicts = zip(*solved, strict=True)
    proven = [verdict for verdict in verdicts if verdict.result != "unknown"]
    return {
        "positions": len(boards),
        "proven_20k": sum(verdict.nodes <= LIMITS[0] for verdict in proven) / len(boards),
        "proven_200k": len(proven) / len(boards),
        "black": sum(verdict.result == "black" for verdict in verdicts),
        "white": sum(verdict.result == "white" for verdict in verdicts),
        "median_nodes": statistics.median(verdict.nodes for verdict in verdicts),
        "median_s": statistics.median(seconds),
        "longest_s": max(seconds),
        "nodes_per_s": sum(verdict.nodes for verdict in verdicts) / sum(seconds),
    }


def late_positions(empty: int, rules: Rules) -> Iterator[Board]:
    """Yield positions of random play without a line, with `empty` points left."""
    rng = np.random.default_rng(empty)
    while True:
        board = Board(rules)
        for _ in range(rules.points - empty):
            for move in rng.permutation(list(board.legal_moves)).tolist():
                board.push(move)
                if not board.is_decided:
                    break
                board.pop()
            else:
                break
        if board.ply == rules.points - empty:
            yield board


def compare(empty: int, rules: Rules, *, remembers: bool) -> dict[str, Any]:
    """Solve the same positions by the oracle and a plain search; both must agree."""
    oracle = Oracle(rules)
    seconds, nodes = [0.0, 0.0], [0, 0]
    source = late_positions(empty, rules)
    for _ in range(COMPARED):
        board, plain = next(source), PlainSearch(rules, remembers=remembers)
        own, verdict = timed(partial(oracle.solve, board), time.perf_counter)
        other, expected = timed(partial(plain.winner, board), time.perf_counter)
        seconds = [seconds[0] + own, seconds[1] + other]
        nodes = [nodes[0] + verdict.nodes, nodes[1] + plain.nodes]
        if verdict.result != expected:
            raise AssertionError(f"{board!r}: oracle {verdict.result}, plain search {expected}")
    return {
        "empty": empty,
        "win_length": rules.win_length,
        "plain": "with memory" if remembers else "alpha-beta",
        "nodes": nodes,
        "seconds": seconds,
        "ratio_nodes": nodes[1] / nodes[0],
        "ratio_seconds": seconds[1] / seconds[0],
    }


def main() -> int:
    """Measure and print."""
    options = parser_of(__doc__, games=24, json=Path).parse_args()
    print(machine())
    oracle = Oracle(RULES, node_limit=LIMITS[-1])
    oracle.solve(Board.from_moves("d4 d5", RULES), node_limit=10)
    print(
        f"{'stones':>6} {'asked':>5} {'20k':>6} {'200k':>6} {'black':>5} {'white':>5}"
        f" {'median nodes':>12} {'median ms':>10} {'longest s':>9} {'nodes/s':>9}"
    )
    results: dict[str, Any] = {"machine": machine(), "stones": {}, "compared": []}
    for stones, boards in positions(options.games).items():
        if not boards:
            continue
        row = measure(boards, oracle)
        results["stones"][stones] = row
        print(
            f"{stones:6} {row['positions']:5} {row['proven_20k']:6.0%} {row['proven_200k']:6.0%}"
            f" {row['black']:5} {row['white']:5} {row['median_nodes']:12.0f}"
            f" {row['median_s'] * 1e3:10.3f} {row['longest_s']:9.3f} {row['nodes_per_s']:9.0f}"
        )
    for win_length in (5, 4):
        rules = Rules(7, win_length, full_board_winner=WHITE)
        for empty in EMPTY_POINTS:
            for remembers in (True, False) if empty <= MOST_WITHOUT_MEMORY else (True,):
                row = compare(empty, rules, remembers=remembers)
                results["compared"].append(row)
                print(
                    f"{win_length} in a row, {empty} empty, plain {row['plain']}: "
                    f"{row['ratio_nodes']:.1f} times the positions, "
                    f"{row['ratio_seconds']:.1f} times the seconds"
                )
    if options.json:
        write_json(options.json, results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
