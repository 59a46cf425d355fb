"""`train move-net`: from files with games to a network with its card."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np

from ai.game import Rules
from ai.learning.move_net import (
    MoveNetPlan,
    MoveScores,
    score_blind,
    score_move_net,
    train_move_net,
)
from ai.learning.trainers import Trainers
from ai.nets.architecture import WeightArrays, initial_weights
from ai.nets.move_net import move_net_architecture
from ai.runs.learnt_games import read_learnt_games
from ai.runs.reading import RunReadError
from ai.samples.move_frequencies import LearntGame, MoveFrequencies, count_moves
from base.values import JsonObject

MOST_MEASURED: Final = 5000
"""Positions on which a network is measured, at most."""

Report: TypeAlias = Callable[[str, int, int], None]
"""Called with what is trained, steps done and all steps."""


@dataclass(frozen=True, slots=True)
class MoveNetOrder:
    """What is to be trained."""

    records: tuple[Path, ...]
    held_records: tuple[Path, ...] = ()
    """Games to measure on; empty: a share of `records` that is not trained on."""
    held: float = 0.1
    """That share."""
    plan: MoveNetPlan = field(default_factory=MoveNetPlan)
    has_controls: bool = True
    """Whether a network is trained on shuffled answers, too: twice the time."""


@dataclass(frozen=True, slots=True)
class MoveNetData:
    """The positions of an order."""

    rules: Rules
    games: int
    held_games: int
    training: MoveFrequencies
    held: MoveFrequencies
    """Of games not trained on; positions that are in the training, too, are left out."""


def gather(order: MoveNetOrder) -> MoveNetData:
    """Read the files of an order, and split their games.

    Raises:
        GameFileError: a game file is invalid.
        RunReadError: a run is, or there are too few games, or games of several boards.
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
    games: Sequence[LearntGame], share: float, seed: int
) -> tuple[list[LearntGame], list[LearntGame]]:
    """Draw the games that are held out: at least one, and one left, where the share is not 0."""
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
    """Train, measure beside the controls, and return weights and card; loads TensorFlow."""
    trainers = Trainers()
    weights = train_move_net(
        data.training, order.plan, trainers,
        lambda step, steps, *_: report("move-net", step, steps),
    )  # fmt: skip
    untrained = initial_weights(move_net_architecture(data.rules.size), order.plan.seed)
    measured = _at_most(data.training, order.plan.seed)
    held = {
        "trained": score_move_net(weights, data.held),
        "untrained": score_move_net(untrained, data.held),
        "most frequent point": score_blind(data.training, data.held),
    }
    if order.has_controls:
        shuffled = train_move_net(
            data.training, order.plan, trainers,
            lambda step, steps, *_: report("the control", step, steps), shuffles=True,
        )  # fmt: skip
        held["shuffled answers"] = score_move_net(shuffled, data.held)
    return weights, _card(order, data, score_move_net(weights, measured), held)


def _at_most(samples: MoveFrequencies, seed: int) -> MoveFrequencies:
    """Draw the positions of the training that are measured."""
    if len(samples) <= MOST_MEASURED:
        return samples
    drawn = np.random.default_rng(seed).permutation(len(samples))[:MOST_MEASURED]
    return samples.at(np.sort(drawn))


def _card(
    order: MoveNetOrder, data: MoveNetData, training: MoveScores, held: dict[str, MoveScores]
) -> JsonObject:
    return {
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
    }


__all__ = ["MoveNetData", "MoveNetOrder", "gather", "train"]
