"""The hall worker: one process that plays and learns on several boards in turn.

Each board is a cell of an experiment (`ai.experiments.cell`) with its own folder. So its games are
those of the command `experiment` with the same seed and settings. After a kill at any moment, send
`OpenBoard` and `PlayUntil` again: the cell continues from its folder. Boards with the same network
share one compiled training loop, so TensorFlow is loaded and traced only once.
"""

from __future__ import annotations

import contextlib
import logging
import shutil
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from ai.experiments.configuration import CellConfiguration, ConfigurationError
from ai.messages.hall import (
    BoardLoaded,
    BoardOpened,
    BoardStopped,
    FinishHall,
    FollowBoard,
    GameFinished,
    GameLearnt,
    HallFinished,
    LoadBoard,
    OpenBoard,
    PauseHall,
    PlayUntil,
    SaveBoard,
    StonePlaced,
)
from ai.messages.learner import LearntSaved
from ai.runs.results import SUMMARY_FILE
from ai.workers.kernels import runs_compiled
from ai.workers.settings import LEARNER_NICE, WorkerSettings, choose_kernels, settle
from base.errors import GoishiError
from base.storage.json_file import write_json
from base.storage.run_folder import RUN_FILE
from base.worker.process import Pipe
from base.worker.service import Report, WorkerRequestError, answer_next

if TYPE_CHECKING:
    from ai.experiments.cell import ExperimentCell
    from ai.game import Position
    from ai.learning.learner import Trainers

log = logging.getLogger(__name__)


class PollingPipe(Pipe, Protocol):
    """A pipe that can be asked whether a message has arrived."""

    def poll(self) -> bool:
        """Return whether a message has arrived, so that `recv` would not wait."""


def main(connection: PollingPipe, settings: WorkerSettings) -> None:
    """Run the worker until the pipe closes."""
    settle(settings, LEARNER_NICE)
    choose_kernels(settings)
    service = HallService(
        lambda payload: connection.send((0, True, payload)), threads=int(settings.get("threads", 1))
    )

    def listen() -> None:
        while service.is_paused or connection.poll():
            answer_next(connection, service.handle)

    with contextlib.suppress(EOFError, ConnectionError):
        while True:
            while service.is_idle or connection.poll():
                answer_next(connection, service.handle)
            service.run_turn(listen)
    service.close()


class ServedBoard:
    """One board of the worker: its cell, the game to play up to, and its pending work."""

    def __init__(self, request: OpenBoard) -> None:
        self.session = request.session
        self.request: OpenBoard | None = request
        self.cell: ExperimentCell | None = None
        self.until: int | None = 0
        self.is_learnt = True

    @property
    def has_work(self) -> bool:
        """Whether there is something to do for the board: open it, play or learn."""
        if self.request is not None:
            return True
        if self.cell is None:
            return False
        return not self.is_learnt or self.until is None or self.cell.games < self.until


