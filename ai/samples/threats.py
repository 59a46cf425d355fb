"""Threat labels and their variations: the points that should have been played against a threat.

An improvement of ours over the paper's walk-back. The walk-back labels the point where the opponent
happened to place its stone. A threat label marks every point where it could have made a five. If
there is none, it marks every point where it could have made an open four, which here means two
fives at once. Used on finished games only; the player never calls this code.

With gravity, only playable points are labelled. An open four may also be a playable point with
another winning point right above it. Without any threat all points are labelled except those that
enable a winning point of the opponent.

`vary` makes further samples from positions with threats: it shifts, removes and adds stones. A
threat depends neither on its place on the board nor on most other stones. The random seed is the
position itself, so that a learner restored from a checkpoint has the same variations.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ai.game import GameRecord, Rule, Rules, playable
from ai.game.lines import rays, windows
from ai.samples.one_hot import Sample, learner_plies, one_hot, stones_after

OPPONENT: Final = 1
OWN: Final = -1


def winning_points(stones: NDArray[np.int8], color: int, rules: Rules) -> NDArray[np.bool_]:
    """Return `[B, A]` the points where one side can complete a winning row at once.

    Args:
        stones: `[B, A]` 1 and -1 for the two sides, 0 for empty.
        color: the side, 1 or -1.
        rules: rules of the game.
    """
    return completing_points(stones, color, rules) & playable(stones, rules)


def completing_points(stones: NDArray[np.int8], color: int, rules: Rules) -> NDArray[np.bool_]:
    """Return `[B, A]` the empty points that would complete a winning row of one side.

    With gravity, some of them may not be playable yet.

    Args:
        stones: `[B, A]` 1 and -1 for the two sides, 0 for empty.
        color: the side, 1 or -1.
        rules: rules of the game.
    """
    windows_of = _incidence(rules.size, rules.rows, rules.win_length)  # [W, A]
    own = (stones == color).astype(np.float32) @ windows_of.T  # [B, W]
    other = (stones == -color).astype(np.float32) @ windows_of.T
    one_short = ((own == rules.win_length - 1) & (other == 0)).astype(np.float32)
    found: NDArray[np.bool_] = ((one_short @ windows_of) > 0) & (stones == 0)  # [B, A]
    if rules.rule is not Rule.FREESTYLE:
        for row, point in np.argwhere(found):
            found[row, point] = _wins_there(stones[row], int(point), color, rules)
    return found


def double_points(stones: NDArray[np.int8], color: int, rules: Rules) -> NDArray[np.bool_]:
    """Return `[A]` the playable points where a stone gives `color` two winning points at once.

    Args:
        stones: `[A]` 1 and -1 for the two sides, 0 for empty.
        color: 1 or -1.
        rules: rules of the game.
    """
    empty = np.flatnonzero(playable(stones, rules))
    after = np.repeat(stones[None], len(empty), axis=0)
    after[np.arange(len(empty)), empty] = color
    wins = winning_points(after, color, rules)
    doubles = wins.sum(axis=1) >= 2
    if rules.gravity:  # stopping the lower one makes the upper one playable
        above = _lifted(wins, rules) & completing_points(after, color, rules)
        doubles |= above.any(axis=1)
    result = np.zeros(len(stones), np.bool_)
    result[empty[doubles]] = True
    return result


def has_row(stones: NDArray[np.int8], rules: Rules) -> bool:
    """Return whether either side has `win_length` stones in a row, or more."""
    rows = stones.astype(np.float32) @ _incidence(rules.size, rules.rows, rules.win_length).T
    return bool((np.abs(rows) == rules.win_length).any())


def safe_points(stones: NDArray[np.int8], rules: Rules) -> NDArray[np.bool_]:
    """Return `[A]` the safe points of a game with gravity; the learner is to move.

    A playable point is safe if a stone there does not make the point above it playable for a
    winning stone of the opponent. If all playable points are safe, or none is, the result is all
    False.

    Args:
        stones: `[A]` from the learner's perspective.
        rules: rules of the game.
    """
    points = playable(stones, rules)
    lifts = _lowered(completing_points(stones[None], OPPONENT, rules)[0], rules) & points
    return points & ~lifts if lifts.any() else np.zeros_like(points)


def threat_label(
    stones: NDArray[np.int8], rules: Rules, *, with_own: bool = False
) -> NDArray[np.float32] | None:
    """Return the label of a position: the points that the learner has to play against a threat.

    Args:
        stones: `[A]` from the learner's perspective: opponent 1, own -1. The learner is to move.
        rules: rules of the game.
        with_own: whether points where the learner itself wins count, too. Its own fives are most
            urgent; then come the opponent's fives, then its own open fours.

    Returns:
        `[A]` equal shares, with the sum 1, at the points of the most urgent threat; None without a
        threat.
    """
    for points in _threats(stones, rules, with_own=with_own):
        if points.any():
            return one_hot(len(stones), *np.flatnonzero(points).tolist())
    return None


def threat_lessons(record: GameRecord, *, with_own: bool = False) -> list[Sample]:
    """Return a sample for each position of a game in which the learner had to meet a threat.

    Args:
        record: the game; only m,n,k games have threats.
        with_own: see `threat_label`.
    """
    if not isinstance(record.rules, Rules):
        return []
    lessons = []
    for plies in learner_plies(record):
        stones = stones_after(record, plies)
        label = threat_label(stones, record.rules, with_own=with_own)
        if label is not None:
            lessons.append(Sample(stones, label))
    return lessons


def _threats(
    stones: NDArray[np.int8], rules: Rules, *, with_own: bool
) -> Iterable[NDArray[np.bool_]]:
    """Yield, for each kind of threat, the points where a stone meets it; the most urgent first.

    Args:
        stones: `[A]` from the learner's perspective.
        rules: rules of the game.
        with_own: see `threat_label`.

    Yields:
        `[A]` whether each point belongs to that kind; all False without such a threat.
    """
    if with_own:
        yield winning_points(stones[None], OWN, rules)[0]
    yield winning_points(stones[None], OPPONENT, rules)[0]
    if with_own:
        yield double_points(stones, OWN, rules)
    yield double_points(stones, OPPONENT, rules)
    if rules.gravity:
        yield safe_points(stones, rules)


def _lifted(points: NDArray[np.bool_], rules: Rules) -> NDArray[np.bool_]:
    """Return the points that lie one row above the given ones.

    Args:
        points: `[..., A]` whether each point is given.
        rules: rules of the game.
    """
    result = np.zeros_like(points)
    result[..., : -rules.size] = points[..., rules.size :]
    return result


def _lowered(points: NDArray[np.bool_], rules: Rules) -> NDArray[np.bool_]:
    """Return the points that lie one row below the given ones.

    Args:
        points: `[..., A]` whether each point is given.
        rules: rules of the game.
    """
    result = np.zeros_like(points)
    result[..., rules.size :] = points[..., : -rules.size]
    return result


@lru_cache(maxsize=16)
def _incidence(size: int, rows: int, length: int) -> NDArray[np.float32]:
    """Return `[W, A]` which points belong to each window: 1 if a point does, else 0.

    A window is a run of points in a straight line; W is their number.

    Args:
        size: number of columns.
        rows: number of rows.
        length: points of a window.
    """
    runs = windows(size, length, rows)
    result = np.zeros((len(runs), size * rows), np.float32)
    for row, points in enumerate(runs):
        result[row, list(points)] = 1.0
    return result


def _wins_there(stones: NDArray[np.int8], point: int, color: int, rules: Rules) -> bool:
    """Return whether a stone on `point` completes a row that wins by the rules.

    Args:
        stones: `[A]` 1 and -1 for the two sides, 0 for empty.
        point: an empty point.
        color: colour of the stone, 1 or -1.
        rules: rules of the game.
    """
    for rays_of in rays(rules.size, max(rules.size, rules.rows) - 1, rules.rows)[point]:
        length, ends = 1, []
        for ray in rays_of:
            run = next((k for k, near in enumerate(ray) if stones[near] != color), len(ray))
            ends.append(run < len(ray) and stones[ray[run]] == -color)
            length += run
        if rules.row_wins(length, color, is_blocked=all(ends)):
            return True
    return False


MOST_SHIFT: Final = 2
MOST_THINNED: Final = 0.3
"""Maximum share of the stones that a variation removes."""
MOST_ADDED: Final = 4
_ATTEMPTS: Final = 4
"""How often a variation is drawn again because it has no threat; then it is given up."""


def vary(
    stones: NDArray[np.int8], rules: Rules, count: int, *, with_own: bool = False
) -> list[Sample]:
    """Return variations of a position, each with its own threat label.

    Args:
        stones: `[A]` from the learner's perspective; a position without a threat has no variations.
        rules: rules of the game; with gravity there are no variations.
        count: number of variations wanted; there are fewer if not all attempts give a threat.
        with_own: see `threat_label`.
    """
    if rules.gravity or threat_label(stones, rules, with_own=with_own) is None:
        return []
    digest = hashlib.blake2b(stones.tobytes(), digest_size=8).digest()
    rng = np.random.default_rng(int.from_bytes(digest, "little"))
    found = []
    for _ in range(count):
        for _ in range(_ATTEMPTS):
            varied = _cluttered(_thinned(_shifted(stones, rules, rng), rng), rng)
            label = threat_label(varied, rules, with_own=with_own)
            if label is not None and not has_row(varied, rules):
                found.append(Sample(varied, label))
                break
    return found


def _shifted(stones: NDArray[np.int8], rules: Rules, rng: np.random.Generator) -> NDArray[np.int8]:
    """Return the position with all stones shifted by up to two rows and columns.

    Stones that leave the board are dropped.

    Args:
        stones: `[A]` the position; not changed.
        rules: rules of the game.
        rng: random generator; its state advances.
    """
    down, right = (int(step) for step in rng.integers(-MOST_SHIFT, MOST_SHIFT + 1, size=2))
    grid = np.pad(stones.reshape(rules.rows, rules.size), MOST_SHIFT)
    top, left = MOST_SHIFT - down, MOST_SHIFT - right
    return grid[top : top + rules.rows, left : left + rules.size].ravel().copy()


def _thinned(stones: NDArray[np.int8], rng: np.random.Generator) -> NDArray[np.int8]:
    """Return the position without some of its stones, which are drawn at random."""
    gone = rng.random(len(stones)) < rng.random() * MOST_THINNED
    return np.where(gone, np.int8(0), stones)


def _cluttered(stones: NDArray[np.int8], rng: np.random.Generator) -> NDArray[np.int8]:
    """Add up to four stones of either colour to random empty points; return the position.

    Args:
        stones: `[A]` the position; changed in place.
        rng: random generator; its state advances.
    """
    empty = np.flatnonzero(stones == 0)
    count = min(int(rng.integers(MOST_ADDED + 1)), len(empty))
    stones[rng.choice(empty, count, replace=False)] = rng.choice((1, -1), count)
    return stones
