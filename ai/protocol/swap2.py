"""The command SWAP2BOARD: translates the answers of our opening swap2 to the protocol.

`ai.session.opening` computes the answer: the player's own plan, or a plan by the values of
positions. SWAP means taking Black. One point means keeping White and playing there. Two points mean
two more stones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from ai.game import Choice, IllegalMoveError, OpeningKind, OpeningPhase, Position, Said
from ai.players.base import Limit, MoveChoice, Player
from ai.protocol.messages import Coordinates, Swap
from ai.protocol.table import point_of
from ai.protocol.thinker import quick_move
from ai.session.opening import answer_opening

Budget: TypeAlias = Callable[[float], Limit]
"""Function that returns the limit of a search for a share (0 to 1) of the answer's time."""


class QuickPlayer:
    """Player without a search, used when there is no time: quick moves, every value is even."""

    name = "quick"

    def choose(self, board: Position, limit: Limit, rng: np.random.Generator) -> MoveChoice:
        """Return a move by a quick rule; `limit` is ignored."""
        return MoveChoice(quick_move(board), value=0.0)

    def close(self) -> None:
        """Do nothing: no resources are held."""


def phase_of(position: Position) -> OpeningPhase:
    """Return the state of the opening swap2 in a position with no, three or five stones.

    Raises:
        RulesError: swap2 is not possible on this board.
    """
    stones = tuple(position.moves)
    more: tuple[Said, ...] = (Choice.TWO_MORE,) if len(stones) > 3 else ()
    return OpeningPhase(position.rules, OpeningKind.SWAP2, (*stones[:3], *more, *stones[3:]))


def answer(
    player: Player, position: Position, budget: Budget, rng: np.random.Generator
) -> Coordinates | Swap:
    """Return a player's answer to SWAP2BOARD.

    Args:
        player: the player to ask.
        position: position with no, three or five stones; unchanged on return.
        budget: returns the search limit for a share of the time. A choice gets half of the time,
            the stones after it the rest.
        rng: the only source of random numbers.

    Raises:
        IllegalMoveError: the player's answer breaks the rules of the opening, or its move is
            illegal.
        RulesError: swap2 is not possible on the board.
    """
    phase = phase_of(position)
    share = 0.5 if phase.choices else 1.0
    said = answer_opening(player, phase, position, budget(share), rng)
    if said == (Choice.BLACK,):
        return Swap()
    if said == (Choice.WHITE,):
        move = int(player.choose(position, budget(1.0), rng).move)
        if move not in position.legal_moves:
            raise IllegalMoveError(f"{player.name}: expected a legal move, found {move}")
        said = (move,)
    elif said == (Choice.TWO_MORE,):
        said = answer_opening(player, phase.after(Choice.TWO_MORE), position, budget(1.0), rng)
    points = (int(stone) for stone in said if not isinstance(stone, Choice))
    return Coordinates(tuple(point_of(point, position.rules) for point in points))
