"""The guided search of `alphagomoku`: its simulations, its networks, Keras and LiteRT, in one run.

    python -m benchmarks.puct [--size 15] [--simulations 2000] [--batch 4] [--no-keras]
        [--json OUT.json]

Figures are rates for a CPU second of one thread, the best of several runs, on an early position.
The networks are not trained, which costs the same. Goals on 15x15:

- 3,000 simulations a second
- 0.75 of the evaluations that the network does by itself
- 40 times Keras' `model(x)` a leaf
- the tree alone makes 10 times the network's rate

LiteRT is measured if `ai-edge-litert` is installed; no player uses it. The exit code is always 0.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Final

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1"))

import numpy as np
from numpy.typing import NDArray

from ai.evaluators.base import Evaluation
from ai.evaluators.policy_value import PolicyValueEvaluator, planes_of
from ai.game import Board, Rules
from ai.nets import policy_value, policy_value_inference
from ai.nets.policy_value_inference import PolicyValueNetwork
from ai.search.base import Limit
from ai.search.puct import Puct, PuctSettings
from base.storage.json_file import write_json
from benchmarks.console import parser_of
from benchmarks.timing import quickest

GOALS: Final = {
    "simulations": 3000.0,
    "simulations / evaluations": 0.75,
    "simulations / Keras model(x)": 40.0,
    "tree alone / evaluations": 10.0,
}
RUNS: Final = 5

Floats = NDArray[np.float32]


class Constant:
    """Answers at once, and always the same: what is left is the tree's time."""

    def __init__(self, points: int) -> None:
        self._shares = np.random.default_rng(0).dirichlet(np.full(points, 0.3), 64)

    def evaluate_planes(self, planes: Floats, colors: NDArray[np.int8]) -> Evaluation:
        """Return shares drawn once, and values of 0."""
        count = len(planes)
        return Evaluation(self._shares[:count].astype(np.float32), np.zeros(count, np.float32))


def rate(work: Callable[[], object], done: int) -> float:
    """Return how many a CPU second, the best of several runs after one that counts nothing."""
    work()
    return done / quickest(work, RUNS)[0]


def rates_of(size: int, simulations: int, batch: int, *, has_keras: bool) -> dict[str, float]:
    """Return how many of everything a CPU second."""
    rules, middle = Rules(size, min(5, size)), size // 2 * (size + 1)
    board = Board.from_moves((middle, middle + 1, middle + size), rules)
    arrays = policy_value.initial_arrays(policy_value.PolicyValueArchitecture(size), 0)
    settings = PuctSettings(batch=batch, keeps_tree=False)
    planes = np.repeat(planes_of(board)[None], batch, axis=0)

    def searched(evaluator: PolicyValueEvaluator | Constant) -> Callable[[], object]:
        limit, tree = Limit(nodes=simulations), Puct(rules, evaluator, settings)
        return lambda: tree.search(board, limit, np.random.default_rng(0))

    def evaluated() -> Callable[[], object]:
        network = PolicyValueNetwork(arrays, size)
        return lambda: [network.evaluate(planes) for _ in range(100)]

    pair = policy_value.NetworkPair(arrays, arrays)
    found = {
        "simulations": rate(searched(PolicyValueEvaluator(rules, pair)), simulations),
        "evaluations": rate(evaluated(), 100 * batch),
        "tree alone": rate(searched(Constant(rules.points)), simulations),
    }
    chosen = policy_value_inference.WINOGRAD_FROM
    for name, from_size in (("numpy", 99), ("Winograd", 0)):
        policy_value_inference.WINOGRAD_FROM = from_size  # type: ignore[misc]
        found[f"evaluations by {name}"] = rate(evaluated(), 100 * batch)
    policy_value_inference.WINOGRAD_FROM = chosen  # type: ignore[misc]
    if has_keras:
        found |= keras_rates(arrays, size, planes[:1])
    return found


def keras_rates(arrays: dict[str, Floats], size: int, planes: Floats) -> dict[str, float]:
    """Return the rates of Keras' `model(x)` a leaf, and of LiteRT if it is installed."""
    model = policy_value.policy_value_model(size)
    policy_value.set_arrays(model, arrays)
    found = {"Keras model(x)": rate(lambda: [model(planes) for _ in range(20)], 20)}
    try:
        from ai_edge_litert.interpreter import Interpreter
    except ImportError:
        return found
    import tensorflow as tf

    with redirect_stdout(io.StringIO()):  # Keras tells what it saves on the way
        content = tf.lite.TFLiteConverter.from_keras_model(model).convert()
    runtime = Interpreter(model_content=content, num_threads=1)
    runtime.allocate_tensors()
    given = runtime.get_input_details()[0]["index"]

    def ask() -> None:
        for _ in range(200):
            runtime.set_tensor(given, planes)
            runtime.invoke()

    return found | {"LiteRT, a leaf": rate(ask, 200)}


def main() -> int:
    """Measure and print."""
    parser = parser_of(__doc__, size=15, simulations=2000, batch=4, no_keras=False, json=Path)
    given = parser.parse_args()
    found = rates_of(given.size, given.simulations, given.batch, has_keras=not given.no_keras)
    found["simulations / evaluations"] = found["simulations"] / found["evaluations"]
    found["tree alone / evaluations"] = found["tree alone"] / found["evaluations"]
    if not given.no_keras:
        ratio = found["simulations"] / found["Keras model(x)"]
        found["simulations / Keras model(x)"] = ratio
    if "LiteRT, a leaf" in found:
        found["evaluations / LiteRT"] = found["evaluations"] / found["LiteRT, a leaf"]
    for key, value in found.items():
        goal = f"  goal {GOALS[key]:g}" if key in GOALS else ""
        print(f"{key:32}{value:12,.2f}{goal}")
    if given.json:
        write_json(given.json, found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
