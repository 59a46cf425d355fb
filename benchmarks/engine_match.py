"""Play one version of the pattern alpha-beta against another until one is known to be stronger.

    python -m benchmarks.engine_match NAME --set futility=160 [--against futility=0]
        [--nodes 10000] [--games 3000] [--elo 0,30] [--seed 1] [--rule standard]
        [--evaluation evaluation.npz] [--other-evaluation FILE] [--out runs/engine]
        [--look 300000] [--threads 2,1] [--log docs/engine.jsonl]

A version is the search with some of its tuning (`ai.search.pattern_alpha_beta.TUNING`) replaced.
An opening is five stones drawn near the center that a short search finds even. Each is played with
both colors, until a generalised sequential test ends the match. With `--look`, a search of so many
positions with the learned evaluation must find it even, too. Games are kept in `OUT/NAME.jsonl`,
so an interrupted match is resumed. The verdict is one line, which is added to the log.

Moves are limited by positions, so that neither the machine nor its load matters: the same seed and
versions play the same games. `--ms` gives each move milliseconds of a clock instead. `--nodes
10000,7000` gives each version its own number of positions, as their rates would in the same time.
`--evaluation` adds a learned one to both, except to a version with `learned=0`, and
`--other-evaluation` gives the other version another one. Both take `shipped`, too. `--threads`
gives each version a number of threads, which share its positions. With more than one the same seed
does not play the same games. The exit code is always 0.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from ai.arena.ratings import pair_elo, sprt
from ai.bench.versions import play_pair
from ai.game import Board, Move, Rule, Rules
from ai.game.rules import RULE_NAMES
from ai.players.alpha_beta import SHIPPED, evaluation_of
from ai.search.base import Limit
from ai.search.pattern_alpha_beta import PatternAlphaBeta
from base.files import SHIPPED_ROOT
from benchmarks.console import parser_of

STONES: Final = 5
NEAR: Final = 3
"""Rows and columns that the stones of an opening lie from the centre, at most."""
EVEN: Final = 0.2
"""Value of an opening for the side to move, at most, on both sides of 0."""
LOOK: Final = 2_000
"""Positions of the search that finds an opening even."""


def draw_opening(
    rules: Rules,
    seed: int,
    number: int,
    referee: PatternAlphaBeta | None = None,
    look: int = LOOK,
) -> tuple[Move, ...]:
    """Return an even opening, the same for the same seed, number, referee and look.

    Args:
        rules: rules of the game.
        seed: seed of the openings.
        number: number of the opening.
        referee: longer search that must find it even, too; None for none.
        look: positions of the referee's search.
    """
    rng, side, first = np.random.default_rng((seed, number)), 2 * NEAR + 1, rules.size // 2 - NEAR
    judge = PatternAlphaBeta(rules)
    while True:
        places = [divmod(int(place), side) for place in rng.choice(side**2, STONES, replace=False)]
        moves = [(first + row) * rules.size + first + column for row, column in places]
        board = Board.from_moves(moves, rules)
        if abs(judge.search(board, Limit(nodes=LOOK), rng).value) > EVEN:
            continue
        if referee is not None:
            referee.forget()
            if abs(referee.search(board, Limit(nodes=look), rng).value) > EVEN:
                continue
        return tuple(moves)


def verdict_of(pairs: Sequence[Sequence[float]], bounds: tuple[float, float]) -> dict[str, Any]:
    """Return the counts, the difference with its 95 % interval, and the test's verdict."""
    results = [result for pair in pairs for result in pair]
    test = sprt([sum(pair) / 2.0 for pair in pairs], elo0=bounds[0], elo1=bounds[1])
    elo, low, high = (round(elo) for elo in pair_elo([sum(pair) / 2.0 for pair in pairs]))
    return {
        "games": len(results),
        "won": results.count(1.0),
        "drawn": results.count(0.5),
        "lost": results.count(0.0),
        "elo": elo,
        "low": low,
        "high": high,
        "ratio": round(float(test.ratio), 2),
        "verdict": test.verdict,
    }


def tuning_of(text: str) -> dict[str, int]:
    """Read `name=number,name=number`.

    Raises:
        ArgumentTypeError: a part is not of that form.
    """
    try:
        pairs = [part.split("=") for part in text.split(",") if part]
        return {name.strip(): int(number) for name, number in pairs}
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected name=number,…, found {text!r}") from None


def nodes_of(text: str) -> tuple[int, int]:
    """Read positions a move, or threads: one number, or one for each version.

    Raises:
        ArgumentTypeError: they are not one or two numbers above 0.
    """
    try:
        first, *others = (int(part) for part in text.split(","))
        (second,) = others or [first]
    except ValueError:
        first = second = 0
    if min(first, second) < 1:
        raise argparse.ArgumentTypeError(f"expected numbers as in 10000,7000, found {text!r}")
    return first, second


