"""The opening of a match's game: asks who decides, shows stones, and says what was chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ai import Choice, GameSession, Said
from scripts.gomoku.board.board_view import NoPointError
from scripts.gomoku.seats.seat import Seat

if TYPE_CHECKING:
    from scripts.gomoku.game.match import Match

NUMBERS = {1: "a stone", 2: "two stones", 3: "three stones"}


class OpeningDialogue:
    """Leads a match through its opening."""

    def __init__(self, match: Match) -> None:
        self._match = match

    @property
    def question(self) -> str:
        """What is to be decided now: "White may swap"; "" where no opening is in progress."""
        session = self._match.session
        if session is None or session.opening.is_over or session.is_over:
            return ""
        phase = session.opening
        side = self._match.board.sides[phase.color_of(phase.decider)]
        if not phase.choices:
            return f"{side} places {NUMBERS[phase.stones_wanted]}"
        more = ", or ask for two more stones" if Choice.TWO_MORE in phase.choices else ""
        return f"{side} may swap{more}"

    async def step(self, session: GameSession) -> None:
        """Ask for the next choice or stones, and show them; or undo what people asked to undo."""
        match = self._match
        await match.unheld()
        if session.has_request:
            match.undo_requests(session)
            return
        seat = match.seat_of(session.to_decide)
        is_person = seat.is_human
        self._tell_turn(seat)
        try:
            said = await seat.answer_opening(
                session.opening,
                game=match.game,
                points=session.points,
                color=session.board.to_move,
                seed=session.next_seed,
            )
        except NoPointError:
            return
        await match.unheld()
        if session.has_request or seat.is_human != is_person:
            return
        for step in said:
            await self._show(session, step, is_person=is_person)

    async def _show(self, session: GameSession, said: Said, *, is_person: bool) -> None:
        """Play one step; a choice seats both people."""
        match, color = self._match, session.board.to_move
        if isinstance(said, Choice):
            text = self._words(session, said)
            session.decide(said, is_person=is_person)
            match.seat_people(session)
            match.screen.tell_choice(text)
            match.choice_made.emit(text)
            if match.is_shown and not match.is_held and not match.time.instant:
                await match.seconds(match.pause_after_stone)
            return
        session.play(said, is_person=is_person)
        await match.show_stone(session, said, color)

    def _words(self, session: GameSession, said: Choice) -> str:
        """Return what a choice means: "White swaps and plays Black"."""
        sides, phase = self._match.board.sides, session.opening
        color = phase.color_of(phase.decider)
        if said is Choice.TWO_MORE:
            return f"{sides[color]} asks for two more stones"
        taken = 1 if said is Choice.BLACK else -1
        if taken == color:
            return f"{sides[color]} stays {sides[color]}"
        return f"{sides[color]} swaps and plays {sides[taken]} now"

    def _tell_turn(self, seat: Seat) -> None:
        match = self._match
        if match.is_shown:
            who = "you" if seat.is_human else f"{seat.label} thinks"
            match.screen.tell(f"Game {match.game} · {self.question}: {who}", busy=not seat.is_human)
