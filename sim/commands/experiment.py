"""`experiment` and `grid`: run the experiment of the self-teaching paper without a window.

The paper's table has one cell for each number of records, condition and seed. Modules that compute
are imported when a command runs, so that other commands start faster.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Final

from ai.experiments.configuration import (
    CONDITIONS,
    CellConfiguration,
    ConfigurationError,
    parse_alpha,
    parse_pairs,
)
from ai.registry.players import check_game, get_player_info
from ai.runs.results import SUMMARY_FILE
from base.errors import GoishiError, UsageError
from base.locks import FolderLock
from base.schema import OptionError, OptionValue
from base.storage.run_folder import RUN_FILE, claim, writing_out
from base.values import JsonObject
from sim.commands.cli.cluster import ADDRESS, BACKEND, BACKENDS, check_cluster
from sim.commands.cli.ending import FAILED, SUCCESS, echo
from sim.commands.cli.flags import command, flag, flag_of, switch
from sim.commands.cli.progress import bar, warm_up

if TYPE_CHECKING:
    from ai.experiments.cell import CellProgress

DEFAULT_FOLDER: Final = Path("runs")

PLAYER: Final = flag_of(CellConfiguration, "player", "NAME")
GAMES: Final = flag_of(CellConfiguration, "games", "N")
STRENGTH: Final = flag_of(CellConfiguration, "ga", "PxG")
RANDOMNESS: Final = flag_of(CellConfiguration, "randomness", "KIND")
OPPONENTS: Final = flag_of(CellConfiguration, "opponents", "KIND")
PAIRS: Final = flag(None, "--set KEY=VALUE", "A setting of the learner; ga.KEY=VALUE one of Black.")
CONTROL: Final = flag_of(CellConfiguration, "control", "NAME")
RULE: Final = flag_of(CellConfiguration, "rule", "NAME")
HELD_OUT: Final = flag(
    0,
    "--held-out N",
    "At the end, N games of the frozen player against each of two unseen "
    "opponents, or each of the league.",
    0,
)
OUT: Final = flag(None, "--out DIR", "Folder of the results.", show_default=False)
JOBS: Final = flag(
    None,
    "--jobs N",
    "Cells at a time [as many as cores].",
    1,
    expected="a whole number of at least 1 or none",
)
RESUME: Final = switch("--resume", "Go on with the run in the folder.")


@command
def experiment(
    *,
    player: str = PLAYER,
    games: int = GAMES,
    records: int | None = flag(None, "--records N", "Moves to look back [the player's].", 1, 50),
    alpha: str | None = flag(None, "--alpha D|none", "Merge distance [the player's]."),
    no_relearn: bool = switch("--no-relearn", "Condition (a): train on the last loss alone."),
    ga: str = STRENGTH,
    randomness: str = RANDOMNESS,
    opponents: str = OPPONENTS,
    pairs: list[str] | None = PAIRS,
    control: str = CONTROL,
    rule: str = RULE,
    held_out: int = HELD_OUT,
    oracle: bool = switch("--oracle", "Let the exact solver judge every game at the end."),
    seed: int = flag_of(CellConfiguration, "seed", "N"),
    out: Path | None = OUT,
    resume: bool = RESUME,
) -> int:
    """Run one cell of the self-teaching experiment.

    Writes games.jsonl, timings.jsonl, summary.json and figures into the folder
    [runs/PLAYER/r4_a5_s0]. If it was interrupted, the same command with --resume continues, and
    ends with the same games as a run without interruption.
    """
    from ai.experiments.cell import cell_run, prepare_folder
    from ai.experiments.grid import cell_folder

    with _usage_errors():
        own, opponent = parse_pairs(pairs or [])
        settings = _learning_settings(records, alpha, no_relearn=no_relearn)
        cell = CellConfiguration(player, games, seed, ga, randomness, rule=rule)
        cell = replace(cell, settings={**settings, **own}, opponent=opponent)
        cell = replace(cell, opponents=opponents, control=control)
        if oracle:
            check_game(get_player_info("oracle"), cell.rules)
        folder = out or cell_folder(DEFAULT_FOLDER.absolute(), cell)
        lock = cell_run(folder).claim()
    with lock:
        with _usage_errors(), writing_out():
            prepare_folder(cell, folder, resume=resume)
        summary = _run(cell, folder, lock, held_out=held_out, with_oracle=oracle)
    _draw_figures(lambda figures: figures.cell_figures(folder, summary))
    _print_summary(summary, folder)
    return SUCCESS


def _learning_settings(
    records: int | None, alpha: str | None, *, no_relearn: bool
) -> dict[str, OptionValue]:
    """Return the learner's settings that were given by flags of their own.

    Args:
        records: relearn records after a loss; None for the player's own number.
        alpha: text of the flag `--alpha`; None if it was not given.
        no_relearn: whether to learn from the last loss alone.
    """
    settings: dict[str, OptionValue] = {} if records is None else {"records": records}
    if alpha is not None:
        settings |= parse_alpha(alpha)
    if no_relearn:
        settings |= parse_alpha("no-relearn")
    return settings


def _run(
    cell: CellConfiguration, folder: Path, lock: FolderLock, *, held_out: int, with_oracle: bool
) -> JsonObject:
    """Run a cell with a progress bar; return its summary.

    Args:
        cell: configuration of the cell.
        folder: folder of the results.
        lock: lock of the folder.
        held_out: number of held-out games at the end.
        with_oracle: whether the exact solver judges every game at the end.
    """
    from ai.experiments.cell import run_cell

    warm_up()
    with bar(f"{cell.player} {cell.condition}", cell.games) as show:
        return run_cell(
            cell,
            folder,
            resume=True,
            held_out_games=held_out,
            with_oracle=with_oracle,
            progress=lambda step: show(step.game, _losses(step)),
            lock=lock,
        )


@command
def grid(
    *,
    player: str = PLAYER,
    games: int = GAMES,
    records: str = flag("1,2,3,4", "--records LIST", "Record counts."),
    alpha: str = flag(",".join(CONDITIONS), "--alpha LIST", "Conditions (a) to (h)."),
    seeds: int = flag(1, "--seeds N", "Seeds 0 to N-1.", 1),
    seed: int = flag_of(CellConfiguration, "seed", "N", help="The first seed."),
    ga: str = STRENGTH,
    randomness: str = RANDOMNESS,
    opponents: str = OPPONENTS,
    pairs: list[str] | None = PAIRS,
    control: str = CONTROL,
    rule: str = RULE,
    held_out: int = HELD_OUT,
    jobs: int | None = JOBS,
    backend: str = replace(BACKEND, choices=BACKENDS),
    address: str | None = ADDRESS,
    out: Path | None = OUT,
    resume: bool = RESUME,
) -> int:
    """Run the paper's table: records x conditions x seeds.

    Each cell has its own folder in OUT/PLAYER; grid.json and the figures 6 to 14 are written to
    OUT. With --resume, finished cells are kept and others continue where they stopped.
    """
    from ai.experiments.grid import GRID_FILE, cells_of, check_start, is_grid, run_grid

    with _usage_errors():
        check_cluster(backend, address)
        own, others = parse_pairs(pairs or [])
        base = CellConfiguration(player, games, ga=ga, randomness=randomness, rule=rule)
        base = replace(base, settings=own, opponent=others, opponents=opponents, control=control)
        cells = cells_of(
            base,
            records=_whole_numbers("--records", records),
            conditions=[item.strip() for item in alpha.split(",")],
            seeds=range(seed, seed + seeds),
        )
        check_start(backend)
        folder = out or DEFAULT_FOLDER.absolute()
        lock = claim(folder, is_grid if out else is_shared)
    with lock:
        warm_up()
        total = sum(cell.games for cell in cells)
        with _usage_errors(), bar(f"{len(cells)} cells", total) as show:
            results = run_grid(
                cells,
                folder,
                jobs=jobs or os.cpu_count() or 1,
                resume=resume,
                held_out_games=held_out,
                backend=backend,
                address=address,
                report=lambda done, all_games, finished: show(done, f"{finished} cells finished"),
                lock=lock,
            )
    _draw_figures(lambda figures: figures.grid_figures(folder, results))
    echo(f"{len(results['cells'])} cells in {folder / GRID_FILE}")
    return SUCCESS if len(results["cells"]) == len(cells) else FAILED


def is_shared(folder: Path) -> bool:
    """Return whether a folder, such as `runs`, is for several runs and not for a single one."""
    return not (folder / RUN_FILE).exists()


def _losses(step: CellProgress) -> str:
    stage = "" if step.stage == "games" else f" · {step.stage}"
    return f"{step.losses} lost{stage}"


def _print_summary(summary: JsonObject, folder: Path) -> None:
    """Print the summary of a cell in a few lines.

    Args:
        summary: the summary, as in summary.json.
        folder: folder of the results.
    """
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
