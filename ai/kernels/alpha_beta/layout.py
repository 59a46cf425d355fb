"""Memory of the alpha-beta search for five in a row.

A *level* is the number of plies below the root. The score of a move is *packed* into one integer.
Its lowest bits hold the plain score, those above it four counts: the fours and the open threes that
a stone there makes, and those of the other side that it prevents.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from ai.kernels.layout import CLASSES, POINTS
from ai.kernels.line_codes import KEYS, ROWS

LEVELS: Final = 64
"""Number of levels; the search goes no deeper."""
WIDTH: Final = 96
"""Greatest number of moves listed for a position."""
WIN: Final = 1_000_000
"""Score of a win at ply 0 of the game; a win at ply n scores n less. No evaluation reaches it."""
LONGEST: Final = 500
LIKELY: Final = WIN // 2
"""Score at ply 0 of a win that is likely but not certain; at ply n it is n less.

The other side loses by each answer that was searched, but not every answer was.
"""
UNDECIDED: Final = 2_000_000
"""Returned instead of a score: the position must be searched."""

SCORE_BITS: Final = 24
OWN_FOURS: Final = 24
OWN_THREES: Final = 28
OTHER_FOURS: Final = 32
OTHER_THREES: Final = 36
"""Bit at which the last of the four counts in a packed move score begins.

The others begin at `OWN_FOURS`, `OWN_THREES` and `OTHER_FOURS`. Each count has four bits.
"""

DOUBLE_FOUR: Final = 60_000
FOUR_AND_THREE: Final = 40_000
DOUBLE_THREE: Final = 12_000
"""Bonus in move ordering for a stone that prevents two open threes of the other side.

`FOUR_AND_THREE` is that for a four and an open three, `DOUBLE_FOUR` that for two fours. A stone
that makes such a pair of threats gets twice the bonus.
"""

EXACT: Final = 0
LOWER: Final = 1
UPPER: Final = 2
BUCKET: Final = 4
"""Number of entries of a bucket; one bucket fills a line of the processor's cache."""
ENTRY_BYTES: Final = 16
"""Bytes of an entry, two words: the position's key xor the packed result, and the result."""
MOVE_BITS: Final = 10
DEPTH_BITS: Final = 8
SCORE_AND_BOUND_BITS: Final = 24
AGES: Final = 64
"""Number of different ages that a table entry can have.

An entry's age is the number of stones on the board when its search began; after the last age it
begins again at 0.
"""

MOST_FEATURES: Final = 32
"""Greatest number of learned numbers for a line through a point, as one side sees the line."""
MOST_WIDE: Final = 2 * MOST_FEATURES
"""Greatest number of learned numbers for a line through a point: as Black sees it, then White."""
MOST_UNITS: Final = 32
"""Greatest number of hidden units of the head, the small network at the end of the evaluation."""
STAGES: Final = 8
"""Number of stages of a game; the head has biases and a scale for each.

A stage lasts `STAGE_PLIES` plies, the last one to the end of the game.
"""
STAGE_PLIES: Final = 8
SCALE_SHIFT: Final = 8
"""Number of bits after the binary point in the scale of a stage."""
UNIT_SHIFT: Final = 7
HEAD_SHIFT: Final = 12
"""Number of bits after the binary point in the numbers of the evaluation's head.

`UNIT_SHIFT` is that of the learned vectors.
"""
HOPE_SHIFT: Final = 8
"""Number of bits after the binary point in the logits of the learned move ordering."""
THREATS: Final = 81
"""Number of threat classes: classes of moves by the threats that they make or prevent.

A class combines four counts: fours and open threes that the stone makes, and those of the other
side that it prevents. Each count is 0, 1, or 2 for two and more.
"""

