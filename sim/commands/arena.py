"""`arena`: a tournament of players from balanced openings; rates them, with confidence intervals.

Modules that compute are imported when the command runs, so that other commands start faster.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from ai.arena.tournament import Tournament
from ai.game import Rules, RulesError
from base.errors import UsageError
from base.program import PROGRAM
from base.values import JsonObject
from sim.commands.cli.cluster import ADDRESS, BACKEND, check_cluster
from sim.commands.cli.ending import SUCCESS, echo
from sim.commands.cli.flags import command, flag, flag_of, switch
from sim.commands.cli.progress import bar, warm_up
from sim.commands.players import listed_project
from sim.core.project.trust import require_trust

DEFAULT_FOLDER: Final = Path("runs/arena")


Players = Annotated[
    list[str],
    typer.Argument(
        metavar="PLAYER PLAYER…",
        help=f"Two or more names ({PROGRAM} players); NAME@KEY=VALUE,… sets settings.",
    ),
]


ENGINE: Final = flag(
    None, "--engine NAME=COMMAND", "Declare an outside engine, the player gomocup:NAME."
)
SPRT: Final = flag(
    None,
    "--sprt ELO0,ELO1",
    "Of two players: stop as soon as the first is shown to be "
    "stronger by ELO1 rather than ELO0, or not (5 % error each way).",
)
PROJECT: Final = flag(
    None, "--project DIR", "Players of this project, too [that of the current folder]."
)


@command
def arena(
    players: Players,
    *,
    games: int = flag_of(Tournament, "games", "N"),
    board: int = flag(15, "--board N", "Points along a side."),
    win_length: int = flag(5, "--win-length N", "Stones in a row that win."),
    rule: str = flag(
        "freestyle", "--rule NAME", "Which rows win: freestyle, standard, renju or caro."
    ),
    opening: str = flag_of(Tournament, "opening", "NAME"),
    seconds: float | None = flag_of(Tournament, "seconds", "S"),
    nodes: int | None = flag_of(Tournament, "nodes", "N"),
    clock: str = flag_of(Tournament, "clock", "NAME"),
    gauntlet: bool = switch("--gauntlet", "The first player against each of the others."),
    engine: list[str] | None = ENGINE,
    sprt: str | None = SPRT,
    seed: int = flag_of(Tournament, "seed", "N"),
    jobs: int | None = flag(None, "--jobs N", "Games at a time [1].", 1, expected="1 or more"),
    backend: str = BACKEND,
    address: str | None = ADDRESS,
    out: Path | None = flag(None, "--out DIR", "Folder of the results [runs/arena]."),
    resume: bool = switch("--resume", "Go on with the tournament in the folder."),
    project: Path | None = PROJECT,
    trust: bool = switch("--trust", "Run players of a project you have not trusted yet."),
) -> int:
    """Let players play each other, and rate them.

    Writes games.jsonl (open a game in 3D with replay), results.json (Elo with 95 % intervals,
    results of each pair) and index.html into the folder. The same command with --resume goes on
    after an interruption. With a greater --games it adds games.
    """
    from ai.arena.arena import PAGE_FILE, arena_run, check_start, run_arena
    from ai.registry.engines import declare_engines

    declare_engines(engine or ())
    check_cluster(backend, address)
    rules, own = _rules(board, win_length, rule), listed_project(project)
    tournament = Tournament(
        tuple(players), games, rules, opening, seconds, nodes, seed, gauntlet, own, clock
    )
    bounds = None if sprt is None else _bounds(sprt)
    _require_trust(tournament, is_given=trust)
    check_start(tournament, backend, bounds)
    folder = out or DEFAULT_FOLDER.absolute()
    with arena_run(folder).claim() as lock:
        warm_up()
        with bar(f"{len(players)} players", games * len(tournament.pairs)) as show:
            results = run_arena(
                tournament,
                folder,
                jobs=jobs or 1,
                resume=resume,
                backend=backend,
                address=address,
                bounds=bounds,
                report=lambda done, every, line: show(done, _last(line)),
                lock=lock,
            )
    _print_results(tournament, results, folder / PAGE_FILE)
    return SUCCESS


def _require_trust(tournament: Tournament, *, is_given: bool) -> None:
    """Refuse to run a project's players if the user does not trust the project.

    Args:
        tournament: the tournament; without players of a project nothing is checked.
        is_given: whether the user gave `--trust`.
    """
    if tournament.uses_project and tournament.project is not None:
        require_trust(tournament.project, is_given=is_given)


def _rules(board: int, win_length: int, rule: str) -> Rules:
    try:
        return Rules(board, win_length, rule)
    except RulesError as error:
        raise UsageError(f"--board, --win-length, --rule: {error}") from None


def _bounds(text: str) -> tuple[float, float]:
    try:
        low, high = (float(item) for item in text.split(","))
    except ValueError:
        raise UsageError(f"--sprt: expected two numbers as in 0,50, found {text!r}") from None
    if not -2000.0 <= low < high <= 2000.0:
        raise UsageError(f"--sprt: expected ELO0 below ELO1, found {text!r}")
    return low, high


def _last(line: JsonObject | None) -> str:
    if line is None:
        return ""
    winner = "drawn" if line["winner"] == "draw" else f"won by {line[line['winner']]}"
    return f"the last {winner} in {line['plies']} moves"


def _print_results(tournament: Tournament, results: JsonObject, page: Path) -> None:
    """Print the ratings, the results of each pair, and the path of the page.

    Args:
        tournament: the tournament.
        results: its results, as in results.json.
        page: path of index.html.
    """
    wide = max(map(len, tournament.players))
    elo = results["elo"]
    for place, name in enumerate(sorted(elo, key=lambda name: -elo[name][0]), start=1):
        rating, low, high = elo[name]
        echo(f"{place:>3}. {name:<{wide}}  {rating:6.0f}  ({low:.0f} to {high:.0f})")
    for pair, (wins, draws, losses) in results["pairs"].items():
        one, _, other = pair.partition("|")
        echo(f"{one} – {other}: {wins} won, {draws} drawn, {losses} lost")
    faults = [game for game in results["games"] if game["fault"]]
    if faults:
        echo(f"{len(faults)} games lost by a fault, the first: {faults[0]['fault']}")
    if results["sprt"]:
        test = results["sprt"]
        echo(
            f"{results['players'][0]} is {test['verdict']} by log-likelihood ratio "
            f"{test['ratio']:.2f} (bounds {test['lower']:.2f} and {test['upper']:.2f})"
        )
    echo(f"results in {page}")
