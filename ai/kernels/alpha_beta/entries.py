"""The transposition table: results of searches by position.

A position may stand in each of the `BUCKET` entries that its key leads to. A new one takes the
place of the one that is worth least: of an earlier move of the game, or of a shallow search.
"""

from __future__ import annotations

from typing import Any, Final

from ai.kernels.alpha_beta.layout import (
    AGES,
    BUCKET,
    DEPTH_BITS,
    EXACT,
    LOWER,
    MOVE_BITS,
    SCORE_AND_BOUND_BITS,
    TREE,
    UNDECIDED,
    UPPER,
    WIN,
)
from ai.kernels.jit import INT, ArrayType, Record, kernel
from ai.kernels.layout import POSITION

WORDS: Final = ArrayType("int64")
_MOVE_MASK: Final = (1 << MOVE_BITS) - 1
_DEPTH_MASK: Final = (1 << DEPTH_BITS) - 1
_SCORE_MASK: Final = (1 << SCORE_AND_BOUND_BITS) - 1
_AGE_SHIFT: Final = MOVE_BITS + DEPTH_BITS + SCORE_AND_BOUND_BITS
_OLD: Final = 4
"""Plies by which the worth of an entry falls with each move of the game."""


@kernel(POSITION, WORDS, returns=INT)
def bucket_of(positions: Record, words: Any) -> int:
    """Return the first word of a position's bucket; the table's length is a power of two."""
    first: int = positions[0].key & (len(words) - 1) & ~(2 * BUCKET - 1)
    return first


@kernel(POSITION, WORDS, returns=INT)
def entry_of(positions: Record, words: Any) -> int:
    """Return the entry of a position, -1 without one."""
    first = bucket_of(positions, words)
    for index in range(first, first + 2 * BUCKET, 2):
        if words[index] == positions[0].key:
            found: int = words[index + 1]
            return found
    return -1


@kernel(INT, returns=INT)
def move_of(entry: int) -> int:
    """Return the best move that an entry holds, -1 for none."""
    return -1 if entry < 0 else (entry & _MOVE_MASK) - 1


@kernel(INT, returns=INT)
def depth_of(entry: int) -> int:
    """Return how deep the search was that made an entry."""
    return (entry >> MOVE_BITS) & _DEPTH_MASK


@kernel(INT, returns=INT)
def entry_bound(entry: int) -> int:
    """Return the bound of an entry's score: `EXACT`, `LOWER` or `UPPER`."""
    return (entry >> (MOVE_BITS + DEPTH_BITS)) & 3


@kernel(INT, returns=INT)
def entry_score(entry: int) -> int:
    """Return the score of an entry."""
    return ((entry >> (MOVE_BITS + DEPTH_BITS)) & _SCORE_MASK) // 4 - WIN


@kernel(POSITION, TREE, WORDS, returns=INT)
def place_for(positions: Record, trees: Record, words: Any) -> int:
    """Return the index for a position's entry: its present one, else the least valuable one."""
    first = bucket_of(positions, words)
    best = first
    least = 1 << 30
    for index in range(first, first + 2 * BUCKET, 2):
        if words[index] == positions[0].key:
            return index
        worth = -(1 << 20)
        if words[index + 1] != 0:
            age = (trees[0].age - (words[index + 1] >> _AGE_SHIFT)) & (AGES - 1)
            worth = depth_of(words[index + 1]) - _OLD * age
        if worth < least:
            least = worth
            best = index
    return best


@kernel(POSITION, TREE, WORDS, INT, INT, INT, INT)
def keep(
    positions: Record, trees: Record, words: Any, depth: int, score: int, bound: int, move: int
) -> None:
    """Write an entry of the table, unless it holds a deeper one of the same position."""
    key = positions[0].key
    index = place_for(positions, trees, words)
    if words[index] == key and depth_of(words[index + 1]) > depth:
        return
    words[index] = key
    entry = trees[0].age << SCORE_AND_BOUND_BITS | (score + WIN) << 2 | bound
    words[index + 1] = (entry << DEPTH_BITS | depth) << MOVE_BITS | (move + 1)


@kernel(INT, INT, INT, returns=INT)
def bound_of(score: int, alpha: int, beta: int) -> int:
    """Return the bound that a score of a search within (alpha, beta) is."""
    if score >= beta:
        return LOWER
    return EXACT if score > alpha else UPPER


@kernel(INT, INT, INT, INT, returns=INT)
def score_from(entry: int, depth: int, alpha: int, beta: int) -> int:
    """Return the score of an entry that settles a search within (alpha, beta), or `UNDECIDED`."""
    if entry < 0 or depth_of(entry) < depth:
        return UNDECIDED
    score = entry_score(entry)
    bound = entry_bound(entry)
    if bound == EXACT or (bound == LOWER and score >= beta) or (bound == UPPER and score <= alpha):
        return score
    return UNDECIDED
