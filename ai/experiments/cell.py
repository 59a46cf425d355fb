"""Runs one cell of the table: play, learn, write; a kill at any moment loses one game at most."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ai.experiments.configuration import OPPONENT, CellConfiguration, ConfigurationError
from ai.experiments.files import read_json, write_json
from ai.experiments.held_out import held_out
from ai.experiments.judgement import judge_games
from ai.experiments.play import play_game
from ai.experiments.results import (
    FORMAT,
    GAMES_FILE,
    RUN_FILE,
    SUMMARY_FILE,
    TIMINGS_FILE,
    check_line,
    summarise,
)
from ai.game import BLACK, WHITE, GameRecord
from ai.learning.self_teaching import SelfTeachingLearner
from ai.players.registry import create_player
from ai.store.lines_file import LinesFile, LinesFileError, game_line, read_lines, timing_line

CHECKPOINTS: Final = "checkpoints"
CHECKPOINT_SECONDS: Final = 15.0

Progress = Callable[["CellProgress"], None]


class RunFolderError(ConfigurationError):
    """The folder holds another run, or a finished one."""


@dataclass(frozen=True)
class CellProgress:
    """How far a cell is."""

    game: int
    games: int
    losses: int
    stage: str = "games"
    """"games", "taking up" (after a kill), "held out" or "oracle"."""


def run_cell(
    configuration: CellConfiguration,
    out: Path,
    *,
    resume: bool = False,
    held_out_games: int = 0,
    with_oracle: bool = False,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Run a cell, or go on with it, and return its summary, which stands in `summary.json`.

    Args:
        configuration: what to run.
        out: the cell's folder; made where there is none.
        resume: go on with what the folder holds; the result is that of an unbroken run.
        held_out_games: games of the frozen player against unseen opponents at the end.
        with_oracle: let the exact solver judge every game at the end.
        progress: called after each game.

    Raises:
        RunFolderError: the folder holds another run, or one that `resume` was not asked for.
        OSError: the folder cannot be written.
    """
    prepare_folder(configuration, out, resume=resume)
    cell = _Cell(configuration, out, progress or (lambda step: None))
    cell.take_up()
    cell.play()
    summary = cell.summary()
    if held_out_games:
        summary["held_out"] = held_out(
            configuration,
            cell.learner.weights().arrays,
            games=held_out_games,
            report=lambda: cell.tell("held out"),
        )
    if with_oracle:
        summary["oracle"] = judge_games(
            configuration.rules, cell.records(), lambda done: cell.tell("oracle")
        )
    write_json(out / SUMMARY_FILE, summary)
    return summary


def prepare_folder(configuration: CellConfiguration, out: Path, *, resume: bool) -> None:
    """Make the cell's folder, or check that it may be gone on with; writes nothing else.

    Raises:
        RunFolderError: see `run_cell`.
        OSError: it cannot be made or written.
    """
    known = out / RUN_FILE
    if not known.exists():
        if out.is_dir() and any(out.iterdir()):
            raise RunFolderError(f"--out: expected an empty folder, found files in {out}")
        out.mkdir(parents=True, exist_ok=True)
        write_json(known, {"format": FORMAT, "config": configuration.as_dict()})
        return
    before = read_configuration(out)
    if not before.is_same_run(configuration):
        raise RunFolderError(f"--out: expected this run's folder, found another run in {out}")
    if not resume:
        state = "a finished" if (out / SUMMARY_FILE).exists() else "an unfinished"
        raise RunFolderError(
            f"--out: expected an empty folder, found {state} run in {out}; add --resume"
        )
    if configuration.games < before.games:
        raise RunFolderError(
            f"--games: expected {before.games} or more in {out}, found {configuration.games}"
        )
    if configuration.games > before.games:
        write_json(known, {"format": FORMAT, "config": configuration.as_dict()})


def read_configuration(out: Path) -> CellConfiguration:
    """Return the configuration that a cell's folder was made with.

    Raises:
        RunFolderError: the file is not one of ours.
    """
    try:
        values = read_json(out / RUN_FILE)
        if values.get("format") != FORMAT:
            raise RunFolderError(
                f"{out / RUN_FILE}: expected the format {FORMAT!r}, found {values.get('format')!r}"
            )
        return CellConfiguration.from_dict(values["config"])
    except (ValueError, KeyError, TypeError) as error:
        raise RunFolderError(
            f"{out / RUN_FILE}: expected a cell's configuration: {error}"
        ) from None


