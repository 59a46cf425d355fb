"""Phase 1 of the curriculum: generated positions that teach the basic rules.

After Xie et al., "AlphaGomoku", its section "Learn Basic Rule". An attack is a position
with Black to move and four black stones in a row with both ends empty: the target is one of the two
fives, the value is 1, and the black network learns it. A defence is a position with White to move
and four black stones in a row with one end blocked: the target is the blocking move, the value is
0, and the white network learns it. docs/alphagomoku.md lists what the text leaves open.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from ai.game import BLACK, WHITE, Rules, RulesError
from ai.game.lines import DIRECTIONS, symmetries
from ai.learning.alphagomoku.rows import five_points, has_five, shifted
from ai.learning.alphagomoku.samples import PairSamples, join, without_known

COUNT: Final = 80_000
"""Number of generated positions, as in the paper."""
_CHUNK: Final = 4_096
_MOST_EXTRA: Final = 8
"""Divisor that limits how many black stones are added to a generated position.

At most (points of the board / this number) are added. White gets as many stones as are needed for
the right side to be on move.
"""
_TRIES: Final = 200


def basic_positions(rules: Rules, count: int, seed: int) -> PairSamples:
    """Generate basic positions, half attacks and half defences, in random order.

    Args:
        rules: freestyle on a square board; the side must be longer than a winning row.
        count: number of positions.
        seed: random seed of the positions.

    Raises:
        RulesError: there are no such positions under these rules.
    """
    if not rules.is_plain or rules.exact or rules.has_fouls or rules.size <= rules.win_length:
        raise RulesError(
            "expected freestyle on a square board with a side longer than the row that wins, "
            f"found {rules!r}"
        )
    parts = []
    for number, first in enumerate(range(0, count, _CHUNK)):
        rng = np.random.default_rng([seed, number, 1])
        wanted = min(_CHUNK, count - first)
        attacks = _drawn(rules, (wanted + 1) // 2, rng, is_attack=True)
        parts += [attacks, _drawn(rules, wanted // 2, rng, is_attack=False)]
    every = join(parts)
    return every.select(np.random.default_rng([seed, 2]).permutation(len(every)))


def split_basic_positions(
    rules: Rules, count: int, seed: int, *, held: float = 0.1
) -> tuple[PairSamples, PairSamples]:
    """Generate basic positions; return those to train on and those held out, in this order.

    Args:
        rules: see `basic_positions`.
        count: total number of positions.
        seed: random seed of the positions.
        held: share to hold out. Held-out positions that equal a training position up to symmetry
            are dropped.

    Raises:
        RulesError: see `basic_positions`.
    """
    every = basic_positions(rules, count, seed)
    first = max(1, round(count * held))
    known = every.select(slice(first, None))
    return known, without_known(every.select(slice(0, first)), known, symmetries(rules.size))


def _drawn(rules: Rules, count: int, rng: np.random.Generator, *, is_attack: bool) -> PairSamples:
    """Draw `count` basic positions, either all attacks or all defences.

    Args:
        rules: rules of the game.
        count: number of positions.
        rng: random generator; its state advances.
        is_attack: whether to draw attacks; else defences.

    Raises:
        RulesError: too few such positions were found.
    """
    found: list[PairSamples] = []
    missing = count
    for _ in range(_TRIES):
        if missing <= 0:
            break
        samples = _attempt(rules, missing + missing // 4 + 8, rng, is_attack=is_attack)
        found.append(samples.select(slice(0, missing)))
        missing -= len(found[-1])
    if missing > 0:
        raise RulesError(f"expected rules with basic positions, found {rules!r}")
    return join(found) if found else _attempt(rules, 0, rng, is_attack=is_attack)


def _attempt(rules: Rules, count: int, rng: np.random.Generator, *, is_attack: bool) -> PairSamples:
    """Draw `count` positions once; keep those in which the target move is the only right one.

    Args:
        rules: rules of the game.
        count: number of positions to draw; fewer are returned.
        rng: random generator; its state advances.
        is_attack: whether to draw attacks; else defences.
    """
    size, length = rules.size, rules.win_length
    rows, ends = _lines(size, length, is_attack=is_attack)
    lines = rng.integers(len(rows), size=count)
    four, (target, other) = rows[lines], ends[lines].T  # [B, length - 1]; [B] each
    if is_attack:
        swaps = rng.integers(2, size=count) == 1
        target, other = np.where(swaps, other, target), np.where(swaps, target, other)
    stones = np.zeros((count, rules.points), np.int8)
    boards = np.arange(count)
    stones[boards[:, None], four] = BLACK
    is_blocked = (other >= 0) & (not is_attack)  # in a defence; -1: the edge blocks that end
    stones[boards[is_blocked], other[is_blocked]] = WHITE
    kept_free = np.zeros(stones.shape, np.bool_)
    kept_free[boards, target] = True
    if is_attack:
        kept_free[boards, other] = True
    _scatter(stones, kept_free, rng, lead=0 if is_attack else 1)
    is_sound = ~has_five(stones, size, length)
    blacks = five_points(stones, size, length)
    if is_attack:
        is_sound &= blacks[boards, target]
    else:  # exactly one move stops Black, and White cannot win at once instead
        is_sound &= (blacks.sum(axis=1) == 1) & blacks[boards, target]
        is_sound &= ~five_points(-stones, size, length).any(axis=1)
    last = _last_moves(stones, four, rng, is_attack=is_attack)
    policy = np.zeros(stones.shape, np.float16)
    policy[boards, target] = 1.0
    return PairSamples(
        stones * np.int8(BLACK if is_attack else WHITE),
        last,
        policy,
        np.full(count, 1.0 if is_attack else 0.0, np.float32),
        np.full(count, BLACK if is_attack else WHITE, np.int8),
    ).select(np.flatnonzero(is_sound))


def _lines(size: int, length: int, *, is_attack: bool) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return every row of black stones with which a basic position can be built.

    A row has `length - 1` stones in line. Its end points are the points right before and after it.
    A defence needs one end on the board, an attack needs both. A row is listed again with its two
    ends swapped if these may change roles.

    Args:
        size: points along a side.
        length: stones in a row that win.
        is_attack: whether the rows are for attacks; else for defences.

    Returns:
        The points of the L rows, `[L, length - 1]`, and their ends, `[L, 2]`. The first end is the
        point of the target move; the second may be off the board, then it is -1.
    """
    rows, ends = [], []
    for down, right in DIRECTIONS:
        for start in range(size * size):
            before, *four, after = (
                shifted(size, start, down * step, right * step) for step in range(-1, length)
            )
            if min(four) < 0:
                continue
            for first, second in ((before, after), (after, before)):
                if first >= 0 and (second >= 0 or not is_attack):
                    rows.append(four)
                    ends.append([first, second])
    return np.array(rows, np.intp), np.array(ends, np.intp)


