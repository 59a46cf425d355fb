"""The guided search of `alphagomoku`: its simulations, its networks, Keras and LiteRT, in one run.

    python -m benchmarks.puct [--size 15] [--simulations 2000] [--batch 4] [--no-keras]
        [--json OUT.json]

CPU seconds of one thread, the best of several runs, on an early position; the networks are not
trained, which costs the same. Goals on 15x15: 3,000 simulations a second, 0.75 of the evaluations
that the network does by itself, 40 times Keras' `model(x)` a leaf, and a tree that alone makes 10
times the network's rate. LiteRT is measured where `ai-edge-litert` is installed; no player uses it.
The exit code is 0: figures are reported as they are.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
import time
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Final

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

from ai.kernels import cache  # noqa: E402

cache.configure_environment(jit=True)

import numpy as np  # noqa: E402
from numpy.typing import NDArray  # noqa: E402

from ai.evaluators.base import Evaluation  # noqa: E402
from ai.evaluators.policy_value import PolicyValueEvaluator, planes_of  # noqa: E402
from ai.game import Board, Rules  # noqa: E402
from ai.nets import policy_value_inference  # noqa: E402
from ai.nets.policy_value import (  # noqa: E402
    NetworkPair,
    PolicyValueArchitecture,
    initial_arrays,
    policy_value_model,
    set_arrays,
)
from ai.nets.policy_value_inference import PolicyValueNetwork  # noqa: E402
from ai.search.base import Limit  # noqa: E402
from ai.search.puct import Puct, PuctSettings  # noqa: E402
from benchmarks.arguments import at_least_one  # noqa: E402

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
    best = np.inf
    for _ in range(RUNS):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return done / best


def rates_of(size: int, simulations: int, batch: int, *, has_keras: bool) -> dict[str, float]:
    """Return how many of everything a CPU second."""
    rules = Rules(size, min(5, size))
    board = Board(rules)
    middle = size // 2 * (size + 1)
    for move in (middle, middle + 1, middle + size):
        board.push(move)
    arrays = initial_arrays(PolicyValueArchitecture(size), 0)
    settings = PuctSettings(batch=batch, keeps_tree=False)
    planes = np.repeat(planes_of(board)[None], batch, axis=0)

    def searched(evaluator: PolicyValueEvaluator | Constant) -> Callable[[], object]:
        limit, tree = Limit(nodes=simulations), Puct(rules, evaluator, settings)
        return lambda: tree.search(board, limit, np.random.default_rng(0))

    def evaluated() -> Callable[[], object]:
        network = PolicyValueNetwork(arrays, size)
        return lambda: [network.evaluate(planes) for _ in range(100)]

    pair = NetworkPair(arrays, arrays)
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
    model = policy_value_model(size)
    set_arrays(model, arrays)
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
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--size", type=at_least_one, default=15)
    parser.add_argument("--simulations", type=at_least_one, default=2000)
    parser.add_argument("--batch", type=at_least_one, default=4)
    parser.add_argument("--no-keras", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    found = rates_of(
        options.size, options.simulations, options.batch, has_keras=not options.no_keras
    )
    found["simulations / evaluations"] = found["simulations"] / found["evaluations"]
    found["tree alone / evaluations"] = found["tree alone"] / found["evaluations"]
    if not options.no_keras:
        ratio = found["simulations"] / found["Keras model(x)"]
        found["simulations / Keras model(x)"] = ratio
    if "LiteRT, a leaf" in found:
        found["evaluations / LiteRT"] = found["evaluations"] / found["LiteRT, a leaf"]
    for key, value in found.items():
        goal = f"  goal {GOALS[key]:g}" if key in GOALS else ""
        print(f"{key:32}{value:12,.2f}{goal}")
    if options.json:
        options.json.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
