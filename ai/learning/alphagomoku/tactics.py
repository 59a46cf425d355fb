"""Generated test positions: does the black network find moves that make two threats at once?

The kinds are three-three, four-four and four-three. Black is to move; one point makes both threats,
and neither side has a quicker win. Such positions are only generated for five in a row.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ai.game import BLACK, WHITE, Rules
from ai.game.lines import DIRECTIONS
from ai.learning.alphagomoku.rows import five_points, shifted, stones_in_windows, windows
from ai.learning.alphagomoku.samples import PairSamples, join

THREE, FOUR = "three", "four"
KINDS: Final = {
    "three-three": (THREE, THREE),
    "four-four": (FOUR, FOUR),
    "four-three": (FOUR, THREE),
}
LEAST_SIZE: Final = 9
_TRIES: Final = 400


@dataclass(frozen=True, slots=True)
class _Arm:
    """A row of stones that becomes a threat when Black plays the crossing point.

    The crossing point belongs to two such rows, so that one move makes both threats.

    Attributes:
        black: points of its black stones.
        white: point of the white stone that blocks a four at one end; empty for a three.
        empty: points that must stay empty.
    """

    black: tuple[int, ...]
    white: tuple[int, ...]
    empty: tuple[int, ...]


def tactic_positions(rules: Rules, kind: str, count: int, seed: int) -> PairSamples | None:
    """Generate positions in which one point makes two threats at once: the right answer.

    The target policy is one-hot on that point.

    Args:
        rules: rules of the game.
        kind: one of `KINDS`.
        count: number of positions.
        seed: random seed of the positions.

    Returns:
        The positions; None unless the game is five in a row on a board of at least `LEAST_SIZE`.
    """
    if rules.win_length != 5 or rules.size < LEAST_SIZE:
        return None
    rng = np.random.default_rng([seed, *kind.encode()])
    found: list[PairSamples] = []
    missing = count
    for _ in range(_TRIES):
        if missing <= 0:
            break
        drawn = [one for one in (_attempt(rules, kind, rng) for _ in range(2 * missing + 8)) if one]
        sound = _sound(rules, kind, drawn).select(slice(0, missing)) if drawn else None
        if sound is not None:
            found.append(sound)
            missing -= len(sound)
    return join(found)


def _attempt(
    rules: Rules, kind: str, rng: np.random.Generator
) -> tuple[NDArray[np.int8], int] | None:
    """Draw a position at random, with two rows that cross in one point.

    Args:
        rules: rules of the game.
        kind: the two threats, one of `KINDS`.
        rng: random generator; its state advances.

    Returns:
        The stones `[A]` and the crossing point; None if the rows do not fit on the board.
    """
    size = rules.size
    crossing = int(rng.integers(rules.points))
    directions = rng.choice(len(DIRECTIONS), 2, replace=False)
    stones = np.zeros(rules.points, np.int8)
    kept_free = {crossing}
    for what, direction in zip(KINDS[kind], directions, strict=True):
        points = _arm(size, crossing, DIRECTIONS[direction], what, rng)
        if points is None:
            return None
        stones[list(points.black)] = BLACK
        stones[list(points.white)] = WHITE
        kept_free.update(points.empty)
    if any(stones[point] for point in kept_free):
        return None
    free = [point for point in np.flatnonzero(stones == 0).tolist() if point not in kept_free]
    lead = int((stones == BLACK).sum() - (stones == WHITE).sum())
    if lead > len(free):
        return None
    if lead > 0:
        stones[rng.choice(free, lead, replace=False)] = WHITE
    return stones, crossing


def _arm(
    size: int, crossing: int, direction: tuple[int, int], what: str, rng: np.random.Generator
) -> _Arm | None:
    """Return a row that becomes a threat when Black plays `crossing`; None if it leaves the board.

    Args:
        size: points along a side.
        crossing: point where the row crosses the other one.
        direction: step (rows, columns) along the row.
        what: the threat, `THREE` (open three) or `FOUR` (blocked four).
        rng: random generator; its state advances.
    """
    needed = 2 if what == THREE else 3
    length = needed + 1
    offset = int(rng.integers(length))  # place of the crossing in the row
    sign = 1 if rng.integers(2) else -1
    steps = [sign * (step - offset) for step in range(-2, length + 2)]
    down, right = direction
    points = [shifted(size, crossing, step * down, step * right) for step in steps]
    inside = points[1:-1]
    black = tuple(point for point in inside[1:-1] if point >= 0 and point != crossing)
    if len(black) != needed:
        return None
    first, last = inside[0], inside[-1]
    if what == FOUR:  # one end is blocked by White, the other completes the five
        return None if first < 0 or last < 0 else _Arm(black, (first,), (last,))
    return None if min(points) < 0 else _Arm(black, (), (*points[:2], *points[-2:]))


def _sound(rules: Rules, kind: str, drawn: list[tuple[NDArray[np.int8], int]]) -> PairSamples:
    """Convert drawn positions to samples; unsuitable positions are left out.

    A position is suitable if the crossing point is the only one that makes both threats, and if
    White threatens nothing quicker.

    Args:
        rules: rules of the game.
        kind: one of `KINDS`.
        drawn: stones `[A]` and the crossing point of each position.
    """
    size, length = rules.size, rules.win_length
    stones = np.array([one for one, _ in drawn], np.int8)
    crossing = np.array([point for _, point in drawn], np.intp)
    boards = np.arange(len(stones))
    # White has no quicker threat: no window holds three or more white stones net of black ones.
    quiet = ~(stones_in_windows(-stones, size, length) >= 3).any(axis=1)
    quiet &= ~five_points(stones, size, length).any(axis=1)
    after = stones.copy()
    after[boards, crossing] = BLACK
    fours = five_points(after, size, length).sum(axis=1)  # points where Black then makes a five
    wanted = sum(what == FOUR for what in KINDS[kind])
    quiet &= fours == wanted
    threes = _straight_fours(after, size)
    quiet &= (threes > 0) == (THREE in KINDS[kind])
    quiet &= _straight_fours(stones, size) == 0
    policy = np.zeros(stones.shape, np.float16)
    policy[boards, crossing] = 1.0
    last = (stones == WHITE).argmax(axis=1).astype(np.int16)
    samples = PairSamples(
        stones, last, policy, np.ones(len(stones), np.float32), np.full(len(stones), BLACK, np.int8)
    )
    return samples.select(np.flatnonzero(quiet))


def _straight_fours(stones: NDArray[np.int8], size: int) -> NDArray[np.int64]:
    """Return `[N]` the number of places where one more black stone makes an open four.

    At such a place three black stones and one empty point lie in line, with both ends empty.

    Args:
        stones: `[N, A]` 1 for Black, -1 for White, 0 for empty.
        size: points along a side.
    """
    six = stones_in_windows(stones, size, 6)
    held = stones_in_windows((stones != 0).astype(np.int8), size, 6)
    ends = windows(size, 6)[:, [0, 5]]
    are_empty = (stones[:, ends] == 0).all(axis=2)
    found: NDArray[np.int64] = ((six == 3) & (held == 3) & are_empty).sum(axis=1)
    return found
