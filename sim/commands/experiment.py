"""`experiment` and `grid`: the self-teaching paper's cells, without a window.

What computes is imported when a command runs: every other command starts without it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Final

import typer

from ai.experiments.configuration import (
    CONDITIONS,
    DEFAULT_RANDOMNESS,
    OPPONENT,
    CellConfiguration,
    ConfigurationError,
    parse_alpha,
    parse_pairs,
)
from ai.game import RULE_NAMES
from ai.registry.players import check_game, get_player_info
from ai.runs.results import SUMMARY_FILE
from base.errors import GoishiError, UsageError
from base.schema import Option, OptionError, OptionValue
from base.storage.run_folder import RUN_FILE, claim, writing_out
from base.values import JsonObject
from sim.commands.cli.cluster import Address, Backend, check_cluster
from sim.commands.cli.ending import FAILED, SUCCESS, echo
from sim.commands.cli.progress import bar, warm_up

if TYPE_CHECKING:
    from ai.experiments.cell import CellProgress

DEFAULT_FOLDER: Final = Path("runs")
_OWN: Final = {
    "held_out": Option("--held-out", 0, 0),
    "records": Option("--records", 1, 1, 50),
    "seeds": Option("--seeds", 1, 1),
    "jobs": Option("--jobs", None, 1, kind=int),
    "backend": Option("--backend", "local", choices=("local", "ray")),
}
"""Options that no cell's configuration checks."""

Player = Annotated[
    str, typer.Option("--player", metavar="NAME", help="The learner: cnn-ann, cnn-ann-plus or ann.")
]
Games = Annotated[int, typer.Option("--games", metavar="N", help="Games to play.")]
Strength = Annotated[
    str, typer.Option("--ga", metavar="PxG", help="Black's population x generations.")
]
Randomness = Annotated[
    str,
    typer.Option(
        "--randomness",
        metavar="KIND",
        help="Black's randomness: board-seeded (the same board, the same move) or fresh.",
    ),
]
Opponents = Annotated[
    str,
    typer.Option(
        "--opponents",
        metavar="KIND",
        help="Who plays Black: genetic, or league: in turn genetic 10x10 and 50x30, pattern, "
        "alpha-beta and oracle.",
    ),
]
Pairs = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="KEY=VALUE", help="A setting of the learner; ga.KEY=VALUE one of Black."
    ),
]
Control = Annotated[
    str,
    typer.Option(
        "--control",
        metavar="NAME",
        help="In place of learning: random-labels, shuffled-labels, untrained, one-order or "
        "new-order.",
    ),
]
Rule = Annotated[
    str,
    typer.Option(
        "--rule",
        metavar="NAME",
        help="Which rows win: freestyle, or standard (exactly five); others where the players "
        "know them.",
    ),
]
HeldOut = Annotated[
    int,
    typer.Option(
        "--held-out",
        metavar="N",
        help="At the end, N games of the frozen player against each of two unseen opponents, "
        "or each of the league.",
    ),
]
Records = Annotated[
    int | None, typer.Option("--records", metavar="N", help="Moves to look back [the player's].")
]
Alpha = Annotated[
    str | None, typer.Option("--alpha", metavar="D|none", help="Merge distance [the player's].")
]
NoRelearn = Annotated[
    bool, typer.Option("--no-relearn", help="Condition (a): train on the last loss alone.")
]
Oracle = Annotated[
    bool, typer.Option("--oracle", help="Let the exact solver judge every game at the end.")
]
Jobs = Annotated[
    int | None, typer.Option("--jobs", metavar="N", help="Cells at a time [as many as cores].")
]
Resume = Annotated[bool, typer.Option("--resume", help="Go on with the run in the folder.")]
Out = Annotated[
    Path | None,
    typer.Option("--out", metavar="DIR", help="Folder of the results.", show_default=False),
]


def experiment(
    player: Player = "cnn-ann",
    games: Games = 600,
    records: Records = None,
    alpha: Alpha = None,
    no_relearn: NoRelearn = False,
    ga: Strength = "10x10",
    randomness: Randomness = DEFAULT_RANDOMNESS,
    opponents: Opponents = OPPONENT,
    pairs: Pairs = None,
    control: Control = "none",
    rule: Rule = RULE_NAMES[0],
    held_out: HeldOut = 0,
    oracle: Oracle = False,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="The run's seed.")] = 0,
    out: Out = None,
    resume: Resume = False,
) -> int:
    """Run one cell of the self-teaching experiment.

    Writes games.jsonl, timings.jsonl, summary.json and figures into the folder
    [runs/PLAYER/r4_a5_s0]. Killed at any moment, the same command with --resume goes on, and
    ends with the same games as an unbroken run.
    """
    from ai.experiments.cell import cell_run, prepare_folder, run_cell
    from ai.experiments.grid import cell_folder

    with _usage_errors():
        settings: dict[str, OptionValue] = {}
        if records is not None:
            _check(records=records)
            settings["records"] = records
        if alpha is not None:
            settings |= parse_alpha(alpha)
        if no_relearn:
            settings |= parse_alpha("no-relearn")
        own, opponent = parse_pairs(pairs or [])
        cell = CellConfiguration(
            player=player, games=games, seed=seed, ga=ga, randomness=randomness,
            settings={**settings, **own}, opponent=opponent, opponents=opponents, control=control,
            rule=rule,
        )  # fmt: skip
        _check(held_out=held_out)
        if oracle:
            check_game(get_player_info("oracle"), cell.rules)
        folder = out or cell_folder(DEFAULT_FOLDER, cell)
        lock = cell_run(folder).claim()
    with lock:
        with _usage_errors(), writing_out():
            prepare_folder(cell, folder, resume=resume)
        warm_up()
        with bar(f"{cell.player} {cell.condition}", cell.games) as show:
            summary = run_cell(
                cell, folder, resume=True, held_out_games=held_out, with_oracle=oracle, lock=lock,
                progress=lambda step: show(step.game, _losses(step)),
            )  # fmt: skip
    _draw_figures(lambda figures: figures.cell_figures(folder, summary))
    _print_summary(summary, folder)
    return SUCCESS


