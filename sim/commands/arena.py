"""`arena`: a tournament of players from balanced openings; rates them, with confidence intervals.

Modules that compute are imported when the command runs, so that other commands start faster.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from ai.arena.tournament import Tournament
from ai.game import Game, Rules, RulesError
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
BOARD, WIN_LENGTH, RULE = 15, 5, "freestyle"


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
GAME: Final = flag(
    None, "--game NAME", f"Play this game ({PROGRAM} games), in place of a board and its rule."
)
RULE_FLAG: Final = flag(
    None, "--rule NAME", "Which rows win: freestyle, standard, renju or caro [freestyle]."
)
PROJECT: Final = flag(
    None, "--project DIR", "Players of this project, too [that of the current folder]."
)


@command
def arena(
    players: Players,
    *,
    games: int = flag_of(Tournament, "games", "N"),
    game: str | None = GAME,
    board: int | None = flag(None, "--board N", "Points along a side [15]."),
    win_length: int | None = flag(None, "--win-length N", "Stones in a row that win [5]."),
    rule: str | None = RULE_FLAG,
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

    They play Gomoku, or the game that --game names. Writes games.jsonl (open a game in 3D with
    replay), results.json (Elo with 95 % intervals, results of each pair) and index.html into the
    folder. The same command with --resume goes on; a greater --games then adds games.
    """
    from ai.arena.arena import PAGE_FILE, arena_run, check_start, run_arena
    from ai.registry.engines import declare_engines

    declare_engines(engine or ())
    check_cluster(backend, address)
    own = listed_project(project)
    rules = _played(game, board, win_length, rule, own, is_trusted=trust)
    tournament = Tournament(
        tuple(players), games, rules, opening, seconds, nodes, seed, gauntlet, own, clock
    )
    bounds = None if sprt is None else _bounds(sprt)
    _require_trust(tournament, is_given=trust)
    check_start(tournament, backend, bounds)
    folder = out or DEFAULT_FOLDER.absolute()
    with arena_run(folder).claim() as lock:
        _compile_for(rules)
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


def _compile_for(rules: Game) -> None:
    """Compile the players' kernels, which only m,n,k games use."""
    if isinstance(rules, Rules):
        warm_up()


def _require_trust(tournament: Tournament, *, is_given: bool) -> None:
    """Refuse to run a project's players if the user does not trust the project.

    Args:
        tournament: the tournament; without players of a project nothing is checked.
        is_given: whether the user gave `--trust`.
    """
    if tournament.uses_project and tournament.project is not None:
        require_trust(tournament.project, is_given=is_given)


def _played(
    game: str | None,
    board: int | None,
    win_length: int | None,
    rule: str | None,
    project: Path | None,
    *,
    is_trusted: bool,
) -> Game:
    """Return the rules that the flags ask for.

    Args:
        game: name of a game; None for Gomoku by the other flags.
        board: points along a side; None for the default.
        win_length: stones in a row that win; None for the default.
        rule: name of the rule; None for the default.
        project: folder of the project that may add the game; None for none.
        is_trusted: whether the user gave `--trust`.

    Raises:
        UsageError: the flags do not fit together, or there is no such game.
        TrustError: the game is a class of a project that the user does not trust.
    """
    if game is None:
        return _rules(
            BOARD if board is None else board,
            WIN_LENGTH if win_length is None else win_length,
            RULE if rule is None else rule,
        )
    given = {"--board": board, "--win-length": win_length, "--rule": rule}
    for flag_name, value in given.items():
        if value is not None:
            raise UsageError(f"--game: expected no {flag_name} beside it, found both")
    return _game(game, project, is_trusted=is_trusted)


def _game(name: str, project: Path | None, *, is_trusted: bool) -> Game:
    """Return the rules of a game by its name.

    Args:
        name: name of the game.
        project: folder of the project that may add it; None for none.
        is_trusted: whether the user gave `--trust`.

    Raises:
        UsageError: there is no such game.
        TrustError: it is a class of a project that the user does not trust.
    """
    from ai.registry.project_games import UnknownGameError, get_game

    try:
        found = get_game(name, project)
    except UnknownGameError as error:
        raise UsageError(f"--game: {error}") from None
    if found.project is not None and not isinstance(found.described, Rules):
        require_trust(found.project, is_given=is_trusted)
    return found.rules


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
