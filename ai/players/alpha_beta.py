"""The alpha-beta player: minimax to a depth, exact for games as small as tic-tac-toe."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, cast

import numpy as np

from ai.game import Board, GameOverError, Rules
from ai.players.base import Limit, MoveChoice
from ai.players.settings import Setting, SettingValue
from ai.search.alpha_beta import LONGEST_GAME, WIN, AlphaBeta

SETTINGS: Final = (
    Setting(
        "depth",
        9,
        1,
        LONGEST_GAME,
        help="plies looked ahead at most; 9 and no bound on the nodes play tic-tac-toe perfectly",
    ),
    Setting(
        "nodes",
        3000,
        1,
        help="positions that one move may cost; none: no bound",
        optional=True,
    ),
)


class AlphaBetaPlayer:
    """Draws one of the moves with the best score.

    The explanation holds `scores`: every legal move with its score as [move, score]
    pairs, the best first, `nodes` (positions looked at) and `depth` (plies reached).
    """

    name = "alpha-beta"

    def __init__(self, rules: Rules, settings: Mapping[str, SettingValue]) -> None:
        self._depth = cast("int", settings["depth"])
        self._nodes = cast("int | None", settings["nodes"])
        self._search = AlphaBeta(rules)

    def choose(self, board: Board, limit: Limit, rng: np.random.Generator) -> MoveChoice:
        """Search and draw; of the limit, only the nodes are looked at. See `Player.choose`."""
        if board.outcome() is not None:
            raise GameOverError(f"expected a game that goes on, found {board.outcome()}")
        bounds = [bound for bound in (self._nodes, limit.nodes) if bound is not None]
        node_limit = int(min(bounds)) if bounds else None
        found = self._search.search(board, self._depth, node_limit=node_limit)
        best = found.best
        move = best[int(rng.integers(len(best)))]
        score = found.scores[move]
        ranked = sorted(found.scores.items(), key=lambda item: -item[1])
        return MoveChoice(
            move,
            value=_to_value(score),
            explanation={
                "scores": [[point, value] for point, value in ranked],
                "nodes": found.nodes,
                "depth": found.depth,
            },
        )

    def close(self) -> None:
        """Nothing is held."""


def _to_value(score: int) -> float:
    """Squash a score into [-1, 1]; only a game that is won is worth 1."""
    if abs(score) > WIN - LONGEST_GAME - 1:
        return 1.0 if score > 0 else -1.0
    return score / (abs(score) + 20.0)


def create(rules: Rules, settings: Mapping[str, SettingValue]) -> AlphaBetaPlayer:
    """Build the player: the registry's factory."""
    return AlphaBetaPlayer(rules, settings)