def grid(
    player: Player = "cnn-ann",
    games: Games = 600,
    records: Annotated[
        str, typer.Option("--records", metavar="LIST", help="Record counts.")
    ] = "1,2,3,4",
    alpha: Annotated[
        str, typer.Option("--alpha", metavar="LIST", help="Conditions (a) to (h).")
    ] = ",".join(CONDITIONS),
    seeds: Annotated[int, typer.Option("--seeds", metavar="N", help="Seeds 0 to N-1.")] = 1,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="The first seed.")] = 0,
    ga: Strength = "10x10",
    randomness: Randomness = DEFAULT_RANDOMNESS,
    opponents: Opponents = OPPONENT,
    pairs: Pairs = None,
    control: Control = "none",
    rule: Rule = RULE_NAMES[0],
    held_out: HeldOut = 0,
    jobs: Jobs = None,
    backend: Backend = "local",
    address: Address = None,
    out: Out = None,
    resume: Resume = False,
) -> int:
    """Run the paper's table: records x conditions x seeds.

    Each cell has a folder of its own under OUT/PLAYER; grid.json and the figures 6 to 14 stand
    in OUT. With --resume cells that are finished are kept and others go on where they stopped.
    """
    from ai.experiments.grid import GRID_FILE, cells_of, check_start, is_grid, run_grid

    with _usage_errors():
        _check(held_out=held_out, seeds=seeds, jobs=jobs, backend=backend)
        check_cluster(backend, address)
        own, others = parse_pairs(pairs or [])
        base = CellConfiguration(
            player, games, 0, ga, randomness, dict(own), dict(others), opponents=opponents,
            control=control, rule=rule,
        )  # fmt: skip
        cells = cells_of(
            base,
            records=_whole_numbers("--records", records),
            conditions=[item.strip() for item in alpha.split(",")],
            seeds=range(seed, seed + seeds),
        )
        check_start(backend)
        folder = out or DEFAULT_FOLDER
        lock = claim(folder, is_grid if out else is_shared)
    with lock:
        warm_up()
        total = sum(cell.games for cell in cells)
        with _usage_errors(), bar(f"{len(cells)} cells", total) as show:
            results = run_grid(
                cells, folder, jobs=jobs or os.cpu_count() or 1, resume=resume,
                held_out_games=held_out, backend=backend, address=address, lock=lock,
                report=lambda done, all_games, finished: show(done, f"{finished} cells finished"),
            )  # fmt: skip
    _draw_figures(lambda figures: figures.grid_figures(folder, results))
    echo(f"{len(results['cells'])} cells in {folder / GRID_FILE}")
    return SUCCESS if len(results["cells"]) == len(cells) else FAILED


def is_shared(folder: Path) -> bool:
    """Whether a folder is no run's own, but such as `runs`, where all commands write."""
    return not (folder / RUN_FILE).exists()


def _check(**given: object) -> None:
    """Check values by the options of `_OWN`.

    Raises:
        OptionError: one does not fit.
    """
    for name, value in given.items():
        _OWN[name].check(value)


def _losses(step: CellProgress) -> str:
    stage = "" if step.stage == "games" else f" · {step.stage}"
    return f"{step.losses} lost{stage}"


def _print_summary(summary: JsonObject, folder: Path) -> None:
    """Write the summary as a few lines."""
    echo(
        f"{summary['games']} games, {summary['losses']} lost, all won from game "
        f"{summary['all_wins_from_game'] or '-'}; {summary['relearn_records']} records in "
        f"{summary['ann_nodes']} nodes; {summary['seconds']['total']:.0f} s"
    )
    if summary["held"]["last"] is not None:
        echo(
            f"held of the memory after the last training {summary['held']['last']:.1%}, at the "
            f"least {summary['held']['least']:.1%}, {summary['held']['failed']} trainings failed; "
            f"variety {summary['variety']:.3f}"
        )
    for name, result in summary["held_out"].items():
        guards = ", ".join(
            f"{guard} {values['wins'] / values['games']:.1%}"
            for guard, values in result["guards"].items()
        )
        echo(
            f"held out {name}: {result['wins']} of {result['games']} "
            f"({result['low']:.1%} to {result['high']:.1%}); {guards}"
        )
    if summary["oracle"]:
        oracle = summary["oracle"]
        echo(
            f"oracle: {oracle['positions']} positions, {oracle['proven']} proven, "
            f"{oracle['unknown']} unknown, {oracle['losing_moves']} losing moves of White in "
            f"{oracle['games_with_losing_moves']} games"
        )
    echo(f"results in {folder / SUMMARY_FILE}")


def _whole_numbers(flag: str, text: str) -> list[int]:
    try:
        return [int(item) for item in text.split(",")]
    except ValueError:
        raise ConfigurationError(
            f"{flag}: expected whole numbers as in 1,2,3, found {text!r}"
        ) from None


def _draw_figures(draw: Callable[[ModuleType], object]) -> None:
    try:
        draw(import_module("ai.experiments.figures"))  # Matplotlib is loaded for figures only
    except OSError as error:
        raise GoishiError(f"figures: expected to write them, found {error}") from error


@contextmanager
def _usage_errors() -> Iterator[None]:
    try:
        yield
    except (ConfigurationError, OptionError) as error:
        raise UsageError(str(error)) from None
