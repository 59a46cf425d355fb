"""Screens the readings of the self-teaching paper; resumable, one row a variant.

    python -m benchmarks.readings --out runs/readings --seeds 3 --jobs 2

Writes OUT/NAME/cnn-ann/… (the cells) and, after each variant, the table OUT/readings.json. What
stands in docs/self_teaching.md is made of them by `benchmarks.study_tables --readings OUT`.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1"))
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

from ai.experiments.configuration import CONDITIONS
from ai.experiments.grid import collect, run_grid
from ai.experiments.readings import READINGS, SCREENED_CONDITIONS, SCREENED_GAMES, Reading
from base.storage.json_file import write_table
from benchmarks.arguments import at_least_one

TABLE = "readings.json"


def row_of(reading: Reading, out: Path, seeds: tuple[int, ...]) -> dict[str, Any]:
    """Return the variant's row: settings, seeds, and what each finished cell came to."""
    cells = collect(reading.cells(seeds), out / reading.name)["cells"]
    kept = ("condition", "seed", "games", "losses", "wins_per_group", "plies",
            "relearn_records", "ann_nodes", "rank_counts", "held", "variety", "agrees",
            "win_reasons")  # fmt: skip
    return {
        "name": reading.name,
        "question": reading.question,
        "settings": dict(reading.settings),
        "opponent": {"ga": reading.ga, "randomness": reading.randomness, **reading.opponent},
        "cells": [{key: cell[key] for key in kept} for cell in cells],
    }


def table_of(out: Path, seeds: tuple[int, ...]) -> dict[str, Any]:
    """Return the content of readings.json: the variants that have a finished cell below `out`."""
    rows = [row_of(reading, out, seeds) for reading in READINGS]
    return {"readings": [row for row in rows if row["cells"]]}


def main() -> None:
    """Run what is missing, seed by seed, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("runs/readings"))
    parser.add_argument("--table", type=Path, help="the table's file [OUT/readings.json]")
    parser.add_argument("--seeds", type=at_least_one, default=3)
    parser.add_argument("--games", type=at_least_one, default=SCREENED_GAMES)
    parser.add_argument(
        "--alpha", nargs="+", default=SCREENED_CONDITIONS, choices=CONDITIONS, metavar="CONDITION",
        help="conditions to play",
    )  # fmt: skip
    parser.add_argument("--jobs", type=at_least_one, default=2)
    parser.add_argument(
        "--only", nargs="+", choices=[item.name for item in READINGS], metavar="NAME",
        help="names of variants",
    )  # fmt: skip
    options = parser.parse_args()
    table = options.table or options.out / TABLE
    seeds = tuple(range(options.seeds))
    wanted = [item for item in READINGS if not options.only or item.name in options.only]
    for seed in range(options.seeds):
        for reading in wanted:
            cells = reading.cells((seed,), options.games, tuple(options.alpha))
            run_grid(cells, options.out / reading.name, jobs=options.jobs, resume=True)
            table.parent.mkdir(parents=True, exist_ok=True)
            write_table(table, table_of(options.out, seeds))
            losses = {
                cell["condition"]: cell["losses"]
                for cell in row_of(reading, options.out, (seed,))["cells"]
            }
            print(f"{reading.name} seed {seed}: losses {losses}", flush=True)


if __name__ == "__main__":
    main()