TUNING: Final = (
    "learned",  # 1: the learned part is added to the evaluation
    "fours",  # node limit of the search for fours at a leaf; 0: none
    "inner_fours",  # the same, for each ply of depth that is left at an inner position
    "width_base", "width_step", "width_most",  # moves looked at: base, for each ply, at most
    "futility", "futility_depth",  # score for each ply that a quiet move may lack
    "reverse", "reverse_depth",  # score for each ply by which a position is good enough
    "razor", "razor_depth",  # score for each ply that a position may lack
    "count_base", "count_step", "count_depth",  # quiet moves searched: base, for each ply
    "null_depth", "null_less", "null_slope",  # least depth of a passed turn, plies less, depth / n
    "is_reduced",  # 1: by the table of reductions
    "counter", "continuation_share", "malus",
    "policy",  # score of a logit of the learned order; 0: the order by patterns alone
    "policy_less", "policy_even",  # hundredths of a ply for a logit behind the best, beyond so many
    "policy_count",  # places for two logits behind the best, of quiet moves that are counted
    "count_worse",  # percent of these places where the evaluation has not grown since the last turn
    "blind_depth",  # least depth that is one less without a move of the table
    "is_table_used",  # 1: a score of the table is a better evaluation
    "history_less",  # hundredths of a ply for each 1,000 of a quiet move's histories
    "stand_pat",  # 1: no search for fours at a leaf whose evaluation is at least beta
    "count_threats",  # 1: late threats are left out by their place, too, but for fours
    "doubt",  # 1: a loss is only a likely one if not every answer was searched
    "lazy",  # score by which the patterns alone settle a leaf without the learned part; 0: never
)  # fmt: skip
"""Names of the parameters of a search version; 0 switches a part of the search off."""

TREE: Final = np.dtype(
    [
        ("moves", np.int16, LEVELS * WIDTH),  # [level, place]
        ("orders", np.int64, LEVELS * WIDTH),  # packed scores of these moves
        ("kinds", np.int64, LEVELS * WIDTH),  # their fours and open threes, 0 for quiet moves
        ("played", np.int64, LEVELS),  # the move in hand of each level, -1 for none
        ("best", np.int64, LEVELS),  # score found so far
        ("best_moves", np.int16, LEVELS),
        ("is_whole", np.int64, LEVELS),  # 1: every move that was not listed loses
        ("floors", np.int64, LEVELS),  # score to exceed
        ("evals", np.int64, LEVELS),  # evaluation of each level's position
        ("likely", np.int64, LEVELS),  # the same, or what the table says better
        ("hopes", np.int64, LEVELS * WIDTH),  # learned logits of these moves
        ("most_hope", np.int64, LEVELS),  # of each level
        ("killers", np.int16, 2 * LEVELS),
        ("history", np.int64, 2 * POINTS),  # [side, move]
        ("counters", np.int16, 2 * POINTS),  # [side, move]: what answered it last, plus 1
        ("continuation", np.int32, 2 * POINTS * POINTS),  # [side, last move, move]
        ("reductions", np.int64, LEVELS * WIDTH),  # [depth, place]: in hundredths of a ply
        ("lines", np.int16, LEVELS * LEVELS),  # [level]: principal variation from there
        ("lengths", np.int64, LEVELS),
        ("packed", np.int64, 2 * 256),  # [side, line classes]: see above
        ("weights", np.int64, 2 * CLASSES),  # of points: the mover's, the other side's
        ("tempo", np.int64),
        ("rows", np.int16, KEYS),  # of line keys
        ("vectors", np.float32, ROWS * MOST_WIDE),  # [row, view]: whole numbers, as all below
        ("order_lines", np.int16, 2 * ROWS),  # [side, row]: logits of a move there
        ("order_threats", np.int16, THREATS),  # the same by what it makes and denies
        ("features", np.int64),  # learned numbers of a line for one side
        ("zero", np.float32),
        ("sums", np.float32, LEVELS * MOST_WIDE),  # [level, view]: over the empty points
        ("units", np.int64),
        ("hidden", np.float64, MOST_WIDE * MOST_UNITS),  # [view of the mover, then other; unit]
        ("hidden_biases", np.float64, STAGES * MOST_UNITS),  # [stage, unit]
        ("values", np.float64, MOST_UNITS),  # of the units, for the position in hand
        ("head", np.int64, MOST_UNITS),
        ("straight", np.float64, MOST_WIDE),
        ("head_biases", np.int64, STAGES),
        ("scales", np.int64, STAGES),  # of the whole evaluation
        ("logit", np.int64),  # score of one
        *((name, np.int64) for name in TUNING),
        ("full_score", np.int64),  # of a full board, for Black: 1, 0 or -1
        ("age", np.int64),  # of this move's entries, below AGES
        ("is_cut", np.int64),  # 1: the limit ended the search
        # the root
        ("count", np.int64),
        ("roots", np.int16, POINTS),
        ("scores", np.int64, POINTS),  # of the roots, by place
        ("visits", np.int64, POINTS),
        ("finished", np.int64),  # roots searched in the last call
        ("low", np.int64),  # of the window in which the best score is expected
        ("high", np.int64),
        ("missed", np.int64),  # -1: the best score is at most low, 1: at least high, 0: within
    ],
    align=True,
)
"""Record of one search: its settings and its working memory."""
