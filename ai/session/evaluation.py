"""What the positions of a game are worth: proven by the exact solver, or as a player sees them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from ai.evaluators.lines import LineEvaluator
from ai.game import BLACK, Board, Game, Move, Position, Rules, RulesError, as_board, board_of
from ai.players.base import Limit, Player
from ai.registry.players import create_player
from ai.search.oracle import Oracle
from ai.session.position_value import SOLVER, PositionValue

JUDGE: Final = "alpha-beta"
"""The player that is asked where the solver cannot prove anything."""
FEW_MOVES: Final = 9
"""Points to choose from, at most, where the judge looks `DEEP` moves ahead."""
DEEP: Final = 5
WON: Final = 0.99  # a player's value from which on it has seen the end


class PositionEvaluator:
    """Evaluates positions of one game's rules. Deterministic, not thread-safe."""

    def __init__(self, rules: Game) -> None:
        """Choose who evaluates: the solver where it supports the rules, else a player.

        Raises:
            OptionError: no evaluating player supports these rules.
        """
        self.rules = rules
        self._oracle: Oracle | None = None
        self._player: Player | None = None
        self._shallow: Player | None = None
        self._lines: LineEvaluator | None = None
        try:
            if isinstance(rules, Rules):
                self._oracle = Oracle(rules)
        except RulesError:
            pass
        if self._oracle is None:
            choices = rules.size if isinstance(rules, Rules) and rules.gravity else rules.points
            is_narrow = choices <= FEW_MOVES
            depth = DEEP if is_narrow else 1
            self._player = create_player(JUDGE, rules, {"depth": depth, "nodes": None})
            if depth > 1:
                self._shallow = create_player(JUDGE, rules, {"depth": depth - 1, "nodes": None})
            elif isinstance(rules, Rules):
                self._lines = LineEvaluator(rules)

    @property
    def by(self) -> str:
        """Who evaluates: "exact solver" or a player's name."""
        return SOLVER if self._player is None else JUDGE

    def evaluate(self, moves: Sequence[Move], *, nodes: int) -> PositionValue:
        """Return what the position after some moves is worth.

        Args:
            moves: from the empty board.
            nodes: positions that the proof may cost; a player takes its own number.

        Raises:
            IllegalMoveError: the moves break the rules.
        """
        board = board_of(self.rules, moves)
        outcome = board.outcome()
        if outcome is not None:
            value = float(outcome.winner * board.to_move)
            return PositionValue(board.ply, value, is_proven=True, best=None, by=self.by)
        if self._oracle is not None:
            return self._proven(self._oracle, as_board(board), nodes)
        return self._judged(board)

    def _proven(self, oracle: Oracle, board: Board, nodes: int) -> PositionValue:
        verdict = oracle.solve(board, node_limit=nodes)
        if verdict.result == "unknown":
            return PositionValue(board.ply, 0.0, is_proven=False, best=None, by=SOLVER)
        is_won = (verdict.result == "black") == (board.to_move == BLACK)
        value = 1.0 if is_won else -1.0
        return PositionValue(board.ply, value, is_proven=True, best=verdict.best_move, by=SOLVER)

    def _judged(self, board: Position) -> PositionValue:
        if self._player is None:
            raise RuntimeError("expected a player or a solver")
        choice = self._player.choose(board, Limit(), np.random.default_rng(board.ply))
        value = float(choice.value or 0.0)
        if abs(value) < WON:  # each depth flatters the side that it lets move last
            value = (value + self._one_move_earlier(board, value)) / 2.0
        return PositionValue(board.ply, value, is_proven=False, best=choice.move, by=JUDGE)

    def _one_move_earlier(self, board: Position, value: float) -> float:
        """Return the value that a search of one move less finds; `value` where none can tell."""
        if self._shallow is not None:
            found = self._shallow.choose(board, Limit(), np.random.default_rng(board.ply))
            return float(found.value or 0.0)
        if self._lines is not None:
            return float(self._lines.evaluate((as_board(board),)).value[0])
        return value
