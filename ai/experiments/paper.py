"""Numbers stated in the self-teaching paper; its curves are known only from its figures.

Sections 4.3 to 4.5. The node counts are totals of eight different runs, each with its own losses.
"""

from __future__ import annotations

from typing import Final

GAMES: Final = 600
ALL_WINS_FROM: Final = 525
"""Condition (c), four records: "all the wins were observed from the 525th data"."""

_DISTANCES: Final = ("none", "5", "10", "15", "20", "25", "30")
ANN_NODES: Final = dict(zip(_DISTANCES, (1000, 874, 633, 448, 217, 78, 50), strict=True))
"""Figure 10, four records: nodes at the end by condition."""

RANK_COUNTS: Final = (3483, 1693, 751, 472, 322, 1377)
"""Figure 14: how often the first to fifth best answer was played, then all others together."""

WHITE_MOVES_A_GAME: Final = sum(RANK_COUNTS) / GAMES
"""White's moves per game, 13.5: the paper's games last about 27 plies."""

LETTERS: Final = dict(zip(("no-relearn", *_DISTANCES), "abcdefgh", strict=True))
"""Panels of figures 6 to 9."""

WIN_FIGURES: Final = {4: 6, 3: 7, 2: 8, 1: 9}
NODE_FIGURES: Final = {4: 10, 3: 11, 2: 12, 1: 13}
RANK_FIGURE: Final = 14
"""Numbers of its figures by records walked back."""


def node_share(alpha: str) -> float:
    """Return the paper's nodes at a distance as a share of those without merging.

    >>> node_share("5")
    0.874
    """
    return ANN_NODES[alpha] / ANN_NODES["none"]
