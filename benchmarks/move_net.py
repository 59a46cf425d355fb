"""Games of `mcts-nn` and `move-net`: the experiments of the thesis that describes them, in short.

    python -m benchmarks.move_net [--games 10] [--seconds 0.5] [--iterations 50] [--seed 0]
        [--network shipped] [--only NAME] [--json OUT.json]

15x15, free style, openings of four random stones in the middle, colors swapped. In brackets stands
what the document says of each pair:

- `mcts-nn` against `mcts` at equal iterations (30,000 each, 90.5 % of 74 games)
- `mcts-nn` against `mcts` at equal time (a minute a move, 90.3 % of 2,100 games)
- `mcts` with 1,000 iterations against `move-net` (95 % of 1,000 games)
- `mcts-nn` at its time against `move-net` (one second, 99.9 % of 1,000 games)

`--only simulations` plays no game. It searches random openings, 200 iterations each, and prints how
many moves a simulation has and what a look of the network costs.

Prints the results of each pair, with the 95 % interval of the share of wins. The exit code is
always 0.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Final, NamedTuple

from ai import Limit, Rules, create_player
from ai.experiments.decisions import measure_simulations
from ai.players.published.move_net import network_of
from base.storage.json_file import write_json
from benchmarks.console import parser_of
from benchmarks.games import match

RULES: Final = Rules(15, 5)
MCTS_ITERATIONS: Final = 1000
"""Of `mcts` against the network alone, as in the document."""
SIMULATIONS: Final = "simulations"
OPENINGS: Final = 50
ITERATIONS: Final = 200


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
    parser = parser_of(
        __doc__, games=10, seconds=0.5, iterations=50, seed=0, network="shipped", json=Path
    )
    names = (*pairs_of(1.0, 1), SIMULATIONS)
    parser.add_argument("--only", choices=names, action="append")
    options = parser.parse_args()
    found: dict[str, object] = {}
    for name, pair in pairs_of(options.seconds, options.iterations).items():
        if options.only and name not in options.only:
            continue
        own = {"network": options.network}
        first, second = (
            create_player(player, RULES, {} if player == "mcts" else own)
            for player in (pair.first, pair.second)
        )
        given = {"games": options.games, "seed": options.seed}
        score = match(first, second, RULES, limit=pair.limit, **given)
        found[name] = {**score.as_dict(), "document": pair.said, "limit": repr(pair.limit)}
        print(f"{name:18} {pair.first} : {pair.second} {json.dumps(found[name])}", flush=True)
    if options.only and SIMULATIONS in options.only:
        network = network_of({"network": options.network}, RULES.size)
        measured = measure_simulations(network, RULES, OPENINGS, ITERATIONS, options.seed)
        found[SIMULATIONS] = measured._asdict()
        print(f"{SIMULATIONS:18} {json.dumps(found[SIMULATIONS])}", flush=True)
    if options.json:
        write_json(options.json, found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
