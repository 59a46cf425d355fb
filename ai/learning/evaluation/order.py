"""Learns alpha-beta's move ordering: a number for each line and each combination of threats.

The logit of a move is the sum of five numbers. Four belong to the lines through the point, one in
each direction, as the side to move sees them. The fifth belongs to the threats: how many fours and
open threes the move makes, and how many it takes from the other side.

The numbers are fitted by cross entropy over the moves that the search considers. The target is the
move that a search found best. One game in ten is held out; the epoch that predicts the held-out
games best is kept.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ai.kernels.alpha_beta import layout
from ai.kernels.layout import CLASSES, OPEN_FOUR
from ai.kernels.line_codes import CODES, blank_codes, code_table, row_table
from ai.kernels.patterns import class_table
from ai.learning.evaluation.positions import WON, Positions, line_keys
from ai.nets.evaluation import LearnedOrder
from ai.search.pattern_alpha_beta import packed_values
from base.values import JsonObject

HELD_OUT: Final = 10
"""One game in this many is held out for validation."""
BATCH: Final = 512
"""Positions per step."""
WEIGHT_LOSS: Final = 1e-5
"""Weight decay of the numbers."""
_DECAYS: Final = (0.9, 0.999)
_FOURS: Final = 15 << layout.OWN_FOURS | 15 << layout.OTHER_FOURS

Progress = Callable[[int, int, float], None]
"""Called with (step, steps, loss) after each step of the training.

The loss is that on the held-out games, after the last whole epoch; before, it is NaN.
"""


@dataclass(frozen=True, slots=True)
class OrderPlan:
    """Settings of the training."""

    epochs: int = 20
    """Number of times that each position is seen."""
    rate: float = 0.05
    """Initial learning rate of Adam; it falls to a tenth."""
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Choices:
    """N positions, and the moves that the search considers in each of them.

    These are M moves in all, those of one position after those of the position before it.
    """

    codes: NDArray[np.int16]
    """`[M, 4]` codes of the four lines through each move's point, as the side to move sees them."""
    threats: NDArray[np.int8]
    """`[M]` number, below `THREATS`, of the combination of threats; see `threats_of`."""
    static: NDArray[np.int64]
    """`[M]` score of each move by the fixed pattern weights, without what is learnt here."""
    firsts: NDArray[np.int64]
    """`[N + 1]` where the moves of each position begin among the M; the last entry is M."""
    best: NDArray[np.int64]
    """`[N]` which move the search found best in each position, as an index among all M moves."""

    def __len__(self) -> int:
        return len(self.best)

    def pick(self, rows: NDArray[np.int64]) -> Choices:
        """Return the positions at the indices `rows`, in that order."""
        counts = np.diff(self.firsts)[rows]
        ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
        inner = np.arange(ends[-1]) - np.repeat(ends[:-1], counts)
        moves = np.repeat(self.firsts[rows], counts) + inner
        best = self.best[rows] - self.firsts[rows] + ends[:-1]
        return Choices(self.codes[moves], self.threats[moves], self.static[moves], ends, best)


def choices_of(positions: Positions) -> Choices:
    """Return the considered moves of the positions to learn from.

    Positions already won or lost and those with fewer than two moves are left out.
    """
    parts = [_choices_of_chunk(chunk) for chunk in positions.chunks()]
    before = np.cumsum([0, *(part.firsts[-1] for part in parts)])
    firsts = [part.firsts[1:] + at for part, at in zip(parts, before, strict=False)]
    best = [part.best + at for part, at in zip(parts, before, strict=False)]
    return Choices(
        np.concatenate([np.zeros((0, 4), np.int16), *(part.codes for part in parts)]),
        np.concatenate([np.zeros(0, np.int8), *(part.threats for part in parts)]),
        np.concatenate([np.zeros(0, np.int64), *(part.static for part in parts)]),
        np.concatenate([np.zeros(1, np.int64), *firsts]),
        np.concatenate([np.zeros(0, np.int64), *best]),
    )


