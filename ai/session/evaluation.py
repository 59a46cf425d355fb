"""Evaluate the positions of a game: by proof with the exact solver, or by a player's search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from ai.evaluators.base import LineEvaluator
from ai.game import (
    BLACK,
    PASS,
    Board,
    Game,
    Move,
    Position,
    Rules,
    RulesError,
    as_board,
    replayed,
)
from ai.players.base import Limit, MoveChoice, Player
from ai.players.explanation import SearchedMoves
from ai.registry.players import create_player
from ai.search.alpha_beta import LONGEST_GAME, WIN
from ai.search.oracle import Oracle
from ai.search.pattern_alpha_beta import supports
from ai.session.position_value import SOLVER, PositionValue

JUDGE: Final = "alpha-beta"
"""Name of the player that evaluates where the solver does not support the rules."""
PROOF_NODES: Final = 60_000
"""Default number of positions that the solver may visit for one value."""
JUDGE_NODES: Final = 20_000
"""Default number of positions for one value by the player, if it searches by patterns."""
SLOW_NODES: Final = 300
"""Default number of positions for one value when the kernels are not compiled."""
LEAST_NODES: Final = 1_000
"""Minimum number of positions for a search by patterns.

With fewer, the player looks one move ahead instead, because values of so small searches swing more.
"""
JUDGE_MEMORY: Final = 1
"""Size of the player's transposition table in MiB; a small one is emptied quickly."""
FEW_MOVES: Final = 9
"""Greatest number of possible moves for which the player looks `DEEP` moves ahead.

With more moves it looks one move ahead.
"""
DEEP: Final = 5
LIKELY: Final = 5
"""Number of moves that are named beside the one that the solver has proven."""
MOST_MOVES: Final = 12
"""Greatest number of considered moves that a value names."""
WON: Final = 0.99
"""Value from which on it is assumed that a player has seen the win."""


