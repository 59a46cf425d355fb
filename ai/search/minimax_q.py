"""The search of `minimax-q`: minimax whose root scores are updated by a rule of Q-learning.

As in a report on a Gomoku engine: the root moves are the empty points next to a stone. Below a root
move, the empty points next to the stones then on the board are tried, layer by layer. An action is
a stone on one of these points. Each action that counts changes the score of its root move by `alpha
gamma^d diff`. Here diff is the board's score after the action minus that before it, and d is its
layer. The report calls this Q-learning. The root move with the highest score is played.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from ai.evaluators.base import Scorer
from ai.evaluators.five_rows import FiveRowEvaluator
from ai.game import BLACK, EMPTY, Board, Move
from ai.game.opening import centre_points
from ai.kernels.cross import replies as kernels
from ai.kernels.jit import fields_of, new_record
from ai.search.base import Limit, SearchClock, SearchResult

Update: TypeAlias = Literal["best", "mean", "sum"]
Sign: TypeAlias = Literal["alternating", "same"]
UPDATES: Final[tuple[Update, ...]] = ("best", "mean", "sum")
SIGNS: Final[tuple[Sign, ...]] = ("alternating", "same")
MAX_DEPTH: Final = kernels.MAX_DEPTH
ALPHA, GAMMA, DEPTH = 1.0, 0.9, 2
"""Default values of `alpha`, `gamma` and `depth`, which the report does not give.