def _choices_of_chunk(positions: Positions) -> Choices:
    keys = line_keys(positions.stones)
    classes = class_table(5, exact=False)[keys]
    side = positions.side.astype(np.int64)
    values = np.array(packed_values(), np.int64).reshape(2, CLASSES * CLASSES)
    packed = values[side[:, None, None], classes].sum(axis=2)
    is_listed = (positions.stones == 0) & (packed != 0)
    others = np.where(side[:, None, None] == 0, classes >> 4, classes & 15)
    is_threatened = ((others == OPEN_FOUR) & (positions.stones == 0)[:, :, None]).any(axis=(1, 2))
    is_listed &= (packed & _FOURS != 0) | ~is_threatened[:, None]
    rows = np.arange(len(positions))
    is_kept = (np.abs(positions.score) < WON) & (is_listed.sum(axis=1) > 1)
    is_kept &= is_listed[rows, positions.move]
    is_listed &= is_kept[:, None]
    codes = code_table()[side[:, None, None], row_table()[keys]]
    places = np.cumsum(is_listed.reshape(-1)) - 1
    best = places.reshape(is_listed.shape)[rows, positions.move][is_kept]
    counts = np.concatenate([np.zeros(1, np.int64), is_listed.sum(axis=1)[is_kept]])
    listed = packed[is_listed]
    return Choices(
        codes[is_listed], threats_of(listed), static_scores(listed), np.cumsum(counts), best
    )


