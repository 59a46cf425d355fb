"""Memory of the alpha-beta search on the pattern core.

A *level* is the number of plies below the root. A position's move scores are packed: the number in
the lowest bits, and above it how many fours and open threes a stone there would make or deny.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from ai.kernels.layout import CLASSES, POINTS

LEVELS: Final = 64
"""Deepest level, at which every line ends."""
WIDTH: Final = 96
"""Moves of a position that are kept, at most."""
WIN: Final = 1_000_000
"""Score of a won game, less the plies until then; beyond any evaluation."""
LONGEST: Final = 500
UNDECIDED: Final = 2_000_000
"""Not a score: the position is to be searched."""

SCORE_BITS: Final = 24
OWN_FOURS: Final = 24
OWN_THREES: Final = 28
OTHER_FOURS: Final = 32
OTHER_THREES: Final = 36
"""First bits of the packed counts, four bits each."""

EXACT: Final = 0
LOWER: Final = 1
UPPER: Final = 2
ENTRIES: Final = 1 << 18
"""Entries of the transposition table: two words each, the position's key and what was found."""
MOVE_BITS: Final = 10
DEPTH_BITS: Final = 8

TREE: Final = np.dtype(
    [
        ("moves", np.int16, LEVELS * WIDTH),  # [level, place]
        ("orders", np.int64, LEVELS * WIDTH),  # packed scores of these moves
        ("killers", np.int16, 2 * LEVELS),
        ("history", np.int64, 2 * POINTS),  # [side, move]
        ("lines", np.int16, LEVELS * LEVELS),  # [level]: principal variation from there
        ("lengths", np.int64, LEVELS),
        ("packed", np.int64, 2 * 256),  # [side, line classes]: see above
        ("weights", np.int64, 2 * CLASSES),  # of points: the mover's, the other side's
        ("tempo", np.int64),
        ("fours", np.int64),  # node limit of the search for fours at a leaf; 0: none
        ("full_score", np.int64),  # of a full board, for Black: 1, 0 or -1
        ("is_cut", np.int64),  # 1: the limit ended the search
        ("deepest", np.int64),  # greatest level
        # the root
        ("count", np.int64),
        ("roots", np.int16, POINTS),
        ("scores", np.int64, POINTS),  # of the roots, by place
        ("visits", np.int64, POINTS),
        ("finished", np.int64),  # roots searched in the last call
    ],
    align=True,
)
"""One search: its settings and its working memory."""
