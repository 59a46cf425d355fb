"""`GameRecord`: a finished game as it is stored and learnt from."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from ai.game.board import Board
from ai.game.errors import IllegalMoveError, RecordError, RulesError
from ai.game.outcome import Outcome, Termination
from ai.game.rules import BLACK, WHITE, Color, Move, Rules
from base.values import JsonObject


@dataclass(frozen=True, slots=True)
class GameRecord:
    """One game from the first move to the last."""

    rules: Rules
    moves: tuple[Move, ...]
    winner: Color
    termination: str
    """Value of a `Termination`: "five", "full" or "resigned"."""
    game: int
    """Number of the game in its run, from 1."""
    learner_color: Color = WHITE
    """The side that learns from it."""

    @classmethod
    def from_board(cls, board: Board, game: int, learner_color: Color = WHITE) -> GameRecord:
        """Record a finished game.

        Raises:
            RecordError: the game is not over.
        """
        outcome = board.outcome()
        if outcome is None:
            raise RecordError(f"expected a finished game, found one at ply {board.ply}")
        return cls(
            rules=board.rules,
            moves=tuple(board.moves),
            winner=outcome.winner,
            termination=outcome.termination.value,
            game=game,
            learner_color=learner_color,
        )

    @classmethod
    def from_resignation(
        cls, board: Board, game: int, *, loser: Color, learner_color: Color = WHITE
    ) -> GameRecord:
        """Record a game that the side `loser` resigned.

        Raises:
            RecordError: the game is over already, or `loser` is no color.
        """
        if board.outcome() is not None or loser not in (BLACK, WHITE):
            raise RecordError(
                f"expected a game that goes on and a side, found {board.outcome()} and {loser!r}"
            )
        return cls(
            rules=board.rules,
            moves=tuple(board.moves),
            winner=-loser,
            termination=Termination.RESIGNED.value,
            game=game,
            learner_color=learner_color,
        )

    @property
    def outcome(self) -> Outcome:
        """How the game ended."""
        return Outcome(self.winner, Termination(self.termination))

    def board(self, plies: int | None = None) -> Board:
        """Return the position after `plies` moves (None: all).

        Raises:
            RecordError: the moves break the rules.
        """
        try:
            return Board.from_moves(self.moves[:plies], self.rules)
        except IllegalMoveError as error:
            raise RecordError(f"game {self.game}: {error}") from error

    def as_dict(self) -> JsonObject:
        """Return plain values for JSON; the inverse of `from_dict`."""
        return asdict(self) | {"rules": self.rules.as_dict(), "moves": list(self.moves)}

    @classmethod
    def from_dict(cls, values: JsonObject) -> GameRecord:
        """Read the result of `as_dict`, validated by replaying the game.

        Raises:
            RecordError: a key is missing or invalid, or replaying gives another outcome.
        """
        try:
            record = cls(
                rules=Rules(**values["rules"]),
                moves=tuple(values["moves"]),
                winner=values["winner"],
                termination=values["termination"],
                game=values["game"],
                learner_color=values["learner_color"],
            )
        except KeyError as error:
            raise RecordError(f"expected the key {error.args[0]!r}, found none") from None
        except (TypeError, RulesError) as error:
            raise RecordError(f"expected a game record, found {error}") from error
        record._check_end()
        return record

    def _check_end(self) -> None:
        """Raise RecordError where the board does not end as the record says."""
        outcome = self.board().outcome()
        if self.termination == Termination.RESIGNED.value:
            is_sound = outcome is None and self.winner in (BLACK, WHITE)
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
