"""The command `train move-net`: reads games from files, trains a network, and measures it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from ai.formats import is_game_file, read_game_file
from ai.game import PASS, GameRecord, RecordError, Rules
from ai.kernels.jit import is_jit_enabled
from ai.learning.learner import Trainers
from ai.learning.move_net import (
    MoveNetPlan,
    MoveScores,
    score_blind,
    score_move_net,
    train_move_net,
)
from ai.nets.architecture import WeightArrays, initial_weights
from ai.nets.move_net import MoveNetwork, move_net_architecture
from ai.runs.reading import RunReadError, read_games
from ai.runs.results import GAMES_FILE
from ai.samples.move_frequencies import FIRST_LEARNT, MoveFrequencies, MoveSequence, count_moves
from base.schema import setting
from base.storage.json_file import read_json
from base.storage.run_folder import RUN_FILE
from base.values import JsonObject

if TYPE_CHECKING:
    from ai.experiments.decisions import Decisions

_LAID: Final = {"balanced": 3, "pro": 3, "long-pro": 3, "swap": 3, "swap2": 5}
"""Number of opening stones by the opening's name; for swap2 the maximum.

It is needed for tournaments, whose games do not store their opening.
"""


def read_learnt_games(paths: Sequence[Path]) -> tuple[Rules, list[MoveSequence]]:
    """Read the games of files, in order; return their rules and the games.

    Stones on the board at the start, and those of an opening, do not count as answers.

    Args:
        paths: game files (`.sgf`, `.psq`, `.txt`), folders of runs, run databases.

    Raises:
        GameFileError: a game file is invalid, or its moves break the rules.
        RunReadError: a run cannot be read; or the files hold no games, games on different boards,
            or games on a board that is not square.
        OSError: a file cannot be opened.
    """
    found: list[MoveSequence] = []
    board: Rules | None = None
    for path in paths:
        for record, first in _records(path):
            rules = record.rules
            if not isinstance(rules, Rules) or not rules.is_plain:
                raise RunReadError(f"{path}: expected games on a square board, found {rules!r}")
            if board is not None and rules.size != board.size:
                raise RunReadError(
                    f"{path}: expected games of one board, {board.size}x{board.size}, "
                    f"found {rules.size}x{rules.size}"
                )
            board = board or rules
            try:
                record.board()
            except RecordError as error:
                raise RunReadError(f"{path}: {error}") from None
            found.append(MoveSequence(record.moves, first))
    if board is None:
        raise RunReadError("expected files with at least one game, found none")
    return board, found


def _records(path: Path) -> list[tuple[GameRecord, int]]:
    """Return a file's games, each with the number of its first moves that are not learnt.

    Args:
        path: a game file, a folder of a run, or a run database.
    """
    if not is_game_file(path):
        records = read_games(path)
        laid = max(FIRST_LEARNT, _laid_by(path))
        return [
            (record, max(laid, len(record.opening.stones) if record.opening else 0))
            for record in records
        ]
    found = []
    for number, game in enumerate(read_game_file(path), start=1):
        opening = max((choice.stones for choice in game.opening), default=0)
        first = max(FIRST_LEARNT, len(game.setup), opening)
        record = game.record(number, str(path))
        if PASS not in record.moves:  # a network ranks points
            found.append((record, first))
    return found


def _laid_by(path: Path) -> int:
    """Return the number of opening stones in each game of a tournament; 0 for any other run.

    Args:
        path: folder of the run.
    """
    if not (path / GAMES_FILE).is_file():
        return 0
    return _LAID.get(str(read_json(path / RUN_FILE)["config"].get("opening")), 0)


ALONE: Final = 100
"""Games that a network plays by itself, to count its decisions."""
MOST_MEASURED: Final = 5000
"""Maximum number of positions that a network is measured on."""

Report: TypeAlias = Callable[[str, int, int], None]
"""Called with the name of the training, the steps done and all steps."""


@dataclass(frozen=True, slots=True)
class MoveNetOrder:
    """Settings of a training: its game files, the held-out part, the plan and the controls."""

    records: tuple[Path, ...]
    held_records: tuple[Path, ...] = ()
    """Files with games to measure on; if empty, a share of the games of `records` is used."""
    held: float = setting(0.1, 0.0, 0.9, key="--held", help="Share of the games to measure on.")
    """Share of the games to measure on; not used if there are `held_records`."""
    plan: MoveNetPlan = field(default_factory=MoveNetPlan)
    has_controls: bool = True
    """Whether a control network is trained too, on shuffled answers; this doubles the time."""


@dataclass(frozen=True, slots=True)
class MoveNetData:
    """The positions that a network is trained and measured on, with their rules."""

    rules: Rules
    games: int
    held_games: int
    training: MoveFrequencies
    held: MoveFrequencies
    """Positions of held-out games that do not occur in the training."""


def gather(order: MoveNetOrder) -> MoveNetData:
    """Read the games of a training, and split off the held-out ones.

    Raises:
        GameFileError: a game file is invalid.
        RunReadError: a run is invalid, there are too few games, or their boards differ.
        OSError: a file cannot be opened.
    """
    rules, games = read_learnt_games(order.records)
    if order.held_records:
        board, held = read_learnt_games(order.held_records)
        if board.size != rules.size:
            raise RunReadError(
                f"{order.held_records[0]}: expected games of one board, {rules.size}x{rules.size}, "
                f"found {board.size}x{board.size}"
            )
    else:
        games, held = _split(games, order.held, order.plan.seed)
    training = count_moves(rules, games)
    if not len(training):
        raise RunReadError("expected games with moves to learn, found none")
    return MoveNetData(
        rules, len(games), len(held), training, count_moves(rules, held).without(training)
    )


def _split(
    games: Sequence[MoveSequence], share: float, seed: int
) -> tuple[list[MoveSequence], list[MoveSequence]]:
    """Split games at random into training games and held-out games.

    Args:
        games: all games.
        share: fraction to hold out; 0 holds out none, otherwise each part gets at least one game.
        seed: seed of the random choice.

    Returns:
        The training games and the held-out games.

    Raises:
        RunReadError: a game is to be held out, but there are fewer than 2.
    """
    if share <= 0.0:
        return list(games), []
    if len(games) < 2:
        raise RunReadError(f"expected at least 2 games, one to hold out, found {len(games)}")
    count = min(max(round(share * len(games)), 1), len(games) - 1)
    drawn = set(np.random.default_rng(seed).permutation(len(games))[:count].tolist())
    kept = [game for number, game in enumerate(games) if number not in drawn]
    return kept, [games[number] for number in sorted(drawn)]


def train(
    order: MoveNetOrder, data: MoveNetData, report: Report
) -> tuple[WeightArrays, JsonObject]:
    """Train a network and measure it together with controls; imports TensorFlow.

    The controls are an untrained network and the most frequent point. If `has_controls` is set, a
    network that is trained on shuffled answers is the third.

    Args:
        order: settings of the training.
        data: positions to train and measure on.
        report: called with the name of the training, the steps done and the total number of steps.

    Returns:
        The weights, and the card. The card describes the training and its measures as plain values.
    """
    trainers, views = Trainers(), order.plan.views
    weights = train_move_net(
        data.training,
        order.plan,
        trainers,
        lambda step, steps, *_: report("move-net", step, steps),
    )
    drawn = move_net_architecture(data.rules.size, output=order.plan.output)
    untrained = initial_weights(drawn, order.plan.seed)
    networks = {"trained": weights, "untrained": untrained}
    if order.has_controls:
        networks["shuffled answers"] = train_move_net(
            data.training,
            order.plan,
            trainers,
            lambda step, steps, *_: report("the control", step, steps),
            shuffles=True,
        )
    from ai.experiments.decisions import measure_decisions  # loads kernels: not for --help

    held = {name: score_move_net(net, data.held, views=views) for name, net in networks.items()}
    held["most frequent point"] = score_blind(data.training, data.held)
    measured = score_move_net(weights, _at_most(data.training, order.plan.seed), views=views)
    alone = {
        name: measure_decisions(
            MoveNetwork(net, {"views": views}), data.rules, ALONE, order.plan.seed
        )
        for name, net in networks.items()
        if is_jit_enabled()
    }
    return weights, _card(order, data, measured, held, alone)


def _at_most(samples: MoveFrequencies, seed: int) -> MoveFrequencies:
    """Return random positions of the training, at most `MOST_MEASURED`, to measure the network on.

    Args:
        samples: all positions of the training.
        seed: seed of the random choice.
    """
    if len(samples) <= MOST_MEASURED:
        return samples
    drawn = np.random.default_rng(seed).permutation(len(samples))[:MOST_MEASURED]
    return samples.at(np.sort(drawn))


def _card(
    order: MoveNetOrder,
    data: MoveNetData,
    training: MoveScores,
    held: dict[str, MoveScores],
    alone: dict[str, Decisions],
) -> JsonObject:
    """Return the card of a training.

    Args:
        order: its settings.
        data: its positions.
        training: measures of the network on positions learnt from.
        held: measures on held-out positions, of the network and its controls by name.
        alone: games by itself, of the network and its controls by name.
    """
    return {
        "views": order.plan.views,
        "board": data.rules.size,
        "rule": data.rules.rule.value,
        "files": [path.name for path in order.records],
        "games": data.games,
        "positions": data.training.occurrences,
        "distinct_positions": len(data.training),
        "held_games": data.held_games,
        "plan": asdict(order.plan),
        "on_training": training.as_dict(),
        "on_held_out": {name: score.as_dict() for name, score in held.items()},
        "by_itself": {name: counts.as_dict() for name, counts in alone.items()},
    }
