"""The game that people at the board play: the live one, or a side game."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from ai import BLACK, FIRST, SECOND, WHITE, Choice, GameSession, Person
from scripts.gomoku.seats.seat import Seat
from sim import tr

NUMBERS = {1: tr("a stone"), 2: tr("two stones"), 3: tr("three stones")}


@dataclass(frozen=True)
class Rights:
    """What people may do in a game.

    Attributes:
        takes_back: whether moves may be taken back.
        hints: whether hints may be asked for.
        swaps: whether the sides may be changed during the game.
        draws: whether a draw may be offered.
    """

    takes_back: bool = True
    hints: bool = True
    swaps: bool = True
    draws: bool = True


class SeatTable(Protocol):
    """Interface of a game that the panel "Your seat" controls.

    It is the live game, a side game, or a game of the user's own.
    """

    @property
    def rights(self) -> Rights:
        """What people may do in the game."""

    @property
    def title(self) -> str:
        """Text before the names of the seats in the panel; empty for the live game."""

    @property
    def leave_label(self) -> str:
        """Label of the button that leaves the game."""

    @property
    def people(self) -> list[int]:
        """Colors played by people; empty while nothing is played."""

    @property
    def session(self) -> GameSession | None:
        """The game in progress, or the last one; None before the first."""

    @property
    def offered(self) -> tuple[Choice, ...]:
        """Choices that the opening offers to a person now; empty if there are none."""

    @property
    def question(self) -> str:
        """What must be decided in the opening, as text; empty after the opening."""

    def choose(self, choice: Choice) -> bool:
        """Make a person's choice; False where it is not offered now."""

    def take_back(self) -> bool:
        """Take back a person's last move, and the reply to it.

        Returns:
            Whether there was such a move.
        """

    def resign(self, color: int) -> bool:
        """Resign for the person who plays `color`; return False if no game is in progress."""

    def agree_draw(self) -> bool:
        """End the game as a draw; return False if no game is in progress."""

    def swap_sides(self) -> None:
        """Let the person and the other player exchange their seats."""

    def player_of(self, color: int) -> str:
        """Return the name of the player that plays `color`; empty for a person."""

    def leave(self) -> str:
        """Leave the game; the first call may ask for confirmation instead.

        Returns:
            An empty text if the game was left. Else a question for the user; a second call leaves
            the game.
        """


class GuestGame(Protocol):
    """Interface of a game of the user's own, at the board in front of the live game."""

    @property
    def live(self) -> LiveTable:
        """Its table."""

    def pause(self) -> None:
        """Suspend the game while the board is used for something else."""

    def resume(self) -> None:
        """Continue the game and show it again."""

    def note(self) -> str:
        """Return a line for the scoreboard, such as "Your game · 15x15"."""

    def clock_text(self, color: int) -> str:
        """Return what a side has left on its clock, as text; empty without a clock."""

    def is_short(self, color: int) -> bool:
        """Return whether a side has little time left."""

    def name_of(self, color: int) -> str:
        """Return the name of the player of a side, with its strength."""

    def points_of(self, color: int) -> float:
        """Return the points of the player of a side in the games of these two."""


