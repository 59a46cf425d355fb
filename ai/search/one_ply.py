"""One-ply search: complete a row, else block one, else use the evaluator's policy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from ai.evaluators.base import Evaluator
from ai.game import Board, Move
from ai.search.base import Limit, SearchClock, SearchResult

Reason: TypeAlias = Literal["win", "stop", "any"]


@dataclass(frozen=True, slots=True)
class OnePlyResult(SearchResult):
    """Result of a one-ply search, with the reason of the move."""

    reason: Reason
    """Effect of the move: completes a row, blocks one, or neither."""
    points: tuple[Move, ...]
    """The equally good moves from which the move was drawn."""


def search(
    board: Board,
    evaluator: Evaluator,
    limit: Limit,
    rng: np.random.Generator,
    *,
    attention: float = 1.0,
) -> OnePlyResult:
    """Complete a row, else block the opponent's, else play the best move of the evaluator.

    Args:
        board: position of an unfinished game; unchanged on return.
        evaluator: its policy decides if no row can be completed or blocked.
        limit: budget of the look for rows; moves that it does not reach count as neither completing
            nor blocking a row.
        rng: draws whether rows are looked for, then among equal moves; its state changes.
        attention: probability with which rows are looked for at all.
    """
    clock = SearchClock(limit)
    points: list[Move] = []
    reason: Reason = "any"
    value = 0.0
    if rng.random() < attention:
        own, others = _completing_moves(board, clock)
        if own or others:
            reason, points = ("win", own) if own else ("stop", others)
            value = 1.0 if own else 0.0
    if not points:
        evaluation = evaluator.evaluate((board,))
        shares = evaluation.policy[0].tolist()
        most = max(shares)
        points = [move for move in board.legal_moves if shares[move] == most]
        value = float(evaluation.value[0])
    move = points[int(rng.integers(len(points)))]
    policy = np.zeros(board.rules.points, np.float32)
    policy[points] = 1.0 / len(points)
    return OnePlyResult(
        move=move,
        value=value,
        policy=policy,
        visits=np.zeros(board.rules.points, np.int64),
        principal_variation=(move,),
        nodes=clock.nodes,
        reason=reason,
        points=tuple(points),
    )


def _completing_moves(board: Board, clock: SearchClock) -> tuple[list[Move], list[Move]]:
    """Return the moves that complete a row of the side to move, and those for the other side.

    Moves that the clock's limit does not reach are left out.

    Args:
        board: the position.
        clock: clock of the move.
    """
    own, others = [], []
    for move in board.legal_moves:
        if board.completes_row(move, board.to_move):
            own.append(move)
        if board.completes_row(move, -board.to_move):
            others.append(move)
        if clock.spend():
            break
    return own, others
