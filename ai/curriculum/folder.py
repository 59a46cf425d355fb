"""The folder of a training: its files, and how it is resumed after a kill.

    run.json        the run: game, seed, settings
    games.jsonl     all training games; `replay` shows them
    metrics.jsonl   a line per generation
    pair.npz        the best pair of networks so far
    versions/       each pair that became the best one
    checkpoints/    after each generation: the best pair, the pair in training with its optimiser,
                    and the progress
    lots/           the games of the window, with the searches' visits

Everything after the last checkpoint can be computed again from it, to the same bytes: a kill only
costs time. Finished batches of games are not even played again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

from ai.curriculum.settings import Curriculum, CurriculumError, with_defaults
from ai.game import BLACK, WHITE, Termination
from ai.game.rules import color_name
from ai.learning.alphagomoku.samples import TrainingRecord
from ai.learning.alphagomoku.training import TrainState, optimizer_arrays, optimizer_state
from ai.nets.policy_value import NetworkPair, load_pair, pair_bytes
from ai.runs.results import GAMES_FILE, check_line, versions
from ai.store.checkpoints import Checkpoint, CheckpointStore, reading_checkpoint
from base.files import atomic_write
from base.storage.card_file import packed, read_arrays
from base.storage.run_folder import RunFolder, difference_of
from base.values import JsonObject

FORMAT: Final = "goishi.alphagomoku/1"
METRICS_FILE: Final = "metrics.jsonl"
CHECKPOINTS: Final = "checkpoints"
PAIR_FILE: Final = "pair.npz"
CANDIDATE_FILE: Final = "candidate.npz"
_PAIR: Final = "pair.npz"
_LEARNER: Final = "learner.npz"
_OPTIMIZER: Final = "optimizer.npz"


@dataclass
class Progress:
    """How far a training is; updated after each generation."""

    generation: int = 0
    """Number of finished generations of all phases."""
    games: int = 0
    """Number of training games played so far."""
    version: int = 0
    """Number of times that the best pair of networks has been replaced by a new one."""
    finished: list[str] = field(default_factory=list)
    """Finished phases."""
    begun: dict[str, int] = field(default_factory=dict)
    """Number of finished generations in each phase, by the phase's name."""
    steps: int = 0
    """Number of optimiser steps so far, of each network of the pair in training."""


def training_run(out: Path) -> RunFolder:
    """Return the run folder of a curriculum training at `out`."""
    return RunFolder(out, FORMAT, "training")


