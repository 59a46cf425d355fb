"""Memory of the search for continuous fours."""

from __future__ import annotations

from typing import Final

import numpy as np

MAX_FOURS: Final = 48
"""Fours in a row that are looked ahead, at most."""
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
"""One search."""
