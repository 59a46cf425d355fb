"""Runs one cell (one run) of the paper's table of results; a killed run can be resumed.

A cell is a series of games of one learner under one condition. Each game is stored when it ends, so
that a kill loses at most the game in progress.
"""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ai.experiments.configuration import CellConfiguration, Opponents
from ai.experiments.controls import create_learner
from ai.experiments.held_out import held_out, load_playing
from ai.game import BLACK, WHITE, GameRecord, Position, Rules
from ai.learning.learner import Trainers
from ai.learning.measures import RECENT_GAMES
from ai.registry.players import create_player
from ai.runs.results import (
    FORMAT,
    GAMES_FILE,
    SUMMARY_FILE,
    TIMINGS_FILE,
    check_line,
    game_line,
    record_of,
    summarise,
    timing_line,
)
from ai.search.oracle import Oracle
from ai.session.game import GameSession
from ai.session.teaching import LearnerSession, TeachingRun
from ai.store.checkpoints import LearnerCheckpoints, LearnerOrigin
from ai.store.learnt_file import LearntFile
from base.locks import FolderLock
from base.storage.json_file import LinesFile, LinesFileError, read_json, read_lines, write_json
from base.storage.run_folder import RunFolder, RunFolderError
from base.values import JsonObject

log = logging.getLogger(__name__)

CHECKPOINTS: Final = "checkpoints"
CHECKPOINT_SECONDS: Final = 15.0
LOADED_FILE: Final = "loaded.jsonl"
"""Lists what was loaded from files: after which game, the file's name, and what it held."""

Progress = Callable[["CellProgress"], None]


@dataclass(frozen=True)
class CellProgress:
    """Progress of a cell: games played, games in total, and games that the learner (White) lost."""

    game: int
    games: int
    losses: int
    stage: str = "games"
    """Present stage: "games", "taking up" (while a run is resumed), "held out" or "oracle"."""


def run_cell(
    configuration: CellConfiguration,
    out: Path,
    *,
    resume: bool = False,
    held_out_games: int = 0,
    with_oracle: bool = False,
    progress: Progress | None = None,
    lock: FolderLock | None = None,
) -> JsonObject:
    """Run or resume a cell and return its summary, the content of `summary.json`.

    Args:
        configuration: the cell.
        out: the cell's folder; created if missing.
        resume: continue the run in the folder; the result is that of an unbroken run.
        held_out_games: games of the frozen player against unseen opponents at the end.
        with_oracle: analyse every game with the exact solver at the end.
        progress: called after each game.
        lock: the folder's lock if the caller holds it already; it is released at the end.

    Raises:
        FolderBusyError: another process runs in the folder.
        RunFolderError: the folder holds another run; or it holds this run, and `resume` is False.
        OSError: the folder cannot be written.
    """
    with lock or FolderLock(out):
        prepare_folder(configuration, out, resume=resume)
        cell = ExperimentCell(configuration, out)

        def tell(stage: str = "games") -> None:
            if progress is not None:
                progress(CellProgress(cell.games, configuration.games, cell.losses, stage=stage))

        cell.restore(lambda: tell("taking up"))
        with contextlib.closing(cell):
            while cell.games < configuration.games:
                cell.play()
                cell.learn()
                tell()
            if not (out / SUMMARY_FILE).exists():
                cell.save()
        summary = {**cell.summary(), **_judged_before(out, configuration.games)}
        if held_out_games:
            summary["held_out"] = held_out(
                configuration,
                cell.learner.weights(),
                games=held_out_games,
                report=lambda: tell("held out"),
            )
        if with_oracle:
            summary["oracle"] = judge_games(
                configuration.rules, cell.records(), lambda done: tell("oracle")
            )
        write_json(out / SUMMARY_FILE, summary)
        return summary


def _judged_before(out: Path, games: int) -> JsonObject:
    """Return the held-out results and the solver's results that an earlier summary has.

    Args:
        out: the cell's folder.
        games: number of games of the cell now.

    Returns:
        The results by name; {} if there are none, or if games were played after the summary.
    """
    path = out / SUMMARY_FILE
    if not path.exists():
        return {}
    known = read_json(path)
    if known.get("games") != games:
        return {}  # the learner has played on since then
    return {key: known[key] for key in ("held_out", "oracle") if known.get(key)}


def cell_run(out: Path, lock: FolderLock | None = None) -> RunFolder:
    """Return the folder of a cell, with methods to create, check and resume its run.

    Args:
        out: path of the folder.
        lock: the folder's lock if the caller holds it already.
    """
    return RunFolder(out, FORMAT, "cell", lock=lock)