class _Cell:
    """The state of a running cell."""

    def __init__(self, configuration: CellConfiguration, out: Path, progress: Progress) -> None:
        self.configuration = configuration
        self.out = out
        self.rules = configuration.rules
        self.progress = progress
        self.lines: list[dict[str, Any]] = []
        self.timings: list[dict[str, Any]] = []
        self.learner = SelfTeachingLearner(
            configuration.player, self.rules, configuration.settings, configuration.seed
        )
        self.white = create_player(configuration.player, self.rules, configuration.settings)
        self.black = create_player(OPPONENT, self.rules, configuration.opponent_settings)
        self._saved_at = time.monotonic()
        self._started = time.perf_counter()

    def tell(self, stage: str = "games") -> None:
        """Report how far it is."""
        losses = sum(line["winner"] == "black" for line in self.lines)
        self.progress(CellProgress(len(self.lines), self.configuration.games, losses, stage=stage))

    def take_up(self) -> None:
        """Read what was played, bring the learner to where it stopped."""
        self.lines = read_lines(self.out / GAMES_FILE, check_line)
        self.timings = read_lines(self.out / TIMINGS_FILE)[: len(self.lines)]
        if [line["game"] for line in self.lines] != list(range(1, len(self.lines) + 1)):
            raise LinesFileError(f"{self.out / GAMES_FILE}: expected games 1, 2, 3, …")
        if self.lines:
            self.learner.load(self.out / CHECKPOINTS)
            if self.learner.games_learnt > len(self.lines):
                self.learner.reset()
        for line in self.lines[self.learner.games_learnt :]:
            if self.learner.observe(self._record(line)):
                self.learner.train()
            self.tell("taking up")
        self._use_weights()

    def play(self) -> None:
        """Play the games that are left."""
        with ExitStack() as stack:
            games = stack.enter_context(LinesFile(self.out / GAMES_FILE))
            timings = stack.enter_context(LinesFile(self.out / TIMINGS_FILE))
            for game in range(len(self.lines) + 1, self.configuration.games + 1):
                self._play(game, games, timings)
                self.tell()
        if self.lines and not (self.out / SUMMARY_FILE).exists():
            self.learner.save(self.out / CHECKPOINTS)

    def _play(self, game: int, games: LinesFile, timings: LinesFile) -> None:
        played = play_game(
            self.rules, self.black, self.white, game=game, seed=self.configuration.seed
        )
        started = time.perf_counter()
        is_due = self.learner.observe(played.record)
        statistics = self.learner.statistics()
        line = game_line(
            played.record,
            ranks=list(played.ranks),
            ann_nodes=statistics["nodes"],
            relearn_records=statistics["records"],
        )
        games.append(line)
        self.lines.append(line)
        retrain_seconds = None
        if is_due:
            self.learner.train()
            self._use_weights()
            retrain_seconds = round(time.perf_counter() - started, 6)
        timing = timing_line(
            game,
            black_seconds=round(played.seconds["black"], 6),
            white_seconds=round(played.seconds["white"], 6),
            retrain_seconds=retrain_seconds,
        )
        timings.append(timing)
        self.timings.append(timing)
        if time.monotonic() - self._saved_at > CHECKPOINT_SECONDS:
            self.learner.save(self.out / CHECKPOINTS)
            self._saved_at = time.monotonic()

    def summary(self) -> dict[str, Any]:
        """Return the content of `summary.json`."""
        return summarise(
            self.configuration.as_dict(), self.lines, self.timings, points=self.rules.points
        )

    def records(self) -> list[GameRecord]:
        """Return all games."""
        return [self._record(line) for line in self.lines]

    def _record(self, line: Mapping[str, Any]) -> GameRecord:
        winner = {"black": BLACK, "white": WHITE}.get(line["winner"], 0)
        return GameRecord(self.rules, tuple(line["moves"]), winner, line["reason"], line["game"])

    def _use_weights(self) -> None:
        weights = self.learner.weights()
        self.white.load_weights(  # type: ignore[attr-defined]
            weights.network_id,
            {name: array for name, array in weights.arrays.items() if "memory." not in name},
        )
