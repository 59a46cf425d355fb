"""AlphaGomoku's training in a scene: starts its worker and keeps all that it reports."""

from __future__ import annotations

import hashlib
import json
from collections import deque
from collections.abc import Callable
from typing import Any

from ai import Rules, RulesError
from ai.messages import (
    ChangeTraining,
    GenerationFinished,
    OpenTraining,
    PauseTraining,
    StageBegan,
    TrainingGame,
    TrainingOpened,
    TrainingStopped,
)
from scripts.learning.kept_choices import KeptChoices
from scripts.learning.panel_parts import add_pause_command
from sim import Script, WorkerError, field, option, signal, tr

SMALL: dict[str, object] = {
    "basic_positions": 8000, "basic_steps": 100, "mentor_nodes": 150, "mentor_games": 32,
    "mentor_steps": 100, "mentor_match": 10, "mentor_most": 2, "games": 24, "lot": 8, "steps": 60,
    "simulations": 60, "window": 300, "gate_pairs": 6, "rate": 0.02, "temperature": 1.0,
    "decay": 0.99,
}  # fmt: skip
"""Settings of the training on a small board that stay fixed.

The settings that may change are fields of the script.
"""
LIVE = ("rate", "simulations", "temperature", "decay")
LAST_GAMES = 64
CHOICES = ("size", "win_length", "seed")
"""Fields that a person can change in the panel; each choice of them is a training of its own."""
PHASES = ("basic", "mentor", "self-play")
STAGES = {
    "games": tr("playing"),
    "training": tr("training"),
    "match": tr("match against the previous best"),
}
NEXT = tr("Takes effect at the next generation")


