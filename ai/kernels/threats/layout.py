"""Memory of the searches for wins by continuous fours, and by threats of any kind ("threes")."""

from __future__ import annotations

from typing import Final

import numpy as np

from ai.kernels.layout import POINTS

MAX_FOURS: Final = 48
"""Greatest number of fours that the search plays one after the other."""
FAILED: Final = 4096

FOURS: Final = np.dtype(
    [
        ("line", np.int16, 2 * MAX_FOURS + 2),  # the win: attacks and answers in turn
        ("failed", np.int64, FAILED),  # [key % FAILED]: positions without a win
        ("nodes", np.int64),  # fours played by this search
        ("node_limit", np.int64),
        ("is_cut", np.int64),  # 1: a limit kept the search from looking at everything
    ],
    align=True,
)
"""Layout of the record of a search for wins by continuous fours."""

ENTRIES: Final = 1 << 16
"""Number of positions that a search for threes stores; a power of two."""
LEVELS: Final = 40
"""Greatest depth in plies of a search for threes; a longer line counts as not won."""
WIDTH: Final = 96
"""Greatest number of moves of a position."""
INFINITE: Final = 1 << 30
"""Proof number of a position that counts as not won; no proof or disproof number is greater."""
NUMBER_BITS: Final = 32
"""Number of bits of the disproof number in a packed pair of numbers.

The bits above these hold the proof number.
"""

THREES: Final = np.dtype(
    [
        ("keys", np.int64, ENTRIES),
        ("numbers", np.int64, ENTRIES),  # packed, of the position of that key
        ("moves", np.int16, LEVELS * WIDTH),  # [level, place]: attacks, or answers
        ("proofs", np.int64, LEVELS * WIDTH),  # their packed numbers
        ("counts", np.int64, LEVELS),
        ("plies", np.int64, LEVELS),  # of the win that an attack threatens, 0 after a four
        ("checked", np.int64, LEVELS),  # 1: answers that change nothing were looked at, too
        ("chosen", np.int64, LEVELS),  # place of the move to look at next
        ("next_best", np.int64, LEVELS),  # least number of the other moves
        ("marks", np.int64, POINTS),  # [move]: equal to `mark` where an answer may help
        ("mark", np.int64),
        ("attacker", np.int64),  # side
        ("weakest", np.int64),  # class of a line that a quiet attack makes, at least
        ("four_limit", np.int64),  # fours of one search for fours
        ("is_cut", np.int64),  # 1: a limit ended the search
    ],
    align=True,
)
"""Layout of the record of a search for a win by threes and fours."""
