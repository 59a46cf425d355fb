"""What a teacher says of a move, or of an answer to a puzzle."""

from __future__ import annotations

from dataclasses import dataclass

from ai.game import Move


@dataclass(frozen=True, slots=True)
class MoveVerdict:
    """What a move loses. The answer to a question about one move of one position."""

    move: Move
    is_blunder: bool
    """Whether the move loses much, misses a certain win or allows a certain loss."""
    why: str = ""
    """What the move does and what it loses, in words; "" if there is nothing to say."""
    better: Move | None = None
    """A better move; None if none is known."""
    line: tuple[Move, ...] = ()
    """The refutation, which begins with the opponent's answer; or the win that was missed."""
    is_missed_win: bool = False
    """Whether `line` is a win that the move misses, instead of a refutation."""
    is_proven: bool = False
    """Whether what is lost is proven, not only found by a search."""


@dataclass(frozen=True, slots=True)
class AnswerVerdict:
    """Whether an answer to a puzzle is right, and how the puzzle goes on."""

    is_right: bool
    is_solved: bool = False
    """Whether the puzzle ends with this answer."""
    reply: Move | None = None
    """The defender's best reply to a right attack; None if the puzzle has ended."""
    line: tuple[Move, ...] = ()
    """Refutation of a wrong answer, which begins with the other side's reply."""
    why: str = ""
    """What proves or refutes the answer, in words."""
