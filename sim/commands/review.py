"""`review`: reports the value that each move of a game lost, the better move, and why.

Modules that compute are imported when the command runs, so that other commands start faster.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from ai.formats import GameFileError
from ai.game import GameRecord, Rules, to_text
from ai.runs.reading import RunReadError, read_any_games
from base.errors import UsageError
from base.files import find_file
from base.schema import OptionError
from base.values import JsonObject
from sim.commands.cli.ending import SUCCESS, echo, tell
from sim.commands.cli.flags import command, flag, switch
from sim.commands.cli.progress import bar, warm_up

if TYPE_CHECKING:
    from ai.session.review import ReviewedMove


JUDGES: Final = ("alpha-beta",)
"""The players that can review a game."""

File = Annotated[
    Path,
    typer.Argument(
        metavar="FILE", help="A game file: .sgf, .psq, .txt; a run's folder; a run database."
    ),
]


@command
def review(
    file: File,
    *,
    game: int | None = flag(None, "--game N", "The game [1]."),
    nodes: int | None = flag(
        None,
        "--nodes N",
        "Positions searched for each position: repeatable.",
        1,
        expected="1 or more",
    ),
    seconds: float | None = flag(None, "--seconds S", "Time for each, in place of nodes."),
    as_json: bool = switch("--json", "Write everything as JSON."),
    player: str | None = flag(
        None,
        "--player NAME",
        "alpha-beta, where the solver could prove, too.",
        choices=JUDGES,
        expected=" or ".join(JUDGES),
    ),
) -> int:
    """Review a game: the value that each move lost, the better move and why, the blunders.

    Alpha-beta evaluates the moves, as in the panel Review. On small boards the exact solver is used
    where it can prove the result. Values go from -1 (lost) to 1 (won), for the side that moved.
    """
    if nodes is not None and seconds is not None:
        raise UsageError("expected --nodes or --seconds, found both")
    if seconds is not None and not 0.0 < seconds <= 600.0:
        raise UsageError(f"--seconds: expected 0 to 600, found {seconds:g}")
    record = _read(file, game)
    rules = record.rules
    if not isinstance(rules, Rules):
        raise UsageError(
            f"{file}: expected a game of stones in a row, found {type(rules).__name__}"
        )
    if not record.moves:
        raise UsageError(f"{file}: expected a game with moves, found none")
    warm_up()
    from ai.session.evaluation import PositionEvaluator
    from ai.session.review import evaluate_game, review_game

    try:
        evaluator = PositionEvaluator(rules, may_prove=player is None)
    except OptionError as error:
        raise UsageError(f"{file}: {error}") from None
    wanted = evaluator.usual_nodes() if nodes is None else nodes
    with bar("review", len(record.moves) + 1) as step:
        values = evaluate_game(
            evaluator, record.moves, nodes=wanted, seconds=seconds, tell=lambda done: step(done, "")
        )
    reviewed = review_game(rules, record.moves, values)
    if as_json:
        limit = {"nodes": wanted if seconds is None else None, "seconds": seconds}
        head = {"file": str(file), "game": record.game, "by": evaluator.by, "limit": limit}
        echo(json.dumps(head | _plain(rules, reviewed), indent=2))
    else:
        echo(f"{file}, game {record.game}, by {evaluator.by}")
        _write(rules, reviewed)
    return SUCCESS


def _read(path: Path, game: int | None) -> GameRecord:
    """Return one game of a file or a run.

    Args:
        path: a game file, folder of a run, or run database.
        game: number of the game; None for the first one.

    Raises:
        UsageError: there are no games, or no such game.
    """
    try:
        records = read_any_games(find_file(path), note=tell)
    except RunReadError as error:
        raise UsageError(f"FILE: {error}") from None
    except (GameFileError, OSError) as error:
        raise UsageError(str(error)) from None
    if not records:
        raise UsageError(f"FILE: expected games, found none in {path}")
    found = next((item for item in records if game in (None, item.game)), None)
    if found is None:
        raise UsageError(
            f"--game: expected a game from {records[0].game} to {records[-1].game}, found {game}"
        )
    return found


def _plain(rules: Rules, reviewed: Sequence[ReviewedMove]) -> JsonObject:
    """Return the review of a game as plain values for the option `--json`.

    Args:
        rules: rules of the game.
        reviewed: the moves of the game with their values.
    """
    from ai.session.review import summary

    return {
        "moves": [
            {
                "number": item.ply + 1,
                "side": item.side.lower(),
                "move": to_text(item.move, rules.size, rules.rows),
                "before": _rounded(item.before),
                "after": _rounded(item.after),
                "loss": _rounded(item.loss),
                "better": None if item.best is None else to_text(item.best, rules.size, rules.rows),
                "why": item.why,
                "why_better": item.better,
                "is_blunder": item.is_blunder,
            }
            for item in reviewed
        ],
        "blunders": [item.ply + 1 for item in reviewed if item.is_blunder],
        "summary": [summary(reviewed, side) for side in ("Black", "White")],
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def _write(rules: Rules, reviewed: Sequence[ReviewedMove]) -> None:
    """Print the review as text: every move, the blunders, and a summary line for each side.

    Args:
        rules: rules of the game.
        reviewed: the moves of the game with their values.
    """
    from ai.session.review import summary

    echo("")
    echo("  move       value   loss  why")
    for item in reviewed:
        echo(_line(rules, item))
    echo("")
    blunders = [item for item in reviewed if item.is_blunder]
    echo("Blunders:" if blunders else "No blunder.")
    for item in blunders:
        echo(f"  {_blunder(rules, item)}")
    echo("")
    for side in ("Black", "White"):
        echo(summary(reviewed, side))


def _line(rules: Rules, item: ReviewedMove) -> str:
    """Return a reviewed move as one row of the printed table.

    Args:
        rules: rules of the game.
        item: the move with its values.
    """
    move = to_text(item.move, rules.size, rules.rows)
    mark = "B" if item.side == "Black" else "W"
    value = "    -" if item.after is None else f"{item.after:+.2f}"
    loss = "   -" if item.loss is None else f"{item.loss:.2f}"
    row = f"{item.ply + 1:>4} {mark} {move:<5} {value}   {loss}  {item.why}"
    return f"{row}{_better(rules, item) if item.is_blunder else ''}".rstrip()


def _blunder(rules: Rules, item: ReviewedMove) -> str:
    """Return a sentence about a blunder, with the better move.

    Args:
        rules: rules of the game.
        item: the move with its values.
    """
    move = to_text(item.move, rules.size, rules.rows)
    return f"{item.ply + 1}. {item.side} {move} {item.why}{_better(rules, item)}"


def _better(rules: Rules, item: ReviewedMove) -> str:
    """Return the end of a line of text: the better move, and in brackets what it does.

    Args:
        rules: rules of the game.
        item: the move that was played, with its values.

    Returns:
        The text; empty if there is no better move.
    """
    if item.best is None:
        return ""
    does = f" ({item.better})" if item.better else ""
    return f"; better {to_text(item.best, rules.size, rules.rows)}{does}"
