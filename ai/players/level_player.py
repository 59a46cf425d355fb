"""A player at a level of strength: it plays a needed move, or one of those about as good."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ai.game import Board, Move, Position, Rule, Rules, open_board
from ai.players.base import Limit, MoveChoice
from ai.players.explanation import Explanation, LevelChoice
from ai.players.levels import Level, allowed, draw
from ai.search.needed import NeededMoves

EXACT_RULES: Final = (Rule.FREESTYLE, Rule.STANDARD)
"""Rules under which needed moves are known without a search."""


def is_exact(rules: Rules) -> bool:
    """Return whether needed moves are known without a search in games of these rules."""
    return rules.is_plain and rules.rule in EXACT_RULES


@dataclass(frozen=True, slots=True)
class Compared:
    """What a search found of the moves that it compared."""

    values: Mapping[Move, float]
    """Value of each move for the side to move, from -1 to 1."""
    explanation: Explanation
    policy: NDArray[np.float32] | None = None
    """`[points]` probabilities by the search; None if it has none."""


Compare = Callable[[Board, Limit, np.random.Generator, tuple[Move, ...]], Compared]
"""Function that compares moves of a position: those given as needed, or the best of all."""


class LevelPlayer:
    """Plays at a level; explained by `LevelChoice`.

    Its move depends on the position, the level and the seed, not on earlier moves.

    Args:
        level: the level.
        rules: rules of all games.
        compare: function that searches a position within a limit and compares its moves.
        own: greatest number of nodes by the player's own setting; None for none.
    """

    def __init__(
        self, level: Level, rules: Rules, compare: Compare, *, own: int | None = None
    ) -> None:
        self.name = level.player
        self._level = level
        self._compare = compare
        self._own = own
        self._needed = NeededMoves(rules) if is_exact(rules) else None

    def choose(self, board: Position, limit: Limit, rng: np.random.Generator) -> MoveChoice:
        """Choose a move within the level; see `Player.choose`."""
        board = open_board(board)
        level = self._level
        needed = () if self._needed is None else self._needed.find(board, level.sight)
        if len(needed) == 1:
            return MoveChoice(needed[0], explanation=LevelChoice(level.number))
        found = self._compare(board, level.within(limit, self._own), rng, needed)
        moves = allowed(found.values, level.margin)
        move = draw(moves, rng)
        said = LevelChoice(level.number, len(moves), level.margin, instead=found.explanation)
        return MoveChoice(move, value=found.values[move], policy=found.policy, explanation=said)

    def close(self) -> None:
        """Do nothing: no resources are held."""
