"""Make the tactical positions of `python main.py bench` from games of alpha-beta itself.

    python -m benchmarks.engine_suite [--games 100] [--nodes 1500] [--seed 1] [--quiet 15]
        [--rules freestyle,freestyle,standard] [--most 20] [--keep]
        [--out assets/suites/gomoku_tactics.json]
    python -m benchmarks.engine_suite --lost FILE… --out assets/suites/gomoku_lost.json
    python -m benchmarks.engine_suite --solve FILE [--nodes 100000]

Openings are five stones drawn near the center. Each game gives at most one position of each kind:

- the longest win by fours (`ai.bench.prover` names every first move of one)
- a defence that at most three moves hold
- a win by threes, with every first move that is proven against every legal answer
- a quiet position where searches of 100 and 400 times `--nodes` agree on a move that the short
  search does not play

`--most` bounds the positions of a rule and kind. `--keep` adds to the file. Of its wins by threes
every first move that is proven now is right.

`--lost` takes positions of the games that alpha-beta lost, in files of `benchmarks.outside_match`:
the wins and the defences that it missed, and the wins by which it was beaten. They have the same
kinds and the same proofs. Of a game there is at most one position for each kind and side. `--solve`
searches the positions of a suite, each with `--nodes`, and prints how many are solved. The exit
code is always 0.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from ai.bench.measure import answer_all
from ai.bench.prover import TacticProver
from ai.bench.suite import KINDS, SUITE_FILE, SuiteTask, read_suite, write_suite
from ai.game import Board, Move, Rule, Rules
from ai.players.alpha_beta import SHIPPED, evaluation_of
from ai.search.base import Limit
from ai.search.pattern_alpha_beta import PatternAlphaBeta
from base.files import SHIPPED_ROOT
from benchmarks.console import parser_of
from benchmarks.engine_match import draw_opening
from benchmarks.outside_match import read_match

FEWEST_PLIES: Final = 5
MOST_HOLD: Final = 3
MOST_PLIES: Final = 25
"""Of a win by threes."""
SHARES: Final = (100, 400)
"""Multiples of the game's nodes that two searches of a quiet position look at."""


class Maker:
    """Looks for tasks in one rule's games."""

    def __init__(self, rules: Rules, nodes: int, seed: int) -> None:
        self.rules = rules
        self.prover = TacticProver(rules)
        self.nodes = nodes
        self.rng = np.random.default_rng(seed)
        self.search = PatternAlphaBeta(rules)
        self.helper = PatternAlphaBeta(rules)
        self.full: set[str] = set()
        """Kinds of which there are enough."""

    def tasks_of(self, number: int, seed: int, *, with_quiet: bool) -> list[SuiteTask]:
        """Play a game and return its tasks."""
        board = Board.from_moves(draw_opening(self.rules, seed, number), self.rules)
        self.search.forget()
        found: dict[str, SuiteTask] = {}
        while board.outcome() is None and board.ply < 100:
            task = self.task_of(board, number, found, with_quiet=with_quiet)
            longest = found.get(task.kind) if task else None
            if task is not None and (longest is None or task.plies > longest.plies):
                found[task.kind] = task
            board.push(self.search.search(board, Limit(nodes=self.nodes), self.rng).move)
        return list(found.values())

    def task_of(
        self, board: Board, number: int, found: dict[str, SuiteTask], *, with_quiet: bool
    ) -> SuiteTask | None:
        """Return a task of a position, None where nothing of interest is there."""
        plies = self.prover.plies_by_fours(board)
        if plies >= FEWEST_PLIES and "fours" not in self.full:
            longest = found.get("fours")
            if longest is not None and longest.plies >= plies:
                return None
            return self.task(board, number, "fours", self.prover.first_fours(board), plies)
        if plies > 0 or self.prover.five_of(board, -board.to_move) is not None:
            return None
        if self.prover.is_threatened(board):
            if "defence" in found or "defence" in self.full:
                return None
            held = self.prover.defences(board)
            return self.task(board, number, "defence", held, 0) if len(held) <= MOST_HOLD else None
        if "threes" not in found and "threes" not in self.full:
            plies = self.prover.plies_by_threes(board)
            if 0 < plies <= MOST_PLIES:
                return self.task(board, number, "threes", self.prover.first_threes(board), plies)
        if with_quiet and "quiet" not in found and 7 <= board.ply <= 24:
            return self.quiet(board, number)
        return None

    def task(
        self, board: Board, number: int, kind: str, best: Sequence[Move], plies: int
    ) -> SuiteTask | None:
        """Return a task, None without a right move."""
        if not best:
            return None
        moves = " ".join(board.to_text(move) for move in board.moves)
        name = f"{kind}-{self.rules.rule.value}-{number}-{board.ply}"
        texts = tuple(board.to_text(move) for move in best)
        return SuiteTask(name, kind, self.rules.rule.value, moves, texts, plies)

    def found_by(self, board: Board, nodes: int) -> tuple[Move, float]:
        """Return the move and value of a fresh search."""
        self.helper.forget()
        result = self.helper.search(board, Limit(nodes=nodes), self.rng)
        return result.move, result.value

    def quiet(self, board: Board, number: int) -> SuiteTask | None:
        """Return a position where long searches agree against the short one."""
        short = self.found_by(board, self.nodes)
        if abs(short[1]) > 0.6:
            return None
        moves = {self.found_by(board, share * self.nodes)[0] for share in SHARES}
        if len(moves) > 1 or short[0] in moves:
            return None
        return self.task(board, number, "quiet", list(moves), 0)


