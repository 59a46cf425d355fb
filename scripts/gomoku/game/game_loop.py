"""The course of one game at the board: asks the seats, shows each move, and heeds requests."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol, TypeVar

from ai import PASS, Choice, GameSession, MoveChoice, Position, Said
from scripts.gomoku.board.board_view import BoardView, NoPointError
from scripts.gomoku.board.view_state import ViewState
from scripts.gomoku.game.match_screen import MatchStatus
from scripts.gomoku.game.table import LiveTable, choice_words
from sim import Wait

Answer = TypeVar("Answer")


class GameHost(Protocol):
    """Interface of whoever lets a game be played: the match, or a game of the user's own."""

    @property
    def board(self) -> BoardView:
        """The board on which the game is shown."""

    @property
    def live(self) -> LiveTable:
        """The seats of the game."""

    @property
    def status_line(self) -> MatchStatus:
        """Says in the status bar what happens."""

    @property
    def is_shown(self) -> bool:
        """Whether the game is displayed."""

    @property
    def pause_after_stone(self) -> float:
        """Seconds to wait after each stone."""

    @property
    def random_opening(self) -> bool:
        """Whether Black's first stone is drawn at random."""

    @property
    def is_waiting(self) -> bool:
        """Whether the game is paused while the board is used for something else."""

    @property
    def is_instant(self) -> bool:
        """Whether the scene runs at unlimited speed."""

    async def wait_while_paused(self) -> bool:
        """Wait while the game is paused; return whether it was."""

    async def answer_of(self, session: GameSession, answer: Awaitable[Answer]) -> Answer:
        """Wait for the answer of a seat.

        Args:
            session: the game.
            answer: gives the answer.

        Raises:
            NoPointError: the answer is not wanted any more.
        """

    def pause_for(self, seconds: float) -> Wait:
        """Return a wait of some seconds of scene time."""

    def note_turn(self, session: GameSession, color: int) -> None:
        """Prepare for the answer of a side; called before its seat is asked."""

    def note_ply(self, session: GameSession, color: int) -> None:
        """Note the move that a side has just played."""

    def note_choice(self, session: GameSession, text: str) -> None:
        """Note a choice in the opening, which the text describes."""

    async def advised(
        self, position: Position, choice: MoveChoice, is_wanted: Callable[[], bool]
    ) -> MoveChoice | None:
        """Tell whoever advises people of a person's move before it is played.

        Args:
            position: the position before the move.
            choice: the move.
            is_wanted: called while waiting; returning False takes the move back.

        Returns:
            The move to play; None if the person takes it back.
        """

    def note_ranks(self, ranks: Sequence[int], by: int = 1) -> None:
        """Note ranks of the learner's moves: played (1), or taken back (-1)."""

    def note_taken_back(self, session: GameSession) -> None:
        """Note that moves were taken back."""

    def note_given_up(self, session: GameSession, color: int) -> None:
        """Note that the player of a side has given up; `session.forfeit` says why."""


async def play_game(host: GameHost, session: GameSession) -> None:
    """Play a game to its end.

    Args:
        host: lets the game be played.
        session: the game.
    """
    while not session.is_over:
        await host.wait_while_paused()
        if session.has_request:
            _undo_requests(host, session)
        elif not session.opening.is_over:
            await _play_opening(host, session)
        else:
            await _play_move(host, session)


async def _play_opening(host: GameHost, session: GameSession) -> None:
    """Ask for the next choice or stones of the opening, and show them.

    If the request is cancelled meanwhile, nothing is played.
    """
    seat = host.live.seat_of(session.to_decide)
    is_person = seat.is_human
    if host.is_shown:
        host.status_line.show_decision(session, seat, host.live.question)
    host.note_turn(session, session.opening.color_of(session.to_decide))
    answer = seat.answer_opening(
        session.opening,
        game=session.game,
        points=session.points,
        color=session.board.to_move,
        seed=session.next_seed,
    )
    try:
        said = await host.answer_of(session, answer)
    except NoPointError:
        return
    await host.wait_while_paused()
    if session.has_request or seat.is_human != is_person:
        return
    for step in said:
        await _play_step(host, session, step, is_person=is_person)


async def _play_step(host: GameHost, session: GameSession, said: Said, *, is_person: bool) -> None:
    """Play one step of the opening: place a stone, or make a choice and apply it to the seats.

    Args:
        host: lets the game be played.
        session: the game.
        said: a point or a choice.
        is_person: whether a person made the step.
    """
    if not isinstance(said, Choice):
        color = session.board.to_move
        session.play(said, is_person=is_person)
        await _show_ply(host, session, color, host.pause_after_stone)
        return
    text = choice_words(session, said, host.board.sides)
    session.decide(said, is_person=is_person)
    host.live.seat_people()
    host.note_choice(session, text)
    if host.is_shown and not host.is_waiting and not host.is_instant:
        await host.pause_for(host.pause_after_stone)


async def _play_move(host: GameHost, session: GameSession) -> None:
    """Ask the seat of the side to move for its move, play it and show it.

    If the request is cancelled meanwhile, nothing is played.
    """
    board = session.board
    color = board.to_move
    seat = host.live.seat_at(color)
    is_person = seat.is_human
    pause = host.pause_after_stone
    if session.play_pass():
        pass
    elif board.ply == 0 and host.random_opening and not is_person:
        session.play_opening()
        pause = 0.0  # drawn by lot: there is nothing to think about
    else:
        if host.is_shown:
            host.status_line.show_turn(session, seat)
        host.note_turn(session, color)
        answer = seat.choose(
            session=0,
            game=session.game,
            moves=tuple(board.moves),
            legal=frozenset(board.legal_moves),
            seed=session.next_seed,
        )
        try:
            choice = await host.answer_of(session, answer)
        except NoPointError:
            return
        await host.wait_while_paused()
        if session.has_request or seat.is_human != is_person:
            return
        if session.gives_up(choice):
            host.note_given_up(session, color)
            return
        if is_person and host.live.rights.hints:
            advised = await host.advised(
                board, choice, lambda: seat.is_human and not session.has_request
            )
            if advised is None:
                return
            choice = advised
        ranked = len(session.ranks)
        session.play_choice(choice, is_person=is_person)
        host.note_ranks(session.ranks[ranked:])
    await _show_ply(host, session, color, pause)


def _undo_requests(host: GameHost, session: GameSession) -> None:
    """Take back the moves and choices that people have asked to take back."""
    before = session.board.ply
    host.note_ranks(session.undo(), -1)
    host.live.seat_people()
    if session.board.ply != before:
        host.note_taken_back(session)
        if host.is_shown:
            host.board.show(ViewState.of(session.board))


async def _show_ply(host: GameHost, session: GameSession, color: int, pause: float) -> None:
    """Note the move that a side has just played, and show it on the board.

    Args:
        host: lets the game be played.
        session: the game.
        color: the side.
        pause: seconds to wait after the stone has landed.
    """
    host.note_ply(session, color)
    if host.is_shown and not host.is_waiting:
        host.status_line.show_ply(session, color)
        await host.board.play(ViewState.of(session.board), pause)


def stone_of(session: GameSession) -> int | None:
    """Return the point of the last move of a game; None after a pass."""
    move = session.board.moves[-1]
    return None if move == PASS else move
