"""300 games of both self-teaching players, and of the same runs without learning.

    python -m benchmarks.learning [--games 300] [--jobs 2] [--out runs/nightly/learning]

`cnn-ann-plus` plays against the genetic algorithm with fresh dice. `cnn-ann` plays against the one
whose dice come from the board, as in the paper. Both have controls (`ai/experiments/controls.py`):
first weights drawn anew after each loss, one fixed order of the points, an order drawn anew after
each loss. An interrupted run is resumed. The exit code is 1 unless

- `cnn-ann-plus` loses at most half of what its best control loses;
- every training of `cnn-ann` holds its memory. Its losses are printed beside those of its controls
  and not judged: with its default merge distance it loses no fewer (docs/studies/self_teaching.md).
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from ai.experiments.configuration import CellConfiguration
from ai.experiments.grid import cell_folder, run_grid
from ai.runs.results import SUMMARY_FILE
from base.storage.json_file import read_json
from base.values import JsonObject
from benchmarks.console import parser_of

CONTROLS: Final = ("untrained", "one-order", "new-order")
DICE: Final = {"cnn-ann-plus": "fresh", "cnn-ann": "board-seeded"}
SHARE: Final = 0.5


def cells_of(games: int) -> list[CellConfiguration]:
    """Return both players' cells and their controls."""
    return [
        CellConfiguration(player=player, games=games, seed=0, randomness=dice, control=control)
        for player, dice in DICE.items()
        for control in ("none", *CONTROLS)
    ]


def judge(losses: Mapping[str, Mapping[str, int]], failed: int) -> list[str]:
    """Return what is missed.

    Args:
        losses: by player and control.
        failed: trainings of `cnn-ann` that did not hold their memory.
    """
    plus = losses["cnn-ann-plus"]
    best = min(plus[control] for control in CONTROLS)
    faults = []
    if plus["none"] > SHARE * best:
        faults.append(f"cnn-ann-plus loses {plus['none']}, its best control {best}")
    if failed:
        faults.append(f"{failed} trainings of cnn-ann failed")
    return faults


def main() -> int:
    """Play, print, return the exit code."""
    parser = parser_of(__doc__, games=300, jobs=2, out=Path("runs/nightly/learning"))
    options = parser.parse_args()
    summaries: dict[str, dict[str, JsonObject]] = {player: {} for player in DICE}
    cells = cells_of(options.games)
    for control in dict.fromkeys(cell.control for cell in cells):
        pair = [cell for cell in cells if cell.control == control]
        out = options.out / control
        run_grid(pair, out, jobs=options.jobs, resume=True)
        for cell in pair:
            summary = read_json(cell_folder(out, cell) / SUMMARY_FILE)
            summaries[cell.player][control] = summary
            lost = f"{summary['losses']} of {summary['games']} lost"
            print(f"{cell.player}, {control}: {lost}", flush=True)
    losses = {
        player: {control: int(summary["losses"]) for control, summary in found.items()}
        for player, found in summaries.items()
    }
    held = summaries["cnn-ann"]["none"]["held"]
    faults = judge(losses, int(held["failed"]))
    told = "; ".join(
        f"{player} lost {found['none']} of {options.games}, controls "
        f"{', '.join(str(found[control]) for control in CONTROLS)}"
        for player, found in losses.items()
    )
    least = "–" if held["least"] is None else f"{held['least']:.3f}"
    print(
        f"{told}; cnn-ann held {least} at the least" + "".join(f"; MISSED: {one}" for one in faults)
    )
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
