"""The folder of a training: what is kept of it, and how it is taken up after a kill.

    run.json        the run: game, seed, settings
    games.jsonl     every game that was learnt from; `replay` shows them
    metrics.jsonl   a line for each generation
    pair.npz        the best pair of networks so far
    versions/       each pair that became the best one
    checkpoints/    after each generation: the best pair, the pair that learns with its optimiser,
                    and where the training is
    lots/           the games of the window, with what the searches saw

Everything after the last checkpoint can be computed again from it, to the same bytes: a kill costs
time and nothing else. Lots that are finished are not even played again.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

import numpy as np

from ai.curriculum.settings import Curriculum, CurriculumError, with_defaults
from ai.game import BLACK, WHITE, Termination
from ai.game.rules import color_name
from ai.learning.alphagomoku.games import LearntGame
from ai.learning.alphagomoku.training import Trainee, slot_arrays, slots_of
from ai.nets.policy_value_file import UNREADABLE, NetworkPair, load_pair, pair_bytes
from ai.runs.files import read_json, write_json
from ai.runs.results import GAMES_FILE, RUN_FILE, check_line, versions
from ai.store.checkpoints import Checkpoint, CheckpointError, CheckpointStore
from ai.store.lines_file import LinesFile, read_lines
from base.files import atomic_write
from base.locks import RUN_LOCK
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
    """Where a training is, after a generation."""

    generation: int = 0
    """Generations that are done, of all phases."""
    games: int = 0
    """Games that were learnt from."""
    version: int = 0
    """Times that a new pair became the best one."""
    finished: list[str] = field(default_factory=list)
    """Phases that are done."""
    begun: dict[str, int] = field(default_factory=dict)
    """Generations done of each phase."""
    steps: int = 0
    """Training steps of each network of the pair that learns."""


class TrainingFolder:
    """The files of one training."""

    def __init__(self, plan: Curriculum, out: Path) -> None:
        """Name the folder; `prepare` comes first."""
        self.plan = plan
        self.out = out
        self.messages: list[str] = []
        """What was found damaged while it was taken up, a line each."""
        self._store = CheckpointStore(out / CHECKPOINTS, keep=3)
        self._lots = out / "lots"

    @property
    def pair_file(self) -> Path:
        """The best pair."""
        return self.out / PAIR_FILE

    @property
    def candidate_file(self) -> Path:
        """The pair that stands before the gate."""
        return self.out / CANDIDATE_FILE

    def lot_file(self, generation: int, number: int) -> Path:
        """Return where a lot's games are kept."""
        return self._lots / f"{generation:06d}-{number:03d}.npz"

    # -- beginning -------------------------------------------------------------------------------

    def prepare(self, *, resume: bool) -> None:
        """Write a new folder's `run.json`, or check that it holds this training.

        Raises:
            CurriculumError: it holds something else, or a training and `resume` is False.
            OSError: it cannot be written.
        """
        path = self.out / RUN_FILE
        if path.exists():
            self._check_same(path, resume=resume)
        elif self.out.is_dir() and any(_is_foreign(entry.name) for entry in self.out.iterdir()):
            raise CurriculumError(f"--out: expected an empty folder, found files in {self.out}")
        else:
            self.out.mkdir(parents=True, exist_ok=True)
            config = self.plan.as_dict()
            write_json(path, {"format": FORMAT, "config": config, "versions": versions()})
        self._lots.mkdir(exist_ok=True)
        (self.out / "versions").mkdir(exist_ok=True)

    def _check_same(self, path: Path, *, resume: bool) -> None:
        try:
            found = read_json(path)
            config = found.get("config")
            if found.get("format") != FORMAT or not isinstance(config, dict):
                raise ValueError(f"the format {found.get('format')!r}, not {FORMAT!r}")
            if not isinstance(config.get("settings"), dict):
                raise ValueError(f"{path} without settings")
        except ValueError as error:
            raise CurriculumError(f"--out: expected a training's folder, found {error}") from None
        config["settings"] = with_defaults(config["settings"])
        if config != self.plan.as_dict():
            differing = _difference(config, self.plan.as_dict())
            raise CurriculumError(
                f"--out: expected this training's folder, found another in {self.out}: {differing}"
            )
        if not resume:
            raise CurriculumError(
                f"--out: expected an empty folder, found a training in {self.out}; add --resume"
            )

    def take_up(self, first: Callable[[], NetworkPair]) -> tuple[Progress, NetworkPair, Trainee]:
        """Return where the training is, the best pair and the one that learns.

        What came after the last checkpoint is cut off.

        Args:
            first: returns the untrained pair of a new training.

        Raises:
            LinesFileError: a line of a file is damaged.
            CurriculumError: games, or all checkpoints of several generations, are missing.
            OSError: the folder cannot be written.
        """
        held: list[tuple[Progress, NetworkPair, Trainee]] = []
        _, messages = self._store.load(lambda found: held.append(_read(found)))
        self.messages += messages
        if not held:
            self._check_new(messages)
            pair = first()
            held.append((Progress(), pair, Trainee(pair)))
        progress, best, trainee = held[-1]
        _cut(self.out / GAMES_FILE, "game", progress.games, check_line)
        _cut(self.out / METRICS_FILE, "generation", progress.generation, _check_metrics)
        count = len(read_lines(self.out / GAMES_FILE))
        if count != progress.games:
            raise CurriculumError(
                f"{self.out / GAMES_FILE}: expected {progress.games} games, found {count}"
            )
        self.write_pair(best, self.pair_file)
        return progress, best, trainee

    def _check_new(self, messages: Sequence[str]) -> None:
        """Check that nothing would be lost by beginning anew, where no checkpoint can be read.

        Raises:
            CurriculumError: the folder has generations that were finished.
        """
        lines = read_lines(self.out / METRICS_FILE, _check_metrics)
        if lines and lines[-1]["generation"] > 1:  # the first one may have been killed at its end
            found = "; ".join(message.partition(";")[0] for message in messages) or "none"
            raise CurriculumError(
                f"--resume: expected a checkpoint of generation {lines[-1]['generation']} in "
                f"{self.out / CHECKPOINTS}, found {found}; nothing was deleted"
            )

    # -- a generation ----------------------------------------------------------------------------

    def write_pair(self, pair: NetworkPair, path: Path) -> str:
        """Write a pair and return its checksum.

        Raises:
            OSError: it cannot be written.
        """
        content = pair_bytes(pair)
        if not path.exists() or path.read_bytes() != content:
            atomic_write(path, content, sync=True)
        return hashlib.sha256(content).hexdigest()

    def add_games(self, first: int, games: Iterable[LearntGame], **more: object) -> None:
        """Append games to `games.jsonl`.

        Args:
            first: number of the first one.
            games: in their order.
            more: added to each line.

        Raises:
            OSError: the disk is full.
        """
        with LinesFile(self.out / GAMES_FILE) as file:
            for number, game in enumerate(games, start=first):
                file.append(_line(number, game, more))

    def add_metrics(self, values: Mapping[str, object]) -> None:
        """Append a generation's line to `metrics.jsonl`.

        Raises:
            OSError: the disk is full.
        """
        with LinesFile(self.out / METRICS_FILE) as file:
            file.append(values)

    def save(
        self, progress: Progress, best: NetworkPair, trainee: Trainee, *, is_new: bool, kept: int
    ) -> None:
        """Write the checkpoint of a generation, and then what follows from it.

        Args:
            progress: after the generation.
            best: the best pair.
            trainee: the pair that learns, which may be the best one.
            is_new: whether it has just become the best one.
            kept: lots of earlier generations than this are deleted.

        Raises:
            CheckpointError: it cannot be written; the last good one is kept.
            OSError: another file cannot be written.
        """
        content, memory = pair_bytes(best), io.BytesIO()
        np.savez_compressed(memory, allow_pickle=False, **dict(slot_arrays(trainee)))
        files: dict[str, Callable[[Path], None]] = {
            _PAIR: lambda path: _write(path, content),
            _LEARNER: lambda path: _write(path, pair_bytes(trainee.pair)),
            _OPTIMIZER: lambda path: _write(path, memory.getvalue()),
        }
        self._store.save(asdict(progress), files)
        self.write_pair(best, self.pair_file)
        if is_new:
            self.write_pair(best, self.out / "versions" / f"{progress.version:04d}.npz")
        for path in self._lots.glob("*.npz"):
            if path.name.partition("-")[0] < f"{kept:06d}":
                path.unlink(missing_ok=True)

    def lots_of(self, generation: int) -> list[Path]:
        """Return the files of a generation's lots, in order."""
        return sorted(self._lots.glob(f"{generation:06d}-*.npz"))


