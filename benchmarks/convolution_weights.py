"""Fit the weights of the convolution player's filters by games, and write them with their card.

    python -m benchmarks.convolution_weights --out DIR [--seed 0] [--generations 12] [--resume]
        [--ship]

The document that describes the filters does not give their weights. Here each length (5, 4, 3, 2)
has one weight, found by a cross-entropy search. A generation draws 24 sets of weights from normal
distributions of their base-10 logarithms. Each set plays the same games against `pattern` (whose
patterns it is to rival), against itself with powers of ten, and against `genetic` 50x30. The best
six sets give the next distributions. DIR/state.json holds every finished generation. With --resume
an interrupted run goes on, and ends as one that was not interrupted.

Then the mean of the last distributions plays new openings beside three cheap controls: equal
weights, powers of ten by length, and the fitted weights in other orders. `--ship` writes
assets/players/convolution.json. The exit code is 1 if a control is better.
"""

from __future__ import annotations

import itertools
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ai import Player, Rules, create_player
from ai.players.published.convolution import WEIGHT_KEYS, WEIGHTS_FILE
from base.files import SHIPPED_ROOT, atomic_write
from benchmarks.console import parser_of
from benchmarks.games import Score, match

FORMAT: Final = "goishi.weights/1"
RULES: Final = Rules(15, 5)
SETS, BEST = 24, 6
GAMES: Final = {"pattern": 32, "powers of ten": 16, "genetic 50x30": 8}
"""Games of each set in a generation, by opponent; even, as colors are swapped."""
HELD_OUT_SEED: Final = 1_000_003
HELD_OUT_GAMES: Final = 200
POWERS: Final = (10_000.0, 1_000.0, 100.0, 10.0)
EQUAL: Final = (100.0, 100.0, 100.0, 100.0)
START_MEAN, START_SPREAD = (4.0, 3.0, 2.0, 1.0), 1.0
LEAST_SPREAD: Final = 0.08
"""Of a logarithm: below it a distribution does not shrink, so that the search goes on moving."""


def player_of(weights: Sequence[float]) -> Player:
    """Return a convolution player with these weights, longest filters first."""
    return create_player("convolution", RULES, dict(zip(WEIGHT_KEYS, weights, strict=True)))


def yardsticks() -> dict[str, Player]:
    """Return the other players that sets of weights play against."""
    return {
        "pattern": create_player("pattern", RULES),
        "genetic 50x30": create_player("genetic", RULES, {"population": 50, "generations": 30}),
    }


def weights_of(logarithms: NDArray[np.float64]) -> list[float]:
    """Return weights with three digits."""
    return [float(f"{value:.3g}") for value in 10.0**logarithms]


def scores(weights: Sequence[float], against: dict[str, Player], seed: int) -> dict[str, Score]:
    """Play a generation's games with one set of weights."""
    player = player_of(weights)
    return {
        name: match(player, other, RULES, games=GAMES[name], seed=seed)
        for name, other in against.items()
    }


def fitness(found: dict[str, Score]) -> float:
    """Return the mean share of points over the opponents, that of `pattern` counted twice."""
    shares = [score.share for score in found.values()]
    return (sum(shares) + found["pattern"].share) / (len(shares) + 1)


def next_generation(state: dict[str, Any], against: dict[str, Player]) -> None:
    """Draw and play a generation, and note the next distributions."""
    number = len(state["generations"])
    rng = np.random.default_rng([state["seed"], number])
    mean, spread = np.array(state["mean"]), np.array(state["spread"])
    drawn = mean + spread * rng.standard_normal((SETS, len(mean)))
    drawn[0] = mean
    rated = [
        fitness(scores(weights_of(row), against, 1000 * state["seed"] + number)) for row in drawn
    ]
    best = np.argsort(-np.array(rated), kind="stable")[:BEST]
    state["mean"] = drawn[best].mean(axis=0).tolist()
    state["spread"] = np.maximum(drawn[best].std(axis=0), LEAST_SPREAD).tolist()
    found = {"best": max(rated), "mean": float(np.mean(rated)), "of_the_mean": rated[0]}
    state["generations"].append({**found, "weights": weights_of(np.array(state["mean"]))})