def prepare_folder(
    configuration: CellConfiguration, out: Path, *, resume: bool, writes: bool = True
) -> None:
    """Create the cell's folder, or check that the run in it can be resumed.

    Args:
        configuration: the cell.
        out: its folder.
        resume: whether a run in the folder may be continued; it may get more games than before.
        writes: whether to write; False only checks.

    Raises:
        RunFolderError: the folder holds another run; or it holds this run, and `resume` is False.
        OSError: the folder cannot be created or written.
    """
    folder, config = cell_run(out), configuration.as_dict()
    begin = folder.open if writes else folder.check
    found = begin(config, resume=resume, difference=configuration.difference)
    if found is None:
        return
    before = CellConfiguration.from_dict(found).games
    if configuration.games < before:
        raise RunFolderError(
            f"--games: expected {before} or more in {out}, found {configuration.games}"
        )
    if writes and configuration.games > before:
        folder.write(config)


class ExperimentCell:
    """A cell in progress: a teaching run with its opponents and files.

    Call `restore` once, then `play` and `learn` in turn for each game.
    """

    def __init__(
        self, configuration: CellConfiguration, out: Path, *, trainers: Trainers | None = None
    ) -> None:
        """Create the cell's players and learner.

        Args:
            configuration: the cell's configuration.
            out: the folder, prepared by `prepare_folder`.
            trainers: training loops shared with other cells of this process.
        """
        self.configuration = configuration
        self.out = out
        self.rules = configuration.rules
        self.learner = create_learner(
            configuration.player,
            self.rules,
            configuration.settings,
            configuration.seed,
            control=configuration.control,
            trainers=trainers,
        )
        self.white = create_player(configuration.player, self.rules, configuration.settings)
        self.opponents = Opponents(configuration)
        self.run = TeachingRun(
            self.rules,
            LearnerSession(self.learner, out / CHECKPOINTS, _origin(configuration)),
            seed=configuration.seed,
            opponent=self.opponents.of,
            player=self.white,
            swap=lambda trained: load_playing(trained, self.white),
        )
        self._failed = 0
        self._saved_at = time.monotonic()
        self._has_loaded = False
        self._played: GameSession | None = None
        self._files: tuple[LinesFile, LinesFile] | None = None

    @property
    def games(self) -> int:
        """Number of games played, those of earlier runs included."""
        return self.run.games

    @property
    def losses(self) -> int:
        """Number of games that White lost."""
        return self.run.losses

    def restore(self, report: Callable[[], None] = lambda: None) -> None:
        """Resume the run: read the games played, restore the learner and open the files.

        Call it once before the first game, for a new run too. The learner is loaded from its
        checkpoint. It learns the games that were played after the checkpoint again.

        Args:
            report: called after each game that is learnt again.

        Raises:
            LinesFileError: a line of the games is invalid.
            OSError: the files cannot be read or opened.
        """
        records = self.records()
        if [record.game for record in records] != list(range(1, len(records) + 1)):
            raise LinesFileError(f"{self.out / GAMES_FILE}: expected games 1, 2, 3, …")
        if records:
            LearnerCheckpoints(self.learner, self.out / CHECKPOINTS).load()
            if self.learner.games_learnt > len(records):
                self.learner.reset()
        self._failed = self.learner.failed
        self.learner.see(records[: self.learner.games_learnt][-RECENT_GAMES:])
        games, timings = LinesFile(self.out / GAMES_FILE), LinesFile(self.out / TIMINGS_FILE)
        self._files = (games, timings)
        timed = len(read_lines(self.out / TIMINGS_FILE))

        def told(record: GameRecord, seconds: float | None) -> None:
            if record.game > timed:  # killed between a game and its training
                timings.append(self._timing(record.game, None, seconds))
            self._log_failure()
            report()

        self.run.resume(records, told)

    def play(self, on_move: Callable[[Position], None] = lambda board: None) -> GameSession:
        """Play and store the next game, without training.

        Args:
            on_move: called after each stone; an exception aborts and discards the game.

        Raises:
            OSError: the disk is full.
        """
        if self._has_loaded:
            self._has_loaded = False
            self.run.swap()
        played = self._played = self.run.play(on_move)
        statistics = self.learner.statistics()
        line = game_line(
            played.record(),
            ranks=played.ranks,
            ann_nodes=statistics["nodes"],
            relearn_records=statistics["records"],
            opponent=self.opponents.name_of(self.games),
        )
        if self._files is not None:
            self._files[0].append(line)
        return played

    def learn(self) -> float | None:
        """Train the learner if a training is due after the last game.

        Returns:
            Duration of the training in seconds; None if there was no training.

        Raises:
            OSError: the disk is full.
        """
        retrain_seconds = self.run.learn()
        self._log_failure()
        if self._played is not None and self._files is not None:
            self._files[1].append(self._timing(self.games, self._played, retrain_seconds))
        self._played = None
        if time.monotonic() - self._saved_at > CHECKPOINT_SECONDS:
            self.save()
        return retrain_seconds

    def _log_failure(self) -> None:
        """Log a warning if a training has failed since the last call.

        Of many failures the first is logged, the second, the fourth, the eighth, and so on.
        """
        if self.learner.failed.bit_length() > self._failed.bit_length():
            log.warning("%s: game %d: %s", self.out, self.games, self.learner.advice())
        self._failed = self.learner.failed

    def _timing(
        self, game: int, played: GameSession | None, retrain_seconds: float | None
    ) -> JsonObject:
        """Return the line of `timings.jsonl` for a game.

        Args:
            game: number of the game, from 1.
            played: the game, for the players' thinking times; None if these are not known.
            retrain_seconds: duration of the training after the game; None without a training.
        """
        held = self.learner.weights().measures.held if retrain_seconds is not None else None
        return timing_line(
            game,
            black_seconds=None if played is None else round(played.seconds[BLACK], 6),
            white_seconds=None if played is None else round(played.seconds[WHITE], 6),
            retrain_seconds=retrain_seconds,
            held=None if held is None else round(held, 4),
        )

    def save(self) -> None:
        """Write a checkpoint, unless the present state is saved already or a training is due.

        Raises:
            CheckpointError: the checkpoint cannot be written; the last good one is kept.
        """
        self._saved_at = time.monotonic()
        self.run.learning.save()

    def save_file(self, path: Path) -> LearntFile:
        """Write what was learnt into one file; see `LearnerCheckpoints.save_file`.

        Raises:
            LearntFileError: it cannot be written; a file that was there is unchanged.
        """
        checkpoints = LearnerCheckpoints(
            self.learner, self.out / CHECKPOINTS, _origin(self.configuration)
        )
        return checkpoints.save_file(path)

    def load_file(self, path: Path) -> LearntFile:
        """Restore what a file holds; White plays with it from the next game on.

        What was learnt before is kept as a named checkpoint. The run says in `loaded.jsonl` and in
        its summary that not everything was learnt in its own games.

        Args:
            path: path of the file.

        Returns:
            What was read.

        Raises:
            CheckpointError: it cannot be kept.
            LearntFileError: the file does not fit or is damaged; nothing is changed.
            OSError: the disk is full.
        """
        learnt = self.run.learning.load_file(path, games=self.games)
        self._failed, self._has_loaded = self.learner.failed, True
        lines = LinesFile(self.out / LOADED_FILE)
        with contextlib.closing(lines):
            lines.append({"game": self.games, "file": path.name, "holds": learnt.words})
        return learnt

    def close(self) -> None:
        """Close the files; may be called twice."""
        for file in self._files or ():
            file.close()
        self._files = None

    def summary(self) -> JsonObject:
        """Return the content of `summary.json`."""
        lines = self._lines()
        timings = read_lines(self.out / TIMINGS_FILE)[: len(lines)]
        measures = self.learner.weights().measures
        loaded = read_lines(self.out / LOADED_FILE)
        return {
            **summarise(self.configuration.as_dict(), lines, timings, points=self.rules.points),
            "variety": None if measures.variety is None else round(measures.variety, 4),
            "agrees": None if measures.agrees is None else round(measures.agrees, 4),
            **({"loaded": loaded} if loaded else {}),
        }

    def records(self) -> list[GameRecord]:
        """Return all games in the files."""
        return [record_of(line, self.rules) for line in self._lines()]

    def _lines(self) -> list[JsonObject]:
        return read_lines(self.out / GAMES_FILE, check_line)


