"""The table of a game of the user's own, with its clock."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ai import BLACK, FIRST, SECOND, WHITE, GameSession, Limit, Person
from scripts.gomoku.game.game_clock import GameClock, TimeControl
from scripts.gomoku.game.table import LiveTable, Rights
from scripts.gomoku.seats.seat import Seat
from sim import tr

KEYS = {FIRST: BLACK, SECOND: WHITE}
"""By participant, under which color the clock keeps its time; a swap of colors changes nothing."""
SHORT = 10.0
"""Seconds below which little time is left."""
MOST_PASSED = 0.5
"""Seconds that may pass in one frame, at most: what is more is a window that stood still."""


class OwnTable(LiveTable):
    """Two seats that play a game of the user's own."""

    leave_label = tr("Back to the match")

    def __init__(
        self,
        seats: Callable[[], tuple[Seat, Seat]],
        sides: Callable[[], Mapping[int, str]],
        leave: Callable[[], object],
    ) -> None:
        """Create the table, without a game.

        Args:
            seats: function that returns the two seats, first the one that begins.
            sides: function that returns the names of the colors.
            leave: called when a person leaves the game.
        """
        super().__init__(seats, sides, lambda text: None)
        self.rights = Rights(swaps=False)
        self._leave = leave

    def begin(self, session: GameSession, rights: Rights) -> None:
        """Set the game that is played from now on.

        Args:
            session: the game.
            rights: what people may do in it.
        """
        self.session, self.rights = session, rights
        self.seat_people()

    @property
    def people(self) -> list[int]:
        """Colors played by people; empty between games, and while the game is paused."""
        if self.session is None or self.session.is_over:
            return []
        return super().people

    def leave(self) -> str:
        """Return to the match; the game waits."""
        self._leave()
        return ""


class OwnClock:
    """The clock of a game: says whose time runs, and whose flag falls.

    A person's flag falls when the time is over. A player is charged with the seconds that it has
    thought, and not with the way of its answer.

    Attributes:
        clock: the time of both sides.
    """

    def __init__(self, control: TimeControl, now: Callable[[], float]) -> None:
        """Give both sides their full time.

        Args:
            control: how much time they have.
            now: function that returns the present time, seconds.
        """
        self.clock = GameClock(control)
        self._now = now
        self._seen = now()
        self._turn: Person | None = None
        self._is_person = False
        self._running = 0.0

    def begin_turn(self, participant: Person, *, is_person: bool) -> None:
        """Let the time of a participant run.

        Args:
            participant: FIRST or SECOND.
            is_person: whether a person plays there.
        """
        self._turn, self._is_person, self._running = participant, is_person, 0.0
        self._seen = self._now()

    def tick(self, *, is_paused: bool) -> Person | None:
        """Let time pass since the last call.

        Args:
            is_paused: whether nothing runs.

        Returns:
            The participant whose flag falls now; None if none does.
        """
        now = self._now()
        passed, self._seen = min(max(0.0, now - self._seen), MOST_PASSED), now
        turn = self._turn
        if turn is None or is_paused or not self.clock.is_on:
            return None
        key = KEYS[turn]
        if self._is_person:
            return turn if self.clock.spend(key, passed) else None
        self._running += passed
        return turn if self.clock.is_late(key, self._running) else None

    def end_turn(self, thought: float) -> bool:
        """Stop the running time; charge a player with what it has thought.

        Args:
            thought: seconds that the player has thought; ignored for a person.

        Returns:
            Whether its flag has fallen.
        """
        turn, running = self._turn, self._running
        self._turn, self._running = None, 0.0
        if turn is None or not self.clock.is_on:
            return False
        key = KEYS[turn]
        spent = 0.0 if self._is_person else min(running, thought)
        has_fallen = self.clock.spend(key, spent)
        if not has_fallen:
            self.clock.move_made(key)
        return has_fallen

    def limit(self, participant: Person, free_points: int, most: float | None) -> Limit:
        """Return how long the player of a participant may think about its next move.

        Args:
            participant: FIRST or SECOND.
            free_points: number of empty points on the board.
            most: thinking time of a move that was chosen, seconds; None for none.
        """
        return self.clock.limit(KEYS[participant], free_points, most)

    def is_short(self, participant: Person) -> bool:
        """Return whether a participant has little time left before its flag falls."""
        return self.clock.is_on and self.clock.left(KEYS[participant]) < SHORT

    def left(self, participant: Person) -> float:
        """Return the seconds until the flag of a participant falls."""
        return round(self.clock.left(KEYS[participant]), 1)

    def text(self, participant: Person) -> str:
        """Return what a participant has left, as text; empty without a clock."""
        is_thinking = participant is self._turn and not self._is_person
        return self.clock.text(KEYS[participant], self._running if is_thinking else 0.0)
