"""Which improvement of cnn-ann-plus matters: each is switched off alone, over fresh seeds.

    python -m benchmarks.ablation --out runs/ablation --games 300 --seeds 5 --jobs 2

An interrupted run is resumed. After each variant it writes the table OUT/ablation.json: losses
against the genetic algorithm 10x10 with fresh randomness, with mean and 95 % interval (Student's
t). `benchmarks.study_tables --ablation OUT` makes the table of docs/studies/self_teaching.md of it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1"))
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

from ai.experiments.configuration import CellConfiguration
from ai.experiments.grid import run_grid
from ai.runs.statistics import mean_interval
from base.storage.json_file import write_table
from benchmarks.console import parser_of

TABLE = "ablation.json"
FIRST_SEED = 300

VARIANTS: Mapping[str, Mapping[str, Any]] = {
    "all on": {},
    "no threat labels": {"threat_labels": False},
    "no win records": {"win_records": False},
    "no warm start": {"warm_start": False},
    "no symmetries": {"symmetries": False},
    "no masking": {"mask_occupied": False},
    "no rehearsal": {"rehearsal": False},
    "3x3 kernels": {"kernel_sizes": "3,3,3"},
    "two planes": {"input": "planes"},
    "with hard examples": {"hard_examples": True},
    "no variations": {"variations": 0},
    "no near losses": {"near_losses": False},
    "one answer, not the mean over symmetries": {"play_symmetries": False},
    "sixty steps a training": {"cycle": None, "enough": None, "steps": 60},
    "own threats": {"own_threats": True},
    "proofs": {"proofs": 2000},
    "alpha none": {"alpha": None},
    "alpha 5": {"alpha": 5.0},
}


def main() -> None:
    """Run what is missing and write the table."""
    parser = parser_of(
        __doc__,
        out=Path("runs/ablation"),
        table=(Path, "the table's file [OUT/ablation.json]"),
        games=300,
        seeds=5,
        jobs=2,
    )
    parser.add_argument("--only", nargs="+", choices=[*VARIANTS], default=[*VARIANTS])
    options = parser.parse_args()
    table = options.table or options.out / TABLE
    rows: list[dict[str, Any]] = []
    for name in (name for name in VARIANTS if name in options.only):
        settings, seeds = VARIANTS[name], range(FIRST_SEED, FIRST_SEED + options.seeds)
        cells = [
            CellConfiguration(
                "cnn-ann-plus", options.games, seed, randomness="fresh", settings=settings
            )
            for seed in seeds
        ]
        folder = options.out / name.replace(" ", "-").replace(",", "")
        results = run_grid(cells, folder, jobs=options.jobs, resume=True)["cells"]
        losses = [cell["losses"] for cell in results]
        last = [sum(cell["wins_per_group"][-20:]) for cell in results]
        mean, half = mean_interval([float(item) for item in losses])
        row = {
            "name": name,
            "settings": dict(settings),
            "seeds": [cell["seed"] for cell in results],
            "games": options.games,
            "losses": losses,
            "losses_mean": round(mean, 1),
            "losses_half_width": round(half, 1),
            "wins_of_last_100": last,
            "seconds": [round(cell["seconds"]["total"], 1) for cell in results],
        }
        rows.append(row)
        table.parent.mkdir(parents=True, exist_ok=True)
        write_table(table, {"opponent": "genetic 10x10, fresh", "rows": rows})
        print(
            f"{name}: losses {losses}, mean {mean:.1f} +- {half:.1f}; last 100 {last}", flush=True
        )


if __name__ == "__main__":
    main()
