"""A learner whose knowledge is a few arrays: the base of a project's own learners.

    class Pupil(ArrayLearner):
        def begin(self):
            return {"worth": np.zeros(10)}

        def learn(self, arrays, games, progress):
            return {"worth": better(arrays["worth"], games)}

and `learner = "scripts.pupil:Pupil"` beside `create` in the project's `goishi.toml`.
"""

from __future__ import annotations

import hashlib
import json
import re
import time
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ai.game import GameRecord, RecordError, Rules
from ai.learning.learner import KeptCheckpoint, LearnerError, Progress, TrainedWeights
from ai.store.checkpoints import Checkpoint, CheckpointError, CheckpointStore

ARRAYS: Final = "arrays.npz"
NAMED: Final = "named"
KEPT: Final = "kept"
MOST_NAMED: Final = 1_000
MOST_KEPT: Final = 20

Arrays: TypeAlias = dict[str, NDArray[np.float32]]

_PLACE: Final = re.compile(rf"({NAMED}|{KEPT})/(\d{{1,8}})")


class ArrayLearner:
    """Learns from the last games by functions of yours; see `ai.learning.learner.Learner`.

    A subclass has `begin` and `learn`, and `is_lesson` where it learns from other games than lost
    ones. Everything else is here: which games are known, the numbers of networks, checkpoints. The
    player is handed the arrays by its `load_weights(network_id, weights)`.

    Attributes:
        rules: what is played.
        settings: all of the player's, by their keys in `goishi.toml`.
        rng: a generator of this training alone, from the run's seed.
        games: the lessons so far, at most `most_games`, the oldest first.
    """

    most_games = 50

    def __init__(
        self,
        rules: Rules,
        settings: Mapping[str, Any],
        seed: int = 0,
        *,
        threads: int = 1,
        share: float = 1.0,
    ) -> None:
        self.rules = rules
        self.settings = dict(settings)
        self.seed = seed
        self.threads = threads
        self.share = share
        self.games: list[GameRecord] = []
        self.rng = np.random.default_rng([seed, 0])
        self._games_learnt = 0
        self._network_id = 0
        self._retrains = 0
        self._trained = TrainedWeights(0, self._checked("begin", self.begin()))

    # -- yours --------------------------------------------------------------------------------

    def begin(self) -> Mapping[str, NDArray[Any]]:
        """Return the arrays into which nothing is learnt yet, by name."""
        raise NotImplementedError(f"{type(self).__name__}: expected a method begin")

    def learn(
        self, arrays: Arrays, games: Sequence[GameRecord], progress: Progress
    ) -> Mapping[str, NDArray[Any]]:
        """Return new arrays of the same names and shapes.

        Args:
            arrays: copies of the present ones, float32, each with the shape that it began with:
                `[...]`.
            games: the lessons, the newest last.
            progress: to be called with (step, steps, loss, accuracy) now and then; what it is
                told last stands in the charts.
        """
        raise NotImplementedError(f"{type(self).__name__}: expected a method learn")

    def is_lesson(self, record: GameRecord) -> bool:
        """Tell whether to learn from a game: from each lost one."""
        return record.winner == -record.learner_color

    # -- what a learner does ------------------------------------------------------------------

    @property
    def games_learnt(self) -> int:
        """Number of the last game observed; 0 before the first."""
        return self._games_learnt

    @property
    def network_id(self) -> int:
        """Number of the newest network."""
        return self._network_id

    def observe(self, record: GameRecord) -> bool:
        """Take in a finished game; True where it is a lesson.

        Raises:
            LearnerError: the game was played by other rules.
        """
        if record.rules != self.rules:
            raise LearnerError(f"expected a game by {self.rules}, found {record.rules}")
        if record.game <= self._games_learnt:
            return False
        self._games_learnt = record.game
        if not self.is_lesson(record):
            return False
        self.games = [*self.games, record][-self.most_games :]
        return True

    def train(self, progress: Progress | None = None) -> TrainedWeights:
        """Call `learn` and return the new network.

        Raises:
            LearnerError: there is no lesson yet, or what `learn` returns does not fit.
        """
        if not self.games:
            raise LearnerError("expected a game to learn from, found none")
        started = time.perf_counter()
        self.rng = np.random.default_rng([self.seed, self._network_id + 1])
        told = _Told(progress, self.share)
        arrays = {name: array.copy() for name, array in self._trained.arrays.items()}
        found = self._checked("learn", self.learn(arrays, tuple(self.games), told))
        self._network_id += 1
        self._retrains += 1
        self._trained = TrainedWeights(
            self._network_id, found, told.loss, told.accuracy, time.perf_counter() - started
        )
        return self._trained

    def weights(self) -> TrainedWeights:
        """Return the current network."""
        return self._trained

    def statistics(self) -> dict[str, Any]:
        """Return plain numbers for charts; `nodes` are the lessons that are remembered."""
        trained = self._trained
        return {
            "nodes": len(self.games),
            "records": len(self.games),
            "retrains": self._retrains,
            "games_learnt": self._games_learnt,
            "network_id": trained.network_id,
            "loss": trained.loss,
            "accuracy": trained.accuracy,
            "seconds": trained.seconds,
        }

    def change_settings(self, settings: Mapping[str, Any]) -> None:
        """Go on learning by other settings, keeping what was learnt.

        Raises:
            LearnerError: `begin` returns arrays of other shapes by them; nothing is changed.
        """
        before, self.settings = self.settings, dict(settings)
        if _shapes(self._checked("begin", self.begin())) != _shapes(self._trained.arrays):
            self.settings = before
            raise LearnerError("expected settings of the same arrays, found those of others")

    def skip(self, game: int) -> None:
        """Count the games up to `game` as known without learning from them."""
        self._games_learnt = max(self._games_learnt, game)

    def prepare(self) -> None:
        """Do nothing: there is nothing to load."""

    def reset(self) -> None:
        """Forget everything."""
        self.games = []
        self.rng = np.random.default_rng([self.seed, 0])
        self._games_learnt = self._network_id = self._retrains = 0
        self._trained = TrainedWeights(0, self._checked("begin", self.begin()))

    # -- checkpoints --------------------------------------------------------------------------

    def save(self, directory: Path) -> None:
        """Write a checkpoint below `directory`.

        Raises:
            CheckpointError: it cannot be written; the last good one is kept.
        """
        self._save(self._store(directory), {})

    def load(self, directory: Path) -> str | None:
        """Take up the last good checkpoint; returns what went wrong on the way, if anything."""
        _, messages = self._store(directory).load(self._restore)
        return "; ".join(messages) or None

    def keep(self, directory: Path, name: str, note: str, *, is_automatic: bool) -> None:
        """Write a checkpoint that later ones do not replace.

        Raises:
            CheckpointError: it cannot be written.
        """
        kind = KEPT if is_automatic else NAMED
        self._save(self._store(directory, kind), {"name": name, "note": note})

    def kept(self, directory: Path) -> tuple[KeptCheckpoint, ...]:
        """Return the kept checkpoints, by game; damaged ones are left out."""
        found = []
        for kind in (KEPT, NAMED):
            for checkpoint in self._store(directory, kind).listed():
                state = checkpoint.state
                try:
                    found.append(KeptCheckpoint(
                        place=f"{kind}/{checkpoint.number:08d}",
                        name=str(state["name"]), note=str(state["note"]),
                        game=int(state["games_learnt"]), network_id=int(state["network_id"]),
                        nodes=len(state["games"]), is_automatic=kind == KEPT,
                    ))  # fmt: skip
                except (KeyError, TypeError, ValueError):
                    continue
        return tuple(sorted(found, key=lambda item: (item.game, item.place)))

    def roll_back(self, directory: Path, place: str) -> None:
        """Become what a kept checkpoint holds; games and networks go on counting.

        Raises:
            CheckpointError: there is none, or it is damaged; nothing is changed.
        """
        match = _PLACE.fullmatch(place)
        if match is None:
            raise CheckpointError(f"expected the place of a kept checkpoint, found {place!r}")
        games, newest = self._games_learnt, self._network_id
        self._restore(self._store(directory, match[1]).check(int(match[2])))
        self._games_learnt = max(games, self._games_learnt)
        self._network_id = max(newest, self._network_id)

    def forget(self, directory: Path) -> None:
        """Delete this learner's checkpoints, but for the kept ones."""
        self._store(directory).clear()

    def _store(self, directory: Path, kind: str = "") -> CheckpointStore:
        """Return the checkpoints that fit: learners of other arrays keep theirs elsewhere."""
        name = type(self).__name__.lower()
        known = [name, self.rules.as_dict(), _shapes(self._trained.arrays)]
        digest = hashlib.sha256(json.dumps(known, sort_keys=True).encode()).hexdigest()[:8]
        folder = directory / f"{name}-{self.rules.size}x{self.rules.rows}-{digest}"
        if not kind:
            return CheckpointStore(folder)
        return CheckpointStore(folder / kind, keep=MOST_NAMED if kind == NAMED else MOST_KEPT)

    def _save(self, store: CheckpointStore, more: Mapping[str, str]) -> None:
        trained = self._trained
        state = {
            **more,
            **self.statistics(),
            "seed": self.seed,
            "newest_network_id": self._network_id,
            "games": [record.as_dict() for record in self.games],
        }

        def write(path: Path) -> None:
            with path.open("wb") as file:
                np.savez_compressed(file, allow_pickle=False, **trained.arrays)

        store.save(state, {ARRAYS: write})

    def _restore(self, checkpoint: Checkpoint) -> None:
        """Read a checkpoint, whole or not at all."""
        state = checkpoint.state
        try:
            with np.load(checkpoint.file(ARRAYS), allow_pickle=False) as stored:
                arrays = self._checked("load", {name: stored[name] for name in stored.files})
            games = [GameRecord.from_dict(record) for record in state["games"]]
            trained = TrainedWeights(
                int(state["network_id"]), arrays, state["loss"], state["accuracy"],
                float(state["seconds"]),
            )  # fmt: skip
            numbers = [int(state[k]) for k in ("games_learnt", "newest_network_id", "retrains")]
        except (
            OSError, EOFError, KeyError, TypeError, ValueError, LearnerError, RecordError,
            zipfile.BadZipFile,
        ) as error:  # fmt: skip
            raise CheckpointError(
                f"{checkpoint.directory}: expected a learner's files, found {error!r}"
            ) from error
        self._games_learnt, self._network_id, self._retrains = numbers
        self.games, self._trained = games, trained

    def _checked(self, method: str, found: Mapping[str, NDArray[Any]]) -> Arrays:
        """Return arrays as float32 after checking them against those that are known.

        Raises:
            LearnerError: names or shapes differ, or a number is not finite.
        """
        where = f"{type(self).__name__}.{method}"
        if not isinstance(found, Mapping):
            raise LearnerError(f"{where}: expected arrays by name, found {found!r:.80}")
        arrays = {str(name): np.array(array, np.float32) for name, array in found.items()}
        known = _shapes(self._trained.arrays) if method != "begin" else _shapes(arrays)
        if _shapes(arrays) != known:
            raise LearnerError(f"{where}: expected arrays {known}, found {_shapes(arrays)}")
        for name, array in arrays.items():
            if not np.isfinite(array).all():
                raise LearnerError(f"{where}: expected finite numbers in {name}, found others")
        return arrays


class _Told:
    """Passes progress on, remembers what was said last, and sleeps where time is to be left."""

    def __init__(self, progress: Progress | None, share: float) -> None:
        self.loss: float | None = None
        self.accuracy: float | None = None
        self._progress = progress
        self._rest = (1.0 - share) / share
        self._since = time.perf_counter()

    def __call__(self, step: int, steps: int, loss: float, accuracy: float) -> None:
        self.loss, self.accuracy = float(loss), float(accuracy)
        if self._progress is not None:
            self._progress(step, steps, self.loss, self.accuracy)
        if self._rest > 0.0:
            time.sleep((time.perf_counter() - self._since) * self._rest)
        self._since = time.perf_counter()


def _shapes(arrays: Mapping[str, NDArray[Any]]) -> dict[str, list[int]]:
    return {name: list(arrays[name].shape) for name in sorted(arrays)}


__all__ = ["ArrayLearner"]
