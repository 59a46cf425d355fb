"""Alpha-beta minimax on any board, which sees the end of the game or asks an evaluator.

It is fail-soft negamax over `Board` (Knuth, Moore 1975), with a transposition table. A game that
ends within the depth has an exact score; other positions at the full depth get the evaluator's.
Moves are ordered from the middle outward. Made for small games: some ten thousand positions a
second. For five in a row on large boards there is `ai.search.pattern_alpha_beta`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from ai.evaluators.base import Scorer, lines_through
from ai.game import Board, Move, Rules
from ai.search.base import Limit, SearchClock, SearchResult

WIN: Final = 1_000_000
"""Score of a win before the first move; a win after n moves of the game scores n less.

It is above any score of an evaluator.
"""
LONGEST_GAME: Final = 400
_MOST_ENTRIES: Final = 400_000


class SearchStoppedError(RuntimeError):
    """A search has used up its positions or time."""


class _Bound(Enum):
    EXACT = 0
    LOWER = 1
    UPPER = 2


class TableEntry(NamedTuple):
    """Transposition table entry: the result of a search of one position to a depth."""

    depth: int
    score: int
    bound: _Bound
    move: Move | None

    def settles(self, alpha: int, beta: int) -> bool:
        """Return whether the entry makes a search with the window (alpha, beta) needless.

        Args:
            alpha: lower end of the window of scores.
            beta: upper end of the window of scores.
        """
        if self.bound is _Bound.LOWER:
            return self.score >= beta
        return self.bound is _Bound.EXACT or self.score <= alpha


TranspositionTable: TypeAlias = dict[int, TableEntry]
"""Transposition table: entries by position key, for one game and one evaluator."""


@dataclass(frozen=True, slots=True)
class AlphaBetaResult(SearchResult):
    """Result of an alpha-beta search, with the score of every move."""

    scores: dict[Move, int]
    """Score of each move, exact within the depth.

    If the time ran out within depth 1, some moves are missing.
    """
    depth: int
    """Greatest depth in plies that was searched completely."""

    @property
    def best(self) -> list[Move]:
        """The moves with the highest score."""
        return _best_of(self.scores)


def search(
    board: Board,
    evaluator: Scorer,
    limit: Limit,
    rng: np.random.Generator,
    *,
    depth: int = LONGEST_GAME,
    table: TranspositionTable | None = None,
) -> AlphaBetaResult:
    """Score every legal move of an unfinished game, and draw one of the best.

    Args:
        board: position to search; unchanged on return.
        evaluator: scores the positions at the full depth.
        limit: if set, the search deepens step by step, and the last finished depth counts. Depth 1
            is always finished, unless the seconds run out within it.
        rng: draws among equal moves; its state changes.
        depth: plies to look ahead, at least 1.
        table: transposition table of earlier searches with the same evaluator, which is extended;
            None for a new one.
    """
    clock = SearchClock(limit)
    table = {} if table is None else table
    if len(table) > _MOST_ENTRIES:
        table.clear()
    tree = _Tree(board, evaluator, clock, table)
    deepest = min(depth, board.rules.points - board.stone_count)
    scores, reached = tree.deepen(deepest)
    if reached == 1 < deepest and not board.rules.gravity:
        _correct_rows(board, scores)
    best = _best_of(scores)
    move = best[int(rng.integers(len(best)))]
    policy = np.zeros(board.rules.points, np.float32)
    policy[best] = 1.0 / len(best)
    return AlphaBetaResult(
        move=move,
        value=value_of(scores[move], evaluator),
        policy=policy,
        visits=tree.visits,
        principal_variation=_line_from(board, move, table),
        nodes=clock.nodes,
        scores=scores,
        depth=reached,
    )


class _Tree:
    """One search of one position."""

    def __init__(
        self, board: Board, evaluator: Scorer, clock: SearchClock, table: TranspositionTable
    ) -> None:
        self.visits = np.zeros(board.rules.points, np.int64)
        self._board = board
        self._evaluator = evaluator
        self._clock = clock
        self._table = table
        self._places = _places_from_the_middle(board.rules)
        self._must_stop = clock.is_late

    def deepen(self, depth: int) -> tuple[dict[Move, int], int]:
        """Search deeper and deeper until the limit; return the result of the last finished depth.

        Args:
            depth: greatest depth in plies.

        Returns:
            Score by move, and the depth in plies.
        """
        clock = self._clock
        if clock.is_unlimited:
            return self._score_moves(depth), depth
        scores = self._score_moves(1)
        self._must_stop = clock.is_over
        for deeper in range(2, depth + 1):
            try:
                scores = self._score_moves(deeper)
            except SearchStoppedError:
                return scores, deeper - 1
        return scores, depth

    def _score_moves(self, depth: int) -> dict[Move, int]:
        """Return the exact score of each move, so that equal moves are known to be equal.

        Args:
            depth: plies to look ahead, at least 1.

        Raises:
            SearchStoppedError: the limit is reached at depth 2 or more. At depth 1 no error is
                raised: the moves scored so far are returned.
        """
        board, plies = self._board, self._board.ply
        scores: dict[Move, int] = {}
        for move in self._moves(None):
            before = self._clock.nodes
            board.push(move)
            try:
                scores[move] = -self._score(depth - 1, -WIN, WIN)
            except SearchStoppedError:
                while board.ply > plies:
                    board.pop()
                if depth > 1:
                    raise
                return scores or {move: 0}
            finally:
                self.visits[move] += self._clock.nodes - before
            board.pop()
        return scores

    def _score(self, depth: int, alpha: int, beta: int) -> int:
        """Return a position's score for the side to move; exact within (alpha, beta), else a bound.

        Args:
            depth: plies to look ahead.
            alpha: lower end of the search window.
            beta: upper end of the search window.

        Raises:
            SearchStoppedError: the limit is reached.
        """
        board = self._board
        self._clock.nodes += 1
        if self._must_stop():
            raise SearchStoppedError
        outcome = board.outcome()
        if outcome is not None:
            return outcome.winner * board.to_move * (WIN - board.ply)
        if depth <= 0:
            return self._evaluator.score(board)
        entry = self._table.get(board.key)
        if entry is not None and entry.depth == depth and entry.settles(alpha, beta):
            return entry.score
        best, best_move, floor = -WIN - 1, None, alpha
        for move in self._moves(entry.move if entry is not None else None):
            board.push(move)
            score = -self._score(depth - 1, -beta, -floor)
            board.pop()
            if score > best:
                best, best_move = score, move
                floor = max(floor, score)
                if best >= beta:
                    break
        bound = _Bound.LOWER if best >= beta else _Bound.EXACT if best > alpha else _Bound.UPPER
        self._table[board.key] = TableEntry(depth, best, bound, best_move)
        return best

    def _moves(self, first: Move | None) -> list[Move]:
        """Return the legal moves: `first`, then the others from the middle outward.

        Args:
            first: move to be tried first; None for none.
        """
        moves = sorted(self._board.legal_moves, key=self._places.__getitem__)
        if first is not None:
            moves.remove(first)
            moves.insert(0, first)
        return moves


def _correct_rows(board: Board, scores: dict[Move, int]) -> None:
    """Correct the scores of depth 1, in place: winning moves, and moves that must block a row.

    If a move completes a row, it has the score of a win. Otherwise, if the other side could
    complete a row, all moves but the blocking ones have the score of a loss. Moves that were not
    scored within the limit are added.

    Args:
        board: the position.
        scores: score by move.
    """
    moves = list(board.legal_moves)
    own = [move for move in moves if board.completes_row(move, board.to_move)]
    if own:
        scores.update(dict.fromkeys(own, WIN - board.ply - 1))
        return
    others = [move for move in moves if board.completes_row(move, -board.to_move)]
    if others:
        scores.update({move: board.ply + 2 - WIN for move in scores if move not in others})
        scores.update({move: 0 for move in others if move not in scores})


def _best_of(scores: dict[Move, int]) -> list[Move]:
    """Return the moves with the highest score."""
    highest = max(scores.values())
    return [move for move, score in scores.items() if score == highest]


def value_of(score: int, evaluator: Scorer) -> float:
    """Convert a score to a value in [-1, 1]; only won and lost games have the values 1 and -1.

    Args:
        score: the score.
        evaluator: evaluator that converts the scores of unfinished games.
    """
    if abs(score) > WIN - LONGEST_GAME - 1:
        return 1.0 if score > 0 else -1.0
    return evaluator.to_value(score)


def _line_from(board: Board, move: Move, table: TranspositionTable) -> tuple[Move, ...]:
    """Return the expected moves from here on: a move, then the best moves that the table holds.

    Args:
        board: the position.
        move: the first move.
        table: the transposition table.
    """
    line = [move]
    board.push(move)
    while board.outcome() is None:
        entry = table.get(board.key)
        if entry is None or entry.move is None:
            break
        line.append(entry.move)
        board.push(entry.move)
    for _ in line:
        board.pop()
    return tuple(line)


@lru_cache(maxsize=16)
def _places_from_the_middle(rules: Rules) -> tuple[int, ...]:
    """Return the place of each point in the order in which moves are tried.

    Points on more lines come first.

    Args:
        rules: rules of the game.
    """
    through = lines_through(rules)
    order = sorted(range(rules.points), key=lambda point: (-through[point], point))
    places = [0] * rules.points
    for place, point in enumerate(order):
        places[point] = place
    return tuple(places)