def _scatter(
    stones: NDArray[np.int8], kept_free: NDArray[np.bool_], rng: np.random.Generator, *, lead: int
) -> None:
    """Add stones at random, in place, until Black has `lead` more than White.

    Args:
        stones: `[N, A]` positions with more black than white stones; changed in place.
        kept_free: `[N, A]` whether each point has to stay empty.
        rng: draws the number of stones and their places; its state advances.
        lead: how many more black than white stones: 0 if Black is to move, 1 if White is.
    """
    count, points = stones.shape
    blacks, whites = (stones == BLACK).sum(axis=1), (stones == WHITE).sum(axis=1)
    most = max(1, points // _MOST_EXTRA)
    more = rng.integers(most + 1, size=count)  # black stones to add
    needed = blacks + more - lead - whites  # white stones to add
    order = np.where((stones == 0) & ~kept_free, rng.random((count, points)), 2.0)
    place = np.argsort(np.argsort(order, axis=1), axis=1)  # [N, A] 0 for the first that is filled
    stones[place < more[:, None]] = BLACK
    stones[(place >= more[:, None]) & (place < (more + needed)[:, None])] = WHITE


def _last_moves(
    stones: NDArray[np.int8], four: NDArray[np.intp], rng: np.random.Generator, *, is_attack: bool
) -> NDArray[np.int16]:
    """Return `[N]` a point for each position that is taken as the opponent's last move.

    In an attack it is a random white stone. In a defence it is a random stone of the row of four.

    Args:
        stones: `[N, A]` the positions.
        four: `[N, length - 1]` points of the row of four in each.
        rng: random generator; its state advances.
        is_attack: whether the positions are attacks; else defences.
    """
    if not is_attack:
        chosen = rng.integers(four.shape[1], size=len(four))
        last = four[np.arange(len(four)), chosen]
    else:
        last = np.where(stones == WHITE, rng.random(stones.shape), 2.0).argmin(axis=1)
    found: NDArray[np.int16] = last.astype(np.int16)
    return found