class AlphaGomokuTraining(Script, title="AlphaGomoku training"):
    """Trains AlphaGomoku in a process beside the scene; the next start continues the training."""

    asked: int | None = option(
        name="generations",
        min=1,
        metavar="N",
        ends_run=True,
        help="Train so many more generations, then stop.",
    )
    size: int = field(
        6, min=4, max=15, help=tr("Points along a side; each size has a training of its own")
    )
    win_length: int = field(4, min=3, max=5, help=tr("Stones in a row that win"))
    seed: int = field(0, min=0, help=tr("Random seed of weights, positions and games"))
    rate: float = field(0.02, min=1e-6, max=10.0, title=tr("Learning rate"), help=NEXT)
    simulations: int = field(60, min=2, max=10_000, title=tr("Simulations of a move"), help=NEXT)
    temperature: float = field(1.0, min=0.01, max=10.0, title=tr("Move temperature"), help=NEXT)
    decay: float = field(0.99, min=0.5, max=1.0, title=tr("Decay of the winning value"), help=NEXT)
    nice: int = field(
        10,
        min=0,
        max=19,
        title=tr("Niceness"),
        help=tr("0: as important as the rest; 19: yields to it"),
    )
    is_paused: bool = field(False, help=tr("Pause the training; the picture goes on"))
    game_over = signal(object)
    generation_over = signal(object)
    begun_anew = signal()

    def awake(self) -> None:
        self.lines: list[dict[str, Any]] = []
        self.changes: list[dict[str, Any]] = []
        self.games: deque[TrainingGame] = deque(maxlen=LAST_GAMES)
        self.pair = ""
        self.stage: StageBegan | None = None
        self.stopped = ""
        self.link: Any = None
        self._done = 0
        self._was_paused = self.is_paused
        self.planned_size = self.size
        """Size of the boards for which the scene was arranged."""
        self.choices = KeptChoices(self, CHOICES)
        self.choices.apply()
        self._live = self.live
        self.is_open = False

    @property
    def waiting_for(self) -> str:
        """What the boards wait for while they are empty, in words; empty if games are shown."""
        if self.games or self.stopped or self.is_paused:
            return ""
        if not self.is_open:
            return tr("Starting the training's process")
        stage = self.stage
        if stage is None:
            return tr("Waiting for the first generation")
        if stage.phase == PHASES[0]:
            return tr("Phase 1: learning from made-up positions; games come in phase 2")
        doing = STAGES.get(stage.stage, stage.stage)
        return tr(
            "Waiting for the first games of generation {generation}, which is {doing}"
        ).format(generation=stage.generation, doing=doing)

    def start_over(self) -> None:
        """Open the training of the present board, rule and seed; each has a folder of its own.

        One that was begun before goes on, and the present one stays as it is.
        """
        try:
            rules = self.rules
        except RulesError as error:
            self.log.error(str(error))
            return
        if self.link is None:
            return
        self.lines, self.changes, self.pair = [], [], ""
        self.games.clear()
        self.stage, self.stopped, self.is_open = None, "", False
        self._open(self.link)
        text = tr("{size}x{size}, {win_length} in a row: loading the training").format(
            size=rules.size, win_length=rules.win_length
        )
        self.status.set("training", text, busy=True)
        self.begun_anew.emit()

    @property
    def rules(self) -> Rules:
        """Rules of all games."""
        return Rules(self.size, self.win_length)

    @property
    def live(self) -> dict[str, object]:
        """Current values of the settings that may change while it runs."""
        return {key: getattr(self, key) for key in LIVE}

    def start(self) -> None:
        add_pause_command(self, "training_pause")
        try:
            rules = self.rules
        except RulesError as error:
            self._stop(str(error))
            return
        self.link = self.workers.open(
            "AlphaGomoku's training",
            "ai.workers.curriculum:main",
            {"nice": self.nice, "jit": True},
            on_restart=self._open,
            owner=self.slot,
        )
        self.link.on_message = self.handle
        self._open(self.link)
        text = tr("{size}x{size}, {win_length} in a row: loading the training").format(
            size=rules.size, win_length=rules.win_length
        )
        self.status.set("training", text, busy=True)

    def _open(self, link: Any) -> None:
        """Ask the worker to continue the training of the folder; also called after a restart.

        Args:
            link: connection to the worker process.
        """
        plan = {"size": self.size, "win_length": self.win_length, "seed": self.seed, **SMALL}
        digest = hashlib.sha256(json.dumps(plan, sort_keys=True).encode()).hexdigest()[:8]
        kept = self.run.scene_dir / f"training_{digest}"
        folder = kept if self.run.out is None else self.run.out / "training"
        if self.is_paused:
            link.send(PauseTraining(True))
        link.send(OpenTraining(self.rules, self.seed, SMALL, str(folder), self.live))

    def toggle_pause(self) -> None:
        """Pause or resume the training."""
        self.slot.host.set_field(self.slot, "is_paused", not self.is_paused)

    def validate(self) -> None:
        if self.link is None:
            return
        if self.is_paused != self._was_paused:
            self._was_paused = self.is_paused
            self.link.send(PauseTraining(self.is_paused))
        if self.live != self._live:
            self._live = self.live
            self.start_coroutine(self._change())

    async def _change(self) -> None:
        """Send the settings to the training; they apply from the next generation on."""
        try:
            await self.background(self.link.request(ChangeTraining(self.live)))
        except WorkerError as error:
            self.log.error(str(error))

    # -- what the training tells -----------------------------------------------------------------

    def handle(self, message: Any) -> None:
        """Process one message of the worker."""
        handlers: dict[type, Callable[[Any], None]] = {
            TrainingOpened: self._on_opened,
            StageBegan: self._on_stage,
            TrainingGame: self._on_game,
            GenerationFinished: self._on_generation,
            TrainingStopped: lambda found: self._stop(found.reason),
        }
        handler = handlers.get(type(message))
        if handler is None:
            self.log.error(f"the training process: {message!r:.300}")
            return
        handler(message)

    def _on_opened(self, message: TrainingOpened) -> None:
        self.is_open = True
        self.lines, self.changes = list(message.metrics), list(message.changes)
        self.pair = message.pair
        for text in message.messages:
            self.log.warning(text)

    def _on_stage(self, message: StageBegan) -> None:
        self.stage, self.changes = message, list(message.changes)
        where = tr("Phase {phase_number} of {phase}").format(
            phase_number=phase_number(message.phase), phase=len(PHASES)
        )
        doing = STAGES.get(message.stage, message.stage)
        text = tr("{where}, generation {generation}: {doing}").format(
            where=where, generation=message.generation, doing=doing
        )
        self.status.set("training", text, busy=True)

    def _on_game(self, message: TrainingGame) -> None:
        self.games.append(message)
        self.run.startup("first_move")
        self.game_over.emit(message)

    def _on_generation(self, message: GenerationFinished) -> None:
        self.lines.append(message.metrics)
        self.pair = message.pair
        self._done += 1
        self.generation_over.emit(message.metrics)
        self.report()
        if self.asked is not None and self._done >= self.asked:
            self.run.finish(0)

    def _stop(self, reason: str) -> None:
        self.stopped = reason
        self.status.clear("training")
        self.log.error(f"the training stopped: {reason}")
        if self.asked is not None:
            self.run.finish(1)

    def report(self) -> None:
        """Update the run's statistics from the last generation."""
        last = self.lines[-1] if self.lines else {}
        self.stats.update(
            generations=len(self.lines),
            games=last.get("games", 0),
            version=last.get("version", 0),
            phase=last.get("phase", ""),
            changes=self.changes,
        )


def phase_number(phase: str) -> int:
    """Return the number of a phase, from 1; 0 if there is no such phase."""
    return PHASES.index(phase) + 1 if phase in PHASES else 0
