"""The game that people at the board play: the live one, or a side game."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from ai import BLACK, WHITE, Choice, GameSession

if TYPE_CHECKING:
    from scripts.gomoku.game.match import Match


class Table(Protocol):
    """What the panel "Your seat" does to a game."""

    @property
    def title(self) -> str:
        """Said before the seats; "" for the live game."""

    @property
    def leave_label(self) -> str:
        """Text of the button that leaves it."""

    @property
    def people(self) -> list[int]:
        """Colors played by people; empty while nothing is played."""

    @property
    def session(self) -> GameSession | None:
        """The game, None before the first."""

    @property
    def offered(self) -> tuple[Choice, ...]:
        """What a person may choose now in the opening; empty where nothing."""

    @property
    def question(self) -> str:
        """What is to be decided in the opening, "" after it."""

    def choose(self, choice: Choice) -> bool:
        """Make a person's choice; False where it is not offered now."""

    def take_back(self) -> bool:
        """Undo a person's last move and the reply; False if there is none."""

    def resign(self, color: int) -> bool:
        """Resign for a person; False if no game is in progress."""

    def swap_sides(self) -> None:
        """Let a person and a player change seats."""

    def player_of(self, color: int) -> str:
        """Return the name of the player at a seat, "" for a person."""

    def leave(self) -> str:
        """Leave the game; return "", or a question where it must be asked for once more."""


class LiveTable:
    """The match itself."""

    title = ""
    leave_label = "Leave"

    def __init__(self, match: Match) -> None:
        self._match = match

    @property
    def people(self) -> list[int]:
        """Colors played by people; empty while the match is suspended."""
        match = self._match
        return [c for c in (BLACK, WHITE) if match.seat_at(c).is_human and not match.is_held]

    @property
    def session(self) -> GameSession | None:
        """The live game, None before the first."""
        return self._match.session

    @property
    def offered(self) -> tuple[Choice, ...]:
        """What a person may choose now in the opening."""
        match = self._match
        return () if match.is_held else match.black.offered or match.white.offered

    @property
    def question(self) -> str:
        """What is to be decided in the opening, "" after it."""
        return self._match.dialogue.question

    def choose(self, choice: Choice) -> bool:
        """Make a person's choice; False where it is not offered now."""
        return any(seat.choose_color(choice) for seat in (self._match.black, self._match.white))

    def take_back(self) -> bool:
        """Undo a person's last move and the reply; False if there is none."""
        return self._match.take_back()

    def resign(self, color: int) -> bool:
        """Resign for a person; False if no game is in progress."""
        return self._match.resign(color)

    def swap_sides(self) -> None:
        """Let a person and a player change seats."""
        for seat in (self._match.black, self._match.white):
            seat.is_human = not seat.is_human

    def player_of(self, color: int) -> str:
        """Return the name of the player at a seat, "" for a person."""
        seat = self._match.seat_at(color)
        has_engine = not seat.is_human and seat.player and seat.info.explains
        return seat.player if has_engine else ""

    def leave(self) -> str:
        """Return the seats to their players."""
        for color in self.people:
            self._match.take_over(color)
        return ""
