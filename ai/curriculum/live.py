"""Changes of settings while a training runs, and the observer of a training.

A change takes effect at the start of the next generation. It is first written into the folder
(`changes.jsonl`), so that a training continues with the same settings after a kill.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from ai.curriculum.settings import Curriculum, CurriculumError
from ai.learning.alphagomoku.samples import TrainingRecord
from base.schema import OptionValue
from base.storage.json_file import LinesFile, read_lines
from base.values import JsonObject

LIVE: Final = ("rate", "simulations", "temperature", "decay")
"""Settings that may change between generations."""
CHANGES_FILE: Final = "changes.jsonl"
GAMES: Final = "games"
TRAINING: Final = "training"
MATCH: Final = "match"


class Observer:
    """Receives the events of a running training; by default they are ignored."""

    def began(self, phase: str, generation: int, stage: str) -> None:
        """Handle the start of a stage of a generation: GAMES, TRAINING or MATCH."""

    def played(
        self, phase: str, generation: int, first: int, games: Sequence[TrainingRecord]
    ) -> None:
        """Handle a finished batch of games; `first` is the number of the first game, from 1.

        Batches come in the order in which they end.
        """


class LiveSettings:
    """A training's settings, generation by generation."""

    def __init__(self, plan: Curriculum, out: Path) -> None:
        """Start with the settings of the plan, without reading changes."""
        self.plan = plan
        self.changes: list[JsonObject] = []
        self._planned = plan
        self._file = out / CHANGES_FILE
        self._wanted: dict[str, OptionValue] = {}

    def load(self) -> None:
        """Read the changes made so far.

        Raises:
            LinesFileError: a line is damaged.
        """
        self.changes = read_lines(self._file, self._check)
        self.plan = self._planned

    def change(self, given: Mapping[str, object]) -> Curriculum:
        """Change some settings from the next generation on, and return its settings.

        Raises:
            CurriculumError: a setting cannot change while a training runs.
            OptionError: a value is invalid.
        """
        for key in given:
            if key not in LIVE:
                raise CurriculumError(f"a change: expected one of {', '.join(LIVE)}, found {key!r}")
        changed = self._with({**self._wanted, **given})
        self._wanted = {key: changed.settings[key] for key in {**self._wanted, **given}}
        return changed

    def begin(self, generation: int) -> Curriculum:
        """Start a generation: write changed settings to the file, and return its settings.

        Raises:
            OSError: the file cannot be written.
        """
        self.plan = self._planned
        for line in self.changes:
            if line["generation"] <= generation:
                self.plan = self._with(line["settings"])
        settings = self.plan.settings
        wanted = {key: value for key, value in self._wanted.items() if settings[key] != value}
        if wanted:
            line = {"generation": generation, "settings": wanted}
            with LinesFile(self._file) as file:
                file.append(line)
            self.changes.append(line)
            self.plan = self._with(wanted)
        self._wanted.clear()
        return self.plan

    def source(self, digest: str) -> str:
        """Return an id of what games of this generation are played with: pair and changes."""
        settings, planned = self.plan.settings, self._planned.settings
        changed = [f" {key}={settings[key]}" for key in LIVE if settings[key] != planned[key]]
        return digest + "".join(changed)

    def _check(self, line: JsonObject) -> None:
        """Check a line of the file.

        Raises:
            ValueError: the line is no change.
        """
        settings, generation = line.get("settings"), line.get("generation")
        if not isinstance(generation, int) or not isinstance(settings, dict):
            raise ValueError("expected a generation and its settings")
        unknown = [key for key in settings if key not in LIVE]
        if unknown:
            raise ValueError(f"expected settings of {', '.join(LIVE)}, found {unknown[0]!r}")
        self._with(settings)

    def _with(self, given: Mapping[str, object]) -> Curriculum:
        return Curriculum.of(self.plan.rules, self.plan.seed, {**self.plan.settings, **given})