class LostGames:
    """Takes tasks from games that alpha-beta lost; those that it missed, and those that beat it.

    Args:
        rules: rules of the games.
    """

    def __init__(self, rules: Rules) -> None:
        self.maker = Maker(rules, nodes=1, seed=0)
        self.prover = self.maker.prover

    def tasks_of(self, game: Mapping[str, Any], number: int) -> list[SuiteTask]:
        """Return the tasks of a game, at most one for each kind and side.

        Args:
            game: line of the game.
            number: number of the game in the suite, part of the tasks' names.
        """
        found: dict[tuple[str, bool], SuiteTask] = {}
        moves = game["moves"]
        for ply in range(len(moves) - 1, game["opening"] - 1, -1):
            board = Board.from_moves(moves[:ply], self.maker.rules)
            is_own = ply % 2 == game["color"]
            kind, plies = self.kind_of(board)
            known = found.get((kind, is_own))
            if kind == "" or (known is not None and known.plies >= plies):
                continue
            task = self.maker.task(board, number, kind, self.right_moves(board, kind), plies)
            is_missed = task is not None and board.to_text(moves[ply]) not in task.best
            if task is not None and is_missed == is_own:
                found[kind, is_own] = replace(task, name=f"lost-{kind}-{number:03d}-{ply}")
        return list(found.values())

    def kind_of(self, board: Board) -> tuple[str, int]:
        """Return the kind of task that a position is, and the plies of its win.

        Args:
            board: the position.

        Returns:
            ("", 0) if it is none.
        """
        plies = self.prover.plies_by_fours(board)
        if plies > 0:
            return ("fours", plies) if plies >= FEWEST_PLIES else ("", 0)
        if self.prover.five_of(board, -board.to_move) is not None:
            return "", 0
        if self.prover.is_threatened(board):
            return "defence", 0
        plies = self.prover.plies_by_threes(board)
        return ("threes", plies) if 0 < plies <= MOST_PLIES else ("", 0)

    def right_moves(self, board: Board, kind: str) -> tuple[Move, ...]:
        """Return the right moves of a task; () if too many are right.

        Args:
            board: the position.
            kind: kind of the task.
        """
        if kind == "fours":
            return self.prover.first_fours(board)
        if kind == "threes":
            return self.prover.first_threes(board)
        held = self.prover.defences(board)
        return held if len(held) <= MOST_HOLD else ()


def write_lost(paths: Sequence[Path], out: Path) -> None:
    """Write the tasks of all lost games in files of matches, after each game.

    Args:
        paths: files of `benchmarks.outside_match`.
        out: file of the suite. A position that comes again is left out.
    """
    tasks: dict[str, SuiteTask] = {}
    number = 0
    for path in paths:
        head, games = read_match(path)
        lost = LostGames(Rules(15, 5, Rule(head["rule"])))
        for game in games:
            if game["points"] != 0.0:
                continue
            number += 1
            for task in lost.tasks_of(game, number):
                tasks.setdefault(task.moves, task)
            found = sorted(tasks.values(), key=lambda task: (task.kind, task.plies, task.name))
            write_suite(out, found)
            print(f"{number} games lost, {len(tasks)} positions", flush=True)


def solve(path: Path, nodes: int) -> None:
    """Print how many positions of a suite are solved, by kind.

    Args:
        path: file of the suite.
        nodes: positions of each search.
    """
    answers = answer_all(read_suite(path), Limit(nodes=nodes), evaluation=evaluation_of(SHIPPED))
    for kind in (*KINDS, ""):
        chosen = [answer for answer in answers if kind in ("", answer.task.kind)]
        if chosen:
            right = sum(answer.is_right for answer in chosen)
            print(f"{kind or 'all'}: {right} of {len(chosen)}")
    for answer in answers:
        if not answer.is_right:
            print(f"{answer.task.name}: {answer.move}, expected {' '.join(answer.task.best)}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the suite; return 0."""
    parser = parser_of(
        __doc__,
        games=100,
        nodes=1_500,
        seed=1,
        rules="freestyle,freestyle,standard",
        most=1_000,
        keep=False,
        out=SHIPPED_ROOT / SUITE_FILE,
        solve=Path,
    )
    parser.add_argument("--lost", type=Path, nargs="+", default=())
    parser.add_argument("--quiet", type=int, default=15)
    options = parser.parse_args(arguments)
    if options.solve:
        solve(options.solve, options.nodes)
        return 0
    if options.lost:
        write_lost(options.lost, options.out)
        return 0
    makers = [
        Maker(Rules(15, 5, Rule(rule)), options.nodes, options.seed)
        for rule in options.rules.split(",")
    ]
    tasks = [completed(task) for task in read_suite(options.out)] if options.keep else []
    kept = set(tasks)
    for number in range(options.games):
        quiet = sum(task.kind == "quiet" for task in tasks)
        maker = makers[number % len(makers)]
        own = [task for task in tasks if task.rule == maker.rules.rule.value and task not in kept]
        maker.full = {
            kind for kind in KINDS if sum(task.kind == kind for task in own) >= options.most
        }
        label = number if options.seed == 1 else 1000 * options.seed + number
        known = {task.moves for task in tasks}
        found = maker.tasks_of(label, options.seed, with_quiet=quiet < options.quiet)
        tasks += [task for task in found if task.moves not in known]
        tasks.sort(key=lambda task: (task.kind, task.plies, task.name))
        write_suite(options.out, tasks)
        counts = {kind: sum(task.kind == kind for task in tasks) for kind in KINDS}
        print(number + 1, len(tasks), counts, flush=True)
    return 0


def completed(task: SuiteTask) -> SuiteTask:
    """Return a task, of a win by threes with every first move that is proven now."""
    if task.kind != "threes":
        return task
    board = task.board()
    found = [board.to_text(move) for move in TacticProver(board.rules).first_threes(board)]
    return replace(task, best=tuple(dict.fromkeys((*task.best, *found))))


if __name__ == "__main__":
    sys.exit(main())
