"""What the learners of lines learn, with their controls; makes the tables of docs/studies/lines.md.

    python -m benchmarks.lines --out runs/lines [--only NAME …]     play, or go on playing
    python -m benchmarks.lines --out runs/lines --keep              take it into the page
    python -m benchmarks.lines --check                              exit code 1 if it would change
    python -m benchmarks.lines --out runs/lines --boards [--keep]   boards it did not learn on

A variant is a player with some settings, an opponent and a control; it is played with the seeds 0
to 4. An interrupted run is resumed. A variant with fewer seeds so far is shown with those. The
settings were chosen on seeds 10 to 12, which no table has.

With --boards, `cnn-lines` plays on 9x9 and 15x15 with the weights that it learnt on 7x7, from
balanced openings with colors swapped. The control has weights learnt from random labels.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1"))
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

from ai import Rules, create_player
from ai.experiments.cell import CHECKPOINTS
from ai.experiments.configuration import CellConfiguration
from ai.experiments.grid import cell_folder, collect, run_grid
from ai.game.lines import DIRECTIONS
from ai.nets.features import build_architecture
from ai.nets.weights_file import CHECKPOINT_WEIGHTS, read_weights
from ai.players.cnn_lines import CnnLinesPlayer
from ai.registry.players import get_player_info, resolve_settings, split_label
from ai.runs.statistics import mean_interval
from base.files import SHIPPED_ROOT
from base.schema import OptionValue
from base.storage.json_file import read_json, write_json
from benchmarks.console import parser_of, table
from benchmarks.games import match, points_text
from benchmarks.study_tables import StudyError, made_anew

DOCS: Final = SHIPPED_ROOT / "docs"
PAGE: Final = DOCS / "studies" / "lines.md"
STUDY: Final = DOCS / "studies" / "lines.json"
FORMAT: Final = "goishi.lines/1"
SEEDS: Final = 5
GAMES: Final = 600
HELD_OUT: Final = 100
HUNDREDS: Final = 20
"""Number of groups of five games in a hundred."""
RANDOM: Final = "random-labels"


@dataclass(frozen=True)
class Variant:
    """A learner, its settings, its opponent and its control.

    Attributes:
        name: what it is called on the command line.
        player: name of the player in the registry.
        settings: settings that differ from the player's defaults.
        randomness: Black's, "fresh" or "board-seeded".
        control: control in place of learning.
        ga: Black's strength.
    """

    name: str
    player: str
    settings: Mapping[str, OptionValue] = field(default_factory=dict)
    randomness: str = "fresh"
    control: str = "none"
    ga: str = "10x10"

    def cells(self, games: int, seeds: int) -> list[CellConfiguration]:
        """Return its cells, one for each seed from 0."""
        return [
            CellConfiguration(
                self.player,
                games,
                seed,
                ga=self.ga,
                randomness=self.randomness,
                settings=self.settings,
                control=self.control,
            )
            for seed in range(seeds)
        ]


_BOTH: Final = ("cnn-lines", "ann-lines")
VARIANTS: Final = (
    *(Variant(player, player) for player in _BOTH),
    *(Variant(f"{player}-random", player, control=RANDOM) for player in _BOTH),
    Variant("cnn-lines-untrained", "cnn-lines", control="untrained"),
    Variant("ann-lines-shuffled", "ann-lines", control="shuffled-labels"),
    *(
        Variant(f"{player}-records-{records}", player, {"records": records})
        for player in reversed(_BOTH)
        for records in (1, 2, 3)
    ),
    *(
        Variant(f"ann-lines-alpha-{alpha:g}", "ann-lines", {"alpha": alpha})
        for alpha in (1.1, 1.5, 2.1, 2.5, 3.0)
    ),
    *(Variant(f"{player}-width-0", player, {"width": 0.0}) for player in reversed(_BOTH)),
    *(
        Variant(f"{player}-width-0-random", player, {"width": 0.0}, control=RANDOM)
        for player in reversed(_BOTH)
    ),
    *(Variant(f"{player}-last-game", player, {"relearn": "last-game"}) for player in _BOTH[1:]),
    *(Variant(f"{player}-seeded", player, randomness="board-seeded") for player in _BOTH),
    *(Variant(f"{player}-strong", player, ga="50x30") for player in _BOTH),
)
"""All variants, the most telling first."""


def row_of(variant: Variant, folder: Path, games: int, seeds: int) -> dict[str, Any] | None:
    """Return what is finished of a variant; None if nothing is.

    Args:
        variant: the variant.
        folder: folder of its grid.
        games: number of games of a cell.
        seeds: number of seeds.
    """
    found = collect(variant.cells(games, seeds), folder)["cells"]
    done = sorted(
        (cell for cell in found if cell["games"] == games), key=lambda cell: int(cell["seed"])
    )
    if not done:
        return None
    frozen = [
        read_json(cell_folder(folder, cell) / "summary.json").get("held_out", {})
        for cell in variant.cells(games, seeds)
        if cell.seed in [entry["seed"] for entry in done]
    ]
    return {
        "name": variant.name,
        "games": games,
        "seeds": [cell["seed"] for cell in done],
        "losses": [cell["losses"] for cell in done],
        "wins": [_hundreds(cell["wins_per_group"]) for cell in done],
        "full": [cell["win_reasons"]["white"]["full"] for cell in done],
        "nodes": [cell["ann_nodes"] for cell in done],
        "held": [cell["held"]["last"] for cell in done],
        "agrees": [cell["agrees"] for cell in done],
        "frozen": {
            strength: [one[strength]["wins"] if strength in one else None for one in frozen]
            for strength in ("10x10", "50x30")
        },
    }


def _hundreds(groups: Sequence[int]) -> list[int]:
    """Return the wins of each hundred games, from those of each five."""
    return [sum(groups[at : at + HUNDREDS]) for at in range(0, len(groups), HUNDREDS)]


def numbers(values: Sequence[int | float | None]) -> str:
    """Return values as text, "12, 8, 10"; "not run" without any."""
    return ", ".join(f"{value:g}" for value in values if value is not None) or "not run"


def spread(values: Sequence[int]) -> str:
    """Return mean and half the width of its 95 % interval over seeds: "12.4 ± 3.0"."""
    mean, half = mean_interval([float(value) for value in values])
    return f"{mean:.1f} ± {half:.1f}" if len(values) > 1 else f"{mean:.0f}"


TITLES: Final[Mapping[str, str]] = {
    "cnn-lines": "`cnn-lines`", "ann-lines": "`ann-lines`",
    "cnn-lines-random": "`cnn-lines`, random labels",
    "ann-lines-random": "`ann-lines`, random labels",
    "cnn-lines-untrained": "`cnn-lines`, untrained",
    "ann-lines-shuffled": "`ann-lines`, shuffled labels",
    "cnn-lines-width-0": "`cnn-lines`, lines apart",
    "ann-lines-width-0": "`ann-lines`, lines apart",
    "cnn-lines-width-0-random": "`cnn-lines`, lines apart, random labels",
    "ann-lines-width-0-random": "`ann-lines`, lines apart, random labels",
    "ann-lines-last-game": "`ann-lines`, the last lost game alone",
    "cnn-lines-seeded": "`cnn-lines`, board-seeded",
    "ann-lines-seeded": "`ann-lines`, board-seeded",
    "cnn-lines-strong": "`cnn-lines`, 50x30", "ann-lines-strong": "`ann-lines`, 50x30",
}  # fmt: skip
"""Names of variants on the page."""


def _rows(study: Mapping[str, Any], names: Sequence[str]) -> list[list[str]]:
    known = {row["name"]: row for row in study["rows"]}
    found = []
    for name in names:
        title = TITLES.get(name) or "`{}-{}`, {} {}".format(*name.split("-"))
        row = known.get(name)
        if row is None:
            found.append([title, *["not run"] * 5])
            continue
        found.append(
            [
                title,
                numbers(row["losses"]),
                spread(row["losses"]),
                numbers([wins[-1] for wins in row["wins"]]),
                numbers(row["frozen"]["10x10"]),
                numbers(row["frozen"]["50x30"]),
            ]
        )
    return found


_HEAD: Final = (
    "player", "lost of 600, by seed", "mean", "won of the last 100", "frozen, 10x10",
    "frozen, 50x30",
)  # fmt: skip


def main_table(study: Mapping[str, Any]) -> str:
    """Return the table of both players and their controls."""
    names = [
        *("cnn-lines", "cnn-lines-random", "cnn-lines-untrained"),
        *("ann-lines", "ann-lines-random", "ann-lines-shuffled", "ann-lines-last-game"),
    ]
    return table(_HEAD, _rows(study, names))


def curve_table(study: Mapping[str, Any]) -> str:
    """Return the table of games won by hundreds, the mean over the seeds."""
    names = ("cnn-lines", "cnn-lines-random", "ann-lines", "ann-lines-random")
    known = {row["name"]: row for row in study["rows"]}
    rows = []
    for name in (name for name in names if name in known):
        wins = known[name]["wins"]
        means = [sum(column) / len(column) for column in zip(*wins, strict=True)]
        rows.append([TITLES[name], *(f"{mean:.0f}" for mean in means)])
    heads = [f"{at + 1} to {at + 100}" for at in range(0, GAMES, 100)]
    return table(("won of games", *heads), rows)


def records_table(study: Mapping[str, Any]) -> str:
    """Return the table of records walked back and of alpha."""
    names = [
        *(f"{player}-records-{records}" for player in _BOTH for records in (1, 2, 3)),
        *(f"ann-lines-alpha-{alpha:g}" for alpha in (1.1, 1.5, 2.1, 2.5, 3.0)),
    ]
    return table(_HEAD, _rows(study, names))


def shared_table(study: Mapping[str, Any]) -> str:
    """Return the table without sharing between near lines, and of other opponents."""
    names = [
        *("cnn-lines-width-0", "cnn-lines-width-0-random"),
        *("ann-lines-width-0", "ann-lines-width-0-random"),
        *("cnn-lines-seeded", "ann-lines-seeded", "cnn-lines-strong", "ann-lines-strong"),
    ]
    return table(_HEAD, _rows(study, names))


def boards_table(study: Mapping[str, Any]) -> str:
    """Return the table of games on boards that the network did not learn on."""
    rows = [
        [
            f"{row['size']}x{row['size']}",
            f"`{row['opponent']}`",
            *(points_text(row[kind]["points"], row[kind]["games"]) for kind in KINDS),
        ]
        for row in study.get("boards", [])
    ]
    heads = ("`cnn-lines` from 7x7", "random labels", "with its own lines", "random labels so")
    return table(("board", "against", *heads), rows)


TABLES: Final = {
    "lines": main_table,
    "lines_curve": curve_table,
    "lines_records": records_table,
    "lines_shared": shared_table,
    "lines_boards": boards_table,
}
"""Tables of the page, by name."""


OPPONENTS: Final = ("random", "one-ply", "genetic", "pattern", "mcts@iterations=1000")
SIZES: Final = (9, 15)
OWN: Final = 0.9
"""How much own lines count in the second half of the table, see the setting `own`.