def search(out: Path, seed: int, generations: int, *, resume: bool) -> dict[str, Any]:
    """Search to the last generation, writing the state after each."""
    file = out / "state.json"
    state: dict[str, Any] = {
        "seed": seed,
        "mean": list(START_MEAN),
        "spread": [START_SPREAD] * len(START_MEAN),
        "generations": [],
    }
    if resume and file.is_file():
        state = json.loads(file.read_text(encoding="utf-8"))
        if state["seed"] != seed:
            raise SystemExit(f"{file}: expected the seed {state['seed']}, found {seed}")
    against = {**yardsticks(), "powers of ten": player_of(POWERS)}
    while len(state["generations"]) < generations:
        begun = time.process_time()
        next_generation(state, against)
        atomic_write(file, json.dumps(state, indent=1) + "\n")
        last = state["generations"][-1]
        print(
            f"generation {len(state['generations']):2}: best {last['best']:.3f}, mean "
            f"{last['mean']:.3f}, {last['weights']}, {time.process_time() - begun:.0f} CPU s",
            flush=True,
        )
    return state


def compare(fitted: Sequence[float]) -> dict[str, Any]:
    """Play the fitted weights and the controls on openings that the search has not seen."""
    orders = [list(order) for order in itertools.permutations(fitted)]
    shuffled = np.random.default_rng(0).permutation(len(orders) - 1)[:3] + 1  # 0: as fitted
    sets = {"fitted": list(fitted), "equal": list(EQUAL), "powers of ten": list(POWERS)}
    sets |= {f"shuffled {n}": orders[int(order)] for n, order in enumerate(shuffled, start=1)}
    table: dict[str, Any] = {}
    for name, weights in sets.items():
        player = player_of(weights)
        row: dict[str, Any] = {"weights": weights}
        for other, opponent in yardsticks().items():
            games = HELD_OUT_GAMES if other == "pattern" else HELD_OUT_GAMES // 4
            score = match(player, opponent, RULES, games=games, seed=HELD_OUT_SEED)
            row[f"against {other}"] = score.as_dict()
        if name != "fitted":
            own, seed = player_of(fitted), HELD_OUT_SEED + 1
            score = match(own, player, RULES, games=HELD_OUT_GAMES // 2, seed=seed)
            row["fitted against it"] = score.as_dict()
        table[name] = row
        print(f"{name:14} {json.dumps(row)}", flush=True)
    return table


def is_best(table: dict[str, Any]) -> bool:
    """Whether no control beats the fitted weights over the board."""
    direct = [row["fitted against it"] for name, row in table.items() if name != "fitted"]
    return all(row["wins"] >= row["losses"] for row in direct)


def card(state: dict[str, Any], table: dict[str, Any]) -> dict[str, Any]:
    """Return the file that ships: weights and how they were made."""
    return {
        "format": FORMAT,
        "weights": table["fitted"]["weights"],
        "lengths": [5, 4, 3, 2],
        "card": {
            "made_by": "python -m benchmarks.convolution_weights "
            f"--seed {state['seed']} --generations {len(state['generations'])}",
            "method": f"cross-entropy search over base-10 logarithms, {SETS} sets a generation, "
            f"the best {BEST} kept, 15x15, openings of 4 random stones in the middle, colours "
            "swapped",
            "games_of_a_set": GAMES,
            "course": [item["best"] for item in state["generations"]],
            "held_out": table,
        },
    }


def main() -> int:
    """Search, compare, write."""
    parser = parser_of(__doc__, seed=0, generations=12, resume=False, ship=False)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    state = search(options.out, options.seed, options.generations, resume=options.resume)
    table = compare(weights_of(np.array(state["mean"])))
    text = json.dumps(card(state, table), indent=1) + "\n"
    atomic_write(options.out / "convolution.json", text)
    if options.ship:
        atomic_write(SHIPPED_ROOT / WEIGHTS_FILE, text)
    return 0 if is_best(table) else 1


if __name__ == "__main__":
    sys.exit(main())
