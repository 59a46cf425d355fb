"""A game that is played on from a position that was set up, beside any match."""

from __future__ import annotations

from collections.abc import Callable

from ai import (
    BLACK,
    WHITE,
    GameRecord,
    GameSession,
    OptionError,
    Position,
    UnknownPlayerError,
    color_name,
)
from ai.messages import Configure
from scripts.gomoku.board.board_view import BoardView, NoPointError
from scripts.gomoku.board.view_state import ViewState
from scripts.gomoku.game.match_report import row_text
from scripts.gomoku.history.explained import YOU
from scripts.gomoku.seats.seat import PlayerWorker
from sim import Script, Task, WorkerError, tr, wording

ENDS = {
    "full": tr("full board"),
    "foul": tr("a foul"),
    "score": tr("more stones"),
}
"""How a game ended, by the name of its termination."""


class PositionGame:
    """Plays a game from a position, with a person or a player on each side.

    Attributes:
        session: the game; None before the first.
        seated: player of each color, "you" for a person.
    """

    def __init__(
        self,
        script: Script,
        board: BoardView,
        tell: Callable[[str], object],
        ended: Callable[[Position], object],
    ) -> None:
        """Create the game; nothing is played yet.

        Args:
            script: owner of the workers and coroutines.
            board: board on which it is played.
            tell: called with a line of text about what happens.
            ended: called with the last position when a game has come to its end.
        """
        self.session: GameSession | None = None
        self.seated = {BLACK: YOU, WHITE: "alpha-beta"}
        self._script, self._board = script, board
        self._tell, self._ended = tell, ended
        self._task: Task | None = None
        self._players = {
            color: PlayerWorker(
                script, wording("position, {color_name}").format(color_name=color_name(color))
            )
            for color in (BLACK, WHITE)
        }

    @property
    def is_running(self) -> bool:
        """Whether a game is in progress."""
        return self._task is not None and not self._task.done

    def begin(self, record: GameRecord) -> None:
        """Play on from the last position of a record."""
        self.stop()
        session = self.session = GameSession.from_record(record)
        self._board.show(ViewState.of(session.board))
        self._task = self._script.start_coroutine(self._play(session))

    def stop(self) -> None:
        """End the game where it stands."""
        if self._task is not None:
            self._task.cancel()
            self._task = None

    def take_back(self) -> bool:
        """Take back a person's last move and the answer; return whether there was one."""
        return self.is_running and self.session is not None and self.session.request_undo()

    async def _play(self, session: GameSession) -> None:
        try:
            while not session.is_over:
                if session.has_request:
                    session.undo()
                    self._board.show(ViewState.of(session.board))
                elif session.play_pass() or await self._play_move(session):
                    await self._board.play(ViewState.of(session.board))
        except (WorkerError, OptionError, UnknownPlayerError) as error:
            self._tell(tr("The game ended: {error}").format(error=error))
            return
        outcome = session.outcome()
        self._ended(session.board)
        if outcome is not None:
            won = (
                tr("{color_name} wins").format(
                    color_name=wording(color_name(outcome.winner).capitalize())
                )
                if outcome.winner
                else tr("A draw")
            )
            self._tell(
                wording("{won} ({value})").format(
                    won=won,
                    value=row_text(session.board.rules)
                    if outcome.termination.value == "five"
                    else ENDS.get(outcome.termination.value, ""),
                )
            )

    async def _play_move(self, session: GameSession) -> bool:
        """Ask the side to move for a move and play it; return whether one was played."""
        board, color = session.board, session.board.to_move
        side, name = wording(color_name(color).capitalize()), self.seated[color]
        if name == YOU:
            self._tell(tr("{side}: your turn, click a point").format(side=side))
            try:
                move = await self._board.ask_point(
                    frozenset(board.legal_moves), color, is_wanted=lambda: not session.has_request
                )
            except NoPointError:
                return False
            session.play(move, is_person=True)
            return True
        self._tell(tr("{side}: {name} thinks").format(side=side, name=name))
        worker = self._players[color]
        await worker.sit_down(Configure(name, board.rules, color=color))
        seed = int(self._script.rng.integers(2**48))
        choice = (await worker.choose(tuple(board.moves), seed=seed, may_give_up=True)).choice
        if session.has_request or session.gives_up(choice):
            return False
        session.play_choice(choice)
        return True