class LiveTable:
    """The live game and the two seats that play it.

    Attributes:
        session: the game in progress or the last one; None before the first.
        is_paused: whether the board is used for something else; then no seat is asked for a move.
    """

    title = ""
    leave_label = tr("Leave")
    rights = Rights()

    def __init__(
        self,
        seats: Callable[[], tuple[Seat, Seat]],
        sides: Callable[[], Mapping[int, str]],
        say: Callable[[str], object],
    ) -> None:
        """Create the table, without a game.

        Args:
            seats: function that returns the two seats, first the one that begins.
            sides: function that returns the names of the colors.
            say: called with a line of text to write to the console.
        """
        self.session: GameSession | None = None
        self.is_paused = False
        self._seats, self._sides, self._say = seats, sides, say

    def seat_of(self, person: Person) -> Seat:
        """Return the seat of a participant, whatever color it plays.

        Args:
            person: FIRST for the one who begins, else SECOND.
        """
        return self._seats()[0 if person == FIRST else 1]

    def seat_at(self, color: int) -> Seat:
        """Return the seat that plays `color` now; after a swap of colors it is the other seat."""
        if self.session is not None:
            return self.seat_of(self.session.opening.person_at(color))
        return self._seats()[0 if color == BLACK else 1]

    def seat_people(self) -> None:
        """Set the color of each seat, according to the choices made in the opening."""
        if self.session is not None:
            for person in (FIRST, SECOND):
                self.seat_of(person).color = self.session.opening.color_of(person)

    def pause(self, *, is_paused: bool) -> None:
        """Stop asking the seats for moves, or continue."""
        self.is_paused = is_paused
        for seat in self._seats():
            seat.is_away = is_paused

    def toggle_person(self, color: int) -> Seat:
        """Let a person play a color; if a person plays it already, its player takes over again.

        Args:
            color: the color.

        Returns:
            The seat that plays the color.
        """
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
        """Choices that the opening offers to a person now; empty while paused."""
        first, second = self._seats()
        return () if self.is_paused else first.offered or second.offered

    @property
    def question(self) -> str:
        """What must be decided in the opening, for example "White may swap"; empty after it."""
        session = self.session
        if session is None or session.opening.is_over or session.is_over:
            return ""
        phase = session.opening
        side = self._sides()[phase.color_of(phase.decider)]
        if not phase.choices:
            return tr("{side} places {number}").format(
                side=side, number=NUMBERS[phase.stones_wanted]
            )
        more = tr(", or ask for two more stones") if Choice.TWO_MORE in phase.choices else ""
        return tr("{side} may swap{more}").format(side=side, more=more)

    def choose(self, choice: Choice) -> bool:
        """Make a person's choice; False where it is not offered now."""
        return any(seat.choose_color(choice) for seat in self._seats())

    def take_back(self) -> bool:
        """Take back a person's last move, and the reply to it.

        Returns:
            Whether there was such a move.
        """
        return self.session is not None and self.session.request_undo() and self.recall()

    def resign(self, color: int) -> bool:
        """Resign for the person who plays `color`; return False if no game is in progress."""
        return self.session is not None and self.session.resign(color) and self.recall()

    def agree_draw(self) -> bool:
        """End the game as a draw; return False if no game is in progress."""
        return self.session is not None and self.session.agree_draw() and self.recall()

    def recall(self) -> bool:
        """Cancel what people are asked for; return True."""
        for seat in self._seats():
            seat.recall()
        return True

    def swap_sides(self) -> None:
        """Let the person and the other player exchange their seats."""
        for seat in self._seats():
            seat.is_human = not seat.is_human

    def player_of(self, color: int) -> str:
        """Return the name of the player that plays `color`.

        It is empty for a person, and for a player that explains nothing.
        """
        seat = self.seat_at(color)
        has_engine = not seat.is_human and seat.player and seat.info.explains
        return seat.player if has_engine else ""

    def leave(self) -> str:
        """Give each seat that a person plays back to its player.

        Returns:
            An empty text, because no confirmation is needed.
        """
        for color in self.people:
            self.toggle_person(color)
        return ""


def choice_words(session: GameSession, choice: Choice, sides: Mapping[int, str]) -> str:
    """Return a sentence about a choice in an opening: "White swaps and plays Black now".

    Args:
        session: the game before the choice.
        choice: one of the offered choices.
        sides: names of the colors.
    """
    phase = session.opening
    color = phase.color_of(phase.decider)
    if choice is Choice.TWO_MORE:
        return tr("{side} asks for two more stones").format(side=sides[color])
    taken = BLACK if choice is Choice.BLACK else WHITE
    if taken == color:
        return tr("{side} stays {side}").format(side=sides[color])
    return tr("{side} swaps and plays {side2} now").format(side=sides[color], side2=sides[taken])
