"""SWAP2BOARD as the opening swap2: the stones that it tells, and what a player answers to it.

What a player says is decided where it is for every other game, in `ai.session.opening`: by its own
plan, else by the values that it sees in positions. Here that is put in the protocol's words: Black
is taken by SWAP, White by White's move, and two more stones are their points.
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
"""Returns the limit of a question that may take this share (0 to 1) of the answer's time."""


class QuickPlayer:
    """Plays quick moves and finds both sides equal: answers where a player has no time for it."""

    name = "quick"

    def choose(self, board: Position, limit: Limit, rng: np.random.Generator) -> MoveChoice:
        """Return a quick move, whatever the limit."""
        return MoveChoice(quick_move(board), value=0.0)

    def close(self) -> None:
        """Do nothing: no resources are held."""


def phase_of(position: Position) -> OpeningPhase:
    """Return the opening with the stones that SWAP2BOARD tells: none, three or five.

    Raises:
        RulesError: the board has no swap2.
    """
    stones = tuple(position.moves)
    more: tuple[Said, ...] = (Choice.TWO_MORE,) if len(stones) > 3 else ()
    return OpeningPhase(position.rules, OpeningKind.SWAP2, (*stones[:3], *more, *stones[3:]))


def answer(
    player: Player, position: Position, budget: Budget, rng: np.random.Generator
) -> Coordinates | Swap:
    """Return a player's answer to SWAP2BOARD.

    Args:
        player: the one that is asked.
        position: without a stone, or with three or five; unchanged on return.
        budget: gives the player its time. A choice takes half of it, what follows the rest.
        rng: the only source of randomness; consumed.

    Raises:
        IllegalMoveError: what the player says breaks the opening's rules, or its move is illegal.
        RulesError: the board has no swap2.
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


__all__ = ["Budget", "QuickPlayer", "answer", "phase_of"]
