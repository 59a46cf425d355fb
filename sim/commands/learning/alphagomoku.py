"""`train alphagomoku`: trains a pair of networks in three phases; can be resumed at any moment.

Modules that compute are imported when the command runs, so that other commands start faster.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Final

from base.errors import UsageError
from base.values import JsonObject
from sim.commands.cli.cluster import (
    ADDRESS,
    BACKEND,
    RAY,
    SETTINGS,
    TRAINING_RESUME,
    TRAINING_SEED,
    check_cluster,
    check_hours,
    print_settings,
    use_device,
)
from sim.commands.cli.ending import SUCCESS, echo
from sim.commands.cli.flags import command, flag, settings_given, switch
from sim.commands.cli.progress import TimeLeft, left_text, warm_up

if TYPE_CHECKING:
    from ai.curriculum.actors import Actors
    from ai.curriculum.run import TrainingBudget
    from ai.curriculum.settings import Curriculum

DEFAULT_FOLDER: Final = Path("runs/alphagomoku")
EVERY: Final = 20.0
"""Seconds between two lines while games are played."""


@command
def train_alphagomoku(
    *,
    board: int = flag(15, "--board N", "Points along a side."),
    win_length: int = flag(5, "--win-length N", "Stones in a row that win."),
    phase: list[str] | None = flag(
        None, "--phase NAME", "basic, mentor or self-play; repeatable [all three, in turn]."
    ),
    hours: float | None = flag(None, "--hours H", "End after so many hours."),
    games: int | None = flag(
        None,
        "--games N",
        "End after so many games learnt from, earlier ones included.",
        1,
        expected="1 or more",
    ),
    jobs: int = flag(
        1, "--jobs N", "Processes that play; any number, the same games.", 1, expected="1 or more"
    ),
    backend: str = BACKEND,
    address: str | None = ADDRESS,
    device: str = flag(
        "auto", "--device NAME", "What trains: auto, cpu or gpu; players need no card."
    ),
    seed: int = TRAINING_SEED,
    sets: list[str] | None = SETTINGS,
    no_controls: bool = switch("--no-controls", "Train no control on shuffled labels in phase 1."),
    out: Path | None = flag(None, "--out DIR", "Folder of the run [runs/alphagomoku]."),
    resume: bool = TRAINING_RESUME,
) -> int:
    """Train the networks of alphagomoku: basic rules, the mentor's games, self-play.

    Writes pair.npz, the best pair of networks so far, with games.jsonl (open a game in 3D with
    replay) and metrics.jsonl into the folder. Without --hours or --games it runs until Ctrl+C. If
    it was interrupted, the same command with --resume continues and plays the same games.
    """
    from ai.curriculum.folder import training_run
    from ai.curriculum.run import TrainingBudget
    from ai.curriculum.settings import OPTIONS

    if sets == ["help"]:
        print_settings(OPTIONS, 18, 10)
        return SUCCESS
    plan = _plan(board, win_length, seed, sets or ())
    phases = _phases(phase or [])
    check_hours(hours)
    budget = TrainingBudget(games, hours)
    check_cluster(backend, address)
    folder = out or DEFAULT_FOLDER.absolute()
    with training_run(folder).claim():
        use_device(device)
        warm_up()
        with closing(_actors(jobs, backend, address)) as actors:
            _run(plan, phases, budget, folder, actors, resume=resume, has_controls=not no_controls)
    return SUCCESS


def _phases(names: list[str]) -> tuple[str, ...]:
    from ai.curriculum.settings import CurriculumError, phases_of

    try:
        return phases_of(names)
    except CurriculumError as error:
        raise UsageError(str(error)) from None


def _plan(board: int, win_length: int, seed: int, sets: Sequence[str]) -> Curriculum:
    """Return the training settings that the options describe.

    Args:
        board: points along a side.
        win_length: stones in a row that win.
        seed: seed of the training.
        sets: texts KEY=VALUE of the option `--set`.

    Raises:
        UsageError: a value is invalid.
    """
    from ai.curriculum.settings import Curriculum
    from ai.game import Rules, RulesError

    try:
        return Curriculum.of(Rules(board, win_length), seed, settings_given(sets))
    except RulesError as error:
        raise UsageError(f"--board, --win-length: {error}") from None
    except ValueError as error:
        raise UsageError(str(error)) from None


def _actors(jobs: int, backend: str, address: str | None) -> Actors:
    """Return the processes that play the training games.

    Args:
        jobs: number of processes on this machine.
        backend: "local" for processes of this machine, "ray" for a cluster.
        address: address of the Ray cluster; None: one is started on this machine.
    """
    if backend == RAY:
        from ai.curriculum.actors import RayActors

        return RayActors(address)
    from ai.curriculum.actors import LocalActors

    return LocalActors(jobs)


def _run(
    plan: Curriculum,
    phases: tuple[str, ...],
    budget: TrainingBudget,
    folder: Path,
    actors: Actors,
    *,
    resume: bool,
    has_controls: bool,
) -> None:
    """Train, and print a line for each generation: each new pair of networks.

    Args:
        plan: settings of the training.
        phases: names of the phases to run, in order.
        budget: limits on games and hours.
        folder: folder of the run.
        actors: processes that play games.
        resume: whether a training in the folder may be resumed.
        has_controls: whether to train controls on shuffled labels, too.
    """
    from ai.curriculum.live import Observer
    from ai.curriculum.run import Training
    from ai.curriculum.settings import CurriculumError

    started = time.monotonic()
    told = StageLines(budget)

    class Watching(Observer):
        """Hands what happens on to the lines of progress."""

        def began(self, phase: str, generation: int, stage: str) -> None:
            told.stage(f"generation {generation} {phase}, {stage}")

        def played(self, phase: str, generation: int, first: int, games: Sequence[object]) -> None:
            told.games(len(games), training.progress.games)

    training = Training(
        plan,
        folder,
        actors,
        has_controls=has_controls,
        report=lambda line: _say_at_once(_generation_line(line, time.monotonic() - started)),
        warn=_say_at_once,
        observer=Watching(),
    )
    try:
        progress = training.run(phases, budget, resume=resume)
    except CurriculumError as error:
        raise UsageError(str(error)) from None
    echo(
        f"{progress.generation} generations, {progress.games} games, version {progress.version}: "
        f"the best pair is {training.folder.pair_file}"
    )


class StageLines:
    """Writes a line to stderr at each stage of a generation, and every 20 seconds while it plays.

    Args:
        budget: limits of the training, from which the time that is left follows.
    """

    def __init__(self, budget: TrainingBudget) -> None:
        self._budget = budget
        self._end = None if budget.hours is None else time.monotonic() + 3600.0 * budget.hours
        self._left = None if budget.games is None else TimeLeft(budget.games)
        self._stage, self._games, self._told = "begins", 0, time.monotonic()
        self._write()

    def stage(self, text: str) -> None:
        """Say which stage begins."""
        self._stage, self._games = text, 0
        self._write()

    def games(self, count: int, before: int) -> None:
        """Count games that were played, and say so now and then.

        Args:
            count: number of games.
            before: number of the training's games before this generation.
        """
        self._games += count
        seconds = None if self._left is None else self._left.seconds(before + self._games)
        if time.monotonic() - self._told >= EVERY:
            self._write(seconds)

    def _write(self, seconds: float | None = None) -> None:
        """Write a line.

        Args:
            seconds: estimated time that is left; None if it is unknown.
        """
        now = time.monotonic()
        parts = [self._stage] + ([f"{self._games} games"] if self._games else [])
        if seconds is not None:
            parts.append(left_text(seconds))
        elif self._end is not None:
            parts.append(left_text(max(self._end - now, 0.0)))
        sys.stderr.write(f"goishi: alphagomoku: {', '.join(parts)}\n")
        sys.stderr.flush()
        self._told = now


def _say_at_once(text: str) -> None:
    """Write a line at once, since a training is watched while it runs."""
    echo(text)
    sys.stdout.flush()


def _generation_line(line: JsonObject, seconds: float) -> str:
    """Return the results of a new pair of networks as one line of text.

    Args:
        line: its entry in metrics.jsonl.
        seconds: wall time since the start of the command, seconds.
    """
    parts = [f"generation {line['generation']} {line['phase']}"]
    if "played" in line:
        parts.append(
            f"{line['played']} games of {line['plies']:.0f} plies, Black won "
            f"{line['black_wins']:.0%}"
        )
    held = line.get("held_out") or {}
    if held:
        others = [f"{values['right']:.1%} {name}" for name, values in held.items()][1:]
        parts.append(f"held out {held['trained']['right']:.1%} right ({', '.join(others)})")
    if "basic_rules" in line:
        parts.append(f"basic rules {line['basic_rules']['trained']:.0%}")
    if line.get("tactics"):
        parts.append(
            ", ".join(f"{kind} {found['trained']:.0%}" for kind, found in line["tactics"].items())
        )
    if "against_mentor" in line:
        parts.append(f"scored {line['against_mentor']:.0%} against the mentor")
    if "gate" in line:
        gate = line["gate"]
        verdict = "accepted" if gate["accepted"] else "rejected"
        parts.append(f"gate {gate['score']:.0%} of {gate['pairs']} pairs: {verdict}")
    parts.append(f"version {line['version']}, {line['games']} games, {seconds / 60.0:.1f} min")
    return " | ".join(parts)
