"""`train patterns` and `train evaluation`: improve alpha-beta's evaluation from its own games.

Modules that compute are imported when the command runs, so that other commands start faster.
"""

from __future__ import annotations

import json
import math
import platform
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from base.errors import GoishiError, UsageError
from base.files import atomic_write
from base.program import PROGRAM
from base.schema import OptionError
from base.storage.card_file import CardFileError
from base.values import JsonObject
from sim.commands.cli.ending import SUCCESS, echo
from sim.commands.cli.flags import check_output, command, flag, switch, writing_output
from sim.commands.cli.progress import bar, warm_up

if TYPE_CHECKING:
    from ai.learning.evaluation.network import NetworkPlan
    from ai.learning.evaluation.patterns import PatternWeights
    from ai.learning.evaluation.positions import Positions
    from ai.nets.evaluation import LearnedEvaluation

SUFFIX: Final = ".npz"

FOLDER: Final = flag(Path("runs/positions"), "--data DIR", "Folder of the positions to learn from.")
GAMES: Final = flag(
    0, "--games N", "Play games into the folder first, until it holds so many.", 0, 1_000_000
)
NODES: Final = flag(
    1500, "--nodes N", "Positions that a search of these games costs.", 1, 10_000_000
)
SEED: Final = flag(1, "--seed N", "Of the games and the training.", 0, 2**31 - 1)
EVEN: Final = switch(
    "--even",
    "Play the games from openings of two to six stones that a search finds even, "
    "with random moves only up to the 16th stone.",
)
FEATURES: Final = flag(8, "--features N", "Learned numbers for a line, as one side sees it.", 1, 32)
UNITS: Final = flag(8, "--units N", "Hidden units of the head.", 1, 32)
STAGES: Final = switch(
    "--stages", "Learn biases and a scale for each stage of the game, of 8 plies, too."
)
START: Final = flag(
    None,
    "--start NAME",
    "Begin with the numbers of a file of this command, or of ours (shipped), "
    "and keep its order of moves.",
)
MIDDLE: Final = flag(
    1.0, "--middle W", "How much a position of 14 to 60 stones counts; the others: 1.", 0.0, 100.0
)
RESULTS: Final = flag(
    0.25, "--results SHARE", "How much of what is learned is the game's result.", 0.0, 1.0
)
TEACHER: Final = flag(
    "patterns",
    "--teacher NAME",
    "What the searches of these games add to the patterns: "
    "a file of this command; shipped: ours; patterns: nothing.",
)
KEEP: Final = flag(
    None,
    "--keep NAME",
    "Keep the network of a file of this command, or of ours "
    "(shipped), and learn the order of moves alone.",
)
PARTS: Final = 1000
"""Parts of the progress bar of a training."""


@command
def train_patterns(
    *,
    data: Path = FOLDER,
    games: int = GAMES,
    nodes: int = NODES,
    seed: int = SEED,
    out: Path | None = flag(None, "--out FILE", "Write the weights as JSON, too."),
) -> int:
    """Fit the weights of alpha-beta's patterns to the results of its own games.

    It plays the games, or reads those that lie in the folder of --data. Then it prints the weights,
    and how well they predict held-out games, which were not used for fitting.
    """
    from ai.learning.evaluation.patterns import fit_patterns
    from ai.learning.evaluation.positions import PositionsError

    if out is not None:
        check_output(out, ".json")
    positions = _positions(data, games, nodes, seed)
    try:
        found = fit_patterns(positions)
    except PositionsError as error:
        raise GoishiError(f"--data: {error}") from None
    _print_patterns(found)
    if out is not None:
        weights = {"own points": found.own, "other points": found.other, "tempo": found.tempo}
        with writing_output(out):
            atomic_write(out, json.dumps({**weights, "positions": found.positions}) + "\n")
    return SUCCESS


