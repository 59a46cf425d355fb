"""Screens the readings of the self-teaching paper; resumable, one row a variant.

    python -m benchmarks.readings --out runs/readings --seeds 3 --jobs 2

Writes OUT/NAME/cnn-ann/… (the cells) and, after each variant, the table docs/studies/readings.json.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1"))
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

from ai.experiments.files import write_json
from ai.experiments.grid import collect, run_grid
from ai.experiments.readings import READINGS, Reading

TABLE = Path(__file__).resolve().parents[1] / "docs" / "studies" / "readings.json"


def row_of(reading: Reading, out: Path, seeds: tuple[int, ...]) -> dict[str, Any]:
    """Return the variant's row: settings, seeds, and what each finished cell came to."""
    cells = collect(reading.cells(seeds), out / reading.name)["cells"]
    kept = ("condition", "seed", "games", "losses", "wins_per_group", "plies",
            "relearn_records", "ann_nodes", "rank_counts")  # fmt: skip
    return {
        "name": reading.name,
        "question": reading.question,
        "settings": dict(reading.settings),
        "opponent": {"ga": reading.ga, "randomness": reading.randomness, **reading.opponent},
        "cells": [{key: cell[key] for key in kept} for cell in cells],
    }


def main() -> None:
    """Run what is missing, seed by seed, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("runs/readings"))
    parser.add_argument("--table", type=Path, default=TABLE)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", nargs="*", help="names of variants")
    options = parser.parse_args()
    wanted = [item for item in READINGS if not options.only or item.name in options.only]
    for seed in range(options.seeds):
        for reading in wanted:
            cells = reading.cells((seed,))
            run_grid(cells, options.out / reading.name, jobs=options.jobs, resume=True)
            seeds = tuple(range(options.seeds))
            rows = [row_of(item, options.out, seeds) for item in READINGS]
            options.table.parent.mkdir(parents=True, exist_ok=True)
            write_json(options.table, {"readings": [row for row in rows if row["cells"]]})
            losses = {
                cell["condition"]: cell["losses"]
                for cell in row_of(reading, options.out, (seed,))["cells"]
            }
            print(f"{reading.name} seed {seed}: losses {losses}", flush=True)


if __name__ == "__main__":
    main()
