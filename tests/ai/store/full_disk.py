"""What test_full_disk.py runs in a process of its own, whose files may not grow beyond a size.

Prints a JSON list of what happened.
"""

from __future__ import annotations

import json
import resource
import signal
import sys
from pathlib import Path

import numpy as np

from ai.nets.architecture import Architecture, draw_weights
from ai.nets.weights_file import weights_bytes
from ai.store import CheckpointError, CheckpointStore, RunStore, RunStoreError
from base.storage.json_file import LinesFile, read_lines


def limit(size: int) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def lines(folder: Path) -> list[object]:
    path = folder / "games.jsonl"
    told: list[object] = []
    with LinesFile(path) as file:
        file.append({"game": 1, "text": "a" * 50})
        limit(path.stat().st_size + 20)
        for _ in range(2):
            try:
                file.append({"game": 2, "text": "a" * 50})
            except OSError:
                told.append("full")
        limit(resource.RLIM_INFINITY)
        file.append({"game": 2, "text": "b"})
    return [*told, *(line["game"] for line in read_lines(path))]


def checkpoint(folder: Path) -> list[object]:
    architecture = Architecture(7, 1)
    weights = draw_weights(architecture, np.random.default_rng(0))
    store = CheckpointStore(folder / "kept")

    def save(number: int) -> None:
        files = {"w.weights.h5": weights_bytes(architecture, weights)}
        store.save({"number": number}, files)

    save(1)
    told: list[object] = []
    for size in (0, 3000):  # refused when it is opened, and when it is closed
        limit(size)
        try:
            save(2)
        except CheckpointError as error:
            told.append("the last good one is kept" in str(error))
    limit(resource.RLIM_INFINITY)
    found, messages = store.load(lambda checkpoint: None)
    left = sorted(path.name for path in store.directory.iterdir())
    return [*told, None if found is None else found.state["number"], messages, left]


def database(folder: Path) -> list[object]:
    store = RunStore.open(folder / "runs.sqlite3")
    run = store.start_run({})
    limit(60_000)
    kept = 0
    try:
        for game in range(1, 200):
            store.record_measures(run, game, {"loss " + "x" * 500: 1.0})
            kept = game
    except RunStoreError:
        pass
    limit(resource.RLIM_INFINITY)
    before = len(store.measures()) == kept
    store.record_measures(run, 1000, {"loss": 2.0})
    return [0 < kept < 199, before, len(store.measures()) - kept]


def reopened(folder: Path) -> list[object]:
    path = folder / "runs.sqlite3"
    store = RunStore.open(path)
    run = store.start_run({})
    for game in range(1, 14):
        store.record_measures(run, game, {"loss": 1.0})
    store.close()  # the index that processes share goes with it
    limit(0)
    store = RunStore.open(path)
    told: list[object] = [len(store.measures())]
    try:
        store.start_run({})
    except RunStoreError:
        told.append("full")
    limit(resource.RLIM_INFINITY)
    return [*told, store.start_run({}), len(store.measures())]


if __name__ == "__main__":
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # the write fails instead
    told = {"lines": lines, "checkpoint": checkpoint, "database": database, "reopened": reopened}[
        sys.argv[1]
    ](Path(sys.argv[2]))
    sys.stdout.write(json.dumps(told))
