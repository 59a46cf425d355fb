"""Threat labels and their variations: the points that should have been played against a threat.

An improvement of ours over the paper's walk-back. The label is not the stone that the opponent
happened to place, but every point where it could have made a five, else an open four (here: two
fives at once). Used on the records of finished games only; the player never calls this code.

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
    """Return `[B, A]` the playable points on which `color` completes a winning row.

    Args:
        stones: `[B, A]` 1 and -1 for the two sides, 0 for empty.
        color: 1 or -1.
        rules: rules of the game.
    """
    return completing_points(stones, color, rules) & playable(stones, rules)


def completing_points(stones: NDArray[np.int8], color: int, rules: Rules) -> NDArray[np.bool_]:
    """Return `[B, A]` the empty points that complete a row of `color`, playable yet or not.

    Args:
        stones: `[B, A]` 1 and -1 for the two sides, 0 for empty.
        color: 1 or -1.
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
    """With gravity, return `[A]` the playable points that do not enable a row right above them.

    The row meant is the opponent's. All are False if no playable point enables a row, or every one
    does.
    """
    points = playable(stones, rules)
    lifts = _lowered(completing_points(stones[None], OPPONENT, rules)[0], rules) & points
    return points & ~lifts if lifts.any() else np.zeros_like(points)


def threat_label(
    stones: NDArray[np.int8], rules: Rules, *, with_own: bool = False
) -> NDArray[np.float32] | None:
    """Return the label `[A]` of a position with the learner to move: the points against a threat.

    Args:
        stones: `[A]` from the learner's perspective: opponent 1, own -1.
        rules: rules of the game.
        with_own: whether the learner's own fives come before all others, and its own open fours
            after the opponent's fives.

    Returns:
        Equal shares, with the sum 1, at the points of the most urgent threat; None without a
        threat.
    """
    for points in _threats(stones, rules, with_own=with_own):
        if points.any():
            return one_hot(len(stones), *np.flatnonzero(points).tolist())
    return None


def threat_lessons(record: GameRecord, *, with_own: bool = False) -> list[Sample]:
    """Return a sample for each position of a game with the learner to move and a threat.

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
    """Yield `[A]` the points of each kind of threat, the most urgent kind first.

    Args:
        stones: `[A]` from the learner's perspective.
        rules: rules of the game.
        with_own: see `threat_label`.
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
    """Return `[..., A]` the points one row above `points`."""
    result = np.zeros_like(points)
    result[..., : -rules.size] = points[..., rules.size :]
    return result


def _lowered(points: NDArray[np.bool_], rules: Rules) -> NDArray[np.bool_]:
    """Return `[..., A]` the points one row below `points`."""
    result = np.zeros_like(points)
    result[..., rules.size :] = points[..., : -rules.size]
    return result


@lru_cache(maxsize=16)
def _incidence(size: int, rows: int, length: int) -> NDArray[np.float32]:
    """Return `[W, A]`: 1 where a point lies in a straight run of `length` points."""
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
"""Maximum number of attempts to draw a variation with a threat."""


def vary(
    stones: NDArray[np.int8], rules: Rules, count: int, *, with_own: bool = False
) -> list[Sample]:
    """Return at most `count` variations of a position, each of which contains a threat.

    Args:
        stones: `[A]` from the learner's perspective; a position without a threat has no variations.
        rules: rules of the game; with gravity there are no variations.
        count: number of variations to attempt.
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
    """Shift all stones by up to two points, dropping those that leave the board."""
    down, right = (int(step) for step in rng.integers(-MOST_SHIFT, MOST_SHIFT + 1, size=2))
    grid = np.pad(stones.reshape(rules.rows, rules.size), MOST_SHIFT)
    top, left = MOST_SHIFT - down, MOST_SHIFT - right
    return grid[top : top + rules.rows, left : left + rules.size].ravel().copy()


def _thinned(stones: NDArray[np.int8], rng: np.random.Generator) -> NDArray[np.int8]:
    """Return the state with some stones removed."""
    gone = rng.random(len(stones)) < rng.random() * MOST_THINNED
    return np.where(gone, np.int8(0), stones)


def _cluttered(stones: NDArray[np.int8], rng: np.random.Generator) -> NDArray[np.int8]:
    """Add up to four random stones of either colour, in place, and return the position."""
    empty = np.flatnonzero(stones == 0)
    count = min(int(rng.integers(MOST_ADDED + 1)), len(empty))
    stones[rng.choice(empty, count, replace=False)] = rng.choice((1, -1), count)
    return stones