def _origin(configuration: CellConfiguration) -> LearnerOrigin:
    """Return what a cell's learner is made from."""
    rules, settings = configuration.rules.as_dict(), dict(configuration.settings)
    return LearnerOrigin(configuration.player, rules, settings)


NODE_LIMIT: Final = 20_000
"""Solver's limit of searched positions per question; a position not proven by then is unknown."""


def judge_games(
    rules: Rules,
    records: Sequence[GameRecord],
    report: Callable[[int], None] = lambda done: None,
    *,
    node_limit: int = NODE_LIMIT,
) -> dict[str, object]:
    """Analyse all games with the exact solver and return what it found, as numbers.

    Args:
        rules: rules of all the games.
        records: the games.
        report: called with the number of games analysed so far.
        node_limit: limit of searched positions for each question.

    Returns:
        Numbers by name. `positions`, `proven` and `unknown` count the positions that were examined,
        solved and not solved. `losing_moves` counts White's moves that turned a position proven not
        lost into one proven lost. `games_with_losing_moves` counts the games with such moves.
        `node_limit` is the argument.
    """
    oracle = Oracle(rules, node_limit=node_limit)
    positions = proven = unknown = losing = games = 0
    for done, record in enumerate(records, start=1):
        judgement = oracle.find_mistakes(record)
        positions += judgement.examined
        proven += judgement.proven
        unknown += judgement.unknown
        losing += len(judgement.mistakes)
        games += bool(judgement.mistakes)
        report(done)
    return {
        "positions": positions,
        "proven": proven,
        "unknown": unknown,
        "losing_moves": losing,
        "games_with_losing_moves": games,
        "node_limit": node_limit,
    }
