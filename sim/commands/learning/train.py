"""`train move-net`: a network from files with games."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Final

import typer

from ai.experiments.move_net import MoveNetData, MoveNetOrder, gather
from ai.experiments.move_net import train as train_network
from ai.formats import GameFileError
from ai.learning.move_net import MoveNetPlan
from ai.nets.move_net import save_move_net
from ai.runs.reading import RunReadError
from base.errors import GoishiError, UsageError
from base.files import atomic_write
from base.values import JsonObject
from sim.commands.cli.ending import SUCCESS, echo
from sim.commands.cli.flags import check_output, command, flag, flag_of, switch, writing_output
from sim.commands.cli.progress import bar

PLAYER: Final = "move-net"
SUFFIX: Final = ".npz"

More = Annotated[
    list[Path] | None, typer.Argument(metavar="[FILE…]", help="More files for --records.")
]


@command
def train_move_net(
    more: More = None,
    *,
    records: list[Path] | None = flag(
        None,
        "--records FILE",
        "Games to learn from: .sgf, .psq or .txt files, runs, run databases; several may follow.",
    ),
    held_records: list[Path] | None = flag(
        None, "--held-records FILE", "Games to measure on, in place of --held; repeatable."
    ),
    held: float = flag_of(MoveNetOrder, "held", "SHARE"),
    out: Path = flag(Path("move_net.npz"), "--out FILE", "The network; its card stands beside it."),
    epochs: int = flag_of(MoveNetPlan, "epochs", "N"),
    batch: int = flag_of(MoveNetPlan, "batch", "N"),
    rate: float = flag_of(MoveNetPlan, "rate", "R"),
    seed: int = flag_of(MoveNetPlan, "seed", "N"),
    no_controls: bool = switch(
        "--no-controls", "Train no control on shuffled answers: half the time."
    ),
) -> int:
    """Train the network of move-net on games.

    Equal positions are merged, and their moves become frequencies. Writes the network and a card
    beside it. The card has the results on held-out games, also for control networks. To play with
    it, set the players' setting network: arena move-net@network=FILE mcts, or a field of the seat.
    """
    check_output(out, SUFFIX)
    files = (*(records or ()), *(more or ()))
    if not files:
        raise UsageError("--records: expected files with games, found none")
    order = MoveNetOrder(
        files,
        tuple(held_records or ()),
        held,
        MoveNetPlan(epochs, batch, rate, seed),
        has_controls=not no_controls,
    )
    _run(order, _gathered(order), out)
    return SUCCESS


def _gathered(order: MoveNetOrder) -> MoveNetData:
    """Read the games and return them as training data.

    Args:
        order: files with games and settings of the training.

    Raises:
        GoishiError: a file cannot be read; the message names the file and the reason.
    """
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
    """Train the network, write it and its card, and print the results.

    Args:
        order: files with games and settings of the training.
        data: the games as training data.
        out: path of the network.
    """
    echo(
        f"{data.games} games, {data.training.occurrences} positions, {len(data.training)} of them "
        f"different; {data.held_games} games held out"
    )
    with bar(PLAYER, 1000, "loading TensorFlow") as show:
        weights, card = train_network(
            order, data, lambda what, done, steps: show(done * 1000 // steps, what)
        )
    with writing_output(out):
        save_move_net(out, weights, card)
        atomic_write(out.with_suffix(".json"), json.dumps(card, indent=1) + "\n")
    _print_result(card, out)


def _print_result(card: JsonObject, out: Path) -> None:
    rows = {"on its training": card["on_training"], **card["on_held_out"]}
    for name, score in rows.items():
        echo(
            f"{name:<20} {score['share']:6.1%} of {score['positions']} positions, "
            f"SO {score['so']:.3f}, loss {score['loss']:.3f}"
        )
    echo(f"network in {out}")
