"""The worker that trains agents of a scene: runs PPO or SAC and reports each update.

The code is that of `train ppo` and `train sac`. The environments are copies of the scene in this
process. The request names the function that opens them, because this package does not know scenes.
After a kill, send `OpenPpo` again: the training continues from the folder's last checkpoint.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Final, Protocol

from ai.learning.alphagomoku.training import open_device
from ai.learning.ppo.agents import VectorEnv, settings_of
from ai.learning.ppo.method import SpaceError
from ai.learning.ppo.ppo import LIVE, PPO
from ai.learning.ppo.run import METRICS_FILE, Plan, PolicyRun
from ai.learning.sac.sac import SAC
from ai.messages.curriculum import TrainingStopped
from ai.messages.ppo import ChangePpo, OpenPpo, PausePpo, PolicyLearnt
from ai.workers.hall import PollingPipe
from ai.workers.settings import LEARNER_NICE, WorkerSettings, settle
from base.errors import GoishiError
from base.internal_modules import import_internal
from base.locks import FolderLock
from base.storage.json_file import read_lines
from base.values import JsonObject
from base.worker.service import Report, WorkerRequestError, answer_next

log = logging.getLogger(__name__)

THREADS: Final = 1
"""Number of TensorFlow's threads, low because the window needs the other cores."""
METHODS: Final = {method.name: method for method in (PPO, SAC)}
OPENER: Final = "sim.app.vector_world:open_vector_world"
FORMER: Final = (
    "sim.app.stepping.crowd:open_crowd",
    "sim.app.stepping.team_crowd:open_team_crowd",
)
"""Former names of the function `OPENER`, which older scripts may still send."""


class ClosableEnv(VectorEnv, Protocol):
    """Several copies of a scene as one environment that can be closed."""

    def close(self) -> None:
        """Close all copies of the scene."""


def main(connection: PollingPipe, settings: WorkerSettings) -> None:
    """Run the worker until the pipe closes."""
    settle(settings, LEARNER_NICE)

    def listen() -> None:
        while service.is_paused or connection.poll():
            answer_next(connection, service.handle)

    service = PpoService(lambda payload: connection.send((0, True, payload)), listen)
    with contextlib.suppress(EOFError, ConnectionError):
        while True:
            answer_next(connection, service.handle)
            service.learn()


class PpoService:
    """Runs the requested training; `main` runs it in a process."""

    def __init__(self, tell: Callable[[object], None], listen: Callable[[], None]) -> None:
        """Create the service without a training.

        Args:
            tell: called with each message to send to the application.
            listen: called after each update, to handle received messages. If it raises, the
                training ends and its last checkpoint is kept.
        """
        self._tell = tell
        self._listen = listen
        self._request: OpenPpo | None = None
        self._run: PolicyRun | None = None
        self._live: dict[str, float] = {}
        self.is_paused = False

    def handle(self, payload: object, report: Report) -> object:
        """Handle one message; may be called during an update.

        Args:
            payload: the message.
            report: not used.

        Raises:
            WorkerRequestError: the message is unknown.
        """
        if isinstance(payload, OpenPpo):
            self._request = payload
            self._apply_live(payload.live)
        elif isinstance(payload, PausePpo):
            self.is_paused = payload.is_paused
        elif isinstance(payload, ChangePpo):
            self._apply_live(payload.live)
        else:
            raise WorkerRequestError(
                f"expected a message of PPO, found {type(payload).__name__} {payload!r:.100}"
            )
        return None

    def learn(self) -> None:
        """Run the requested training to its end; does nothing if none is requested."""
        request, self._request = self._request, None
        if request is None:
            return
        try:
            self._learn(request)
        except (OSError, GoishiError, SpaceError) as error:
            self._tell(TrainingStopped(str(error)))
        finally:
            self._run = None

    def _learn(self, request: OpenPpo) -> None:
        open_device("cpu", THREADS)
        folder, method = Path(request.folder), METHODS[request.method]
        with FolderLock(folder), contextlib.ExitStack() as closing_all:
            open_all = opener_of(request.environments)
            with closing(open_all(request.scene, 1)) as one:
                settings, teams = settings_of(
                    one,
                    request.policies,
                    request.settings,
                    is_self_play=request.is_self_play,
                    method=method,
                )
            env = closing_all.enter_context(closing(open_all(request.scene, settings.envs)))
            plan = Plan(Path(request.scene).name, request.steps, request.seed, settings)
            run = PolicyRun(plan, folder, env, self._send_update, teams, method=method)
            run.prepare(resume=True)
            self._run = run
            self._apply_live(self._live)
            lines = tuple(read_lines(folder / METRICS_FILE))
            is_done = run.learner.done >= run.plan.updates
            self._tell(PolicyLearnt(lines, run.learnt(), is_done))
            self._listen()
            run.train()

    def _apply_live(self, live: Mapping[str, float]) -> None:
        """Apply settings that may change during a training, at once or when a training begins."""
        self._live.update({key: float(live[key]) for key in LIVE if key in live})
        if self._run is not None:
            self._run.change(**self._live)

    def _send_update(self, line: JsonObject) -> None:
        run = self._run
        if run is not None:
            is_done = run.learner.done >= run.plan.updates
            self._tell(PolicyLearnt((line,), run.learnt(), is_done))
        self._listen()


def opener_of(name: str) -> Callable[[str, int], ClosableEnv]:
    """Import the function that opens copies of a scene.

    Args:
        name: the function as `module:function`; former names are accepted with a warning.
    """
    if name in FORMER:
        log.warning("%s is now %s; the old name still works", name, OPENER)
        name = OPENER
    module, _, function = name.partition(":")
    found: Callable[[str, int], ClosableEnv] = getattr(import_internal(module), function)
    return found


__all__ = ["PpoService", "main"]
