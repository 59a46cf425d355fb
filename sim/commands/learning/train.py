"""`train move-net`: a network from files with games.

What computes is imported when the command runs: every other command starts without it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from base.errors import GoishiError, UsageError
from base.schema import Option, OptionError
from base.values import JsonObject
from sim.commands.cli.ending import SUCCESS, echo
from sim.commands.cli.progress import bar

if TYPE_CHECKING:
    from ai.experiments.move_net import MoveNetData, MoveNetOrder

PLAYER: Final = "move-net"
SUFFIX: Final = ".npz"
_OWN: Final = {
    "held": Option("--held", 0.1, 0.0, 0.9),
    "epochs": Option("--epochs", 40, 1, 100_000),
    "batch": Option("--batch", 128, 1, 65_536),
    "rate": Option("--rate", 0.01, 1e-6, 1.0),
    "seed": Option("--seed", 0, 0),
}

More = Annotated[
    list[Path] | None, typer.Argument(metavar="[FILE…]", help="More files for --records.")
]
Records = Annotated[
    list[Path] | None,
    typer.Option(
        "--records",
        metavar="FILE",
        help="Games to learn from: .sgf, .psq or .txt files, runs, run databases; several may "
        "follow.",
    ),
]
HeldRecords = Annotated[
    list[Path] | None,
    typer.Option(
        "--held-records",
        metavar="FILE",
        help="Games to measure on, in place of --held; repeatable.",
    ),
]
Held = Annotated[
    float, typer.Option("--held", metavar="SHARE", help="Share of the games to measure on.")
]
Out = Annotated[
    Path, typer.Option("--out", metavar="FILE", help="The network; its card stands beside it.")
]
Epochs = Annotated[int, typer.Option("--epochs", metavar="N", help="Times each position is seen.")]
Batch = Annotated[int, typer.Option("--batch", metavar="N", help="Positions in a step.")]
Rate = Annotated[float, typer.Option("--rate", metavar="R", help="Highest learning rate.")]
Seed = Annotated[int, typer.Option("--seed", metavar="N", help="The training's seed.")]
NoControls = Annotated[
    bool,
    typer.Option("--no-controls", help="Train no control on shuffled answers: half the time."),
]


def train_move_net(
    more: More = None,
    records: Records = None,
    held_records: HeldRecords = None,
    held: Held = 0.1,
    out: Out = Path("move_net.npz"),
    epochs: Epochs = 40,
    batch: Batch = 128,
    rate: Rate = 0.01,
    seed: Seed = 0,
    no_controls: NoControls = False,
) -> int:
    """Train the network of move-net on games.

    Equal positions are merged, their moves become frequencies. Writes the network and, beside it,
    a card with how it answers games that it was not trained on, and how controls do. It is the
    players' setting network: arena move-net@network=FILE mcts, or a field of the seat.
    """
    from ai.experiments.move_net import MoveNetOrder
    from ai.learning.move_net import MoveNetPlan

    _check(held=held, epochs=epochs, batch=batch, rate=rate, seed=seed)
    if out.suffix != SUFFIX:
        raise UsageError(f"--out: expected a name that ends in {SUFFIX}, found {out.name!r}")
    if not out.parent.is_dir():
        raise UsageError(f"--out: expected a file in a folder that is there, found {out}")
    files = (*(records or ()), *(more or ()))
    if not files:
        raise UsageError("--records: expected files with games, found none")
    order = MoveNetOrder(
        files, tuple(held_records or ()), held, MoveNetPlan(epochs, batch, rate, seed),
        has_controls=not no_controls,
    )  # fmt: skip
    _run(order, _gathered(order), out)
    return SUCCESS


def _gathered(order: MoveNetOrder) -> MoveNetData:
    """Read the games.

    Raises:
        GoishiError: a file cannot be read; says which and why.
    """
    from ai.experiments.move_net import gather
    from ai.formats import GameFileError
    from ai.runs.reading import RunReadError

    try:
        return gather(order)
    except (GameFileError, RunReadError) as error:
        raise GoishiError(f"--records: {error}") from None
    except OSError as error:
        raise GoishiError(
            f"--records: expected a file that can be read, found {error.filename or ''}: "
            f"{error.strerror or error}"
        ) from None


def _run(order: MoveNetOrder, data: MoveNetData, out: Path) -> None:
    """Train, write both files, and tell."""
    import json

    from ai.experiments.move_net import train as train_it
    from ai.nets.move_net import save_move_net
    from base.files import atomic_write

    echo(
        f"{data.games} games, {data.training.occurrences} positions, {len(data.training)} of them "
        f"different; {data.held_games} games held out"
    )
    with bar(PLAYER, 1000) as show:
        weights, card = train_it(
            order, data, lambda what, done, steps: show(done * 1000 // steps, what)
        )
    try:
        save_move_net(out, weights, card)
        atomic_write(out.with_suffix(".json"), json.dumps(card, indent=1) + "\n")
    except OSError as error:
        raise GoishiError(
            f"--out: expected a file that can be written, found {error.filename or out}: "
            f"{error.strerror or error}"
        ) from None
    _print_result(card, out)


def _print_result(card: JsonObject, out: Path) -> None:
    rows = {"on its training": card["on_training"], **card["on_held_out"]}
    for name, score in rows.items():
        echo(
            f"{name:<20} {score['share']:6.1%} of {score['positions']} positions, "
            f"SO {score['so']:.3f}, loss {score['loss']:.3f}"
        )
    echo(f"network in {out}")


def _check(**given: object) -> None:
    """Check values by the options of `_OWN`.

    Raises:
        UsageError: one does not fit.
    """
    try:
        for name, value in given.items():
            _OWN[name].check(value)
    except OptionError as error:
        raise UsageError(str(error)) from None