class PositionEvaluator:
    """Evaluates positions of one game's rules. Deterministic, not thread-safe."""

    def __init__(self, rules: Game, *, may_prove: bool = True) -> None:
        """Choose the exact solver if it supports the rules, or else a player.

        Args:
            rules: rules of all positions.
            may_prove: whether the solver may be chosen.

        Raises:
            OptionError: no evaluating player supports these rules.
        """
        self.rules = rules
        self._oracle: Oracle | None = None
        self._player: Player | None = None
        self._shallow: Player | None = None
        self._lines: LineEvaluator | None = None
        self._is_patterned = isinstance(rules, Rules) and supports(rules)
        self._searcher: Player | None = None
        self._ply = 0  # ply of the last position searched
        try:
            if may_prove and isinstance(rules, Rules):
                self._oracle = Oracle(rules)
        except RulesError:
            pass
        if self._oracle is None:
            self._seat_judge()

    @property
    def by(self) -> str:
        """The evaluator: "exact solver" or a player's name."""
        return SOLVER if self._player is None else JUDGE

    def usual_nodes(self, *, is_compiled: bool = True) -> int:
        """Return the default number of positions that may be searched for one value.

        Args:
            is_compiled: whether the compiled kernels are in use; without them the number is lower.
        """
        usual = PROOF_NODES if self._oracle is not None else JUDGE_NODES
        return usual if is_compiled else SLOW_NODES

    def evaluate(
        self, moves: Sequence[Move], *, nodes: int, seconds: float | None = None
    ) -> PositionValue:
        """Evaluate the position after some moves; earlier evaluations have no influence.

        Args:
            moves: the moves from the empty board.
            nodes: positions that may be searched; a player that looks a fixed number of moves ahead
                ignores it.
            seconds: time limit instead of `nodes`, for a player that searches by patterns; None for
                none.

        Raises:
            IllegalMoveError: the moves break the rules.
        """
        board = replayed(self.rules, moves)
        outcome = board.outcome()
        if outcome is not None:
            value = float(outcome.winner * board.to_move)
            return PositionValue(board.ply, value, is_proven=True, best=None, by=self.by)
        if self._oracle is not None:
            return self._proven(self._oracle, as_board(board), nodes)
        if self._is_patterned and (seconds is not None or nodes >= LEAST_NODES):
            return self._searched(board, Limit(seconds, None if seconds is not None else nodes))
        return self._judged(board)

    def _seat_judge(self) -> None:
        """Create the player that evaluates, and a second evaluator that looks one move less ahead.

        The mean of their two values is used, see `_judged`.
        """
        rules = self.rules
        choices = rules.size if isinstance(rules, Rules) and rules.gravity else rules.points
        depth = DEEP if choices <= FEW_MOVES else 1
        self._player = create_player(JUDGE, rules, {"depth": depth, "nodes": None})
        if depth > 1:
            self._shallow = create_player(JUDGE, rules, {"depth": depth - 1, "nodes": None})
        elif isinstance(rules, Rules):
            self._lines = LineEvaluator(rules)

    def _proven(self, oracle: Oracle, board: Board, nodes: int) -> PositionValue:
        verdict = oracle.solve(board, node_limit=nodes)
        first = () if verdict.best_move is None else (verdict.best_move,)
        likely = tuple(move for move in self._likely(board) if move not in first)
        found = PositionValue(board.ply, 0.0, is_proven=False, best=None, by=SOLVER)
        found = replace(found, line=first, moves=(*first, *likely), nodes=verdict.nodes)
        if verdict.result == "unknown":
            return found
        is_won = (verdict.result == "black") == (board.to_move == BLACK)
        value = 1.0 if is_won else -1.0
        return replace(found, value=value, is_proven=True, best=verdict.best_move)

    def _likely(self, board: Board) -> list[Move]:
        """Return the legal moves that most rows go through, the best first.

        The solver proves only one move. Others are named for those who want to compare them.
        """
        if self._lines is None:
            self._lines = LineEvaluator(board.rules)
        policy = self._lines.evaluate((board,)).policy[0]
        legal = sorted(board.legal_moves, key=lambda move: (-policy[move], move))
        return legal[:LIKELY]

    def _searched(self, board: Position, limit: Limit) -> PositionValue:
        """Evaluate a position by a pattern search that uses no results of earlier searches.

        Args:
            board: the position.
            limit: budget of the search.
        """
        if self._searcher is None or board.ply > self._ply:  # it would reuse earlier results
            settings = {"nodes": None, "memory": JUDGE_MEMORY}
            self._searcher = create_player(JUDGE, self.rules, settings)
        self._ply = board.ply
        choice = self._searcher.choose(board, limit, np.random.default_rng(board.ply))
        return self._reasons(board, float(choice.value or 0.0), choice)

    def _judged(self, board: Position) -> PositionValue:
        if self._player is None:
            raise RuntimeError("expected a player or a solver")
        choice = self._player.choose(board, Limit(), np.random.default_rng(board.ply))
        value = float(choice.value or 0.0)
        if abs(value) < WON:  # a value favours the side that moves last in the search
            value = (value + self._one_move_earlier(board, value)) / 2.0
        return self._reasons(board, value, choice)

    def _reasons(self, board: Position, value: float, choice: MoveChoice) -> PositionValue:
        """Return a position's value with the details of its search.

        A search by patterns counts stones, another one also passes.
        """
        passes = board.moves.count(PASS) if self._is_patterned else 0
        return _with_reasons(board.ply, value, choice, passes)

    def _one_move_earlier(self, board: Position, value: float) -> float:
        """Return a position's value by a search that looks one move less ahead than the player.

        Args:
            board: the position.
            value: value by the player, which is returned if there is no such search.
        """
        if self._shallow is not None:
            found = self._shallow.choose(board, Limit(), np.random.default_rng(board.ply))
            return float(found.value or 0.0)
        if self._lines is not None:
            return float(self._lines.evaluate((as_board(board),)).value[0])
        return value


def _with_reasons(ply: int, value: float, choice: MoveChoice, passes: int) -> PositionValue:
    """Convert a player's value to a `PositionValue`, with the details of its search.

    Args:
        ply: number of moves before the position.
        value: the player's value, in [-1, 1].
        choice: the player's choice, whose explanation holds the scores of moves.
        passes: number of moves before the position that the scores do not count.
    """
    found = PositionValue(ply, value, is_proven=False, best=choice.move, by=JUDGE)
    said = choice.explanation
    if not isinstance(said, SearchedMoves) or not said.scores:
        return found
    seen = WIN - LONGEST_GAME - 1
    own = dict(said.scores)[choice.move]
    others = [score for move, score in said.scores if move != choice.move]
    return replace(
        found,
        line=said.principal_variation,
        moves=tuple(move for move, _ in said.scores[:MOST_MOVES]),
        nodes=said.nodes or 0,
        plies=WIN - (ply - passes) - abs(own) if abs(own) > seen else None,
        is_only=abs(own) <= seen and all(score < -seen for score in others),
    )