def _is_foreign(name: str) -> bool:
    """Whether a file is neither the lock nor what a start that was killed has left."""
    return name != RUN_LOCK and not (name.startswith(f".{RUN_FILE}.") and name.endswith(".tmp"))


def _difference(found: JsonObject, wanted: JsonObject) -> str:
    """Return the first value in which two runs differ, as `key: found, not wanted`."""
    one = {**found, **found.get("settings", {})}
    other = {**wanted, **wanted["settings"]}
    for key, value in other.items():
        if key != "settings" and one.get(key) != value:
            return f"{key}: {one.get(key)!r}, not {value!r}"
    return "other settings"


def _read(found: Checkpoint) -> tuple[Progress, NetworkPair, Trainee]:
    """Read a checkpoint, whose checksums were verified.

    Raises:
        CheckpointError: it holds no training.
    """
    try:
        progress = Progress(**found.state)
        best, pair = load_pair(found.file(_PAIR)), load_pair(found.file(_LEARNER))
        with np.load(found.file(_OPTIMIZER), allow_pickle=False) as stored:
            slots = slots_of({name: stored[name] for name in stored.files})
    except UNREADABLE as error:
        raise CheckpointError(
            f"{found.directory}: expected a training's checkpoint, found {error}"
        ) from error
    return progress, best, Trainee(pair, slots, progress.steps)


def _write(path: Path, content: bytes) -> None:
    path.write_bytes(content)


def _check_metrics(line: JsonObject) -> None:
    """Check a line of `metrics.jsonl`.

    Raises:
        ValueError: it is no generation's.
    """
    if not isinstance(line.get("generation"), int):
        raise ValueError("expected a generation's number, found none")


def _cut(
    path: Path, key: str, last: int, check: Callable[[JsonObject], object] | None = None
) -> None:
    """Remove the lines of a file that came after the checkpoint."""
    lines = read_lines(path, check)
    kept = [line for line in lines if int(line[key]) <= last]
    if len(kept) < len(lines):
        texts = path.read_bytes().split(b"\n")[: len(kept)]
        atomic_write(path, b"".join(text + b"\n" for text in texts), sync=True)


def _line(number: int, game: LearntGame, more: Mapping[str, object]) -> JsonObject:
    """Return a game's line, with what a run's file has as well, so that `replay` shows it."""
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


__all__ = ["FORMAT", "METRICS_FILE", "PAIR_FILE", "Progress", "TrainingFolder"]
