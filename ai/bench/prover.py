"""Proofs of wins in tactical positions: by continuous fours, or by threes as well.

A win by fours is one line of play. A win by threes is proven by a tree: a quiet attack that
threatens a win by fours, and a win again after every legal answer. All answers of the defender are
tried, so that a proof holds whatever moves the search prunes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from ai.game import Board, Move, Rule, Rules
from ai.search.base import Limit
from ai.search.fours import FourSearch
from ai.search.threes import ThreeSearch

FOURS: Final = 20_000
"""Maximum number of fours of one search; an incomplete search proves nothing."""
THREES: Final = 20_000
"""Maximum number of positions and fours of one search for threes."""
MOST_ATTACKS: Final = 16
"""Maximum number of quiet attacks in one line of a proof."""

Attack = Callable[[Board], Move | None]
"""Function that suggests the attacker's next move in a position; None if it has none.

The prover then tries to prove that this move wins.
"""


class TacticProver:
    """Proves wins and defences of one game's positions. Not thread-safe."""

    def __init__(self, rules: Rules) -> None:
        self._fours = FourSearch(rules)
        self._threes = ThreeSearch(rules)

    def plies_by_fours(self, board: Board) -> int:
        """Return the number of plies of a win by fours of the side to move; 0 if none is found."""
        return self._fours.find(board, Limit(nodes=FOURS)).plies

    def is_threatened(self, board: Board) -> bool:
        """Return whether the opponent could win by fours if the side to move passed."""
        return self._fours.find(board, Limit(nodes=FOURS), color=-board.to_move).plies > 0

    def first_fours(self, board: Board) -> tuple[Move, ...]:
        """Return every move that begins a win by fours of the side to move."""
        return tuple(move for move in board.legal_moves if self.wins_by_fours_after(board, move))

    def defences(self, board: Board) -> tuple[Move, ...]:
        """Return the moves after which the other side has no win by fours.

        If the search for fours after a move is incomplete, the move counts as a defence.
        """
        return tuple(
            move for move in board.legal_moves if not self.loses_by_fours_after(board, move)
        )

    def line_by_fours(self, board: Board) -> tuple[Move, ...]:
        """Return the moves of a win by fours of the side to move; () if none is found."""
        return self._fours.find(board, Limit(nodes=FOURS)).line

    def played_out(self, board: Board, line: Sequence[Move]) -> tuple[Move, ...]:
        """Return a line with the moves that make five, where fives are left to be made.

        Args:
            board: the position before the line.
            line: moves of both sides in turn.
        """
        follower, found = board.copy(), list(line)
        for played in line:
            follower.push(played)
        while follower.outcome() is None:
            own = self.five_of(follower, follower.to_move)
            move = self.five_of(follower, -follower.to_move) if own is None else own
            if move is None or move not in follower.legal_moves:
                break
            found.append(move)
            follower.push(move)
        return tuple(found)

    def plies_by_threes(self, board: Board) -> int:
        """Return the number of plies in which a win by threes is certain; 0 if none is found.

        There may be a shorter win.

        Args:
            board: the position.
        """
        self._threes.forget()
        return self._threes.find(board, Limit(nodes=THREES)).plies

    def line_by_threes(self, board: Board, nodes: int = THREES) -> tuple[Move, ...]:
        """Return the moves of a win by threes of the side to move; () if none is found.

        Args:
            board: the position.
            nodes: maximum number of positions and fours.
        """
        self._threes.forget()
        return self._threes.find(board, Limit(nodes=nodes)).line

    def is_lost_by_threes(self, board: Board, nodes: int = THREES) -> bool:
        """Return whether the other side wins by threes against every move; see `ThreeSearch`.

        Args:
            board: the position.
            nodes: maximum number of positions and fours.
        """
        self._threes.forget()
        return self._threes.is_lost(board, Limit(nodes=nodes))

    def first_threes(self, board: Board) -> tuple[Move, ...]:
        """Return every move with which the side to move begins a win by threes that is proven.

        The search suggests the attacks; the proof tries every legal answer.
        """
        return tuple(move for move in board.legal_moves if self._wins_by_threes(board, move))

    def _wins_by_threes(self, board: Board, first: Move) -> bool:
        """Return whether a win by threes that begins with the move `first` is found and proven."""
        begun = board.ply
        with board.played(first):
            self._threes.forget()
            if board.outcome() is not None or not self._threes.is_lost(board, Limit(nodes=THREES)):
                return False

        def attack(position: Board) -> Move | None:
            if position.ply == begun:
                return first
            line = self._threes.find(position, Limit(nodes=THREES)).line
            return line[0] if line else None

        return self.proves_by_threes(board, attack, MOST_ATTACKS)

    def proves_by_threes(self, board: Board, attack: Attack, attacks: int) -> bool:
        """Return whether the side to move is proven to win with at most `attacks` quiet attacks.

        Args:
            board: an unfinished game; unchanged on return.
            attack: called with each position of the attacker; returns the attack to try or None.
            attacks: maximum number of quiet attacks in one line.
        """
        if self.plies_by_fours(board) > 0:
            return True
        if attacks == 0:
            return False
        move = attack(board)
        if move is None:
            return False
        with board.played(move):
            if board.outcome() is not None or not self.is_threatened(board):
                return False
            return all(
                self._is_refuted(board, answer, attack, attacks - 1)
                for answer in list(board.legal_moves)
            )

    def _is_refuted(self, board: Board, answer: Move, attack: Attack, attacks: int) -> bool:
        """Return whether the attacker still wins after the defender's answer.

        Args:
            board: position before the answer; unchanged on return.
            answer: the defender's move.
            attack: function that suggests the attacker's move; see `proves_by_threes`.
            attacks: greatest number of further quiet attacks.
        """
        with board.played(answer):
            return board.outcome() is None and self.proves_by_threes(board, attack, attacks)

    def wins_by_fours_after(self, board: Board, move: Move) -> bool:
        """Return whether a move makes five, or a four after which a win by fours goes on.

        In renju the only answer to a four may be forbidden. In caro there may be another answer at
        the end of the row. So every legal answer is tried under these rules.

        Args:
            board: position before the move.
            move: the move.
        """
        mover = board.to_move
        with board.played(move):
            outcome = board.outcome()
            if outcome is not None:
                return outcome.winner == mover
            five = self.five_of(board, mover)
            if five is None or self.five_of(board, -mover) is not None:
                return False
            is_simple = board.rules.rule in (Rule.FREESTYLE, Rule.STANDARD)
            answers = (five,) if is_simple else tuple(board.legal_moves)
            return all(self.loses_by_fours_after(board, answer) for answer in answers)

    def five_of(self, board: Board, color: int) -> Move | None:
        """Return a point where `color` would make five in a row; None if there is none."""
        found = self._fours.find(board, Limit(nodes=0), color=color)
        return found.line[0] if found.plies == 1 else None

    def loses_by_fours_after(self, board: Board, move: Move) -> bool:
        """Return whether the other side wins by fours after a move.

        If the search for fours is incomplete, the answer is False.
        """
        with board.played(move):
            return board.outcome() is None and self.plies_by_fours(board) > 0
