"""The coach: sends lost games to the trainer worker and hands new weights to the seat."""

from __future__ import annotations

from typing import Any

from ai import (
    GameRecord,
    LearnerOpened,
    OpenLearner,
    Rules,
    TrainDone,
    TrainProgress,
    TrainRequest,
    get_player_info,
)
from scripts.gomoku.seat import Seat
from sim import Script, Task, field


class Coach(Script):
    """Trains the player of one seat in a process of its own."""

    seat: Seat = field(None, help="Whose player learns")
    is_training_on: bool = field(True, help="Switch learning off to watch the frozen player")
    threads: int = field(1, min=1, max=64, help="Cores that a training may use")
    share: float = field(
        1.0, min=0.05, max=1.0, help="Part of the time in which a training computes; less is cooler"
    )
    nice: int = field(10, min=0, max=19, help="How readily a training gives way to other programs")

    def awake(self) -> None:
        self.link: Any = None
        self.statistics: dict[str, Any] = {}
        self.games_learnt = 0
        self.retrains = 0
        self.retrain_seconds: list[float] = []
        self.trained_game = 0
        self._opening: OpenLearner | None = None
        self._new_weights: tuple[int, Any] | None = None
        self._training: Task | None = None
        self._game = 0

    @property
    def is_training(self) -> bool:
        """Whether a training is under way."""
        return self._training is not None and not self._training.done

    @property
    def _worker_settings(self) -> dict[str, Any]:
        return {"threads": self.threads, "share": self.share, "nice": self.nice}

    async def prepare(self, rules: Rules) -> None:
        """Open the learner of the seat's player; nothing where it does not learn."""
        if self.seat is None or (self.seat.is_human and not self.seat.player):
            return
        info = get_player_info(self.seat.player)
        if info.learner is None:
            self.link = None
            return
        directory = self.run.data_dir / self.scene.id / "learner"
        request = OpenLearner(
            player=info.name,
            rules=rules,
            settings=self.seat.settings(),
            seed=self.run.seed,
            directory=str(directory),
            fresh=self.run.fresh and self._opening is None,
        )
        if self.link is not None and self.link.settings != self._worker_settings:
            self.link.restart(self._worker_settings)
        if self._opening is not None and _same_learner(self._opening, request):
            return
        if self.link is None:
            self.link = self.workers.open(
                "trainer",
                "ai.workers.trainer:main",
                self._worker_settings,
                on_restart=self._open_again,
                owner=self.slot,
            )
        self.status.set("training", "opening what was learnt", busy=False)
        answer: LearnerOpened = await self.background(self.link.request(request))
        self._opening = request
        self.games_learnt = answer.games_learnt
        self.statistics = dict(answer.statistics)
        if self.statistics.get("message"):
            self.log.warning(str(self.statistics["message"]))
        self.status.clear("training")
        await self.seat.use_weights(answer.network_id, answer.weights)

    def learn(self, record: GameRecord) -> None:
        """Send a finished game to the learner; it decides whether to train on it."""
        if self.link is None or not self.is_training_on:
            return
        if self.is_training and self._training is not None:
            self._queue(record)
        else:
            self._training = self.start_coroutine(self._train(record))

    async def finish_training(self) -> None:
        """Wait until nothing is being trained, then put the newest weights in place."""
        if self.is_training and self._training is not None:
            await self._training
        await self.swap()

    async def swap(self) -> None:
        """Give the seat the newest weights, if there are any. Between games only."""
        if self._new_weights is not None:
            network_id, weights = self._new_weights
            self._new_weights = None
            await self.seat.use_weights(network_id, weights)

    def _queue(self, record: GameRecord) -> None:
        before = self._training

        async def follow() -> None:
            if before is not None:
                await before
            await self._train(record)

        self._training = self.start_coroutine(follow())

    async def _train(self, record: GameRecord) -> None:
        pending = self.link.request(TrainRequest(session=0, game=record.game, record=record))
        self._game = record.game
        pending.on_progress = self._show_progress
        done: TrainDone = await self.background(pending)
        self.status.clear("training")
        self.games_learnt = max(self.games_learnt, done.game)
        self.statistics = dict(done.statistics)
        if self.statistics.get("checkpoint_error"):
            self.log.error(f"what was learnt is not saved: {self.statistics['checkpoint_error']}")
        if not done.retrained:
            return
        self.retrains += 1
        self.trained_game = record.game
        self.retrain_seconds.append(float(done.statistics.get("seconds", 0.0)))
        if done.weights is not None:
            self._new_weights = (done.network_id, done.weights)
        self.log_statistics(record.game)

    def log_statistics(self, game: int) -> None:
        """Log what the memory and the network are like after a game."""
        for name in ("nodes", "loss", "accuracy"):
            if self.statistics.get(name) is not None:
                self.metrics.log(name, float(self.statistics[name]), step=game)

    def _show_progress(self, progress: TrainProgress) -> None:
        self.status.set("training", f"White trains on game {self._game}", busy=True)

    def _open_again(self, link: Any) -> None:
        """A new trainer process goes on from the last checkpoint."""
        if self._opening is not None:
            opening = self._opening
            link.send(
                OpenLearner(
                    player=opening.player, rules=opening.rules, settings=opening.settings,
                    seed=opening.seed, directory=opening.directory, fresh=False,
                )
            )  # fmt: skip


def _same_learner(before: OpenLearner, after: OpenLearner) -> bool:
    return (before.player, before.rules, before.settings) == (
        after.player,
        after.rules,
        after.settings,
    )
