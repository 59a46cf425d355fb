"""Messages between the application and a teacher in a worker: moves, puzzles, positions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ai.game import Game, Move, Rules


@dataclass(frozen=True, slots=True)
class JudgeMove:
    """Say what a move loses; answered with `ai.MoveVerdict`."""

    rules: Game
    moves: tuple[Move, ...]
    """All moves of the game so far."""
    move: Move


@dataclass(frozen=True, slots=True)
class ValuePosition:
    """Value a position; answered with `ai.PositionValue`. Proven wins by threats count as won.

    The value is kept, so that a move in this position is judged faster.
    """

    rules: Game
    moves: tuple[Move, ...]
    """All moves of the game so far."""


@dataclass(frozen=True, slots=True)
class JudgeAnswer:
    """Say whether an answer to a puzzle is right; answered with `ai.AnswerVerdict`."""

    rules: Rules
    moves: tuple[Move, ...]
    """All moves that lead to the position."""
    kind: str
    """Kind of the puzzle: "fours", "threes", "defence" or "quiet"."""
    move: Move
    """The answer."""
    best: tuple[Move, ...]
    """The stored right moves."""


@dataclass(frozen=True, slots=True)
class FindAnswer:
    """Find a right move of a puzzle; answered with `AnswerFound`."""

    rules: Rules
    moves: tuple[Move, ...]
    """All moves that lead to the position."""
    kind: str
    """Kind of the puzzle."""
    best: tuple[Move, ...]
    """The stored right moves of the puzzle's first position; () after it."""


@dataclass(frozen=True, slots=True)
class AnswerFound:
    """A right move; the answer to `FindAnswer`."""

    move: Move | None
    """The move; None if none is proven."""
