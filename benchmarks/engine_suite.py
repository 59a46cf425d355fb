"""Makes the tactical positions of `python main.py bench` from games of alpha-beta itself.

    python -m benchmarks.engine_suite [--games 100] [--nodes 1500] [--seed 1] [--quiet 15]
        [--out assets/suites/gomoku_tactics.json]

Openings are five stones drawn near the centre. From each game are taken, at most once each: the
longest win by fours (`ai.bench.prover` names every first move of one); a defence that at most three
moves hold; a win by threes that is proven against every legal answer; and a quiet position where
searches of 20 and 60 times `--nodes * 10` agree on a move that the short search does not play.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from ai.kernels import cache  # noqa: E402

cache.configure_environment(jit=True)

import numpy as np  # noqa: E402

from ai.bench.prover import Prover  # noqa: E402
from ai.bench.suite import SUITE_FILE, Task, write_suite  # noqa: E402
from ai.game import Board, Move, Rule, Rules  # noqa: E402
from ai.search.base import Limit  # noqa: E402
from ai.search.pattern_alpha_beta import PatternAlphaBeta  # noqa: E402
from benchmarks.arguments import at_least_one  # noqa: E402
from benchmarks.engine_match import draw_opening  # noqa: E402

FEWEST_PLIES: Final = 5
MOST_HOLD: Final = 3
QUIET_ATTACKS: Final = 2
PROOF_NODES: Final = 3_000
SHARES: Final = (100, 400)
"""Multiples of the game's nodes that two searches of a quiet position look at."""


class Maker:
    """Looks for tasks in one rule's games."""

    def __init__(self, rules: Rules, nodes: int, seed: int) -> None:
        self.rules = rules
        self.prover = Prover(rules)
        self.nodes = nodes
        self.rng = np.random.default_rng(seed)
        self.search = PatternAlphaBeta(rules)
        self.helper = PatternAlphaBeta(rules)

    def tasks_of(self, number: int, seed: int, *, with_quiet: bool) -> list[Task]:
        """Play a game and return its tasks."""
        board = Board.from_moves(draw_opening(self.rules, seed, number), self.rules)
        self.search.forget()
        found: dict[str, Task] = {}
        while board.outcome() is None and board.ply < 100:
            task = self.task_of(board, number, found, with_quiet=with_quiet)
            longest = found.get(task.kind) if task else None
            if task is not None and (longest is None or task.plies > longest.plies):
                found[task.kind] = task
            board.push(self.search.search(board, Limit(nodes=self.nodes), self.rng).move)
        return list(found.values())

    def task_of(
        self, board: Board, number: int, found: dict[str, Task], *, with_quiet: bool
    ) -> Task | None:
        """Return a task of a position, None where nothing of interest is there."""
        plies = self.prover.plies_by_fours(board)
        if plies >= FEWEST_PLIES:
            longest = found.get("fours")
            if longest is not None and longest.plies >= plies:
                return None
            return self.task(board, number, "fours", self.prover.first_fours(board), plies)
        if plies > 0 or self.prover._five(board, -board.to_move) is not None:
            return None
        if self.prover.is_threatened(board):
            if "defence" in found:
                return None
            held = self.prover.defences(board)
            return self.task(board, number, "defence", held, 0) if len(held) <= MOST_HOLD else None
        if "threes" not in found and self.looks_won(board):
            return self.by_threes(board, number)
        if with_quiet and "quiet" not in found and 7 <= board.ply <= 24:
            return self.quiet(board, number)
        return None

    def task(
        self, board: Board, number: int, kind: str, best: Sequence[Move], plies: int
    ) -> Task | None:
        """Return a task, None without a right move."""
        if not best:
            return None
        moves = " ".join(board.to_text(move) for move in board.moves)
        name = f"{kind}-{self.rules.rule.value}-{number}-{board.ply}"
        texts = tuple(board.to_text(move) for move in best)
        return Task(name, kind, self.rules.rule.value, moves, texts, plies)

    def looks_won(self, board: Board) -> bool:
        """Return whether a short search says that the side to move wins."""
        return self.found_by(board, PROOF_NODES)[1] == 1.0

    def found_by(self, board: Board, nodes: int) -> tuple[Move, float]:
        """Return the move and value of a fresh search."""
        self.helper.forget()
        result = self.helper.search(board, Limit(nodes=nodes), self.rng)
        return result.move, result.value

    def by_threes(self, board: Board, number: int) -> Task | None:
        """Return a proven win by threes."""

        def attack(position: Board) -> Move | None:
            move, value = self.found_by(position, PROOF_NODES)
            return move if value == 1.0 else None

        first = attack(board)
        for attacks in range(1, QUIET_ATTACKS + 1):
            if first is not None and self.prover.proves_by_threes(board, attack, attacks):
                return self.task(board, number, "threes", [first], 2 * attacks + 5)
        return None

    def quiet(self, board: Board, number: int) -> Task | None:
        """Return a position where long searches agree against the short one."""
        short = self.found_by(board, self.nodes)
        if abs(short[1]) > 0.6:
            return None
        moves = {self.found_by(board, share * self.nodes)[0] for share in SHARES}
        if len(moves) > 1 or short[0] in moves:
            return None
        return self.task(board, number, "quiet", list(moves), 0)


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the suite; return 0."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--games", type=at_least_one, default=100)
    parser.add_argument("--nodes", type=at_least_one, default=1_500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--quiet", type=int, default=15)
    parser.add_argument("--out", type=Path, default=ROOT / SUITE_FILE)
    options = parser.parse_args(arguments)
    makers = [
        Maker(Rules(15, 5, rule), options.nodes, options.seed)
        for rule in (Rule.FREESTYLE, Rule.FREESTYLE, Rule.STANDARD)
    ]
    tasks: list[Task] = []
    for number in range(options.games):
        quiet = sum(task.kind == "quiet" for task in tasks)
        maker = makers[number % len(makers)]
        tasks += maker.tasks_of(number, options.seed, with_quiet=quiet < options.quiet)
        tasks.sort(key=lambda task: (task.kind, task.plies, task.name))
        write_suite(options.out, tasks)
        counts = {kind: sum(task.kind == kind for task in tasks) for kind in
                  ("fours", "threes", "defence", "quiet")}  # fmt: skip
        print(number + 1, len(tasks), counts, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
