"""The trainer worker: a process that holds one learner and trains networks from games.

It answers `OpenLearner` at once, with the initial or last network. TensorFlow is loaded and the
training loop compiled in the background, after a short time without requests. So the window and the
players start first, and closing the app at once does not wait.

After each game the worker writes a checkpoint before it answers. So it can be killed at any moment
and restarted with the same `OpenLearner`; requests for games that it knows change nothing.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from ai.learning.learner import LearnerError
from ai.messages.learner import (
    ChangeSettings,
    CheckpointsListed,
    LearnerOpened,
    LearnerSaved,
    LearntSaved,
    ListCheckpoints,
    LoadLearnt,
    OpenLearner,
    ResetLearner,
    Retrain,
    RollBack,
    SaveLearner,
    SaveLearnt,
    SkipGame,
    TrainDone,
    TrainProgress,
    TrainRequest,
)
from ai.registry.players import get_player_info, resolve_settings
from ai.session.teaching import LearnerSession
from ai.store.checkpoints import CheckpointError, LearnerOrigin
from ai.workers.settings import LEARNER_NICE, WorkerSettings, settle
from base.garbage import give_back_freed
from base.worker.process import Pipe
from base.worker.service import Report, WorkerRequestError, serve

if TYPE_CHECKING:
    from ai.learning.learner import Learner
    from ai.session.teaching import LearnerSession

log = logging.getLogger(__name__)

IDLE_SECONDS: Final = 2.0
"""Seconds without a request before TensorFlow is loaded."""


def main(connection: Pipe, settings: WorkerSettings) -> None:
    """Run the worker until the pipe closes."""
    settle(settings, LEARNER_NICE)
    project = settings.get("project")
    service = TrainerService(
        threads=int(settings.get("threads", 1)),
        share=float(settings.get("share", 1.0)),
        project=Path(project) if project else None,
        idle=float(settings.get("idle", IDLE_SECONDS)),
    )
    serve(_NoticesIdle(connection, service.warm_up), service.handle)
    service.save_unsaved()
    if service.is_warming_up and multiprocessing.parent_process() is not None:
        os._exit(0)  # TensorFlow cannot be unloaded halfway through its import


class TrainerService:
    """Holds the learner and answers requests; `main` runs it in a process."""

    def __init__(
        self,
        *,
        threads: int = 1,
        share: float = 1.0,
        project: Path | None = None,
        idle: float = IDLE_SECONDS,
    ) -> None:
        """Create the service without a learner.

        Args:
            threads: number of TensorFlow's threads.
            share: fraction of the time in which a training computes, above 0 to 1.
            project: folder of a project whose learners may be opened in addition; None for none.
            idle: seconds from `warm_up` until TensorFlow is loaded.
        """
        self._idle = idle
        self._project = project
        self._threads = threads
        self._share = min(max(share, 0.01), 1.0)
        self._session: LearnerSession | None = None
        self._opening: OpenLearner | None = None
        self._warming: threading.Timer | None = None
        self._logged: str | None = None

    @property
    def is_warming_up(self) -> bool:
        """Whether TensorFlow is loading in the background, or about to."""
        return self._warming is not None and self._warming.is_alive()

    def handle(self, payload: object, report: Report) -> object:
        """Answer one request.

        Args:
            payload: the request, a message of `ai.messages.learner`.
            report: called with each `TrainProgress` of a training.

        Raises:
            WorkerRequestError: the request is unknown, or comes before `OpenLearner`.
        """
        answers: dict[type, Callable[[Any, Report], object]] = {
            OpenLearner: self._open,
            TrainRequest: self._learn,
            Retrain: self._retrain,
            ChangeSettings: self._change_settings,
            SkipGame: self._skip,
            SaveLearner: self._keep,
            ListCheckpoints: self._list,
            RollBack: self._roll_back,
            SaveLearnt: self._save_file,
            LoadLearnt: self._load_file,
            ResetLearner: self._reset,
        }
        answer = answers.get(type(payload))
        if answer is None:
            names = ", ".join(kind.__name__ for kind in answers)
            raise WorkerRequestError(
                f"expected {names}; found {type(payload).__name__} {payload!r:.100}"
            )
        return answer(payload, report)

    def warm_up(self) -> None:
        """If a learner is open, load TensorFlow in the background after `idle` seconds."""
        if self._session is None or self._warming is not None:
            return
        self._warming = threading.Timer(self._idle, _prepare, (self._session.learner,))
        self._warming.daemon = True
        self._warming.start()

    def save_unsaved(self) -> None:
        """Write a checkpoint if the state has changed; a repeated failure is logged once."""
        error = self._save(self._session) if self._session is not None else None
        if error is not None and error != self._logged:
            log.warning("%s", error)
        self._logged = error

    def _open(self, request: OpenLearner, _: Report) -> LearnerOpened:
        """Create the requested learner and restore its newest checkpoint.

        If `fresh` is set in the request, its checkpoints are deleted instead, except the kept ones.
        """
        info = get_player_info(request.player, self._project)
        if info.learner is None:
            raise WorkerRequestError(f"expected a player that learns, found {request.player!r}")
        create = cast("Callable[..., Learner]", info.load(info.learner))
        settings = resolve_settings(info, request.settings)
        learner = create(
            request.rules,
            settings,
            request.seed,
            threads=self._threads,
            share=self._share,
        )
        directory = None if request.directory is None else Path(request.directory)
        origin = LearnerOrigin(info.name, request.rules.as_dict(), dict(settings))
        session = LearnerSession(learner, directory, origin)
        message = None
        if session.checkpoints is not None and request.fresh:
            session.checkpoints.forget()
        elif session.checkpoints is not None:
            message = session.checkpoints.load()
        self._finish_warm_up()
        self._warming = None
        self._session, self._opening = session, request
        return _description(learner, message)

    def _change_settings(self, request: ChangeSettings, report: Report) -> LearnerOpened:
        """Change the learner's settings; open another learner if they need another network."""
        learner = self._opened().learner
        opening = cast("OpenLearner", self._opening)
        info = get_player_info(opening.player, self._project)
        try:
            learner.change_settings(resolve_settings(info, request.settings))
        except LearnerError:
            self.save_unsaved()
            return self._open(replace(opening, settings=request.settings, fresh=False), report)
        return _description(learner, None)

    def _skip(self, request: SkipGame, _: Report) -> LearnerSaved:
        """Mark a game as known without learning from it, and write a checkpoint."""
        session = self._opened()
        session.learner.skip(request.game)
        session.is_unsaved = True
        self.save_unsaved()  # nobody awaits this answer
        return LearnerSaved(session.learner.games_learnt, self._logged)

    def _keep(self, request: SaveLearner, _: Report) -> LearnerSaved:
        """Write a checkpoint; one with a name is kept, so that a user can return to it."""
        session = self._opened()
        learner, checkpoints = session.learner, session.checkpoints
        if not request.name:
            session.is_unsaved = True
            return LearnerSaved(learner.games_learnt, self._save(session))
        if checkpoints is None:
            return LearnerSaved(learner.games_learnt, "there is no folder for checkpoints")
        try:
            checkpoints.keep(request.name, request.note, is_automatic=request.is_automatic)
        except CheckpointError as error:
            return LearnerSaved(learner.games_learnt, str(error))
        return LearnerSaved(learner.games_learnt, None)

    def _list(self, _request: ListCheckpoints, _: Report) -> CheckpointsListed:
        """Return the kept checkpoints to which a user can return."""
        checkpoints = self._opened().checkpoints
        return CheckpointsListed(() if checkpoints is None else checkpoints.kept())

    def _roll_back(self, request: RollBack, _: Report) -> LearnerOpened:
        """Restore a kept checkpoint."""
        session = self._opened()
        if session.checkpoints is None:
            raise WorkerRequestError("there is no folder for checkpoints")
        session.checkpoints.roll_back(request.place)
        session.is_training_due = False
        session.is_unsaved = True
        return _description(session.learner, self._save(session))

    def _save_file(self, request: SaveLearnt, _: Report) -> LearntSaved:
        """Write what was learnt into one file."""
        checkpoints = self._opened().checkpoints
        if checkpoints is None:
            raise WorkerRequestError("there is no folder for checkpoints")
        return LearntSaved(checkpoints.save_file(Path(request.path)).words)

    def _load_file(self, request: LoadLearnt, _: Report) -> LearnerOpened:
        """Restore what a file holds; what was learnt before is a named checkpoint then."""
        session = self._opened()
        session.load_file(Path(request.path))
        return _description(session.learner, None)

    def _reset(self, _request: ResetLearner, _: Report) -> LearnerOpened:
        """Reset the learner and delete its checkpoints, except named ones."""
        session = self._opened()
        session.learner.reset()
        if session.checkpoints is not None:
            session.checkpoints.forget()
        session.is_training_due = session.is_unsaved = False
        return _description(session.learner, None)

    def _learn(self, request: TrainRequest, report: Report) -> TrainDone:
        """Let the learner observe a game, and train if that makes a training due."""
        session = self._opened()
        session.observe(request.record)
        is_retrained = session.is_training_due
        if is_retrained:
            self._finish_warm_up()
            session.train(_progress(request, report))
        return self._done(request, session, is_retrained=is_retrained)

    def _retrain(self, request: Retrain, report: Report) -> TrainDone:
        """Train on the whole memory, whether a training is due or not."""
        session = self._opened()
        self._finish_warm_up()
        session.train(_progress(request, report))
        return self._done(request, session, is_retrained=True)

    def _done(
        self, request: TrainRequest | Retrain, session: LearnerSession, *, is_retrained: bool
    ) -> TrainDone:
        """Write a checkpoint if the state has changed; return the answer to a request.

        Args:
            request: the request.
            session: the learner's session.
            is_retrained: whether a training took place; only then the answer holds the weights.
        """
        statistics = {"checkpoint_error": self._save(session)}
        if is_retrained:
            give_back_freed()  # the samples of a training: tens of megabytes, of another size each
        trained = session.learner.weights()
        return TrainDone(
            session=request.session,
            game=request.game,
            retrained=is_retrained,
            network_id=trained.network_id,
            weights=trained.arrays if is_retrained else None,
            memory=trained.memory if is_retrained else None,
            statistics=session.learner.statistics() | statistics,
        )

    def _save(self, session: LearnerSession) -> str | None:
        """Write a checkpoint if the state has changed; return an error message or None."""
        try:
            session.save()
        except CheckpointError as error:
            return str(error)
        return None

    def _opened(self) -> LearnerSession:
        """Return the session of the open learner.

        Raises:
            WorkerRequestError: no learner is open.
        """
        if self._session is None:
            raise WorkerRequestError("expected OpenLearner first")
        return self._session

    def _finish_warm_up(self) -> None:
        """Wait until loading in the background has finished; cancel it if it has not begun."""
        if self._warming is not None:
            self._warming.cancel()
            self._warming.join()