def move_words(nodes: tuple[int, int]) -> str:
    """Return what a move may cost, in words."""
    return f"{nodes[0]} nodes" if nodes[0] == nodes[1] else f"{nodes[0]} and {nodes[1]} nodes"


def bounds_of(text: str) -> tuple[float, float]:
    """Read the bounds of the test.

    Raises:
        ArgumentTypeError: they are not two numbers, the first below the second.
    """
    try:
        low, high = (float(part) for part in text.split(","))
    except ValueError:
        low, high = 0.0, 0.0
    if not low < high:
        raise argparse.ArgumentTypeError(f"expected two numbers as in 0,30, found {text!r}")
    return low, high


def commit() -> str:
    """Return the short name of the working tree's commit, with + where it was changed since."""
    words = ["git", "describe", "--always", "--dirty=+"]
    done = subprocess.run(words, cwd=SHIPPED_ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip()


def known_pairs(path: Path, head: Mapping[str, Any]) -> list[list[float]]:
    """Return the pairs of games that a match has played before, and write its first line if new.

    Raises:
        SystemExit: the file is of another match.
    """
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(head) + "\n", encoding="utf-8")
        return []
    first, *lines = path.read_text(encoding="utf-8").splitlines()
    if json.loads(first) != dict(head):
        raise SystemExit(f"{path}: expected the match {json.dumps(head)}, found {first}")
    return [json.loads(line) for line in lines]


def main(arguments: Sequence[str] | None = None) -> int:
    """Play until the test decides; return 0."""
    parser = parser_of(
        __doc__, evaluation=str, other_evaluation=str, ms=int, games=3_000, seed=1,
        out=Path("runs/engine"), log=Path,
    )  # fmt: skip
    parser.add_argument("name")
    parser.add_argument("--set", type=tuning_of, default={}, dest="one")
    parser.add_argument("--against", type=tuning_of, default={}, dest="other")
    parser.add_argument("--nodes", type=nodes_of, default=(10_000, 10_000))
    parser.add_argument("--look", type=int, default=0)
    parser.add_argument("--threads", type=nodes_of, default=(1, 1))
    parser.add_argument("--elo", type=bounds_of, default=(0.0, 30.0))
    parser.add_argument("--rule", choices=RULE_NAMES, default=Rule.FREESTYLE.value)
    options = parser.parse_args(arguments)
    limits = [Limit(nodes=nodes) for nodes in options.nodes]
    if options.ms:
        limits = [Limit(seconds=options.ms / 1000)] * 2
    named = {"evaluation": options.evaluation, "other_evaluation": options.other_evaluation}
    known = {key: evaluation_of(name) for key, name in named.items() if name is not None}
    evaluations = [known.get("evaluation")] * 2
    if "other_evaluation" in known:
        evaluations[1] = known["other_evaluation"]
    rules = Rules(15, 5, Rule(options.rule))
    head = {
        "name": options.name,
        "set": options.one,
        "against": options.other,
        "seed": options.seed,
        "move": f"{options.ms} ms" if options.ms else move_words(options.nodes),
        "rule": options.rule,
        "bounds": list(options.elo),
    }
    for key, evaluation in known.items():
        if evaluation is not None:
            head[key] = {"file": Path(named[key]).name, **evaluation.card}
    if options.threads != (1, 1):
        head["threads"] = list(options.threads)
    referee = None
    if options.look:
        head["look"] = options.look
        referee = PatternAlphaBeta(rules, evaluation=evaluation_of(SHIPPED))
    path = options.out / f"{options.name.replace(' ', '_')}.jsonl"
    pairs = known_pairs(path, head)
    start, verdict = time.monotonic(), verdict_of(pairs, options.elo)
    while verdict["verdict"] == "undecided" and 2 * len(pairs) < options.games:
        opening = draw_opening(rules, options.seed, len(pairs), referee, options.look)
        versions = (options.one, options.other)
        pairs.append(play_pair(versions, rules, opening, limits, evaluations, options.threads))
        with path.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(pairs[-1]) + "\n")
        verdict = verdict_of(pairs, options.elo)
        if len(pairs) % 10 == 0:
            print(f"{time.monotonic() - start:6.0f} s {verdict}", flush=True)
    line = json.dumps({**head, "commit": commit(), **verdict})
    print(line)
    if options.log:
        with options.log.open("a", encoding="utf-8") as stream:
            stream.write(line + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
