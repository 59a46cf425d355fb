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
    """Receives the events of a running training; override the methods to handle them."""

    def began(self, phase: str, generation: int, stage: str) -> None:
        """Called when a stage of a generation starts.

        Args:
            phase: name of the phase.
            generation: number of the generation.
            stage: GAMES, TRAINING or MATCH.
        """

    def played(
        self, phase: str, generation: int, first: int, games: Sequence[TrainingRecord]
    ) -> None:
        """Called when a batch of games is finished; batches come in the order in which they end.

        Args:
            phase: name of the phase.
            generation: number of the generation.
            first: number of the batch's first game in its generation, from 1.
            games: the games.
        """


class LiveSettings:
    """Settings of a training that can change from generation to generation."""

    def __init__(self, plan: Curriculum, out: Path) -> None:
        """Start with the settings of the plan; `load` reads earlier changes.

        Args:
            plan: settings at the beginning of the training.
            out: folder of the training.
        """
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
        """Change settings from the next generation on, and return the settings that it will have.

        Args:
            given: new values by the names in `LIVE`.

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
        """Return the settings for a generation that starts now.

        Changes that were waiting for it are first written into the folder.

        Args:
            generation: number of the generation.

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
        """Return a text that says how this generation's games are played.

        It changes with the networks and with the changed settings. Stored games with another text
        are not used again.

        Args:
            digest: checksum of the pair of networks.
        """
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
