"""The memory alone, by kernel, width and dice; and how long Black's games last.

    python -m benchmarks.memory --out runs/memory --seeds 2 --jobs 2

Plays `ann` (records 4, 600 games, Black seeded from the board) with other kernels of f1 and other
widths, and with a share of Black's moves drawn anew. Then it plays every Black against a White that
takes the free points in an order drawn for each game. Writes OUT/kernels.json, OUT/dice.json and
OUT/black.json, which `benchmarks.study_tables --memory OUT` reads. An interrupted run is resumed.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1"))

import numpy as np

from ai.experiments.configuration import CONDITIONS, CellConfiguration, strength
from ai.experiments.grid import cells_of, collect, run_grid
from ai.game import BLACK, WHITE, Board, Rules
from ai.nets.features import DEFAULT_KERNEL
from ai.players.base import Limit
from ai.registry.players import create_player
from ai.session.game import move_seed, opening_move
from base.storage.json_file import write_table
from benchmarks.console import parser_of

VARIANTS: Final[Mapping[str, Mapping[str, Any]]] = {
    "5x5 rings 4, 3, 2, 1, width 1": {"kernel": DEFAULT_KERNEL, "width": 1.0},
    "the same, width 2": {"kernel": DEFAULT_KERNEL, "width": 2.0},
    "the same, width 4": {"kernel": DEFAULT_KERNEL, "width": 4.0},
    "3x3 cross 2, 1, width 1": {"kernel": "0,1,0;1,2,1;0,1,0", "width": 1.0},
    "the raw board, width 0.5": {"kernel": "1", "width": 0.5},
}
SHARES: Final = (0.0, 0.005, 0.02, 0.1)
BLACKS: Final = tuple(
    (fitness, ga)
    for fitness in ("first-five", "final-position", "sum-of-steps")
    for ga in ("4x2", "6x3", "10x10", "50x30")
)
BLACK_GAMES: Final = 200


def kernels(out: Path, seeds: Sequence[int], jobs: int) -> list[dict[str, Any]]:
    """Run what is missing of the variants; return `kernel_rows` after each of them."""
    for number in range(len(VARIANTS)):
        run_grid(_kernel_cells(number, seeds), out / f"kernel-{number}", jobs=jobs, resume=True)
        write_table(out / "kernels.json", {"rows": kernel_rows(out, seeds)})
    return kernel_rows(out, seeds)


def kernel_rows(out: Path, seeds: Sequence[int]) -> list[dict[str, Any]]:
    """Return a row a variant: mean losses and nodes by condition, of the finished cells."""
    rows = []
    for number, (name, settings) in enumerate(VARIANTS.items()):
        found = collect(_kernel_cells(number, seeds), out / f"kernel-{number}")["cells"]
        if not found:
            continue
        own = {item: [cell for cell in found if cell["condition"] == item] for item in CONDITIONS}
        seeds_played = len({cell["seed"] for cell in found})
        row = {"name": name, "settings": dict(settings), "seeds": seeds_played}
        for key, counted in (("losses", "losses"), ("nodes", "ann_nodes")):
            row[key] = {
                condition: float(np.mean([cell[counted] for cell in cells]))
                for condition, cells in own.items()
                if cells
            }
        rows.append(row)
    return rows


def _kernel_cells(number: int, seeds: Sequence[int]) -> list[CellConfiguration]:
    """Return a variant's cells."""
    base = CellConfiguration("ann", settings=list(VARIANTS.values())[number])
    return cells_of(base, records=(4,), conditions=CONDITIONS[1:], seeds=seeds)


def dice(out: Path, seeds: Sequence[int], jobs: int) -> list[dict[str, Any]]:
    """Return a row a share of fresh moves: losses by seed, width 2 at α = 5."""
    rows = []
    for share in SHARES:
        base = CellConfiguration("ann", settings={"width": 2.0}, opponent={"fresh_share": share})
        cells = cells_of(base, records=(4,), conditions=("5",), seeds=seeds)
        found = run_grid(cells, out / f"dice-{share:g}", jobs=jobs, resume=True)["cells"]
        rows.append({"share": f"{share:.1%}", "losses": [cell["losses"] for cell in found]})
    return rows


def black(games: int = BLACK_GAMES, seed: int = 0) -> list[dict[str, Any]]:
    """Return a row a Black: White's moves a game and the share lost, White playing blindly."""
    rows = []
    for fitness, ga in BLACKS:
        rules = Rules(7, 5, full_board_winner=WHITE)
        settings = {**strength(ga), "randomness": "fresh", "fitness": fitness}
        player = create_player("genetic", rules, settings)
        orders = np.random.default_rng(seed)
        moves = lost = 0
        for game in range(1, games + 1):
            board = Board(rules)
            board.push(opening_move(rules, seed, game))
            order = orders.permutation(rules.points).tolist()
            while board.outcome() is None:
                if board.to_move == BLACK:
                    rng = np.random.default_rng(move_seed(seed, game, board.ply))
                    board.push(player.choose(board, Limit(), rng).move)
                else:
                    board.push(next(point for point in order if not board.stones[point]))
                    moves += 1
            outcome = board.outcome()
            lost += outcome is not None and outcome.winner == BLACK
        rows.append({"fitness": fitness, "ga": ga, "moves": moves / games, "lost": lost / games})
    return rows


def main() -> None:
    """Run what is missing and write the tables."""
    options = parser_of(__doc__, out=Path("runs/memory"), seeds=2, jobs=2).parse_args()
    seeds = range(options.seeds)
    options.out.mkdir(parents=True, exist_ok=True)
    write_table(options.out / "black.json", {"games": BLACK_GAMES, "rows": black()})
    print("Black's games: done", flush=True)
    write_table(options.out / "dice.json", {"rows": dice(options.out, seeds, options.jobs)})
    print("dice: done", flush=True)
    kernels(options.out, seeds, options.jobs)
    print("kernels: done", flush=True)


if __name__ == "__main__":
    main()
