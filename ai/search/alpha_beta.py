"""Minimax with alpha-beta pruning on any board: exact near the end, a count of lines before it.

Negamax over `Board`, fail-soft (Knuth, Moore 1975), with a table of positions and moves
tried from the middle outward. Made for small games: a few ten thousand positions a second.
"""

from __future__ import annotations

from enum import Enum
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ai.game import Board, Move, Rules
from ai.game.lines import windows

WIN: Final = 1_000_000
"""Score of a won game, less the plies until then; beyond any count of lines."""
LONGEST_GAME: Final = 400
_MOST_ENTRIES: Final = 400_000


class SearchStoppedError(RuntimeError):
    """The search looked at as many positions as it may."""


class _Bound(Enum):
    EXACT = 0
    LOWER = 1
    UPPER = 2


class _Entry(NamedTuple):
    depth: int
    score: int
    bound: _Bound
    move: Move | None

    def settles(self, alpha: int, beta: int) -> bool:
        """Tell whether the score is all that a search within (alpha, beta) would find."""
        if self.bound is _Bound.LOWER:
            return self.score >= beta
        return self.bound is _Bound.EXACT or self.score <= alpha


class SearchResult(NamedTuple):
    """What a search found for the side to move."""

    scores: dict[Move, int]
    """Of each legal move, exact within the depth."""
    nodes: int
    depth: int
    """Plies looked ahead in full."""

    @property
    def best(self) -> list[Move]:
        """The moves with the highest score."""
        highest = max(self.scores.values())
        return [move for move, score in self.scores.items() if score == highest]


class AlphaBeta:
    """Searches positions of one game; what it found is kept from call to call."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.nodes = 0
        self._node_limit: int | None = None
        self._table: dict[int, _Entry] = {}
        self._places = _places_from_the_middle(rules)
        self._lines = _incidence(rules)

    def search(self, board: Board, depth: int, *, node_limit: int | None = None) -> SearchResult:
        """Score every legal move of a game that goes on.

        Args:
            board: of these rules; unchanged on return.
            depth: plies to look ahead, at least 1.
            node_limit: positions to look at; then the last depth that was finished counts
                (the first always is). None: no bound.
        """
        self.nodes, self._node_limit = 0, None
        if len(self._table) > _MOST_ENTRIES:
            self._table.clear()
        depth = min(depth, self.rules.points - board.ply)
        if node_limit is None:
            return SearchResult(self._score_moves(board, depth), self.nodes, depth)
        scores, reached = self._score_moves(board, 1), 1
        self._node_limit = node_limit
        plies = board.ply
        for deeper in range(2, depth + 1):
            try:
                scores, reached = self._score_moves(board, deeper), deeper
            except SearchStoppedError:
                while board.ply > plies:
                    board.pop()
                break
        return SearchResult(scores, self.nodes, reached)

    def _score_moves(self, board: Board, depth: int) -> dict[Move, int]:
        """Return the exact score of each move: equal ones are to be told from worse ones."""
        scores = {}
        for move in self._moves(board, None):
            board.push(move)
            scores[move] = -self._score(board, depth - 1, -WIN, WIN)
            board.pop()
        return scores

    def _score(self, board: Board, depth: int, alpha: int, beta: int) -> int:
        """Return the score for the side to move; exact within (alpha, beta), else a bound."""
        self.nodes += 1
        if self._node_limit is not None and self.nodes > self._node_limit:
            raise SearchStoppedError
        outcome = board.outcome()
        if outcome is not None:
            return outcome.winner * board.to_move * (WIN - board.ply)
        if depth <= 0:
            return self._count_lines(board)
        entry = self._table.get(board.key)
        if entry is not None and entry.depth == depth and entry.settles(alpha, beta):
            return entry.score
        best, best_move, floor = -WIN - 1, None, alpha
        for move in self._moves(board, entry.move if entry is not None else None):
            board.push(move)
            score = -self._score(board, depth - 1, -beta, -floor)
            board.pop()
            if score > best:
                best, best_move = score, move
                floor = max(floor, score)
                if best >= beta:
                    break
        bound = _Bound.LOWER if best >= beta else _Bound.EXACT if best > alpha else _Bound.UPPER
        self._table[board.key] = _Entry(depth, best, bound, best_move)
        return best

    def _moves(self, board: Board, first: Move | None) -> list[Move]:
        """Return the legal moves, a promising one first, else from the middle outward."""
        moves = sorted(board.legal_moves, key=self._places.__getitem__)
        if first is not None:
            moves.remove(first)
            moves.insert(0, first)
        return moves

    def _count_lines(self, board: Board) -> int:
        """Return how much more the lines that are still open are worth to the side to move."""
        stones = np.array(board.stones, np.float32)
        sums, counts = self._lines @ stones, self._lines @ np.abs(stones)  # [W]
        open_lines = sums[np.abs(sums) == counts]
        return int(open_lines @ np.abs(open_lines)) * board.to_move


@lru_cache(maxsize=16)
def _incidence(rules: Rules) -> NDArray[np.float32]:
    """Return `[W, A]`: 1 where a point lies in a straight run of the win length."""
    runs = windows(rules.size, rules.win_length, rules.rows)
    result = np.zeros((len(runs), rules.points), np.float32)
    for row, points in enumerate(runs):
        result[row, list(points)] = 1.0
    return result


@lru_cache(maxsize=16)
def _places_from_the_middle(rules: Rules) -> tuple[int, ...]:
    """Return the place of each point when they are ordered by the lines through them."""
    through = _incidence(rules).sum(axis=0)
    order = sorted(range(rules.points), key=lambda point: (-through[point], point))
    places = [0] * rules.points
    for place, point in enumerate(order):
        places[point] = place
    return tuple(places)


__all__ = ["WIN", "AlphaBeta", "SearchResult"]