Its complexity n^2 implies two layers.
"""


@dataclass(frozen=True, slots=True)
class MinimaxQResult(SearchResult):
    """Result of a `minimax-q` search, with the score of every root move."""

    scores: dict[Move, float]
    """Score of each root move, the best first."""
    first_scores: dict[Move, float]
    """Scores of the root moves before the search, in the same order."""
    finished: int
    """Number of root moves searched to full depth; only these are played, if there are any."""


def search(
    board: Board,
    evaluator: Scorer,
    limit: Limit,
    rng: np.random.Generator,
    *,
    alpha: float = ALPHA,
    gamma: float = GAMMA,
    depth: int = DEPTH,
    update: Update = "best",
    sign: Sign = "alternating",
) -> MinimaxQResult:
    """Score the points next to stones of an unfinished game, and draw one of the best.

    With a `FiveRowEvaluator`, compiled kernels search; with any other evaluator, Python code does.
    The results are the same.

    Args:
        board: position to search; unchanged on return.
        evaluator: scores boards, which are square and without gravity.
        limit: positions and seconds; at least one root move is scored. Root moves that were not
            searched to full depth are not played, unless there is no other.
        rng: draws among equal root moves; its state changes.
        alpha: learning rate.
        gamma: discount of each layer.
        depth: layers of stones, the root's included: 1 to `MAX_DEPTH`.
        update: which actions of a layer change the root move's score: the best one for the mover,
            the mean, or the sum of all.
        sign: "alternating": diff is what the root's side gains, so the other side's gains count
            against it. "same": diff is what the side that places the stone gains, on every layer.
    """
    clock = SearchClock(limit)
    factors = [1.0, *(alpha * gamma**layer for layer in range(1, MAX_DEPTH))]
    tree = _Tree(factors, depth, UPDATES.index(update), is_alternating=sign == SIGNS[0])
    moves = _roots(board)
    if isinstance(evaluator, FiveRowEvaluator):
        found = tree.run_kernel(board, evaluator, clock, moves)
    else:
        found = tree.run(board, evaluator, clock, moves)
    return _result(found, evaluator, rng, clock)


@dataclass(frozen=True, slots=True)
class _Roots:
    """Root moves with their scores, in the order of their scores before the search, best first."""

    moves: NDArray[np.int64]
    first: NDArray[np.float64]
    scores: NDArray[np.float64]
    visits: NDArray[np.int64]
    """`[points]` positions searched below each move, itself counted."""
    finished: int


def _result(
    found: _Roots, evaluator: Scorer, rng: np.random.Generator, clock: SearchClock
) -> MinimaxQResult:
    """Draw one of the best root moves, and return the result of the search.

    The scores are normalised to a policy.

    Args:
        found: the root moves with their scores.
        evaluator: converts the score to a value.
        rng: random generator; its state changes.
        clock: clock of the move, which counted the positions.
    """
    kept = found.finished or len(found.moves)
    scores = found.scores[:kept]
    best = np.flatnonzero(scores == scores.max())
    chosen = int(best[int(rng.integers(len(best)))])
    move = int(found.moves[chosen])
    weights = scores - scores.min()
    if weights.sum() == 0.0:
        weights = np.ones(kept)
    policy = np.zeros(len(found.visits), np.float32)
    policy[found.moves[:kept]] = weights / weights.sum()
    order = np.argsort(-found.scores[:kept], kind="stable")
    return MinimaxQResult(
        move=move,
        value=evaluator.to_value(cast("int", found.scores[chosen])),
        policy=policy,
        visits=found.visits,
        principal_variation=(move,),
        nodes=clock.nodes,
        scores={int(found.moves[k]): float(found.scores[k]) for k in order},
        first_scores={int(found.moves[k]): float(found.first[k]) for k in order},
        finished=found.finished,
    )


def _roots(board: Board) -> list[Move]:
    """Return the root moves: the empty points next to a stone, or the centre points at first.

    On an empty board there is no stone, hence the centre points.
    """
    if board.stone_count == 0:
        return list(centre_points(board.rules.size))
    return _near_moves(board)


def _near_moves(board: Board) -> list[Move]:
    """Return the empty points among the eight neighbours of any stone, in board order."""
    size = board.rules.size
    stones = np.zeros((size + 2, size + 2), np.bool_)
    stones[1:-1, 1:-1] = np.array(board.stones).reshape(size, size) != EMPTY
    near = np.zeros((size, size), np.bool_)
    for row in range(3):
        for col in range(3):
            near |= stones[row : row + size, col : col + size]
    return np.flatnonzero(near & ~stones[1:-1, 1:-1]).tolist()


class _Tree:
    """One `minimax-q` search: its parameters, and its two implementations."""

    def __init__(
        self, factors: list[float], depth: int, update: int, *, is_alternating: bool
    ) -> None:
        self._factors = factors
        self._depth = depth
        self._update = update
        self._is_alternating = is_alternating
        self._is_cut = False

    # -- in kernels ---------------------------------------------------------------------------

    def run_kernel(
        self, board: Board, evaluator: FiveRowEvaluator, clock: SearchClock, moves: list[Move]
    ) -> _Roots:
        """Search with compiled kernels.

        Args:
            board: the position.
            evaluator: scores boards; its kernel board is used.
            clock: clock of the move.
            moves: the root moves.
        """
        evaluator.follow(board)
        record = new_record(kernels.ROOTS)
        fields = fields_of(record)
        fields.count = len(moves)
        fields.moves[: len(moves)] = moves
        fields.factors[:] = self._factors
        fields.depth = self._depth
        fields.update = self._update
        fields.alternates = int(self._is_alternating)
        fields.side = 1 if board.to_move == BLACK else 2
        with clock.record() as spent:
            kernels.search_roots(evaluator.record, record, spent)
        count = int(fields.count)
        visits = np.zeros(board.rules.points, np.int64)
        ordered = np.array(fields.moves[:count], np.int64)
        visits[ordered] = fields.visits[:count]
        return _Roots(
            ordered,
            np.array(fields.first[:count], np.float64),
            np.array(fields.scores[:count], np.float64),
            visits,
            int(fields.finished),
        )

    # -- with any evaluator -------------------------------------------------------------------

    def run(self, board: Board, evaluator: Scorer, clock: SearchClock, moves: list[Move]) -> _Roots:
        """Search in Python, with any evaluator that scores whole boards.

        Args:
            board: the position.
            evaluator: scores boards.
            clock: clock of the move.
            moves: the root moves.
        """
        visits = np.zeros(board.rules.points, np.int64)
        first: dict[Move, float] = {}
        for move in moves:
            if first and self._may_not_go_on(clock):
                break
            clock.spend()
            visits[move] += 1
            first[move] = self._factors[0] * self._gain(board, evaluator, move, board.to_move)
        order = sorted(first, key=lambda move: -first[move])
        scores, finished = dict(first), 0
        for move in order:
            if self._is_cut:
                break
            before = clock.nodes
            change = self._below(board, evaluator, clock, move, board.to_move, 0)
            visits[move] += clock.nodes - before
            if not self._is_cut:
                scores[move] += change
                finished += 1
        return _Roots(
            np.array(order, np.int64),
            np.array([first[move] for move in order]),
            np.array([scores[move] for move in order]),
            visits,
            finished,
        )

    def _may_not_go_on(self, clock: SearchClock) -> bool:
        left = clock.remaining()
        if (left.nodes is not None and left.nodes < 1) or clock.is_late():
            self._is_cut = True
        return self._is_cut

    def _gain(self, board: Board, evaluator: Scorer, move: Move, side: int) -> float:
        """Return the gain of the board's score by a stone of the side to move.

        Args:
            board: the position before the stone.
            evaluator: scores boards.
            move: point of the stone.
            side: color of the side to move at the root. If signs alternate, the gain counts for
                this side, else for the side that places the stone.
        """
        seen_by = side if self._is_alternating else board.to_move
        before = evaluator.score(board) * board.to_move
        board.push(move)
        after = evaluator.score(board) * board.to_move
        board.pop()
        return float((after - before) * seen_by)

    def _below(
        self, board: Board, evaluator: Scorer, clock: SearchClock, move: Move, side: int, layer: int
    ) -> float:
        """Return by how much the layers below a stone change a root move's score.

        Args:
            board: the position before the stone.
            evaluator: scores boards.
            clock: clock of the move.
            move: point of the stone.
            side: color of the side to move at the root.
            layer: layer of the stone; 0 for the root move.
        """
        if layer + 1 >= self._depth or board.completes_row(move, board.to_move):
            return 0.0
        board.push(move)
        takes_least = self._is_alternating and board.to_move != side
        worths: list[float] = []
        for reply in _near_moves(board):
            if self._may_not_go_on(clock):
                break
            clock.spend()
            gain = self._gain(board, evaluator, reply, side)
            deeper = self._below(board, evaluator, clock, reply, side, layer + 1)
            worths.append(self._factors[layer + 1] * gain + deeper)
        board.pop()
        if not worths:
            return 0.0
        if self._update == kernels.BEST:
            return min(worths) if takes_least else max(worths)
        total = 0.0
        for worth in worths:
            total += worth
        return total / len(worths) if self._update == kernels.MEAN else total