@command
def train_evaluation(
    *,
    data: Path = FOLDER,
    games: int = GAMES,
    nodes: int = NODES,
    seed: int = SEED,
    out: Path = flag(
        Path("evaluation.npz"), "--out FILE", "The learned evaluation; its card stands beside."
    ),
    epochs: int = flag(12, "--epochs N", "Times each position is seen.", 1, 100_000),
    rate: float = flag(0.003, "--rate R", "Learning rate at first.", 1e-6, 1.0),
    features: int = FEATURES,
    units: int = UNITS,
    stages: bool = STAGES,
    middle: float = MIDDLE,
    results: float = RESULTS,
    start: str | None = START,
    teacher: str = TEACHER,
    even: bool = EVEN,
    keep: str | None = KEEP,
) -> int:
    """Train what alpha-beta adds to its patterns, and in which order it searches moves.

    The network has a vector for each line of the board, and a small head. Its targets are the
    scores of searches and the results of the games. The order has a number for each line. Its
    targets are the moves that the searches found best. The same positions and seed give the same
    file. The file's card lists its training data and its prediction errors.
    """
    from ai.learning.evaluation.network import NetworkPlan
    from ai.nets.evaluation import save_evaluation

    check_output(out, SUFFIX)
    knows = _evaluation("--teacher", teacher)
    kept, begun = _learned_one("--keep", keep), _learned_one("--start", start)
    if kept is not None and begun is not None:
        raise UsageError("--start: expected no --keep, which trains no network")
    plan = _plan(NetworkPlan(epochs, rate, seed, features, units, stages, middle, results), begun)
    started = time.monotonic()
    positions = _positions(data, games, nodes, seed, knows, is_even=even)
    found = _learned(positions, kept, plan, begun)
    command = (
        f"{PROGRAM} train evaluation --data DIR --games {games} --nodes {nodes} --seed {seed} "
        f"--epochs {epochs} --rate {rate:g}{_sizes(plan)}"
        f"{'' if knows is None else ' --teacher FILE'}{' --even' if even else ''}"
        f"{'' if kept is None else ' --keep FILE'}{'' if begun is None else ' --start FILE'}"
    )
    hours = round((time.monotonic() - started) / 3600.0, 2)
    done: JsonObject = {"command": command, "hours": hours, "machine": platform.machine()}
    if kept is not None:
        done = {f"order_{name}": value for name, value in done.items()}
    card = {**found.card, **done}
    with writing_output(out):
        save_evaluation(out, found)
        atomic_write(out.with_suffix(".json"), json.dumps(card, indent=1) + "\n")
    _print_evaluation(found.card)
    echo(f"evaluation in {out}")
    return SUCCESS


def _plan(plan: NetworkPlan, begun: LearnedEvaluation | None) -> NetworkPlan:
    """Return a plan of a training with the sizes of the evaluation with which it begins.

    Args:
        plan: settings of the training.
        begun: that evaluation; None for none.

    Raises:
        UsageError: it has stages, and the plan has none.
    """
    if begun is None:
        return plan
    if "stage_scale" in begun.arrays and not plan.has_stages:
        raise UsageError("--start: expected --stages, which that evaluation has")
    return replace(plan, features=begun.features, units=begun.units)


def _sizes(plan: NetworkPlan) -> str:
    """Return the options for a network that is not of the usual size or way; "" for the usual one.

    Args:
        plan: settings of the training.
    """
    usual = type(plan)(plan.epochs, plan.rate, plan.seed)
    named = ("features", "units", "middle", "results")
    words = [
        f" --{name} {getattr(plan, name):g}"
        for name in named
        if getattr(plan, name) != getattr(usual, name)
    ]
    return "".join(words) + (" --stages" if plan.has_stages else "")


def _evaluation(flag: str, name: str) -> LearnedEvaluation | None:
    """Return the learned evaluation that an option names.

    Args:
        flag: the option, for the error.
        name: path of a file; "shipped" for Goishi's own evaluation, "patterns" for none.

    Returns:
        The evaluation; None for "patterns".

    Raises:
        UsageError: there is no evaluation of that name.
    """
    from ai.players.alpha_beta import evaluation_of

    try:
        return evaluation_of(name)
    except OptionError as error:
        raise UsageError(f"{flag}: {error}") from None


def _learned_one(flag: str, name: str | None) -> LearnedEvaluation | None:
    """Return the learned evaluation that an option names; None without the option.

    Args:
        flag: the option, for the error.
        name: path of a file, or "shipped"; None if the option is not given.

    Raises:
        UsageError: there is no evaluation of that name.
    """
    found = None if name is None else _evaluation(flag, name)
    if name is not None and found is None:
        raise UsageError(f"{flag}: expected a learned evaluation, found {name!r}")
    return found


