"""What helps the network whose weights are written from the nodes, on seeds of its own.

    python -m benchmarks.built_network --out runs/built-tried

Plays `cnn-ann` with `redraw=built` at α = 5 with four records, in variants: which nodes are written
where there are 516 neurons, how far a node reaches, and steps of training by gradient afterwards.
The seeds are 10 to 14; the study reports 0 to 4. An interrupted run is resumed. At the end it
writes the variants that are finished into OUT/built_tried.json, of which `benchmarks.study_tables
--built-tried OUT` makes a table; `--only` without names plays nothing.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1"))
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

from ai.experiments.configuration import CellConfiguration
from ai.experiments.grid import collect, run_grid
from base.schema import OptionValue
from base.storage.json_file import write_table
from benchmarks.console import parser_of

Settings = Mapping[str, OptionValue]

TABLE: Final = "built_tried.json"
FIRST_SEED: Final = 10
BUILT: Final[Settings] = {"redraw": "built", "input": "planes", "records": 4, "alpha": 5.0}
LARGE: Final[Settings] = {"hidden": "49,128,1600"}
PUBLISHED: Final[Settings] = {"hidden": "49,128,516", "reach": 3.0}
TRAINED: Final[Settings] = {**LARGE, "reach": 3.0, "enough": None, "gradient_steps": 100}
VARIANTS: Final[Mapping[str, Settings]] = {
    "1,600 neurons, reach 2.5": {**LARGE, "reach": 2.5},
    "1,600 neurons, reach 3": {**LARGE, "reach": 3.0},
    "1,600 neurons, reach 5": {**LARGE, "reach": 5.0},
    "1,600 neurons, reach 8": {**LARGE, "reach": 8.0},
    "516 neurons, the newest nodes": PUBLISHED,
    "516 neurons, the nodes met most often": {**PUBLISHED, "chosen_nodes": "most-met"},
    "516 neurons, the nodes farthest apart": {**PUBLISHED, "chosen_nodes": "farthest"},
    "1,600 neurons, then 100 steps by gradient": {**TRAINED, "rate": 0.0002},
    "1,600 neurons, then 100 larger steps": TRAINED,
}
"""Settings of each variant, by its name on the page."""


def cells_of(name: str, games: int, seeds: range) -> list[CellConfiguration]:
    """Return the cells of a variant."""
    settings = {**BUILT, **VARIANTS[name]}
    return [CellConfiguration("cnn-ann", games, seed, settings=settings) for seed in seeds]


def folder_of(out: Path, name: str) -> Path:
    """Return the folder of a variant's grid."""
    return out / name.replace(" ", "-").replace(",", "")


def row_of(name: str, cells: Sequence[CellConfiguration], folder: Path) -> dict[str, Any] | None:
    """Return a variant's row of the table; None if a cell is not finished."""
    found = sorted(collect(cells, folder)["cells"], key=lambda cell: int(cell["seed"]))
    if [cell["games"] for cell in found] != [cell.games for cell in cells]:
        return None
    return {
        "name": name,
        "settings": {**BUILT, **VARIANTS[name]},
        "games": cells[0].games,
        "seeds": [cell["seed"] for cell in found],
        "losses": [cell["losses"] for cell in found],
        "wins_of_last_100": [sum(cell["wins_per_group"][-20:]) for cell in found],
        "held": [cell["held"]["last"] for cell in found],
        "agrees": [cell["agrees"] for cell in found],
    }


def main() -> None:
    """Play what is missing and write the table."""
    parser = parser_of(__doc__, out=Path("runs/built-tried"), games=600, seeds=5, jobs=1)
    parser.add_argument("--only", nargs="*", choices=[*VARIANTS], default=[*VARIANTS])
    options = parser.parse_args()
    seeds = range(FIRST_SEED, FIRST_SEED + options.seeds)
    for name in (name for name in VARIANTS if name in options.only):
        cells, folder = cells_of(name, options.games, seeds), folder_of(options.out, name)
        run_grid(cells, folder, jobs=options.jobs, resume=True)
        row = row_of(name, cells, folder)
        print(f"{name}: losses {row and row['losses']}", flush=True)
    rows = [
        row_of(name, cells_of(name, options.games, seeds), folder_of(options.out, name))
        for name in VARIANTS
    ]
    found = [row for row in rows if row is not None]
    write_table(options.out / TABLE, {"opponent": "genetic 10x10, board-seeded", "rows": found})


if __name__ == "__main__":
    main()
