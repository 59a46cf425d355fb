"""The minimax-q player: plays forced moves, or else searches.

The search scores the possible moves and updates these scores by what follows them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, cast

import numpy as np

from ai.evaluators.five_rows import FiveRowEvaluator
from ai.game import Position, Rules, open_board, random_centre_point
from ai.kernels.position import KernelPosition
from ai.players.base import Limit, MoveChoice
from ai.players.explanation import ForcedMove, Opening, RootScores
from ai.players.published.default_policy import DefaultPolicy
from ai.search import minimax_q
from base.schema import Option, OptionValue

CROSS: Final = "cross"
FULL: Final = "full"
SCORED: Final = "scored"
FIRST: Final = "first"

SETTINGS: Final = (
    Option(
        "default_policy",
        True,
        help="make five, stop a five, stop an open four, before any search",
    ),
    Option(
        "make_open_four",
        False,
        help="with the default policy: make an own open four before stopping one",
    ),
    Option(
        "blocking_point",
        SCORED,
        choices=(SCORED, FIRST),
        help="which point stops a row: the one that makes and denies most, or the first",
    ),
    Option("alpha", minimax_q.ALPHA, 0.0, 1e3, help="learning rate of the root scores"),
    Option("gamma", minimax_q.GAMMA, 0.0, 1.0, help="discount of each layer below a root"),
    Option(
        "depth",
        minimax_q.DEPTH,
        1,
        minimax_q.MAX_DEPTH,
        help="layers of stones, the root's counted",
    ),
    Option(
        "update",
        minimax_q.UPDATES[0],
        choices=minimax_q.UPDATES,
        help="which stones below change a root's score: the best for who puts it, their mean, all",
    ),
    Option(
        "sign",
        minimax_q.SIGNS[0],
        choices=minimax_q.SIGNS,
        help="alternating: the other side's gains count against a root; same: all gains count for "
        "it",
    ),
    Option(
        "evaluation",
        CROSS,
        choices=(CROSS, FULL),
        help="cross: scan the four lines through a stone; full: scan the board; same moves",
    ),
)


class MinimaxQPlayer:
    """Plays the default policy's forced move, or else the point with the best score of the search.

    Moves of the search are explained by `RootScores`.
    """

    name = "minimax-q"

    def __init__(self, rules: Rules, settings: Mapping[str, OptionValue]) -> None:
        self.rules = rules
        self._evaluator = FiveRowEvaluator(rules, scans_all=settings["evaluation"] == FULL)
        self._position = KernelPosition(rules)
        self._policy = (
            DefaultPolicy(
                rules,
                makes_open_four=bool(settings["make_open_four"]),
                takes_first=settings["blocking_point"] == FIRST,
            )
            if settings["default_policy"]
            else None
        )
        self._alpha = cast("float", settings["alpha"])
        self._gamma = cast("float", settings["gamma"])
        self._depth = cast("int", settings["depth"])
        self._update = cast("minimax_q.Update", settings["update"])
        self._sign = cast("minimax_q.Sign", settings["sign"])

    def choose(self, board: Position, limit: Limit, rng: np.random.Generator) -> MoveChoice:
        """Choose by the default policy or else the search; see `Player.choose`.

        Each point that is scored counts as one position of the limit.
        """
        board = open_board(board)
        if board.stone_count == 0:
            return MoveChoice(random_centre_point(self.rules, rng), explanation=Opening())
        if self._policy is not None:
            self._position.follow(board)
            forced = self._policy.find(self._position)
            if forced is not None:
                return _forced_choice(self.rules, *forced)
        found = minimax_q.search(
            board,
            self._evaluator,
            limit,
            rng,
            alpha=self._alpha,
            gamma=self._gamma,
            depth=self._depth,
            update=self._update,
            sign=self._sign,
        )
        explanation = RootScores(
            root_scores=tuple(found.scores.items()),
            first_scores=tuple(found.first_scores.items()),
            nodes=found.nodes,
            finished=found.finished,
        )
        return MoveChoice(
            found.move, value=found.value, policy=found.policy, explanation=explanation
        )

    def close(self) -> None:
        """Do nothing: no resources are held."""


def _forced_choice(rules: Rules, move: int, said: ForcedMove) -> MoveChoice:
    """Return a forced move as a choice; its policy gives equal shares to all points of the rule.

    Args:
        rules: rules of the game.
        move: the chosen point.
        said: explanation with all points that the rule allowed.
    """
    policy = np.zeros(rules.points, np.float32)
    policy[list(said.forced_points)] = 1.0 / len(said.forced_points)
    return MoveChoice(move, policy=policy, explanation=said)


create: Final = MinimaxQPlayer
"""Creates the player; the registry calls it with the rules and the values of all settings."""
