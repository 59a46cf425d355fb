"""Judge a move before it is played: what it loses, what is better, and how it is refuted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from ai.bench.prover import TacticProver
from ai.game import Board, Game, Move, Position, Rules, RulesError, replayed
from ai.kernels.jit import is_jit_enabled
from ai.session.evaluation import PositionEvaluator
from ai.session.position_value import SOLVER, PositionValue
from ai.session.review import WON, review_game
from ai.teaching.verdicts import MoveVerdict

PROVER: Final = "prover"
"""Evaluator of a value that is proven by continuous fours or threes."""
THREES: Final = 6_000
"""Maximum number of positions of one search for threes, when the kernels are compiled."""
TRIED: Final = 4
"""Number of defences that are tried before a position counts as lost."""
LONGEST_LINE: Final = 15
"""Maximum number of moves of a line that is shown."""
KEPT: Final = 64
"""Number of positions whose values are kept."""


class MoveJudge:
    """Judges moves of one game's rules, with the searches of the reviews and the prover.

    Values of positions are kept, so that a position is searched once. Not thread-safe.
    """

    def __init__(self, rules: Game) -> None:
        """Create the searches.

        Args:
            rules: rules of all positions.

        Raises:
            OptionError: no evaluating player supports these rules.
        """
        self.rules = rules
        self._evaluator = PositionEvaluator(rules)
        self._prover = _prover_of(rules)
        self._values: dict[tuple[Move, ...], PositionValue] = {}

    def value(self, moves: Sequence[Move]) -> PositionValue:
        """Return the value of a position; a win that is proven by threats counts as certain.

        Args:
            moves: the moves from the empty board.

        Raises:
            IllegalMoveError: the moves break the rules.
        """
        key = tuple(moves)
        if key not in self._values:
            nodes = self._evaluator.usual_nodes(is_compiled=is_jit_enabled())
            found = self._evaluator.evaluate(key, nodes=nodes)
            self._values[key] = self._proven(replayed(self.rules, key), found)
            while len(self._values) > KEPT:
                del self._values[next(iter(self._values))]
        return self._values[key]

    def analysis(self, moves: Sequence[Move]) -> PositionValue:
        """Return the value of a position as `value` does, with its line played to the end.

        Args:
            moves: the moves from the empty board.

        Raises:
            IllegalMoveError: the moves break the rules.
        """
        found = self.value(moves)
        return replace(found, line=self._line(moves, found))

    def judge(self, moves: Sequence[Move], move: Move) -> MoveVerdict:
        """Return what a move loses.

        A blunder is what a review calls one. So is each move that misses a certain win, or after
        which a loss is certain that could be avoided.

        Args:
            moves: the moves before it, from the empty board.
            move: the move.

        Raises:
            IllegalMoveError: the moves break the rules.
        """
        played = (*moves, move)
        before, after = self.value(moves), self.value(played)
        if replayed(self.rules, played).outcome() is not None:
            return MoveVerdict(move, is_blunder=False)
        if before.value >= WON and self._keeps_win(moves, move):
            after = replace(after, value=-1.0)
        elif after.value >= WON:
            before = self._saved(moves, before)
        if not isinstance(self.rules, Rules):
            return _plain_verdict(before, after, move)
        reviewed = review_game(self.rules, played, {len(moves): before, len(played): after})[-1]
        is_known = all(item.is_proven or item.by != SOLVER for item in (before, after))
        is_missed = is_known and before.value >= WON > -after.value
        is_lost = is_known and after.value >= WON > -before.value
        if not (reviewed.is_blunder or is_missed or is_lost):
            return MoveVerdict(move, is_blunder=False, why=reviewed.why)
        return MoveVerdict(
            move,
            is_blunder=True,
            why=reviewed.why,
            better=before.best if before.best != move else None,
            line=self._line(moves, before) if is_missed else self._line(played, after),
            is_missed_win=is_missed,
            is_proven=before.is_proven if is_missed else after.is_proven,
        )

    def _proven(self, position: Position, found: PositionValue) -> PositionValue:
        """Return the value of a win by threats, with its line, if one is proven; else as found.

        Args:
            position: the position.
            found: its value by the solver or by a player.
        """
        is_lost = found.value <= -WON and (found.is_proven or found.plies is not None)
        if self._prover is None or is_lost or position.outcome() is not None:
            return found
        board = _board(position)
        line = self._prover.line_by_fours(board)
        plies = self._prover.plies_by_fours(board) if line else 0
        if not line:
            line = self._prover.line_by_threes(board, THREES if is_jit_enabled() else KEPT)
            plies = len(line) + 1 - len(line) % 2
        if not line:
            return found
        return replace(
            found, value=1.0, is_proven=True, best=line[0], line=line, plies=plies, by=PROVER
        )

    def _keeps_win(self, moves: Sequence[Move], move: Move) -> bool:
        """Return whether a win of the side to move is proven to go on after its move.

        Args:
            moves: the moves before it.
            move: the move.
        """
        if self._prover is None:
            return False
        board = _board(replayed(self.rules, moves))
        if self._prover.wins_by_fours_after(board, move):
            return True
        with board.played(move):
            return self._prover.is_lost_by_threes(board, THREES if is_jit_enabled() else KEPT)

    def _saved(self, moves: Sequence[Move], before: PositionValue) -> PositionValue:
        """Return a position's value after looking for a move that does not lose by force.

        The best move of a search is tried first, then a few that stop continuous fours. If none
        holds, the position counts as lost, so that no move is blamed.

        Args:
            moves: the moves before the position.
            before: value of the position by a search, with its best move.
        """
        if before.is_proven:
            return before
        if before.best is not None and self.value((*moves, before.best)).value < WON:
            return before
        for move in self._defences(moves):
            kept = self.value((*moves, move))
            if kept.value < WON:
                line = (move, *kept.line)
                return replace(before, value=-kept.value, best=move, line=line, by=PROVER)
        return replace(before, value=-1.0, by=PROVER)

    def _defences(self, moves: Sequence[Move]) -> tuple[Move, ...]:
        """Return a few moves that stop a win by fours of the other side; () if there is none."""
        if self._prover is None or not is_jit_enabled():
            return ()
        board = _board(replayed(self.rules, moves))
        return self._prover.defences(board)[:TRIED] if self._prover.is_threatened(board) else ()

    def _line(self, moves: Sequence[Move], value: PositionValue) -> tuple[Move, ...]:
        """Return the expected continuation; the solver's is followed move by move.

        Args:
            moves: the moves before the position.
            value: value of the position.
        """
        line = list(value.line)
        while not value.line and value.best is not None and len(line) < LONGEST_LINE:
            line.append(value.best)
            value = self.value((*moves, *line))
        if self._prover is None:
            return tuple(line[:LONGEST_LINE])
        board = _board(replayed(self.rules, moves))
        return self._prover.played_out(board, line)[:LONGEST_LINE]


def _prover_of(rules: Game) -> TacticProver | None:
    """Return the prover for games by these rules; None if they are not supported."""
    if not isinstance(rules, Rules) or rules.win_length != 5:
        return None
    try:
        return TacticProver(rules)
    except RulesError:
        return None


def _board(position: Position) -> Board:
    if not isinstance(position, Board):
        raise TypeError(f"expected a board, found {position!r}")
    return position


def _plain_verdict(before: PositionValue, after: PositionValue, move: Move) -> MoveVerdict:
    """Return the verdict on a move of a game that reviews have no words for.

    Args:
        before: value of the position before the move.
        after: value of the position after it, for the other side.
        move: the move.
    """
    is_lost = after.value >= WON > abs(before.value)
    why = "loses by force" if is_lost else ""
    return MoveVerdict(move, is_lost, why, before.best if is_lost else None, after.line)