class TrainingFolder:
    """Reads and writes the files of one training."""

    def __init__(self, plan: Curriculum, out: Path) -> None:
        """Store plan and folder; call `prepare` before any other method.

        Nothing is read or written yet.

        Args:
            plan: settings of the training.
            out: the folder.
        """
        self.plan = plan
        self.out = out
        self.messages: list[str] = []
        """Messages about files found damaged while resuming."""
        self.folder = training_run(out)
        self._store = CheckpointStore(out / CHECKPOINTS, keep=3)
        self._lots = out / "lots"

    @property
    def pair_file(self) -> Path:
        """Path of the file with the best pair."""
        return self.out / PAIR_FILE

    @property
    def candidate_file(self) -> Path:
        """Path of the file with the candidate: the pair in training, as it plays the gate match."""
        return self.out / CANDIDATE_FILE

    def batch_file(self, generation: int, number: int) -> Path:
        """Return the path of the file with the games of a batch.

        Args:
            generation: number of the generation.
            number: number of the batch in its generation.
        """
        return self._lots / f"{generation:06d}-{number:03d}.npz"

    # -- beginning -------------------------------------------------------------------------------

    def prepare(self, *, resume: bool) -> None:
        """Write `run.json` into a new folder, or check that an existing one holds this training.

        Args:
            resume: whether the folder may hold this training already.

        Raises:
            RunFolderError: the folder holds something else, or a training and `resume` is False.
            OSError: the folder cannot be written.
        """
        self.folder.open(
            self.plan.as_dict(), resume=resume, difference=self._difference, versions=versions()
        )
        self._lots.mkdir(exist_ok=True)
        (self.out / "versions").mkdir(exist_ok=True)

    def _difference(self, found: JsonObject) -> str:
        """Return in which settings a stored training differs from the plan; "" if in none.

        A setting that an older training lacks counts as its default.

        Args:
            found: content of the training's `run.json`.

        Raises:
            ValueError: there are no settings in `found`.
        """
        if not isinstance(found.get("settings"), dict):
            raise ValueError("expected settings, found none")
        whole = {**found, "settings": with_defaults(found["settings"])}
        return difference_of(whole, self.plan.as_dict())

    def restore(self, first: Callable[[], NetworkPair]) -> tuple[Progress, NetworkPair, TrainState]:
        """Return the state of the last checkpoint; remove what was written after it.

        These are the later lines of the games and metrics.

        Args:
            first: returns the untrained pair for a new training.

        Returns:
            The progress, the best pair, and the state of the pair in training.

        Raises:
            LinesFileError: a line of a file is damaged.
            CurriculumError: games are missing. Or several generations are finished, but no
                checkpoint can be read.
            OSError: the folder cannot be written.
        """
        held: list[tuple[Progress, NetworkPair, TrainState]] = []
        _, messages = self._store.load(lambda found: held.append(_read(found)))
        self.messages += messages
        if not held:
            self._check_new(messages)
            pair = first()
            held.append((Progress(), pair, TrainState(pair)))
        progress, best, train_state = held[-1]
        count = self.folder.cut(GAMES_FILE, "game", progress.games, check_line)
        self.folder.cut(METRICS_FILE, "generation", progress.generation, _check_metrics)
        if count != progress.games:
            raise CurriculumError(
                f"{self.out / GAMES_FILE}: expected {progress.games} games, found {count}"
            )
        self.write_pair(best, self.pair_file)
        return progress, best, train_state

    def _check_new(self, messages: Sequence[str]) -> None:
        """Raise an error if starting anew would lose a training.

        It is called if no checkpoint can be read.

        Args:
            messages: messages about the damaged checkpoints.

        Raises:
            CurriculumError: the folder has finished generations, which would be lost.
        """
        lines = self.folder.lines(METRICS_FILE, _check_metrics)
        if lines and lines[-1]["generation"] > 1:  # before the first, a kill is harmless
            found = "; ".join(message.partition(";")[0] for message in messages) or "none"
            raise CurriculumError(
                f"--resume: expected a checkpoint of generation {lines[-1]['generation']} in "
                f"{self.out / CHECKPOINTS}, found {found}; nothing was deleted"
            )

    # -- a generation ----------------------------------------------------------------------------

    def write_pair(self, pair: NetworkPair, path: Path) -> str:
        """Write a pair to a file and return the checksum of its content (SHA-256).

        Raises:
            OSError: the file cannot be written.
        """
        content = pair_bytes(pair)
        if not path.exists() or path.read_bytes() != content:
            atomic_write(path, content, sync=True)
        return hashlib.sha256(content).hexdigest()

    def add_games(self, first: int, games: Iterable[TrainingRecord], **more: object) -> None:
        """Append games to `games.jsonl`.

        Args:
            first: number of the first game.
            games: the games, in order.
            more: further values by name, written into the line of each game.

        Raises:
            OSError: the disk is full.
        """
        with self.folder.appending(GAMES_FILE) as file:
            for number, game in enumerate(games, start=first):
                file.append(_line(number, game, more))

    def add_metrics(self, values: Mapping[str, object]) -> None:
        """Append a generation's line to `metrics.jsonl`.

        Raises:
            OSError: the disk is full.
        """
        with self.folder.appending(METRICS_FILE) as file:
            file.append(values)

    def save(
        self,
        progress: Progress,
        best: NetworkPair,
        train_state: TrainState,
        *,
        is_new: bool,
        kept: int,
    ) -> None:
        """Write the checkpoint of a generation and the best pair's files; delete old games.

        Args:
            progress: progress after the generation.
            best: the best pair.
            train_state: the pair in training, which may be the best one.
            is_new: whether the best pair became so in this generation.
            kept: number of the first generation whose batches of games are kept.

        Raises:
            CheckpointError: the checkpoint cannot be written; the last good one is kept.
            OSError: another file cannot be written.
        """
        files = {
            _PAIR: pair_bytes(best),
            _LEARNER: pair_bytes(train_state.pair),
            _OPTIMIZER: packed(dict(optimizer_arrays(train_state))),
        }
        self._store.save(asdict(progress), files)
        self.write_pair(best, self.pair_file)
        if is_new:
            self.write_pair(best, self.out / "versions" / f"{progress.version:04d}.npz")
        for path in self._lots.glob("*.npz"):
            if path.name.partition("-")[0] < f"{kept:06d}":
                path.unlink(missing_ok=True)

    def batches_of(self, generation: int) -> list[Path]:
        """Return the files of a generation's batches, in order."""
        return sorted(self._lots.glob(f"{generation:06d}-*.npz"))


def _read(found: Checkpoint) -> tuple[Progress, NetworkPair, TrainState]:
    """Return progress, best pair and state of the pair in training from a checkpoint.

    Its checksums have been verified before.

    Raises:
        CheckpointError: the checkpoint holds no training.
    """
    with reading_checkpoint(found.directory, "a training's checkpoint"):
        progress = Progress(**found.state)
        best, pair = load_pair(found.file(_PAIR)), load_pair(found.file(_LEARNER))
        slots = optimizer_state(read_arrays(found.file(_OPTIMIZER)))
        return progress, best, TrainState(pair, slots, progress.steps)


def _check_metrics(line: JsonObject) -> None:
    """Check a line of `metrics.jsonl`.

    Raises:
        ValueError: the line is not that of a generation.
    """
    if not isinstance(line.get("generation"), int):
        raise ValueError("expected a generation's number, found none")


def _line(number: int, game: TrainingRecord, more: Mapping[str, object]) -> JsonObject:
    """Return a game's line for `games.jsonl`, with all values that `replay` needs.

    Args:
        number: number of the game.
        game: the game.
        more: further values of the line, by name.
    """
    is_five = game.winner in (BLACK, WHITE)
    return {
        "game": number,
        "winner": color_name(game.winner) if game.winner else "draw",
        "reason": (Termination.FIVE if is_five else Termination.FULL).value,
        "plies": len(game.moves),
        "moves": [int(move) for move in game.moves],
        "opening": game.opening,
        **more,
        "ranks": [],
        "ann_nodes": 0,
        "relearn_records": 0,
    }