def _description(learner: Learner, message: str | None) -> LearnerOpened:
    """Return the learner's weights, memory and counters as a message.

    Args:
        learner: the learner.
        message: text about skipped checkpoints; None for none.
    """
    trained = learner.weights()
    return LearnerOpened(
        network_id=trained.network_id,
        weights=trained.arrays,
        memory=trained.memory,
        games_learnt=learner.games_learnt,
        statistics=learner.statistics() | {"message": message},
    )


class _NoticesIdle:
    """Wraps a connection; calls a function whenever the worker begins to wait for a message."""

    def __init__(self, connection: Pipe, on_idle: Callable[[], None]) -> None:
        self._connection = connection
        self._on_idle = on_idle

    def recv(self) -> tuple[int, bool, object]:
        """Call `on_idle`, then wait for a message."""
        self._on_idle()
        return self._connection.recv()

    def send(self, message: object, /) -> None:
        """Send a message."""
        self._connection.send(message)


def _prepare(learner: Learner) -> None:
    """Load TensorFlow and compile the training loop; a failure is only logged.

    After a failure the first training tries again and reports the error.
    """
    try:
        learner.prepare()
    except Exception:
        log.exception("the training loop cannot be prepared")


def _progress(
    request: TrainRequest | Retrain, report: Report
) -> Callable[[int, int, float, float], None]:
    """Return a function that reports the progress of a training.

    The function takes the step, the number of steps, the loss and the accuracy.

    Args:
        request: the request that caused the training.
        report: called with each message about the progress.
    """
    started = time.perf_counter()

    def progress(step: int, steps: int, loss: float, accuracy: float) -> None:
        seconds = time.perf_counter() - started
        report(TrainProgress(request.session, request.game, step, steps, loss, accuracy, seconds))

    return progress


__all__ = ["LearnerSaved", "TrainerService", "main"]