def _learned(
    positions: Positions,
    kept: LearnedEvaluation | None,
    plan: NetworkPlan,
    begun: LearnedEvaluation | None,
) -> LearnedEvaluation:
    """Return an evaluation for alpha-beta: a network and an order of moves, newly trained.

    Either of them may be taken from another evaluation. The card describes how both were trained.

    Args:
        positions: positions to learn from.
        kept: evaluation whose network is used unchanged; None to train a network.
        plan: settings for the training of the network.
        begun: evaluation with whose numbers the training of the network begins; None for none.

    Raises:
        GoishiError: there are too few positions to learn from.
    """
    from ai.learning.evaluation.network import train_network
    from ai.learning.evaluation.order import OrderPlan, train_order
    from ai.learning.evaluation.positions import PositionsError

    ordered = OrderPlan()
    try:
        if kept is None:
            with bar("evaluation", PARTS, "loading TensorFlow") as show:
                kept = train_network(positions, plan, _shown(show), begun)
            if begun is not None and begun.order is not None:
                of_order = {key: begun.card[key] for key in begun.card if key.startswith("order")}
                return replace(kept, order=begun.order, card={**kept.card, **of_order})
        with bar("order", PARTS, "first epoch") as show:
            order, card = train_order(positions, ordered, _shown(show))
    except PositionsError as error:
        raise GoishiError(f"--data: {error}") from None
    return replace(kept, order=order, card={**kept.card, "order": card})


def _shown(show: Callable[[int, str], None]) -> Callable[[int, int, float], None]:
    """Return a function that shows (step, steps, loss) of a training on a bar of `PARTS` parts."""

    def show_step(step: int, steps: int, loss: float) -> None:
        show(step * PARTS // steps, "first epoch" if math.isnan(loss) else f"loss {loss:.4f}")

    return show_step


def _positions(
    folder: Path,
    games: int,
    nodes: int,
    seed: int,
    teacher: LearnedEvaluation | None = None,
    *,
    is_even: bool = False,
) -> Positions:
    """Return the positions in a folder, after playing the games that it still lacks.

    Args:
        folder: folder of the positions.
        games: number of games that the folder should hold; 0 to play none.
        nodes: positions searched for each move of these games.
        seed: seed of the games.
        teacher: learned evaluation that the searches use; None for the patterns alone.
        is_even: whether the games begin from even openings.

    Raises:
        GoishiError: the folder has no positions, or cannot be read or written.
    """
    from ai.learning.evaluation.positions import (
        PositionsError,
        load_positions,
        play_batches,
        require_room,
    )

    try:
        if games:
            require_room(folder)
            warm_up()
            with bar("games", games, "first games") as show:
                play_batches(
                    folder,
                    games,
                    nodes,
                    seed,
                    lambda done: show(done, "played"),
                    teacher,
                    is_even=is_even,
                )
        return load_positions(folder)
    except (PositionsError, CardFileError) as error:
        hint = "" if games else "; --games N plays some"
        raise GoishiError(f"--data: {error}{hint}") from None
    except OSError as error:
        raise GoishiError(
            f"--data: expected a folder that can be read and written, found "
            f"{error.filename or folder}: {error.strerror or error}"
        ) from None


def _print_patterns(found: PatternWeights) -> None:
    echo(f"{found.positions} positions, {found.held_out} held out")
    echo("             open two  three  open three  four  open four")
    for name, values in (("own points", found.own), ("other points", found.other)):
        echo(f"{name:<13}{values[0]:>8}{values[1]:>7}{values[2]:>12}{values[3]:>6}{values[4]:>11}")
    echo(f"tempo        {found.tempo:>8}")
    echo(
        f"loss {found.loss:.4f}, held out {found.held_out_loss:.4f}; of even chances "
        f"{found.even_loss:.4f}"
    )


def _print_evaluation(card: JsonObject) -> None:
    echo(
        f"{card['positions']} positions of {card['games']} games learned from, {card['held_out']} "
        f"held out; epoch {card['epoch']} kept"
    )
    echo(
        f"loss on held-out games {card['held_out_loss']:.4f}; of the patterns alone, at their best "
        f"scale, {card['patterns_held_out_loss']:.4f}; of the targets themselves "
        f"{card['least_held_out_loss']:.4f}"
    )
    order = cast("JsonObject", card["order"])
    echo(
        f"best move on held-out games first {order['first_1']:.1%}, among five "
        f"{order['first_5']:.1%}; by the patterns alone {order['static_first_1']:.1%}, "
        f"{order['static_first_5']:.1%}; learned from shuffled moves "
        f"{order['shuffled_first_1']:.1%}, {order['shuffled_first_5']:.1%}"
    )
