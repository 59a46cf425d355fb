"""Games of `mcts-nn` and `move-net`: the experiments of the thesis that describes them, in short.

    python -m benchmarks.move_net [--games 10] [--seconds 0.5] [--iterations 50] [--seed 0]
        [--only NAME] [--json OUT.json]

15x15, free style, openings of four random stones in the middle, colours swapped. Pairs: `mcts-nn`
against `mcts` at equal iterations (the document: 30,000 each, 90.5 % of 74 games) and at equal time
(a minute a move, 90.3 % of 2,100), `mcts` with 1,000 iterations against `move-net` (95 % of 1,000),
`mcts-nn` at its time against `move-net` (one second, 99.9 % of 1,000). Each is printed with the
95 % interval of its share of wins, and the document's figure. The exit code is 0: figures are
reported as they are.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Final, NamedTuple

from ai.kernels import cache

cache.configure_environment(jit=True)

from ai import Limit, Rules  # noqa: E402
from benchmarks.arguments import at_least_one  # noqa: E402
from benchmarks.matches import match, seated  # noqa: E402

RULES: Final = Rules(15, 5)
MCTS_ITERATIONS: Final = 1000
"""Of `mcts` against the network alone, as in the document."""


class Pair(NamedTuple):
    """Two players at one limit, and the share of wins that the document gives the first."""

    first: str
    second: str
    limit: Limit
    said: float


def pairs_of(seconds: float, iterations: int) -> dict[str, Pair]:
    """Return the pairs by name."""
    timed = Limit(seconds=seconds)
    return {
        "equal-iterations": Pair("mcts-nn", "mcts", Limit(nodes=iterations), 0.905),
        "equal-time": Pair("mcts-nn", "mcts", timed, 0.903),
        "mcts-move-net": Pair("mcts", "move-net", Limit(nodes=MCTS_ITERATIONS), 0.95),
        "mcts-nn-move-net": Pair("mcts-nn", "move-net", timed, 0.999),
    }


def main() -> int:
    """Play the pairs and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--games", type=at_least_one, default=10)
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--iterations", type=at_least_one, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=tuple(pairs_of(1.0, 1)), action="append")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    found: dict[str, object] = {}
    for name, pair in pairs_of(options.seconds, options.iterations).items():
        if options.only and name not in options.only:
            continue
        score = match(
            seated(pair.first, RULES), seated(pair.second, RULES), RULES, games=options.games,
            seed=options.seed, limit=pair.limit,
        )  # fmt: skip
        found[name] = {**score.as_dict(), "document": pair.said, "limit": repr(pair.limit)}
        print(f"{name:18} {pair.first} : {pair.second} {json.dumps(found[name])}", flush=True)
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
