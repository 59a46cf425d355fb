"""The player worker: a process that holds one player and answers with moves.

Its only state is the player, so it can be killed and restarted at any time: send `Configure` (and
`LoadWeights`) again.
"""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ai.game import Game, board_of, replayed
from ai.messages.kernels import AskKernels, KernelState
from ai.messages.player import (
    Configure,
    DescribePlayer,
    EvaluatePosition,
    LoadCheckpoint,
    LoadWeights,
    MoveChosen,
    OpeningAnswered,
    OpeningRequest,
    PlayerDescribed,
    PlayRequest,
    Ready,
    WeightsLoaded,
)
from ai.players.base import LoadsCheckpoints, LoadsMemory, LoadsWeights
from ai.registry.players import confined_settings, create_player, get_player_info
from ai.workers.kernels import EVALUATION, KernelChoice, runs_compiled
from ai.workers.settings import WorkerSettings, settle
from base.worker.process import Pipe
from base.worker.service import Report, WorkerRequestError, serve

if TYPE_CHECKING:
    from ai.players.base import Player
    from ai.session.evaluation import PositionEvaluator
    from ai.session.position_value import PositionValue


def main(connection: Pipe, settings: WorkerSettings) -> None:
    """Run the worker until the pipe closes."""
    settle(settings)
    named = settings.get("project")
    project = Path(named) if named else None
    kernels = KernelChoice(settings.get("jit"), project)
    serve(connection, PlayerService(project, kernels).handle)


class PlayerService:
    """Holds the player and answers requests; `main` runs it in a process."""

    def __init__(self, project: Path | None = None, kernels: KernelChoice | None = None) -> None:
        """Create the service without a player.

        Args:
            project: folder of a project that may add players; None for none.
            kernels: chooses the kernels of this process; None if they are chosen already.
        """
        self._project = project
        self._kernels = kernels
        self._player: Player | None = None
        self._rules: Game | None = None
        self._explains = ""
        self._evaluator: PositionEvaluator | None = None

    def handle(self, payload: object, report: Report) -> object:
        """Answer one request.

        Args:
            payload: the request, a message of `ai.messages.player`.
            report: not used.

        Raises:
            WorkerRequestError: the request is unknown, or comes before `Configure`.
        """
        if isinstance(payload, Configure):
            return self._configure(payload)
        if isinstance(payload, AskKernels):
            return KernelState(False, False) if self._kernels is None else self._kernels.state()
        if isinstance(payload, DescribePlayer):
            self._choose_kernels(payload.player)
            settings = get_player_info(payload.player, self._project).settings
            return PlayerDescribed(payload.player, settings)
        if isinstance(payload, PlayRequest):
            return self._play(payload)
        if isinstance(payload, OpeningRequest):
            return self._answer_opening(payload)
        if isinstance(payload, LoadWeights):
            return self._load_weights(payload)
        if isinstance(payload, LoadCheckpoint):
            return self._load_checkpoint(payload)
        if isinstance(payload, EvaluatePosition):
            return self._evaluate(payload)
        raise WorkerRequestError(
            "expected Configure, DescribePlayer, PlayRequest, OpeningRequest, EvaluatePosition, "
            "LoadWeights, LoadCheckpoint or AskKernels, "
            f"found {type(payload).__name__} {payload!r:.100}"
        )

    def _configure(self, request: Configure) -> Ready:
        """Create the player; if that fails, the previous one stays."""
        start = time.perf_counter()
        info = get_player_info(request.player, self._project)
        self._choose_kernels(request.player)
        settings = confined_settings(info, request.settings, self._project)
        player = create_player(request.player, request.rules, settings, project=self._project)
        if self._player is not None:
            self._player.close()
        self._player, self._rules = player, request.rules
        self._explains = info.explains
        return Ready(
            compiled=runs_compiled(),
            seconds=time.perf_counter() - start,
            is_first_choice=self._kernels is not None and self._kernels.is_open,
        )

    def _choose_kernels(self, user: str) -> None:
        if self._kernels is not None:
            self._kernels.use(user)

    def _play(self, request: PlayRequest) -> MoveChosen:
        """Let the player choose a move in the requested position."""
        if self._player is None or self._rules is None:
            raise WorkerRequestError("expected Configure first, found PlayRequest")
        start = time.perf_counter()
        board = replayed(self._rules, request.moves)
        rng = np.random.default_rng(request.seed)
        choice = self._player.choose(board, request.limit, rng)
        if not choice.forfeit and choice.move not in board.legal_moves:
            raise WorkerRequestError(
                f"expected a legal move from {self._player.name}, found {choice.move!r}"
            )
        return MoveChosen(
            session=request.session,
            game=request.game,
            ply=request.ply,
            choice=choice.readable(board, self._explains),
            seconds=time.perf_counter() - start,
        )

    def _answer_opening(self, request: OpeningRequest) -> OpeningAnswered:
        """Ask the player for its answer in an opening."""
        from ai.session.opening import answer_opening

        if self._player is None:
            raise WorkerRequestError("expected Configure first, found OpeningRequest")
        start, phase = time.perf_counter(), request.phase
        said = answer_opening(
            self._player,
            phase,
            board_of(phase.rules, phase.stones),
            request.limit,
            np.random.default_rng(request.seed),
        )
        return OpeningAnswered(
            session=request.session,
            game=request.game,
            steps=len(phase.said),
            said=said,
            seconds=time.perf_counter() - start,
        )

    def _evaluate(self, request: EvaluatePosition) -> PositionValue:
        """Evaluate a position with the exact solver or an evaluating player."""
        self._choose_kernels(EVALUATION)
        from ai.session.evaluation import PositionEvaluator

        if self._evaluator is None or self._evaluator.rules != request.rules:
            self._evaluator = PositionEvaluator(request.rules)
        is_compiled = runs_compiled()
        nodes = self._evaluator.usual_nodes(is_compiled=is_compiled)
        value = self._evaluator.evaluate(request.moves, nodes=request.nodes or nodes)
        is_for_good = self._kernels is not None and not self._kernels.is_provisional
        if is_compiled or is_for_good:
            return value
        return replace(value, is_provisional=not value.is_proven)

    def _load_weights(self, request: LoadWeights) -> WeightsLoaded:
        """Load new weights into the player."""
        if not isinstance(self._player, LoadsWeights):
            name = "no player" if self._player is None else self._player.name
            raise WorkerRequestError(f"expected a player that takes weights, found {name}")
        self._player.load_weights(request.network_id, request.weights)
        if request.memory is not None and isinstance(self._player, LoadsMemory):
            self._player.load_memory(request.memory)
        return WeightsLoaded(request.network_id)

    def _load_checkpoint(self, request: LoadCheckpoint) -> WeightsLoaded:
        """Load a checkpoint's weights into the player."""
        if not isinstance(self._player, LoadsCheckpoints):
            name = "no player" if self._player is None else self._player.name
            raise WorkerRequestError(f"expected a player that reads checkpoints, found {name}")
        self._player.load_checkpoint(request.network_id, Path(request.directory))
        return WeightsLoaded(request.network_id)