class HallService:
    """Holds the boards and works on them in turn; `main` runs the service in a process."""

    def __init__(self, tell: Callable[[object], None], *, threads: int = 1) -> None:
        """Create the service without boards.

        Args:
            tell: called with each message to send to the application.
            threads: number of threads of a training.
        """
        self._tell = tell
        self._threads = threads
        self._boards: dict[int, ServedBoard] = {}
        self._order: deque[int] = deque()
        self._followed: int | None = None
        self._trainers: Trainers | None = None
        self.is_paused = False

    @property
    def is_idle(self) -> bool:
        """Whether there is nothing to do for any board, or the hall is paused."""
        return self.is_paused or not any(board.has_work for board in self._boards.values())

    def handle(self, payload: object, report: Report) -> object:
        """Handle one message; may be called during a game.

        Args:
            payload: the message.
            report: not used.

        Returns:
            The answer to `FinishHall`, `SaveBoard` or `LoadBoard`; otherwise None.

        Raises:
            GoishiError: a file cannot be written, or does not fit.
            WorkerRequestError: the message is unknown, or names an unknown board.
        """
        if isinstance(payload, OpenBoard):
            self._open(payload)
        elif isinstance(payload, PlayUntil):
            if payload.session not in self._boards:
                raise WorkerRequestError(f"expected an open board, found {payload.session!r}")
            self._boards[payload.session].until = payload.game
        elif isinstance(payload, FollowBoard):
            self._followed = payload.session
        elif isinstance(payload, PauseHall):
            self.is_paused = payload.is_paused
        elif isinstance(payload, FinishHall):
            return self._finish()
        elif isinstance(payload, SaveBoard):
            return LearntSaved(self._cell_of(payload.session).save_file(Path(payload.path)).words)
        elif isinstance(payload, LoadBoard):
            cell = self._cell_of(payload.session)
            learnt = cell.load_file(Path(payload.path))
            return BoardLoaded(learnt.words, cell.learner.statistics())
        else:
            raise WorkerRequestError(
                f"expected a message of the hall, found {type(payload).__name__} {payload!r:.100}"
            )
        return None

    def run_turn(self, listen: Callable[[], None] = lambda: None) -> None:
        """Do one piece of work for the next board that needs it: resume it, play a game, or learn.

        Args:
            listen: called after each stone, to handle received messages; an exception aborts and
                discards the game.
        """
        for _ in range(len(self._order)):
            board = self._boards[self._order[0]]
            self._order.rotate(-1)
            if board.has_work:
                break
        else:
            return

        try:
            self._advance(board, listen)
        except (OSError, ConfigurationError, GoishiError) as error:
            self._stop(board, str(error))

    def _cell_of(self, session: int) -> ExperimentCell:
        """Return the cell of an open board, once it has learnt its last game.

        Raises:
            WorkerRequestError: the board is not open, or has stopped.
        """
        board = self._boards.get(session)
        if board is None or board.cell is None or board.request is not None:
            raise WorkerRequestError(f"expected an open board, found {session!r}")
        if not board.is_learnt:
            self._learn(board, board.cell)
        return board.cell

    def close(self) -> None:
        """Write unsaved checkpoints and close all files."""
        self._save()
        for board in self._boards.values():
            if board.cell is not None:
                board.cell.close()

    def _open(self, request: OpenBoard) -> None:
        """Note a request to open a board, which is carried out at the board's next turn."""
        board = self._boards.get(request.session)
        if board is None:
            self._boards[request.session] = ServedBoard(request)
            self._order.append(request.session)
        else:
            board.request = request
            board.until = 0

    def _advance(self, board: ServedBoard, listen: Callable[[], None]) -> None:
        if not board.is_learnt and board.cell is not None:
            self._learn(board, board.cell)
        elif board.request is not None:
            request, board.request = board.request, None
            self._restore_board(board, request)
        elif board.cell is not None:
            self._play(board, board.cell, listen)

    def _restore_board(self, board: ServedBoard, request: OpenBoard) -> None:
        from ai.experiments.cell import ExperimentCell, prepare_folder
        from ai.learning.learner import Trainers

        if board.cell is not None:
            board.cell.save()
            board.cell.close()
            board.cell = None
        configuration = CellConfiguration.from_dict(request.configuration)
        folder = Path(request.folder)
        if request.fresh and (folder / RUN_FILE).exists():
            shutil.rmtree(folder)
        prepare_folder(configuration, folder, resume=True)
        if self._trainers is None:
            self._trainers = Trainers(threads=self._threads)
        cell = ExperimentCell(configuration, folder, trainers=self._trainers)
        cell.restore()
        board.cell = cell
        statistics = cell.learner.statistics()
        self._tell(BoardOpened(board.session, cell.games, statistics, runs_compiled()))
        for record in cell.records()[request.known :]:
            self._tell(GameFinished(board.session, record, (), statistics))

    def _play(self, board: ServedBoard, cell: ExperimentCell, listen: Callable[[], None]) -> None:
        game = cell.games + 1

        def on_move(position: Position) -> None:
            if self._followed == board.session:
                self._tell(StonePlaced(board.session, game, tuple(position.moves)))
            listen()

        played = cell.play(on_move)
        board.is_learnt = False
        self._tell(
            GameFinished(
                board.session, played.record(), tuple(played.ranks), cell.learner.statistics()
            )
        )

    def _learn(self, board: ServedBoard, cell: ExperimentCell) -> None:
        seconds = cell.learn()
        board.is_learnt = True
        self._tell(GameLearnt(board.session, cell.games, seconds, cell.learner.statistics()))

    def _finish(self) -> HallFinished:

        errors = []
        for board in self._boards.values():
            if board.cell is None:
                continue
            try:
                if not board.is_learnt:
                    self._learn(board, board.cell)
                write_json(board.cell.out / SUMMARY_FILE, board.cell.summary())
            except OSError as error:
                errors.append(f"{board.cell.out}: {error}")
        return HallFinished((*errors, *self._save()))

    def _save(self) -> list[str]:
        """Write the unsaved checkpoints of all boards; return error messages."""
        errors = []
        for board in self._boards.values():
            try:
                if board.cell is not None:
                    board.cell.save()
            except (GoishiError, OSError) as error:
                log.warning("%s", error)
                errors.append(str(error))
        return errors

    def _stop(self, board: ServedBoard, reason: str) -> None:
        if board.cell is not None:
            board.cell.close()
        board.cell, board.is_learnt = None, True
        self._tell(BoardStopped(board.session, reason))
