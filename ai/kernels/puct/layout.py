"""Memory layout of the search guided by a policy-value network.

A node stands for the edge that leads to it: its visits N, mean value Q and total value W are those
of the move, seen by the side that made it; its prior P is the network's. The board is the tree
search's (`ai.kernels.tree.layout`), all of it open.
"""

from __future__ import annotations

from collections import defaultdict
from types import SimpleNamespace
from typing import Any, Final

import numpy as np

from ai.kernels.jit import is_jit_enabled
from ai.kernels.tree.layout import POINTS

MAX_BATCH: Final = 64
"""Leaves that wait for the network at once, at most."""
PATH: Final = POINTS + 1
"""Nodes of a path, at most."""
PLANES: Final = 3
UNKNOWN: Final = 2.0
"""Marks a position whose value is not certain."""

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
"""A search: its settings, its tree's extent, and the leaves that wait for the network."""

NODE: Final = np.dtype(
    [
        ("prior", np.float64),
        ("total", np.float64),
        ("mean", np.float64),  # total / visits, 0 without visits
        ("known", np.float64),  # value of the position for its side to move where it is sure, else
        # UNKNOWN; nothing below it is searched
        ("visits", np.int32),
        ("first", np.int32),  # first of its children, 0: none yet
        ("children", np.int16),
        ("cell", np.int16),
        ("winner", np.int16),  # of a position that is over, else UNDECIDED; set at the first visit
        ("is_expanding", np.int16),  # 1: waits for the network, is on the expanding list
    ],
    align=True,
)
"""A node of the tree; the children of one stand side by side, in the order of their points."""


def new_nodes(capacity: int) -> Any:
    """Return zeroed nodes; their memory is taken when they are used.

    The twin's nodes are created lazily.
    """
    if is_jit_enabled():
        return np.zeros(capacity, NODE)
    zeros = {name: NODE[name].type().item() for name in NODE.names or ()}
    return defaultdict(lambda: SimpleNamespace(**zeros))
