"""Costs and games of the players of published documents.

    python -m benchmarks.published [--games 20] [--seed 0] [--json OUT.json]

Times are CPU seconds of this process. The exit code is 1 unless these hold:

- The convolution's fast way is 50 times as fast as the text-book's on 15x15, with equal fields.
- The search of `minimax-q` gives equal scores whether a stone scans its cross or the board, and
  the cross is faster on every size.

It also prints the cost of the default policy and the share of moves that it makes, and games of
`minimax-q` on 15x15 against `random`, `pattern`, `genetic` and `convolution`, from seeded openings
with colors swapped.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np

from ai import Board, Limit, Rules, create_player
from ai.evaluators.convolution import FAST, TEXT_BOOK, ConvolutionEvaluator
from ai.evaluators.five_rows import FiveRowEvaluator
from ai.kernels.position import KernelPosition
from ai.players.published.convolution import fitted_weights
from ai.players.published.default_policy import DefaultPolicy
from ai.search import minimax_q
from base.storage.json_file import write_json
from benchmarks.console import parser_of
from benchmarks.games import match, opening, play, with_stones
from benchmarks.timing import timed

RULES: Final = Rules(15, 5)
LEAST_RATIO: Final = 50.0
REPEATS: Final = 7
"""Searches of which the quickest counts: what a busy machine adds is not the search's."""
SIZES: Final = (7, 9, 11, 13, 15, 17, 19)
OPPONENTS: Final = ("random", "pattern", "genetic", "convolution")


