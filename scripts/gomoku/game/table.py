"""The game that people at the board play: the live one, or a side game."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from ai import BLACK, FIRST, SECOND, WHITE, Choice, GameSession, Person
from scripts.gomoku.seats.seat import Seat

NUMBERS = {1: "a stone", 2: "two stones", 3: "three stones"}


class SeatTable(Protocol):
    """A game as the panel "Your seat" controls it."""

    @property
    def title(self) -> str:
        """Text before the seats; "" for the live game."""

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
        """Choices that a person has now in the opening; may be empty."""

    @property
    def question(self) -> str:
        """The decision to make in the opening; "" after it."""

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
        """Leave the game; return "", or a question if it must be confirmed by a second call."""


class LiveTable:
    """The live game and the two seats that play it.

    Attributes:
        session: the game, None before the first.
        is_paused: whether the board is used for something else; nobody is asked meanwhile.
    """

    title = ""
    leave_label = "Leave"

    def __init__(
        self,
        seats: Callable[[], tuple[Seat, Seat]],
        sides: Callable[[], Mapping[int, str]],
        say: Callable[[str], object],
    ) -> None:
        """Begin without a game.

        Args:
            seats: returns the seats, first that of who begins.
            sides: returns what the colors are called.
            say: writes a line to the console.
        """
        self.session: GameSession | None = None
        self.is_paused = False
        self._seats, self._sides, self._say = seats, sides, say

    def seat_of(self, person: Person) -> Seat:
        """Return the seat of a person, whatever color it plays."""
        return self._seats()[0 if person == FIRST else 1]

    def seat_at(self, color: int) -> Seat:
        """Return the seat that plays a color now, after a swap the other one."""
        if self.session is not None:
            return self.seat_of(self.session.opening.person_at(color))
        return self._seats()[0 if color == BLACK else 1]

    def seat_people(self) -> None:
        """Let each seat play its color of the opening."""
        if self.session is not None:
            for person in (FIRST, SECOND):
                self.seat_of(person).color = self.session.opening.color_of(person)

    def pause(self, *, is_paused: bool) -> None:
        """Ask nobody for a move, or go on asking."""
        self.is_paused = is_paused
        for seat in self._seats():
            seat.is_away = is_paused

    def toggle_person(self, color: int) -> Seat:
        """Seat a person on a side, or return the seat to its player; return the seat."""
        seat = self.seat_at(color)
        seat.is_human = not seat.is_human
        self._say(f"{self._sides()[color]} is played by {seat.label}")
        return seat

    @property
    def people(self) -> list[int]:
        """Colors played by people; empty while the match is paused."""
        return [c for c in (BLACK, WHITE) if self.seat_at(c).is_human and not self.is_paused]

    @property
    def offered(self) -> tuple[Choice, ...]:
        """What a person may choose now in the opening."""
        first, second = self._seats()
        return () if self.is_paused else first.offered or second.offered

    @property
    def question(self) -> str:
        """What is to be decided in the opening: "White may swap"; "" after it."""
        session = self.session
        if session is None or session.opening.is_over or session.is_over:
            return ""
        phase = session.opening
        side = self._sides()[phase.color_of(phase.decider)]
        if not phase.choices:
            return f"{side} places {NUMBERS[phase.stones_wanted]}"
        more = ", or ask for two more stones" if Choice.TWO_MORE in phase.choices else ""
        return f"{side} may swap{more}"

    def choose(self, choice: Choice) -> bool:
        """Make a person's choice; False where it is not offered now."""
        return any(seat.choose_color(choice) for seat in self._seats())

    def take_back(self) -> bool:
        """Undo a person's last move and the reply; False if there is none."""
        return self.session is not None and self.session.request_undo() and self._recall()

    def resign(self, color: int) -> bool:
        """Resign for a person; False if no game is in progress."""
        return self.session is not None and self.session.resign(color) and self._recall()

    def _recall(self) -> bool:
        for seat in self._seats():
            seat.recall()
        return True

    def swap_sides(self) -> None:
        """Let a person and a player change seats."""
        for seat in self._seats():
            seat.is_human = not seat.is_human

    def player_of(self, color: int) -> str:
        """Return the name of the player at a seat, "" for a person."""
        seat = self.seat_at(color)
        has_engine = not seat.is_human and seat.player and seat.info.explains
        return seat.player if has_engine else ""

    def leave(self) -> str:
        """Return the seats to their players."""
        for color in self.people:
            self.toggle_person(color)
        return ""


def choice_words(session: GameSession, choice: Choice, sides: Mapping[int, str]) -> str:
    """Describe a choice in an opening: "White swaps and plays Black now".

    Args:
        session: the game before it.
        choice: an offered choice.
        sides: names of the colors.
    """
    phase = session.opening
    color = phase.color_of(phase.decider)
    if choice is Choice.TWO_MORE:
        return f"{sides[color]} asks for two more stones"
    taken = BLACK if choice is Choice.BLACK else WHITE
    if taken == color:
        return f"{sides[color]} stays {sides[color]}"
    return f"{sides[color]} swaps and plays {sides[taken]} now"
