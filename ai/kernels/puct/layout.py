"""Memory layout of the search guided by a policy-value network.

The board is that of the tree search (`ai.kernels.tree.layout`); its region is the whole board. The
nodes are `PUCT_NODE` of `ai.kernels.tree.nodes`.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from ai.kernels.tree.layout import POINTS

MAX_BATCH: Final = 64
"""Greatest number of leaves that wait for the network at once."""
PATH: Final = POINTS + 1
"""Greatest number of nodes on the way from the root to a leaf, both included."""
PLANES: Final = 3
UNKNOWN: Final = 2.0
"""Stands for a value that is not certain; certain values lie between -1 and 1."""

PUCT: Final = np.dtype(
    [
        ("exploration", np.float64),  # c of U = c P sqrt(N of the parent) / (1 + N)
        ("decay", np.float64),  # a value's share that is left one ply up
        ("virtual_loss", np.float64),  # taken from W while a leaf below waits
        ("reduction", np.float64),  # of the parent's value, for moves without visits; below 0: they
        # are worth 0
        ("is_forced", np.int64),  # 1: fives are taken, fours answered, whatever the shares
        ("leaf_fours", np.int64),  # fours tried in each leaf for a win by fours, at most; 0: none
        ("size", np.int64),
        ("last", np.int64),  # cell of the game's last move, -1: none
        ("root", np.int64),
        ("used", np.int64),  # nodes of the tree
        ("capacity", np.int64),
        ("deepest", np.int64),  # plies, of this search
        # the leaves that wait
        ("batch", np.int64),  # how many may
        ("count", np.int64),  # how many do
        ("ended", np.int64),  # simulations of the last collection that met an end
        ("collisions", np.int64),  # of this search: leaves met that were waiting already
        ("leaves", np.int32, MAX_BATCH),
        ("depths", np.int32, MAX_BATCH),
        ("sides", np.int8, MAX_BATCH),  # to move
        ("forced", np.int16, MAX_BATCH),  # cell of the only move, 0: none
        ("known", np.float64, MAX_BATCH),  # value of a forced position, UNKNOWN: ask the network
        ("paths", np.int32, (MAX_BATCH + 1) * PATH),  # [leaf * PATH + depth]: nodes, the root first
    ],
    align=True,
)
"""Layout of a search's record: settings, size of the tree, and leaves that wait for the network."""
