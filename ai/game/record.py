"""A finished game, as it is stored and learnt from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from ai.game.board import Board
from ai.game.errors import IllegalMoveError, RecordError, RulesError
from ai.game.outcome import Outcome, Termination
from ai.game.rules import WHITE, Color, Move, Rules


@dataclass(frozen=True, slots=True)
class GameRecord:
    """One game from the first move to the last."""

    rules: Rules
    moves: tuple[Move, ...]
    winner: Color
    termination: str
    """Value of a `Termination`: "five" or "full"."""
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

    @property
    def outcome(self) -> Outcome:
        """How the game ended."""
        return Outcome(self.winner, Termination(self.termination))

    def board(self, plies: int | None = None) -> Board:
        """Return the position after `plies` moves (all when None).

        Raises:
            RecordError: the moves break the rules.
        """
        try:
            return Board.from_moves(self.moves[:plies], self.rules)
        except IllegalMoveError as error:
            raise RecordError(f"game {self.game}: {error}") from error

    def as_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; the inverse of `from_dict`."""
        return asdict(self) | {"moves": list(self.moves)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> GameRecord:
        """Read what `as_dict` wrote and check it by playing the game over.

        Raises:
            RecordError: a key is missing or wrong, or the game does not end as it says.
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
        outcome = record.board().outcome()
        if outcome is None or (outcome.winner, outcome.termination.value) != (
            record.winner,
            record.termination,
        ):
            raise RecordError(
                f"game {record.game}: expected {outcome}, found winner {record.winner!r} "
                f"by {record.termination!r}"
            )
        return record
