"""`GameRecord`: a finished game, as it is stored and used for learning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ai.game.board import replayed
from ai.game.game import Game, Outcome, Position, Termination
from ai.game.move import BLACK, EMPTY, WHITE, Color, IllegalMoveError, Move, RecordError, RulesError
from ai.game.opening import OpeningPhase, Person
from ai.game.rules import game_of
from base.values import JsonObject


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A finished game: rules, all moves and the result."""

    rules: Game
    moves: tuple[Move, ...]
    winner: Color
    termination: str
    """How the game ended, a value of `Termination` such as "five", "foul" or "resigned"."""
    game: int
    """Number of the game in its run, from 1."""
    learner_color: Color = WHITE
    """The side that learns from it."""
    opening: OpeningPhase | None = None
    """The opening, whose stones are the first moves; None if the game had none."""

    @classmethod
    def from_board(
        cls,
        board: Position,
        game: int,
        learner_color: Color = WHITE,
        opening: OpeningPhase | None = None,
    ) -> GameRecord:
        """Create the record of a finished game.

        Args:
            board: final position.
            game: number of the game in its run, from 1.
            learner_color: the side that learns from the game.
            opening: the opening of the game; None if it had none.

        Raises:
            RecordError: the game is not over.
        """
        outcome = board.outcome()
        if outcome is None:
            raise RecordError(f"expected a finished game, found one at ply {board.ply}")
        return cls._ended(board, outcome, game, learner_color, opening)

    @classmethod
    def from_resignation(
        cls,
        board: Position,
        game: int,
        *,
        loser: Color,
        learner_color: Color = WHITE,
        opening: OpeningPhase | None = None,
    ) -> GameRecord:
        """Create the record of a game that one side resigned.

        Args:
            board: final position.
            game: number of the game in its run, from 1.
            loser: the side that resigned, BLACK or WHITE.
            learner_color: the side that learns from the game.
            opening: the opening of the game; None if it had none.

        Raises:
            RecordError: the game is already over, or `loser` is not a color.
        """
        outcome = Outcome(-loser, Termination.RESIGNED)
        return cls.from_decision(
            board, game, outcome=outcome, learner_color=learner_color, opening=opening
        )

    @classmethod
    def from_decision(
        cls,
        board: Position,
        game: int,
        *,
        outcome: Outcome,
        learner_color: Color = WHITE,
        opening: OpeningPhase | None = None,
    ) -> GameRecord:
        """Create the record of a game that was decided off the board.

        Args:
            board: final position.
            game: number of the game in its run, from 1.
            outcome: the result: a resignation, a flag that fell, or a draw that was agreed.
            learner_color: the side that learns from the game.
            opening: the opening of the game; None if it had none.

        Raises:
            RecordError: the game is already over on the board, or it cannot end so.
        """
        if board.outcome() is not None or not _is_decision(outcome.termination, outcome.winner):
            raise RecordError(
                f"expected a game that goes on, and a result off the board, "
                f"found {board.outcome()} and {outcome}"
            )
        return cls._ended(board, outcome, game, learner_color, opening)

    @classmethod
    def _ended(
        cls,
        board: Position,
        outcome: Outcome,
        game: int,
        learner_color: Color,
        opening: OpeningPhase | None,
    ) -> GameRecord:
        end = outcome.winner, outcome.termination.value
        return cls(board.rules, tuple(board.moves), *end, game, learner_color, opening)

    @property
    def winning_person(self) -> Person | None:
        """The person who won, after any swap of colors in the opening; None for a draw."""
        return self.person_at(self.winner) if self.winner else None

    def person_at(self, color: Color) -> Person:
        """Return the person who played a color, after any swap of colors in the opening.

        Args:
            color: BLACK or WHITE.
        """
        return (self.opening or OpeningPhase(self.rules)).person_at(color)

    @property
    def outcome(self) -> Outcome:
        """The result: the winner and how the game ended."""
        return Outcome(self.winner, Termination(self.termination))

    def board(self, plies: int | None = None) -> Position:
        """Return the position after the first `plies` moves; None for all moves.

        Raises:
            RecordError: the moves break the rules.
        """
        try:
            return replayed(self.rules, self.moves[:plies])
        except IllegalMoveError as error:
            raise RecordError(f"game {self.game}: {error}") from error

    def as_dict(self) -> JsonObject:
        """Return plain values for JSON; the inverse of `from_dict`."""
        values: JsonObject = {
            "rules": self.rules.as_dict(),
            "moves": list(self.moves),
            "winner": self.winner,
            "termination": self.termination,
            "game": self.game,
            "learner_color": self.learner_color,
        }
        if self.opening is not None:
            values["opening"] = self.opening.as_dict()
        return values

    @classmethod
    def from_dict(cls, values: JsonObject) -> GameRecord:
        """Read the result of `as_dict`, validated by replaying the game.

        Raises:
            RecordError: a key is missing or invalid, or replaying gives another outcome.
        """
        try:
            rules = game_of(values["rules"])
            opening = values.get("opening")
            record = cls(
                rules=rules,
                moves=tuple(values["moves"]),
                winner=values["winner"],
                termination=values["termination"],
                game=values["game"],
                learner_color=values["learner_color"],
                opening=None if opening is None else OpeningPhase.from_dict(rules, opening),
            )
        except KeyError as error:
            raise RecordError(f"expected the key {error.args[0]!r}, found none") from None
        except (TypeError, RulesError) as error:
            raise RecordError(f"expected a game record, found {error}") from error
        record._check_end()
        return record

    def _check_end(self) -> None:
        """Raise RecordError if the outcome on the board differs from the record's."""
        begun = () if self.opening is None else self.opening.stones
        if self.moves[: len(begun)] != begun:
            raise RecordError(
                f"game {self.game}: expected the stones of its opening {begun}, "
                f"found {self.moves[: len(begun)]}"
            )
        outcome = self.board().outcome()
        if self.termination in _OFF_BOARD:
            is_sound = outcome is None and _is_decision(self.outcome.termination, self.winner)
        else:
            is_sound = outcome is not None and (outcome.winner, outcome.termination.value) == (
                self.winner,
                self.termination,
            )
        if not is_sound:
            raise RecordError(
                f"game {self.game}: expected {outcome}, found winner {self.winner!r} "
                f"by {self.termination!r}"
            )


_OFF_BOARD: Final = frozenset(end.value for end in Termination if not end.is_on_board)


def _is_decision(termination: Termination, winner: Color) -> bool:
    """Return whether a game can end so without the board showing it.

    Args:
        termination: how the game ended.
        winner: who won; EMPTY for a draw.
    """
    if termination.is_on_board:
        return False
    return winner in ((EMPTY,) if termination is Termination.AGREED else (BLACK, WHITE))
