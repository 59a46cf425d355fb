"""Budget of a running kernel: a count of positions, and a stop flag set from outside.

A search kernel calls `may_go_on` before each position or batch of positions. Kernels run without
the interpreter's lock, so that another thread can set the flag meanwhile.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from ai.kernels.jit import INT, Record, kernel

CLOCK: Final = np.dtype(
    [
        ("nodes", np.int64),  # positions looked at
        ("node_limit", np.int64),
        ("is_stopped", np.int64),  # 1: the time is over
    ],
    align=True,
)
"""Record of the budget of one move."""

UNLIMITED: Final = 1 << 62
"""Node limit of a kernel without a limit."""


@kernel(CLOCK, INT, returns=INT)
def may_go_on(clocks: Record, nodes: int) -> int:
    """Return 1 while the budget allows `nodes` more positions, else 0.

    It returns 0, too, if the stop flag is set. The caller itself must add the positions to the
    budget's count.

    Args:
        clocks: the budget of the move, a record `CLOCK`.
        nodes: number of positions about to be searched.
    """
    clock = clocks[0]
    if clock.is_stopped != 0:
        return 0
    return 1 if clock.nodes + nodes <= clock.node_limit else 0
