"""Where the time of an experiment goes, and how it compares with the naive way.

    python -m benchmarks.experiment [--games 24] [--after 200 20]

Plays `--games` games of cnn-ann and cnn-ann-plus after `--after` games. By then the first has a
memory as full as in the middle of a run, and the second still loses. The naive way is what one
would write first: after each loss a new Keras model is compiled and fitted, for the epochs that
cnn-ann takes, and `model.predict` finds each of White's moves. Black's moves are left out there.
Both run in this process. Prints the seconds of both ways and their ratio.
"""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path
from typing import Any

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1"))
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np

from ai.experiments.cell import run_cell
from ai.experiments.configuration import CellConfiguration
from ai.game import BLACK, WHITE, GameRecord
from ai.learning.enhanced_training import NodeSamples, targets_of
from ai.learning.self_teaching import SelfTeachingLearner
from ai.nets.plan import TrainingPlan
from ai.runs.results import GAMES_FILE, TIMINGS_FILE
from ai.samples.one_hot import learner_plies, stones_after
from base.storage.json_file import read_lines
from benchmarks.console import at_least_one, machine, parser_of
from benchmarks.retrain import fit_new_model
from benchmarks.timing import timed

NAIVE_LOSSES = 3  # fits that are timed; each costs seconds
BATCH = 64


def measure(player: str, games: int, after: int) -> None:
    """Run one player and print its seconds beside the naive way's."""
    settings = {"records": 4, "alpha": 5.0} if player == "cnn-ann" else {}
    cell = CellConfiguration(player=player, games=after + games, settings=settings)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "cell"
        run_cell(cell, folder)
        lines = read_lines(folder / GAMES_FILE)
        timings = read_lines(folder / TIMINGS_FILE)[after:]
    parts = {
        key: sum(timing[f"{key}_seconds"] or 0.0 for timing in timings)
        for key in ("black", "white", "retrain")
    }
    ours = parts["white"] + parts["retrain"]
    whole = ours + parts["black"]
    losses = sum(line["winner"] == "black" for line in lines[after:])
    print(
        f"{player}: {games} games after {after}, {losses} lost, "
        f"{lines[-1]['ann_nodes']} nodes: {whole:.2f} s, of which "
        + ", ".join(f"{key} {value:.3f} s ({value / whole:.0%})" for key, value in parts.items())
    )
    predict, fit = naive_seconds(cell, [record_of(cell, line) for line in lines], after)
    moves = sum(line["plies"] // 2 for line in lines[after:])
    naive = predict * moves + fit * losses
    print(
        f"  naive: predict {predict * 1000:.1f} ms a move x {moves}, "
        f"fit of a new model {fit:.2f} s a loss x {losses}: {naive:.1f} s; "
        f"ratio {naive / ours:.1f} (goal >= 30)"
    )


def record_of(cell: CellConfiguration, line: dict[str, Any]) -> GameRecord:
    """Return a line's game."""
    winner = BLACK if line["winner"] == "black" else WHITE
    return GameRecord(cell.rules, tuple(line["moves"]), winner, line["reason"], line["game"])


def naive_seconds(
    cell: CellConfiguration, records: list[GameRecord], after: int
) -> tuple[float, float]:
    """Return the seconds of one `predict` and of one `fit`, on this run's own states."""
    from ai.nets.backend import keras
    from ai.nets.trainer import build_model

    learner = SelfTeachingLearner(cell.player, cell.rules, cell.settings, cell.seed)
    for record in records[:after]:
        learner.observe(record)
    model = build_model(learner.architecture)
    size, channels = cell.size, learner.architecture.channels
    boards = [stones_after(records[after], ply) for ply in learner_plies(records[after])]
    features = [learner.encoder.features(stones[None]) for stones in boards]
    shaped = [item.reshape(1, size, size, channels) for item in features]
    model.predict(shaped[0], verbose=0)

    def predict_all() -> None:
        for item in shaped:
            model.predict(item, verbose=0)

    predict, _ = timed(predict_all, time.perf_counter)
    samples = NodeSamples(
        learner.memory.stones, learner.memory.labels, np.arange(len(learner.memory)), learner.rules
    )
    epochs = cnn_ann_epochs(len(samples))
    plan = TrainingPlan(
        features=learner.encoder.features(samples.stones),
        targets=targets_of(samples, learner.settings),
        occupied=samples.stones != 0,
        order=np.zeros((0, BATCH), np.int32),
        weights=np.zeros((0, BATCH), np.float32),
        learning_rates=np.full(100_000, 0.001, np.float32),
    )

    def fit() -> object:
        return fit_new_model(learner.architecture, plan, epochs, BATCH)

    seconds = []
    for _ in range(NAIVE_LOSSES):
        keras.backend.clear_session()
        seconds.append(timed(fit, time.perf_counter)[0])
    return predict / len(shaped), float(np.median(seconds))


def cnn_ann_epochs(samples: int) -> int:
    """Return how often cnn-ann goes through so many samples after a loss."""
    settings = CellConfiguration(player="cnn-ann").resolved
    steps = -(-samples // BATCH)
    return max(int(settings["epochs"] or 1), -(-int(settings["least_steps"] or 0) // steps))


def main() -> None:
    """Measure both players."""
    parser = parser_of(__doc__, games=24)
    parser.add_argument("--after", type=at_least_one, nargs=2, default=(200, 20))
    options = parser.parse_args()
    print(machine())
    for player, after in zip(("cnn-ann", "cnn-ann-plus"), options.after, strict=True):
        measure(player, options.games, after)


if __name__ == "__main__":
    main()