Chosen among 0.5, 0.9 and 1.2 by other games on 9x9, with what was learnt from seed 10.
"""
KINDS: Final = {
    "learnt": ("cnn-lines", 0.0),
    "random": ("cnn-lines-random", 0.0),
    "learnt, own": ("cnn-lines", OWN),
    "random, own": ("cnn-lines-random", OWN),
}
"""Whose weights play, and how much their own lines count."""


def play_boards(out: Path, games: int) -> list[dict[str, Any]]:
    """Play on larger boards with the weights that were learnt on 7x7 with seed 0.

    Args:
        out: folder of the variants; `cnn-lines` and its control must be played there.
        games: games against each opponent on each board.
    """
    found = []
    for size in SIZES:
        rules = Rules(size, 5)
        for opponent in OPPONENTS:
            row: dict[str, Any] = {"size": size, "opponent": opponent}
            for kind, (name, own) in KINDS.items():
                player = learnt_player(out / name, rules, own)
                other, settings = split_label(opponent)
                score = match(
                    player, create_player(other, rules, settings), rules, games=games, seed=0
                )
                row[kind] = {"points": score.wins + score.draws / 2, "games": score.games}
            print(row, flush=True)
            found.append(row)
    return found


def learnt_player(folder: Path, rules: Rules, own: float = 0.0) -> CnnLinesPlayer:
    """Return `cnn-lines` on any board, with what seed 0 of a variant learnt on 7x7.

    Args:
        folder: folder of the variant's grid.
        rules: rules of the game.
        own: how much the player's own lines count.
    """
    settings = resolve_settings(get_player_info("cnn-lines"), {"own": own})
    newest = max(folder.glob(f"**/*_s0*/{CHECKPOINTS}/*/[0-9]*"))
    architecture = build_architecture(Rules(7, 5), settings, channels=len(DIRECTIONS))
    player = CnnLinesPlayer(rules, settings)
    player.load_weights(1, read_weights(newest / CHECKPOINT_WEIGHTS, architecture))
    return player


def read_study() -> dict[str, Any]:
    """Return the stored study; an empty one if there is none."""
    if not STUDY.exists():
        return {"format": FORMAT, "rows": []}
    return dict(read_json(STUDY))


def page(study: Mapping[str, Any]) -> str:
    """Return the text of the page with its tables made anew."""
    made = {name: make(study) for name, make in TABLES.items()}
    return made_anew(PAGE.read_text(encoding="utf-8"), made)


def main() -> int:
    """Play what is missing, or take what is there into the page."""
    parser = parser_of(
        __doc__, out=Path("runs/lines"), games=GAMES, seeds=SEEDS, jobs=1, held_out=HELD_OUT,
        keep=False, check=False, boards=False, board_games=20,
    )  # fmt: skip
    names = [variant.name for variant in VARIANTS]
    parser.add_argument("--only", nargs="+", choices=names, default=names, metavar="NAME")
    options = parser.parse_args()
    try:
        if options.check:
            return int(page(read_study()) != PAGE.read_text(encoding="utf-8"))
        chosen = [variant for variant in VARIANTS if variant.name in options.only]
        study = read_study()
        if options.boards:
            study["boards"] = play_boards(options.out, options.board_games)
        elif not options.keep:
            for variant in chosen:
                cells = variant.cells(options.games, options.seeds)
                run_grid(
                    cells,
                    options.out / variant.name,
                    jobs=options.jobs,
                    resume=True,
                    held_out_games=options.held_out,
                )
                row = row_of(variant, options.out / variant.name, options.games, options.seeds)
                print(variant.name, row and row["losses"], row and row["frozen"], flush=True)
        if options.keep:
            rows = {row["name"]: row for row in study["rows"]}
            for variant in chosen:
                row = row_of(variant, options.out / variant.name, options.games, options.seeds)
                if row is not None:
                    rows[variant.name] = row
            study["rows"] = [rows[name] for name in names if name in rows]
            write_json(STUDY, study)
            PAGE.write_text(page(study), encoding="utf-8")
    except StudyError as error:
        print(f"lines: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
