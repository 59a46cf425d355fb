"""Players' answers in openings: their own plan, or else a plan by their values of positions.

The document of the swap2 rules describes no policy, so this one is ours. To place stones, a few
random placements are compared, and the most even one is played. To choose, the better color is
taken; if both are about equal, two more stones are placed. If a player gives no values, they come
from a search one move ahead that counts open lines.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from ai.evaluators.base import LineEvaluator
from ai.game import (
    EMPTY,
    Choice,
    IllegalMoveError,
    Move,
    OpeningKind,
    OpeningPhase,
    Position,
    Said,
    as_board,
    balanced_stones,
    from_centre,
)
from ai.players.base import ChoosesOpenings, Limit, Player
from ai.search import alpha_beta

CANDIDATES: Final = 4
"""Number of random placements of stones that are compared; each costs a search."""
EVEN: Final = 0.05
"""Values closer to 0 than this count as even."""
REACH: Final = 4
"""Maximum distance of random stones from the centre, in points."""


def answer_opening(
    player: Player, phase: OpeningPhase, board: Position, limit: Limit, rng: np.random.Generator
) -> tuple[Said, ...]:
    """Return a player's answer in an opening that is not over: one choice, or all its stones.

    Args:
        player: the player that decides now.
        phase: state of the opening.
        board: position with the opening's stones; unchanged on return.
        limit: budget of the answer.
        rng: the only source of randomness; its state changes.

    Raises:
        IllegalMoveError: the player's own plan breaks the opening's rules.
    """
    said = _own_plan(player, phase, board, limit, rng)
    after = phase
    for step in said:
        after = after.after(step)
    wanted = phase.stones_wanted or 1
    if len(said) != wanted:
        raise IllegalMoveError(f"{player.name}: expected {wanted} in the opening, found {said!r}")
    return said


def _own_plan(
    player: Player, phase: OpeningPhase, board: Position, limit: Limit, rng: np.random.Generator
) -> tuple[Said, ...]:
    """Return the answer by the player's own plan, or by `plan_by_value` if it has no plan.

    Args:
        player: the player that decides now.
        phase: state of the opening.
        board: the position.
        limit: budget of the answer.
        rng: random generator; its state changes.
    """
    if isinstance(player, ChoosesOpenings):
        return player.choose_opening(phase, board, limit, rng)
    return plan_by_value(player, phase, board, limit, rng)


def plan_by_value(
    player: Player, phase: OpeningPhase, board: Position, limit: Limit, rng: np.random.Generator
) -> tuple[Said, ...]:
    """Return an answer in an opening that follows from the player's values of positions.

    See `answer_opening`.

    Args:
        player: the player that decides now.
        phase: state of the opening.
        board: position with the opening's stones; unchanged on return.
        limit: budget of the answer.
        rng: random generator; its state changes.
    """
    if phase.choices:
        return (_choose(phase, _value(player, board, limit, rng)),)
    if phase.kind in (OpeningKind.PRO, OpeningKind.LONG_PRO):
        return (_one_stone(player, phase, board, limit, rng),)
    share = replace(limit, seconds=limit.seconds and limit.seconds / CANDIDATES)
    drawn = [_draw(phase, board, rng) for _ in range(CANDIDATES)]
    values = [abs(_value_after(player, board, stones, share, rng)) for stones in drawn]
    return drawn[int(np.argmin(values))]


def _choose(phase: OpeningPhase, value: float) -> Choice:
    """Return the choice in the opening that fits a value.

    Args:
        phase: state of the opening.
        value: value in [-1, 1] for the side to move, which is White.
    """
    if abs(value) < EVEN and Choice.TWO_MORE in phase.choices:
        return Choice.TWO_MORE
    return Choice.WHITE if value >= 0 else Choice.BLACK


def _one_stone(
    player: Player, phase: OpeningPhase, board: Position, limit: Limit, rng: np.random.Generator
) -> Move:
    """Return where to place the next stone of an opening: the player's move, if it is allowed.

    If only one point is allowed, the player is not asked. If its move is not allowed, a random one
    of the allowed points nearest to the centre is returned.

    Args:
        player: the player that decides now.
        phase: state of the opening.
        board: the position.
        limit: budget of the answer.
        rng: random generator; its state changes.
    """
    points = phase.points(board.stones)
    if len(points) == 1:
        return next(iter(points))
    move = int(player.choose(board, limit, rng).move)
    if move in points:
        return move
    nearest = sorted(points, key=lambda point: (from_centre(board.rules, point), point))
    least = from_centre(board.rules, nearest[0])
    ring = [point for point in nearest if from_centre(board.rules, point) == least]
    return ring[int(rng.integers(len(ring)))]


def _draw(phase: OpeningPhase, board: Position, rng: np.random.Generator) -> tuple[Move, ...]:
    """Draw the stones that are to be placed now, at random near the centre.

    At the start of an opening they are those of a balanced opening, if the board is large enough.

    Args:
        phase: state of the opening.
        board: the position.
        rng: random generator; its state changes.
    """
    if not phase.said and min(phase.rules.size, phase.rules.rows) > 2 * REACH:
        return balanced_stones(phase.rules, int(rng.integers(1 << 16)))
    empty = [point for point, color in enumerate(board.stones) if color == EMPTY]
    near = [point for point in empty if from_centre(board.rules, point) <= REACH]
    drawn = rng.choice(near, phase.stones_wanted, replace=False)
    return tuple(int(point) for point in drawn)


def _value_after(
    player: Player,
    board: Position,
    stones: tuple[Move, ...],
    limit: Limit,
    rng: np.random.Generator,
) -> float:
    """Return a position's value in [-1, 1] for the side to move after placing more stones.

    Args:
        player: the player.
        board: the position; unchanged on return.
        stones: points of the stones in the order of play.
        limit: budget of the search.
        rng: random generator; its state changes.
    """
    for stone in stones:
        board.push(stone)
    value = _value(player, board, limit, rng)
    for _ in stones:
        board.pop()
    return value


def _value(player: Player, board: Position, limit: Limit, rng: np.random.Generator) -> float:
    """Return a position's value in [-1, 1] for the side to move.

    It is the player's value. If the player gives none, it is that of a search one move ahead that
    counts open lines.

    Args:
        player: the player.
        board: the position.
        limit: budget of the search.
        rng: random generator; its state changes.
    """
    own = player.choose(board, limit, rng).value
    if own is not None:
        return own
    lent = as_board(board)
    found = alpha_beta.search(lent, LineEvaluator(lent.rules), Limit(nodes=1), rng, depth=1)
    return found.value
