"""Judge answers to tactical puzzles by proof, with the other side's best reply or a refutation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ai.bench.prover import TacticProver
from ai.game import Board, Move, Rule, Rules
from ai.session.evaluation import PositionEvaluator
from ai.session.review import WON
from ai.teaching.verdicts import AnswerVerdict
from base.language.wording import tr

ATTACKS: Final = frozenset({"fours", "threes"})
"""Kinds of puzzles in which the side to move wins by force."""
LONGEST: Final = 9
"""Maximum number of moves of a refutation that comes from a search."""
QUIET_NODES: Final = 60_000
"""Number of positions that are searched to compare two quiet moves."""
AS_GOOD: Final = 0.05
"""Largest difference in value of two quiet moves that count as equally good."""
FAR: Final = 1000
"""Added to the length of a win by threes, which a defender prefers to a win by fours."""


class AnswerJudge:
    """Judges answers to puzzles of one game's rules. Deterministic, not thread-safe."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self._prover = TacticProver(rules)
        self._evaluator = PositionEvaluator(rules)

    def judge(
        self, moves: Sequence[Move], kind: str, move: Move, best: Sequence[Move]
    ) -> AnswerVerdict:
        """Return whether a move is right.

        Every attack counts that is proven to win, and every defence after which no win by fours is
        left. A quiet move counts if a search values it as highly as one of the stored moves.

        Args:
            moves: the moves that lead to the position.
            kind: kind of the puzzle: "fours", "threes", "defence" or "quiet".
            move: the answer.
            best: the stored right moves of the puzzle.

        Raises:
            IllegalMoveError: the moves break the rules.
        """
        board = Board.from_moves((*moves, move), self.rules)
        board.pop()
        if board.completes_row(move, board.to_move):
            return AnswerVerdict(is_right=True, is_solved=True, why=tr("five in a row"))
        if kind in ATTACKS:
            return self._attack(board, move)
        if kind == "defence":
            return self._defence(board, move)
        return self._quiet(board, move, best)

    def hint(self, moves: Sequence[Move], kind: str, best: Sequence[Move]) -> Move | None:
        """Return a right move of a position; None if none is proven.

        Args:
            moves: the moves that lead to the position.
            kind: kind of the puzzle.
            best: the stored right moves; they are returned where no win is to be proven.
        """
        if kind not in ATTACKS:
            return best[0] if best else None
        board = Board.from_moves(moves, self.rules)
        line = self._prover.line_by_fours(board) or self._prover.line_by_threes(board)
        if line:
            return line[0]
        return next((move for move in best if move in board.legal_moves), None)

    # -- attacks ------------------------------------------------------------------------------

    def _attack(self, board: Board, move: Move) -> AnswerVerdict:
        """Judge an attack: it has to be proven to win, by fours or by threes."""
        is_by_fours = self._prover.wins_by_fours_after(board, move)
        with board.played(move):
            if not is_by_fours and not self._prover.is_lost_by_threes(board):
                return self._refuted(board, -board.to_move)
            reply = self._longest_reply(board)
        way = tr("by fours") if is_by_fours else tr("by threes")
        return AnswerVerdict(
            is_right=True, reply=reply, why=tr("proven to win {way}").format(way=way)
        )

    def _longest_reply(self, board: Board) -> Move:
        """Return the answer after which the attacker's win takes longest.

        Args:
            board: position after the attack, which is proven to win.
        """
        five = self._prover.five_of(board, -board.to_move)
        is_simple = self.rules.rule in (Rule.FREESTYLE, Rule.STANDARD)
        if five is not None and is_simple:
            return five
        lengths = {move: self._plies_after(board, move) for move in list(board.legal_moves)}
        return max(lengths, key=lambda move: lengths[move])

    def _plies_after(self, board: Board, move: Move) -> int:
        """Return the length of the attacker's win after a reply, longer if it needs threes."""
        with board.played(move):
            if board.outcome() is not None:
                return 0
            return self._prover.plies_by_fours(board) or FAR + self._prover.plies_by_threes(board)

    def _refuted(self, board: Board, attacker: int) -> AnswerVerdict:
        """Return the refutation of the last move, which does not win.

        Args:
            board: position after the move.
            attacker: color of the side that moved.
        """
        mover = tr("Black") if attacker == 1 else tr("White")
        other = tr("White") if attacker == 1 else tr("Black")
        line = self._prover.line_by_fours(board)
        if line:
            line = self._prover.played_out(board, line)
            return AnswerVerdict(
                is_right=False,
                line=line,
                why=tr("{other} wins by fours instead").format(other=other),
            )
        found = self._evaluator.evaluate(
            tuple(board.moves), nodes=self._evaluator.usual_nodes(is_compiled=True)
        )
        line = (found.line or (() if found.best is None else (found.best,)))[:LONGEST]
        if found.value <= -WON:
            return AnswerVerdict(
                is_right=False,
                line=line,
                why=tr("a win of {mover} is not proven in time").format(mover=mover),
            )
        point = (" " + board.to_text(line[0])) if line else ""
        return AnswerVerdict(
            is_right=False,
            line=line,
            why=tr("{other} answers{point}, and no win is proven").format(other=other, point=point),
        )

    # -- defences and quiet moves -------------------------------------------------------------

    def _defence(self, board: Board, move: Move) -> AnswerVerdict:
        """Judge a defence: the other side may have no win by continuous fours after it."""
        with board.played(move):
            line = self._prover.line_by_fours(board)
            line = self._prover.played_out(board, line) if line else ()
            other = tr("Black") if board.to_move == 1 else tr("White")
        if line:
            return AnswerVerdict(
                is_right=False, line=line, why=tr("{other} wins by fours").format(other=other)
            )
        return AnswerVerdict(
            is_right=True,
            is_solved=True,
            why=tr("{other} has no win by fours any more").format(other=other),
        )

    def _quiet(self, board: Board, move: Move, best: Sequence[Move]) -> AnswerVerdict:
        """Judge a quiet move: its value may not be lower than that of a stored move."""
        if move in best:
            return AnswerVerdict(is_right=True, is_solved=True, why=tr("the searches prefer it"))
        values = {point: self._value_after(board, point) for point in (move, *best[:1])}
        own, (stored, _) = values[move], values[best[0]]
        words = tr("the search values it at {own:+.2f}, {to_text} at {stored:+.2f}").format(
            own=own[0], to_text=board.to_text(best[0]), stored=stored
        )
        if own[0] >= stored - AS_GOOD:
            return AnswerVerdict(is_right=True, is_solved=True, why=words)
        return AnswerVerdict(is_right=False, line=own[1][:LONGEST], why=words)

    def _value_after(self, board: Board, move: Move) -> tuple[float, tuple[Move, ...]]:
        """Return the value of a move for the side that makes it, and the expected answers."""
        found = self._evaluator.evaluate((*board.moves, move), nodes=QUIET_NODES)
        return -found.value, found.line or (() if found.best is None else (found.best,))