def _counts(packed: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Return how many fours and open threes each move makes and prevents; above 2 counts as 2.

    Args:
        packed: `[M]` packed values of the moves, see `ai.search.pattern_alpha_beta.packed_values`.

    Returns:
        Four arrays `[M]`: fours and open threes that the move makes, then fours and open threes of
        the other side that it prevents.
    """
    names = (layout.OWN_FOURS, layout.OWN_THREES, layout.OTHER_FOURS, layout.OTHER_THREES)
    return [np.minimum((packed >> first) & 15, 2) for first in names]


def threats_of(packed: NDArray[np.int64]) -> NDArray[np.int8]:
    """Return `[M]` a number for the combination of threats that each move makes and prevents.

    The numbers are the same as in the kernel.

    Args:
        packed: `[M]` packed values of the moves, see `ai.search.pattern_alpha_beta.packed_values`.
    """
    fours, threes, other_fours, other_threes = _counts(packed)
    found: NDArray[np.int8] = (((fours * 3 + threes) * 3 + other_fours) * 3 + other_threes).astype(
        np.int8
    )
    return found


def static_scores(packed: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return `[M]` the scores by which moves are ordered without anything learnt.

    A move that makes two threats at once, or prevents two, scores far above all others.

    Args:
        packed: `[M]` packed values of the moves, see `ai.search.pattern_alpha_beta.packed_values`.
    """
    fours, threes, other_fours, other_threes = _counts(packed)
    pairs = np.zeros_like(packed)
    for each, triple, factor in ((fours, threes, 2), (other_fours, other_threes, 1)):
        worth = np.where(triple >= 2, layout.DOUBLE_THREE, 0)
        worth = np.where((each == 1) & (triple >= 1), layout.FOUR_AND_THREE, worth)
        pairs += factor * np.where(each >= 2, layout.DOUBLE_FOUR, worth)
    found: NDArray[np.int64] = (packed & ((1 << layout.SCORE_BITS) - 1)) + pairs
    return found


def logits_of(
    lines: NDArray[np.float64], threats: NDArray[np.float64], choices: Choices
) -> NDArray[np.float64]:
    """Return `[M]` the logits of moves.

    Args:
        lines: `[CODES]` the learnt number of each line code.
        threats: `[THREATS]` the learnt number of each combination of threats.
        choices: the positions with their moves.
    """
    found: NDArray[np.float64] = lines[choices.codes].sum(axis=1) + threats[choices.threats]
    return found


def shares_of(logits: NDArray[np.float64], firsts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return `[M]` the softmax of the logits, taken within each position.

    Args:
        logits: `[M]` logits of moves.
        firsts: `[N + 1]` index of each position's first move.
    """
    counts = np.diff(firsts)
    grown = np.exp(logits - np.repeat(np.maximum.reduceat(logits, firsts[:-1]), counts))
    found: NDArray[np.float64] = grown / np.repeat(np.add.reduceat(grown, firsts[:-1]), counts)
    return found


def loss_of(logits: NDArray[np.float64], choices: Choices) -> float:
    """Return the mean cross entropy between the predicted moves and the best ones.

    Args:
        logits: `[M]` logits of the moves.
        choices: the positions with their moves and the best one of each.
    """
    return float(-np.log(np.maximum(shares_of(logits, choices.firsts)[choices.best], 1e-12)).mean())


def accuracy_of(scores: NDArray[np.float64], choices: Choices, first: int = 1) -> float:
    """Return the share of positions whose best move is among those with the highest scores.

    Args:
        scores: `[M]` scores of moves. Of several moves with equal scores each counts in part.
        choices: the positions with their moves.
        first: how many moves of a position count as those with the highest scores.
    """
    counts = np.diff(choices.firsts)
    best = np.repeat(scores[choices.best], counts)
    above = np.add.reduceat((scores > best).astype(np.int64), choices.firsts[:-1])
    same = np.add.reduceat((scores == best).astype(np.int64), choices.firsts[:-1])
    return float(np.clip((first - above) / same, 0.0, 1.0).mean())


def train_order(
    positions: Positions, plan: OrderPlan, progress: Progress | None = None
) -> tuple[LearnedOrder, JsonObject]:
    """Fit and quantise the move ordering; return it with measures of it and of controls.

    The result is deterministic.

    Args:
        positions: positions of at least two games.
        plan: settings of the fit.
        progress: see `Progress`; None for no calls.

    Raises:
        PositionsError: there is no game to learn from, or none to hold out.
    """
    is_held = positions.held_out(HELD_OUT)
    learnt, held = choices_of(positions.only(~is_held)), choices_of(positions.only(is_held))
    if not len(learnt) or not len(held):
        raise positions.too_few()
    numbers, losses = _fit(learnt, held, plan, progress)
    order = LearnedOrder.quantised(*numbers)
    shuffled, _ = _fit(_shuffled(learnt, plan.seed), held, plan, None)
    logits = logits_of(order.lines / order.unit, order.threats / order.unit, held)
    card: JsonObject = {
        **positions.card,
        "plan": asdict(plan),
        "games": len(set(positions.game.tolist())),
        "positions": len(learnt),
        "held_out": len(held),
        "epoch": int(np.argmin(losses)) + 1,
        "loss": round(min(losses), 4),
        "even_loss": round(float(np.log(np.diff(held.firsts)).mean()), 4),
    }
    views = {
        "": logits,
        "static_": held.static.astype(np.float64),
        "untrained_": np.zeros(len(logits)),
        "shuffled_": logits_of(*shuffled, held),
    }
    for name, scores in views.items():
        for first in (1, 5):
            card[f"{name}first_{first}"] = round(accuracy_of(scores, held, first), 4)
    return order, card


def _shuffled(choices: Choices, seed: int) -> Choices:
    """Return a control: the same positions with a random move marked as the best one.

    Args:
        choices: the positions; not changed.
        seed: random seed of the moves.
    """
    rng = np.random.default_rng(seed)
    drawn = rng.integers(0, np.diff(choices.firsts))
    return replace(choices, best=choices.firsts[:-1] + drawn)


def _fit(
    learnt: Choices, held: Choices, plan: OrderPlan, progress: Progress | None
) -> tuple[tuple[NDArray[np.float64], NDArray[np.float64]], list[float]]:
    """Fit the numbers, and return those of the epoch that predicts held-out positions best.

    Args:
        learnt: positions to fit to.
        held: held-out positions.
        plan: settings of the fit.
        progress: see `Progress`; None for no calls.

    Returns:
        The numbers of the line codes and those of the threats; and the held-out loss after each
        epoch.
    """
    rng = np.random.default_rng(plan.seed)
    numbers = np.zeros(CODES + layout.THREATS)
    means = np.zeros((2, len(numbers)))
    steps, done = plan.epochs * -(-len(learnt) // BATCH), 0
    best, losses = numbers.copy(), list[float]()
    for _ in range(plan.epochs):
        order = rng.permutation(len(learnt))
        for first in range(0, len(order), BATCH):
            done += 1
            rate = plan.rate * (0.55 + 0.45 * np.cos(np.pi * done / steps))
            slope = _slope(numbers, learnt.pick(order[first : first + BATCH]))
            for at, power in enumerate((slope, slope * slope)):
                means[at] += (1.0 - _DECAYS[at]) * (power - means[at])
            first_mean, second_mean = (means[at] / (1.0 - _DECAYS[at] ** done) for at in (0, 1))
            numbers -= rate * first_mean / (np.sqrt(second_mean) + 1e-8)
            if progress is not None:
                progress(done, steps, losses[-1] if losses else math.nan)
        losses.append(loss_of(logits_of(numbers[:CODES], numbers[CODES:], held), held))
        if losses[-1] == min(losses):
            best = numbers.copy()
    return (best[:CODES], best[CODES:]), losses


def _slope(numbers: NDArray[np.float64], choices: Choices) -> NDArray[np.float64]:
    """Return the gradient of the loss, with the weight decay.

    Args:
        numbers: the numbers of all line codes, followed by those of the threats.
        choices: positions with their moves.
    """
    shares = shares_of(logits_of(numbers[:CODES], numbers[CODES:], choices), choices.firsts)
    shares[choices.best] -= 1.0
    lines = np.bincount(choices.codes.reshape(-1), np.repeat(shares, 4), CODES)
    lines[blank_codes()] = 0.0
    threats = np.bincount(choices.threats, shares, layout.THREATS)
    found: NDArray[np.float64] = np.concatenate([lines, threats]) / len(choices)
    return found + 2.0 * WEIGHT_LOSS * numbers