def positions(rules: Rules, count: int) -> Iterator[Board]:
    """Yield boards with an eighth of the points taken, in the middle, that nobody has won."""
    for number in range(count):
        rng = np.random.default_rng(number)

        def draw(rng: np.random.Generator = rng) -> int:
            row, col = np.clip(rng.normal(rules.size / 2, 2.0, 2), 0, rules.size - 1).astype(int)
            return int(row) * rules.size + int(col)

        yield with_stones(opening(rules, 0, number), rules.points // 8, draw)


def median_seconds(work: Callable[[Board], object], boards: list[Board], repeats: int) -> float:
    """Return the median CPU seconds of a piece of work on a board."""
    found = []
    for board in boards:
        work(board)
        spent, _ = timed(lambda: [work(board) for _ in range(repeats)])  # noqa: B023
        found.append(spent / repeats)
    return float(np.median(found))


def measure_convolution() -> dict[str, Any]:
    """Time both ways of the convolution evaluator on 15x15, and compare their fields."""
    ways = {
        method: ConvolutionEvaluator(RULES, fitted_weights(), method=method)
        for method in (TEXT_BOOK, FAST)
    }
    boards = list(positions(RULES, 5))
    equal = all(np.array_equal(ways[FAST].field(b), ways[TEXT_BOOK].field(b)) for b in boards)
    slow = median_seconds(ways[TEXT_BOOK].field, boards, 1)
    fast = median_seconds(ways[FAST].field, boards, 200)
    return {"text_book_ms": slow * 1e3, "fast_ms": fast * 1e3, "ratio": slow / fast, "equal": equal}


def measure_cross(size: int) -> dict[str, Any]:
    """Time a scored position of the search by crosses and by full scans, and compare the scores."""
    rules = Rules(size, 5)
    ways = (FiveRowEvaluator(rules), FiveRowEvaluator(rules, scans_all=True))
    spent, lines, nodes, equal = [0.0, 0.0], [0, 0], 0, True
    for board in positions(rules, 4):
        found = []
        for way, evaluator in enumerate(ways):
            quickest, scans, result = timed_search(board, evaluator)
            spent[way] += quickest
            lines[way] += scans
            found.append(result)
        equal = equal and found[0].scores == found[1].scores and found[0].move == found[1].move
        nodes += found[0].nodes
    return {
        "cross_us": spent[0] / nodes * 1e6,
        "full_us": spent[1] / nodes * 1e6,
        "saving": spent[1] / spent[0],
        "cross_lines": lines[0] / nodes,
        "full_lines": lines[1] / nodes,
        "equal": equal,
    }


def timed_search(
    board: Board, evaluator: FiveRowEvaluator
) -> tuple[float, int, minimax_q.MinimaxQResult]:
    """Return the CPU seconds of the quickest of some searches, the lines scanned, the result."""

    def search() -> minimax_q.MinimaxQResult:
        return minimax_q.search(board, evaluator, Limit(nodes=1500), np.random.default_rng(0))

    seconds = []
    for _ in range(REPEATS):
        evaluator.follow(board)
        before = evaluator.scans
        spent, found = timed(search)
        seconds.append(spent)
    return min(seconds), evaluator.scans - before, found


def measure_policy(games: int, seed: int) -> dict[str, Any]:
    """Time a look of the default policy and a search, and count the moves it makes in games."""
    policy, position = DefaultPolicy(RULES), KernelPosition(RULES)
    boards = list(positions(RULES, 5))

    def look(board: Board) -> object:
        position.follow(board)
        return policy.find(position)

    evaluator, rng = FiveRowEvaluator(RULES), np.random.default_rng(0)
    forced = moves = 0
    seconds = {}
    for is_on in (True, False):
        begun, made = time.process_time(), 0
        for game in range(games):
            player = create_player("minimax-q", RULES, {"default_policy": is_on})
            board = opening(RULES, seed, game)
            play(player, player, board, seed)
            made += board.ply
            if is_on:
                forced += count_forced(board, look)
                moves += board.ply - opening(RULES, seed, game).ply
        seconds[is_on] = (time.process_time() - begun) / made

    def searched(board: Board) -> object:
        return minimax_q.search(board, evaluator, Limit(), rng)

    return {
        "look_us": median_seconds(look, boards, 200) * 1e6,
        "search_ms": median_seconds(searched, boards, 1) * 1e3,
        "share_of_moves": forced / moves,
        "ms_a_move_with": seconds[True] * 1e3,
        "ms_a_move_without": seconds[False] * 1e3,
    }


def count_forced(board: Board, look: Callable[[Board], object]) -> int:
    """Return how many moves of a game, its opening left out, the default policy made."""
    again = Board(board.rules)
    forced = 0
    for ply, move in enumerate(board.moves):
        forced += ply >= 4 and look(again) is not None
        again.push(move)
    return forced


def play_matches(games: int, seed: int) -> dict[str, Any]:
    """Play the pairs: `minimax-q` with and without its policy, and `genetic` likewise."""
    found: dict[str, Any] = {}
    for is_on in (True, False):
        player = create_player("minimax-q", RULES, {"default_policy": is_on})
        name = "minimax-q" if is_on else "minimax-q without policy"
        for other in OPPONENTS:
            score = match(player, create_player(other, RULES), RULES, games=games, seed=seed)
            found[f"{name} : {other}"] = score.as_dict()
            print(f"{name} : {other:12} {json.dumps(score.as_dict())}", flush=True)
    for name in ("minimax-q", "genetic"):
        settings = [{"default_policy": is_on} for is_on in (True, False)]
        first, second = (create_player(name, RULES, own) for own in settings)
        score = match(first, second, RULES, games=games, seed=seed)
        found[f"{name} with policy : without"] = score.as_dict()
        print(f"{name} with policy : without {json.dumps(score.as_dict())}", flush=True)
    return found


def main() -> int:
    """Measure, play, print; return 1 where a bound breaks."""
    options = parser_of(__doc__, games=20, seed=0, json=Path).parse_args()
    result: dict[str, Any] = {"convolution": measure_convolution()}
    print("convolution", json.dumps(result["convolution"]), flush=True)
    result["cross"] = {}
    for size in SIZES:
        result["cross"][size] = measure_cross(size)
        print(f"{size:2}x{size:<2}", json.dumps(result["cross"][size]), flush=True)
    result["policy"] = measure_policy(6, options.seed)
    print("default policy", json.dumps(result["policy"]), flush=True)
    result["games"] = play_matches(options.games, options.seed)
    if options.json:
        write_json(options.json, result)
    is_held = (
        result["convolution"]["ratio"] >= LEAST_RATIO
        and result["convolution"]["equal"]
        and all(item["equal"] and item["saving"] > 1.0 for item in result["cross"].values())
    )
    return 0 if is_held else 1


if __name__ == "__main__":
    sys.exit(main())
