"""The transposition table: results of searches by position.

A position's key leads to a bucket of `BUCKET` entries, and any of them may hold the position. A new
entry replaces the least valuable one: that of a shallow search or of an earlier move of the game.

Several threads may use a table at once, without locks. So an entry is two words: the position's key
combined with the result by exclusive or, and the result. An entry of which two threads have written
a word each fits no position (Hyatt, Mann 2002).
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
"""Number of plies by which an entry's worth falls for each game move since it was stored.

The worth of a new entry is its depth in plies.
"""


@kernel(POSITION, WORDS, returns=INT)
def bucket_of(positions: Record, words: Any) -> int:
    """Return the index of a position's bucket, the group of entries that may hold the position.

    Args:
        positions: the position.
        words: the transposition table, two words for each entry; its length is a power of two.

    Returns:
        Index of the bucket's first word.
    """
    first: int = positions[0].key & (len(words) - 1) & ~(2 * BUCKET - 1)
    return first


@kernel(POSITION, WORDS, returns=INT)
def entry_of(positions: Record, words: Any) -> int:
    """Return the packed table entry of a position; -1 if the table has none.

    Args:
        positions: the position.
        words: the transposition table.
    """
    first = bucket_of(positions, words)
    key = positions[0].key
    for index in range(first, first + 2 * BUCKET, 2):
        found: int = words[index + 1]
        if words[index] ^ found == key:
            return found
    return -1


@kernel(INT, returns=INT)
def move_of(entry: int) -> int:
    """Return the best move stored in a packed entry; -1 if it holds none."""
    return -1 if entry < 0 else (entry & _MOVE_MASK) - 1


@kernel(INT, returns=INT)
def depth_of(entry: int) -> int:
    """Return the depth in plies of the search that stored an entry."""
    return (entry >> MOVE_BITS) & _DEPTH_MASK


@kernel(INT, returns=INT)
def entry_bound(entry: int) -> int:
    """Return whether the score in a packed entry is exact or a bound.

    Args:
        entry: the packed entry.

    Returns:
        `EXACT`, or `LOWER` or `UPPER` if the true score is at least or at most this score.
    """
    return (entry >> (MOVE_BITS + DEPTH_BITS)) & 3


@kernel(INT, returns=INT)
def entry_score(entry: int) -> int:
    """Return the score stored in a packed table entry."""
    return ((entry >> (MOVE_BITS + DEPTH_BITS)) & _SCORE_MASK) // 4 - WIN


@kernel(POSITION, TREE, WORDS, returns=INT)
def place_for(positions: Record, trees: Record, words: Any) -> int:
    """Return the index at which to store a position in the transposition table.

    It is the position's present entry, or else the least valuable entry of its bucket.

    Args:
        positions: the position.
        trees: record of the alpha-beta search.
        words: the transposition table.
    """
    first = bucket_of(positions, words)
    key = positions[0].key
    best = first
    least = 1 << 30
    for index in range(first, first + 2 * BUCKET, 2):
        known = words[index + 1]
        if words[index] ^ known == key:
            return index
        worth = -(1 << 20)
        if known != 0:
            age = (trees[0].age - (known >> _AGE_SHIFT)) & (AGES - 1)
            worth = depth_of(known) - _OLD * age
        if worth < least:
            least = worth
            best = index
    return best


@kernel(POSITION, TREE, WORDS, INT, INT, INT, INT)
def keep(
    positions: Record, trees: Record, words: Any, depth: int, score: int, bound: int, move: int
) -> None:
    """Store a search result, unless the table holds a deeper one of the same position.

    Args:
        positions: the position.
        trees: the search.
        words: the table.
        depth: depth of the search in plies.
        score: the score found.
        bound: `EXACT`, `LOWER` or `UPPER`.
        move: the best move; -1 for none.
    """
    key = positions[0].key
    index = place_for(positions, trees, words)
    known = words[index + 1]
    if words[index] ^ known == key and depth_of(known) > depth:
        return
    entry = trees[0].age << SCORE_AND_BOUND_BITS | (score + WIN) << 2 | bound
    entry = (entry << DEPTH_BITS | depth) << MOVE_BITS | (move + 1)
    words[index] = key ^ entry
    words[index + 1] = entry


@kernel(INT, INT, INT, returns=INT)
def bound_of(score: int, alpha: int, beta: int) -> int:
    """Return whether the score of a search with the window (alpha, beta) is exact or a bound.

    Args:
        score: the score that the search found.
        alpha: lower end of the search window.
        beta: upper end of the search window.

    Returns:
        `EXACT`, or `LOWER` or `UPPER` if the true score is at least or at most this score.
    """
    if score >= beta:
        return LOWER
    return EXACT if score > alpha else UPPER


@kernel(INT, INT, INT, INT, returns=INT)
def score_from(entry: int, depth: int, alpha: int, beta: int) -> int:
    """Return a table entry's score if it makes a search with the window (alpha, beta) needless.

    Args:
        entry: packed table entry; -1 for none.
        depth: least depth in plies that the entry must have.
        alpha: lower end of the search window.
        beta: upper end of the search window.

    Returns:
        The score; `UNDECIDED` if the position must be searched.
    """
    if entry < 0 or depth_of(entry) < depth:
        return UNDECIDED
    score = entry_score(entry)
    bound = entry_bound(entry)
    if bound == EXACT or (bound == LOWER and score >= beta) or (bound == UPPER and score <= alpha):
        return score
    return UNDECIDED
