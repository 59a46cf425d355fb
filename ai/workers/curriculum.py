"""The worker of a training shown in a scene: runs AlphaGomoku's curriculum, reports progress.

The training is the same as that of the command `train alphagomoku`. So a folder that the worker
began can be continued by the command, and the other way round. The games are played in the worker's
own process (`OwnProcess`), because a worker may not start others. After a kill, send `OpenTraining`
again: the training continues from its folder.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from ai.curriculum.actors import ActorError, OwnProcess
from ai.curriculum.batches import load_games
from ai.curriculum.folder import METRICS_FILE
from ai.curriculum.live import Observer
from ai.curriculum.run import Training
from ai.curriculum.settings import MENTOR, PHASES, Curriculum
from ai.evaluators.policy_value import PolicyValueEvaluator
from ai.game import BLACK, Board
from ai.learning.alphagomoku.samples import TrainingRecord
from ai.messages.curriculum import (
    ChangeTraining,
    GenerationFinished,
    OpenTraining,
    PauseTraining,
    StageBegan,
    TrainingChanged,
    TrainingGame,
    TrainingOpened,
    TrainingStopped,
)
from ai.workers.hall import PollingPipe
from ai.workers.settings import LEARNER_NICE, WorkerSettings, choose_kernels, settle
from base.errors import GoishiError
from base.locks import FolderLock
from base.storage.json_file import read_lines
from base.values import JsonObject
from base.worker.service import Report, WorkerRequestError, answer_next

log = logging.getLogger(__name__)


def main(connection: PollingPipe, settings: WorkerSettings) -> None:
    """Run the worker until the pipe closes."""
    settle(settings, LEARNER_NICE)
    choose_kernels(settings)

    def listen() -> None:
        while service.is_paused or connection.poll():
            answer_next(connection, service.handle)

    service = CurriculumService(lambda payload: connection.send((0, True, payload)), listen)
    with contextlib.suppress(EOFError, ConnectionError):
        while True:
            while service.is_idle or connection.poll():
                answer_next(connection, service.handle)
            service.run_turn()
    service.close()


class CurriculumService(Observer):
    """Runs the curriculum generation by generation; `main` runs the service in a process."""

    def __init__(
        self, tell: Callable[[object], None], listen: Callable[[], None] = lambda: None
    ) -> None:
        """Create the service without a training.

        Args:
            tell: called with each message to send to the application.
            listen: called between batches of games and between stages, to handle received messages.
                If it raises, the training ends with all finished generations kept.
        """
        self._tell = tell
        self._listen = listen
        self._request: OpenTraining | None = None
        self._training: Training | None = None
        self._lock: FolderLock | None = None
        self.is_paused = False

    @property
    def is_idle(self) -> bool:
        """Whether no training is open, or it is paused."""
        return self.is_paused or (self._request is None and self._training is None)

    def handle(self, payload: object, report: Report) -> object:
        """Handle one message; may be called during a generation.

        Args:
            payload: the message.
            report: not used.

        Returns:
            A `TrainingChanged` message after a change of settings; otherwise None.

        Raises:
            WorkerRequestError: the message is unknown, or there is no training.
            CurriculumError: a setting may not change while a training runs.
            OptionError: a setting's value is invalid.
        """
        if isinstance(payload, OpenTraining):
            self._request = payload
        elif isinstance(payload, PauseTraining):
            self.is_paused = payload.is_paused
        elif isinstance(payload, ChangeTraining):
            if self._training is None:
                raise WorkerRequestError("expected an open training, found none")
            changed = self._training.live.change(payload.live)
            return TrainingChanged({key: changed.settings[key] for key in payload.live})
        else:
            raise WorkerRequestError(
                f"expected a message of the training, found {type(payload).__name__} "
                f"{payload!r:.100}"
            )
        return None

    def run_turn(self) -> None:
        """Open the requested training, or run the next generation of the open one."""
        try:
            if self._request is not None:
                request, self._request = self._request, None
                self._open(request)
            elif self._training is not None and not self._training.advance(PHASES):
                self._stop("all phases are finished")
        except (OSError, GoishiError, ActorError) as error:
            self._stop(str(error))

    def close(self) -> None:
        """Close the training and release its folder's lock."""
        self._training = None
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def _stop(self, reason: str) -> None:
        self.close()
        self._tell(TrainingStopped(reason))

    def _open(self, request: OpenTraining) -> None:
        self.close()
        out = Path(request.folder)
        plan = Curriculum.of(request.rules, request.seed, request.settings)
        self._lock = FolderLock(out)
        self._lock.acquire()
        training = Training(
            plan, out, OwnProcess(), has_controls=False, report=self._finish, observer=self
        )
        training.begin(resume=True)
        training.live.change(request.live)
        self._training = training
        folder, done = training.folder, training.progress.generation
        self._tell(
            TrainingOpened(
                done,
                tuple(read_lines(out / METRICS_FILE)),
                tuple(training.live.changes),
                str(folder.pair_file),
                tuple(folder.messages),
            )
        )
        self._send_last_games(training, done)

    def _send_last_games(self, training: Training, generation: int) -> None:
        """Send the games of the last generation again, for boards that show no game yet.

        Args:
            training: the training.
            generation: number of its last generation.
        """
        number = 1
        for path in training.folder.batches_of(generation):
            games = load_games(path, training.plan.rules)
            if games is None:
                continue
            is_mentor = load_games(path, training.plan.rules, MENTOR) is not None
            phase = MENTOR if is_mentor else PHASES[-1]
            self._send_games(training, phase, generation, number, games)
            number += len(games)

    # -- what the training does ------------------------------------------------------------------

    def began(self, phase: str, generation: int, stage: str) -> None:
        """Send the start of a stage; see `Observer.began`."""
        changes = () if self._training is None else tuple(self._training.live.changes)
        self._tell(StageBegan(phase, generation, stage, changes))
        self._listen()

    def played(
        self, phase: str, generation: int, first: int, games: Sequence[TrainingRecord]
    ) -> None:
        """Send games with the networks' evaluations; see `Observer.played`."""
        if self._training is not None:
            self._send_games(self._training, phase, generation, first, games)
        self._listen()

    def _send_games(
        self,
        training: Training,
        phase: str,
        generation: int,
        first: int,
        games: Sequence[TrainingRecord],
    ) -> None:
        pair = training.train_state.pair if phase == MENTOR else training.best
        evaluator = PolicyValueEvaluator(training.plan.rules, pair)
        for number, game in enumerate(games, start=first):
            self._tell(seen(evaluator, game, phase, generation, number))

    def _finish(self, metrics: JsonObject) -> None:
        if self._training is not None:
            self._tell(GenerationFinished(metrics, str(self._training.folder.pair_file)))
        self._listen()


def seen(
    evaluator: PolicyValueEvaluator, game: TrainingRecord, phase: str, generation: int, number: int
) -> TrainingGame:
    """Evaluate each position of a game with the networks; return the game as a message.

    Args:
        evaluator: evaluator with the pair of networks.
        game: a finished game.
        phase: phase of the training in which it was played.
        generation: generation in which it was played.
        number: number of the game in its generation.
    """
    board, boards = Board(evaluator.rules), []
    for ply, move in enumerate(game.moves):
        if ply >= game.opening:
            boards.append(board.copy())
        board.push(move)
    points = evaluator.rules.points
    priors, values = np.zeros((0, points), np.float16), np.zeros(0, np.float32)
    if boards:
        found = evaluator.evaluate(boards)
        colors = np.array([1.0 if at.to_move == BLACK else -1.0 for at in boards], np.float32)
        priors, values = found.policy.astype(np.float16), found.value * colors
    return TrainingGame(
        phase, generation, number, game.moves, game.winner, game.policies, priors, values
    )


__all__ = ["CurriculumService", "main", "seen"]
